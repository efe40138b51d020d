// The search for the parameters of a Gaussian process: what is unknown, and in which steps it is learnt. A few hundred
// rows find the right region at a hundredth of the cost of all, and how the evidence curves there; the rows that the
// search may use then finish it in a few steps.
#pragma once

#include <vector>

#include "mercer/models/gp/gp.h"
#include "mercer/models/gp/inference/hyperparameters.h"

namespace mercer {

/// The kernel's parameters, then those of the likelihood.
struct GpSearchSpace {
  Kernel kernel;  ///< resolved
  std::vector<HyperParameter> parameters;
  GpOptions options;  ///< inference and method chosen
  double offset = 0;  ///< of a Poisson likelihood

  std::vector<double> start() const;
  Kernel kernel_at(std::span<const double> values) const;
  std::vector<double> likelihood_values(std::span<const double> values) const;
  LikelihoodPtr likelihood(std::span<const double> values) const;
  /// The variance of Gaussian noise, the scale of others, 0 for Poisson.
  double noise(std::span<const double> values) const;
};

/// The values that maximise the objective; status, evaluations and what there is to say go into the report.
std::vector<double> learn_parameters(const GpSearchSpace& space, const GpData& data, FitReport& report, const Run& run);

}  // namespace mercer
