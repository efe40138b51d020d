#include "mercer/expansion/reduced_set/l1_selection.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

constexpr double l1_tolerance = 1e-8;
// Where only the zeros matter.
constexpr double l1_choice_tolerance = 1e-5;
constexpr Index l1_max_sweeps = 5000;

// x ← argmin ½‖x − v‖² + t max|x|: v minus its projection on the l1 ball of radius t.
void shrink_by_largest(std::span<double> v, double t) {
  std::vector<double> sizes;
  double total = 0;
  for (const double value : v) {
    sizes.push_back(std::abs(value));
    total += std::abs(value);
  }
  if (total <= t) {
    std::ranges::fill(v, 0.0);
    return;
  }
  std::ranges::sort(sizes, std::greater<>());
  // The level to which the largest entries are cut: Σ (|v| − level)₊ = t.
  double sum = 0;
  double level = 0;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    sum += sizes[k];
    const double candidate = (sum - t) / static_cast<double>(k + 1);
    if (k + 1 == sizes.size() || candidate >= sizes[k + 1]) {
      level = candidate;
      break;
    }
  }
  for (double& value : v) {
    value = std::clamp(value, -level, level);
  }
}

class L1Descent {
 public:
  L1Descent(const ReductionTarget& target, PenaltyWeights kind, const Run& run)
      : target_(target),
        run_(run),
        gram_(target.gram(run)),
        weights_(static_cast<std::size_t>(target.size()), 1.0),
        b_(Matrix<double>::copy_of(target.coefficients())),
        missing_(Matrix<double>::filled(target.size(), target.outputs(), 0.0)) {
    const ConstMatrixView<double> a = target.coefficients();
    std::vector<double> sizes;
    for (Index i = 0; i < a.rows(); ++i) {
      double largest = 0;
      for (const double value : a.row(i)) {
        largest = std::max(largest, std::abs(value));
      }
      sizes.push_back(largest);
    }
    if (kind == PenaltyWeights::inverse && !sizes.empty()) {
      const double mean = std::accumulate(sizes.begin(), sizes.end(), 0.0) / static_cast<double>(sizes.size());
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        weights_[i] = mean / sizes[i];
      }
    }
  }

  /// From where the last penalty ended.
  Index solve(double penalty, double tolerance) {
    double largest = 0;
    for (Index i = 0; i < target_.size(); ++i) {
      for (const double value : target_.values().row(i)) {
        largest = std::max(largest, std::abs(value));
      }
    }
    Index sweeps = 0;
    const auto sweep = [&](const auto& takes_part) {
      run_.check_stop();
      ++sweeps;
      double change = 0;
      for (Index i = 0; i < target_.size(); ++i) {
        change = std::max(change, takes_part(i) ? update(i, penalty) : 0.0);
      }
      return change <= tolerance * largest;
    };
    // Rows that are not 0 settle among themselves between the sweeps over all.
    while (sweeps < l1_max_sweeps && !sweep([](Index) { return true; })) {
      while (sweeps < l1_max_sweeps && !sweep([this](Index i) { return is_used(i); })) {
      }
    }
    return sweeps;
  }

  L1Result result(double penalty, Index sweeps) const {
    L1Result found{Matrix<double>::copy_of(b_.view()),
                   {},
                   penalty,
                   sweeps,
                   sweeps >= l1_max_sweeps ? SolveStatus::iteration_limit : SolveStatus::converged};
    for (Index i = 0; i < b_.rows(); ++i) {
      if (is_used(i)) {
        found.chosen.push_back(i);
      }
    }
    return found;
  }

  /// Above it b = 0: Σ_o |(K a)_io| ≤ λ c_i/2 for all i.
  double largest_penalty() const {
    double largest = 0;
    for (Index i = 0; i < target_.size(); ++i) {
      double total = 0;
      for (const double value : target_.values().row(i)) {
        total += std::abs(value);
      }
      largest = std::max(largest, 2 * total / weights_[i]);
    }
    return largest;
  }

 private:
  bool is_used(Index i) const {
    return std::ranges::any_of(b_.view().row(i), [](double value) { return value != 0; });
  }

  // The largest change of a value K_ii b_io.
  double update(Index i, double penalty) {
    const double length = gram_(i, i);
    if (!(length > 0)) {
      return 0;
    }
    const std::span<double> b = b_.view().row(i);
    std::vector<double> next(b.begin(), b.end());
    axpy(1 / length, missing_.view().row(i), next);
    shrink_by_largest(next, penalty * weights_[i] / (2 * length));
    axpy(-1.0, b, next);  // the step
    double largest = 0;
    for (const double step : next) {
      largest = std::max(largest, std::abs(step));
    }
    if (largest == 0) {
      return 0;
    }
    for (std::size_t o = 0; o < next.size(); ++o) {
      const double kept = b[o];
      b[o] += next[o];
      // A step to 0 is to end there, not near.
      b[o] = std::abs(b[o]) <= 1e-15 * std::abs(kept) ? 0.0 : b[o];
    }
    ger(-1.0, gram_.view().row(i), next, missing_.view());
    return largest * length;
  }

  const ReductionTarget& target_;
  const Run& run_;
  Matrix<double> gram_;
  std::vector<double> weights_;
  Matrix<double> b_;
  Matrix<double> missing_;  // K(a − b)
};

}  // namespace

L1Result l1_reduction(const ReductionTarget& target, double penalty, PenaltyWeights weights, const Run& run) {
  if (!(penalty >= 0) || !std::isfinite(penalty)) {
    reject_argument("penalty", penalty, "0 or more");
  }
  L1Descent descent(target, weights, run);
  const Index sweeps = descent.solve(penalty, l1_tolerance);
  return descent.result(penalty, sweeps);
}

L1Result select_by_l1(const ReductionTarget& target, Index size, PenaltyWeights weights, const Run& run) {
  if (size < 0) {
    reject_argument("size", static_cast<double>(size), "0 or more");
  }
  L1Descent descent(target, weights, run);
  if (size >= target.size()) {
    return descent.result(0, 0);
  }
  double upper = descent.largest_penalty();
  Index sweeps = descent.solve(upper, l1_choice_tolerance);
  L1Result best = descent.result(upper, sweeps);
  // The largest penalty is where coefficients begin to leave 0: by rounding, or where several do at once, some may have.
  while (static_cast<Index>(best.chosen.size()) > size) {
    upper *= 2;
    sweeps = descent.solve(upper, l1_choice_tolerance);
    best = descent.result(upper, sweeps);
  }
  // Down from nothing, each solution the start of the next; then bisection between the last two.
  double lower = upper;
  const double least = 1e-8 * upper;
  bool falling = true;  // no penalty was too small yet
  while (falling || upper > 1.01 * lower) {
    const double next = falling ? upper / 2 : std::sqrt(lower * upper);
    if (next < least || static_cast<Index>(best.chosen.size()) == size) {
      break;
    }
    sweeps = descent.solve(next, l1_choice_tolerance);
    L1Result found = descent.result(next, sweeps);
    if (static_cast<Index>(found.chosen.size()) <= size) {
      best = std::move(found);
      upper = next;
    } else {
      lower = next;
      falling = false;
    }
    run.progress("l1 penalty", static_cast<double>(best.chosen.size()), static_cast<double>(size));
  }
  return best;
}

}  // namespace mercer
