#include "mercer/kernels/image/hellinger.h"

#include <cmath>

#include "mercer/kernels/coordinate/histogram_node.h"
#include "mercer/kernels/image/mapped_rows.h"
#include "mercer/kernels/registry.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

class HellingerNode final : public HistogramSumNode<HellingerNode> {
 public:
  using HistogramSumNode::HistogramSumNode;

  void tile(TileContext<float>& context, MatrixView<float> k) const override { multiply(context, k); }
  void tile(TileContext<double>& context, MatrixView<double> k) const override { multiply(context, k); }

  template <class T>
  static void add_row(T x, const T* y, T* sum, Index count) {
    for (Index j = 0; j < count; ++j) {
      sum[j] += std::sqrt(x) * std::sqrt(y[j]);
    }
  }
  // At 0 the slope is infinite; 0 keeps what is built on it finite.
  double slope(std::size_t /*c*/, double x, double y) const { return x > 0 ? std::sqrt(y / x) / 2 : 0.0; }
  double mixed(std::size_t /*c*/, double x, double y) const { return x > 0 && y > 0 ? 0.25 / std::sqrt(x * y) : 0.0; }

 private:
  // A matrix product of the features √x: one root per coordinate of the tile's rows and columns, not of its pairs.
  template <class T>
  static void multiply(TileContext<T>& context, MatrixView<T> k) {
    const Index d = context.x().samples().columns();
    ScratchMatrix<T> x(context.workspace(), context.row_count(), d);
    ScratchMatrix<T> y(context.workspace(), context.column_count(), d);
    write_roots(context.x(), context.rows(), x.view());
    write_roots(context.y(), context.columns(), y.view());
    gemm(T(1), x.view(), Transpose::no, y.view(), Transpose::yes, T(0), k);
  }
  template <class T>
  static void write_roots(const Prepared& side, IndexRange range, MatrixView<T> out) {
    for (Index i = 0; i < range.size(); ++i) {
      mapped_row<T>(side, range.begin + i, out.row(i), [](T value) { return std::sqrt(value); });
    }
  }
};

}  // namespace

const KernelEntry& hellinger_entry() {
  static const KernelEntry entry{.name = "hellinger",
                                 .aliases = {"bhattacharyya"},
                                 .formula = "sum_j sqrt(x_j y_j)",
                                 .summary = "Hellinger's kernel on histograms, the Bhattacharyya coefficient, x >= 0",
                                 .definiteness = "positive definite for x >= 0",
                                 .input = KernelInput::nonnegative_vectors,
                                 .make = make_node<HellingerNode>,
                                 .examples = {"hellinger()", "normalize(hellinger()[0, 1])"}};
  return entry;
}

}  // namespace mercer
