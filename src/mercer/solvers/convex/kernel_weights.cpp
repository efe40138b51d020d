#include "mercer/solvers/convex/kernel_weights.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "mercer/base/error.h"
#include "mercer/solvers/convex/nonnegative_qp.h"

namespace mercer {

namespace {

// With p > 1 no weight is 0 at the solution, and a step takes away at most this part of one.
constexpr double largest_cut = 0.9;
// So many rounds without a smaller gap end the search.
constexpr Index rounds_without_progress = 20;

double conjugate_exponent(double p) {
  return std::isinf(p) ? 1.0 : p > 1 ? p / (p - 1) : std::numeric_limits<double>::infinity();
}

double lower_bound_of(const WeightEvaluation& evaluation, double p) {
  return evaluation.linear - 0.5 * p_norm(evaluation.norms, conjugate_exponent(p));
}

std::vector<double> on_the_ball(std::vector<double> weights, double p) {
  const double length = p_norm(weights, p);
  for (double& weight : weights) {
    weight /= length;
  }
  return weights;
}

// d_k ∝ (d_k² q_k)^{1/(p+1)}: the best weights for the functions f_k that the machine found.
std::vector<double> closed_form_step(std::span<const double> weights, std::span<const double> norms, double p) {
  std::vector<double> next;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    next.push_back(std::pow(weights[k] * weights[k] * std::max(0.0, norms[k]), 1 / (p + 1)));
  }
  const bool usable = std::any_of(next.begin(), next.end(), [](double weight) { return weight > 0; });
  return usable ? on_the_ball(std::move(next), p) : std::vector<double>(weights.begin(), weights.end());
}

// One point of the search: weights, and what the machine said of them.
struct WeightPoint {
  std::vector<double> weights;
  WeightEvaluation evaluation;

  double slack() const {  // how far the machine itself is from its optimum
    double lower = evaluation.linear;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      lower -= 0.5 * weights[k] * evaluation.norms[k];
    }
    return std::max(0.0, evaluation.upper - lower);
  }
};

// Newton's direction s: min −½qᵀs + ½sᵀBs with aᵀs = 0, the linearised ball, and weights that stay nonnegative. With
// p > 1 in units of the weights themselves, in which the curvature of the ball does not blow up as they become small.
std::vector<double> weight_direction(const WeightPoint& point, const Matrix<double>& curvature, double p,
                                     const Run& run) {
  std::vector<std::size_t> moving;
  double multiplier = 0;
  for (std::size_t k = 0; k < point.weights.size(); ++k) {
    if (p == 1 || point.weights[k] > 0) {
      moving.push_back(k);
    }
    multiplier += 0.5 * point.weights[k] * point.evaluation.norms[k];
  }
  const auto size = static_cast<Index>(moving.size());
  Matrix<double> quadratic(size, size);
  std::vector<double> slopes(moving.size());
  std::vector<double> equality(moving.size(), 1.0);
  std::vector<double> room(moving.size());  // x = s + room ≥ 0
  for (Index i = 0; i < size; ++i) {
    const std::size_t k = moving[i];
    const double unit = p == 1 ? 1.0 : point.weights[k];
    for (Index j = 0; j < size; ++j) {
      const std::size_t l = moving[j];
      quadratic(i, j) =
          unit * (p == 1 ? 1.0 : point.weights[l]) * curvature(static_cast<Index>(k), static_cast<Index>(l));
    }
    slopes[i] = -0.5 * unit * point.evaluation.norms[k];
    room[i] = p == 1 ? point.weights[k] : largest_cut;
    if (p > 1) {
      const double power = std::max(std::pow(point.weights[k], p), std::numeric_limits<double>::min());
      quadratic(i, i) += multiplier * (p - 1) * power;
      equality[i] = power;
    }
  }
  // In terms of x = s + room the slopes change by −B room.
  for (Index i = 0; i < size; ++i) {
    for (Index j = 0; j < size; ++j) {
      slopes[i] -= quadratic(i, j) * room[j];
    }
  }
  const std::vector<double> x =
      solve_nonnegative_qp({.quadratic = quadratic.view(), .linear = slopes, .equality = equality, .start = room}, run);
  std::vector<double> direction(point.weights.size(), 0.0);
  for (std::size_t i = 0; i < moving.size(); ++i) {
    direction[moving[i]] = (x[i] - room[i]) * (p == 1 ? 1.0 : point.weights[moving[i]]);
  }
  return direction;
}

class WeightSearch {
 public:
  WeightSearch(WeightProblem& problem, const KernelWeightOptions& options, const Run& run)
      : problem_(problem), options_(options), run_(run) {}

  KernelWeights search(std::vector<double> start) {
    WeightPoint point = evaluated(std::move(start));
    if (std::isinf(options_.norm) || point.weights.size() == 1) {
      // The weights are given; what is left of the gap is the machine's.
      best_.status = best_.relative_gap() <= options_.tolerance ? SolveStatus::converged : SolveStatus::stalled;
      return best_;
    }
    bool first = true;
    while (!is_done()) {
      const std::optional<WeightPoint> next = first ? descend_by_formula(point) : descend(point);
      first = false;
      if (!next) {
        best_.status = SolveStatus::stalled;
        break;
      }
      point = *next;
    }
    return best_;
  }

