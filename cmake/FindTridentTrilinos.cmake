# Finds the parts of Trilinos that Trident uses, in every package style in use: Debian's 13.2 (bare targets
# such as trilinos_tpetra, include directories in variables) and 16/17 (Tpetra::all_libs).
#
# Components and the targets they give:
#   Kernels  Trident::TrilinosKernels  Kokkos and KokkosKernels
#   Tpetra   Trident::TrilinosTpetra   Tpetra, with Teuchos below it
#   MueLu    Trident::TrilinosMueLu    MueLu, with Xpetra, Belos, Galeri, Ifpack2 and what else it was built on
# The headers are system headers for whoever links these targets.

set(_trident_apt "libtrilinos-kokkos-dev libtrilinos-kokkos-kernels-dev")
if("Tpetra" IN_LIST TridentTrilinos_FIND_COMPONENTS)
  string(APPEND _trident_apt " libtrilinos-teuchos-dev libtrilinos-epetra-dev libtrilinos-tpetra-dev")
endif()
if("MueLu" IN_LIST TridentTrilinos_FIND_COMPONENTS)
  # What MueLu was built on is a long list; ./run has the part that is needed.
  set(_trident_apt "trilinos-all-dev libptscotch-dev")
endif()

function(_trident_trilinos_missing what)
  set(TridentTrilinos_FOUND FALSE PARENT_SCOPE)
  string(CONCAT message
         "Trilinos is incomplete: ${what} not found. On Debian and Ubuntu:\n"
         "  apt-get install ${_trident_apt}\n"
         "Debian's Trilinos packages do not depend on each other. Trilinos 16 and later need "
         "libptscotch-dev libmumps-dev libhdf5-openmpi-dev too. "
         "Elsewhere: put the Trilinos prefix on CMAKE_PREFIX_PATH.")
  if(TridentTrilinos_FIND_REQUIRED)
    message(FATAL_ERROR "${message}")
  elseif(NOT TridentTrilinos_FIND_QUIETLY)
    message(STATUS "${message}")
  endif()
endfunction()

# A Trilinos package's config includes the configs of the packages below it without a check of its own, so
# a forgotten Debian package stops CMake with a bare "could not find requested file". Look for them first.
function(_trident_trilinos_absent_below package out)
  set(absent "")
  set(config "${Kokkos_DIR}/../${package}/${package}Config.cmake")
  if(Kokkos_DIR AND EXISTS "${config}")
    file(STRINGS "${config}" lines REGEX "^include\\(.*/\\.\\./[A-Za-z]+/[A-Za-z]+Config.cmake")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*/\\.\\./([A-Za-z]+)/.*" "\\1" below "${line}")
      if(NOT EXISTS "${Kokkos_DIR}/../${below}/${below}Config.cmake")
        list(APPEND absent ${below})
      endif()
    endforeach()
  endif()
  list(JOIN absent ", " absent)
  set(${out} "${absent}" PARENT_SCOPE)
endfunction()

# Joins whichever targets package offers into the imported target name.
function(_trident_trilinos_target name package)
  if(TARGET ${name})
    return()
  endif()
  add_library(${name} INTERFACE IMPORTED)
  if(TARGET ${package}::all_libs)
    target_link_libraries(${name} INTERFACE ${package}::all_libs)
  else()
    set(includes ${${package}_INCLUDE_DIRS} ${${package}_TPL_INCLUDE_DIRS})
    list(TRANSFORM includes REPLACE "^/usr/include$" "")
    list(REMOVE_ITEM includes "")
    target_include_directories(${name} INTERFACE ${includes})
    target_link_libraries(${name} INTERFACE ${${package}_LIBRARIES})
  endif()
endfunction()

set(TridentTrilinos_FOUND TRUE)
find_package(Kokkos CONFIG QUIET)
if(NOT Kokkos_FOUND)
  _trident_trilinos_missing("Kokkos")
  return()
endif()

set(_trident_packages KokkosKernels)
foreach(_trident_package Tpetra MueLu)
  if(_trident_package IN_LIST TridentTrilinos_FIND_COMPONENTS)
    list(APPEND _trident_packages ${_trident_package})
  endif()
endforeach()
foreach(_trident_package IN LISTS _trident_packages)
  _trident_trilinos_absent_below(${_trident_package} _trident_absent)
  if(_trident_absent)
    _trident_trilinos_missing("${_trident_absent}")
    return()
  endif()
  find_package(${_trident_package} CONFIG QUIET)
  if(NOT ${_trident_package}_FOUND)
    _trident_trilinos_missing("${_trident_package}")
    return()
  endif()
endforeach()

_trident_trilinos_target(Trident::TrilinosKernels KokkosKernels)
foreach(_trident_package Tpetra MueLu)
  if(_trident_package IN_LIST TridentTrilinos_FIND_COMPONENTS)
    _trident_trilinos_target(Trident::Trilinos${_trident_package} ${_trident_package})
  endif()
endforeach()
