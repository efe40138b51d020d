// Support vector regression with a learnt sum of kernels (`mklsvr`): as mklsvc.h, with the loss of svr.h. Several outputs
// are machines of their own that share the weights. What comes out is an ordinary `svr` model with the kernel
// Σ_k d_k k_k.
#pragma once

#include <memory>

#include "mercer/models/multiple_kernel/weight_options.h"
#include "mercer/models/svm/svr.h"

namespace mercer {

struct MklSvrOptions : SvrOptions, WeightLearningOptions {
  void validate() const;
};

std::span<const Option<MklSvrOptions>> mklsvr_option_table();

/// As fit_mklsvc(); errors as fit_svr().
std::unique_ptr<SvrModel> fit_mklsvr(const Kernel& kernel, const MklSvrOptions& options, const TrainingData& data,
                                     const Run& run = {});

const ModelEntry& mklsvr_entry();

}  // namespace mercer
