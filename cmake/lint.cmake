# Targets format-check and tidy; both tools are optional, and tidy takes minutes.
file(GLOB_RECURSE KFDCTS_SOURCES CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/harness/*.cpp ${PROJECT_SOURCE_DIR}/harness/*.h
     ${PROJECT_SOURCE_DIR}/suites/*.cpp ${PROJECT_SOURCE_DIR}/suites/*.h
     ${PROJECT_SOURCE_DIR}/thunk/*.cpp ${PROJECT_SOURCE_DIR}/thunk/*.h)
find_program(CLANG_FORMAT NAMES clang-format-14 clang-format)
if(CLANG_FORMAT)
  add_custom_target(format-check COMMAND ${CLANG_FORMAT} --dry-run -Werror ${KFDCTS_SOURCES} VERBATIM)
endif()
find_program(RUN_CLANG_TIDY NAMES run-clang-tidy-14 run-clang-tidy)
if(RUN_CLANG_TIDY)
  add_custom_target(tidy COMMAND ${RUN_CLANG_TIDY} -quiet -p ${CMAKE_BINARY_DIR} VERBATIM)
endif()
