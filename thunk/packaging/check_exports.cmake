# cmake -DNM=nm -DLIBRARY=libhsakmt.so.1 -DLISTS="a.inc;b.inc" -P check_exports.cmake
# The library exports the API's symbols, each with version HSAKMT_1, and nothing else.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND ${NM} -D --defined-only --with-symbol-versions ${LIBRARY}
                OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" lines "${output}")
set(exported)
foreach(line ${lines})
  if(NOT line MATCHES "^[0-9a-f]+ A HSAKMT_1")  # the version itself
    string(REGEX REPLACE "^[0-9a-f]+ . " "" symbol "${line}")
    list(APPEND exported ${symbol})
  endif()
endforeach()

set(wanted kfdctsThunkObjectCount@@HSAKMT_1)  # what the harness's leak check asks
foreach(list ${LISTS})
  file(STRINGS ${list} names REGEX "^HSAKMT_SYMBOL")
  list(TRANSFORM names REPLACE "HSAKMT_SYMBOL\\((.*)\\)" "\\1@@HSAKMT_1")
  list(APPEND wanted ${names})
endforeach()

list(LENGTH wanted count)
if(count LESS 50)
  message(FATAL_ERROR "${LISTS}: only ${count} symbols")
endif()
set(missing ${wanted})
list(REMOVE_ITEM missing ${exported})
set(surplus ${exported})
list(REMOVE_ITEM surplus ${wanted})
if(missing OR surplus)
  message(FATAL_ERROR "${LIBRARY}: not exported: ${missing}; exported, but not in the API: ${surplus}")
endif()
message(STATUS "${count} symbols, all of HSAKMT_1")
