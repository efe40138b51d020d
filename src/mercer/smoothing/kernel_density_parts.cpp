// What a kernel density gives beside its values: marginals, the distribution function, values on a grid.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/smoothing/kernel_density.h"
#include "mercer/smoothing/turned_points.h"

namespace mercer {

namespace {

constexpr double density_of_nothing = -std::numeric_limits<double>::infinity();
constexpr Index values_per_task = 16;
// Transforms win from about this many terms on; below it both are instant.
constexpr double fewest_binned_terms = 1e5;
constexpr double allowed_grid_loss = 1e-2;
// Bins are made finer than the grid until their squares, in bandwidths, are as small as this.
constexpr double wanted_bin_square = 8e-4;
constexpr double affordable_bins = 0x1p18;
constexpr Index finest_bins = 16;

// How many bins a step of the grid is cut into.
Index bins_per_step(std::span<const GridAxis> axes, const SmoothingKernel& kernel, const Bandwidth& bandwidth) {
  double squares = 0;
  for (std::size_t j = 0; j < axes.size(); ++j) {
    squares += std::pow(axes[j].step / bandwidth.width(static_cast<Index>(j)), 2);
  }
  auto bins = static_cast<Index>(
      std::clamp(std::ceil(std::sqrt(squares / wanted_bin_square)), 1.0, static_cast<double>(finest_bins)));
  const auto affordable = [&] {
    double nodes = 1;
    for (std::size_t j = 0; j < axes.size(); ++j) {
      const double reach = kernel.reach(1e-17) * bandwidth.width(static_cast<Index>(j));
      nodes *= static_cast<double>(bins) * (static_cast<double>(axes[j].count) + 2 * reach / axes[j].step);
    }
    return nodes <= affordable_bins;
  };
  while (bins > 1 && !affordable()) {
    --bins;
  }
  return bins;
}

}  // namespace

std::vector<double> KernelDensity::marginal_log_density(std::span<const Index> columns, ConstMatrixView<double> x,
                                                        const Run& run) const {
  std::vector<Index> sorted(columns.begin(), columns.end());
  std::sort(sorted.begin(), sorted.end());
  if (sorted.empty() || sorted.front() < 0 || sorted.back() >= dimension() ||
      std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw InvalidArgument("a marginal density is of different columns between 0 and " +
                          std::to_string(dimension() - 1) + ", one at least");
  }
  const auto kept = static_cast<Index>(columns.size());
  const bool product = kernel_.shape() == SmoothingShape::gaussian || kernel_.shape() == SmoothingShape::cube;
  if (product || kept == dimension()) {
    // Again a kernel density of the same shape.
    Parts marginal{.shape = kernel_.shape(),
                   .points = Matrix<double>(size(), kept),
                   .weights = parts_->weights,
                   .scales = parts_->scales,
                   .bandwidth = parts_->bandwidth.marginal(columns),
                   .bounds = {},
                   .method = parts_->method,
                   .relative_error = parts_->relative_error,
                   .absolute_error = parts_->absolute_error};
    for (Index j = 0; j < kept; ++j) {
      const Index column = columns[j];
      for (Index i = 0; i < size(); ++i) {
        marginal.points(i, j) = parts_->points(i, column);
      }
      if (!parts_->bounds.empty()) {
        marginal.bounds.push_back(parts_->bounds[column]);
      }
    }
    return KernelDensity(std::move(marginal)).log_density(x, run);
  }
  if (x.columns() != kept) {
    throw DataError("rows of " + std::to_string(x.columns()) + " columns, where the marginal density has " +
                    std::to_string(kept));
  }
  return marginal_sums(columns, x, run);
}

std::vector<double> KernelDensity::marginal_sums(std::span<const Index> columns, ConstMatrixView<double> x,
                                                 const Run& run) const {
  std::vector<Index> order(columns.begin(), columns.end());
  for (Index j = 0; j < dimension(); ++j) {
    if (std::find(columns.begin(), columns.end(), j) == columns.end()) {
      order.push_back(j);
    }
  }
  const auto kept = static_cast<Index>(columns.size());
  const TurnedPoints turned = turned_points(*this, order, kept);
  const Matrix<double> places = turned.whitened(x);
  double log_widths = 0;
  for (Index c = 0; c < kept; ++c) {
    log_widths += std::log(turned.bandwidth.factor()(c, c));
  }
  std::vector<double> result(x.rows());
  parallel_for(run, x.rows(), "marginal density", [&](Index q) {
    double sum = 0;
    for (std::size_t i = 0; i < turned.images.rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(turned.images.rows[i]);
      const double scale = parts_->scales.empty() ? 1.0 : parts_->scales[row];
      double squared = 0;
      for (Index c = 0; c < kept; ++c) {
        const double t = (places(q, c) - turned.images.points(static_cast<Index>(i), c)) / scale;
        squared += t * t;
      }
      sum += (parts_->weights.empty() ? 1.0 : parts_->weights[row]) * std::pow(scale, -static_cast<double>(kept)) *
             kernel_.marginal_profile(squared, dimension() - kept);
    }
    bool inside = true;
    for (std::size_t c = 0; c < columns.size() && !parts_->bounds.empty(); ++c) {
      inside = inside && parts_->bounds[columns[c]].contains(x(q, static_cast<Index>(c)));
    }
    result[q] = inside ? std::log(sum) + kernel_.log_normalization() - log_widths - std::log(total_weight_)
                       : density_of_nothing;
  });
  return result;
}

std::vector<double> KernelDensity::cumulative(std::span<const double> x, const Run& run) const {
  if (dimension() != 1) {
    throw InvalidArgument("a distribution function is there in one dimension only; this density has " +
                          std::to_string(dimension()));
  }
  const double width = parts_->bandwidth.width(0);
  ImagedPoints images = imaged_points();
  std::vector<Index> order(images.rows.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return images.points(a, 0) < images.points(b, 0); });
  std::vector<double> places;
  std::vector<double> sums = {0.0};  // of the weights before each place
  for (const Index i : order) {
    const auto row = static_cast<std::size_t>(images.rows[i]);
    places.push_back(images.points(i, 0));
    sums.push_back(sums.back() + (parts_->weights.empty() ? 1.0 : parts_->weights[row]));
  }
  double reach = kernel_.reach(1e-18);
  reach *= parts_->scales.empty() ? 1.0 : *std::max_element(parts_->scales.begin(), parts_->scales.end());
  const auto mass_below = [&](double u) {
    const auto first =
        static_cast<std::size_t>(std::lower_bound(places.begin(), places.end(), u - reach) - places.begin());
    double sum = sums[first];
    for (std::size_t k = first; k < places.size() && places[k] <= u + reach; ++k) {
      const auto row = static_cast<std::size_t>(images.rows[order[k]]);
      const double scale = parts_->scales.empty() ? 1.0 : parts_->scales[row];
      sum += (sums[k + 1] - sums[k]) * kernel_.cumulative((u - places[k]) / scale);
    }
    return sum;
  };
  const AxisBounds ends = parts_->bounds.empty() ? AxisBounds() : parts_->bounds.front();
  const double start = !std::isnan(ends.period) ? 0.0 : ends.lower;  // NaN: minus infinity
  const double before = std::isnan(start) ? 0.0 : mass_below(start / width);
  std::vector<double> result(x.size());
  parallel_for(run, block_count(static_cast<Index>(x.size()), values_per_task), [&](Index task) {
    const IndexRange range = block_range(static_cast<Index>(x.size()), values_per_task, task);
    for (Index q = range.begin; q < range.end; ++q) {
      double value = x[q];
      const bool below = value < start;
      value = value > ends.upper ? ends.upper : value > ends.period ? ends.period : value;
      const double share = std::isnan(value) ? value : (mass_below(value / width) - before) / total_weight_;
      result[q] = below ? 0.0 : std::clamp(share, 0.0, 1.0);
    }
  });
  return result;
}

