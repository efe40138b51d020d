#include "mercer/solvers/convex/program/separable_term.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"

namespace mercer {

PowerTerm::PowerTerm(std::vector<double> weights, double exponent) : weights_(std::move(weights)), exponent_(exponent) {
  if (!(exponent > 1 && std::isfinite(exponent))) {
    reject_argument("convex programme: exponent of a power", exponent, "finite and above 1");
  }
  for (const double weight : weights_) {
    if (!(weight >= 0 && std::isfinite(weight))) {
      reject_argument("convex programme: weight of a power", weight, "finite and not negative");
    }
  }
}

double PowerTerm::value(Index i, double x) const {
  return weights_[static_cast<std::size_t>(i)] * std::pow(std::abs(x), exponent_) / exponent_;
}

double PowerTerm::slope(Index i, double x) const {
  return weights_[static_cast<std::size_t>(i)] * std::copysign(std::pow(std::abs(x), exponent_ - 1), x);
}

double PowerTerm::curvature(Index i, double x) const {
  const double size = exponent_ < 2 ? std::max(std::abs(x), 1e-100) : std::abs(x);
  return weights_[static_cast<std::size_t>(i)] * (exponent_ - 1) * std::pow(size, exponent_ - 2);
}

}  // namespace mercer
