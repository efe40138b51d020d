// SoftmaxPosterior: what a Gaussian process classifier for several classes knows after the data: one latent mean per
// class, their joint covariance, and class probabilities averaged over both. The covariance's large factors are made
// when a probability is first asked for.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/gp/softmax/softmax_laplace.h"

namespace mercer {

class SoftmaxPosterior {
 public:
  /// What the covariance is made from: the training rows' classes and weights (empty: all 1), and the latent values at
  /// the mode, rows × classes.
  struct Rows {
    std::vector<std::int32_t> classes;
    std::vector<double> weights;
    Matrix<double> latent;
  };
  /// The rows must outlive it.
  SoftmaxPosterior(Expansion mean, const Rows& rows, const Run& run);

  /// n × classes. classes · centres² flops per sample, in batches of bounded memory.
  Matrix<double> probabilities(const Samples& samples, const Run& run) const;

 private:
  const SoftmaxReduction& reduction(const Run& run) const;

  Expansion mean_;
  const Rows& rows_;
  std::shared_ptr<const PreparedKernel> kernel_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const SoftmaxReduction> reduction_;
};

}  // namespace mercer
