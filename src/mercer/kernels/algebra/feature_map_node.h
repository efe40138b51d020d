// Kernels that are inner products of explicit features, k(x, y) = ⟨Φ(x), Φ(y)⟩. Spec C10. Features are computed once per
// sample set and kept (samples × features numbers); tiles are matrix products.
#pragma once

#include "mercer/kernels/algebra/composite_node.h"

namespace mercer {

class FeatureMapNode : public TemplatedTile<FeatureMapNode> {
 public:
  using TemplatedTile::TemplatedTile;

  Definiteness definiteness() const override { return Definiteness::positive(); }
  void request(Preparation& preparation) const override;
  void complete(Preparation& preparation) const override;
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override;
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override;
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override;

 protected:
  /// The features of points with so many coordinates; called once per sample set.
  virtual std::function<void(std::span<const double> x, std::span<double> features)> feature_map(
      Index columns) const = 0;
  virtual Index feature_count(Index columns) const = 0;

 private:
  friend TemplatedTile;
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const;
};

}  // namespace mercer
