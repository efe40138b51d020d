// Kernels that are a function of another kernel's value: k(x, y) = g(k₁(x, y)): c·k, k^p, exp(k), polynomials, …
// The author writes g over a row, g' and g'' at a value; tiles, contractions and input derivatives follow.
#pragma once

#include "mercer/kernels/nodes/composite_node.h"

namespace mercer {

class MappedNode : public KernelNode {
 public:
  using KernelNode::KernelNode;

  void tile(TileContext<float>& context, MatrixView<float> k) const override;
  void tile(TileContext<double>& context, MatrixView<double> k) const override;
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override;
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override;
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override;
  bool has_input_derivatives() const override { return child(0).has_input_derivatives(); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override;
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override;

 protected:
  /// v → g(v), in place.
  virtual void map(std::span<float> v) const = 0;
  virtual void map(std::span<double> v) const = 0;
  virtual double slope(double v) const = 0;      ///< g'(v)
  virtual double curvature(double v) const = 0;  ///< g''(v)
  /// out[p] = ∂g(v)/∂θ_p for this node's own continuous parameters; default: it has none.
  virtual void parameter_slopes(double v, std::span<double> out) const;

 private:
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const;
};

}  // namespace mercer
