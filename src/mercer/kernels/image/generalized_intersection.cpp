#include "mercer/kernels/image/generalized_intersection.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/simd.h"
#include "mercer/kernels/coordinate/coordinate_node.h"
#include "mercer/kernels/image/mapped_rows.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

template <class T>
MERCER_INLINE void add_powers_body(T x, const T* y, T* sum, Index count) {
  for (Index j = 0; j < count; ++j) {
    sum[j] += x < y[j] ? x : y[j];
  }
}
MERCER_CLONES void add_powers(float x, const float* y, float* sum, Index count) { add_powers_body(x, y, sum, count); }
MERCER_CLONES void add_powers(double x, const double* y, double* sum, Index count) {
  add_powers_body(x, y, sum, count);
}

class GeneralizedIntersectionNode final : public CoordinateSumNode<GeneralizedIntersectionNode> {
 public:
  GeneralizedIntersectionNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : CoordinateSumNode(entry, std::move(parameters), std::move(children)),
        beta_(this->parameters().number_or("beta", 0.5)) {}

  Definiteness definiteness() const override { return Definiteness::positive(); }

  void tile(TileContext<float>& context, MatrixView<float> k) const override { fill(context, k); }
  void tile(TileContext<double>& context, MatrixView<double> k) const override { fill(context, k); }

  double slope(std::size_t /*c*/, double x, double y) const {
    // At a tie the mean of both sides.
    const double share = std::abs(x) < std::abs(y) ? 1.0 : std::abs(x) > std::abs(y) ? 0.0 : 0.5;
    return x == 0 ? 0.0 : share * beta_ * std::copysign(std::pow(std::abs(x), beta_ - 1), x);
  }
  double mixed(std::size_t /*c*/, double /*x*/, double /*y*/) const { return 0; }
  void add_parameter_slopes(std::size_t /*c*/, double x, double y, double factor, std::span<double> out) const {
    const double smaller = std::min(std::abs(x), std::abs(y));
    if (smaller > 0) {
      out[0] += factor * std::pow(smaller, beta_) * std::log(smaller);
    }
  }

 protected:
  void row(std::span<const float> x, ConstMatrixView<float> y, std::span<float> k) const override { add(x, y, k); }
  void row(std::span<const double> x, ConstMatrixView<double> y, std::span<double> k) const override { add(x, y, k); }

 private:
  // The powers of the tile's rows and columns once each, then minima alone.
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    const Index d = context.x().samples().columns();
    const auto raise = [beta = static_cast<T>(beta_)](T value) { return std::pow(std::abs(value), beta); };
    std::vector<T> point(d);
    ScratchMatrix<T> block(context.workspace(), d, context.column_count());
    const MatrixView<T> y = block.view();
    for (Index j = 0; j < context.column_count(); ++j) {
      mapped_row<T>(context.y(), context.columns().begin + j, point, raise);
      for (Index c = 0; c < d; ++c) {
        y(c, j) = point[c];
      }
    }
    for (Index i = 0; i < context.row_count(); ++i) {
      mapped_row<T>(context.x(), context.rows().begin + i, point, raise);
      T* const values = k.row_data(i);
      std::fill_n(values, k.columns(), T(0));
      for (Index c = 0; c < d; ++c) {
        const T own = point[c];
        const T* const column = y.row_data(c);
        add_powers(own, column, values, k.columns());
      }
    }
  }

  // The power is monotone: min(|x|^β, |y|^β) = min(|x|, |y|)^β, one power instead of two.
  template <class T>
  void add(std::span<const T> x, ConstMatrixView<T> y, std::span<T> k) const {
    std::fill(k.begin(), k.end(), T(0));
    for (std::size_t c = 0; c < x.size(); ++c) {
      const T* const column = y.row_data(static_cast<Index>(c));
      for (std::size_t j = 0; j < k.size(); ++j) {
        k[j] += std::pow(std::min(std::abs(x[c]), std::abs(column[j])), static_cast<T>(beta_));
      }
    }
  }

  double beta_;
};

}  // namespace

const KernelEntry& generalized_intersection_entry() {
  static const KernelEntry entry{
      .name = "generalized_intersection",
      .formula = "sum_j min(|x_j|^beta, |y_j|^beta)",
      .summary = "histogram intersection of powers, on any vectors",
      .definiteness = "positive definite",
      .parameters = {{.name = "beta", .default_text = "0.5", .meaning = "power of the entries; 1 is intersection"}},
      .make = make_node<GeneralizedIntersectionNode>,
      .examples = {"generalized_intersection(beta=0.7)", "normalize(generalized_intersection(beta=2))"}};
  return entry;
}

}  // namespace mercer
