// k₁ · k₂ · …, entry by entry (Schur product). Children are multiplied one by one; the contraction of child c gets
// q ∘ Π_{e≠c} k_e.
#pragma once

#include "mercer/kernels/algebra/composite_node.h"

namespace mercer {

const KernelEntry& product_entry();

class ProductNode final : public TemplatedTile<ProductNode> {
 public:
  using TemplatedTile::TemplatedTile;

  std::string spec() const override;
  Definiteness definiteness() const override;
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override;
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override;
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override;
  bool has_input_derivatives() const override { return children_have_input_derivatives(*this); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override;
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override;

 private:
  friend TemplatedTile;
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const;
  /// rest = q ∘ Π_{e≠c} k_e
  void others(TileContext<double>& context, std::size_t c, ConstMatrixView<double> q, MatrixView<double> rest) const;
};

}  // namespace mercer
