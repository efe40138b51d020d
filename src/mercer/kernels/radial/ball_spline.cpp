#include "mercer/kernels/radial/ball_spline.h"

#include <cmath>
#include <numbers>

#include "mercer/kernels/data_dimension.h"
#include "mercer/kernels/map_each.h"
#include "mercer/kernels/radial/lengthscale.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// 1/B((N+1)/2, ½), by B(a+1, b) = B(a, b) a/(a+b) from B(½, ½) = π and B(1, ½) = 2
double inverse_beta(Index dimension) {
  double beta = dimension % 2 == 0 ? std::numbers::pi : 2.0;
  for (Index n = dimension % 2; n < dimension; n += 2) {
    beta *= static_cast<double>(n + 1) / static_cast<double>(n + 2);
  }
  return 1 / beta;
}

// φ(u) = I_x((N+1)/2, ½), x = 1 − u/4, u = (r/ℓ)²; φ' = −¼ x^((N−1)/2) (u/4)^−½ / B((N+1)/2, ½)
class BallSplineNode final : public RadialNode {
 public:
  BallSplineNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : RadialNode(entry, std::move(parameters), std::move(children), 1.0),
        dimension_(given_dimension(*this)),
        inverse_beta_(inverse_beta(dimension_)) {
    const bool odd = dimension_ % 2 == 1;
    const Index count = odd ? (dimension_ + 1) / 2 : dimension_ / 2;
    double term = 1;
    for (Index j = 0; j < count; ++j) {
      const auto k = static_cast<double>(2 * j);
      term *= j == 0 ? 1.0 : odd ? (k - 1) / k : k / (k + 1);
      terms_.push_back(term);
    }
  }

  Definiteness definiteness() const override {
    Definiteness result;
    result.domain.largest_dimension = dimension_;
    return result;
  }
  std::shared_ptr<const KernelNode> resolved(const Samples& all, const Run& run) const override {
    if (needs_data_dimension(*this)) {
      return with_data_dimension(*this, all)->resolved(all, run);
    }
    return with_stretched_width(*this, KernelNode::resolved(all, run), 2);
  }

 protected:
  void profile(std::span<float> u) const override {
    map_each(u, [this](float v) { return static_cast<float>(overlap(static_cast<double>(v))); });
  }
  void profile(std::span<double> u) const override {
    map_each(u, [this](double v) { return overlap(v); });
  }
  void first_derivative(std::span<double> u) const override {
    map_each(u, [this](double v) { return slope(v); });
  }
  void second_derivative(std::span<double> u) const override {
    map_each(u, [this](double v) {
      const double x = 1 - v / 4;
      return x <= 0 ? 0.0 : -slope(v) * (static_cast<double>(dimension_ - 1) / (8 * x) + 0.5 / std::max(v, 1e-140));
    });
  }

 private:
  double overlap(double u) const {
    const double x = 1 - u / 4;
    if (!(x > 0)) {
      return 0;
    }
    double sum = 0;
    for (std::size_t j = terms_.size(); j-- > 0;) {
      sum = sum * x + terms_[j];
    }
    const double half_distance = std::sqrt(u) / 2;  // √(1−x)
    const double value = dimension_ % 2 == 1
                             ? 1 - half_distance * sum
                             : 2 / std::numbers::pi * (std::acos(half_distance) - std::sqrt(x) * half_distance * sum);
    return std::max(value, 0.0);
  }
  double slope(double u) const {
    const double x = 1 - u / 4;
    if (coincident(u) || x <= 0) {
      return 0;
    }
    return -0.5 * std::pow(x, 0.5 * static_cast<double>(dimension_ - 1)) / std::sqrt(u) * inverse_beta_;
  }

  Index dimension_;
  double inverse_beta_;
  std::vector<double> terms_;
};

}  // namespace

const KernelEntry& ball_spline_entry() {
  static const KernelEntry entry{
      .name = "ball_spline",
      .aliases = {"spherical"},
      .formula = "common share of two balls of radius lengthscale around x and y in `dimension` dimensions",
      .summary = "zero beyond twice the length scale; the B-spline of order 1 of balls",
      .definiteness = "positive definite in up to `dimension` dimensions",
      .parameters = {lengthscale_spec("radius of the balls, one number or one per column; scale, auto and median give "
                                      "2 times the width of rbf"),
                     dimension_spec("of the balls (default auto: the number of columns)")},
      .make = make_node<BallSplineNode>,
      .examples = {"ball_spline(lengthscale=1.5, dimension=3)", "ball_spline(lengthscale=[2, 3, inf], dimension=2)",
                   "ball_spline(lengthscale=2, dimension=4)", "ball_spline(lengthscale=1.5, dimension=1)[0]"}};
  return entry;
}

}  // namespace mercer
