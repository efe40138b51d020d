# find_package(mercer) from a project of its own.
include(${CMAKE_CURRENT_LIST_DIR}/install.cmake)
set(work ${BUILD_DIR}/install-test/find_package)
install_to(${work}/prefix)
check_no_absolute_paths(${work}/prefix)
check_program(${work}/prefix)
check_find_package(${work}/prefix ${work})
