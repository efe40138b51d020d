# What `cmake --install` leaves: the library, its headers, the program, a CMake package (find_package(mercer)) and a
# pkg-config file. The prefix is read from where the files stand, so that an installed tree can be moved.
include(CMakePackageConfigHelpers)
set(MERCER_INSTALL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/mercer)

# A static library leaves its private OpenBLAS to the link of the program.
install(TARGETS mercer EXPORT mercerTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(NOT BUILD_SHARED_LIBS)
  install(TARGETS mercer_openblas EXPORT mercerTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
include(MercerPublicHeaders)
foreach(header IN LISTS MERCER_PUBLIC_HEADERS MERCER_SUPPORT_HEADERS)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/src/mercer/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mercer/${folder})
endforeach()
install(EXPORT mercerTargets NAMESPACE mercer:: DESTINATION ${MERCER_INSTALL_CMAKE_DIR})

file(RELATIVE_PATH MERCER_LIBRARIES_FROM_PROGRAMS ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
foreach(program IN LISTS MERCER_PROGRAM_TARGETS)
  if(BUILD_SHARED_LIBS)
    set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/${MERCER_LIBRARIES_FROM_PROGRAMS}")
  endif()
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
# What a static library needs, a shared one has found already.
set(MERCER_FURTHER_LIBRARIES "-pthread")
if(NOT BUILD_SHARED_LIBS)
  set(MERCER_FURTHER_LIBRARIES "-lmercer_openblas -lz -lbz2 -llzma -lnlopt -lutf8proc -pthread -lm")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/mercer.pc.in ${PROJECT_BINARY_DIR}/package/mercer.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/mercer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
