#include "mercer/kernels/radial/ball_spline.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/data_dimension.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/ball_profile.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

constexpr int largest_order = 15;
constexpr Index largest_dimension = 100;  // of orders above 1

int checked_order(const KernelEntry& entry, const ParameterList& parameters) {
  const double order = parameters.number_or("order", 1);
  if (order > largest_order || std::fmod(order, 2) != 1) {
    reject_argument(entry.name + ": order", order, "an odd number from 1 to " + std::to_string(largest_order));
  }
  return static_cast<int>(order);
}

// φ(u), u = (r/ℓ)²
class BallSplineNode final : public RadialNode {
 public:
  BallSplineNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : BallSplineNode(entry, std::move(parameters), std::move(children), nullptr) {}
  /// With the profile of another node, if that is of the same order and dimension.
  BallSplineNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children,
                 const BallSplineNode* other)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0),
        order_(checked_order(entry, this->parameters())),
        dimension_(given_dimension(*this)) {
    if (order_ > 1 && dimension_ > largest_dimension) {
      throw InvalidArgument(entry.name + ": order = " + std::to_string(order_) + " in " + std::to_string(dimension_) +
                            " dimensions: orders above 1 are for at most " + std::to_string(largest_dimension) +
                            "; give order=1, or choose columns with a subscript");
    }
    if (other != nullptr && other->order_ == order_ && other->dimension_ == dimension_) {
      profile_ = other->profile_;
    } else if (dimension_ > 0) {
      profile_ = make_ball_profile(order_, dimension_);
    }
  }

  // Fits move the width many times: the profile is made once.
  std::shared_ptr<const KernelNode> rebuilt(ParameterList parameters, std::vector<Kernel> children) const override {
    return std::make_shared<const BallSplineNode>(entry(), std::move(parameters), std::move(children), this);
  }

  Definiteness definiteness() const override {
    Definiteness result;
    result.domain.largest_dimension = dimension_;
    return result;
  }
  std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const override {
    if (needs_data_dimension(*this)) {
      return with_data_dimension(*this, all.samples)->resolved(all, run);
    }
    // The kernel widens with the root of the number of balls.
    return with_stretched_width(*this, KernelNode::resolved(all, run), 2 * std::sqrt(2.0 / (order_ + 1)));
  }

 protected:
  void profile(std::span<float> u) const override {
    map_each(u, [this](float v) { return static_cast<float>(profile_->value(static_cast<double>(v))); });
  }
  void profile(std::span<double> u) const override {
    map_each(u, [this](double v) { return profile_->value(v); });
  }
  void first_derivative(std::span<double> u) const override {
    map_each(u, [this](double v) { return profile_->first(v); });
  }
  void second_derivative(std::span<double> u) const override {
    map_each(u, [this](double v) { return profile_->second(v); });
  }

 private:
  int order_;
  Index dimension_;
  std::shared_ptr<const BallProfile> profile_;  // none while the dimension is left to the data
};

}  // namespace

const KernelEntry& ball_spline_entry() {
  static const KernelEntry entry{
      .name = "ball_spline",
      .aliases = {"spherical"},
      .formula =
          "b * ... * b (order + 1 times) at x-y, over its value at 0; b = 1 in a ball of radius lengthscale in "
          "`dimension` dimensions",
      .summary = "B-splines of balls, zero beyond order + 1 length scales; order 1: the common share of two balls",
      .definiteness = "positive definite in up to `dimension` dimensions",
      .parameters =
          {lengthscale_spec("radius of the balls, one number or one per column; scale, auto and median give "
                            "2 sqrt(2 / (order + 1)) times the width of rbf"),
           {.name = "order",
            .aliases = {"n"},
            .role = ParameterRole::number,
            .constraint = Constraint::positive_integer,
            .default_text = "1",
            .meaning =
                "order of the spline, an odd number up to 15; higher ones are smoother (and need dimension <= 100)"},
           dimension_spec("of the balls (default auto: the number of columns)")},
      .make = make_node<BallSplineNode>,
      .examples = {"ball_spline(lengthscale=1.5, dimension=3)", "ball_spline(lengthscale=[2, 3, inf], dimension=2)",
                   "ball_spline(lengthscale=2, dimension=4)", "ball_spline(lengthscale=1.5, dimension=1)[0]",
                   "ball_spline(order=3, lengthscale=1.2, dimension=3)",
                   "ball_spline(order=3, lengthscale=[1, 2, inf], dimension=2)",
                   "ball_spline(order=5, lengthscale=1, dimension=4)",
                   "ball_spline(order=3, lengthscale=0.8, dimension=1)[0]"}};
  return entry;
}

}  // namespace mercer
