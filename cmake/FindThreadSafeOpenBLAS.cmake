# The archive of OpenBLAS, in the build that many threads may call at once: Debian's "pthread" variant. The library takes a
# private copy out of it (src/openblas) and switches the threads of that copy off (linalg/blas.cpp): parallelism is
# Mercer's, and a threaded BLAS changes the bits of a result with the number of threads. The "serial" variant will not do:
# it is built without locks around its pool of buffers, and two threads that call it at once now and then get each other's.
# On Debian: libopenblas-pthread-dev.
#
# Sets ThreadSafeOpenBLAS_LIBRARY, which may be set beforehand to use another build, and ThreadSafeOpenBLAS_INCLUDE_DIR.
include(FindPackageHandleStandardArgs)

# Debian keeps each variant in a folder of its own; the plain path is a link to whichever has priority, so that the
# folder must be tried before any default path.
set(_folders "")
foreach(_architecture IN ITEMS ${CMAKE_LIBRARY_ARCHITECTURE} x86_64-linux-gnu aarch64-linux-gnu)
  list(APPEND _folders ${_architecture}/openblas-pthread)
endforeach()
find_library(ThreadSafeOpenBLAS_LIBRARY NAMES libopenblas.a PATHS /usr/lib PATH_SUFFIXES ${_folders} NO_DEFAULT_PATH)
find_library(ThreadSafeOpenBLAS_LIBRARY NAMES libopenblas.a)
find_path(ThreadSafeOpenBLAS_INCLUDE_DIR NAMES cblas.h PATHS /usr/include PATH_SUFFIXES ${_folders} NO_DEFAULT_PATH)
find_path(ThreadSafeOpenBLAS_INCLUDE_DIR NAMES cblas.h PATH_SUFFIXES openblas)
unset(_folders)

find_package_handle_standard_args(ThreadSafeOpenBLAS REQUIRED_VARS ThreadSafeOpenBLAS_LIBRARY ThreadSafeOpenBLAS_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "On Debian, scripts/install-dependencies installs it (libopenblas-pthread-dev).")
mark_as_advanced(ThreadSafeOpenBLAS_LIBRARY ThreadSafeOpenBLAS_INCLUDE_DIR)
# Of a shared library no private copy can be made.
if(ThreadSafeOpenBLAS_FOUND AND NOT ThreadSafeOpenBLAS_LIBRARY MATCHES "\\.a$")
  message(FATAL_ERROR "ThreadSafeOpenBLAS_LIBRARY is ${ThreadSafeOpenBLAS_LIBRARY}: an archive is needed (libopenblas.a)")
endif()
