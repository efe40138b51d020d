#include "mercer/solvers/linear/linear_dual_pass.h"

namespace mercer::linear {

namespace {

// Visits ahead of the current one: places in memory first, then the row itself.
constexpr Index place_distance = 8;
constexpr Index row_distance = 3;

// Where the minimum along one β lies, and the derivative of the dual objective along |β| at the present β: at β = 0 the
// smaller one of both directions.
struct Step {
  double beta;
  double outward;
};

// min 1/2 q (z - β)^2 + g (z - β) over t z in [0, C] (squared: [0, inf)).
template <LinearLoss loss>
MERCER_INLINE Step hinge_step(const LinearSample& sample, double g, double inverse) {
  const double slope = sample.target * g;
  const double z = larger(sample.target * sample.beta - slope * inverse, 0.0);
  return {sample.target * (is_squared(loss) ? z : smaller(z, sample.bound)), slope};
}

// min 1/2 q (z - β)^2 + g (z - β) + ε |z| over |z| <= C (squared: no bound).
template <LinearLoss loss>
MERCER_INLINE Step insensitive_step(const LinearSample& sample, double g, double inverse, double epsilon) {
  const double center = sample.beta - g * inverse;
  const double size = larger(std::fabs(center) - epsilon * inverse, 0.0);
  const double z = std::copysign(is_squared(loss) ? size : smaller(size, sample.bound), center);
  return {z, sample.beta == 0 ? epsilon - std::fabs(g) : epsilon + std::copysign(1.0, sample.beta) * g};
}

template <class Rows>
MERCER_INLINE void prefetch_ahead(const Rows& rows, const DualPass& pass, Index at) {
  if (at + place_distance < pass.active) {
    const Index ahead = pass.order[at + place_distance];
    __builtin_prefetch(pass.samples + ahead);
    rows.prefetch_place(ahead);
    rows.prefetch(pass.order[at + row_distance]);
  }
}

template <LinearLoss loss, class Rows>
MERCER_INLINE void descend_body(const Rows& rows, DualPass& pass, IndexRange range) {
  // A row of zeros has no curvature under an unsquared loss; so small a number sends β to the end of its box.
  constexpr double least_curvature = 1e-150;
  const double epsilon = is_hinge(loss) ? 0.0 : pass.epsilon;
  double beta_sum = pass.beta_sum;
  double gap = 0;
  double gain = 0;
  double decrease = pass.decrease;
  double increase = pass.increase;
  for (Index at = range.begin; at < range.end; ++at) {
    prefetch_ahead(rows, pass, at);
    const Index i = pass.order[at];
    LinearSample& sample = pass.samples[i];
    const double beta = sample.beta;
    const double curvature = larger(sample.curvature, least_curvature);
    // Divisions stand before the dot product: neither waits for the other.
    const double inverse = 1 / curvature;
    const double ridge = is_squared(loss) ? 0.5 / sample.bound : 0.0;
    const double f = rows.dot(i, pass.w) + pass.offset + pass.intercept_square * beta_sum;
    const double residual = sample.target - f;
    const double g = ridge * beta - residual;
    const Step step =
        is_hinge(loss) ? hinge_step<loss>(sample, g, inverse) : insensitive_step<loss>(sample, g, inverse, epsilon);
    gap += loss_value<loss>(residual, sample.target, sample.bound, epsilon) - beta * residual +
           epsilon * std::fabs(beta) + 0.5 * ridge * beta * beta;
    if (beta == 0) {
      if (step.outward > pass.shrink_zero) {
        continue;
      }
    } else {
      decrease = larger(decrease, step.outward);
    }
    if (!is_squared(loss) && std::fabs(beta) >= sample.bound) {
      if (-step.outward > pass.shrink_top) {
        continue;
      }
    } else {
      increase = larger(increase, -step.outward);
    }
    pass.order[pass.kept++] = static_cast<std::uint32_t>(i);
    const double change = step.beta - beta;
    if (change != 0) {
      rows.add(i, change, pass.w);
      sample.beta = step.beta;
      beta_sum += change;
      gain -= change * (g + 0.5 * curvature * change) + epsilon * (std::fabs(step.beta) - std::fabs(beta));
      ++pass.changed;
    }
  }
  pass.beta_sum = beta_sum;
  pass.gap += gap;
  pass.gain += gain;
  pass.decrease = decrease;
  pass.increase = increase;
}

template <class Rows>
MERCER_INLINE void descend_any(const Rows& rows, DualPass& pass, IndexRange range) {
  switch (pass.loss) {
    case LinearLoss::hinge:
      return descend_body<LinearLoss::hinge>(rows, pass, range);
    case LinearLoss::squared_hinge:
      return descend_body<LinearLoss::squared_hinge>(rows, pass, range);
    case LinearLoss::epsilon_insensitive:
      return descend_body<LinearLoss::epsilon_insensitive>(rows, pass, range);
    case LinearLoss::squared_epsilon_insensitive:
      return descend_body<LinearLoss::squared_epsilon_insensitive>(rows, pass, range);
  }
}

template <class Rows>
MERCER_INLINE void sum_rows_body(const Rows& rows, const RowSums& sums, IndexRange range) {
  for (Index i = range.begin; i < range.end; ++i) {
    sums.decisions[i] = rows.dot(i, sums.w);
    const double beta = sums.samples[i].beta;
    if (beta != 0) {
      rows.add(i, beta, beta > 0 ? sums.positive : sums.negative);
    }
  }
}

template <class Rows>
MERCER_INLINE void set_norms_body(const Rows& rows, LinearSample* samples, IndexRange range) {
  for (Index i = range.begin; i < range.end; ++i) {
    samples[i].curvature = rows.norm(i);
  }
}

}  // namespace

MERCER_CLONES void descend(const DenseAccess<float>& rows, DualPass& pass, IndexRange range) {
  descend_any(rows, pass, range);
}
MERCER_CLONES void descend(const DenseAccess<double>& rows, DualPass& pass, IndexRange range) {
  descend_any(rows, pass, range);
}
MERCER_CLONES void descend(const SparseAccess<float>& rows, DualPass& pass, IndexRange range) {
  descend_any(rows, pass, range);
}
MERCER_CLONES void descend(const SparseAccess<double>& rows, DualPass& pass, IndexRange range) {
  descend_any(rows, pass, range);
}

MERCER_CLONES void sum_rows(const DenseAccess<float>& rows, const RowSums& sums, IndexRange range) {
  sum_rows_body(rows, sums, range);
}
MERCER_CLONES void sum_rows(const DenseAccess<double>& rows, const RowSums& sums, IndexRange range) {
  sum_rows_body(rows, sums, range);
}
MERCER_CLONES void sum_rows(const SparseAccess<float>& rows, const RowSums& sums, IndexRange range) {
  sum_rows_body(rows, sums, range);
}
MERCER_CLONES void sum_rows(const SparseAccess<double>& rows, const RowSums& sums, IndexRange range) {
  sum_rows_body(rows, sums, range);
}

MERCER_CLONES void set_norms(const DenseAccess<float>& rows, LinearSample* samples, IndexRange range) {
  set_norms_body(rows, samples, range);
}
MERCER_CLONES void set_norms(const DenseAccess<double>& rows, LinearSample* samples, IndexRange range) {
  set_norms_body(rows, samples, range);
}
MERCER_CLONES void set_norms(const SparseAccess<float>& rows, LinearSample* samples, IndexRange range) {
  set_norms_body(rows, samples, range);
}
MERCER_CLONES void set_norms(const SparseAccess<double>& rows, LinearSample* samples, IndexRange range) {
  set_norms_body(rows, samples, range);
}

}  // namespace mercer::linear