GridDensity KernelDensity::on_grid(std::span<const GridAxis> axes, GridMethod method, const Run& run) const {
  require_valid(axes, dimension());
  bool possible = parts_->scales.empty() && can_bin(axes, kernel_, parts_->bandwidth);
  double nodes = 1;
  for (std::size_t j = 0; j < axes.size(); ++j) {
    nodes *= static_cast<double>(axes[j].count);
    if (!parts_->bounds.empty()) {
      const AxisBounds& ends = parts_->bounds[j];
      const double last = axes[j].first + axes[j].step * static_cast<double>(axes[j].count - 1);
      possible = possible && (std::isnan(ends.period) || (axes[j].first >= 0 && last <= ends.period));
    }
  }
  if (method == GridMethod::transform && !possible) {
    throw InvalidArgument(
        "this density cannot be binned on this grid: up to three dimensions, one scale for all points, "
        "at most 2^26 nodes with what the kernel reaches beside, periodic axes inside [0, period]");
  }
  if (possible && (method == GridMethod::transform ||
                   (method == GridMethod::automatic && nodes * static_cast<double>(size()) >= fewest_binned_terms))) {
    GridDensity binned = binned_on_grid(axes, run);
    const double worst = *std::max_element(binned.error_bounds.begin(), binned.error_bounds.end());
    const double largest = *std::max_element(binned.values.begin(), binned.values.end());
    if (method == GridMethod::transform || worst <= allowed_grid_loss * largest) {
      return binned;
    }
  }
  Matrix<double> queries(static_cast<Index>(nodes), dimension());
  for (Index q = 0; q < queries.rows(); ++q) {
    Index rest = q;
    for (Index j = dimension() - 1; j >= 0; --j) {
      const GridAxis& axis = axes[j];
      queries(q, j) = axis.first + axis.step * static_cast<double>(rest % axis.count);
      rest /= axis.count;
    }
  }
  GridDensity result{log_density(queries.view(), run), {}};
  for (double& value : result.values) {
    value = std::exp(value);
  }
  return result;
}

