// P(y | f) = Φ(yf), y = ±1. With r = φ(u)/Φ(u), u = yf: ∂ = yr, ∂² = −r(r + u); against N(f; m, v) the integral is
// Φ(ym/√(1+v)) (Schölkopf & Smola (2002), 16.5; Rasmussen & Williams (2006), 3.9).
#include <cmath>

#include "mercer/base/special_functions.h"
#include "mercer/models/likelihoods/binary.h"
#include "mercer/models/likelihoods/families.h"

namespace mercer {

namespace {

class Probit final : public BinaryLikelihood {
 public:
  std::string_view name() const override { return "probit"; }
  bool is_log_concave() const override { return true; }

  LogDensity log_density(double y, double f) const override {
    const double u = y * f;
    const auto [r, excess] = normal_hazard(u);
    return {log_normal_cumulative(u), y * r, -r * excess, y * r * (excess * (r + excess) - 1)};
  }

  TiltedMoments tilted(double y, double mean, double variance) const override {
    const double width = std::sqrt(1 + variance);
    const double u = y * mean / width;
    const auto [r, excess] = normal_hazard(u);
    return {log_normal_cumulative(u), y * r / width, -r * excess / (1 + variance)};
  }

 protected:
  std::vector<double> landmarks(double /*y*/) const override { return {0.0, -1.5, 1.5}; }
};

}  // namespace

LikelihoodPtr probit_likelihood() { return std::make_shared<Probit>(); }

}  // namespace mercer
