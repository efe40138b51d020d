#include "mercer/solvers/svm/overall_tube.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace mercer {

namespace {

constexpr int most_machines = 100;
constexpr double probed_share = 1e-10;
constexpr double first_part = 0.1;  // of the deviation: how far the first machine's function is to go
constexpr double growth = 8;

// The interval of the weighted medians.
std::pair<double, double> medians(std::span<const double> values, std::span<const double> weights) {
  std::vector<std::size_t> order;
  double total = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weights[i] > 0) {
      order.push_back(i);
      total += weights[i];
    }
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  double below = 0;
  double lower = values[order.front()];
  for (std::size_t k = 0; k < order.size(); ++k) {
    below += weights[order[k]];
    if (below >= total / 2 * (1 - 1e-14)) {
      lower = values[order[k]];
      const bool is_half = below <= total / 2 * (1 + 1e-14) && k + 1 < order.size();
      return {lower, is_half ? values[order[k + 1]] : lower};
    }
  }
  return {lower, lower};
}

struct OverallMachine {
  SvmDual dual;
  double share = 0;
  double excess = 0;  // of the mean error over ε
};

class OverallTube {
 public:
  OverallTube(std::span<const double> targets, double epsilon, std::span<const double> bounds, double tolerance,
              const TubelessSolve& solve)
      : targets_(targets),
        epsilon_(epsilon),
        bounds_(bounds),
        total_(std::accumulate(bounds.begin(), bounds.end(), 0.0)),
        tolerance_(tolerance),
        solve_(solve) {
    const double mean = mean_of([&](std::size_t i) { return targets_[i]; });
    unit_ = std::sqrt(mean_of([&](std::size_t i) { return (targets_[i] - mean) * (targets_[i] - mean); }));
  }

  SvmDual solve() {
    OverallMachine low = constant();
    if (low.excess <= 0) {
      return finished(std::move(low));
    }
    OverallMachine high = at(first_share(), {});
    while (high.excess > 0 && high.share < 1) {
      low = std::move(high);
      high = at(std::min(1.0, growth * low.share), low.dual.coefficients);
    }
    if (high.excess > 0) {
      return finished(std::move(high));  // no errors are worth more than they cost
    }
    return between(std::move(low), std::move(high));
  }

 private:
  template <class Value>
  double mean_of(Value value) const {
    double sum = 0;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      sum += bounds_[i] / total_ * value(i);
    }
    return sum;
  }

  // With next to no bounds all coefficients are at theirs and the function is as large as they are: that says which bounds go
  // with functions of the size of the targets, in whatever units the kernel is.
  double first_share() {
    const OverallMachine probe = at(probed_share, {});
    const double mean = mean_of([&](std::size_t i) { return probe.dual.values[i]; });
    const double size = mean_of([&](std::size_t i) { return std::abs(probe.dual.values[i] - mean); });
    const double share = probed_share * first_part * unit_ / size;
    return share < 1 ? std::max(share, probed_share) : 1.0;
  }

  // The offset of the smallest error, the machine's own where it is one.
  void judge(OverallMachine& candidate) const {
    std::vector<double> rest(targets_.begin(), targets_.end());
    for (std::size_t i = 0; i < rest.size(); ++i) {
      rest[i] -= candidate.dual.values[i];
    }
    const auto [lowest, highest] = medians(rest, bounds_);
    candidate.dual.offset = std::clamp(candidate.dual.offset, lowest, highest);
    candidate.excess = mean_of([&](std::size_t i) { return std::abs(rest[i] - candidate.dual.offset); }) - epsilon_;
  }

  OverallMachine constant() const {
    OverallMachine candidate;
    candidate.dual.coefficients.assign(targets_.size(), 0.0);
    candidate.dual.values.assign(targets_.size(), 0.0);
    const auto [lowest, highest] = medians(targets_, bounds_);
    candidate.dual.offset = lowest + (highest - lowest) / 2;
    judge(candidate);
    return candidate;
  }

  OverallMachine at(double share, std::span<const double> start) {
    std::vector<double> bounds(bounds_.begin(), bounds_.end());
    for (double& bound : bounds) {
      bound *= share;
    }
    OverallMachine candidate{.dual = solve_(bounds, start), .share = share};
    steps_ += candidate.dual.steps;
    judge(candidate);
    return candidate;
  }

  // The Illinois secant; halves where that does not get on.
  SvmDual between(OverallMachine low, OverallMachine high) {
    double low_excess = low.excess;
    double high_excess = high.excess;
    int side = 0;
    for (int count = 0; count < most_machines && !is_good(high) && !is_good(low); ++count) {
      const double width = high.share - low.share;
      double share = low.share + width * low_excess / (low_excess - high_excess);
      if (!(share > low.share && share < high.share)) {
        share = low.share + width / 2;
      }
      if (!(share > low.share && share < high.share)) {
        break;
      }
      OverallMachine next = at(share, (side <= 0 ? high : low).dual.coefficients);
      if (next.excess > 0) {
        low_excess = next.excess;
        high_excess = side == 1 ? high_excess / 2 : high.excess;
        low = std::move(next);
        side = 1;
      } else {
        high_excess = next.excess;
        low_excess = side == -1 ? low_excess / 2 : low.excess;
        high = std::move(next);
        side = -1;
      }
    }
    return finished(is_good(low) && !is_good(high) ? std::move(low) : std::move(high));
  }

  // Primal minus dual: what the machine of these bounds leaves, and what the mean error does.
  double gap_of(const OverallMachine& candidate) const {
    double own = 0;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      const double rest = targets_[i] - candidate.dual.values[i] - candidate.dual.offset;
      own += candidate.share * bounds_[i] * std::abs(rest) - candidate.dual.coefficients[i] * rest;
    }
    const double excess = total_ * candidate.excess;
    return own + (excess > 0 ? (1 - candidate.share) * excess : -candidate.share * excess);
  }

  bool is_good(const OverallMachine& candidate) const {
    return std::abs(candidate.excess) <= 0.5 * tolerance_ * unit_ && has_small_gap(candidate);
  }
  bool has_small_gap(const OverallMachine& candidate) const {
    return gap_of(candidate) <= tolerance_ * unit_ * total_ * candidate.share;
  }

  SvmDual finished(OverallMachine candidate) const {
    SvmDual dual = std::move(candidate.dual);
    double norm = 0;
    double linear = 0;
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      norm += dual.coefficients[i] * dual.values[i];
      linear += dual.coefficients[i] * targets_[i];
    }
    dual.objective = norm / 2 - linear + candidate.share * epsilon_ * total_;
    if (candidate.share > 0 && candidate.share < 1) {
      dual.gap = std::max(dual.gap, std::abs(candidate.excess));
    }
    if (candidate.share > 0 && dual.status == SolveStatus::converged &&
        !has_small_gap({dual, candidate.share, candidate.excess})) {
      dual.status = SolveStatus::stalled;
    }
    dual.steps = steps_;
    dual.margin = epsilon_;
    dual.share = candidate.share;
    return dual;
  }

  std::span<const double> targets_;
  double epsilon_;
  std::span<const double> bounds_;
  double total_;
  double tolerance_;
  double unit_ = 0;  // the deviation of the targets
  const TubelessSolve& solve_;
  Index steps_ = 0;
};

}  // namespace

SvmDual solve_overall_tube(std::span<const double> targets, double epsilon, std::span<const double> bounds,
                           double tolerance, const TubelessSolve& solve) {
  return OverallTube(targets, epsilon, bounds, tolerance, solve).solve();
}

}  // namespace mercer
