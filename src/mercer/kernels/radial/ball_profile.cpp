#include "mercer/kernels/radial/ball_profile.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "mercer/kernels/radial/chebyshev_table.h"
#include "mercer/kernels/radial/lengthscale.h"

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

// Order 1, the common share of two balls. With x = 1 − u/4 it is the regularised incomplete beta function
// I_x((N+1)/2, ½), for whole N the finite sums
//
//   N odd    1 − √(1−x) Σ_{j ≤ (N−1)/2} c_j x^j,                        c_0 = 1, c_j = c_{j−1} (2j−1)/(2j)
//   N even   (2/π) (asin √x − √(x(1−x)) Σ_{j < N/2} d_j x^j),           d_0 = 1, d_j = d_{j−1} 2j/(2j+1)
//
// with the derivative −¼ x^((N−1)/2) (u/4)^−½ / B((N+1)/2, ½).
class BallOverlap final : public BallProfile {
 public:
  explicit BallOverlap(Index dimension) : dimension_(dimension), inverse_beta_(inverse_beta(dimension)) {
    const bool odd = dimension % 2 == 1;
    const Index count = odd ? (dimension + 1) / 2 : dimension / 2;
    double term = 1;
    for (Index j = 0; j < count; ++j) {
      const auto k = static_cast<double>(2 * j);
      term *= j == 0 ? 1.0 : odd ? (k - 1) / k : k / (k + 1);
      terms_.push_back(term);
    }
  }

  double value(double u) const override {
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
  double first(double u) const override {
    const double x = 1 - u / 4;
    if (coincident(u) || x <= 0) {
      return 0;
    }
    return -0.5 * std::pow(x, 0.5 * static_cast<double>(dimension_ - 1)) / std::sqrt(u) * inverse_beta_;
  }
  double second(double u) const override {
    const double x = 1 - u / 4;
    return x <= 0 ? 0.0 : -first(u) * (static_cast<double>(dimension_ - 1) / (8 * x) + 0.5 / std::max(u, 1e-140));
  }

 private:
  Index dimension_;
  double inverse_beta_;
  std::vector<double> terms_;
};

// The tanh-sinh rule: full precision where the integrand is analytic inside and has powers or logarithms at the ends.
class EndpointRule {
 public:
  /// `density` points in the middle half of the interval, about.
  explicit EndpointRule(int density) {
    const double step = 1.0 / density;
    constexpr double reach = 3.25;  // the outermost points lie within 1e-17 of the ends
    for (int k = 0; k * step <= reach; ++k) {
      const double t = k * step;
      const double distance = 1 / (1 + std::exp(std::numbers::pi * std::sinh(t)));
      points_.push_back(
          {distance, (k == 0 ? 0.5 : 1.0) * std::numbers::pi * step * std::cosh(t) * distance * (1 - distance)});
    }
  }

  template <class F>
  double integral(double a, double b, F f) const {
    double sum = 0;
    for (const Point& point : points_) {
      sum += point.weight * (f(a + (b - a) * point.distance) + f(b - (b - a) * point.distance));
    }
    return (b - a) * sum;
  }

 private:
  struct Point {
    double distance;  // to the nearer end, for a unit interval
    double weight;
  };
  std::vector<Point> points_;
};

// Where the sum of `steps` vectors of unit length has its density cut into analytic pieces: at steps, steps−2, … and 0.
std::vector<double> knots_of(int steps) {
  std::vector<double> knots = {0};
  for (int knot = steps % 2 == 0 ? 2 : 1; knot <= steps; knot += 2) {
    knots.push_back(knot);
  }
  return knots;
}

// Orders 3, 5, …. The ball's transform Λ(ω) = Γ(N/2+1) (2/ω)^(N/2) J_{N/2}(ω) is that of the unit sphere in D = N+2
// dimensions, and −f'(r)/r of a radial f in N dimensions has the transform of f in N+2. So −2φ'(u) is the density in D
// dimensions of a sum of n+1 random unit vectors: every further vector averages it over a sphere,
//
//   g_{m+1}(r) = ∫ g_m(ρ) sin^N ψ dψ / ∫ sin^N ψ dψ,    ρ² = (1−r)² + 4r sin²(ψ/2),    0 < ψ < π
//
// from g_2(r) ∝ (1 − r²/4)^((N−1)/2)/r, and φ(r²) = ∫_r^{n+1} s g(s) ds. Only positive numbers are added, and the tables
// hold g·exp(D r²/(2m)), which is flat where the weight is (the central limit): high dimensions lose no digits.
class BallTable final : public BallProfile {
 public:
  BallTable(int order, Index dimension)
      : sphere_(static_cast<double>(dimension)),
        rule_(static_cast<int>(16 * std::sqrt(std::max(1.0, sphere_ / 10)))),  // sin^N ψ narrows as N^−½
        slope_(density(order + 1)) {
    value_ = slope_.integral_to_end([](double r, double g) { return r * g; });
    height_ = value_(0);
  }

  double value(double u) const override { return std::clamp(value_(std::sqrt(u)) / height_, 0.0, 1.0); }
  double first(double u) const override { return -0.5 * slope_(std::sqrt(u)) / height_; }
  double second(double u) const override {
    const double r = std::sqrt(u);
    return coincident(u) ? 0.0 : -0.25 * slope_.derivative(r) / (r * height_);
  }

 private:
  // Up to a factor, the density of a sum of `steps` unit vectors.
  ChebyshevTable density(int steps) const {
    const auto two = [this](double r) {
      return r < 2 ? std::pow((1 - r / 2) * (1 + r / 2), 0.5 * (sphere_ - 1)) / r : 0.0;
    };
    ChebyshevTable table = tabulate(3, knots_of(2), two);
    for (int count = 4; count <= steps; ++count) {
      table = tabulate(count, knots_of(count - 1), table);
    }
    return table;
  }
  template <class Density>
  ChebyshevTable tabulate(int steps, const std::vector<double>& knots_before, const Density& before) const {
    const double height = before(1.0);  // what is averaged at r = 0: keeps the numbers near 1
    return ChebyshevTable(knots_of(steps), 0.5 * (sphere_ + 2) / steps,
                          [&](double r) { return average(before, knots_before, r) / height; });
  }
  template <class Density>
  double average(const Density& density, const std::vector<double>& knots, double r) const {
    std::vector<double> cuts = {0};
    for (const double knot : knots) {
      const double share = (knot - std::abs(1 - r)) * (knot + std::abs(1 - r)) / (4 * r);
      if (share > 0 && share < 1) {
        cuts.push_back(2 * std::asin(std::sqrt(share)));
      }
    }
    cuts.push_back(std::numbers::pi);
    double sum = 0;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      sum += rule_.integral(cuts[i], cuts[i + 1], [&](double angle) {
        const double half = std::sin(angle / 2);
        return density(std::sqrt((1 - r) * (1 - r) + 4 * r * half * half)) * std::pow(std::sin(angle), sphere_);
      });
    }
    return sum;
  }

  double sphere_;  // N, the dimension of the sphere's surface less 1, and of the ball
  EndpointRule rule_;
  ChebyshevTable slope_;
  ChebyshevTable value_;
  double height_ = 1;
};

}  // namespace

std::shared_ptr<const BallProfile> make_ball_profile(int order, Index dimension) {
  if (order == 1) {
    return std::make_shared<const BallOverlap>(dimension);
  }
  return std::make_shared<const BallTable>(order, dimension);
}

}  // namespace mercer
