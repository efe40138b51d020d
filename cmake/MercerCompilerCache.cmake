# ccache, where it is installed: a second clean build takes seconds. Precompiled headers need two of its checks
# relaxed (a header is recognised by its content, not its time), and clang must not write the time into them.
find_program(MERCER_CCACHE ccache)
mark_as_advanced(MERCER_CCACHE)
if(MERCER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} ${MERCER_CCACHE})
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
