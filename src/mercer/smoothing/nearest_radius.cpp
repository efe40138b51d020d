#include "mercer/smoothing/nearest_radius.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/parallel.h"

namespace mercer {

namespace {

constexpr Index radii_per_task = 64;
constexpr double no_radius = std::numeric_limits<double>::infinity();

// The nearest points so far, as few as hold the weight; the farthest on top.
class NearestPoints {
 public:
  explicit NearestPoints(double count) : count_(count) {}

  double squared_radius() const { return total_ >= count_ ? heap_.front().squared : no_radius; }
  void clear() {
    heap_.clear();
    total_ = 0;
  }
  void add(double squared, double weight) {
    heap_.push_back({squared, weight});
    std::push_heap(heap_.begin(), heap_.end());
    total_ += weight;
    while (total_ - heap_.front().weight >= count_) {
      total_ -= heap_.front().weight;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
  }

 private:
  struct Item {
    double squared;
    double weight;
    bool operator<(const Item& other) const { return squared < other.squared; }
  };
  double count_;
  double total_ = 0;
  std::vector<Item> heap_;
};

double squared_distance_to_box(const PointTree& tree, Index node, std::span<const double> x) {
  const std::span<const double> low = tree.lower(node);
  const std::span<const double> high = tree.upper(node);
  double sum = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double gap = std::max(0.0, std::max(low[j] - x[j], x[j] - high[j]));
    sum += gap * gap;
  }
  return sum;
}

double search(const PointTree& tree, std::span<const double> x, NearestPoints& nearest,
              std::vector<std::pair<Index, double>>& pending) {
  nearest.clear();
  pending.assign(1, {0, 0.0});
  while (!pending.empty()) {
    const auto [number, distance] = pending.back();
    pending.pop_back();
    if (distance >= nearest.squared_radius()) {
      continue;
    }
    const PointTree::Node& node = tree.nodes()[number];
    if (!node.is_leaf()) {
      const double left = squared_distance_to_box(tree, node.left, x);
      const double right = squared_distance_to_box(tree, node.left + 1, x);
      // The nearer child last: it is looked at first.
      pending.emplace_back(left < right ? node.left + 1 : node.left, std::max(left, right));
      pending.emplace_back(left < right ? node.left : node.left + 1, std::min(left, right));
      continue;
    }
    for (Index i = node.begin; i < node.end; ++i) {
      double squared = 0;
      for (Index j = 0; j < tree.dimension(); ++j) {
        const double t = tree.coordinate(j)[i] - x[j];
        squared += t * t;
      }
      if (squared < nearest.squared_radius()) {
        nearest.add(squared, tree.weights().empty() ? 1.0 : tree.weights()[i]);
      }
    }
  }
  return std::sqrt(nearest.squared_radius());
}

}  // namespace

std::vector<double> nearest_radii(const PointTree& tree, ConstMatrixView<double> queries, double count,
                                  const Run& run) {
  std::vector<double> result(queries.rows());
  parallel_for(run, block_count(queries.rows(), radii_per_task), "nearest points", [&](Index task) {
    NearestPoints nearest(count);
    std::vector<std::pair<Index, double>> pending;
    const IndexRange range = block_range(queries.rows(), radii_per_task, task);
    for (Index q = range.begin; q < range.end; ++q) {
      result[q] = search(tree, queries.row(q), nearest, pending);
    }
  });
  return result;
}

}  // namespace mercer
