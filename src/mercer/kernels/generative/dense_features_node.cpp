#include "mercer/kernels/generative/dense_features_node.h"

#include "mercer/linalg/blas.h"

namespace mercer {

template <>
const Matrix<float>& DenseFeaturesNode::Slot::of<float>() const {
  return single;
}
template <>
const Matrix<double>& DenseFeaturesNode::Slot::of<double>() const {
  return full;
}

std::shared_ptr<const Matrix<double>> DenseFeaturesNode::rotation(ConstMatrixView<double> /*reference*/,
                                                                  const Run& /*run*/) const {
  return nullptr;
}

void DenseFeaturesNode::complete(Preparation& preparation) const {
  auto slot = std::make_shared<Slot>();
  Matrix<double> rows = features(preparation.target().samples(), preparation.run());
  slot->rotation = preparation.reference() ? preparation.reference()->slot<Slot>(*this).rotation
                                           : rotation(rows.view(), preparation.run());
  if (slot->rotation) {
    Matrix<double> turned(rows.rows(), slot->rotation->columns());
    gemm(1.0, rows.view(), Transpose::no, slot->rotation->view(), Transpose::no, 0.0, turned.view());
    rows = std::move(turned);
  }
  if (preparation.target().precision() == Precision::single_precision) {
    slot->single = Matrix<float>(rows.rows(), rows.columns());
    for (Index e = 0; e < rows.rows() * rows.columns(); ++e) {
      slot->single.data()[e] = static_cast<float>(rows.data()[e]);
      rows.data()[e] = static_cast<double>(slot->single.data()[e]);
    }
  }
  for (Index i = 0; i < rows.rows(); ++i) {
    slot->squared_lengths.push_back(dot(rows.view().row(i), rows.view().row(i)));
  }
  if (preparation.target().precision() == Precision::double_precision) {
    slot->full = std::move(rows);
  }
  preparation.keep(*this, slot);
}

void DenseFeaturesNode::diagonal(const Prepared& x, IndexRange range, std::span<double> k) const {
  const std::vector<double>& lengths = x.slot<Slot>(*this).squared_lengths;
  std::copy_n(lengths.begin() + range.begin, range.size(), k.begin());
}

template <class T>
void DenseFeaturesNode::fill(TileContext<T>& context, MatrixView<T> k) const {
  const Matrix<T>& x = context.x().template slot<Slot>(*this).template of<T>();
  const Matrix<T>& y = context.y().template slot<Slot>(*this).template of<T>();
  gemm(T(1), x.view().row_block(context.rows()), Transpose::no, y.view().row_block(context.columns()), Transpose::yes,
       T(0), k);
}
template void DenseFeaturesNode::fill(TileContext<float>&, MatrixView<float>) const;
template void DenseFeaturesNode::fill(TileContext<double>&, MatrixView<double>) const;

}  // namespace mercer
