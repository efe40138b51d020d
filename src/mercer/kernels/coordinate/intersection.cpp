#include "mercer/kernels/coordinate/intersection.h"

#include "mercer/base/simd.h"
#include "mercer/kernels/coordinate/histogram_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

template <class T>
MERCER_INLINE void add_minima_body(T x, const T* y, T* sum, Index count) {
  for (Index j = 0; j < count; ++j) {
    sum[j] += y[j] < x ? y[j] : x;
  }
}
MERCER_CLONES void add_minima(float x, const float* y, float* sum, Index count) { add_minima_body(x, y, sum, count); }
MERCER_CLONES void add_minima(double x, const double* y, double* sum, Index count) {
  add_minima_body(x, y, sum, count);
}

class IntersectionNode final : public HistogramSumNode<IntersectionNode> {
 public:
  using HistogramSumNode::HistogramSumNode;

  template <class T>
  static void add_row(T x, const T* y, T* sum, Index count) {
    add_minima(x, y, sum, count);
  }
  // At a tie the mean of both sides.
  double slope(std::size_t /*c*/, double x, double y) const { return x < y ? 1.0 : x > y ? 0.0 : 0.5; }
  double mixed(std::size_t /*c*/, double /*x*/, double /*y*/) const { return 0; }

  void complete(KernelPreparation& preparation) const override {
    HistogramSumNode::complete(preparation);
    mark_negative(preparation, entry().name);
  }

 protected:
  void check_domain(const Prepared& /*x*/) const override {}  // the smaller of two numbers is defined for all
};

}  // namespace

const KernelEntry& intersection_entry() {
  static const KernelEntry entry{.name = "intersection",
                                 .aliases = {"histogram_intersection", "min"},
                                 .formula = "sum_j min(x_j, y_j)",
                                 .summary = "histogram intersection, x >= 0",
                                 .definiteness = "positive definite for x >= 0, indefinite elsewhere",
                                 .input = KernelInput::nonnegative_vectors,
                                 .make = make_node<IntersectionNode>,
                                 .examples = {"intersection()", "intersection()[0, 1]"}};
  return entry;
}

}  // namespace mercer
