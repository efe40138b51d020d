// k(σ(x), σ(y)): a kernel on transformed numeric columns (spec C8). The child sees a scope of its own whose numeric
// columns are σ(x), computed once per sample set; other columns of a table pass unchanged. Derivatives by the inputs go
// back through the Jacobian of σ.
#pragma once

#include "mercer/kernels/nodes/composite_node.h"

namespace mercer {

class TransformedNode : public KernelNode {
 public:
  TransformedNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children);

  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override;
  void request(KernelPreparation& preparation) const override;
  void complete(KernelPreparation& preparation) const override;
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
  /// Columns of σ(x), given those of x; throws InvalidArgument where they do not fit.
  virtual Index output_columns(Index columns) const = 0;
  /// z = σ(x); `row` is for messages of DataError.
  virtual void map(std::span<const double> x, std::span<double> z, Index row) const = 0;
  /// dx += Jᵀ dz, J = ∂σ/∂x.
  virtual void pull_back(std::span<const double> x, std::span<const double> dz, std::span<double> dx) const = 0;
  /// Whether σ acts on every number alone and σ(0) = 0: sparse samples then stay sparse.
  virtual bool keeps_zeros() const { return false; }

 private:
  Samples transformed(const Samples& all) const;
  Samples transformed_numeric(const Samples& samples) const;
  template <class T>
  Samples transformed_sparse(const SparseRows<T>& rows) const;
  KernelPreparation enter(const KernelPreparation& outer) const;

  std::string key_;
};

}  // namespace mercer
