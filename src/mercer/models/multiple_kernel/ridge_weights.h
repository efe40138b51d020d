// Kernel ridge regression as a function of the weights of a sum of kernels (solvers/convex/kernel_weights.h): all outputs share
// one set of weights,
//
//   J(d) = min Σ_o Σ_i w_i (y_io − f_o(x_i) − b_o)² + λ Σ_o ‖f_o‖²_d = Σ_o λ y_oᵀα_o      (K_d + λW⁻¹)α + b1 = y, 1ᵀα = 0
//   L = Σ_o 2λ y_oᵀα_o − λ² Σ_i α_io²/w_i,    q_k = 2λ Σ_o α_oᵀK_kα_o
//   ∂²J/∂d_k∂d_l = 2λ Σ_o (K_kα_o)ᵀ P (K_lα_o)     P: (K_d + λW⁻¹)⁻¹ on what sums to 0
#pragma once

#include <span>
#include <vector>

#include "mercer/models/multiple_kernel/summands.h"
#include "mercer/solvers/convex/kernel_weights.h"

namespace mercer {

enum class RidgeOffset { none, fitted };

class RidgeWeights final : public WeightProblem {
 public:
  /// Targets n × outputs, all of about the same variance; row_weights empty: all 1; λ > 0. The matrices of `grams` are
  /// centred where there is an offset.
  RidgeWeights(const SummandGrams& grams, Matrix<double> targets, std::span<const double> row_weights, double lambda,
               RidgeOffset offset);

  /// n³/3 operations. NumericalError where K_d + λW⁻¹ is numerically singular.
  WeightEvaluation evaluate(std::span<const double> weights, const Run& run) override;
  /// 2n² operations per kernel and output: the factor is kept.
  Matrix<double> curvature(const Run& run) override;

 private:
  void factorize(std::span<const double> weights, const Run& run);
  /// b ← P b; the offsets are given back.
  std::vector<double> project_solve(MatrixView<double> sides, const Run& run) const;

  const SummandGrams& grams_;
  Matrix<double> targets_;
  std::vector<double> row_weights_;
  double lambda_;
  RidgeOffset offset_;
  Matrix<double> factor_;              // of K_d + λW⁻¹
  std::vector<Matrix<double>> terms_;  // s_k K_k α, per kernel
};

}  // namespace mercer
