#include "mercer/smoothing/point_tree.h"

#include <algorithm>
#include <numeric>

namespace mercer {

PointTree::PointTree(ConstMatrixView<double> points, std::span<const double> weights, std::span<const double> scales,
                     Index leaf_size)
    : dimension_(points.columns()), order_(static_cast<std::size_t>(points.rows())) {
  std::iota(order_.begin(), order_.end(), Index{0});
  nodes_.push_back({.begin = 0, .end = points.rows()});
  // Children are appended while their parents are walked: breadth first, without recursion.
  for (Index node = 0; node < static_cast<Index>(nodes_.size()); ++node) {
    split(node, points, leaf_size);
  }
  coordinates_ = Buffer<double>(dimension_ * size());
  for (Index i = 0; i < size(); ++i) {
    for (Index j = 0; j < dimension_; ++j) {
      coordinates_.data()[j * size() + i] = points(row(i), j);
    }
  }
  summarize(weights, scales);
}

void PointTree::split(Index node, ConstMatrixView<double> points, Index leaf_size) {
  const Node range = nodes_[node];
  corners_.resize(2 * (node + 1) * dimension_, 0.0);
  double* low = corners_.data() + 2 * node * dimension_;
  double* high = low + dimension_;
  for (Index i = range.begin; i < range.end; ++i) {
    const double* x = points.row_data(row(i));
    for (Index j = 0; j < dimension_; ++j) {
      low[j] = i == range.begin ? x[j] : std::min(low[j], x[j]);
      high[j] = i == range.begin ? x[j] : std::max(high[j], x[j]);
    }
  }
  Index widest = 0;
  for (Index j = 1; j < dimension_; ++j) {
    widest = high[j] - low[j] > high[widest] - low[widest] ? j : widest;
  }
  // A box without extent cannot be cut: all of its points are one.
  if (range.size() <= leaf_size || !(high[widest] > low[widest])) {
    return;
  }
  const Index middle = range.begin + range.size() / 2;
  const auto first = order_.begin();
  std::nth_element(first + range.begin, first + middle, first + range.end,
                   [&](Index a, Index b) { return points(a, widest) < points(b, widest); });
  nodes_[node].left = static_cast<Index>(nodes_.size());
  nodes_.push_back({.begin = range.begin, .end = middle});
  nodes_.push_back({.begin = middle, .end = range.end});
}

void PointTree::summarize(std::span<const double> weights, std::span<const double> scales) {
  const auto in_order = [&](std::span<const double> values) {
    std::vector<double> sorted;
    for (Index i = 0; i < static_cast<Index>(values.size()); ++i) {
      sorted.push_back(values[row(i)]);
    }
    return sorted;
  };
  weights_ = in_order(weights);
  scales_ = in_order(scales);
  for (Index number = static_cast<Index>(nodes_.size()) - 1; number >= 0; --number) {
    Node& node = nodes_[number];
    if (!node.is_leaf()) {
      const Node& a = nodes_[node.left];
      const Node& b = nodes_[node.left + 1];
      node.weight = a.weight + b.weight;
      node.smallest_scale = std::min(a.smallest_scale, b.smallest_scale);
      node.largest_scale = std::max(a.largest_scale, b.largest_scale);
      continue;
    }
    node.weight = weights_.empty() ? static_cast<double>(node.size())
                                   : std::accumulate(weights_.begin() + node.begin, weights_.begin() + node.end, 0.0);
    if (!scales_.empty() && node.size() > 0) {
      const auto [least, most] = std::minmax_element(scales_.begin() + node.begin, scales_.begin() + node.end);
      node.smallest_scale = *least;
      node.largest_scale = *most;
    }
  }
}

}  // namespace mercer
