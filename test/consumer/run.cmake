# Installs the build in TRIDENT_BUILD_DIR to a fresh prefix, builds this project against it, runs it.

function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(prefix "${WORK_DIR}/prefix")
file(REMOVE_RECURSE "${prefix}" "${WORK_DIR}/build")
step("${CMAKE_COMMAND}" --install "${TRIDENT_BUILD_DIR}" --config "${CONFIG}" --prefix "${prefix}")
step("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${WORK_DIR}/build" -G "${GENERATOR}"
     "-DCMAKE_BUILD_TYPE=${CONFIG}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}"
     "-DCMAKE_PREFIX_PATH=${prefix}")
step("${CMAKE_COMMAND}" --build "${WORK_DIR}/build" --config "${CONFIG}")
foreach(program consumer preloaded)
  find_program(${program} ${program} PATHS "${WORK_DIR}/build" "${WORK_DIR}/build/${CONFIG}" NO_DEFAULT_PATH REQUIRED)
endforeach()
step(${MPIEXEC} "${consumer}")
step("${preloaded}")

# trident-run finds the installed library; under it the program's own calls, of Trident::tpetra, are served too.
step("${prefix}/bin/trident-run" --library)
step(${MPIEXEC} "${prefix}/bin/trident-run" --report --ranks-per-node 1 -- "${consumer}")

# trident-timeline finds its other files.
step("${prefix}/bin/trident-timeline" --help)
