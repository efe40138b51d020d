# OpenBLAS, in the build that many threads may call at once: Debian's "pthread" variant. Mercer switches its own threads
# off when it is loaded (linalg/blas.cpp): parallelism is Mercer's, and a threaded BLAS changes the bits of a result with
# the number of threads. The "serial" variant will not do: it is built without locks around its pool of buffers, and two
# threads that call it at once now and then get each other's. The archive holds LAPACK too; that part needs the Fortran
# runtime. On Debian: libopenblas-pthread-dev and libgfortran-12-dev.
#
# Defines the target ThreadSafeOpenBLAS::ThreadSafeOpenBLAS. Set ThreadSafeOpenBLAS_LIBRARY to use another build. This file
# is installed beside mercerConfig.cmake, which finds the library again on the user's machine.
include(FindPackageHandleStandardArgs)

# Debian keeps each variant in a folder of its own; the plain path is a link to whichever has priority, so that the
# folder must be tried before any default path.
set(_folders "")
foreach(_architecture IN ITEMS ${CMAKE_LIBRARY_ARCHITECTURE} x86_64-linux-gnu aarch64-linux-gnu)
  list(APPEND _folders ${_architecture}/openblas-pthread)
endforeach()
find_library(ThreadSafeOpenBLAS_LIBRARY NAMES libopenblas.a openblas PATHS /usr/lib PATH_SUFFIXES ${_folders}
  NO_DEFAULT_PATH)
find_library(ThreadSafeOpenBLAS_LIBRARY NAMES libopenblas.a openblas)
find_path(ThreadSafeOpenBLAS_INCLUDE_DIR NAMES cblas.h PATHS /usr/include PATH_SUFFIXES ${_folders} NO_DEFAULT_PATH)
find_path(ThreadSafeOpenBLAS_INCLUDE_DIR NAMES cblas.h PATH_SUFFIXES openblas)
unset(_folders)

find_package_handle_standard_args(ThreadSafeOpenBLAS REQUIRED_VARS ThreadSafeOpenBLAS_LIBRARY ThreadSafeOpenBLAS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "On Debian, scripts/install-dependencies installs it (libopenblas-pthread-dev).")
mark_as_advanced(ThreadSafeOpenBLAS_LIBRARY ThreadSafeOpenBLAS_INCLUDE_DIR)

if(ThreadSafeOpenBLAS_FOUND AND NOT TARGET ThreadSafeOpenBLAS::ThreadSafeOpenBLAS)
  add_library(ThreadSafeOpenBLAS::ThreadSafeOpenBLAS UNKNOWN IMPORTED)
  set_target_properties(ThreadSafeOpenBLAS::ThreadSafeOpenBLAS PROPERTIES
    IMPORTED_LOCATION ${ThreadSafeOpenBLAS_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${ThreadSafeOpenBLAS_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES "gfortran;m;pthread")
endif()
