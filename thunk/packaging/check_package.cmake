# cmake -DBUILD=thunk's build folder -DSOURCE=this folder -DWORK=scratch -DLIBDIR=lib -DCC=cc
#       -P check_package.cmake
# Installs the thunk, moves it, and builds and runs a consumer of it by find_package and by
# pkg-config, shared and static.
cmake_minimum_required(VERSION 3.25)
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/first)
file(RENAME ${WORK}/first ${WORK}/moved)
set(libraries ${WORK}/moved/${LIBDIR})

run(${CMAKE_COMMAND} -S ${SOURCE}/consumer -B ${WORK}/cmake -DCMAKE_C_COMPILER=${CC}
    -DCMAKE_PREFIX_PATH=${WORK}/moved)
run(${CMAKE_COMMAND} --build ${WORK}/cmake)
foreach(program with_hsakmt with_hsakmt_static with_hsakmt-staticdrm)
  run(${WORK}/cmake/${program})
endforeach()

set(ENV{PKG_CONFIG_PATH} ${libraries}/pkgconfig)
function(flags variable)
  execute_process(COMMAND pkg-config ${ARGN} libhsakmt OUTPUT_VARIABLE text
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(text UNIX_COMMAND "${text}")
  set(${variable} ${text} PARENT_SCOPE)
endfunction()
flags(compile --cflags)
flags(shared --libs)
flags(static --libs --static)
list(TRANSFORM static REPLACE "^-lhsakmt$" "-l:libhsakmt.a")
run(${CC} ${compile} ${SOURCE}/consumer/consumer.c ${shared} -o ${WORK}/pc_shared)
run(${CC} ${compile} ${SOURCE}/consumer/consumer.c ${static} -o ${WORK}/pc_static)
set(ENV{LD_LIBRARY_PATH} ${libraries})
run(${WORK}/pc_shared)
unset(ENV{LD_LIBRARY_PATH})
run(${WORK}/pc_static)
file(REMOVE_RECURSE ${WORK})
