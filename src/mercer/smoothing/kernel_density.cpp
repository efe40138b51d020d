#include "mercer/smoothing/kernel_density.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/once.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/smoothing/copies_left.h"

namespace mercer {

namespace {

constexpr double log_of_zero = -std::numeric_limits<double>::infinity();

void require_finite_rows(ConstMatrixView<double> x, Index dimension) {
  if (x.columns() != dimension) {
    throw DataError("rows of " + std::to_string(x.columns()) + " columns, where the density has " +
                    std::to_string(dimension));
  }
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.columns(); ++j) {
      if (!std::isfinite(x(i, j))) {
        throw DataError("row " + std::to_string(i) + ", column " + std::to_string(j) + " (counted from 0) is " +
                        shortest(x(i, j)) + "; a density needs finite values");
      }
    }
  }
}

void require_positive(std::span<const double> values, Index size, const char* what) {
  if (!values.empty() && static_cast<Index>(values.size()) != size) {
    throw InvalidArgument(std::to_string(values.size()) + " " + what + " for " + std::to_string(size) + " points");
  }
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw InvalidArgument(std::string(what) + " must be positive and finite, not " + shortest(value));
    }
  }
}

bool has_bounds(std::span<const AxisBounds> bounds) {
  return std::any_of(bounds.begin(), bounds.end(), [](const AxisBounds& axis) { return !axis.is_free(); });
}

}  // namespace

struct KernelDensity::Sum {
  Once built;
  std::unique_ptr<const DensitySum> value;
};

KernelDensity::KernelDensity(Parts parts)
    : kernel_(parts.shape, parts.points.columns()),
      parts_(std::make_shared<const Parts>(std::move(parts))),
      sum_(std::make_shared<Sum>()) {
  if (size() == 0) {
    throw DataError("a kernel density needs one point at least");
  }
  if (parts_->bandwidth.dimension() != dimension()) {
    throw InvalidArgument("a bandwidth of " + std::to_string(parts_->bandwidth.dimension()) +
                          " dimensions for points of " + std::to_string(dimension()));
  }
  if (parts_->shape == SmoothingShape::cube && !parts_->bandwidth.is_diagonal()) {
    throw InvalidArgument(
        "shape = cube has its edges along the columns: it needs form = scalar or diagonal, or widths in place of a "
        "matrix");
  }
  require_finite_rows(parts_->points.view(), dimension());
  require_positive(parts_->weights, size(), "weights");
  require_positive(parts_->scales, size(), "scales");
  require_valid(parts_->bounds, dimension());
  if (has_bounds(parts_->bounds)) {
    if (!parts_->bandwidth.is_diagonal()) {
      throw InvalidArgument(
          "bounded and periodic axes need form = scalar or diagonal: a full bandwidth is not the same "
          "on both sides of an end");
    }
    for (Index i = 0; i < size(); ++i) {
      for (Index j = 0; j < dimension(); ++j) {
        if (!parts_->bounds[j].contains(parts_->points(i, j))) {
          throw DataError("row " + std::to_string(i) + " (counted from 0) lies outside the ends of column " +
                          std::to_string(j) + " with " + shortest(parts_->points(i, j)));
        }
      }
    }
  }
  if (!(parts_->relative_error >= 0) || !(parts_->absolute_error >= 0)) {
    throw InvalidArgument("relative_error and absolute_error must not be negative");
  }
  total_weight_ = parts_->weights.empty() ? static_cast<double>(size())
                                          : std::accumulate(parts_->weights.begin(), parts_->weights.end(), 0.0);
}

double KernelDensity::log_factor() const {
  return kernel_.log_normalization() - parts_->bandwidth.log_determinant() - std::log(total_weight_);
}

std::vector<AxisBounds> KernelDensity::whitened_bounds() const {
  std::vector<AxisBounds> bounds = parts_->bounds;
  for (std::size_t j = 0; j < bounds.size(); ++j) {
    const double width = parts_->bandwidth.width(static_cast<Index>(j));
    bounds[j].lower /= width;
    bounds[j].upper /= width;
    bounds[j].period /= width;
  }
  return bounds;
}

ImagedPoints KernelDensity::imaged_points() const {
  Matrix<double> points = parts_->bandwidth.whiten(parts_->points.view());
  std::vector<AxisBounds> bounds = whitened_bounds();
  for (std::size_t j = 0; j < bounds.size(); ++j) {
    for (Index i = 0; i < size(); ++i) {  // points on an end stay there whatever the division rounded
      double& u = points(i, static_cast<Index>(j));
      u = u < bounds[j].lower ? bounds[j].lower : u > bounds[j].upper ? bounds[j].upper : u;
    }
  }
  const double largest = parts_->scales.empty() ? 1.0 : *std::max_element(parts_->scales.begin(), parts_->scales.end());
  return with_images(points.view(), bounds, kernel_, largest);
}

