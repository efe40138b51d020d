#include "mercer/kernels/image/jensen_shannon.h"

#include <cmath>
#include <numbers>

#include "mercer/kernels/coordinate/histogram_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// ½ x log₂((x + y)/x), 0 for x = 0.
double half_term(double x, double y) { return x > 0 ? x / 2 * std::log2(1 + y / x) : 0.0; }

class JensenShannonNode final : public HistogramSumNode<JensenShannonNode> {
 public:
  using HistogramSumNode::HistogramSumNode;

  template <class T>
  static void add_row(T x, const T* y, T* sum, Index count) {
    for (Index j = 0; j < count; ++j) {
      const auto a = static_cast<double>(x);
      const auto b = static_cast<double>(y[j]);
      sum[j] += static_cast<T>(half_term(a, b) + half_term(b, a));
    }
  }
  // ½ log₂((x + y)/x): the other terms cancel. Infinite at x = 0; 0 keeps what is built on it finite.
  double slope(std::size_t /*c*/, double x, double y) const { return x > 0 ? std::log2(1 + y / x) / 2 : 0.0; }
  double mixed(std::size_t /*c*/, double x, double y) const {
    return x + y > 0 ? std::numbers::log2e / (2 * (x + y)) : 0.0;
  }
};

}  // namespace

const KernelEntry& jensen_shannon_entry() {
  static const KernelEntry entry{.name = "jensen_shannon",
                                 .formula = "sum_j (x_j log2((x_j+y_j)/x_j) + y_j log2((x_j+y_j)/y_j)) / 2",
                                 .summary = "1 - the Jensen-Shannon divergence of histograms, x >= 0",
                                 .definiteness = "positive definite for x >= 0",
                                 .input = KernelInput::nonnegative_vectors,
                                 .make = make_node<JensenShannonNode>,
                                 .examples = {"jensen_shannon()", "normalize(jensen_shannon()[1, 2])"}};
  return entry;
}

}  // namespace mercer
