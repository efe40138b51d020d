#include "mercer/models/density/kde_options.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/models/fields.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

constexpr Index most_reported_widths = 8;

// Of `kept` columns; the lists have entries for those that are left out, too.
std::vector<AxisBounds> bounds_of(const KdeOptions& options, Index kept, const LeftOutColumns& left_out) {
  const Index columns = kept + static_cast<Index>(left_out.columns.size());
  if (options.lower.empty() && options.upper.empty() && options.period.empty()) {
    return {};
  }
  std::vector<AxisBounds> bounds(columns);
  const auto set = [&](const char* option, const ColumnNumbers& numbers, double AxisBounds::* member) {
    if (!numbers.empty()) {
      const std::vector<double> values = numbers.of_columns(option, columns);
      for (std::size_t j = 0; j < bounds.size(); ++j) {
        bounds[j].*member = values[j];
      }
    }
  };
  set("lower", options.lower, &AxisBounds::lower);
  set("upper", options.upper, &AxisBounds::upper);
  set("period", options.period, &AxisBounds::period);
  require_valid(bounds, columns);
  for (std::size_t k = left_out.columns.size(); k > 0; --k) {
    bounds.erase(bounds.begin() + left_out.columns[k - 1]);
  }
  return bounds;
}

Bandwidth bandwidth_of(const KdeOptions& options, const DensityRows& rows, FitReport& report, const Run& run) {
  const std::optional<BandwidthRule> rule = options.bandwidth.rule();
  if (!rule) {
    return options.bandwidth.given(rows.points.columns(), run);
  }
  BandwidthChoice choice = choose_bandwidth(*rule, options.form, options.shape, rows.points.view(), rows.weights, run);
  report.notes.insert(report.notes.end(), choice.notes.begin(), choice.notes.end());
  report.iterations += choice.evaluations;
  if (*rule == BandwidthRule::likelihood) {
    report.objective_name = "leave-one-out log-likelihood";
    report.objective = -choice.criterion;
  } else if (*rule == BandwidthRule::least_squares) {
    report.objective_name = "least-squares criterion";
    report.objective = choice.criterion;
  }
  return choice.bandwidth;
}

}  // namespace

void KdeOptions::validate() const { check_options<KdeOptions>("kde", kde_option_table(), *this); }

std::span<const Option<KdeOptions>> kde_option_table() {
  static const std::vector<Option<KdeOptions>> table = {
      {"shape", &KdeOptions::shape, "the smoothing kernel"},
      {"bandwidth", &KdeOptions::bandwidth,
       "scott, silverman, normal (robust), likelihood or least_squares (cross-validated), isj (one column), a number, "
       "one number per column as in 0.5,2, or the matrix of squared widths by rows as in 4,1;1,9"},
      {"form", &KdeOptions::form, "what a rule gives: one width, one per column, or a full matrix"},
      {"adaptive", &KdeOptions::adaptive,
       "wider kernels where points are rare: the power of the density that widths follow; 0: none, 0.5: Abramson",
       Limits::from_to(0, 1)},
      {"lower", &KdeOptions::lower,
       "where the density ends, one number for all columns or one per column as in 0,none"},
      {"upper", &KdeOptions::upper, "the same for the other end"},
      {"period", &KdeOptions::period, "the length of columns that go around, as in none,360"},
      {"method", &KdeOptions::method, "how sums are computed; tree keeps the errors below"},
      {"relative_error", &KdeOptions::relative_error, "what a density may be off by, of itself",
       Limits::from_to_below(0, 1)},
      {"absolute_error", &KdeOptions::absolute_error, "the same in units of the density", Constraint::nonnegative},
  };
  return table;
}

Matrix<double> density_points(const Samples& samples, const char* model) {
  if (samples.kind() == SampleKind::table && !samples.table().others().empty()) {
    throw DataError(std::string(model) + ": column '" + samples.table().others().front().name +
                    "' is not numeric; densities are there for numeric columns only");
  }
  const Samples& numeric = samples.kind() == SampleKind::table ? samples.table().numeric() : samples;
  if (!numeric.is_numeric()) {
    throw DataError(std::string(model) + " needs numeric columns, not " + std::string(to_string(samples.kind())));
  }
  if (numeric.columns() == 0) {
    throw DataError(std::string(model) + ": there are no columns");
  }
  require_finite(numeric);
  const Samples dense = to_dense<double>(numeric);
  const auto& rows = dense.as<DenseRows<double>>();
  Matrix<double> points(rows.rows, rows.columns);
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index j = 0; j < rows.columns; ++j) {
      points(i, j) = rows(i, j);
    }
  }
  return points;
}

