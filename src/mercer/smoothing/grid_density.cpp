#include "mercer/smoothing/grid_density.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/smoothing/fourier.h"

namespace mercer {

namespace {

constexpr double largest_transform = 0x1p26;
constexpr double truncation_share = 1e-17;
constexpr Index points_per_bin_task = 65536;
constexpr Index most_bin_tasks = 16;
constexpr double unknown_curvature = std::numeric_limits<double>::infinity();

// sup over r in [a, b] of the second directional derivatives of κ(‖u‖), |κ''| and |κ'|/r (the latter only beside other
// dimensions); unknown where the slope jumps inside.
double largest_curvature(const SmoothingKernel& kernel, double a, double b) {
  const bool crosses_edge = a <= 1 && b >= 1;
  const bool outside = a > 1;
  const bool alone = kernel.dimension() == 1;
  switch (kernel.shape()) {
    case SmoothingShape::gaussian:
      return std::exp(-a * a / 2) * std::max(1.0, b * b - 1);
    case SmoothingShape::exponential:
      return a > 0 ? std::exp(-a) * (alone ? 1.0 : std::max(1.0, 1 / a)) : unknown_curvature;
    case SmoothingShape::biweight:
      return outside ? 0.0 : 8.0;
    case SmoothingShape::tricube:
      return outside ? 0.0 : 8.7;
    case SmoothingShape::epanechnikov:
      return crosses_edge ? unknown_curvature : outside ? 0.0 : 2.0;
    case SmoothingShape::cosine:
      return crosses_edge ? unknown_curvature : outside ? 0.0 : std::numbers::pi * std::numbers::pi / 4;
    case SmoothingShape::triangle:
      return crosses_edge || a <= 0 ? unknown_curvature : outside || alone ? 0.0 : 1 / a;
    case SmoothingShape::boxcar:
    case SmoothingShape::cube:
      return crosses_edge ? unknown_curvature : 0.0;
  }
  return unknown_curvature;
}

// sup over r in [a, b] of |κ'|; infinite where κ itself jumps. For kernels whose curvature is not known everywhere.
double largest_slope(const SmoothingKernel& kernel, double a, double b) {
  switch (kernel.shape()) {
    case SmoothingShape::exponential:
      return std::exp(-a);
    case SmoothingShape::epanechnikov:
      return a > 1 ? 0.0 : 2 * std::min(b, 1.0);
    case SmoothingShape::cosine:
      return a > 1 ? 0.0 : std::numbers::pi / 2;
    case SmoothingShape::triangle:
      return a > 1 ? 0.0 : 1.0;
    default:
      return unknown_curvature;
  }
}

// The grid with a margin of what the kernel reaches, as three axes (those that are not there have one node).
struct BinGrid {
  std::array<double, 3> first{};
  std::array<double, 3> step{1, 1, 1};
  std::array<Index, 3> margin{};
  std::array<Index, 3> count{1, 1, 1};      // of the grid that is asked for
  std::array<Index, 3> transform{1, 1, 1};  // margins and padding included

