// GlmFamily: what a linear predictor f says about a target y, by its log partition φ,
//
//   loss(y, f) = φ(f) + φ*(y) − yᵀf ≥ 0      (half of the deviance: −ln p(y|f) + ln p(y|best f))
//   mean m(f) = φ'(f),  φ* the convex conjugate of φ
//
//   gaussian      φ = ½f²             m = f                φ* = ½m²
//   logistic      φ = ln(1 + e^f)     m = 1/(1 + e^−f)     φ* = m ln m + (1−m) ln(1−m)      y in [0, 1]
//   poisson       φ = e^f             m = e^f              φ* = m ln m − m                  y ≥ 0
//   multinomial   φ = ln Σ_c e^(f_c)  m_c = e^(f_c − φ)    φ* = Σ_c m_c ln m_c              y: shares, sum 1
//
// The first three treat several outputs one by one, the last all together. The dual of a penalised problem with θ in
// place of w(y − m) is −Σ_i w_i φ*(y_i − θ_i/w_i) + …: one formula for every family. Reference: McCullagh & Nelder
// (1989), Generalized linear models; Wainwright & Jordan (2008) for conjugates of log partitions.
#pragma once

#include <span>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class GlmFamily { gaussian, logistic, poisson, multinomial };
constexpr auto words_of(GlmFamily) {
  return std::array{Word{GlmFamily::gaussian, "gaussian"}, Word{GlmFamily::logistic, "logistic"},
                    Word{GlmFamily::poisson, "poisson"}, Word{GlmFamily::multinomial, "multinomial"}};
}

/// Targets as means: n × outputs; see the table above. Weights are positive; empty: all 1.
struct GlmTargets {
  GlmFamily family = GlmFamily::gaussian;
  ConstMatrixView<double> values;
  std::span<const double> weights = {};

  Index rows() const { return values.rows(); }
  Index outputs() const { return values.columns(); }
  double weight(Index i) const { return weights.empty() ? 1.0 : weights[i]; }
  double total_weight() const;
  /// InvalidArgument for weights that are not positive or not n, DataError for targets that the family does not allow.
  void validate() const;
};

/// Σ_i w_i loss(y_i, f_i).
double glm_loss(const GlmTargets& targets, ConstMatrixView<double> linear);
/// m(f), row by row, in place.
void glm_means(GlmFamily family, MatrixView<double> linear);
/// φ*(m); arguments outside of the domain by rounding count as its nearest point.
double glm_conjugate(GlmFamily family, std::span<const double> mean);
/// An upper bound of the curvature of φ where the mean is m, over all directions: exact for one output.
double glm_curvature(GlmFamily family, std::span<const double> mean);
/// The offsets alone that fit best: m(b) = the mean target (kept off 0 and, for shares, off 1); for shares they sum to 0.
std::vector<double> glm_null_offsets(const GlmTargets& targets);

}  // namespace mercer
