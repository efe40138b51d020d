// ScratchMatrix: a matrix whose memory is borrowed from a Workspace until the end of scope.
#pragma once

#include "mercer/base/workspace.h"
#include "mercer/linalg/view.h"

namespace mercer {

template <class T>
class ScratchMatrix {
 public:
  ScratchMatrix(Workspace& workspace, Index rows, Index columns)
      : block_(workspace, rows * columns), rows_(rows), columns_(columns) {}
  MatrixView<T> view() { return {block_.data(), rows_, columns_}; }

 private:
  Workspace::Block<T> block_;
  Index rows_;
  Index columns_;
};

}  // namespace mercer
