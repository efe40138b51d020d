# pkg-config, and nothing of CMake.
include(${CMAKE_CURRENT_LIST_DIR}/install.cmake)
set(work ${BUILD_DIR}/install-test/pkg_config)
install_to(${work}/prefix)
check_pkg_config(${work}/prefix ${work})
