// Support vector classification with a learnt sum of kernels (`mklsvc`): the weights d and the machines together,
//
//   min_{d ≥ 0, ‖d‖_p ≤ 1} min_{f, b}  Σ_k ‖f_k‖²/(2d_k) + Σ_i C_i max(0, 1 − y_i (Σ_k f_k(x_i) + b))
//
// One set of weights for all machines of several classes. What comes out is an ordinary `svc` model with the kernel
// Σ_k d_k k_k. Weights by centred alignment instead: alignment_weights.h.
// References: Rakotomamonjy, Bach, Canu & Grandvalet (2008); Kloft, Brefeld, Sonnenburg & Zien (2011).
#pragma once

#include <memory>

#include "mercer/models/multiple_kernel/weight_options.h"
#include "mercer/models/svm/svc.h"

namespace mercer {

/// Of SvcOptions, `multiclass` is ovo, ovr or dag; slack, code, uncertain and parametric stay as they are by default.
struct MklSvcOptions : SvcOptions, WeightLearningOptions {
  void validate() const;
};

std::span<const Option<MklSvcOptions>> mklsvc_option_table();

/// The kernel is a sum; its summands are what is weighed. About 5 to 20 machines, and n² numbers of memory per summand
/// (of at most weight_rows rows) where that fits. InvalidArgument for summands that are not positive; the rest as
/// fit_svc().
std::unique_ptr<SvcModel> fit_mklsvc(const Kernel& kernel, const MklSvcOptions& options, const TrainingData& data,
                                     const Run& run = {});

const ModelEntry& mklsvc_entry();

}  // namespace mercer
