// P(y | f) = 1/(1 + e^(−yf)), y = ±1 (Schölkopf & Smola (2002), 16.3).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/models/likelihoods/binary.h"
#include "mercer/models/likelihoods/families.h"

namespace mercer {

namespace {

class Logistic final : public BinaryLikelihood {
 public:
  std::string_view name() const override { return "logistic"; }
  bool is_log_concave() const override { return true; }

  LogDensity log_density(double y, double f) const override {
    const double margin = y * f;
    const double e = std::exp(-std::abs(f));
    const double unlikely = e / (1 + e);  // the smaller of the two probabilities
    const double curvature = unlikely / (1 + e);
    return {std::min(margin, 0.0) - std::log1p(e), y * (margin > 0 ? unlikely : 1 / (1 + e)), -curvature,
            curvature * std::tanh(f / 2)};
  }

 protected:
  double analytic_width() const override { return std::numbers::pi; }
};

}  // namespace

LikelihoodPtr logistic_likelihood() { return std::make_shared<Logistic>(); }

}  // namespace mercer
