#include "mercer/kernels/dot/angular_node.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer {

namespace {

// √(ab), exactly a for b = a wherever a² is a normal number.
double length_product(double a, double b) {
  const double product = a * b;
  return product > 1e-290 && product < 1e300 ? std::sqrt(product) : std::sqrt(a) * std::sqrt(b);
}

double cosine_of(double t, double s) { return s > 0 ? std::clamp(t / s, -1.0, 1.0) : 0.0; }

}  // namespace

template <class T>
void AngularNode::fill(std::span<T> t, T a, std::span<const T> b) const {
  constexpr std::size_t block_size = 256;
  // NOLINTBEGIN(cppcoreguidelines-pro-type-member-init): written before they are read
  std::array<double, block_size> cosines;
  std::array<double, block_size> lengths;
  // NOLINTEND(cppcoreguidelines-pro-type-member-init)
  for (std::size_t begin = 0; begin < t.size(); begin += block_size) {
    const std::size_t count = std::min(block_size, t.size() - begin);
    for (std::size_t j = 0; j < count; ++j) {
      lengths[j] = length_product(static_cast<double>(a), static_cast<double>(b[begin + j]));
      cosines[j] = cosine_of(static_cast<double>(t[begin + j]), lengths[j]);
    }
    angular(std::span(cosines.data(), count));
    for (std::size_t j = 0; j < count; ++j) {
      const double s = lengths[j];
      const double scale = degree_ == 0 ? 1.0 : degree_ == 1 ? s : s * s;
      t[begin + j] = s > 0 ? static_cast<T>(scale * cosines[j]) : T(0);
    }
  }
}

void AngularNode::profile(std::span<float> t, float a, std::span<const float> b) const { fill(t, a, b); }
void AngularNode::profile(std::span<double> t, double a, std::span<const double> b) const { fill(t, a, b); }

DotDerivatives AngularNode::derivatives(double t, double a, double b) const {
  const double s = length_product(a, b);
  if (!(s > 0)) {
    return {};
  }
  const double c = cosine_of(t, s);
  const AngularValue f = angular_derivatives(c);
  const double n = degree_;
  const double power = std::pow(s, degree_);
  const double h = n * f.value - c * f.first;
  const double h_slope = (n - 1) * f.first - c * f.second;
  return {.t = power / s * f.first,
          .a = power * h / (2 * a),
          .b = power * h / (2 * b),
          .tt = power / s / s * f.second,
          .ta = power / s * h_slope / (2 * a),
          .tb = power / s * h_slope / (2 * b),
          .ab = power * (n * h - c * h_slope) / (4 * a) / b};
}

}  // namespace mercer
