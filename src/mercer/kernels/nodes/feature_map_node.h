// Kernels that are inner products of an explicit map of one point, k(x, y) = ⟨Φ(x), Φ(y)⟩. Spec C10.
#pragma once

#include <functional>

#include "mercer/kernels/nodes/dense_features_node.h"

namespace mercer {

class FeatureMapNode : public DenseFeaturesNode {
 public:
  using DenseFeaturesNode::DenseFeaturesNode;

 protected:
  /// The features of points with so many coordinates; made once per sample set, called from several threads.
  virtual std::function<void(std::span<const double> x, std::span<double> features)> feature_map(
      Index columns) const = 0;
  virtual Index feature_count(Index columns) const = 0;

 private:
  Matrix<double> features(const KernelPreparation& preparation) const final;
};

}  // namespace mercer
