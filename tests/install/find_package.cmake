# find_package(mercer) from a project of its own.
include(${CMAKE_CURRENT_LIST_DIR}/install.cmake)
set(work ${BUILD_DIR}/install-test/find_package)
install_to(${work}/prefix)
check_no_absolute_paths(${work}/prefix)
check_program(${work}/prefix)
file(REMOVE_RECURSE ${work}/build)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${work}/build -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${work}/prefix -DMERCER_EXPECTED_VERSION=${VERSION}
  -DCONSUMER_BLAS=${BLAS} -DCONSUMER_BLAS_INCLUDE=${BLAS_INCLUDE})
run(${CMAKE_COMMAND} --build ${work}/build)
check_consumer(${work}/build/consumer)
