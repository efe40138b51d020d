# A room is a folder of src/mercer. Each is compiled once, into objects; the library is all of them, and a test of one
# room links only the rooms up to its own. The order below is the order of the layers: a room may include only rooms
# before it (scripts/check-layers verifies that).
set(MERCER_ROOMS base linalg data smoothing kernels gram features solvers expansion models select io report cluster)

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
# the time. Names in unnamed namespaces then meet; a source that shares one with another of its folder is
# compiled by itself. base and linalg have more of these than would gain.
set(MERCER_COMPILED_ALONE
    data/make_samples.cpp io/model_file.cpp io/safetensors.cpp kernels/algebra/custom.cpp
    kernels/coordinate/periodic.cpp kernels/coordinate/periodized.cpp kernels/coordinate/precomputed.cpp
    kernels/coordinate/rank_one.cpp kernels/coordinate/spectral_mixture.cpp kernels/keyed_rows.cpp kernels/prepared.cpp
    kernels/radial/ball_profile.cpp kernels/radial/ball_spline.cpp kernels/radial/chebyshev_table.cpp
    models/gp/hyperparameters.cpp models/gp/inducing_system.cpp models/gp/softmax_laplace.cpp
    models/gp/softmax_posterior.cpp models/gp_fit.cpp models/gpc.cpp models/gpc_fit.cpp models/libsvm_decision.cpp
    models/likelihoods/poisson.cpp models/platt.cpp models/ridge_dual.cpp models/ridge_primal.cpp
    models/ridge_problem.cpp models/ridge_projection.cpp models/ridge_spectrum.cpp report/learning_curve.cpp
    report/model_scores.cpp select/estimates/svc_estimates.cpp select/search/tune.cpp
    solvers/box_qp.cpp solvers/box_qp_state.cpp solvers/face_smo.cpp solvers/joint_multiclass.cpp solvers/linear_l1.cpp
    solvers/local_smo.cpp solvers/sparse_greedy.cpp solvers/svm_dual.cpp solvers/working_set.cpp)

function(mercer_compile_together target folder)
  if(NOT MERCER_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  foreach(source IN LISTS ARGN)
    set_source_files_properties(${folder}/${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()
