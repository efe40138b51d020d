// Kernel ridge regression with a learnt sum of kernels (`mklridge`): the weights d and the function together,
//
//   min_{d ≥ 0, ‖d‖_p ≤ 1} min_{f, b}  Σ_i w_i (y_i − Σ_k f_k(x_i) − b)² + λ Σ_k ‖f_k‖²/d_k
//
// Several outputs share the weights; each counts in units of its own variance. What comes out is an ordinary `ridge`
// model with the kernel Σ_k d_k k_k. References: as mklsvc.h; Cortes, Mohri & Rostamizadeh (2009), L2 Regularization
// for Learning Kernels.
#pragma once

#include <memory>

#include "mercer/models/multiple_kernel/weight_options.h"
#include "mercer/models/ridge/ridge.h"

namespace mercer {

/// RidgeOptions::method is auto, its word here says how weights are learnt; select and indefinite stay as
/// they are by default.
struct MklRidgeOptions : RidgeOptions, WeightLearningOptions {
  void validate() const;
};

std::span<const Option<MklRidgeOptions>> mklridge_option_table();

/// n³/3 operations per round, of at most weight_rows rows; errors as fit_ridge(), and InvalidArgument for λ = 0.
std::unique_ptr<RidgeModel> fit_mklridge(const Kernel& kernel, const MklRidgeOptions& options, const TrainingData& data,
                                         const Run& run = {});

const ModelEntry& mklridge_entry();

}  // namespace mercer
