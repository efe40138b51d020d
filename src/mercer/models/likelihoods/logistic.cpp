// P(y | f) = 1/(1 + e^(−yf)), y = ±1 (Schölkopf & Smola (2002), 16.3).
//
// Averages over f ~ N(m, v) by equidistant points z of (f − m)/√v: the poles of the logistic function are π/√v away from
// the real axis, so that a step of h leaves errors of e^(−2π²/(h√v)) and, from the normal density, e^(−2π²/h²).
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "mercer/base/vector_math.h"
#include "mercer/models/likelihoods/binary.h"
#include "mercer/models/likelihoods/families.h"

namespace mercer {

namespace {

// Beyond, the general quadrature.
constexpr double largest_deviation = 100;
constexpr double lowest_margin = -300;
constexpr double largest_step = 0.5;
constexpr double step_times_deviation = 0.6;
// Normal densities beyond are under 1e-15 of the largest.
constexpr double reach = 8.5;
constexpr std::size_t chunk_points = 256;

// Unnormalised averages over a margin g ~ N(mean, deviation²), σ the logistic function.
struct LogisticAverages {
  double likely = 0;    // σ(g)
  double unlikely = 0;  // 1 − σ(g)
  double slope = 0;     // σ'(g)
  double bend = 0;      // σ''(g)
};

// Adds `count` points z = first·step, (first + 1)·step, …; at most chunk_points.
void add_points(double mean, double deviation, double step, double first, std::size_t count, LogisticAverages& sums) {
  std::array<double, chunk_points> weights;    // NOLINT(cppcoreguidelines-pro-type-member-init): filled below
  std::array<double, chunk_points> margins;    // NOLINT(cppcoreguidelines-pro-type-member-init)
  std::array<double, chunk_points> unlikelys;  // NOLINT(cppcoreguidelines-pro-type-member-init): e^(−|g|)
  for (std::size_t i = 0; i < count; ++i) {
    const double z = (first + static_cast<double>(i)) * step;
    weights[i] = -0.5 * z * z;
    margins[i] = mean + deviation * z;
    unlikelys[i] = -std::abs(margins[i]);
  }
  vector_exp(std::span(weights).first(count), std::span(weights).first(count));
  vector_exp(std::span(unlikelys).first(count), std::span(unlikelys).first(count));
  for (std::size_t i = 0; i < count; ++i) {
    const double e = unlikelys[i];
    const double inverse = 1 / (1 + e);
    const double larger = weights[i] * inverse;
    const double smaller = larger * e;
    const double slope = smaller * inverse;
    const bool positive = margins[i] > 0;
    sums.likely += positive ? larger : smaller;
    sums.unlikely += positive ? smaller : larger;
    sums.slope += slope;
    sums.bend -= std::copysign(slope * (1 - e) * inverse, margins[i]);
  }
}

LogisticAverages logistic_averages(double mean, double deviation) {
  const double step = std::min(largest_step, step_times_deviation / deviation);
  // e^(±g) moves the peak of what is averaged towards g = 0, by no more than √v.
  const double toward = std::clamp(-mean / deviation, -deviation, deviation);
  const double begin = std::floor((std::min(0.0, toward) - reach) / step);
  const double end = std::ceil((std::max(0.0, toward) + reach) / step);
  const auto count = static_cast<std::size_t>(end - begin) + 1;
  LogisticAverages sums;
  for (std::size_t done = 0; done < count; done += chunk_points) {
    add_points(mean, deviation, step, begin + static_cast<double>(done), std::min(chunk_points, count - done), sums);
  }
  return sums;
}

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

  TiltedMoments tilted(double y, double mean, double variance) const override {
    const double deviation = std::sqrt(variance);
    if (!(deviation > 0 && deviation <= largest_deviation && y * mean >= lowest_margin)) {
      return Likelihood::tilted(y, mean, variance);
    }
    const LogisticAverages sums = logistic_averages(y * mean, deviation);
    const double total = sums.likely + sums.unlikely;
    const double first = sums.slope / sums.likely;
    return {sums.likely > sums.unlikely ? std::log1p(-sums.unlikely / total) : std::log(sums.likely / total), y * first,
            sums.bend / sums.likely - first * first};
  }

 protected:
  double analytic_width() const override { return std::numbers::pi; }
};

}  // namespace

LikelihoodPtr logistic_likelihood() { return std::make_shared<Logistic>(); }

}  // namespace mercer
