#include "mercer/solvers/svm/joint_row.h"

#include <algorithm>
#include <limits>

namespace mercer {

namespace {

// An own coefficient so near to C is there: it is a sum of k − 1 others.
constexpr double at_bound = 1 - 1e-12;
constexpr int most_bisections = 200;

// The root A of Σ_r clip(q_r − A, 0, C) − A, which falls with a slope of −1 at least. Newton steps end on the right
// piece after finitely many; one that leaves the bracket is replaced by its middle.
double weston_watkins_sum(std::span<const double> q, Index own, double bound) {
  double low = 0;
  double high = 0;
  for (std::size_t r = 0; r < q.size(); ++r) {
    if (static_cast<Index>(r) != own) {
      high = std::max(high, q[r]);
    }
  }
  double sum = low;
  for (int i = 0; i < most_bisections && low < high; ++i) {
    double value = -sum;
    double slope = 1;
    for (std::size_t r = 0; r < q.size(); ++r) {
      const double a = q[r] - sum;
      if (static_cast<Index>(r) != own && a > 0) {
        value += std::min(a, bound);
        slope += a < bound ? 1 : 0;
      }
    }
    if (value == 0) {
      break;
    }
    (value > 0 ? low : high) = sum;
    double next = sum + value / slope;
    if (!(next > low && next < high)) {
      next = low + (high - low) / 2;
      // Newton's point is on the bracket to rounding, or the bracket has no number within.
      if (next <= low || next >= high) {
        break;
      }
    }
    sum = next;
  }
  return sum;
}

void minimize_weston_watkins(const JointSample& sample, double curvature, std::span<const double> v,
                             std::span<double> row) {
  const auto own = static_cast<std::size_t>(sample.own);
  for (std::size_t r = 0; r < v.size(); ++r) {
    row[r] = (v[r] - v[own] + joint_margin) / curvature;
  }
  const double sum = weston_watkins_sum(row, sample.own, sample.bound);
  double total = 0;
  for (std::size_t r = 0; r < v.size(); ++r) {
    if (r != own) {
      const double a = std::clamp(row[r] - sum, 0.0, sample.bound);
      row[r] = a > 0 ? -a : 0.0;
      total += a;
    }
  }
  row[own] = total;
}

// The sum of min(Cδ, D − θ) falls and is concave in θ: Newton steps from the right come down to the root without
// passing it. D is counted from its largest value among the other classes: θ is at most C then, and keeps its digits
// where κ is tiny.
void minimize_crammer_singer(const JointSample& sample, double curvature, std::span<const double> v,
                             std::span<double> row) {
  const auto own = static_cast<std::size_t>(sample.own);
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < v.size(); ++c) {
    lowest = c == own ? lowest : std::min(lowest, v[c]);
  }
  for (std::size_t c = 0; c < v.size(); ++c) {
    row[c] = ((c == own ? joint_margin : 0.0) + (lowest - v[c])) / curvature;
  }
  double theta = std::min(sample.bound, std::max(0.0, row[own]));
  for (std::size_t step = 0; step < 2 * v.size() + 8; ++step) {
    double value = 0;
    double slope = 0;
    for (std::size_t c = 0; c < v.size(); ++c) {
      const double limit = c == own ? sample.bound : 0.0;
      const double b = row[c] - theta;
      value += std::min(limit, b);
      slope += b < limit ? 1 : 0;
    }
    const double next = slope > 0 ? theta + value / slope : theta;
    if (!(next < theta)) {
      break;
    }
    theta = next;
  }
  double others = 0;
  for (std::size_t c = 0; c < v.size(); ++c) {
    if (c != own) {
      row[c] = std::min(0.0, row[c] - theta);
      others += row[c];
    }
  }
  row[own] = -others >= sample.bound * at_bound ? sample.bound : -others;
}

}  // namespace

double joint_violation(JointLoss loss, const JointSample& sample, std::span<const double> values,
                       std::span<const double> row) {
  const auto own = static_cast<std::size_t>(sample.own);
  double worst = 0;
  if (loss == JointLoss::weston_watkins) {
    for (std::size_t r = 0; r < values.size(); ++r) {
      if (r == own) {
        continue;
      }
      const double gradient = values[own] - values[r] - joint_margin;
      if (-row[r] < sample.bound) {
        worst = std::max(worst, -gradient);
      }
      if (row[r] < 0) {
        worst = std::max(worst, gradient);
      }
    }
    return worst;
  }
  double highest = -std::numeric_limits<double>::infinity();
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < values.size(); ++c) {
    const double gradient = values[c] - (c == own ? joint_margin : 0.0);
    highest = std::max(highest, gradient);
    if (c == own ? row[c] < sample.bound * at_bound : row[c] < 0) {
      lowest = std::min(lowest, gradient);
    }
  }
  return std::max(0.0, highest - lowest);
}

void minimize_joint_row(JointLoss loss, const JointSample& sample, double curvature, std::span<const double> v,
                        std::span<double> row) {
  if (loss == JointLoss::weston_watkins) {
    minimize_weston_watkins(sample, curvature, v, row);
  } else {
    minimize_crammer_singer(sample, curvature, v, row);
  }
}

double joint_slack(JointLoss loss, const JointSample& sample, std::span<const double> values) {
  const auto own = static_cast<std::size_t>(sample.own);
  double slack = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    if (r != own) {
      const double term = std::max(0.0, joint_margin + values[r] - values[own]);
      slack = loss == JointLoss::weston_watkins ? slack + term : std::max(slack, term);
    }
  }
  return slack;
}

}  // namespace mercer
