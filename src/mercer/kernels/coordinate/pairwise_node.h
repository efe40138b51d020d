// Kernels that compare two vectors coordinate by coordinate (ℓ₁, χ², min, periodic, products of one-dimensional
// kernels …): there is no GEMM in them. The author writes the value for one row against many: `row` sees one x and a
// block of y's stored column by column, so that the loop over the y's is the inner, vectorised one. Derivatives are
// written for one pair.
#pragma once

#include <span>

#include "mercer/kernels/geometry.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/tile.h"

namespace mercer {

class PairwiseNode : public KernelNode {
 public:
  using KernelNode::KernelNode;

  void request(KernelPreparation& preparation) const override;
  void complete(KernelPreparation& preparation) const override;
  void tile(TileContext<float>& context, MatrixView<float> k) const override;
  void tile(TileContext<double>& context, MatrixView<double> k) const override;
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override;
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override;
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override;
  bool has_input_derivatives() const override { return true; }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override;
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override;

 protected:
  /// k_j = k(x, y_j) for the columns j of `y`, which is d × n: y(c, j) is coordinate c of y_j.
  virtual void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const = 0;
  virtual void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const = 0;
  /// out[p] = ∂k(x, y)/∂θ_p for the continuous parameters.
  virtual void parameter_derivatives(std::span<const double> x, std::span<const double> y, std::span<double> out) const;
  /// dx = ∂k(x, y)/∂x. Kernels are symmetric, so ∂k/∂y at (x, y) is dx at (y, x). Default: throws.
  virtual void input_gradient(std::span<const double> x, std::span<const double> y, std::span<double> dx) const;
  /// mixed(a·d + b) = ∂²k/∂x_a∂y_b. Default: throws.
  virtual void mixed_derivative(std::span<const double> x, std::span<const double> y, std::span<double> mixed) const;
  /// For kernels that are not defined on all of the space: throws DataError naming the first row outside.
  virtual void check_domain(const Prepared& x) const;
  /// Whether only differences x_c − y_c matter. Then `row` and the derivatives see coordinates with the column means of
  /// the reference samples taken off (dense samples), so that what lies far from 0 keeps its digits in single precision.
  virtual bool is_translation_invariant() const { return false; }

 private:
  const GeometryKey& geometry_key() const;
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const;
};

/// Throws DataError naming row and column of the first negative value; `kernel` needs x ≥ 0.
void require_nonnegative(const Prepared& x, std::string_view kernel);
/// For a `kernel` whose formula holds for every x, but that is positive definite for x ≥ 0 only: in complete().
void mark_negative(const KernelPreparation& preparation, std::string_view kernel);

}  // namespace mercer
