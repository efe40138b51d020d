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

function(check_consumer program)
  run(${program})
  if(NOT RUN_OUTPUT MATCHES "consumer: all right")
    message(FATAL_ERROR "the consumer printed: ${RUN_OUTPUT}")
  endif()
endfunction()
