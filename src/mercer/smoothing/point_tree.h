// PointTree: a kd-tree over weighted points, made for sums of kernels. Points stand in the order of the leaves, one array
// per coordinate, so that every node is one range of contiguous memory; a node knows its bounding box, the sum of its
// weights and the smallest and largest scale of its points. Reference: Gray and Moore, Nonparametric density estimation:
// toward computational tractability (2003).
#pragma once

#include <span>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

class PointTree {
 public:
  struct Node {
    Index begin = 0;  ///< points [begin, end) in the order of the tree
    Index end = 0;
    Index left = -1;  ///< the children are left and left + 1; −1: a leaf
    double weight = 0;
    double smallest_scale = 1;
    double largest_scale = 1;

    bool is_leaf() const { return left < 0; }
    Index size() const { return end - begin; }
  };

  PointTree() = default;
  /// Weights and scales: one per point, or none (all 1). Nodes of at most leaf_size points are leaves. O(d n log n).
  PointTree(ConstMatrixView<double> points, std::span<const double> weights, std::span<const double> scales,
            Index leaf_size);

  Index size() const { return static_cast<Index>(order_.size()); }
  Index dimension() const { return dimension_; }
  std::span<const Node> nodes() const { return nodes_; }
  const Node& root() const { return nodes_.front(); }
  /// The lower and upper corners of a node's box.
  std::span<const double> lower(Index node) const { return corner(node, 0); }
  std::span<const double> upper(Index node) const { return corner(node, 1); }

  /// Coordinate j of all points, in the order of the tree.
  const double* coordinate(Index j) const { return coordinates_.data() + j * size(); }
  /// Empty: all 1.
  std::span<const double> weights() const { return weights_; }
  std::span<const double> scales() const { return scales_; }
  /// The row that the point at a position of the tree's order came from.
  Index row(Index position) const { return order_[position]; }

 private:
  std::span<const double> corner(Index node, Index which) const {
    return {corners_.data() + (2 * node + which) * dimension_, static_cast<std::size_t>(dimension_)};
  }
  void split(Index node, ConstMatrixView<double> points, Index leaf_size);
  void summarize(std::span<const double> weights, std::span<const double> scales);

  Index dimension_ = 0;
  std::vector<Node> nodes_;
  std::vector<double> corners_;
  std::vector<Index> order_;
  Buffer<double> coordinates_;
  std::vector<double> weights_;
  std::vector<double> scales_;
};

}  // namespace mercer
