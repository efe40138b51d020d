#include "mercer/smoothing/local_regression.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"

namespace mercer {

namespace {

constexpr Index queries_per_task = 16;
constexpr double singular_tolerance = 100 * std::numeric_limits<double>::epsilon();
// Of a coordinate, in units of its size: what rows that were moved, scaled or computed from others carry.
constexpr double coordinate_error = 4 * std::numeric_limits<double>::epsilon();
// Distances that differ by less are equal but for the rounding of coordinates.
constexpr double equal_distances = 1e-9;

// The monomials at x_i − x, times the root of the weight, down a column of the transposed design.
void fill_monomials(std::span<const double> difference, Index degree, double root, MatrixView<double> design,
                    Index point) {
  Index place = 0;
  design(place++, point) = root;
  if (degree >= 1) {
    for (const double value : difference) {
      design(place++, point) = root * value;
    }
  }
  if (degree >= 2) {
    for (std::size_t a = 0; a < difference.size(); ++a) {
      for (std::size_t b = a; b < difference.size(); ++b) {
        design(place++, point) = root * difference[a] * difference[b];
      }
    }
  }
}

}  // namespace

// Buffers of one worker; neighbours and kernel are the answer for a query.
struct LocalRegression::Workspace {
  std::vector<double> squares;     // of the distances to all points
  std::vector<double> windows;     // κ of all points; before that, scratch
  std::vector<Index> neighbors;    // points of positive weight within reach
  bool in_reach = false;           // false: the neighbours are the nearest points, for want of others
  std::vector<double> roots;       // of their weights
  std::vector<double> kernel;      // l of the neighbours
  std::vector<double> difference;  // x_i − x
  std::vector<double> spread;      // root of the mean (x_i − x)² of every column; 0 where it is rounding
  std::vector<double> lengths;     // of the design's columns
  std::vector<double> functional;
  std::vector<double> design;
  LeastNormWorkspace least_norm;
};

void LocalFitOptions::validate() const {
  if (degree < 0 || degree > 2) {
    reject_argument("degree", static_cast<double>(degree), "0, 1 or 2");
  }
  if (shape == SmoothingShape::cube) {
    throw InvalidArgument(
        "local regression measures neighbourhoods by the Euclidean distance: shape = cube is none of it");
  }
  if (!(span >= 0) || !std::isfinite(span)) {
    reject_argument("span", span, "a positive fraction of the points, or 0 for a fixed width");
  }
}

Index local_monomials(Index degree, Index d) { return degree == 0 ? 1 : degree == 1 ? 1 + d : 1 + d + d * (d + 1) / 2; }

LocalRegression::LocalRegression(Matrix<double> points, const LocalFitOptions& options)
    : points_(std::move(points)), options_(options), window_(options.shape, std::max<Index>(1, points_.columns())) {
  options_.validate();
  if (points_.rows() == 0) {
    throw InvalidArgument("local regression needs at least one point");
  }
  for (Index j = 0; j < points_.columns(); ++j) {
    double largest = 0;
    for (Index i = 0; i < points_.rows(); ++i) {
      largest = std::max(largest, std::abs(points_(i, j)));
    }
    largest_.push_back(largest);
  }
}

double LocalRegression::squared_width_around(std::span<const double> squares, std::vector<double>& scratch) const {
  scratch.assign(squares.begin(), squares.end());
  if (options_.span == 0) {
    return 1;
  }
  const auto wanted = static_cast<Index>(std::floor(static_cast<double>(size()) * options_.span + 1e-5));
  const auto place = scratch.begin() + (std::clamp<Index>(wanted, 1, size()) - 1);
  std::nth_element(scratch.begin(), place, scratch.end());
  return *place * std::max(1.0, options_.span);
}

void LocalRegression::find_neighbors(std::span<const double> query, std::span<const double> weights,
                                     Workspace& workspace) const {
  const Index n = size();
  std::vector<double>& squares = workspace.squares;
  squares.resize(n);
  for (Index i = 0; i < n; ++i) {
    double square = 0;
    for (Index j = 0; j < dimension(); ++j) {
      const double difference = points_(i, j) - query[j];
      square += difference * difference;
    }
    squares[i] = square;
  }
  std::vector<double>& windows = workspace.windows;
  const double squared_width = squared_width_around(squares, windows);
  for (std::size_t i = 0; i < squares.size(); ++i) {
    // A neighbourhood of width 0 holds copies of the query.
    windows[i] = squares[i] == 0 ? 0 : squares[i] / squared_width;
  }
  window_.profile(windows, windows);
  workspace.neighbors.clear();
  workspace.roots.clear();
  workspace.in_reach = false;
  // Windows that are 0 at their border say nothing of points that rounding put inside; where a polynomial is not
  // determined without them, they would decide what it is, however little they weigh.
  const bool ends_at_zero = window_.profile(1.0) < equal_distances;
  const double border = ends_at_zero ? (1 - equal_distances) * squared_width : std::numeric_limits<double>::infinity();
  double nearest = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < n; ++i) {
    const auto point = static_cast<std::size_t>(i);
    const double own = weights.empty() ? 1.0 : weights[point];
    if (!(own > 0)) {
      continue;
    }
    nearest = std::min(nearest, squares[point]);
    if (own * windows[point] > 0 && squares[point] <= border) {
      workspace.neighbors.push_back(i);
      workspace.roots.push_back(std::sqrt(own * windows[point]));
      workspace.in_reach = true;
    }
  }
  if (!workspace.in_reach) {
    take_nearest(nearest, weights, workspace);
  }
}