GridDensity KernelDensity::binned_on_grid(std::span<const GridAxis> axes, const Run& run) const {
  const Index bins = bins_per_step(axes, kernel_, parts_->bandwidth);
  std::vector<GridAxis> fine(axes.begin(), axes.end());
  for (GridAxis& axis : fine) {
    axis = {axis.first, axis.step / static_cast<double>(bins), (axis.count - 1) * bins + 1};
  }
  const bool free =
      std::all_of(parts_->bounds.begin(), parts_->bounds.end(), [](const AxisBounds& axis) { return axis.is_free(); });
  GridDensity all;
  if (free) {
    all = binned_density(parts_->points.view(), parts_->weights, total_weight_, kernel_, parts_->bandwidth, fine, run);
  } else {
    ImagedPoints images = imaged_points();
    std::vector<double> weights;
    for (Index i = 0; i < images.points.rows(); ++i) {
      parts_->bandwidth.color(images.points.view().row(i));
      if (!parts_->weights.empty()) {
        weights.push_back(parts_->weights[images.rows[i]]);
      }
    }
    all = binned_density(images.points.view(), weights, total_weight_, kernel_, parts_->bandwidth, fine, run);
  }
  // Every so many nodes; nothing outside the ends.
  GridDensity result;
  std::vector<Index> node(axes.size(), 0);
  for (;;) {
    std::size_t place = 0;
    bool inside = true;
    for (std::size_t j = 0; j < axes.size(); ++j) {
      place = place * static_cast<std::size_t>(fine[j].count) + static_cast<std::size_t>(node[j] * bins);
      const double x = axes[j].first + axes[j].step * static_cast<double>(node[j]);
      inside = inside && (parts_->bounds.empty() || parts_->bounds[j].contains(x));
    }
    result.values.push_back(inside ? all.values[place] : 0.0);
    result.error_bounds.push_back(inside ? all.error_bounds[place] : 0.0);
    std::size_t axis = axes.size();
    while (axis > 0 && ++node[axis - 1] == axes[axis - 1].count) {
      node[--axis] = 0;
    }
    if (axis == 0) {
      return result;
    }
  }
}

}  // namespace mercer