const KernelDensity::Sum& KernelDensity::sum() const {
  sum_->built([&] {
    const ImagedPoints images = imaged_points();
    std::vector<double> weights;
    std::vector<double> scales;
    for (const Index row : images.rows) {
      if (!parts_->weights.empty()) {
        weights.push_back(parts_->weights[row]);
      }
      if (!parts_->scales.empty()) {
        scales.push_back(parts_->scales[row]);
      }
    }
    sum_->value = std::make_unique<DensitySum>(kernel_, images.points.view(), weights, scales, parts_->method);
  });
  return *sum_;
}

std::vector<double> KernelDensity::log_density(ConstMatrixView<double> x, const Run& run) const {
  require_finite_rows(x, dimension());
  Matrix<double> queries = parts_->bandwidth.whiten(x);
  const std::vector<AxisBounds> bounds = whitened_bounds();
  for (std::size_t j = 0; j < bounds.size(); ++j) {
    for (Index i = 0; i < queries.rows() && !std::isnan(bounds[j].period); ++i) {
      queries(i, static_cast<Index>(j)) = folded(queries(i, static_cast<Index>(j)), bounds[j]);
    }
  }
  const SumAccuracy accuracy{parts_->relative_error, parts_->absolute_error * std::exp(-log_factor())};
  std::vector<double> result = sum().value->log_sums(queries.view(), accuracy, run);
  for (Index i = 0; i < x.rows(); ++i) {
    double& value = result[i];
    value += log_factor();
    for (std::size_t j = 0; j < parts_->bounds.size(); ++j) {
      if (!parts_->bounds[j].contains(x(i, static_cast<Index>(j)))) {
        value = log_of_zero;
      }
    }
  }
  return result;
}

std::vector<double> KernelDensity::log_density_without_own(const Run& run) const {
  if (has_bounds(parts_->bounds)) {
    throw InvalidArgument(
        "leaving points out of a density with bounded or periodic axes is not supported: choose the "
        "bandwidth without them");
  }
  const SumAccuracy accuracy{parts_->relative_error, parts_->absolute_error * std::exp(-log_factor())};
  std::vector<double> result = sum().value->log_sums_without_own(accuracy, run);
  const double log_constant = log_factor() + std::log(total_weight_);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double weight = parts_->weights.empty() ? 1.0 : parts_->weights[i];
    const double left_out = std::min(1.0, weight);
    if (copies_left(weight) > 0) {
      const double scale = parts_->scales.empty() ? 1.0 : parts_->scales[i];
      const double own = std::log(copies_left(weight)) - static_cast<double>(dimension()) * std::log(scale);
      const double larger = std::max(own, result[i]);
      result[i] = larger + std::log(std::exp(own - larger) + std::exp(result[i] - larger));
    }
    result[i] = total_weight_ > left_out ? result[i] + log_constant - std::log(total_weight_ - left_out) : log_of_zero;
  }
  return result;
}

std::vector<double> KernelDensity::conditional_log_density(std::span<const Index> given, ConstMatrixView<double> x,
                                                           const Run& run) const {
  std::vector<double> result = log_density(x, run);
  Matrix<double> conditions(x.rows(), static_cast<Index>(given.size()));
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < conditions.columns(); ++j) {
      const Index column = given[j];
      if (column < 0 || column >= dimension()) {
        reject_argument("column", static_cast<double>(column),
                        "between 0 and " + std::to_string(dimension() - 1) + ": a column of the density");
      }
      conditions(i, j) = x(i, column);
    }
  }
  const std::vector<double> marginal = marginal_log_density(given, conditions.view(), run);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = marginal[i] == log_of_zero ? std::numeric_limits<double>::quiet_NaN() : result[i] - marginal[i];
  }
  return result;
}

Matrix<double> KernelDensity::draw(Index count, const Run& run) const {
  std::vector<double> sums(size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i] = (i == 0 ? 0.0 : sums[i - 1]) + (parts_->weights.empty() ? 1.0 : parts_->weights[i]);
  }
  RandomStream random(run.seed(), 0x6b6465);
  Matrix<double> result(count, dimension());
  for (Index s = 0; s < count; ++s) {
    const double target = random.uniform() * sums.back();
    const auto found = std::upper_bound(sums.begin(), sums.end() - 1, target);
    const auto i = static_cast<std::size_t>(found - sums.begin());
    const std::span<double> row = result.view().row(s);
    kernel_.draw(random, row);
    parts_->bandwidth.color(row);
    for (std::size_t j = 0; j < row.size(); ++j) {
      row[j] = parts_->points(static_cast<Index>(i), static_cast<Index>(j)) +
               row[j] * (parts_->scales.empty() ? 1.0 : parts_->scales[i]);
      if (!parts_->bounds.empty()) {
        row[j] = folded(row[j], parts_->bounds[j]);
      }
    }
  }
  return result;
}

std::vector<double> adaptive_scales(const KernelDensity& pilot, double sensitivity, const Run& run) {
  const KernelDensity::Parts& parts = pilot.parts();
  std::vector<double> scales = pilot.log_density(parts.points.view(), run);
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < scales.size(); ++i) {
    const double weight = parts.weights.empty() ? 1.0 : parts.weights[i];
    sum += weight * scales[i];
    total += weight;
  }
  for (double& scale : scales) {
    scale = std::exp(-sensitivity * (scale - sum / total));
  }
  return scales;
}

}  // namespace mercer
