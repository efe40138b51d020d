// Class densities on discriminant values, and the probabilities that follow by Bayes' rule,
//
//   P(c; x) ∝ π_c exp(−½ ‖q(x) − μ_c‖²_Σc) / |Σ_c|^½       q the values of p directions, π_c the priors
//
// Two classes (one direction) have a variance each, with m_c − 1 as divisor, so that far out the wider class wins; more
// classes share one covariance, with divisor m − k, so that the boundaries are those of linear functions. Logarithms
// throughout: far away the ratio of densities is 0/0. Reference: Schölkopf & Smola (2002), 15.4, (15.23)-(15.28).
#pragma once

#include <span>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/solvers/fisher/fisher.h"

namespace mercer {

class Fields;

class ClassDensities {
 public:
  /// None yet: only to be loaded or assigned to.
  ClassDensities() = default;
  /// `spread`: two classes: 2 × 1 standard deviations; more: the p × p lower Cholesky factor of the common covariance.
  /// `log_priors`: one per class. InvalidArgument where shapes do not fit, numbers are not finite, or a deviation or
  /// diagonal entry is not positive.
  ClassDensities(Matrix<double> means, Matrix<double> spread, std::vector<double> log_priors);

  /// From the values (n × p) of the rows. Deviations have a floor of 1e-3 of the distance between class means; classes of
  /// total weight 1 or less take the common variance. Priors are positive and need not sum to 1.
  static ClassDensities fit(ConstMatrixView<double> values, const ClassRows& rows, std::span<const double> priors,
                            const Run& run);

  Index classes() const { return means_.rows(); }
  Index directions() const { return means_.columns(); }
  const Matrix<double>& means() const { return means_; }
  const Matrix<double>& spread() const { return spread_; }
  std::span<const double> log_priors() const { return log_priors_; }

  /// ln(π_c p(q | c)) up to a constant, for the values q of one sample.
  void log_joint(std::span<const double> values, std::span<double> result) const;
  /// n × classes; rows sum to 1, and no entry is below 1e-12.
  Matrix<double> probabilities(ConstMatrixView<double> values) const;
  /// The class of the nearest mean (Euclidean), the first of several.
  Index nearest_mean(std::span<const double> values) const;
  /// The class of the largest log_joint().
  Index most_probable(std::span<const double> values) const;

  /// As parts of a model with so many classes and functions.
  void fields(Fields& visit, Index classes, Index directions);

 private:
  Matrix<double> means_;
  Matrix<double> spread_;
  std::vector<double> log_priors_;
};

}  // namespace mercer
