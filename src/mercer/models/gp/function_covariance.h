// What Gaussian processes know of their function at several samples, as capabilities of models (models/capability.h).
#pragma once

#include <optional>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/capability.h"

namespace mercer {

class JointCovariance : public Capability {
 public:
  /// Of the function between all samples, n × n, for one output.
  virtual Matrix<double> covariance(const Samples& samples, Index output, const Run& run) const = 0;
  /// What was added to the diagonal of its matrix, so that the factorisation goes through; nothing where none is factored.
  virtual std::optional<double> jitter() const = 0;
};

class LatentMean : public Capability {
 public:
  /// Before links and the units of the targets; one output per latent function.
  virtual const Expansion& latent_mean() const = 0;
};

class LatentVariance : public Capability {
 public:
  /// Of the latent function at every sample.
  virtual std::vector<double> latent_variances(const Samples& samples, const Run& run) const = 0;
};

}  // namespace mercer
