#include "mercer/smoothing/axis_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr double no_bound = std::numeric_limits<double>::quiet_NaN();
constexpr Index most_images = 1000;

// Whether and how points repeat along an axis: x + k period, and mirrored, 2·mirror − x + k period.
struct ImageRule {
  double period = no_bound;
  double mirror = no_bound;
  double first = 0;  // queries lie in [first, last]
  double last = 0;
};

ImageRule image_rule(const AxisBounds& bounds) {
  ImageRule rule;
  if (!std::isnan(bounds.period)) {
    rule = {bounds.period, no_bound, 0, bounds.period};
  } else if (!std::isnan(bounds.lower) && !std::isnan(bounds.upper)) {
    rule = {2 * (bounds.upper - bounds.lower), bounds.lower, bounds.lower, bounds.upper};
  } else {
    const double infinite = std::numeric_limits<double>::infinity();
    rule.mirror = std::isnan(bounds.lower) ? bounds.upper : bounds.lower;
    rule.first = std::isnan(bounds.lower) ? -infinite : bounds.lower;
    rule.last = std::isnan(bounds.upper) ? infinite : bounds.upper;
  }
  return rule;
}

// How far from the queries an image must stand to be left out.
double image_reach(const ImageRule& rule, const SmoothingKernel& kernel, double largest_scale) {
  if (!std::isinf(kernel.support())) {
    return largest_scale;
  }
  // An image inside half a period is always there; those left out are smaller by exp(−40) against it.
  const double half = std::isnan(rule.period) ? 0 : rule.period / 2;
  return kernel.shape() == SmoothingShape::gaussian ? std::hypot(half, std::sqrt(80.0) * largest_scale)
                                                    : half + 40 * largest_scale;
}

void add_images(double x, const ImageRule& rule, double reach, std::vector<double>& out) {
  const auto add_series = [&](double start) {
    if (std::isnan(rule.period)) {
      // One end: the mirror image of a point that is far from the end reaches nothing, but is kept for unbounded
      // kernels, whose logarithms see it.
      out.push_back(start);
      return;
    }
    const double from = std::ceil((rule.first - reach - start) / rule.period);
    const double to = std::floor((rule.last + reach - start) / rule.period);
    if (to - from > static_cast<double>(most_images)) {
      throw InvalidArgument("the bandwidth is " + shortest(reach / rule.period) +
                            " times as wide as the axis is long: choose a smaller one");
    }
    for (double k = from; k <= to; ++k) {
      out.push_back(start + k * rule.period);
    }
  };
  add_series(x);
  if (!std::isnan(rule.mirror)) {
    add_series(2 * rule.mirror - x);
  }
}

}  // namespace

AxisBounds::AxisBounds() : lower(no_bound), upper(no_bound), period(no_bound) {}

bool AxisBounds::is_free() const { return std::isnan(lower) && std::isnan(upper) && std::isnan(period); }

bool AxisBounds::contains(double x) const { return !(x < lower) && !(x > upper); }

void require_valid(std::span<const AxisBounds> bounds, Index dimension) {
  if (!bounds.empty() && static_cast<Index>(bounds.size()) != dimension) {
    throw InvalidArgument("bounds for " + std::to_string(bounds.size()) + " columns, where the samples have " +
                          std::to_string(dimension));
  }
  for (const AxisBounds& axis : bounds) {
    if (std::isinf(axis.lower) || std::isinf(axis.upper)) {
      throw InvalidArgument("an end of an axis is infinite; leave it out instead");
    }
    if (axis.lower >= axis.upper) {
      reject_argument("upper", axis.upper, "above the lower end, " + shortest(axis.lower));
    }
    if (!std::isnan(axis.period)) {
      if (!(axis.period > 0) || std::isinf(axis.period)) {
        reject_argument("period", axis.period, "positive and finite");
      }
      if (!std::isnan(axis.lower) || !std::isnan(axis.upper)) {
        throw InvalidArgument("a periodic axis has no ends: give period, or lower and upper, not both");
      }
    }
  }
}

double folded(double x, const AxisBounds& bounds) {
  if (!std::isnan(bounds.period)) {
    const double rest = x - bounds.period * std::floor(x / bounds.period);
    return rest < bounds.period ? rest : 0.0;
  }
  if (!std::isnan(bounds.lower) && !std::isnan(bounds.upper)) {
    const double length = bounds.upper - bounds.lower;
    const double t = (x - bounds.lower) / (2 * length);
    const double rest = (t - std::floor(t)) * 2 * length;
    return std::clamp(bounds.lower + std::min(rest, 2 * length - rest), bounds.lower, bounds.upper);
  }
  if (x < bounds.lower) {
    return 2 * bounds.lower - x;
  }
  return x > bounds.upper ? 2 * bounds.upper - x : x;
}

ImagedPoints with_images(ConstMatrixView<double> points, std::span<const AxisBounds> bounds,
                         const SmoothingKernel& kernel, double largest_scale) {
  const Index d = points.columns();
  ImagedPoints result{Matrix<double>::copy_of(points), std::vector<Index>(points.rows())};
  std::iota(result.rows.begin(), result.rows.end(), Index{0});
  for (Index axis = 0; axis < static_cast<Index>(bounds.size()); ++axis) {
    const AxisBounds& ends = bounds[axis];
    if (ends.is_free()) {
      continue;
    }
    const ImageRule rule = image_rule(ends);
    const double reach = image_reach(rule, kernel, largest_scale);
    std::vector<double> values;
    std::vector<Index> rows;
    std::vector<double> images;
    for (Index i = 0; i < result.points.rows(); ++i) {
      const double x = result.points(i, axis);
      const Index row = result.rows[i];
      if (!ends.contains(x)) {
        throw DataError("row " + std::to_string(row) + " (counted from 0) lies outside the ends of column " +
                        std::to_string(axis));
      }
      images.clear();
      add_images(std::isnan(ends.period) ? x : folded(x, ends), rule, reach, images);
      for (const double image : images) {
        rows.push_back(row);
        values.insert(values.end(), result.points.view().row_data(i), result.points.view().row_data(i) + d);
        values[values.size() - static_cast<std::size_t>(d - axis)] = image;
      }
    }
    result.points = Matrix<double>(static_cast<Index>(rows.size()), d);
    std::copy(values.begin(), values.end(), result.points.data());
    result.rows = std::move(rows);
  }
  return result;
}

}  // namespace mercer
