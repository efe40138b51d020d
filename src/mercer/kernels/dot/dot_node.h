// Dot-product kernels: k(x, x') = φ(t, a, b) with t = xᵀx', a = ‖x‖², b = ‖x'‖².
//
// A kernel writes its profile over a row of a tile, and for derivatives the partial derivatives of φ at one pair; inner
// products, contractions and input derivatives are done here:
//
//   ∂k/∂x = φ_t x' + 2 φ_a x,   ∂k/∂x' = φ_t x + 2 φ_b x'
//   ∂²k/∂x∂x'ᵀ = φ_t I + x'(φ_tt x + 2 φ_tb x')ᵀ + 2 x(φ_ta x + 2 φ_ab x')ᵀ
#pragma once

#include <span>

#include "mercer/kernels/geometry.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/tile.h"

namespace mercer {

/// Partial derivatives of φ(t, a, b).
struct DotDerivatives {
  double t = 0;
  double a = 0;
  double b = 0;
  double tt = 0;
  double ta = 0;
  double tb = 0;
  double ab = 0;
};

class DotNode : public KernelNode {
 public:
  using KernelNode::KernelNode;

  void request(KernelPreparation& preparation) const override;
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
  /// t_j → φ(t_j, a, b_j), in place, for one row of a tile.
  virtual void profile(std::span<float> t, float a, std::span<const float> b) const = 0;
  virtual void profile(std::span<double> t, double a, std::span<const double> b) const = 0;
  virtual DotDerivatives derivatives(double t, double a, double b) const = 0;
  /// out[p] = ∂φ/∂θ_p for the continuous parameters.
  virtual void parameter_derivatives(double t, double a, double b, std::span<double> out) const;

  /// For kernels that are not defined on all of the space: throws DataError naming the first row outside.
  virtual void check_domain(const Prepared& x) const;

 public:
  void complete(KernelPreparation& preparation) const override;

 private:
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const;
};

/// out(i, j) = x_iᵀx'_j without any centring. The same sample gives exactly its squared length, rounded to T.
template <class T>
void dot_products(TileContext<T>& context, MatrixView<T> out);

/// The geometry that all dot-product kernels of a scope share: plain coordinates.
const GeometryKey& plain_geometry();

}  // namespace mercer
