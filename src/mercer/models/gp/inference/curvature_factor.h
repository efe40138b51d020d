// CurvatureFactor: (K⁻¹ + W)⁻¹ without an inverse of K, for a diagonal W that may have entries of both signs. What all
// approximate engines compute with: R = (K + W⁻¹)⁻¹ = W(I + KW)⁻¹, the posterior variances, ln det(I + KW).
//
// The positive entries W₊ go into B = I + W₊^½KW₊^½ = LLᵀ, whose eigenvalues are at least 1. Negative entries −D on the
// rows N are a correction of rank |N| to that: with P = I − R₊K and Σ₊ = KP,
//
//   R = R₊ − P_N √D C⁻¹ √D P_Nᵀ,   C = I − √D Σ₊_NN √D,   ln det(I + KW) = ln det B + ln det C,
//
// and K⁻¹ + W is positive definite exactly where C is.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/gp/inference/posterior.h"

namespace mercer {

class CurvatureFactor {
 public:
  /// The kernel matrix (its lower triangle is read) must outlive this. Allocates n × n.
  CurvatureFactor(ConstMatrixView<double> kernel, const Run& run);

  /// n³/3 flops, 4n²|N| more where entries are negative. NumericalError where B is not positive definite: K is not.
  void factor(std::span<const double> curvature);

  /// Whether K⁻¹ + W is positive definite. Where it is not, negative entries were taken as 0.
  bool is_proper() const { return proper_; }
  /// The direction in which K⁻¹ + W curves least: δ of α, along which f moves by Kδ, of length 1 in the norm of K⁻¹ + W₊,
  /// with fᵀ(K⁻¹ + W)f = curvature. Below 0 it is no maximum: at a point without slope ψ rises along it, either way.
  struct Softest {
    double curvature = 1;
    std::vector<double> direction = {};  ///< empty where the curvature is above 0.9
  };
  /// About 9|N|³ flops.
  Softest softest() const;
  /// W as it was used.
  const std::vector<double>& curvature() const { return curvature_; }
  double log_determinant() const;
  /// v = R v; O(n²).
  void apply(std::span<double> v) const;
  /// v − R K v: P v, which is K⁻¹ times the posterior mean of a linear term v.
  std::vector<double> project(std::span<const double> v) const;
  /// K v.
  std::vector<double> multiply(std::span<const double> v) const;

  struct Inverse {
    Matrix<double> reduction;       ///< R, both triangles
    std::vector<double> variances;  ///< the diagonal of (K⁻¹ + W)⁻¹
  };
  /// 2n³/3 flops. Uses up the factorisation; give the memory back by recycle() before the next factor().
  Inverse inverse();
  void recycle(Matrix<double> memory) { factor_ = std::move(memory); }

  /// M of GaussianPosterior. Uses up the object.
  std::shared_ptr<const CovarianceReduction> reduction();

 private:
  void add_negative(std::span<const Index> rows);

  ConstMatrixView<double> kernel_;
  Run run_;
  Matrix<double> factor_;
  Matrix<double> correction_;       // |N| × n: C^(−½) √D P_Nᵀ
  Matrix<double> negative_;         // C
  Matrix<double> negative_factor_;  // its Cholesky factor where it is positive; else empty, and
  Matrix<double> rising_;           // |N| × n: √D P_Nᵀ
  std::vector<double> curvature_;
  std::vector<double> roots_;
  double negative_log_determinant_ = 0;
  bool proper_ = true;
};

}  // namespace mercer
