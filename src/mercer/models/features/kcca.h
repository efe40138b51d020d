// Kernel canonical correlation (features/kernel_cca.h) as a model: features of the samples that correlate most with
// functions of the targets, the second view.
#pragma once

#include <memory>

#include "mercer/models/features/feature_model.h"
#include "mercer/models/kernel_option.h"
#include "mercer/models/model.h"

namespace mercer {

struct KccaOptions {
  Index components = 10;
  double regularization = 0.01;
  double target_regularization = 0.01;
  KernelOption target_kernel = KernelOption::parse("linear()");
  Index rank = 0;

  void validate() const;
};

std::span<const Option<KccaOptions>> kcca_option_table();

/// Numbers among the targets are standardised, labels become one column of 0 and 1 per class; target_kernel compares the
/// rows of that. 2·n·rank kernel values, O(n·rank² + rank³). There are at most as many components as the smaller view
/// has dimensions. InvalidArgument for kernels that are not positive definite, DataError where a view does not vary.
std::unique_ptr<FeatureModel> fit_kcca(const Kernel& kernel, const KccaOptions& options, const TrainingData& data,
                                       const Run& run = {});

const ModelEntry& kcca_entry();

}  // namespace mercer
