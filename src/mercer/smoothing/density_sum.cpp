#include "mercer/smoothing/density_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/parallel.h"
#include "mercer/base/vector_math.h"
#include "mercer/linalg/blas.h"
#include "mercer/smoothing/tile_sums.h"

namespace mercer {

namespace {

constexpr Index tree_leaf_points = 64;
constexpr Index group_queries = 32;
constexpr Index tile_points = 512;
constexpr Index highest_tree_dimension = 16;
constexpr Index highest_direct_dimension = 24;  // from here on products are faster
// Below this a sum of an unbounded kernel may have lost terms to underflow.
constexpr double underflow_guard = 1e-200;
constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double minus_infinity = -unlimited;

// Squared distances between two boxes: of the nearest and of the farthest points.
struct BoxDistances {
  double nearest = 0;
  double farthest = 0;
};
BoxDistances box_distances(const SmoothingKernel& kernel, std::span<const double> low_a, std::span<const double> high_a,
                           std::span<const double> low_b, std::span<const double> high_b) {
  BoxDistances result;
  for (std::size_t j = 0; j < low_a.size(); ++j) {
    const double gap = std::max(0.0, std::max(low_a[j] - high_b[j], low_b[j] - high_a[j]));
    const double reach = std::max(high_a[j] - low_b[j], high_b[j] - low_a[j]);
    result.nearest = kernel.with_coordinate(result.nearest, gap);
    result.farthest = kernel.with_coordinate(result.farthest, reach);
  }
  return result;
}

std::vector<double> column_means(ConstMatrixView<double> points) {
  std::vector<double> means(points.columns(), 0.0);
  for (Index i = 0; i < points.rows(); ++i) {
    for (Index j = 0; j < points.columns(); ++j) {
      means[j] += points(i, j) / static_cast<double>(points.rows());
    }
  }
  return means;
}

// The points about a centre; as they are where there is none.
Matrix<double> centered(ConstMatrixView<double> points, std::span<const double> center) {
  Matrix<double> result = Matrix<double>::copy_of(points);
  for (Index i = 0; i < points.rows() && !center.empty(); ++i) {
    for (Index j = 0; j < points.columns(); ++j) {
      result(i, j) -= center[j];
    }
  }
  return result;
}

// Weights with the factor λ^−d, which the sums carry.
std::vector<double> scaled_weights(std::span<const double> weights, std::span<const double> scales, Index dimension) {
  std::vector<double> result(weights.begin(), weights.end());
  if (!scales.empty()) {
    result.resize(scales.size(), 1.0);
    for (std::size_t i = 0; i < scales.size(); ++i) {
      result[i] *= std::pow(scales[i], -static_cast<double>(dimension));
    }
  }
  return result;
}

}  // namespace

// Some queries that lie together: a leaf of the tree of queries.
struct DensitySum::Group {
  const PointTree& queries;
  Index node;
  bool without_own;  // queries are the points, and leave themselves out

