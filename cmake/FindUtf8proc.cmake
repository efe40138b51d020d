# utf8proc: the tables of Unicode (categories, lower case, composition) that words of texts are found by. The archive is
# taken where there is one, so that nothing has to stand beside programs and wheels. On Debian: libutf8proc-dev.
#
# Defines the target Utf8proc::Utf8proc. This file is installed beside mercerConfig.cmake, which finds the library again on
# the user's machine.
include(FindPackageHandleStandardArgs)

find_library(Utf8proc_LIBRARY NAMES libutf8proc.a utf8proc)
find_path(Utf8proc_INCLUDE_DIR NAMES utf8proc.h)
find_package_handle_standard_args(Utf8proc REQUIRED_VARS Utf8proc_LIBRARY Utf8proc_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "On Debian, scripts/install-dependencies installs it (libutf8proc-dev).")
mark_as_advanced(Utf8proc_LIBRARY Utf8proc_INCLUDE_DIR)

if(Utf8proc_FOUND AND NOT TARGET Utf8proc::Utf8proc)
  add_library(Utf8proc::Utf8proc UNKNOWN IMPORTED)
  set_target_properties(Utf8proc::Utf8proc PROPERTIES
    IMPORTED_LOCATION ${Utf8proc_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${Utf8proc_INCLUDE_DIR})
  if(Utf8proc_LIBRARY MATCHES "\\.a$")
    set_target_properties(Utf8proc::Utf8proc PROPERTIES INTERFACE_COMPILE_DEFINITIONS UTF8PROC_STATIC)
  endif()
endif()