DensityRows density_rows(const TrainingData& data, const char* model) {
  if (data.weights.empty() && data.samples.size() > 0) {
    return {density_points(data.samples, model), {}};
  }
  const std::vector<Index> rows = weighted_rows(data, model);
  DensityRows result{density_points(counted_samples(data.samples, rows), model), {}};
  if (std::any_of(data.weights.begin(), data.weights.end(), [](double weight) { return weight != 1 && weight != 0; })) {
    result.weights = select_weights(data.weights, rows);
  }
  return result;
}

KernelDensity fit_kernel_density(const KdeOptions& options, DensityRows rows, const LeftOutColumns& left_out,
                                 FitReport& report, const Run& run) {
  KernelDensity::Parts parts;
  parts.shape = options.shape;
  parts.bounds = bounds_of(options, rows.points.columns(), left_out);
  parts.bandwidth = bandwidth_of(options, rows, report, run);
  parts.method = options.method;
  parts.relative_error = options.relative_error;
  parts.absolute_error = options.absolute_error;
  if (options.adaptive > 0) {
    KernelDensity::Parts pilot = {.shape = parts.shape,
                                  .points = Matrix<double>::copy_of(rows.points.view()),
                                  .weights = rows.weights,
                                  .scales = {},
                                  .bandwidth = parts.bandwidth,
                                  .bounds = parts.bounds,
                                  .method = parts.method,
                                  .relative_error = parts.relative_error,
                                  .absolute_error = 0};
    parts.scales = adaptive_scales(KernelDensity(std::move(pilot)), options.adaptive, run);
  }
  parts.points = std::move(rows.points);
  parts.weights = std::move(rows.weights);
  KernelDensity density(std::move(parts));
  Index column = 0;
  for (Index j = 0; j < std::min(density.dimension(), most_reported_widths); ++j, ++column) {
    while (left_out.contains(column)) {
      ++column;
    }
    report.measures.push_back({density.dimension() == 1 ? "bandwidth" : "bandwidth of column " + std::to_string(column),
                               density.parts().bandwidth.width(j)});
  }
  return density;
}

void point_factors(Fields& visit, const std::string& name, std::vector<double>& factors, Index points) {
  std::vector<double> stored = factors.empty() ? std::vector<double>(points, 1.0) : factors;
  visit.column(name, stored, points, Constraint::positive);
  if (visit.loading() && std::ranges::any_of(stored, [](double factor) { return factor != 1; })) {
    factors = std::move(stored);
  }
}

void density_fields(Fields& visit, const std::string& prefix, const KdeOptions& options, const LeftOutColumns& left_out,
                    KernelDensity& density) {
  Matrix<double> points;
  std::vector<double> weights;
  std::vector<double> scales;
  Matrix<double> bandwidth;
  if (!visit.loading()) {
    const KernelDensity::Parts& parts = density.parts();
    points = Matrix<double>::copy_of(parts.points.view());
    weights = parts.weights;
    scales = parts.scales;
    bandwidth = Matrix<double>::copy_of(parts.bandwidth.factor());
  }
  visit.matrix(prefix + "points", points, {});
  const Index d = points.columns();
  visit.require(points.rows() > 0 && d > 0, "a density without points");
  point_factors(visit, prefix + "weights", weights, points.rows());
  point_factors(visit, prefix + "scales", scales, points.rows());
  visit.matrix(prefix + "bandwidth", bandwidth, {d, d});
  visit.require(left_out.columns.empty() || left_out.columns.back() < d + static_cast<Index>(left_out.columns.size()),
                "a left-out column that is not there");
  if (visit.loading()) {
    density = KernelDensity({.shape = options.shape,
                             .points = std::move(points),
                             .weights = std::move(weights),
                             .scales = std::move(scales),
                             .bandwidth = Bandwidth::from_factor(bandwidth.view()),
                             .bounds = bounds_of(options, d, left_out),
                             .method = options.method,
                             .relative_error = options.relative_error,
                             .absolute_error = options.absolute_error});
  }
}

}  // namespace mercer
