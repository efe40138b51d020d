# Helpers of the install tests: run a command or fail with its output; install the build into a fresh prefix.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "failed (${result}): ${command}\n${output}")
  endif()
  set(RUN_OUTPUT "${output}" PARENT_SCOPE)
endfunction()

# Installs twice removed: into `staging`, then moved to `prefix`, which shows that the package does not care where it is.
function(install_to prefix)
  file(REMOVE_RECURSE ${prefix} ${prefix}-staging)
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix}-staging)
  file(RENAME ${prefix}-staging ${prefix})
endfunction()

# Nothing that is installed may name a folder of this machine.
function(check_no_absolute_paths prefix)
  file(GLOB_RECURSE files ${prefix}/*.cmake ${prefix}/*.pc ${prefix}/*.h)
  foreach(file IN LISTS files)
    file(STRINGS ${file} lines REGEX "${BUILD_DIR}|${prefix}|/usr/(lib|include)|-staging")
    if(lines)
      message(FATAL_ERROR "${file} names folders of the build machine: ${lines}")
    endif()
  endforeach()
endfunction()

# The program runs from where the tree was moved to.
function(check_program prefix)
  if(WITH_PROGRAM)
    run(${prefix}/bin/mercer models)
  endif()
endfunction()

# A project of its own that finds the package in `prefix`.
function(check_find_package prefix work)
  file(REMOVE_RECURSE ${work}/build)
  run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/consumer -B ${work}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${prefix} -DMERCER_EXPECTED_VERSION=${VERSION}
    -DCONSUMER_BLAS=${BLAS} -DCONSUMER_BLAS_INCLUDE=${BLAS_INCLUDE})
  run(${CMAKE_COMMAND} --build ${work}/build)
  check_consumer(${work}/build/consumer ${work})
endfunction()

# One compiler call with the flags of pkg-config.
function(check_pkg_config prefix work)
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
  run(pkg-config --modversion mercer)
  string(STRIP "${RUN_OUTPUT}" found_version)
  if(NOT found_version STREQUAL VERSION)
    message(FATAL_ERROR "pkg-config says version ${found_version}, the project is ${VERSION}")
  endif()
  run(pkg-config --cflags --libs mercer)
  separate_arguments(flags UNIX_COMMAND "${RUN_OUTPUT}")
  run(${COMPILER} -isystem ${BLAS_INCLUDE} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/consumer/consumer.cpp -o ${work}/consumer
    ${flags} ${BLAS} -Wl,-rpath,${prefix}/${LIBDIR})
  check_consumer(${work}/consumer ${work})
endfunction()

# `work` is a folder for the files that the consumer writes.
function(check_consumer program work)
  run(${program} ${work})
  if(NOT RUN_OUTPUT MATCHES "consumer: all right")
    message(FATAL_ERROR "the consumer printed: ${RUN_OUTPUT}")
  endif()
endfunction()
