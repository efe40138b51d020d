// Rows of a geometry as a dense block, for the few computations that need coordinates: contractions over columns and
// derivatives by the inputs. A view where the geometry is dense, a copy in scratch memory where it is sparse.
#pragma once

#include "mercer/kernels/geometry.h"
#include "mercer/linalg/scratch_matrix.h"

namespace mercer {

class DenseBlock {
 public:
  DenseBlock(const Geometry<double>& geometry, IndexRange range, Workspace& workspace)
      : copy_(workspace, geometry.is_sparse() ? range.size() : 0, geometry.dimension()) {
    if (!geometry.is_sparse()) {
      view_ = geometry.rows().row_block(range);
      return;
    }
    const MatrixView<double> copy = copy_.view();
    for (Index i = 0; i < range.size(); ++i) {
      geometry.dense_row(range.begin + i, copy.row(i));
    }
    view_ = copy;
  }
  ConstMatrixView<double> view() const { return view_; }

 private:
  ScratchMatrix<double> copy_;
  ConstMatrixView<double> view_;
};

}  // namespace mercer
