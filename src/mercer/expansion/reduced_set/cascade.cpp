#include "mercer/expansion/reduced_set/cascade.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

// Points whose kernel values are computed together for all samples that are left.
constexpr Index stages_together = 8;
constexpr Index cascade_samples_per_block = 4096;

// The largest sum of |k(x, z_j) β_j| over the first points: what the rounding of f is relative to.
double largest_cascade_sum(const Matrix<double>& kernel_values, std::span<const double> coefficients, Index count) {
  double largest = 0;
  for (Index i = 0; i < kernel_values.rows(); ++i) {
    double sum = 0;
    for (Index j = 0; j < count; ++j) {
      sum += std::abs(kernel_values(i, j) * coefficients[j]);
    }
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

double CascadeResult::mean_evaluations() const {
  const double total = std::accumulate(evaluations.begin(), evaluations.end(), 0.0);
  return evaluations.empty() ? 0.0 : total / static_cast<double>(evaluations.size());
}

Cascade::Cascade(const ReductionTarget& target, const Samples& points, double offset, const Run& run)
    : kernel_(target.kernel()), offset_(offset) {
  if (target.outputs() != 1) {
    throw InvalidArgument("a cascade is of one function, not of " + std::to_string(target.outputs()));
  }
  const Index n = points.size();
  // Greedy order among the points: what is missing, Ψ − Ψ_n, seen from the points that are left.
  Matrix<double> missing(n, 1);
  Matrix<double> k(n, n);
  if (n > 0) {
    CrossGram<double>(target.prepared(), points, run).multiply(target.coefficients(), missing.view(), run);
    evaluate_gram(PreparedKernel(kernel_, points, Precision::double_precision, run), Triangle::both, k.view(), run);
  }
  std::vector<Index> order;
  std::vector<std::vector<double>> directions;  // the orthonormal directions, at the points
  std::vector<double> along;
  std::vector<double> left(n);
  for (Index j = 0; j < n; ++j) {
    left[j] = k(j, j);
  }
  double error = target.total_squared_norm();
  for (Index step = 0; step < n; ++step) {
    Index best = -1;
    double best_gain = -1;
    for (Index j = 0; j < n; ++j) {
      const double rest = left[j];
      const double gain = rest > 1e-10 * k(j, j) ? missing(j, 0) * missing(j, 0) / rest : -1.0;
      if (gain > best_gain) {
        best_gain = gain;
        best = j;
      }
    }
    if (best < 0) {
      break;  // what is left lies in the span of what was taken
    }
    std::vector<double> direction(k.view().row_data(best), k.view().row_data(best) + n);
    for (const std::vector<double>& earlier : directions) {
      axpy(-earlier[best], earlier, direction);
    }
    const double pivot = std::sqrt(left[best]);
    scale(1 / pivot, direction);
    along.push_back(missing(best, 0) / pivot);
    for (Index j = 0; j < n; ++j) {
      missing(j, 0) -= direction[j] * along.back();
      left[j] -= direction[j] * direction[j];
    }
    left[best] = 0;
    error = std::max(0.0, error - along.back() * along.back());
    squared_errors_.push_back(error);
    order.push_back(best);
    directions.push_back(std::move(direction));
  }
  // L is nested, so that β^(n) = L_n⁻ᵀ (along_1 … along_n).
  const auto count = static_cast<Index>(order.size());
  points_ = points.select(order);
  coefficients_ = Matrix<double>::filled(count, count, 0.0);
  for (Index stage = 0; stage < count; ++stage) {
    for (Index j = stage; j >= 0; --j) {
      double sum = along[j];
      for (Index l = j + 1; l <= stage; ++l) {
        sum -= directions[j][order[l]] * coefficients_(stage, l);
      }
      const Index own = order[j];
      coefficients_(stage, j) = sum / directions[j][own];
    }
  }
  thresholds_.assign(count, -std::numeric_limits<double>::infinity());
  if (count > 0) {
    thresholds_.back() = 0;
  }
}

Matrix<double> Cascade::kernel_values(const Samples& samples, IndexRange points, const Run& run) const {
  const auto prepared =
      std::make_shared<const PreparedKernel>(kernel_, points_.slice(points), Precision::double_precision, run);
  Matrix<double> values(samples.size(), points.size());
  CrossGram<double>(prepared, samples, run).evaluate(values.view(), run);
  return values;
}

void Cascade::calibrate(const Samples& positives, double lost_fraction, const Run& run) {
  if (!(lost_fraction >= 0) || !(lost_fraction < 1)) {
    reject_argument("lost_fraction", lost_fraction, "0 or more and below 1");
  }
  if (positives.size() == 0 || stages() == 0) {
    throw InvalidArgument("a cascade is calibrated on positive samples, and has stages: there are none");
  }
  const Matrix<double> k = kernel_values(positives, {0, stages()}, run);
  std::vector<Index> here(positives.size());
  std::iota(here.begin(), here.end(), Index{0});
  const double all = static_cast<double>(positives.size());
  Index lost = 0;
  for (Index stage = 0; stage < stages(); ++stage) {
    const auto f = [&](Index i) {
      return dot(k.view().row(i).first(static_cast<std::size_t>(stage + 1)),
                 coefficients_.view().row(stage).first(static_cast<std::size_t>(stage + 1))) +
             offset_;
    };
    const auto allowed = static_cast<Index>(
        std::floor(lost_fraction * all * static_cast<double>(stage + 1) / static_cast<double>(stages()) + 1e-9));
    std::ranges::sort(here, {}, f);
    const Index may_go = std::min<Index>(allowed - lost, static_cast<Index>(here.size()) - 1);
    double threshold = f(here[may_go]);
    if (stage + 1 == stages()) {
      threshold = std::min(threshold, 0.0);
    }
    // Rounding differs between blocks of samples: none of those that stay may stand on the threshold itself.
    threshold -= 1e-12 * (std::abs(offset_) + largest_cascade_sum(k, coefficients_.view().row(stage), stage + 1));
    thresholds_[stage] = threshold;
    const auto gone = static_cast<Index>(std::ranges::count_if(here, [&](Index i) { return f(i) < threshold; }));
    here.erase(here.begin(), here.begin() + gone);
    lost += gone;
  }
}

CascadeResult Cascade::evaluate(const Samples& samples, const Run& run) const {
  const Index n = samples.size();
  CascadeResult result{std::vector<char>(n, 0), std::vector<Index>(n, 0)};
  for (Index b = 0; b < block_count(n, cascade_samples_per_block); ++b) {
    const IndexRange range = block_range(n, cascade_samples_per_block, b);
    std::vector<Index> here(range.size());
    std::iota(here.begin(), here.end(), range.begin);
    std::vector<std::vector<double>> seen(range.size());
    for (Index first = 0; first < stages() && !here.empty(); first += stages_together) {
      const IndexRange some{first, std::min(first + stages_together, stages())};
      const Matrix<double> k = kernel_values(samples.select(here), some, run);
      std::vector<Index> still;
      for (std::size_t a = 0; a < here.size(); ++a) {
        const auto at = static_cast<std::size_t>(here[a]);
        std::vector<double>& row = seen[here[a] - range.begin];
        bool stays = true;
        for (Index stage = some.begin; stays && stage < some.end; ++stage) {
          row.push_back(k(static_cast<Index>(a), stage - some.begin));
          result.evaluations[at] = stage + 1;
          const double f = dot(row, coefficients_.view().row(stage).first(row.size())) + offset_;
          stays = f >= thresholds_[stage];
        }
        if (stays) {
          still.push_back(here[a]);
        }
      }
      here = std::move(still);
    }
    for (const Index i : here) {
      result.positive[i] = 1;
    }
  }
  return result;
}

}  // namespace mercer
