// GaussianPosterior: what a Gaussian process knows after the data, whatever the way it was found. Mean and covariance
// of the latent function,
//
//   m(x)     = Σ_i α_i k(z_i, x) + βᵀψ(x)
//   Σ(x, x') = k(x, x') − k(x)ᵀ M k(x') + r(x)ᵀ S⁻¹ r(x'),    r(x) = h(x) − Uᵀ k(x)
//
// with k(x) the kernel values to the centres z. M is what observing takes away: (K + noise)⁻¹ for exact regression,
// W^½B⁻¹W^½ for Laplace's approximation, K_uu⁻¹ − A⁻¹ for inducing points. The last term is the uncertainty of the
// parametric functions, integrated out under a flat prior: h = Bᵀψ are combinations of them that are orthonormal on the
// training samples, H their values there, U = MH, S = HᵀMH (Rasmussen & Williams (2006), 2.7).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/expansion/expansion.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// k(x)ᵀ M k(x'), however M is kept.
class CovarianceReduction {
 public:
  CovarianceReduction() = default;
  virtual ~CovarianceReduction() = default;
  CovarianceReduction(const CovarianceReduction&) = delete;
  CovarianceReduction& operator=(const CovarianceReduction&) = delete;
  CovarianceReduction(CovarianceReduction&&) = delete;
  CovarianceReduction& operator=(CovarianceReduction&&) = delete;

  /// out_i = k_iᵀ M k_i for the rows k_i of k (batch × centres), which may be overwritten.
  virtual void diagonal(MatrixView<double> k, std::span<double> out, const Run& run) const = 0;
  /// out = k M kᵀ, batch × batch, both triangles. k may be overwritten.
  virtual void full(MatrixView<double> k, MatrixView<double> out, const Run& run) const = 0;
};

/// M = Σ_t sign_t · D_t L_t⁻ᵀ L_t⁻¹ D_t with lower triangular L_t and diagonal D_t.
class TriangularReduction final : public CovarianceReduction {
 public:
  struct Term {
    Matrix<double> factor;           ///< L, of which the lower triangle is read
    std::vector<double> scale = {};  ///< the diagonal of D; empty: ones
    double sign = 1;
  };
  explicit TriangularReduction(std::vector<Term> terms) : terms_(std::move(terms)) {}

  void diagonal(MatrixView<double> k, std::span<double> out, const Run& run) const override;
  void full(MatrixView<double> k, MatrixView<double> out, const Run& run) const override;

  std::span<const Term> terms() const { return terms_; }

 private:
  std::vector<Term> terms_;
};

/// M stored as a symmetric matrix: for approximations whose M has no triangular form (curvatures of both signs).
class DenseReduction final : public CovarianceReduction {
 public:
  /// The lower triangle is read.
  explicit DenseReduction(Matrix<double> m) : m_(std::move(m)) {}

  void diagonal(MatrixView<double> k, std::span<double> out, const Run& run) const override;
  void full(MatrixView<double> k, MatrixView<double> out, const Run& run) const override;

 private:
  Matrix<double> m_;
};

/// The uncertainty of parametric functions that were integrated out; empty (no columns) where there are none.
struct ParametricUncertainty {
  Matrix<double> u = {};       ///< centres × p
  Matrix<double> basis = {};   ///< functions × p: B
  Matrix<double> factor = {};  ///< p × p: the Cholesky factor of S
};

/// Whether the prior's own k(x, x') is part of the covariance: not so for the degenerate prior of a subset of
/// regressors, where Σ = −k M k with a negative M.
enum class PriorCovariance { included, left_out };

class GaussianPosterior {
 public:
  /// The reduction is over `variance_centers`, or over the centres of the mean where these are not given.
  GaussianPosterior(Expansion mean, std::shared_ptr<const CovarianceReduction> reduction,
                    ParametricUncertainty parametric, PriorCovariance prior,
                    const std::optional<Samples>& variance_centers, const Run& run);

  const Expansion& mean() const { return mean_; }
  const Samples& variance_centers() const { return variance_centers_; }
  const ParametricUncertainty& parametric() const { return parametric_; }

  /// Means, n × outputs: O(n · centres).
  void means(const Samples& samples, MatrixView<double> out, const Run& run) const;
  /// Means, and variances of the function, the same for every output, clamped at 0. O(n · centres²) for triangular forms,
  /// in batches of about 64 MB. Every kernel value is evaluated once where the means are of the same centres.
  void moments(const Samples& samples, MatrixView<double> means, std::span<double> variances, const Run& run) const;
  /// n × n, both triangles.
  Matrix<double> covariance(const Samples& samples, const Run& run) const;

 private:
  /// Of samples with these kernel values, which are used up.
  void fill_variances(const Samples& samples, const Prepared& prepared, MatrixView<double> k, std::span<double> out,
                      const Run& run) const;
  Matrix<double> parametric_rests(const Samples& samples, ConstMatrixView<double> k, const Run& run) const;

  Expansion mean_;
  Samples variance_centers_;
  bool shares_centers_;                           // of the means and the variances
  std::shared_ptr<const PreparedKernel> kernel_;  // double, whatever the mean is evaluated in
  std::shared_ptr<const CovarianceReduction> reduction_;
  ParametricUncertainty parametric_;
  PriorCovariance prior_;
};

}  // namespace mercer
