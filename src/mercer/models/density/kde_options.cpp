#include "mercer/models/density/kde_options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/model_state.h"
#include "mercer/models/training_rows.h"
#include "mercer/smoothing/bandwidth_rules.h"

namespace mercer {

namespace {

constexpr Index most_reported_widths = 8;

// One number per column from "1,none,3", or one for all.
std::vector<double> per_column(const char* option, const std::string& text, Index columns) {
  std::vector<double> values;
  for (const std::string& item : split(text, ',')) {
    const std::string_view word = trim(item);
    if (word == "none") {
      values.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const std::optional<double> number = parse_double(word);
    if (!number || !std::isfinite(*number)) {
      reject_argument(option, text, "a number, or one number or none per column, as in 0,none,1");
    }
    values.push_back(*number);
  }
  if (values.size() == 1) {
    values.resize(static_cast<std::size_t>(columns), values.front());
  }
  if (static_cast<Index>(values.size()) != columns) {
    reject_argument(option, text,
                    "one number for all columns, or one for each of the " + std::to_string(columns) + " columns");
  }
  return values;
}

// Of `kept` columns; the lists have entries for those that are left out, too.
std::vector<AxisBounds> bounds_of(const KdeOptions& options, Index kept, const LeftOutColumns& left_out) {
  const Index columns = kept + static_cast<Index>(left_out.columns.size());
  if (options.lower.empty() && options.upper.empty() && options.period.empty()) {
    return {};
  }
  std::vector<AxisBounds> bounds(static_cast<std::size_t>(columns));
  const auto set = [&](const char* option, const std::string& text, double AxisBounds::* member) {
    if (!text.empty()) {
      const std::vector<double> values = per_column(option, text, columns);
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

SumMethod method_of(const KdeOptions& options) {
  for (const SumMethod method : {SumMethod::exact, SumMethod::tree}) {
    if (options.method == to_string(method)) {
      return method;
    }
  }
  return SumMethod::automatic;
}

bool is_number_list(const std::string& text) {
  return !text.empty() && parse_double(trim(split(text, ',').front())).has_value();
}

bool is_number_matrix(const std::string& text) { return text.find(';') != std::string::npos; }

// H from "4,1;1,9": rows separated by semicolons.
Matrix<double> bandwidth_matrix(const std::string& text) {
  const std::vector<std::string> rows = split(text, ';');
  const auto d = static_cast<Index>(rows.size());
  Matrix<double> matrix(d, d);
  for (Index i = 0; i < d; ++i) {
    const std::vector<std::string> items = split(rows[static_cast<std::size_t>(i)], ',');
    for (std::size_t j = 0; j < items.size(); ++j) {
      const std::optional<double> number = parse_double(trim(items[j]));
      if (static_cast<Index>(items.size()) != d || !number || !std::isfinite(*number)) {
        reject_argument("bandwidth", text, "a square matrix of numbers, rows separated by semicolons as in 4,1;1,9");
      }
      matrix(i, static_cast<Index>(j)) = *number;
    }
  }
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j < i; ++j) {
      if (std::abs(matrix(i, j) - matrix(j, i)) > 1e-10 * (std::abs(matrix(i, j)) + std::abs(matrix(j, i)))) {
        reject_argument("bandwidth", text, "a symmetric matrix: squared widths, as a covariance has them");
      }
    }
  }
  return matrix;
}

Bandwidth bandwidth_of(const KdeOptions& options, const DensityRows& rows, FitReport& report, const Run& run) {
  if (is_number_matrix(options.bandwidth)) {
    const Matrix<double> matrix = bandwidth_matrix(options.bandwidth);
    if (matrix.rows() != rows.points.columns()) {
      reject_argument("bandwidth", options.bandwidth,
                      "a row and a column for each of the " + std::to_string(rows.points.columns()) + " columns");
    }
    return Bandwidth::full(matrix.view(), run);
  }
  if (is_number_list(options.bandwidth)) {
    return Bandwidth::diagonal(per_column("bandwidth", options.bandwidth, rows.points.columns()));
  }
  const BandwidthRule rule = parse_bandwidth_rule(options.bandwidth);
  BandwidthChoice choice =
      choose_bandwidth(rule, parse_bandwidth_form(options.form), parse_smoothing_shape(options.shape),
                       rows.points.view(), rows.weights, run);
  report.notes.insert(report.notes.end(), choice.notes.begin(), choice.notes.end());
  report.iterations += choice.evaluations;
  if (rule == BandwidthRule::likelihood) {
    report.objective_name = "leave-one-out log-likelihood";
    report.objective = -choice.criterion;
  } else if (rule == BandwidthRule::least_squares) {
    report.objective_name = "least-squares criterion";
    report.objective = choice.criterion;
  }
  return choice.bandwidth;
}

}  // namespace

bool KdeOptions::has_rule() const { return !is_number_matrix(bandwidth) && !is_number_list(bandwidth); }

void KdeOptions::validate() const {
  parse_smoothing_shape(shape);
  parse_bandwidth_form(form);
  if (is_number_matrix(bandwidth)) {
    bandwidth_matrix(bandwidth);
  } else if (is_number_list(bandwidth)) {
    for (const std::string& item : split(bandwidth, ',')) {
      const std::optional<double> number = parse_double(trim(item));
      if (!number || !(*number > 0) || !std::isfinite(*number)) {
        reject_argument("bandwidth", bandwidth, "a rule, or positive numbers, one for all columns or one for each");
      }
    }
  } else {
    parse_bandwidth_rule(bandwidth);
  }
  if (!(adaptive >= 0 && adaptive <= 1)) {
    reject_argument("adaptive", adaptive, "between 0 (no adaption) and 1");
  }
  if (!(relative_error >= 0 && relative_error < 1)) {
    reject_argument("relative_error", relative_error, "at least 0 and below 1");
  }
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
  const bool all = static_cast<Index>(rows.size()) == data.samples.size();
  DensityRows result{density_points(all ? data.samples : data.samples.select(rows), model), {}};
  if (std::any_of(data.weights.begin(), data.weights.end(), [](double weight) { return weight != 1 && weight != 0; })) {
    for (const Index row : rows) {
      result.weights.push_back(data.weights[static_cast<std::size_t>(row)]);
    }
  }
  return result;
}

KernelDensity fit_kernel_density(const KdeOptions& options, DensityRows rows, const LeftOutColumns& left_out,
                                 FitReport& report, const Run& run) {
  KernelDensity::Parts parts;
  parts.shape = parse_smoothing_shape(options.shape);
  parts.bounds = bounds_of(options, rows.points.columns(), left_out);
  parts.bandwidth = bandwidth_of(options, rows, report, run);
  parts.method = method_of(options);
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

void store_density(const KernelDensity& density, const std::string& prefix, ModelState& state) {
  const KernelDensity::Parts& parts = density.parts();
  const std::vector<double> ones(static_cast<std::size_t>(density.size()), 1.0);
  state.arrays.emplace(prefix + "points", Matrix<double>::copy_of(parts.points.view()));
  state.arrays.emplace(prefix + "weights", number_column(parts.weights.empty() ? ones : parts.weights));
  state.arrays.emplace(prefix + "scales", number_column(parts.scales.empty() ? ones : parts.scales));
  state.arrays.emplace(prefix + "bandwidth", Matrix<double>::copy_of(parts.bandwidth.factor()));
}

KernelDensity stored_density(const ModelState& state, const std::string& prefix, const KdeOptions& options,
                             const LeftOutColumns& left_out) {
  const Matrix<double>& points = state.array(prefix + "points");
  const Index n = points.rows();
  const Index d = points.columns();
  KernelDensity::Parts parts;
  parts.shape = parse_smoothing_shape(options.shape);
  parts.points = state.finite_array(prefix + "points", n, d);
  parts.weights = state.finite_column(prefix + "weights", n);
  parts.scales = state.finite_column(prefix + "scales", n);
  const auto is_one = [](double value) { return value == 1; };
  if (std::all_of(parts.weights.begin(), parts.weights.end(), is_one)) {
    parts.weights.clear();
  }
  if (std::all_of(parts.scales.begin(), parts.scales.end(), is_one)) {
    parts.scales.clear();
  }
  parts.bandwidth = Bandwidth::from_factor(state.finite_array(prefix + "bandwidth", d, d).view());
  parts.bounds = bounds_of(options, d, left_out);
  parts.method = method_of(options);
  parts.relative_error = options.relative_error;
  parts.absolute_error = options.absolute_error;
  return KernelDensity(std::move(parts));
}

}  // namespace mercer
