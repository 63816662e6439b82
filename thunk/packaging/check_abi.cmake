# cmake -DCC=cc -DABIDIFF=abidiff -DREADELF=readelf -DHEADER=hsakmt.h -DLIBRARY=libhsakmt.so.1
#       -DSUPPRESSIONS=abi.suppr -DWORK=scratch -P check_abi.cmake
# Compares the library's functions and types with those of a header of another libhsakmt. Such
# libraries come without debug information, so one is made of the header's declarations.
cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND ${CC} -E -P -x c ${HEADER} OUTPUT_VARIABLE source
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "hsaKmt[A-Za-z0-9_]+\\(" declared "${source}")
list(LENGTH declared functions)
if(functions LESS 50)
  message(FATAL_ERROR "${HEADER}: does not declare the API")
endif()
string(REGEX REPLACE "(hsaKmt[A-Za-z0-9_]+\\([^;{}]*\\));" "\\1 { __builtin_trap(); }" source
       "${source}")
file(WRITE ${WORK}/theirs.c "${source}")
file(WRITE ${WORK}/theirs.map "HSAKMT_1 { global: hsaKmt*; local: *; };\n")
execute_process(COMMAND ${CC} -g -w -shared -fPIC ${WORK}/theirs.c -o ${WORK}/theirs.so
                        -Wl,-soname,libhsakmt.so.1 -Wl,--version-script=${WORK}/theirs.map
                COMMAND_ERROR_IS_FATAL ANY)

execute_process(COMMAND ${READELF} -SW ${LIBRARY} OUTPUT_VARIABLE sections
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT sections MATCHES "\\.debug_info")
  message(FATAL_ERROR "${LIBRARY}: built without debug information, which the comparison needs")
endif()
execute_process(COMMAND ${ABIDIFF} --no-added-syms --suppressions ${SUPPRESSIONS}
                        ${WORK}/theirs.so ${LIBRARY}
                RESULT_VARIABLE changed OUTPUT_VARIABLE report ERROR_VARIABLE report)
if(NOT changed EQUAL 0)
  message(FATAL_ERROR "abidiff ends with ${changed}; changes that ${SUPPRESSIONS} does not "
                      "explain:\n${report}")
endif()
message(STATUS "${report}")
