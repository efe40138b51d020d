#include "mercer/report/sections/calibration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/select/sample_mean.h"

namespace mercer {

namespace {

constexpr Index probability_bins = 10;
constexpr Index most_classes = 30;

}  // namespace

std::vector<double> equal_bins(double least, double largest, Index bins) {
  if (!(largest > least)) {
    least -= 0.5;
    largest = least + 1;
  }
  std::vector<double> edges;
  for (Index b = 0; b <= bins; ++b) {
    const double share = static_cast<double>(b) / static_cast<double>(bins);
    edges.push_back(least * (1 - share) + largest * share);
  }
  return edges;
}

Index bin_of(std::span<const double> edges, double value) {
  const auto above = std::upper_bound(edges.begin(), edges.end(), value);
  return std::clamp<Index>(above - edges.begin() - 1, 0, static_cast<Index>(edges.size()) - 2);
}

std::vector<Calibration> calibration_curves(const std::vector<std::string>& classes,
                                            const std::vector<std::int32_t>& truth,
                                            const Matrix<double>& probabilities) {
  const std::vector<double> edges = equal_bins(0, 1, probability_bins);
  const auto class_count = static_cast<Index>(classes.size());
  std::vector<Calibration> curves;
  for (Index c = class_count == 2 ? 1 : 0; c < std::min(class_count, most_classes); ++c) {
    std::vector<double> sums(probability_bins);
    std::vector<double> hits(probability_bins);
    std::vector<Index> rows(probability_bins);
    for (Index i = 0; i < probabilities.rows(); ++i) {
      const double p = probabilities(i, c);
      if (std::isnan(p)) {
        continue;
      }
      const auto b = static_cast<std::size_t>(bin_of(edges, p));
      sums[b] += p;
      hits[b] += truth[i] == c ? 1 : 0;
      ++rows[b];
    }
    Calibration& curve = curves.emplace_back();
    curve.name = classes[c];
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const auto count = static_cast<double>(rows[b]);
      curve.predicted.push_back(rows[b] > 0 ? sums[b] / count : unknown_value);
      curve.observed.push_back(rows[b] > 0 ? hits[b] / count : unknown_value);
      curve.count.push_back(rows[b]);
    }
  }
  return curves;
}

std::optional<MarginHistogram> margin_histogram(const std::vector<std::string>& classes,
                                                const std::vector<std::int32_t>& truth, std::span<const double> margins,
                                                Index bins) {
  double least = std::numeric_limits<double>::infinity();
  double largest = -least;
  const auto counts = [&](std::size_t i) { return std::isfinite(margins[i]) && truth[i] >= 0; };
  for (std::size_t i = 0; i < margins.size(); ++i) {
    if (counts(i)) {
      least = std::min(least, margins[i]);
      largest = std::max(largest, margins[i]);
    }
  }
  if (least > largest) {
    return std::nullopt;
  }
  MarginHistogram result;
  result.edges = equal_bins(least, largest, bins);
  result.classes = classes;
  result.counts.assign(classes.size(), std::vector<Index>(bins));
  for (std::size_t i = 0; i < margins.size(); ++i) {
    if (counts(i)) {
      ++result.counts[truth[i]][bin_of(result.edges, margins[i])];
    }
  }
  return result;
}

}  // namespace mercer
