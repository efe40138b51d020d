#include "mercer/solvers/linear/linear_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "mercer/base/parallel.h"

namespace mercer::linear {

namespace {

constexpr Index block_size = 1 << 15;

Index blocks_of(const LossSum& sum) { return block_count(static_cast<Index>(sum.samples.size()), block_size); }
IndexRange block_of(const LossSum& sum, Index b) {
  return block_range(static_cast<Index>(sum.samples.size()), block_size, b);
}

// A point b where the slope of the total loss jumps by `weight`.
struct Kink {
  double place;
  double weight;
};

// Every sample's loss is 0 or C off the kinks in slope: hinge C (t = 1: -C left of t - f; t = -1: C right of it).
std::vector<Kink> kinks_of(const LossSum& sum, std::span<const double> decisions, double& slope_at_minus_infinity) {
  std::vector<Kink> kinks;
  kinks.reserve(sum.samples.size() * (is_hinge(sum.loss) ? 1 : 2));
  slope_at_minus_infinity = 0;
  for (std::size_t i = 0; i < sum.samples.size(); ++i) {
    const LinearSample& sample = sum.samples[i];
    if (sample.bound == 0) {
      continue;
    }
    const double residual = sample.target - decisions[i];
    if (is_hinge(sum.loss)) {
      kinks.push_back({residual, sample.bound});
      slope_at_minus_infinity -= sample.target > 0 ? sample.bound : 0.0;
    } else {
      kinks.push_back({residual - sum.epsilon, sample.bound});
      kinks.push_back({residual + sum.epsilon, sample.bound});
      slope_at_minus_infinity -= sample.bound;
    }
  }
  return kinks;
}

// The middle of where the slope is 0 around a kink: it may be so on one side of it, up to the next kink, or on neither.
double middle_at(const std::vector<Kink>& kinks, double kink_place, double slope) {
  constexpr double rounding_of_slopes = 1e-12;  // of the sum of all jumps
  double total = 0;
  double before = slope;
  double after = slope;
  double previous = -std::numeric_limits<double>::infinity();
  double next = std::numeric_limits<double>::infinity();
  for (const Kink& kink : kinks) {
    total += kink.weight;
    before += kink.place < kink_place ? kink.weight : 0.0;
    after += kink.place <= kink_place ? kink.weight : 0.0;
    if (kink.place < kink_place) {
      previous = std::max(previous, kink.place);
    } else if (kink.place > kink_place) {
      next = std::min(next, kink.place);
    }
  }
  const double low = before >= -rounding_of_slopes * total && std::isfinite(previous) ? previous : kink_place;
  const double high = after <= rounding_of_slopes * total && std::isfinite(next) ? next : kink_place;
  return low + (high - low) / 2;
}

// Where the slope, which is `slope` left of all kinks, is 0: the middle, where that is more than one place.
double crossing(std::vector<Kink>& kinks, double slope) {
  const double leftmost = slope;
  auto begin = kinks.begin();
  auto end = kinks.end();
  while (end - begin > 1) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, [](const Kink& a, const Kink& b) { return a.place < b.place; });
    double through = slope;
    for (auto kink = begin; kink != middle; ++kink) {
      through += kink->weight;
    }
    if (through >= 0) {
      end = middle;
    } else {
      begin = middle;
      slope = through;
    }
  }
  return middle_at(kinks, begin->place, leftmost);
}

// The b for which no sample costs anything, if there are any: the middle of them.
std::optional<double> middle_without_loss(const LossSum& sum, std::span<const double> decisions) {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < sum.samples.size(); ++i) {
    const LinearSample& sample = sum.samples[i];
    if (sample.bound == 0) {
      continue;
    }
    const double residual = sample.target - decisions[i];
    if (!is_hinge(sum.loss)) {
      low = std::max(low, residual - sum.epsilon);
      high = std::min(high, residual + sum.epsilon);
    } else if (sample.target > 0) {
      low = std::max(low, residual);
    } else {
      high = std::min(high, residual);
    }
  }
  if (!(low <= high) || std::isinf(low) || std::isinf(high)) {
    return std::nullopt;
  }
  return low + (high - low) / 2;
}

