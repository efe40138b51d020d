#include "mercer/smoothing/bandwidth_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/smoothing/cross_validation.h"

namespace mercer {

namespace {

constexpr double mad_to_deviation = 1.4826;
constexpr double coordinate_rounding = 4 * std::numeric_limits<double>::epsilon();
constexpr Index most_cross_validated = 30000;

double weight_of(std::span<const double> weights, Index i) { return weights.empty() ? 1.0 : weights[i]; }

std::vector<double> column_of(ConstMatrixView<double> points, Index column) {
  std::vector<double> values(points.rows());
  for (Index i = 0; i < points.rows(); ++i) {
    values[i] = points(i, column);
  }
  return values;
}

double median_deviation(ConstMatrixView<double> points, std::span<const double> weights, Index column) {
  std::vector<double> values = column_of(points, column);
  const std::vector<double> copies(weights.begin(), weights.end());
  const double median = weighted_quantile(values, copies, 0.5);
  for (double& value : values) {
    value = std::abs(value - median);
  }
  return mad_to_deviation * weighted_quantile(values, copies, 0.5);
}

[[noreturn]] void refuse_spread(Index column, const WeightedSpread& spread) {
  if (spread.count <= 1) {
    throw DataError("a bandwidth cannot be learnt from one sample: give it as a number, bandwidth = 0.5");
  }
  throw DataError("column " + std::to_string(column) +
                  " (counted from 0) has the same value everywhere, so that no bandwidth can be learnt from it: leave "
                  "the column out, or give the bandwidth as a number");
}

// Spreads per column, by deviation or robustly; zeros where there are none.
std::vector<double> column_spreads(BandwidthRule rule, ConstMatrixView<double> points, std::span<const double> weights,
                                   const WeightedSpread& spread, std::vector<std::string>& notes) {
  std::vector<double> result = spread.deviation;
  if (rule != BandwidthRule::normal) {
    return result;
  }
  for (Index j = 0; j < points.columns(); ++j) {
    const double robust = median_deviation(points, weights, j);
    double& value = result[j];
    if (robust > 0) {
      value = robust;
    } else if (value > 0) {
      notes.push_back("more than half of column " + std::to_string(j) +
                      " is one value: its standard deviation is used instead of the median deviation");
    }
  }
  return result;
}

// What is left of a column after those before it may be the rounding of its coordinates, or of theirs.
void require_own_directions(const Bandwidth& bandwidth, ConstMatrixView<double> squared, const WeightedSpread& spread) {
  double rounding = 0;
  for (Index j = 0; j < squared.rows(); ++j) {
    rounding = std::max(rounding, coordinate_rounding * spread.largest[j] / spread.deviation[j]);
    if (bandwidth.factor()(j, j) <= rounding * std::sqrt(squared(j, j))) {
      throw NumericalError(
          "the bandwidth matrix is not positive definite: column " + std::to_string(j) +
          " (counted from 0) depends linearly on those before it, to the rounding of its values. Leave "
          "it out, or use form = diagonal");
    }
  }
}

Bandwidth bandwidth_of_spreads(BandwidthForm form, double factor, std::vector<double> spreads,
                               const WeightedSpread& spread, const Run& run) {
  const auto d = static_cast<Index>(spreads.size());
  if (form == BandwidthForm::scalar) {
    double squares = 0;
    for (const double value : spreads) {
      squares += value * value;
    }
    if (!(squares > 0)) {
      refuse_spread(0, spread);
    }
    return Bandwidth::scalar(factor * std::sqrt(squares / static_cast<double>(d)), d);
  }
  for (Index j = 0; j < d; ++j) {
    if (!(spreads[j] > 0)) {
      refuse_spread(j, spread);
    }
  }
  if (form == BandwidthForm::diagonal) {
    for (double& value : spreads) {
      value *= factor;
    }
    return Bandwidth::diagonal(std::move(spreads));
  }
  // The correlations of the columns with these spreads.
  Matrix<double> matrix(d, d);
  for (Index a = 0; a < d; ++a) {
    for (Index b = 0; b < d; ++b) {
      const auto i = static_cast<std::size_t>(a);
      const auto j = static_cast<std::size_t>(b);
      matrix(a, b) = factor * factor * spread.covariance(a, b) * (spreads[i] / spread.deviation[i]) *
                     (spreads[j] / spread.deviation[j]);
    }
  }
  const Bandwidth bandwidth = Bandwidth::full(matrix.view(), run);
  require_own_directions(bandwidth, matrix.view(), spread);
  return bandwidth;
}

// The best factor of a bandwidth. Of many rows a random part is scored: its best bandwidth is wider by a known power.
double cross_validated_factor(BandwidthRule rule, const Bandwidth& start, ConstMatrixView<double> points,
                              std::span<const double> weights, BandwidthChoice& choice, const Run& run) {
  const Index n = points.rows();
  std::vector<Index> rows(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  double shrinkage = 1;
  if (n > most_cross_validated) {
    RandomStream random(run.seed(), 0x6277);
    rows = sample_without_replacement(random, n, most_cross_validated);
    std::sort(rows.begin(), rows.end());
    shrinkage = std::pow(static_cast<double>(n) / static_cast<double>(most_cross_validated),
                         -1.0 / static_cast<double>(points.columns() + 4));
    choice.notes.push_back("cross-validation scored " + std::to_string(most_cross_validated) +
                           " rows drawn at random; the bandwidth is that for all rows");
  }
  Matrix<double> part(static_cast<Index>(rows.size()), points.columns());
  std::vector<double> part_weights;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::copy_n(points.row_data(rows[i]), points.columns(), part.view().row_data(static_cast<Index>(i)));
    if (!weights.empty()) {
      part_weights.push_back(weights[rows[i]]);
    }
  }
  const BandwidthSearch search = best_bandwidth_factor(
      rule == BandwidthRule::likelihood ? BandwidthScore::likelihood : BandwidthScore::least_squares,
      start.scaled(1 / shrinkage).whiten(part.view()).view(), part_weights, run);
  if (search.at_lower_end) {
    choice.notes.push_back(
        "cross-validation would have chosen an even smaller bandwidth, as it does where values repeat or are rounded");
  }
  const double log_determinant = start.scaled(1 / shrinkage).log_determinant();
  choice.criterion =
      rule == BandwidthRule::likelihood ? search.score + log_determinant : search.score * std::exp(-log_determinant);
  choice.evaluations = search.evaluations;
  return search.factor;
}

}  // namespace

namespace {

// Weights that sum to 1 or less are shares: of (Σw)²/Σw² rows, which is n where all are alike. One row is no share.
bool are_shares(double sum, double squares) { return sum <= 1 && squares < sum * sum * (1 - 1e-12); }

}  // namespace

WeightedSpread weighted_spread(ConstMatrixView<double> points, std::span<const double> weights) {
  const Index n = points.rows();
  const Index d = points.columns();
  double sum = 0;
  double squares = 0;
  for (Index i = 0; i < n; ++i) {
    sum += weight_of(weights, i);
    squares += weight_of(weights, i) * weight_of(weights, i);
  }
  WeightedSpread result{sum, std::vector<double>(d, 0.0), Matrix<double>::filled(d, d, 0.0),
                        std::vector<double>(d, 0.0)};
  for (Index i = 0; i < n; ++i) {
    for (Index a = 0; a < d; ++a) {
      result.largest[a] = std::max(result.largest[a], std::abs(points(i, a)));
    }
  }
  double freedom = sum - 1;
  if (are_shares(sum, squares)) {
    result.count = sum * sum / squares;
    freedom = sum - squares / sum;
  }
  if (!(freedom > 0)) {
    return result;
  }
  // Differences from the first row: exactly 0 for constant columns.
  std::vector<double> mean(d, 0.0);
  for (Index a = 0; a < d; ++a) {
    double total = 0;
    for (Index i = 0; i < n; ++i) {
      total += weight_of(weights, i) * (points(i, a) - points(0, a));
    }
    mean[a] = points(0, a) + total / sum;
  }
  for (Index a = 0; a < d; ++a) {
    for (Index b = 0; b <= a; ++b) {
      double total = 0;
      for (Index i = 0; i < n; ++i) {
        total += weight_of(weights, i) * (points(i, a) - mean[a]) * (points(i, b) - mean[b]);
      }
      result.covariance(a, b) = total / freedom;
      result.covariance(b, a) = result.covariance(a, b);
    }
    result.deviation[a] = std::sqrt(result.covariance(a, a));
  }
  return result;
}

double weighted_quantile(std::vector<double> values, std::vector<double> weights, double share) {
  if (weights.empty()) {
    weights.assign(values.size(), 1.0);
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (weights[i] > 0) {
      order.push_back(i);
    }
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double squares = std::inner_product(weights.begin(), weights.end(), weights.begin(), 0.0);
  if (are_shares(total, squares)) {
    for (double& weight : weights) {
      weight *= total / squares;
    }
    total *= total / squares;
  }
  // The copies of a value stand at places below, below + 1, …; the quantile is at place share · (n − 1).
  const double place = share * std::max(0.0, total - 1);
  double below = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double last = below + std::max(0.0, weights[order[k]] - 1);
    if (place <= last || k + 1 == order.size()) {
      return values[order[k]];
    }
    below += weights[order[k]];
    if (place < below) {
      const double part = (place - last) / (below - last);
      return values[order[k]] + part * (values[order[k + 1]] - values[order[k]]);
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

BandwidthChoice choose_bandwidth(BandwidthRule rule, BandwidthForm form, SmoothingShape shape,
                                 ConstMatrixView<double> points, std::span<const double> weights, const Run& run) {
  const Index d = points.columns();
  const WeightedSpread spread = weighted_spread(points, weights);
  const double power = std::pow(spread.count, -1.0 / static_cast<double>(d + 4));
  const double normal_factor = std::pow(4.0 / static_cast<double>(d + 2), 1.0 / static_cast<double>(d + 4));
  const double shape_factor = SmoothingKernel(shape, d).canonical_bandwidth() /
                              SmoothingKernel(SmoothingShape::gaussian, d).canonical_bandwidth();
  BandwidthChoice choice;
  if (rule == BandwidthRule::isj) {
    if (d != 1) {
      throw InvalidArgument("bandwidth = isj is a rule for one column, and there are " + std::to_string(d) +
                            "; least_squares is the nearest thing in several");
    }
    if (!(spread.deviation[0] > 0)) {
      refuse_spread(0, spread);
    }
    choice.bandwidth = Bandwidth::scalar(improved_sheather_jones(column_of(points, 0), weights) * shape_factor, 1);
    return choice;
  }
  const std::vector<double> spreads = column_spreads(rule, points, weights, spread, choice.notes);
  const double rule_factor = rule == BandwidthRule::scott ? power : normal_factor * power;
  const Bandwidth start = bandwidth_of_spreads(form, rule_factor, spreads, spread, run);
  double factor = shape_factor;
  if (rule == BandwidthRule::likelihood || rule == BandwidthRule::least_squares) {
    factor *= cross_validated_factor(rule, start, points, weights, choice, run);
  }
  choice.bandwidth = start.scaled(factor);
  return choice;
}

}  // namespace mercer
