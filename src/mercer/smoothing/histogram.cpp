#include "mercer/smoothing/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/smoothing/bandwidth_rules.h"

namespace mercer {

namespace {

constexpr double most_bins = 100000;
constexpr double most_cells = 0x1p62;

struct ColumnRange {
  double low = 0;
  double high = 0;
};

ColumnRange column_range(ConstMatrixView<double> points, Index column) {
  ColumnRange range{points(0, column), points(0, column)};
  for (Index i = 1; i < points.rows(); ++i) {
    range.low = std::min(range.low, points(i, column));
    range.high = std::max(range.high, points(i, column));
  }
  if (!(range.high > range.low)) {
    // Where numbers are so large that a half is lost, the neighbouring ones.
    const double half = std::max(0.5, std::abs(range.low) * 1e-12);
    return {range.low - half, range.high + half};
  }
  return range;
}

std::vector<double> equal_steps(ColumnRange range, double bins) {
  std::vector<double> edges;
  for (double k = 0; k < bins; ++k) {
    edges.push_back(range.low + (range.high - range.low) * (k / bins));
  }
  edges.push_back(range.high);
  // Steps below the resolution of the numbers.
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace

HistogramDensity::HistogramDensity(std::vector<std::vector<double>> edges) : edges_(std::move(edges)) {
  require_edges();
}

HistogramDensity::HistogramDensity(std::vector<std::vector<double>> edges, std::vector<Cell> cells)
    : edges_(std::move(edges)), cells_(std::move(cells)) {
  require_edges();
  Index count = 1;
  for (const std::vector<double>& axis : edges_) {
    count *= static_cast<Index>(axis.size()) - 1;
  }
  Index before = -1;
  for (const Cell& cell : cells_) {
    if (cell.place <= before || cell.place >= count || !(cell.weight > 0) || !std::isfinite(cell.weight)) {
      throw DataError("the cells of a histogram must ascend, lie inside it and have positive weights");
    }
    before = cell.place;
    total_ += cell.weight;
  }
}

void HistogramDensity::require_edges() {
  if (edges_.empty()) {
    throw InvalidArgument("a histogram needs one axis at least");
  }
  double cells = 1;
  for (const std::vector<double>& axis : edges_) {
    if (axis.size() < 2 || !std::all_of(axis.begin(), axis.end(), [](double edge) { return std::isfinite(edge); }) ||
        std::adjacent_find(axis.begin(), axis.end(), std::greater_equal<>()) != axis.end()) {
      throw InvalidArgument("the edges of an axis must be finite and ascend, two of them at least");
    }
    cells *= static_cast<double>(axis.size() - 1);
  }
  if (cells > most_cells) {
    throw InvalidArgument("a histogram of " + shortest(cells) + " cells; at most 2^62 can be numbered: use fewer bins");
  }
}

Index HistogramDensity::place_of(std::span<const double> x) const {
  Index place = 0;
  for (std::size_t j = 0; j < edges_.size(); ++j) {
    const std::vector<double>& axis = edges_[j];
    if (!(x[j] >= axis.front() && x[j] <= axis.back())) {
      return -1;
    }
    const auto above = std::upper_bound(axis.begin(), axis.end() - 1, x[j]);
    place = place * static_cast<Index>(axis.size() - 1) + (above - axis.begin() - 1);
  }
  return place;
}

double HistogramDensity::add(ConstMatrixView<double> points, std::span<const double> weights) {
  if (points.columns() != dimension()) {
    throw DataError("points of " + std::to_string(points.columns()) + " columns for a histogram of " +
                    std::to_string(dimension()));
  }
  double outside = 0;
  std::vector<Cell> found;
  for (Index i = 0; i < points.rows(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    const Index place = place_of(points.row(i));
    if (place < 0) {
      outside += weight;
    } else if (weight > 0) {
      found.push_back({place, weight});
      total_ += weight;
    }
  }
  found.insert(found.end(), cells_.begin(), cells_.end());
  std::stable_sort(found.begin(), found.end(), [](const Cell& a, const Cell& b) { return a.place < b.place; });
  cells_.clear();
  for (const Cell& cell : found) {
    if (!cells_.empty() && cells_.back().place == cell.place) {
      cells_.back().weight += cell.weight;
    } else {
      cells_.push_back(cell);
    }
  }
  return outside;
}

double HistogramDensity::log_density(std::span<const double> x) const {
  Index place = place_of(x);
  const auto found = std::lower_bound(cells_.begin(), cells_.end(), place,
                                      [](const Cell& cell, Index wanted) { return cell.place < wanted; });
  if (place < 0 || found == cells_.end() || found->place != place) {
    return -std::numeric_limits<double>::infinity();
  }
  double log_volume = 0;
  for (std::size_t j = edges_.size(); j-- > 0;) {
    const auto bins = static_cast<Index>(edges_[j].size() - 1);
    const auto bin = static_cast<std::size_t>(place % bins);
    place /= bins;
    log_volume += std::log(edges_[j][bin + 1] - edges_[j][bin]);
  }
  return std::log(found->weight / total_) - log_volume;
}

std::vector<std::vector<double>> equal_edges(std::span<const Index> bins, ConstMatrixView<double> points) {
  std::vector<std::vector<double>> edges;
  for (Index j = 0; j < points.columns(); ++j) {
    const Index count = bins[j];
    if (count < 1 || static_cast<double>(count) > most_bins) {
      reject_argument("bins", static_cast<double>(count), "between 1 and 100000 per column");
    }
    edges.push_back(equal_steps(column_range(points, j), static_cast<double>(count)));
  }
  return edges;
}

std::vector<std::vector<double>> histogram_edges(BinRule rule, ConstMatrixView<double> points,
                                                 std::span<const double> weights) {
  const WeightedSpread spread = weighted_spread(points, weights);
  const double power = std::pow(spread.count, -1.0 / static_cast<double>(points.columns() + 2));
  const double sturges = std::ceil(std::log2(std::max(1.0, spread.count)) + 1);
  std::vector<std::vector<double>> edges;
  for (Index j = 0; j < points.columns(); ++j) {
    const ColumnRange range = column_range(points, j);
    std::vector<double> values(points.rows());
    for (Index i = 0; i < points.rows(); ++i) {
      values[i] = points(i, j);
    }
    const std::vector<double> copies(weights.begin(), weights.end());
    const bool varies = std::ranges::any_of(values, [&](double value) { return value != values.front(); });
    if (!varies) {
      edges.push_back({range.low, range.high});
      continue;
    }
    if (rule == BinRule::quantile) {
      std::vector<double> axis = {range.low};
      for (double k = 1; k < sturges; ++k) {
        axis.push_back(weighted_quantile(values, copies, k / sturges));
      }
      axis.push_back(range.high);
      axis.erase(std::unique(axis.begin(), axis.end()), axis.end());
      edges.push_back(std::move(axis));
      continue;
    }
    double width = 0;
    // The middle half of the values may be one value: then the deviation says more.
    if (rule == BinRule::fd) {
      width = 2 * (weighted_quantile(values, copies, 0.75) - weighted_quantile(values, copies, 0.25)) * power;
    }
    if (rule == BinRule::scott || (rule == BinRule::fd && !(width > 0))) {
      const double population = std::sqrt(std::max(0.0, spread.count - 1) / spread.count);
      width = std::cbrt(24 * std::sqrt(std::numbers::pi)) * population * spread.deviation[j] * power;
    }
    const double bins = width > 0 ? std::ceil((range.high - range.low) / width) : sturges;
    edges.push_back(equal_steps(range, std::clamp(bins, 1.0, most_bins)));
  }
  return edges;
}

}  // namespace mercer
