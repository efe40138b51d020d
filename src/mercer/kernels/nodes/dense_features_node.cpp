#include "mercer/kernels/nodes/dense_features_node.h"

#include "mercer/base/error.h"
#include "mercer/kernels/narrowed.h"
#include "mercer/linalg/product.h"

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

void DenseFeaturesNode::fit_columns(const Slot& reference, Matrix<double>& rows) const {
  const Index count = reference.feature_count;
  if (reference.squared_lengths.empty() || rows.columns() == count) {
    return;
  }
  if (rows.columns() > 0 && rows.rows() > 0) {
    throw DataError(entry().name + ": the samples have other columns than the training samples: " +
                    std::to_string(rows.columns()) + " features instead of " + std::to_string(count));
  }
  rows = Matrix<double>::filled(rows.rows(), count, 0.0);  // bags that are all empty do not know their columns
}

void DenseFeaturesNode::complete(KernelPreparation& preparation) const {
  auto slot = std::make_shared<Slot>();
  Matrix<double> rows = features(preparation);
  if (preparation.reference()) {
    fit_columns(preparation.reference()->slot<Slot>(*this), rows);
  }
  if (depends_on_reference()) {
    slot->reference = preparation.reference();
  }
  slot->feature_count = rows.columns();
  slot->rotation = preparation.reference() ? preparation.reference()->slot<Slot>(*this).rotation
                                           : rotation(rows.view(), preparation.run());
  if (slot->rotation) {
    Matrix<double> turned(rows.rows(), slot->rotation->columns());
    parallel_gemm<double>(1.0, rows.view(), Transpose::no, slot->rotation->view(), Transpose::no, 0.0, turned.view(),
                          preparation.run());
    rows = std::move(turned);
  }
  const bool is_single = preparation.target().precision() == Precision::single_precision && !computes_in_double();
  if (is_single) {
    slot->single = Matrix<float>(rows.rows(), rows.columns());
    for (Index e = 0; e < rows.rows() * rows.columns(); ++e) {
      slot->single.data()[e] = static_cast<float>(rows.data()[e]);
      rows.data()[e] = static_cast<double>(slot->single.data()[e]);
    }
  }
  for (Index i = 0; i < rows.rows(); ++i) {
    const double length = dot(rows.view().row(i), rows.view().row(i));
    slot->squared_lengths.push_back(length);
    if (is_single) {
      narrowed<float>(length, *this, i, i);  // k(x, y)² ≤ k(x, x) k(y, y): where the diagonal is in range, all is
    }
  }
  if (!is_single) {
    slot->full = std::move(rows);
  }
  preparation.keep(*this, slot);
}

ConstMatrixView<double> DenseFeaturesNode::kept_features(const Prepared& x) const {
  return x.slot<Slot>(*this).full.view();
}

const Prepared& DenseFeaturesNode::reference_of(const Prepared& x) const {
  const Slot& slot = x.slot<Slot>(*this);
  return slot.reference ? *slot.reference : x;
}

void DenseFeaturesNode::diagonal(const Prepared& x, IndexRange range, std::span<double> k) const {
  const std::vector<double>& lengths = x.slot<Slot>(*this).squared_lengths;
  std::copy_n(lengths.begin() + range.begin, range.size(), k.begin());
}

template <class T>
void DenseFeaturesNode::multiply(const Slot& x, IndexRange rows, const Slot& y, IndexRange columns, MatrixView<T> k) {
  gemm(T(1), x.of<T>().view().row_block(rows), Transpose::no, y.of<T>().view().row_block(columns), Transpose::yes, T(0),
       k);
}

template <class T>
void DenseFeaturesNode::fill(TileContext<T>& context, MatrixView<T> k) const {
  const Slot& x = context.x().template slot<Slot>(*this);
  const Slot& y = context.y().template slot<Slot>(*this);
  if constexpr (std::is_same_v<T, float>) {
    if (computes_in_double()) {
      ScratchMatrix<double> block(context.workspace(), k.rows(), k.columns());
      const MatrixView<double> sums = block.view();
      multiply<double>(x, context.rows(), y, context.columns(), sums);
      for (Index i = 0; i < k.rows(); ++i) {
        for (Index j = 0; j < k.columns(); ++j) {
          k(i, j) = narrowed<T>(sums(i, j), *this, context.rows().begin + i, context.columns().begin + j);
        }
      }
      return;
    }
  }
  multiply<T>(x, context.rows(), y, context.columns(), k);
}
template void DenseFeaturesNode::fill(TileContext<float>&, MatrixView<float>) const;
template void DenseFeaturesNode::fill(TileContext<double>&, MatrixView<double>) const;

}  // namespace mercer
