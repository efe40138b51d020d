#include "mercer/kernels/algebra/version_space.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <type_traits>

#include "mercer/kernels/algebra/normalize.h"
#include "mercer/kernels/nodes/mapped_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// (2/π) asin of a kernel whose values are cosines.
class ArcsineNode final : public MappedNode {
 public:
  using MappedNode::MappedNode;
  Definiteness definiteness() const override { return child(0).definiteness(); }

 protected:
  void map(std::span<float> v) const override { map_any(v); }
  void map(std::span<double> v) const override { map_any(v); }
  // Of a sample with itself, whatever the parameters, the angle is 0.
  double slope(double v) const override {
    return is_parallel(v) ? 0.0 : 2 / std::numbers::pi / std::sqrt((1 - v) * (1 + v));
  }
  double curvature(double v) const override { return is_parallel(v) ? 0.0 : slope(v) * v / ((1 - v) * (1 + v)); }

 private:
  template <class T>
  static bool is_parallel(T cosine) {
    constexpr T units = std::is_same_v<T, float> ? 4 : 64;  // in the last place, that rounding of k may take
    return 1 - std::abs(cosine) <= units * std::numeric_limits<T>::epsilon();
  }

  template <class T>
  static void map_any(std::span<T> v) {
    for (T& value : v) {
      const double cosine =
          is_parallel(value) ? std::copysign(1.0, static_cast<double>(value)) : static_cast<double>(value);
      value = static_cast<T>(2 / std::numbers::pi * std::asin(std::clamp(cosine, -1.0, 1.0)));
    }
  }
};

// Prints as version_space(k), and is the arcsine of normalize(k).
class VersionSpaceNode final : public KernelNode {
 public:
  VersionSpaceNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> kernels)
      : KernelNode(entry, std::move(parameters), std::move(kernels)),
        arcsine_(entry, {}, {make_kernel(normalize_entry(), {}, {children()[0]})}) {}

  Definiteness definiteness() const override { return arcsine_.definiteness(); }
  void request(KernelPreparation& preparation) const override { arcsine_.request(preparation); }
  void complete(KernelPreparation& preparation) const override { arcsine_.complete(preparation); }
  void tile(TileContext<float>& context, MatrixView<float> k) const override { arcsine_.tile(context, k); }
  void tile(TileContext<double>& context, MatrixView<double> k) const override { arcsine_.tile(context, k); }
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    arcsine_.diagonal(x, range, k);
  }
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    arcsine_.contract(context, q, gradient);
  }
  void contract_diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<const double> /*q*/,
                         std::span<double> /*gradient*/) const override {}
  bool has_input_derivatives() const override { return arcsine_.has_input_derivatives(); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override {
    arcsine_.contract_inputs(context, q, dx);
  }
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    arcsine_.pair_derivatives(context, out);
  }

 private:
  ArcsineNode arcsine_;
};

}  // namespace

const KernelEntry& version_space_entry() {
  static const KernelEntry entry{
      .name = "version_space",
      .aliases = {},
      .formula = "1 - 2 angle/pi, angle = arccos(k(x,y) / sqrt(k(x,x) k(y,y))); 0 where k(x,x) = 0",
      .summary =
          "how much more often than not a random hyperplane of the feature space has two samples on the same side",
      .definiteness = "positive if k is",
      .input = KernelInput::any,
      .fewest_children = 1,
      .most_children = 1,
      .make = make_node<VersionSpaceNode>,
      .examples = {"version_space(poly(degree=2, gamma=0.5, coef0=1))", "version_space(linear() + 0.5*rbf(gamma=0.4))",
                   "version_space(linear())"}};
  return entry;
}

}  // namespace mercer
