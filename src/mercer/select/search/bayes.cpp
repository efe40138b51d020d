// Bayesian search: see search_strategy.h. The first points fill the space evenly (an additive recurrence with irrational
// steps, shifted by the seed); then the process is fitted to all scores before every round.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/gp/gp.h"
#include "mercer/select/search/search_strategy.h"

namespace mercer {

namespace {

constexpr Index round_size = 3;            // fixed: it must not depend on the number of threads
constexpr Index spread_candidates = 1000;  // over the whole space
constexpr Index close_candidates = 60;     // around each of the best points, at each distance
constexpr std::size_t shortlist = 150;     // candidates whose joint distribution is looked at

using UnitPoint = std::vector<double>;  // in [0, 1] per axis

double normal_density(double z) { return std::exp(-0.5 * z * z) / std::sqrt(2 * 3.141592653589793); }
double normal_probability(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

double expected_improvement(double mean, double variance, double best) {
  const double deviation = std::sqrt(std::max(variance, 0.0));
  if (!(deviation > 1e-12 * std::abs(mean - best))) {
    return std::max(mean - best, 0.0);
  }
  const double z = (mean - best) / deviation;
  return deviation * (z * normal_probability(z) + normal_density(z));
}

// Words have no order: each has a coordinate of its own, so that any two are equally far apart.
void append_coordinates(const SearchAxis& axis, double value, std::vector<double>& out) {
  if (axis.words.empty()) {
    out.push_back(axis.unit_of(value));
    return;
  }
  for (std::size_t w = 0; w < axis.words.size(); ++w) {
    out.push_back(static_cast<double>(w) == value ? std::sqrt(0.5) : 0);
  }
}

Samples as_samples(const SearchSpace& space, std::span<const SearchPoint> points) {
  std::vector<double> coordinates;
  for (const SearchPoint& point : points) {
    for (std::size_t a = 0; a < space.axes.size(); ++a) {
      append_coordinates(space.axes[a], point[a], coordinates);
    }
  }
  const auto rows = static_cast<Index>(points.size());
  const Index columns = rows == 0 ? 0 : static_cast<Index>(coordinates.size()) / rows;
  return make_dense(std::move(coordinates), rows, columns);
}

// All points so far; those that failed count as the worst that did not.
struct Observations {
  std::vector<SearchPoint> points;
  std::vector<double> utilities;

  explicit Observations(std::span<const ScoredRound> history) {
    double worst = std::numeric_limits<double>::infinity();
    for (const ScoredRound& round : history) {
      for (std::size_t i = 0; i < round.utilities.size(); ++i) {
        points.push_back(round.round.points[i]);
        utilities.push_back(round.utilities[i]);
        worst = std::isfinite(round.utilities[i]) ? std::min(worst, round.utilities[i]) : worst;
      }
    }
    for (double& utility : utilities) {
      utility = std::isfinite(utility) ? utility : std::isfinite(worst) ? worst : 0;
    }
  }
  bool are_equal() const {
    return std::all_of(utilities.begin(), utilities.end(), [&](double u) { return u == utilities.front(); });
  }
};

class Bayes final : public SearchStrategy {
 public:
  Bayes(const SearchSpace& space, Index points, std::uint64_t seed) : space_(space), points_(points), seed_(seed) {}

  std::optional<SearchRound> next(std::span<const ScoredRound> history, const Run& run) const override {
    const Observations known(history);
    const auto done = static_cast<Index>(known.points.size());
    if (done >= points_) {
      return std::nullopt;
    }
    const std::set<SearchPoint> seen(known.points.begin(), known.points.end());
    SearchRound round;
    if (history.empty()) {
      round.points = fresh(spread_points(0, first_points()), seen, first_points());
      return round;
    }
    const Index wanted = std::min(round_size, points_ - done);
    round.points = known.are_equal() ? fresh(candidates(known, history.size()), seen, wanted)
                                     : promising(known, history.size(), seen, wanted, run);
    return round.points.empty() ? std::nullopt : std::optional(std::move(round));
  }

  Index expected_points() const override { return points_; }

 private:
  Index first_points() const {
    const auto axes = static_cast<Index>(space_.axes.size());
    return std::min(points_, 4 + 4 * axes);
  }

  SearchPoint at(const UnitPoint& unit) const {
    SearchPoint point;
    for (std::size_t a = 0; a < unit.size(); ++a) {
      point.push_back(space_.axes[a].value_at(unit[a]));
    }
    return point;
  }

  // Points number `first` … of the sequence u_k = shift + k/φ^j (mod 1), φ^(d+1) = φ + 1 (Roberts 2018).
  std::vector<SearchPoint> spread_points(Index first, Index count) const {
    const std::size_t axes = space_.axes.size();
    double phi = 2;
    for (int step = 0; step < 60; ++step) {
      phi = std::pow(1 + phi, 1 / (static_cast<double>(axes) + 1));
    }
    RandomStream random(seed_, 0x73686966);
    UnitPoint shift(axes);
    for (double& u : shift) {
      u = random.uniform();
    }
    std::vector<SearchPoint> points;
    for (Index k = first; k < first + count; ++k) {
      UnitPoint unit;
      for (std::size_t a = 0; a < axes; ++a) {
        const double u = shift[a] + static_cast<double>(k + 1) / std::pow(phi, static_cast<double>(a + 1));
        unit.push_back(u - std::floor(u));
      }
      points.push_back(at(unit));
    }
    return points;
  }

  // Points of the whole space and points near the best so far.
  std::vector<SearchPoint> candidates(const Observations& known, std::size_t round) const {
    std::vector<SearchPoint> result =
        spread_points(first_points() + static_cast<Index>(round) * spread_candidates, spread_candidates);
    std::vector<std::size_t> order(known.points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return known.utilities[a] > known.utilities[b]; });
    RandomStream random(seed_, 0x6e656172 + static_cast<std::uint64_t>(round));
    for (std::size_t b = 0; b < std::min<std::size_t>(3, order.size()); ++b) {
      for (const double distance : {0.1, 0.03}) {
        for (Index c = 0; c < close_candidates; ++c) {
          UnitPoint unit;
          for (std::size_t a = 0; a < space_.axes.size(); ++a) {
            const double center = space_.axes[a].unit_of(known.points[order[b]][a]);
            unit.push_back(std::clamp(center + distance * random.normal(), 0.0, 1.0));
          }
          result.push_back(at(unit));
        }
      }
    }
    return result;
  }

  // The first `wanted` that are new.
  static std::vector<SearchPoint> fresh(const std::vector<SearchPoint>& points, std::set<SearchPoint> seen,
                                        Index wanted) {
    std::vector<SearchPoint> result;
    for (const SearchPoint& point : points) {
      if (static_cast<Index>(result.size()) < wanted && seen.insert(point).second) {
        result.push_back(point);
      }
    }
    return result;
  }

  std::vector<SearchPoint> promising(const Observations& known, std::size_t round, const std::set<SearchPoint>& seen,
                                     Index wanted, const Run& run) const {
    std::vector<SearchPoint> points = fresh(candidates(known, round), seen, points_ + spread_candidates * 2);
    if (points.empty()) {
      return {};
    }
    std::unique_ptr<GpModel> process;
    try {
      GpOptions options;
      options.restarts = 2;
      process = fit_gp(parse_kernel("1*matern(nu=2.5, lengthscale=ard)"), options,
                       {as_samples(space_, known.points), Targets::numeric(known.utilities)}, run.quiet());
    } catch (const NumericalError&) {
      return fresh(points, seen, wanted);
    }
    const PredictiveMoments fitted =
        process->moments(as_samples(space_, known.points), PredictionOf::function, run.quiet());
    double best = -std::numeric_limits<double>::infinity();
    for (Index i = 0; i < fitted.mean.rows(); ++i) {
      best = std::max(best, fitted.mean(i, 0));
    }
    return choose(*process, std::move(points), best, wanted, run);
  }

  // Believing that a chosen point gives its expected value leaves all means as they are and takes from the variances
  // cov(x, chosen)² / var(chosen).
  std::vector<SearchPoint> choose(const GpModel& process, std::vector<SearchPoint> points, double best, Index wanted,
                                  const Run& run) const {
    PredictiveMoments moments = process.moments(as_samples(space_, points), PredictionOf::function, run.quiet());
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<double> gains;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto row = static_cast<Index>(i);
      gains.push_back(expected_improvement(moments.mean(row, 0), moments.variance(row, 0), best));
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return gains[a] > gains[b]; });
    order.resize(std::min(order.size(), shortlist));
    std::vector<SearchPoint> listed;
    std::vector<double> means;
    for (const std::size_t i : order) {
      listed.push_back(points[i]);
      means.push_back(moments.mean(static_cast<Index>(i), 0));
    }
    Matrix<double> covariance = process.covariance(as_samples(space_, listed), 0, run.quiet());
    std::vector<SearchPoint> result;
    const auto count = static_cast<Index>(listed.size());
    std::vector<char> taken(listed.size(), 0);
    for (Index w = 0; w < std::min(wanted, count); ++w) {
      Index pick = -1;
      double gain = -1;
      for (Index i = 0; i < count; ++i) {
        const double here = expected_improvement(means[i], covariance(i, i), best);
        if (taken[i] == 0 && here > gain) {
          pick = i;
          gain = here;
        }
      }
      taken[pick] = 1;
      result.push_back(listed[pick]);
      condition_on(covariance, pick);
    }
    return result;
  }

  static void condition_on(Matrix<double>& covariance, Index pick) {
    const double variance = covariance(pick, pick);
    if (!(variance > 0)) {
      return;
    }
    std::vector<double> column;
    for (Index i = 0; i < covariance.rows(); ++i) {
      column.push_back(covariance(i, pick));
    }
    for (Index i = 0; i < covariance.rows(); ++i) {
      for (Index j = 0; j < covariance.columns(); ++j) {
        covariance(i, j) -= column[i] * column[j] / variance;
      }
    }
  }

  const SearchSpace& space_;
  Index points_;
  std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<SearchStrategy> bayes_strategy(const SearchSpace& space, Index points, std::uint64_t seed) {
  return std::make_unique<Bayes>(space, points, seed);
}

}  // namespace mercer
