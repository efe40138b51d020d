#include "mercer/kernels/image/hellinger.h"

#include <cmath>

#include "mercer/base/simd.h"
#include "mercer/kernels/coordinate/histogram_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

template <class T>
MERCER_INLINE void add_geometric_means_body(T x, const T* y, T* sum, Index count) {
  const T root = std::sqrt(x);
  for (Index j = 0; j < count; ++j) {
    sum[j] += root * std::sqrt(y[j]);
  }
}
MERCER_CLONES void add_geometric_means(float x, const float* y, float* sum, Index count) {
  add_geometric_means_body(x, y, sum, count);
}
MERCER_CLONES void add_geometric_means(double x, const double* y, double* sum, Index count) {
  add_geometric_means_body(x, y, sum, count);
}

class HellingerNode final : public HistogramSumNode<HellingerNode> {
 public:
  using HistogramSumNode::HistogramSumNode;

  template <class T>
  static void add_row(T x, const T* y, T* sum, Index count) {
    add_geometric_means(x, y, sum, count);
  }
  // At 0 the slope is infinite; 0 keeps what is built on it finite.
  double slope(std::size_t /*c*/, double x, double y) const { return x > 0 ? std::sqrt(y / x) / 2 : 0.0; }
  double mixed(std::size_t /*c*/, double x, double y) const { return x > 0 && y > 0 ? 0.25 / std::sqrt(x * y) : 0.0; }
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
