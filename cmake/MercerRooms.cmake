# A room is a folder of src/mercer. Each is compiled once, into objects; the library is all of them, and a test of one
# room links only the rooms up to its own. The order below is the order of the layers: a room may include only rooms
# before it (scripts/check-layers verifies that).
set(MERCER_ROOMS base linalg data kernels gram features solvers expansion models select io report cluster)

# The rooms that have sources, in order.
set(MERCER_PRESENT_ROOMS "")
foreach(room IN LISTS MERCER_ROOMS)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/mercer/${room}/*.cpp)
  if(sources)
    list(APPEND MERCER_PRESENT_ROOMS ${room})
  endif()
endforeach()

function(mercer_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Nobody reads errno after sqrt, and setting it keeps the compiler from vectorising.
  target_compile_options(${target} PRIVATE -fno-math-errno -Wall -Wextra -Wconversion -Wshadow -Wno-sign-conversion
    $<$<BOOL:${MERCER_WARNINGS_AS_ERRORS}>:-Werror>)
  # GCC 12 sees overlaps and overflows inside std::string's own operator+ that are not there (its bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
      -Wno-array-bounds)
  endif()
endfunction()

# The executables that a folder's CMakeLists.txt defines.
function(mercer_programs_of folder result)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  set(programs "")
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      list(APPEND programs ${target})
    endif()
  endforeach()
  set(${result} ${programs} PARENT_SCOPE)
endfunction()