 private:
  bool is_done() {
    if (best_.relative_gap() <= options_.tolerance) {
      return true;
    }
    // Rounding, of the machine or of its solver, hides what is left.
    if (best_.rounds - last_progress_ > rounds_without_progress) {
      best_.status = SolveStatus::stalled;
      return true;
    }
    if (best_.rounds >= options_.max_rounds) {
      best_.status = SolveStatus::iteration_limit;
      return true;
    }
    return false;
  }

  WeightPoint evaluated(std::vector<double> weights) {
    run_.check_stop();
    WeightPoint point{std::move(weights), {}};
    point.evaluation = problem_.evaluate(point.weights, run_.quiet());
    ++best_.rounds;
    const double lower = lower_bound_of(point.evaluation, options_.norm);
    if (best_.weights.empty() || point.evaluation.upper < best_.upper) {
      best_.weights = point.weights;
      best_.upper = point.evaluation.upper;
    }
    best_.lower = best_.rounds == 1 ? lower : std::max(best_.lower, lower);
    report_progress();
    if (best_.rounds == 1 || best_.relative_gap() < least_gap_) {
      least_gap_ = best_.relative_gap();
      last_progress_ = best_.rounds;
    }
    return point;
  }

  // The gap falls by factors: its logarithm says how far the search is.
  void report_progress() {
    const double gap = std::max(best_.relative_gap(), std::numeric_limits<double>::min());
    first_gap_ = best_.rounds == 1 ? gap : first_gap_;
    const double way = std::log(first_gap_ / options_.tolerance);
    run_.progress("kernel weights", way > 0 ? std::clamp(std::log(first_gap_ / gap) / way, 0.0, 1.0) : 1.0, 1.0);
  }

  // Within what the machine's own tolerance can tell.
  static bool goes_down(const WeightPoint& from, const WeightPoint& to) {
    return to.evaluation.upper <= from.evaluation.upper + to.slack();
  }

  std::optional<WeightPoint> descend_by_formula(const WeightPoint& point) {
    WeightPoint next = evaluated(closed_form_step(point.weights, point.evaluation.norms, options_.norm));
    return goes_down(point, next) ? std::optional(std::move(next)) : std::nullopt;
  }

  std::optional<WeightPoint> descend(const WeightPoint& point) {
    const std::vector<double> direction =
        weight_direction(point, problem_.curvature(run_.quiet()), options_.norm, run_);
    for (const double step : {1.0, 0.3, 0.1, 0.03, 0.01}) {
      std::vector<double> weights = point.weights;
      for (std::size_t k = 0; k < weights.size(); ++k) {
        weights[k] = std::max(0.0, weights[k] + step * direction[k]);
      }
      WeightPoint next = evaluated(on_the_ball(std::move(weights), options_.norm));
      if (goes_down(point, next) || is_done()) {
        return next;
      }
    }
    return descend_by_formula(point);
  }

  WeightProblem& problem_;
  const KernelWeightOptions& options_;
  const Run& run_;
  KernelWeights best_;
  double first_gap_ = 0;
  double least_gap_ = 0;
  Index last_progress_ = 0;  // the round in which the gap last became smaller
};

}  // namespace

double p_norm(std::span<const double> values, double p) {
  double largest = 0;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
  }
  if (std::isinf(p) || largest == 0) {
    return largest;
  }
  double sum = 0;
  for (const double value : values) {
    sum += std::pow(std::abs(value) / largest, p);
  }
  return largest * std::pow(sum, 1 / p);
}

double KernelWeights::relative_gap() const {
  return std::max(0.0, upper - lower) / std::max(std::abs(upper), std::numeric_limits<double>::min());
}

KernelWeights learn_kernel_weights(WeightProblem& problem, std::span<const double> start,
                                   const KernelWeightOptions& options, const Run& run) {
  if (!(options.norm >= 1)) {
    reject_argument("norm", options.norm, "1 or more");
  }
  if (!(options.tolerance > 0)) {
    reject_argument("weight_tolerance", options.tolerance, "a positive number");
  }
  std::vector<double> weights(start.begin(), start.end());
  const double largest = weights.empty() ? 0.0 : *std::max_element(weights.begin(), weights.end());
  if (!(largest > 0) || !std::isfinite(largest) ||
      std::any_of(weights.begin(), weights.end(), [](double weight) { return !(weight >= 0); })) {
    throw InvalidArgument("the weights of a sum of kernels start at nonnegative numbers that are not all 0");
  }
  if (options.norm > 1) {
    // From 0 the closed form does not come back.
    constexpr double least = 1e-3;
    for (double& weight : weights) {
      weight = std::isinf(options.norm) ? 1.0 : std::max(weight, least * largest);
    }
  }
  return WeightSearch(problem, options, run).search(on_the_ball(std::move(weights), options.norm));
}

}  // namespace mercer
