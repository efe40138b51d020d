// Oriented kernel PCA (features/oriented_pca.h) as a model. The targets say which samples are views of the same thing: what
// samples of one group differ by is noise, and the components are the directions in which everything differs much and
// the members of a group little.
#pragma once

#include <memory>
#include <string>

#include "mercer/models/features/feature_model.h"
#include "mercer/models/model.h"

namespace mercer {

struct OpcaOptions {
  Index components = 10;
  double regularization = 0.01;
  Index rank = 0;

  void validate() const;
};

std::span<const Option<OpcaOptions>> opca_option_table();

/// Groups are the distinct combinations of all targets, of any kind. n·rank kernel values, O(n·rank² + rank³).
/// InvalidArgument for a kernel that is not positive definite, DataError where samples do not vary or targets are
/// missing.
std::unique_ptr<FeatureModel> fit_opca(const Kernel& kernel, const OpcaOptions& options, const TrainingData& data,
                                       const Run& run = {});

const ModelEntry& opca_entry();

}  // namespace mercer
