# What `cmake --install` leaves: the library, its headers, the program, a CMake package (find_package(mercer)) and a
# pkg-config file. The prefix is read from where the files stand, so that an installed tree can be moved.
include(CMakePackageConfigHelpers)
set(MERCER_INSTALL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/mercer)

install(TARGETS mercer mercer_openblas EXPORT mercerTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/mercer/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mercer
  FILES_MATCHING PATTERN "*.h"
  # Included by sources only: the names of the private OpenBLAS.
  PATTERN linalg/openblas.h EXCLUDE PATTERN linalg/lapack.h EXCLUDE)
install(EXPORT mercerTargets NAMESPACE mercer:: DESTINATION ${MERCER_INSTALL_CMAKE_DIR})

foreach(program IN LISTS MERCER_PROGRAM_TARGETS)
  install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/mercerConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/mercerConfig.cmake INSTALL_DESTINATION ${MERCER_INSTALL_CMAKE_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/mercerConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/mercerConfig.cmake ${PROJECT_BINARY_DIR}/package/mercerConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindUtf8proc.cmake
  DESTINATION ${MERCER_INSTALL_CMAKE_DIR})

file(RELATIVE_PATH MERCER_PREFIX_FROM_PKGCONFIG
  ${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/mercer.pc.in ${PROJECT_BINARY_DIR}/package/mercer.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/mercer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
