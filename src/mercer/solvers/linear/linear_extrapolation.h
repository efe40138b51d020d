// Extrapolation of dual coordinate descent. Near the optimum the passes creep along the slowest direction of the dual; a
// step along what the last few passes changed, to the maximum of the dual on that line, takes many passes at once.
//
// With p = β - β_before and w_p = w - w_before the dual along β + τ p is a parabola, known in O(n + d). Entries that
// leave their box, or change sign, end at the bound, or at 0; w is corrected for each. The step is taken only where
// the dual objective then grows, so the descent stays monotone.
#pragma once

#include <cmath>
#include <vector>

#include "mercer/solvers/linear/linear_dual_pass.h"

namespace mercer::linear {

template <class Rows>
class Extrapolation {
 public:
  /// Remembers where β and w are now.
  void remember(const Rows& rows, const DualPass& pass) {
    before_.resize(rows.rows);
    for (std::size_t i = 0; i < before_.size(); ++i) {
      before_[i] = pass.samples[i].beta;
    }
    w_before_.assign(pass.w, pass.w + rows.columns);
    sum_before_ = pass.beta_sum;
  }

  /// Moves β and w of `pass` along what has changed since remember(); returns the gain of the dual objective, 0 if
  /// nothing was moved.
  double extend(const Rows& rows, DualPass& pass) {
    if (before_.empty()) {
      return 0;
    }
    double reach = best_reach(pass);
    // So many corrections cost more than they bring; a shorter step needs fewer.
    for (int attempt = 0; attempt < 3 && reach > least_reach; ++attempt, reach *= 0.25) {
      Index moved = 0;
      Index clipped = 0;
      for (std::size_t i = 0; i < before_.size(); ++i) {
        const LinearSample& sample = pass.samples[i];
        const double p = sample.beta - before_[i];
        moved += p != 0 ? 1 : 0;
        clipped += p != 0 && target_of(pass, sample, p, reach) != sample.beta + reach * p ? 1 : 0;
      }
      if (10 * clipped <= moved) {
        return move(rows, pass, reach);
      }
    }
    return 0;
  }

 private:
  static constexpr double least_reach = 0.5;
  static constexpr double greatest_reach = 1000;

  // The β of a sample at the end of the step: on its side of 0 and inside its box.
  static double target_of(const DualPass& pass, const LinearSample& sample, double p, double reach) {
    const double wanted = sample.beta + reach * p;
    if (sample.beta == 0 || wanted * sample.beta < 0) {
      return 0;
    }
    const bool beyond = !is_squared(pass.loss) && std::fabs(wanted) > sample.bound;
    return beyond ? std::copysign(sample.bound, wanted) : wanted;
  }

  static double ridge_of(const DualPass& pass, const LinearSample& sample) {
    return is_squared(pass.loss) ? 0.5 / sample.bound : 0.0;
  }
  static double epsilon_of(const DualPass& pass) { return is_hinge(pass.loss) ? 0.0 : pass.epsilon; }

  // The maximum of the parabola, as a multiple of p.
  double best_reach(const DualPass& pass) const {
    const double sum_change = pass.beta_sum - sum_before_;
    double slope = -pass.intercept_square * pass.beta_sum * sum_change;
    double curvature = pass.intercept_square * sum_change * sum_change;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const LinearSample& sample = pass.samples[i];
      const double p = sample.beta - before_[i];
      if (p == 0) {
        continue;
      }
      const double ridge = ridge_of(pass, sample);
      const double sign = sample.beta == 0 ? 0.0 : std::copysign(1.0, sample.beta);
      slope += p * (sample.target - pass.offset - epsilon_of(pass) * sign - ridge * sample.beta);
      curvature += ridge * p * p;
    }
    for (std::size_t j = 0; j < w_before_.size(); ++j) {
      const double change = pass.w[j] - w_before_[j];
      slope -= pass.w[j] * change;
      curvature += change * change;
    }
    return curvature > 0 ? smaller(slope / curvature, greatest_reach) : 0.0;
  }

  double move(const Rows& rows, DualPass& pass, double reach) {
    next_w_.resize(w_before_.size());
    double gain = 0;
    for (std::size_t j = 0; j < w_before_.size(); ++j) {
      next_w_[j] = pass.w[j] + reach * (pass.w[j] - w_before_[j]);
      gain += 0.5 * pass.w[j] * pass.w[j];
    }
    double sum = pass.beta_sum;
    for (std::size_t i = 0; i < before_.size(); ++i) {
      const LinearSample& sample = pass.samples[i];
      const double p = sample.beta - before_[i];
      if (p == 0) {
        continue;
      }
      const double wanted = sample.beta + reach * p;
      const double next = target_of(pass, sample, p, reach);
      if (next != wanted) {
        rows.add(static_cast<Index>(i), next - wanted, next_w_.data());
      }
      const double change = next - sample.beta;
      sum += change;
      gain += change * (sample.target - pass.offset) - epsilon_of(pass) * (std::fabs(next) - std::fabs(sample.beta)) -
              0.5 * ridge_of(pass, sample) * change * (next + sample.beta);
    }
    gain -= 0.5 * pass.intercept_square * (sum - pass.beta_sum) * (sum + pass.beta_sum);
    for (const double weight : next_w_) {
      gain -= 0.5 * weight * weight;
    }
    if (!(gain > 0)) {
      return 0;
    }
    for (std::size_t i = 0; i < before_.size(); ++i) {
      LinearSample& sample = pass.samples[i];
      const double p = sample.beta - before_[i];
      sample.beta = p != 0 ? target_of(pass, sample, p, reach) : sample.beta;
    }
    std::copy(next_w_.begin(), next_w_.end(), pass.w);
    pass.beta_sum = sum;
    return gain;
  }

  std::vector<double> before_;
  std::vector<double> w_before_;
  std::vector<double> next_w_;
  double sum_before_ = 0;
};

}  // namespace mercer::linear