  IndexRange range() const {
    const PointTree::Node& leaf = queries.nodes()[node];
    return {leaf.begin, leaf.end};
  }
};

struct DensitySum::Workspace {
  std::vector<Index> pending;
  std::vector<Index> next;
  std::vector<double> upper;
  std::vector<double> lower;
  struct Candidate {
    Index node;
    double error;   // of taking it at its middle
    double middle;  // of the sum over its points
  };
  std::vector<Candidate> leaves;   // that were not taken on the way
  std::vector<IndexRange> ranges;  // what is left to be summed exactly
  double taken = 0;                // what the walk took at its middle, the same for all queries of the group
  std::vector<double> sums;        // per query of the group
  std::vector<double> tile = std::vector<double>(tile_points);
  Matrix<double> queries;  // of the group by rows, and their products with a tile; in many dimensions
  Matrix<double> products;
};

DensitySum::DensitySum(const SmoothingKernel& kernel, ConstMatrixView<double> points, std::span<const double> weights,
                       std::span<const double> scales, SumMethod method)
    : kernel_(kernel),
      method_(method != SumMethod::automatic                 ? method
              : kernel.dimension() <= highest_tree_dimension ? SumMethod::tree
                                                             : SumMethod::exact),
      center_(kernel.dimension() > highest_direct_dimension && kernel.norm() == DistanceNorm::euclidean
                  ? column_means(points)
                  : std::vector<double>()),
      tree_(centered(points, center_).view(), scaled_weights(weights, scales, kernel.dimension()), scales,
            tree_leaf_points) {
  if (!center_.empty()) {
    const std::vector<double> origin(tree_.dimension(), 0.0);
    squared_norms_.resize(size());
    squared_distances(tree_.coordinate(0), size(), origin.data(), tree_.dimension(), squared_norms_.data(), size());
  }
}

void DensitySum::walk(const Group& group, SumAccuracy accuracy, Workspace& work) const {
  work.ranges.clear();
  work.taken = 0;
  if (method_ == SumMethod::exact) {
    work.ranges.push_back({0, size()});
    return;
  }
  const double total = tree_.root().weight;
  double settled_lower = 0;  // of nodes that are taken or summed exactly
  double spent = 0;          // of the error
  work.leaves.clear();
  work.pending.assign(1, 0);
  while (!work.pending.empty()) {
    const std::size_t count = work.pending.size();
    work.upper.resize(count);
    work.lower.resize(count);
    double lower_bound = settled_lower;
    for (std::size_t k = 0; k < count; ++k) {
      const Index number = work.pending[k];
      const PointTree::Node& node = tree_.nodes()[number];
      const BoxDistances s = box_distances(kernel_, group.queries.lower(group.node), group.queries.upper(group.node),
                                           tree_.lower(number), tree_.upper(number));
      work.upper[k] = s.nearest / (node.largest_scale * node.largest_scale);
      work.lower[k] = s.farthest / (node.smallest_scale * node.smallest_scale);
    }
    kernel_.profile(work.upper, work.upper);
    kernel_.profile(work.lower, work.lower);
    for (std::size_t k = 0; k < count; ++k) {
      // Of a node that touches the group nothing is known without the queries' own terms; it is never taken either.
      if (group.without_own && work.upper[k] == 1) {
        work.lower[k] = -1;
        continue;
      }
      lower_bound += tree_.nodes()[work.pending[k]].weight * work.lower[k];
    }
    const double share = (accuracy.relative * lower_bound + accuracy.absolute) / total;
    work.next.clear();
    for (std::size_t k = 0; k < count; ++k) {
      const PointTree::Node& node = tree_.nodes()[work.pending[k]];
      const double lower = std::max(0.0, work.lower[k]);
      const double error = work.lower[k] >= 0 ? (work.upper[k] - lower) / 2 : unlimited;
      const double middle = node.weight * (work.upper[k] + lower) / 2;
      if (error <= share) {
        work.taken += middle;
        spent += node.weight * error;
        settled_lower += node.weight * lower;
      } else if (node.is_leaf()) {
        work.leaves.push_back({work.pending[k], node.weight * error, middle});
        settled_lower += node.weight * lower;
      } else {
        work.next.push_back(node.left);
        work.next.push_back(node.left + 1);
      }
    }
    work.pending.swap(work.next);
  }
  spend_the_rest(accuracy.relative * settled_lower + accuracy.absolute - spent, work);
}

// Leaves are taken at their middle, those of least error first, while the error allows; the others become ranges.
void DensitySum::spend_the_rest(double budget, Workspace& work) const {
  std::sort(work.leaves.begin(), work.leaves.end(), [](const Workspace::Candidate& a, const Workspace::Candidate& b) {
    return a.error != b.error ? a.error < b.error : a.node < b.node;
  });
  std::size_t kept = 0;
  for (; kept < work.leaves.size() && work.leaves[kept].error <= budget; ++kept) {
    budget -= work.leaves[kept].error;
    work.taken += work.leaves[kept].middle;
  }
  for (; kept < work.leaves.size(); ++kept) {
    const PointTree::Node& leaf = tree_.nodes()[work.leaves[kept].node];
    work.ranges.push_back({leaf.begin, leaf.end});
  }
  std::sort(work.ranges.begin(), work.ranges.end(), [](IndexRange a, IndexRange b) { return a.begin < b.begin; });
  std::size_t last = 0;
  for (std::size_t k = 1; k < work.ranges.size(); ++k) {
    if (work.ranges[k].begin == work.ranges[last].end) {
      work.ranges[last].end = work.ranges[k].end;
    } else {
      work.ranges[++last] = work.ranges[k];
    }
  }
  work.ranges.resize(std::min(work.ranges.size(), last + 1));
}

// Squared distances from coordinates, to a query of the group.
void DensitySum::distances(const Workspace& work, Index query, IndexRange tile, double* squared) const {
  const auto squares = kernel_.norm() == DistanceNorm::euclidean ? squared_distances : largest_squares;
  squares(tree_.coordinate(0) + tile.begin, size(), work.queries.view().row_data(query), tree_.dimension(), squared,
          tile.size());
}

// Squared distances of all queries of the group, by one product.
void DensitySum::products(const Group& group, IndexRange tile, Workspace& work) const {
  const IndexRange queries = group.range();
  const MatrixView<double> products = work.products.view().block(0, 0, queries.size(), tile.size());
  const ConstMatrixView<double> points(tree_.coordinate(0) + tile.begin, tree_.dimension(), tile.size(), size());
  gemm(-2, work.queries.view().row_block({0, queries.size()}), Transpose::no, points, Transpose::no, 0, products);
  for (Index q = 0; q < queries.size(); ++q) {
    const double norm = dot(work.queries.view().row(q), work.queries.view().row(q));
    double* s = products.row_data(q);
    const bool lost = squared_from_products(s, squared_norms_.data() + tile.begin, norm, tile.size());
    for (Index i = 0; i < tile.size() && lost; ++i) {
      const double norms = norm + squared_norms_[tile.begin + i];
      if (has_lost_digits(norms, s[i])) {
        distances(work, q, {tile.begin + i, tile.begin + i + 1}, s + i);
      }
    }
  }
}

void DensitySum::add_range(const Group& group, IndexRange range, Workspace& work) const {
  const IndexRange queries = group.range();
  const bool by_products = !squared_norms_.empty();
  for (Index begin = range.begin; begin < range.end; begin += tile_points) {
    const IndexRange tile{begin, std::min(begin + tile_points, range.end)};
    if (by_products) {
      products(group, tile, work);
    }
    for (Index q = queries.begin; q < queries.end; ++q) {
      double* s = work.tile.data();
      if (by_products) {
        s = work.products.view().row_data(q - queries.begin);
      } else {
        distances(work, q - queries.begin, tile, s);
      }
      if (!tree_.scales().empty()) {
        divide_by_squares(s, tree_.scales().data() + begin, tile.size());
      }
      if (group.without_own && q >= begin && q < tile.end) {
        s[q - begin] = unlimited;
      }
      const std::span<double> values(s, static_cast<std::size_t>(tile.size()));
      kernel_.profile(values, values);
      work.sums[q - queries.begin] += tree_.weights().empty()
                                          ? lane_sum(s, tile.size())
                                          : weighted_lane_sum(s, tree_.weights().data() + begin, tile.size());
    }
  }
}

// ln Σ exp(a_i) with the largest term taken out, for one query that is far from every point.
double DensitySum::distant_log_sum(const Group& group, Index query, Workspace& work) const {
  double largest = minus_infinity;
  double sum = 0;
  double* a = work.tile.data();
  for (const bool adding : {false, true}) {
    for (Index begin = 0; begin < size(); begin += tile_points) {
      const Index count = std::min(tile_points, size() - begin);
      distances(work, query - group.range().begin, {begin, begin + count}, a);
      if (!tree_.scales().empty()) {
        divide_by_squares(a, tree_.scales().data() + begin, count);
      }
      if (group.without_own && query >= begin && query < begin + count) {
        a[query - begin] = unlimited;
      }
      for (Index i = 0; i < count; ++i) {
        const double log_weight = tree_.weights().empty() ? 0 : std::log(tree_.weights()[begin + i]);
        a[i] = kernel_.log_profile(a[i]) + log_weight;
      }
      if (!adding) {
        largest = std::max(largest, *std::max_element(a, a + count));
        continue;
      }
      for (Index i = 0; i < count; ++i) {
        a[i] -= largest;
      }
      const std::span<double> terms(a, static_cast<std::size_t>(count));
      vector_exp(terms, terms);
      sum += lane_sum(a, count);
    }
    if (largest == minus_infinity) {
      return largest;
    }
  }
  return largest + std::log(sum);
}

// The queries of the group by rows.
void DensitySum::gather_queries(const Group& group, Workspace& work) const {
  const IndexRange queries = group.range();
  if (work.queries.rows() < queries.size()) {
    work.queries = Matrix<double>(std::max(queries.size(), group_queries), tree_.dimension());
    if (!squared_norms_.empty()) {
      work.products = Matrix<double>(work.queries.rows(), tile_points);
    }
  }
  for (Index q = 0; q < queries.size(); ++q) {
    for (Index j = 0; j < tree_.dimension(); ++j) {
      work.queries(q, j) = group.queries.coordinate(j)[queries.begin + q];
    }
  }
}

void DensitySum::sum_group(const Group& group, SumAccuracy accuracy, Workspace& work) const {
  walk(group, accuracy, work);
  const IndexRange queries = group.range();
  gather_queries(group, work);
  work.sums.assign(queries.size(), work.taken);
  for (const IndexRange range : work.ranges) {
    add_range(group, range, work);
  }
  const double guard = std::isinf(kernel_.support()) ? underflow_guard * tree_.root().weight : 0;
  for (Index q = queries.begin; q < queries.end; ++q) {
    double& sum = work.sums[q - queries.begin];
    sum = sum < guard ? distant_log_sum(group, q, work) : std::log(sum);
  }
}

std::vector<double> DensitySum::log_sums(ConstMatrixView<double> queries, SumAccuracy accuracy, const Run& run) const {
  std::vector<double> result(queries.rows());
  if (queries.rows() == 0) {
    return result;
  }
  const PointTree grouped(centered(queries, center_).view(), {}, {}, group_queries);
  std::vector<Index> leaves;
  for (Index node = 0; node < static_cast<Index>(grouped.nodes().size()); ++node) {
    if (grouped.nodes()[node].is_leaf()) {
      leaves.push_back(node);
    }
  }
  std::vector<Workspace> work(run.threads());
  parallel_for_workers(
      run, static_cast<Index>(leaves.size()),
      [&](Index task, int worker) {
        Workspace& own = work[worker];
        const Group group{grouped, leaves[task], false};
        sum_group(group, accuracy, own);
        const IndexRange range = group.range();
        for (Index q = range.begin; q < range.end; ++q) {
          result[grouped.row(q)] = own.sums[q - range.begin];
        }
      },
      "density");
  return result;
}

std::vector<double> DensitySum::log_sums_without_own(SumAccuracy accuracy, const Run& run) const {
  std::vector<double> result(size());
  std::vector<Index> leaves;
  for (Index node = 0; node < static_cast<Index>(tree_.nodes().size()); ++node) {
    if (tree_.nodes()[node].is_leaf()) {
      leaves.push_back(node);
    }
  }
  std::vector<Workspace> work(run.threads());
  parallel_for_workers(run, static_cast<Index>(leaves.size()), [&](Index task, int worker) {
    Workspace& own = work[worker];
    const Group group{tree_, leaves[task], true};
    sum_group(group, accuracy, own);
    const IndexRange range = group.range();
    for (Index q = range.begin; q < range.end; ++q) {
      result[tree_.row(q)] = own.sums[q - range.begin];
    }
  });
  return result;
}

}  // namespace mercer
