# BUILD_SHARED_LIBS=ON, linked of the objects that this build has: libmercer.so is versioned, shows nobody the libraries that
# it has inside, and is found by find_package and by pkg-config.
include(${CMAKE_CURRENT_LIST_DIR}/install.cmake)
set(work ${BUILD_DIR}/install-test/shared_library)
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${work}/library -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
  -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DMERCER_OBJECTS_FROM=${BUILD_DIR} -DCMAKE_INSTALL_LIBDIR=${LIBDIR}
  -DMERCER_BUILD_PROGRAM=OFF -DMERCER_BUILD_TESTS=OFF -DMERCER_BUILD_EXAMPLES=OFF)
run(${CMAKE_COMMAND} --build ${work}/library --target mercer)
set(BUILD_DIR ${work}/library)
install_to(${work}/prefix)
check_no_absolute_paths(${work}/prefix)

set(library ${work}/prefix/${LIBDIR}/libmercer.so)
string(REGEX MATCH "^[0-9]+\\.[0-9]+" interface_version ${VERSION})
run(${OBJDUMP} -p ${library})
if(NOT RUN_OUTPUT MATCHES "SONAME +libmercer\\.so\\.${interface_version}\n")
  message(FATAL_ERROR "${library} has not the soname libmercer.so.${interface_version}")
endif()
# Its own names are those of C++, which begin with _Z; OpenBLAS, for one, has names of C.
run(${NM} -D --defined-only ${library})
string(REGEX MATCHALL " [A-Za-z] [^_\n][^\n]*" leaked "${RUN_OUTPUT}")
if(leaked)
  message(FATAL_ERROR "${library} shows names of another library:${leaked}")
endif()

check_find_package(${work}/prefix ${work})
check_pkg_config(${work}/prefix ${work})
