# OpenBLAS built without threads of its own: parallelism is Mercer's, and a threaded BLAS changes the bits of a result
# with the number of threads. The archive holds LAPACK too; that part needs the Fortran runtime. On Debian:
# libopenblas-serial-dev and libgfortran-12-dev.
#
# Defines the target SerialOpenBLAS::SerialOpenBLAS. Set SerialOpenBLAS_LIBRARY to use another build. This file is
# installed beside mercerConfig.cmake, which finds the library again on the user's machine.
include(FindPackageHandleStandardArgs)

# Debian keeps each variant in a folder of its own; the plain path is a link to whichever has priority, so that the
# serial folder must be tried before any default path.
set(_folders "")
foreach(_architecture IN ITEMS ${CMAKE_LIBRARY_ARCHITECTURE} x86_64-linux-gnu aarch64-linux-gnu)
  list(APPEND _folders ${_architecture}/openblas-serial)
endforeach()
find_library(SerialOpenBLAS_LIBRARY NAMES libopenblas.a openblas PATHS /usr/lib PATH_SUFFIXES ${_folders}
  NO_DEFAULT_PATH)
find_library(SerialOpenBLAS_LIBRARY NAMES libopenblas.a openblas)
find_path(SerialOpenBLAS_INCLUDE_DIR NAMES cblas.h PATHS /usr/include PATH_SUFFIXES ${_folders} NO_DEFAULT_PATH)
find_path(SerialOpenBLAS_INCLUDE_DIR NAMES cblas.h PATH_SUFFIXES openblas)
unset(_folders)

find_package_handle_standard_args(SerialOpenBLAS REQUIRED_VARS SerialOpenBLAS_LIBRARY SerialOpenBLAS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "On Debian, scripts/install-dependencies installs it (libopenblas-serial-dev).")
mark_as_advanced(SerialOpenBLAS_LIBRARY SerialOpenBLAS_INCLUDE_DIR)

if(SerialOpenBLAS_FOUND AND NOT TARGET SerialOpenBLAS::SerialOpenBLAS)
  add_library(SerialOpenBLAS::SerialOpenBLAS UNKNOWN IMPORTED)
  set_target_properties(SerialOpenBLAS::SerialOpenBLAS PROPERTIES
    IMPORTED_LOCATION ${SerialOpenBLAS_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SerialOpenBLAS_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "gfortran;m")
endif()
