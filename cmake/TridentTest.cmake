# trident_add_test(NAME tstThing SOURCES a.cpp ... LABELS unit|differential|peer ...
#                  [RANKS n ...] [LIBS target ...] [ARGS arg ...] [ENV NAME=value ...] [TIMEOUT seconds])
#
# Builds one program from SOURCES, the test main and GoogleTest, and registers it once for each number of
# ranks (default 1): as NAME where there is one number, as NAME_np<n> where there are several.
# A test on more than one rank has the label "ranks" too.
# LIBS defaults to Trident::core. A test that names Trident::tpetra is left out of a build without it.

# Many ranks share few cores in tests: they yield while they wait, and no rank is bound to a core. Set
# through the environment, which every MPI but Open MPI ignores, so the mpiexec line stays portable.
set(TRIDENT_TEST_ENVIRONMENT
    OMP_NUM_THREADS=1
    OMPI_ALLOW_RUN_AS_ROOT=1
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_mpi_yield_when_idle=1
    OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_hwloc_base_binding_policy=none
    PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    PRTE_MCA_hwloc_default_binding_policy=none)
if(TRIDENT_SANITIZE)
  list(APPEND TRIDENT_TEST_ENVIRONMENT
       "LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/test/lsan.supp:print_suppressions=0"
       "TSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/test/tsan.supp:ignore_noninstrumented_modules=1"
       "UBSAN_OPTIONS=print_stacktrace=1")
endif()

function(trident_add_test)
  cmake_parse_arguments(arg "" "NAME;TIMEOUT" "SOURCES;LIBS;RANKS;ARGS;ENV;LABELS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SOURCES OR NOT arg_LABELS)
    message(FATAL_ERROR "trident_add_test(${arg_NAME}): needs NAME, SOURCES and LABELS; "
                        "does not know: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT arg_LIBS)
    set(arg_LIBS Trident::core)
  endif()
  if(NOT arg_RANKS)
    set(arg_RANKS 1)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set(main trident_test_main)
  if("Trident::tpetra" IN_LIST arg_LIBS)
    if(NOT TARGET Trident::tpetra)
      return()
    endif()
    set(main trident_test_main_tpetra)
  endif()

  add_executable(${arg_NAME} ${arg_SOURCES})
  trident_target_defaults(${arg_NAME})
  target_link_libraries(${arg_NAME} PRIVATE ${main} ${arg_LIBS})
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/test")

  list(LENGTH arg_RANKS variants)
  foreach(ranks IN LISTS arg_RANKS)
    set(test ${arg_NAME})
    if(variants GREATER 1)
      set(test ${arg_NAME}_np${ranks})
    endif()
    set(launcher "")
    set(labels ${arg_LABELS})
    if(ranks GREATER 1)
      list(APPEND labels ranks)
      set(launcher "${MPIEXEC_EXECUTABLE}" ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS})
    endif()
    set(processors 1)
    if(ranks GREATER 2)
      set(processors 2)
    endif()
    add_test(NAME ${test} COMMAND ${launcher} "$<TARGET_FILE:${arg_NAME}>" ${arg_ARGS})
    set_tests_properties(${test} PROPERTIES
                         ENVIRONMENT "${TRIDENT_TEST_ENVIRONMENT};${arg_ENV}" LABELS "${labels}"
                         PROCESSORS ${processors} TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
  endforeach()
endfunction()

# trident_add_test_again(NAME tstThing SUFFIX text RANKS n [ENV NAME=value ...] [TIMEOUT seconds])
# The program of a test once more, in another environment.
function(trident_add_test_again)
  cmake_parse_arguments(arg "" "NAME;SUFFIX;RANKS;TIMEOUT" "ENV" ${ARGN})
  if(NOT TARGET ${arg_NAME})
    return()
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 400)
  endif()
  add_test(NAME ${arg_NAME}_${arg_SUFFIX}
           COMMAND "${MPIEXEC_EXECUTABLE}" ${MPIEXEC_NUMPROC_FLAG} ${arg_RANKS} ${MPIEXEC_PREFLAGS} "$<TARGET_FILE:${arg_NAME}>")
  set_tests_properties(${arg_NAME}_${arg_SUFFIX} PROPERTIES
                       ENVIRONMENT "${TRIDENT_TEST_ENVIRONMENT};${arg_ENV}" LABELS engines PROCESSORS 2
                       TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
endfunction()

# trident_add_header_test(NAME tstHeaders TARGETS target ... HEADERS path ... ROOTS dir ...)
# Every header compiles on its own, and twice in one file. Paths are named relative to the root they lie in.
# The objects are built by the test, not by default.
function(trident_add_header_test)
  cmake_parse_arguments(arg "" "NAME" "TARGETS;HEADERS;ROOTS" ${ARGN})
  set(sources "")
  foreach(header IN LISTS arg_HEADERS)
    foreach(root IN LISTS arg_ROOTS)
      cmake_path(IS_PREFIX root "${header}" inside)
      if(inside)
        file(RELATIVE_PATH include "${root}" "${header}")
      endif()
    endforeach()
    string(MAKE_C_IDENTIFIER "${include}" identifier)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/headers/${identifier}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"@include@\"\n#include \"@include@\"\n" @ONLY)
    list(APPEND sources "${source}")
  endforeach()
  if(NOT sources)
    return()
  endif()
  add_library(${arg_NAME} OBJECT EXCLUDE_FROM_ALL ${sources})
  trident_target_defaults(${arg_NAME})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_TARGETS})
  add_test(NAME ${arg_NAME} COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target ${arg_NAME}
                                    --config $<CONFIG> --parallel 2)
  set_tests_properties(${arg_NAME} PROPERTIES LABELS static PROCESSORS 2 TIMEOUT 900)
endfunction()
