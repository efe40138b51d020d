// Counts y = 0, 1, 2, … of mean e^g, g = f + offset: ln p = yg − e^g − ln y!.
#include <algorithm>
#include <cmath>

#include "mercer/base/special_functions.h"
#include "mercer/models/likelihoods/families.h"

namespace mercer {

namespace {

constexpr double largest_exponent = 700;  // e^f beyond is cut there: no count is that large

class Poisson final : public Likelihood {
 public:
  explicit Poisson(double offset) : offset_(offset) {}

  std::string_view name() const override { return "poisson"; }
  bool accepts(double y) const override { return y >= 0 && std::isfinite(y) && y == std::floor(y); }
  std::string_view target_text() const override { return "a whole number, 0 or more"; }
  bool is_log_concave() const override { return true; }

  LogDensity log_density(double y, double f) const override {
    const double rate = std::exp(std::min(f + offset_, largest_exponent));
    return {y * (f + offset_) - rate - log_gamma(y + 1), y - rate, -rate, -rate};
  }

  ObservationMoments observation_moments(double mean, double variance) const override {
    const double rate = std::exp(std::min(mean + offset_ + variance / 2, largest_exponent / 2));
    return {rate, rate + rate * rate * std::expm1(std::min(variance, largest_exponent / 2))};
  }

  double observation_cumulative(double y, double mean, double variance) const override {
    return y < 0 ? 0.0 : Likelihood::observation_cumulative(std::floor(y), mean, variance);
  }
  // Whole numbers are bisected between bounds that double from the median of e^f.
  double observation_quantile(double level, double mean, double variance) const override {
    constexpr double largest = 9007199254740992.0;
    if (observation_cumulative(0, mean, variance) >= level) {
      return 0;
    }
    double low = 0;
    double high = std::ceil(std::exp(std::clamp(mean + offset_, 0.0, 30.0)));
    while (high < largest && observation_cumulative(high, mean, variance) < level) {
      low = high;
      high *= 2;
    }
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (observation_cumulative(middle, mean, variance) < level ? low : high) = middle;
    }
    return high;
  }

 protected:
  double cumulative(double y, double f) const override {
    return upper_incomplete_gamma(y + 1, std::exp(std::min(f + offset_, largest_exponent)));
  }
  std::vector<double> landmarks(double y) const override {
    const double top = std::log(y + 0.5) - offset_;
    const double width = 1 / std::sqrt(y + 0.5);
    return {top, top - width, top + width};
  }

 private:
  double offset_;
};

}  // namespace

LikelihoodPtr poisson_likelihood(double offset) { return std::make_shared<Poisson>(offset); }

}  // namespace mercer
