#include "mercer/kernels/coordinate/spline.h"

#include <algorithm>
#include <cmath>

#include "mercer/kernels/coordinate/coordinate_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class SplineNode final : public CoordinateProductNode<SplineNode> {
 public:
  using CoordinateProductNode::CoordinateProductNode;
  Definiteness definiteness() const override {
    Definiteness result;
    result.domain.nonnegative = true;
    return result;
  }

  double value(std::size_t /*c*/, double x, double y) const {
    const double low = std::min(x, y);
    return 1 + x * y + low * low * (std::abs(x - y) / 2 + low / 3);
  }
  double slope(std::size_t /*c*/, double x, double y) const { return x < y ? y + x * (y - x / 2) : y + y * y / 2; }
  double mixed(std::size_t /*c*/, double x, double y) const { return 1 + std::min(x, y); }

  void complete(KernelPreparation& preparation) const override {
    CoordinateProductNode::complete(preparation);
    mark_negative(preparation, entry().name);
  }
};

}  // namespace

const KernelEntry& spline_entry() {
  static const KernelEntry entry{.name = "spline",
                                 .aliases = {"splinedot"},
                                 .formula = "prod_j (1 + x_j y_j + min^2 |x_j-y_j|/2 + min^3/3)",
                                 .summary = "linear splines with infinitely many knots, x >= 0",
                                 .definiteness = "positive definite for x >= 0, indefinite elsewhere",
                                 .input = KernelInput::nonnegative_vectors,
                                 .make = make_node<SplineNode>,
                                 .examples = {"spline()", "spline()[2]"}};
  return entry;
}

}  // namespace mercer
