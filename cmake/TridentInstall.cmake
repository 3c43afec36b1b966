# Installs the libraries, their headers under include/trident, and the package that find_package(Trident) reads.

include(CMakePackageConfigHelpers)

set(trident_libraries trident_core)
set(trident_trilinos_components Kernels)
if(TRIDENT_BUILD_TPETRA)
  list(APPEND trident_libraries trident_tpetra)
  list(APPEND trident_trilinos_components Tpetra)
endif()
if(TARGET trident_muelu)
  list(APPEND trident_libraries trident_muelu)
  list(APPEND trident_trilinos_components MueLu)
endif()
list(JOIN trident_trilinos_components " " trident_trilinos_components)

if(TARGET trident_preload)
  list(APPEND trident_libraries trident_preload trident_preload_first)
  install(PROGRAMS "${PROJECT_BINARY_DIR}/tpetra_adapter/preload/trident-run" DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

# trident-timeline finds its other files from where it lies itself.
set(trident_timeline_dir "${PROJECT_SOURCE_DIR}/example/timeline")
file(RELATIVE_PATH TRIDENT_TIMELINE_FROM_BIN "${CMAKE_INSTALL_FULL_BINDIR}"
     "${CMAKE_INSTALL_FULL_DATADIR}/trident/timeline")
configure_file("${trident_timeline_dir}/trident-timeline" "${PROJECT_BINARY_DIR}/trident-timeline" @ONLY)
install(PROGRAMS "${PROJECT_BINARY_DIR}/trident-timeline" DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(FILES "${trident_timeline_dir}/timeline.py" "${trident_timeline_dir}/timeline_page.py"
              "${trident_timeline_dir}/page.html"
        DESTINATION "${CMAKE_INSTALL_DATADIR}/trident/timeline")

set(trident_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Trident")
install(TARGETS ${trident_libraries} EXPORT TridentTargets INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/trident")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/trident"
        FILES_MATCHING PATTERN "*.hpp")
if(TRIDENT_BUILD_TPETRA)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/tpetra_adapter/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/trident"
          FILES_MATCHING PATTERN "*.hpp" PATTERN preload EXCLUDE)
endif()
if(TARGET trident_muelu)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/muelu_hooks/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/trident"
          FILES_MATCHING PATTERN "*.hpp")
endif()
install(EXPORT TridentTargets NAMESPACE Trident:: DESTINATION "${trident_package_dir}")

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/TridentConfig.cmake.in"
                              "${PROJECT_BINARY_DIR}/TridentConfig.cmake"
                              INSTALL_DESTINATION "${trident_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TridentConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/TridentConfig.cmake" "${PROJECT_BINARY_DIR}/TridentConfigVersion.cmake"
              "${PROJECT_SOURCE_DIR}/cmake/FindTridentTrilinos.cmake"
        DESTINATION "${trident_package_dir}")