void LocalRegression::take_nearest(double squared_distance, std::span<const double> weights,
                                   Workspace& workspace) const {
  workspace.neighbors.clear();
  workspace.kernel.clear();
  double sum = 0;
  for (Index i = 0; i < size(); ++i) {
    const auto point = static_cast<std::size_t>(i);
    const double own = weights.empty() ? 1.0 : weights[point];
    if (own > 0 && workspace.squares[point] <= (1 + equal_distances) * squared_distance) {
      workspace.neighbors.push_back(i);
      workspace.kernel.push_back(own);
      sum += own;
    }
  }
  for (double& share : workspace.kernel) {
    share /= sum;
  }
}

// Directions that rows span by the rounding of their coordinates alone (columns that depend on each other, far from the
// origin) would get slopes of any size: their singular values count as 0, too.
double LocalRegression::measure_spread(std::span<const double> query, Workspace& workspace) const {
  double tolerance = singular_tolerance;
  workspace.spread.assign(query.size(), 0);
  const double root_of_all = nrm2(std::span<const double>(workspace.roots));
  for (std::size_t j = 0; j < query.size(); ++j) {
    double squares = 0;
    for (std::size_t r = 0; r < workspace.neighbors.size(); ++r) {
      const double difference = points_(workspace.neighbors[r], static_cast<Index>(j)) - query[j];
      const double share = workspace.roots[r] / root_of_all * difference;
      squares += share * share;
    }
    const double spread = std::sqrt(squares);
    const double error = coordinate_error * largest_[j];
    if (spread > error) {
      workspace.spread[j] = spread;
      tolerance = std::max(tolerance, error / spread);
    }
  }
  return tolerance;
}

void LocalRegression::solve(std::span<const double> query, Workspace& workspace) const {
  const auto count = workspace.neighbors.size();
  if (!workspace.in_reach) {
    return;  // the shares of the nearest points are the answer
  }
  const Index monomials = local_monomials(options_.degree, dimension());
  const auto columns = static_cast<std::size_t>(monomials);
  workspace.design.resize(count * columns);
  const MatrixView<double> design(workspace.design.data(), monomials, static_cast<Index>(count));
  workspace.difference.resize(query.size());
  const double tolerance = measure_spread(query, workspace);
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t j = 0; j < query.size(); ++j) {
      const double difference = points_(workspace.neighbors[r], static_cast<Index>(j)) - query[j];
      workspace.difference[j] = workspace.spread[j] > 0 ? difference : 0;
    }
    fill_monomials(workspace.difference, options_.degree, workspace.roots[r], design, static_cast<Index>(r));
  }
  workspace.lengths.resize(columns);
  for (Index c = 0; c < monomials; ++c) {
    const double length = nrm2(design.row(c));
    workspace.lengths[c] = length > 0 ? length : 1;
    scale(1 / workspace.lengths[c], design.row(c));
  }
  workspace.functional.assign(columns, 0);
  workspace.functional[0] = 1 / workspace.lengths[0];
  workspace.kernel.resize(count);
  least_norm_functional(design, workspace.functional, tolerance, workspace.kernel, workspace.least_norm);
  for (std::size_t r = 0; r < count; ++r) {
    workspace.kernel[r] *= workspace.roots[r];
  }
}

Matrix<double> LocalRegression::values(ConstMatrixView<double> queries, std::span<const double> weights,
                                       ConstMatrixView<double> targets, const Run& run) const {
  Matrix<double> result = Matrix<double>::filled(queries.rows(), targets.columns(), 0);
  std::vector<Workspace> workspaces(run.threads());
  const Index tasks = (queries.rows() + queries_per_task - 1) / queries_per_task;
  parallel_for_workers(
      run, tasks,
      [&](Index task, int worker) {
        Workspace& workspace = workspaces[worker];
        const Index end = std::min(queries.rows(), (task + 1) * queries_per_task);
        for (Index q = task * queries_per_task; q < end; ++q) {
          const std::span<const double> query(queries.row_data(q), static_cast<std::size_t>(queries.columns()));
          find_neighbors(query, weights, workspace);
          solve(query, workspace);
          for (std::size_t r = 0; r < workspace.neighbors.size(); ++r) {
            for (Index o = 0; o < targets.columns(); ++o) {
              result(q, o) += workspace.kernel[r] * targets(workspace.neighbors[r], o);
            }
          }
        }
      },
      "local fits");
  return result;
}

void LocalRegression::equivalent_kernels(ConstMatrixView<double> queries, IndexRange range,
                                         std::span<const double> weights, MatrixView<double> out,
                                         const Run& run) const {
  const Index count = range.end - range.begin;
  std::vector<Workspace> workspaces(run.threads());
  const Index tasks = (count + queries_per_task - 1) / queries_per_task;
  parallel_for_workers(run, tasks, [&](Index task, int worker) {
    Workspace& workspace = workspaces[worker];
    const Index end = std::min(count, (task + 1) * queries_per_task);
    for (Index q = task * queries_per_task; q < end; ++q) {
      const std::span<const double> query(queries.row_data(range.begin + q),
                                          static_cast<std::size_t>(queries.columns()));
      find_neighbors(query, weights, workspace);
      solve(query, workspace);
      std::fill_n(out.row_data(q), size(), 0.0);
      for (std::size_t r = 0; r < workspace.neighbors.size(); ++r) {
        out(q, workspace.neighbors[r]) = workspace.kernel[r];
      }
    }
  });
}

}  // namespace mercer