// First and second derivative of the total loss by b.
struct Derivatives {
  double slope = 0;
  double curvature = 0;
};
template <LinearLoss loss>
Derivatives derivatives(const LossSum& sum, std::span<const double> decisions, double b, const Run& run) {
  std::vector<Derivatives> parts(blocks_of(sum));
  parallel_for(run, blocks_of(sum), [&](Index block) {
    Derivatives part;
    const IndexRange range = block_of(sum, block);
    for (Index i = range.begin; i < range.end; ++i) {
      const LinearSample& sample = sum.samples[i];
      const double residual = sample.target - decisions[i] - b;
      part.slope -= loss_slope<loss>(residual, sample.target, sample.bound, sum.epsilon);
      part.curvature += excess<loss>(residual, sample.target, sum.epsilon) > 0 ? 2 * sample.bound : 0.0;
    }
    parts[block] = part;
  });
  Derivatives total;
  for (const Derivatives& part : parts) {
    total.slope += part.slope;
    total.curvature += part.curvature;
  }
  return total;
}

template <LinearLoss loss>
double newton_intercept(const LossSum& sum, std::span<const double> decisions, double b, const Run& run) {
  constexpr int max_steps = 100;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  for (int step = 0; step < max_steps; ++step) {
    const Derivatives at = derivatives<loss>(sum, decisions, b, run);
    if (at.slope == 0) {
      break;
    }
    (at.slope < 0 ? low : high) = b;
    double next = b - at.slope / at.curvature;
    if (!(next > low && next < high)) {
      next = 0.5 * (low + high);  // both ends are finite: Newton's step leaves the bracket only at a known end
    }
    if (!std::isfinite(next) || next == b) {
      break;
    }
    b = next;
  }
  return b;
}

}  // namespace

double total_loss(const LossSum& sum, std::span<const double> decisions, double intercept, const Run& run) {
  return with_loss(sum.loss, [&]<LinearLoss loss>() {
    return sum_in_order(run, blocks_of(sum), [&](Index block) {
      double part = 0;
      const IndexRange range = block_of(sum, block);
      for (Index i = range.begin; i < range.end; ++i) {
        const LinearSample& sample = sum.samples[i];
        const double residual = sample.target - decisions[i] - intercept;
        part += loss_value<loss>(residual, sample.target, sample.bound, sum.epsilon);
      }
      return part;
    });
  });
}

double best_intercept(const LossSum& sum, std::span<const double> decisions, double guess, const Run& run) {
  if (is_squared(sum.loss)) {
    // Off that interval a squared loss has one minimum; Newton's method would end at the end where it arrives.
    if (const std::optional<double> middle = middle_without_loss(sum, decisions)) {
      return *middle;
    }
  }
  if (sum.loss == LinearLoss::squared_hinge) {
    return newton_intercept<LinearLoss::squared_hinge>(sum, decisions, guess, run);
  }
  if (sum.loss == LinearLoss::squared_epsilon_insensitive) {
    return newton_intercept<LinearLoss::squared_epsilon_insensitive>(sum, decisions, guess, run);
  }
  double slope = 0;
  std::vector<Kink> kinks = kinks_of(sum, decisions, slope);
  return kinks.empty() ? guess : crossing(kinks, slope);
}

SignedDualSums dual_sums(const LossSum& sum, const Run& run) {
  std::vector<SignedDualSums> parts(blocks_of(sum));
  parallel_for(run, blocks_of(sum), [&](Index block) {
    SignedDualSums& part = parts[block];
    const IndexRange range = block_of(sum, block);
    for (Index i = range.begin; i < range.end; ++i) {
      const LinearSample& sample = sum.samples[i];
      if (sample.beta == 0) {
        continue;
      }
      DualSums& side = sample.beta > 0 ? part.positive : part.negative;
      const double size = std::fabs(sample.beta);
      side.linear += sample.target * sample.beta - (is_hinge(sum.loss) ? 0.0 : sum.epsilon * size);
      side.quadratic += is_squared(sum.loss) ? size * size / (4 * sample.bound) : 0.0;
      side.size += size;
    }
  });
  SignedDualSums total;
  for (const SignedDualSums& part : parts) {
    for (const auto side : {&SignedDualSums::positive, &SignedDualSums::negative}) {
      (total.*side).linear += (part.*side).linear;
      (total.*side).quadratic += (part.*side).quadratic;
      (total.*side).size += (part.*side).size;
    }
  }
  return total;
}

Balance balance(const SignedDualSums& sums) {
  const double least = std::min(sums.positive.size, sums.negative.size);
  return {sums.positive.size > least ? least / sums.positive.size : 1.0,
          sums.negative.size > least ? least / sums.negative.size : 1.0};
}

}  // namespace mercer::linear