  Index size() const { return transform[0] * transform[1] * transform[2]; }
  Index place(const std::array<Index, 3>& node) const {
    return (node[0] * transform[1] + node[1]) * transform[2] + node[2];
  }
};

// Exact integers in doubles, so that absurd ratios of bandwidth and step do not overflow.
double margin_nodes(const GridAxis& axis, double reach) { return std::ceil(reach / axis.step); }

BinGrid bin_grid(std::span<const GridAxis> axes, const SmoothingKernel& kernel, const Bandwidth& bandwidth) {
  BinGrid grid;
  const double reach = kernel.reach(truncation_share);
  for (std::size_t j = 0; j < axes.size(); ++j) {
    const GridAxis& axis = axes[j];
    grid.step[j] = axis.step;
    grid.margin[j] = static_cast<Index>(margin_nodes(axis, reach * bandwidth.width(static_cast<Index>(j))));
    grid.first[j] = axis.first - static_cast<double>(grid.margin[j]) * axis.step;
    grid.count[j] = axis.count;
    grid.transform[j] = fast_fourier_size(axis.count + 2 * grid.margin[j] + 1);
  }
  return grid;
}

// The same for one dimension, where a point costs a few operations.
void bin_line(ConstMatrixView<double> points, std::span<const double> weights, const BinGrid& grid, IndexRange rows,
              double* bins) {
  const double first = grid.first[0];
  const double per_step = 1 / grid.step[0];
  const auto last = static_cast<double>(grid.count[0] + 2 * grid.margin[0]);
  for (Index i = rows.begin; i < rows.end; ++i) {
    const double place = (points(i, 0) - first) * per_step;
    if (place >= 0 && place < last) {
      const auto node = static_cast<Index>(place);
      const double share = place - static_cast<double>(node);
      const double weight = weights.empty() ? 1.0 : weights[i];
      bins[node] += weight * (1 - share);
      bins[node + 1] += weight * share;
    }
  }
}

void bin_points(ConstMatrixView<double> points, std::span<const double> weights, const BinGrid& grid, IndexRange rows,
                std::span<double> bins) {
  const Index d = points.columns();
  const Index corners = Index{1} << d;
  for (Index i = rows.begin; i < rows.end; ++i) {
    std::array<Index, 3> node{};
    std::array<double, 3> share{};
    bool inside = true;
    for (Index j = 0; j < d; ++j) {
      const auto axis = static_cast<std::size_t>(j);
      const double place = (points(i, j) - grid.first[axis]) / grid.step[axis];
      const auto last = static_cast<double>(grid.count[axis] + 2 * grid.margin[axis]);
      if (!(place >= 0 && place < last)) {
        inside = false;
        break;
      }
      node[axis] = static_cast<Index>(place);
      share[axis] = place - static_cast<double>(node[axis]);
    }
    if (!inside) {
      continue;
    }
    const double weight = weights.empty() ? 1.0 : weights[i];
    double* bin = bins.data() + grid.place(node);
    for (Index corner = 0; corner < corners; ++corner) {
      double part = weight;
      std::array<Index, 3> offset{};
      for (std::size_t axis = 0; axis < static_cast<std::size_t>(d); ++axis) {
        offset[axis] = (corner >> axis) & 1;
        part *= offset[axis] == 1 ? share[axis] : 1 - share[axis];
      }
      bin[grid.place(offset)] += part;
    }
  }
}

std::vector<std::complex<double>> binned_weights(ConstMatrixView<double> points, std::span<const double> weights,
                                                 double total, const BinGrid& grid, const Run& run) {
  const Index n = points.rows();
  // Every task has bins of its own; few tasks where these are many.
  const Index affordable = std::max<Index>(1, (Index{1} << 22) / grid.size());
  const Index tasks = std::clamp<Index>(n / points_per_bin_task, 1, std::min(most_bin_tasks, affordable));
  const Index rows_per_task = block_count(n, tasks);
  std::vector<std::vector<double>> parts(tasks);
  parallel_for(run, tasks, [&](Index task) {
    std::vector<double>& part = parts[task];
    part.assign(grid.size(), 0.0);
    const IndexRange rows{std::min(n, task * rows_per_task), std::min(n, (task + 1) * rows_per_task)};
    if (points.columns() == 1) {
      bin_line(points, weights, grid, rows, part.data());
    } else {
      bin_points(points, weights, grid, rows, part);
    }
  });
  std::vector<std::complex<double>> bins(grid.size());
  for (std::size_t k = 0; k < bins.size(); ++k) {
    double sum = 0;
    for (const std::vector<double>& part : parts) {
      sum += part[k];
    }
    bins[k] = sum / total;
  }
  return bins;
}

// Real part: the kernel at the lags between nodes, periodically continued. Imaginary part: its error bound.
std::vector<std::complex<double>> kernel_table(const SmoothingKernel& kernel, const Bandwidth& bandwidth,
                                               const BinGrid& grid) {
  const Index d = kernel.dimension();
  Matrix<double> steps = Matrix<double>::filled(d, d, 0.0);  // one step along each axis, in units of the bandwidth
  for (Index j = 0; j < d; ++j) {
    steps(j, j) = grid.step[j];
  }
  steps = bandwidth.whiten(steps.view());
  double cell = 0;
  double squares = 0;
  for (Index j = 0; j < d; ++j) {
    double square = 0;
    for (Index c = 0; c < d; ++c) {
      square += steps(j, c) * steps(j, c);
    }
    cell += std::sqrt(square);
    squares += square;
  }
  const double factor = std::exp(kernel.log_normalization() - bandwidth.log_determinant());
  std::vector<std::complex<double>> table(grid.size());
  const std::array<Index, 3>& m = grid.margin;
  std::array<Index, 3> lag{};
  for (lag[0] = -m[0]; lag[0] <= m[0]; ++lag[0]) {
    for (lag[1] = -m[1]; lag[1] <= m[1]; ++lag[1]) {
      for (lag[2] = -m[2]; lag[2] <= m[2]; ++lag[2]) {
        double squared = 0;
        for (Index c = 0; c < d; ++c) {
          double u = 0;
          for (Index j = 0; j < d; ++j) {
            u += static_cast<double>(lag[j]) * steps(j, c);
          }
          squared = kernel.with_coordinate(squared, u);
        }
        const double r = std::sqrt(squared);
        const double low = std::max(0.0, r - cell);
        const double high = r + cell;
        const double variation = kernel.profile(low * low) - kernel.profile(high * high);
        const double bound = std::min({variation, cell / 2 * largest_slope(kernel, low, high),
                                       squares / 8 * largest_curvature(kernel, low, high)});
        std::array<Index, 3> node{};
        for (std::size_t j = 0; j < 3; ++j) {
          node[j] = lag[j] < 0 ? lag[j] + grid.transform[j] : lag[j];
        }
        table[grid.place(node)] = factor * std::complex<double>(kernel.profile(squared), bound);
      }
    }
  }
  return table;
}

}  // namespace

void require_valid(std::span<const GridAxis> axes, Index dimension) {
  if (static_cast<Index>(axes.size()) != dimension) {
    throw InvalidArgument("a grid of " + std::to_string(axes.size()) + " axes, where the samples have " +
                          std::to_string(dimension) + " columns");
  }
  double nodes = 1;
  for (const GridAxis& axis : axes) {
    if (axis.count < 1) {
      reject_argument("count", static_cast<double>(axis.count), "at least 1: the nodes of an axis");
    }
    if (!(axis.step > 0) || !std::isfinite(axis.step) || !std::isfinite(axis.first)) {
      reject_argument("step", axis.step, "positive and finite, from a finite first node");
    }
    nodes *= static_cast<double>(axis.count);
  }
  if (nodes > largest_transform) {
    reject_argument("nodes", nodes, "at most 2^26 in all");
  }
}

bool can_bin(std::span<const GridAxis> axes, const SmoothingKernel& kernel, const Bandwidth& bandwidth) {
  if (axes.size() > 3) {
    return false;
  }
  double nodes = 1;
  for (std::size_t j = 0; j < axes.size(); ++j) {
    const double reach = kernel.reach(truncation_share) * bandwidth.width(static_cast<Index>(j));
    nodes *= static_cast<double>(axes[j].count) + 2 * margin_nodes(axes[j], reach) + 1;
  }
  return nodes <= largest_transform;
}

GridDensity binned_density(ConstMatrixView<double> points, std::span<const double> weights, double total,
                           const SmoothingKernel& kernel, const Bandwidth& bandwidth, std::span<const GridAxis> axes,
                           const Run& run) {
  const BinGrid grid = bin_grid(axes, kernel, bandwidth);
  std::vector<std::complex<double>> bins = binned_weights(points, weights, total, grid, run);
  run.check_stop();
  std::vector<std::complex<double>> table = kernel_table(kernel, bandwidth, grid);
  fourier_transform(bins, grid.transform, FourierDirection::forward, run);
  fourier_transform(table, grid.transform, FourierDirection::forward, run);
  for (std::size_t k = 0; k < bins.size(); ++k) {
    bins[k] *= table[k];
  }
  fourier_transform(bins, grid.transform, FourierDirection::inverse, run);
  const double peak = std::exp(kernel.log_normalization() - bandwidth.log_determinant());
  // Rounding of the transforms spreads over all nodes alike.
  const double rounding = (truncation_share + 4e-16 * std::log2(static_cast<double>(grid.size()) + 2)) * peak;
  GridDensity result;
  std::array<Index, 3> node{};
  for (node[0] = 0; node[0] < grid.count[0]; ++node[0]) {
    for (node[1] = 0; node[1] < grid.count[1]; ++node[1]) {
      for (node[2] = 0; node[2] < grid.count[2]; ++node[2]) {
        const std::complex<double> sum =
            bins[grid.place({node[0] + grid.margin[0], node[1] + grid.margin[1], node[2] + grid.margin[2]})];
        result.values.push_back(std::max(0.0, sum.real()));
        result.error_bounds.push_back(std::max(0.0, sum.imag()) + rounding);
      }
    }
  }
  return result;
}

}  // namespace mercer
