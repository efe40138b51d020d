// The functions of a fitted relevance vector machine: their means as a kernel expansion over the relevance vectors, and
// the normal posterior of their weights, from which the variance of every function at any sample follows,
//
//   f_o(x) ~ N(μ_oᵀφ(x), ‖R_oᵀφ(x)‖²),     φ(x) = (k(z_1, x), …, k(z_c, x), 1),   Σ_o = R_o R_oᵀ
//
// Far from all relevance vectors a kernel that vanishes leaves no variance: the functions of the model are certain there.
#pragma once

#include <memory>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/model.h"
#include "mercer/solvers/relevance/relevance_regression.h"

namespace mercer {

class RelevanceFunctions {
 public:
  /// None yet: only to be loaded or assigned to.
  RelevanceFunctions() = default;
  /// `rows`: which training row a centre is. `roots`: per output centres + 1 rows; none where variances are not known.
  /// InvalidArgument for shapes that do not fit.
  RelevanceFunctions(Expansion mean, std::vector<Index> rows, std::vector<Matrix<double>> roots, const Run& run);

  const Expansion& mean() const { return mean_; }
  const std::vector<Index>& rows() const { return rows_; }
  bool has_variances() const { return !roots_->empty(); }

  /// n × outputs: means and variances of the functions. O(n · centres · M), in batches of bounded memory; every kernel
  /// value is evaluated once.
  PredictiveMoments moments(const Samples& samples, const Run& run) const;
  /// n × M_o: R_oᵀφ(x_i). Times standard normal numbers it is a joint draw of the function's deviation from its mean.
  Matrix<double> deviations(const Samples& samples, Index output, const Run& run) const;

  /// As parts of a model with so many functions.
  void fields(Fields& visit, Index outputs);

 private:
  Matrix<double> kernel_values(const Samples& samples, const Run& run) const;
  Matrix<double> deviations_from(ConstMatrixView<double> kernel_values, Index output, const Run& run) const;

  Expansion mean_;
  std::vector<Index> rows_;
  using Roots = std::vector<Matrix<double>>;
  std::shared_ptr<const Roots> roots_ = std::make_shared<const Roots>();  // immutable: copies share them
  std::shared_ptr<const PreparedKernel> kernel_;
};

/// One fit per output, all on the same basis over `samples`; the o-th function is scales[o] times the fit's, plus
/// offsets[o]. `numbers` are the training rows of the samples. Only samples with weights are centres (all, for kernels
/// that depend on the set of their samples).
RelevanceFunctions relevance_functions(const Kernel& kernel, const Samples& samples, const RelevanceBasis& basis,
                                       const std::vector<Index>& numbers, const std::vector<RelevanceFit>& fits,
                                       const std::vector<double>& scales, const std::vector<double>& offsets,
                                       const Run& run);

}  // namespace mercer
