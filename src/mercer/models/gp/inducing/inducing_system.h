// The linear algebra under Gaussian processes with inducing points: K_uu = L L', V = L^-1 K_uf, and the m x m matrix
// B = 1 + V Λ^-1 V' whose factor gives means, variances and evidences in O(n m²).
//
//   subset of regressors    prior covariance Q = V'V,                Λ = noise
//   FITC                    Q with the true diagonal,                Λ = noise + diag(K - Q)
//   variational bound       Q, and the trace term -½ Σ (K - Q)_ii / noise_i in the evidence,   Λ = noise
//
// A row of weight w is w equal rows: its entry of Λ, and of the noise in the trace term, is divided by w, and the evidence
// has the factors of the copies (models/gp/inference/gp_data.h), so that ln|2πΛ| counts w times without the division.
//
// Quiñonero-Candela & Rasmussen (2005); Snelson & Ghahramani (2006); Titsias (2009). Schölkopf & Smola (2002), 16.4.1:
// Q is the low-rank matrix of problem 16.15.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class InducingMethod { subset_of_regressors, fitc, variational };
std::string_view to_string(InducingMethod method);

struct InducingProblem {
  Kernel kernel;                    ///< widths are numbers
  Samples samples;                  ///< n training samples
  Samples inducing;                 ///< m samples, mostly samples.select(rows); repetitions are allowed
  ConstMatrixView<double> targets;  ///< n × outputs; the caller keeps them
  std::vector<double> noise;        ///< variance per sample, or one for all; positive
  InducingMethod method = InducingMethod::variational;
  std::vector<double> weights = {};  ///< per sample, positive; empty: 1
  double jitter = 1e-10;  ///< added to the diagonal of K_uu, relative to its mean; ten times more until it factors

  /// Throws InvalidArgument for shapes and numbers that do not fit.
  void validate() const;
};

/// Everything that posterior and evidence have in common.
class InducingSystem {
 public:
  /// Whether V is kept (n × m numbers): gradients need it, posteriors do not.
  enum class Keep { nothing, v };
  InducingSystem(const InducingProblem& problem, Keep keep, const Run& run);

  Index size() const { return cross_.rows(); }
  Index inducing() const { return cross_.columns(); }
  Index outputs() const { return y_.columns(); }

  const CrossGram<double>& cross() const { return cross_; }              ///< k(x_i, u_j), n × m
  ConstMatrixView<double> kernel_factor() const { return luu_.view(); }  ///< L, lower
  ConstMatrixView<double> factor() const { return lb_.view(); }          ///< of B, lower
  ConstMatrixView<double> whitened() const { return b_.view(); }         ///< B^-1 V Λ^-1 Y, m × outputs
  MatrixView<double> stored_v() { return v_.view(); }                    ///< V', n × m, where it was kept
  std::span<const double> lambda() const { return lambda_; }             ///< Λ
  std::span<const double> noise() const { return noise_; }               ///< per sample, of one copy
  std::span<const double> weights() const { return weights_; }           ///< per sample
  std::span<const double> residual() const { return residual_; }         ///< (K - Q)_ii, at least 0
  ConstMatrixView<double> targets() const { return y_; }
  double relative_jitter() const { return relative_jitter_; }
  double jitter() const { return jitter_; }  ///< what was added to every diagonal entry of K_uu

  /// Of all outputs together; for the variational method its lower bound.
  double log_evidence() const { return log_evidence_; }
  /// L^-T X.
  Matrix<double> unwhitened(ConstMatrixView<double> x, const Run& run) const;

 private:
  void factor_kernel(const InducingProblem& problem, const Run& run);
  void accumulate(InducingMethod method, Keep keep, const Run& run);
  void solve(InducingMethod method, const Run& run);

  CrossGram<double> cross_;
  ConstMatrixView<double> y_;
  std::vector<double> noise_, weights_, lambda_, residual_;
  Matrix<double> luu_, lb_, v_, b_;
  double relative_jitter_ = 0;
  double jitter_ = 0;
  double log_evidence_ = 0;
};

}  // namespace mercer
