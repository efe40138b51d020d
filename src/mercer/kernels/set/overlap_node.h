// Kernels of the overlap of two sets: k = φ(s, a, b) with s = |A∩B|, a = |A|, b = |B|. Where a kernel takes vectors, too,
// s = xᵀy, a = ‖x‖², b = ‖y‖²: the same numbers for the indicator vectors of sets.
//
// Overlaps are a sparse product (kernels/keyed_rows.h): n sets cost their total size, and a pair what it shares. Overlaps
// of vectors are one GEMM per tile.
#pragma once

#include "mercer/kernels/nodes/composite_node.h"

namespace mercer {

class OverlapNode : public TemplatedTile<OverlapNode> {
 public:
  using TemplatedTile::TemplatedTile;

  Definiteness definiteness() const override { return Definiteness::positive(); }
  void request(KernelPreparation& preparation) const override;
  void complete(KernelPreparation& preparation) const override;
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override;
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override;
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override;
  bool has_input_derivatives() const override { return false; }

 protected:
  /// s_j → φ(s_j, a, b_j), in place, for one row of a tile; finite for all sizes that check_sizes() has passed.
  virtual void profile(std::span<double> s, double a, const double* b) const = 0;
  virtual bool takes_vectors() const { return true; }
  /// Throws where sets of this size have no kernel value in this precision.
  virtual void check_sizes(double /*largest*/, Precision /*precision*/) const {}

 private:
  friend TemplatedTile;
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const;
};

}  // namespace mercer
