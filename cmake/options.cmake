# Warnings, sanitizers and the target every other target links for them.
set(KFDCTS_SANITIZE "" CACHE STRING "Sanitizers for -fsanitize=, as address,undefined or thread")
option(KFDCTS_PCH "Precompile what tests include most; off for clang-tidy, which cannot read GCC's" ON)
# Lines for a debugger and a sanitizer's report. What -g says beyond them takes a third of the compiler's time.
string(REGEX REPLACE "-g( |$)" "-g1\\1" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")

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

# What programs of tests link as well: they are compiled often and are never what is slow.
add_library(kfdcts_tests INTERFACE)
target_link_libraries(kfdcts_tests INTERFACE kfdcts_options)
# GCC 12 at -O1 takes a long std::string's characters for its short buffer and warns of what is beyond.
target_compile_options(kfdcts_tests INTERFACE $<$<CONFIG:RelWithDebInfo>:-O1> -Wno-array-bounds
                       -Wno-stringop-overflow -Wno-stringop-overread)
if(KFDCTS_PCH)
  target_precompile_headers(kfdcts_tests INTERFACE <gmock/gmock.h> <gtest/gtest.h> <algorithm> <chrono> <filesystem>
                            <functional> <map> <optional> <span> <string> <vector>)
endif()
