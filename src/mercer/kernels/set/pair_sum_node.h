// K(x, y) = Σ_s Σ_t c_s c_t k(s, t) over the parts s of x and t of y, c the coefficients of the split: mean embeddings of
// bags, R-convolutions. Positive where k is, whatever the coefficients: it is the inner product of Σ_s c_s Φ(s).
#pragma once

#include "mercer/kernels/set/parts_node.h"

namespace mercer {

class PairSumNode : public PartsNode {
 public:
  using PartsNode::PartsNode;

 protected:
  void values(const Owners& x, IndexRange rows, const Owners& y, IndexRange columns, Workspace& workspace,
              Precision precision, MatrixView<double> out) const override;
  void add_gradient(const Owners& x, IndexRange rows, const Owners& y, IndexRange columns, ConstMatrixView<double> q,
                    Workspace& workspace, std::span<double> gradient) const override;
};

}  // namespace mercer
