// Histograms in any dimension: bins between edges along every axis, p(x) = n_cell / (N · volume of the cell). A point on
// an edge belongs to the bin above it, on the last edge to the last bin; outside the edges p is 0. Only cells that hold
// something are stored. Rules for the number of bins, h the width of one, range r:
//
//   sturges   ⌈log2 n + 1⌉ bins                scott     h = (24 √π)^{1/3} σ n^{−1/(d+2)}
//   fd        h = 2 IQR n^{−1/(d+2)}           quantile  as many as sturges, each with an equal share of the points
//
// References: Scott (1979); Freedman and Diaconis (1981); Scott (1992), 3.4 for d dimensions.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

enum class BinRule { sturges, scott, fd, quantile };
constexpr auto words_of(BinRule) {
  return std::array{Word{BinRule::sturges, "sturges"}, Word{BinRule::scott, "scott"}, Word{BinRule::fd, "fd"},
                    Word{BinRule::quantile, "quantile"}};
}

class HistogramDensity {
 public:
  struct Cell {
    Index place = 0;  ///< number of the cell, the last axis running fastest
    double weight = 0;
    bool operator==(const Cell&) const = default;
  };

  /// None yet: only to be assigned to.
  HistogramDensity() = default;
  /// Ascending edges per axis, two at least each. InvalidArgument otherwise, and for more than 2^62 cells.
  explicit HistogramDensity(std::vector<std::vector<double>> edges);
  /// As stored. DataError for cells that do not ascend, lie outside or hold nothing.
  HistogramDensity(std::vector<std::vector<double>> edges, std::vector<Cell> cells);

  /// Counts more points: weights ≥ 0, one per point, or none. Points outside the edges do not count; their weight is
  /// returned. O(n (d ln bins + ln n)).
  double add(ConstMatrixView<double> points, std::span<const double> weights);

  Index dimension() const { return static_cast<Index>(edges_.size()); }
  std::span<const std::vector<double>> edges() const { return edges_; }
  std::span<const Cell> cells() const { return cells_; }
  double total_weight() const { return total_; }

  /// ln p(x), −inf where p is 0.
  double log_density(std::span<const double> x) const;

 private:
  Index place_of(std::span<const double> x) const;  // −1: outside
  void require_edges();

  std::vector<std::vector<double>> edges_;
  std::vector<Cell> cells_;  // ascending places
  double total_ = 0;
};

/// Edges from the smallest to the largest value of every column; a column of one value gets one bin of width 1 around it.
/// Weights count as copies. At most 100000 bins per axis.
std::vector<std::vector<double>> histogram_edges(BinRule rule, ConstMatrixView<double> points,
                                                 std::span<const double> weights);
/// The same with a given number of equal bins per column.
std::vector<std::vector<double>> equal_edges(std::span<const Index> bins, ConstMatrixView<double> points);

}  // namespace mercer
