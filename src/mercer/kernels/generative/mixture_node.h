// What kernels of a Gaussian mixture share: the parameters `components`, `weights`, `means` and `variances`, numbers or fitted
// by EM to the training samples.
#pragma once

#include "mercer/kernels/generative/gaussian_mixture.h"
#include "mercer/kernels/generative/model_parameters.h"
#include "mercer/kernels/generative/point_bags.h"
#include "mercer/kernels/nodes/dense_features_node.h"

namespace mercer {

/// components, weights, means, variances, followed by `others`.
std::vector<ParameterSpec> mixture_specs(std::string default_components, std::vector<ParameterSpec> others);

class MixtureNode : public DenseFeaturesNode {
 public:
  MixtureNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children);

  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override;

  /// Empty until it is fitted.
  const GaussianMixture& mixture() const { return mixture_; }

 protected:
  /// Adds what else is to be fitted, given the fitted mixture. Default: nothing.
  virtual ParameterList with_other_fits(ParameterList parameters, const GaussianMixture& mixture, const PointBags& bags,
                                        const Run& run) const;
  /// The samples as bags, of the model's dimension.
  PointBags model_bags(const Samples& samples) const;

 private:
  GaussianMixture mixture_;
};

/// The numbers of a fitted mixture as the parameters that MixtureNode reads.
ParameterList with_mixture(const KernelNode& node, ParameterList parameters, const GaussianMixture& mixture);

}  // namespace mercer
