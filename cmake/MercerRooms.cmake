# A room is a folder of src/mercer. Each is compiled once, into objects; the library is all of them, and a test of one
# room links only the rooms up to its own. The order below is the order of the layers: a room may include only rooms
# before it (scripts/check-layers verifies that).
set(MERCER_ROOMS base linalg theory data smoothing kernels gram features solvers expansion models select io report)

# Rooms with folders of their own, families, in order: a family includes the headers at the top of its room and families
# before it. Headers at the top include no family; sources there (registries and the like) gather what they need.
set(MERCER_FAMILIES_theory losses)
set(MERCER_FAMILIES_data files)
set(MERCER_FAMILIES_kernels nodes coordinate dot radial string algebra image set generative graph)
set(MERCER_FAMILIES_solvers svm convex/program convex/interior convex linear glm relevance falkon fisher clusters online smooth risk version_space)
set(MERCER_FAMILIES_expansion reduced_set)
set(MERCER_FAMILIES_models likelihoods classes smoothing density svm compress gp/inference gp/inducing gp/iterative
    gp/softmax libsvm linear ridge discriminant features prototypes falkon kernel_machine risk laplacian_process
    multiple_kernel relevance gp mapped)
set(MERCER_FAMILIES_select estimates path folds hypothesis search)
set(MERCER_FAMILIES_report sections)

function(mercer_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Nobody reads errno after sqrt, and setting it keeps the compiler from vectorising.
  target_compile_options(${target} PRIVATE -fno-math-errno -Wall -Wextra -Wconversion -Wshadow -Wno-sign-conversion
    $<$<BOOL:${MERCER_WARNINGS_AS_ERRORS}>:-Werror>)
  # GCC 12 sees overlaps and overflows inside std::string's own operator+ that are not there (its bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
      -Wno-array-bounds)
    # Programs are optimised less, and there it takes std::optional and std::stop_source for uninitialised.
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
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

# Sources are compiled several at a time: headers are read and templates instantiated once for all of them, in half of
# the time. Names in unnamed namespaces then meet; a source that shares one with another of its folder is compiled by
# itself (keyed_rows has compiler options of its own). base and linalg have more of these than would gain.
set(MERCER_COMPILED_ALONE
    io/model_file.cpp kernels/keyed_rows.cpp solvers/svm/box_path.cpp solvers/svm/box_qp.cpp solvers/svm/face_smo.cpp
    solvers/svm/joint_multiclass.cpp solvers/svm/local_smo.cpp solvers/svm/one_class_dual.cpp
    solvers/svm/regression_dual.cpp solvers/svm/svm_dual.cpp)

# Groups of at most twelve sources of one folder.
function(mercer_compile_together target folder)
  if(NOT MERCER_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  list(SORT sources)
  foreach(source IN LISTS sources)
    file(RELATIVE_PATH name ${folder} ${source})
    if(NOT name IN_LIST ARGN)
      get_filename_component(family ${name} DIRECTORY)
      string(MAKE_C_IDENTIFIER "together_${family}" family)
      math(EXPR ${family}_count "0${${family}_count} + 1")
      math(EXPR group "(${${family}_count} - 1) / 12")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${family}_${group})
    endif()
  endforeach()
endfunction()
