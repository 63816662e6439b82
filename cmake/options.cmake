# Warnings, sanitizers and the target every other target links for them.
set(KFDCTS_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, as address,undefined or thread")

add_library(kfdcts_options INTERFACE)
target_compile_features(kfdcts_options INTERFACE cxx_std_20)
target_compile_options(kfdcts_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)
target_include_directories(kfdcts_options INTERFACE ${PROJECT_SOURCE_DIR})
if(KFDCTS_SANITIZE)
  target_compile_options(kfdcts_options INTERFACE -O1 -g1 -fsanitize=${KFDCTS_SANITIZE}
                         -fno-omit-frame-pointer -fno-sanitize-recover=all
                         -Wno-maybe-uninitialized)  # GCC 12 sees one in std::regex under ASan
  target_link_options(kfdcts_options INTERFACE -fsanitize=${KFDCTS_SANITIZE})
endif()
