#include "mercer/report/sections/residuals.h"

#include <algorithm>
#include <cmath>

#include "mercer/models/fitted_quantiles.h"
#include "mercer/models/svm/support_machine.h"
#include "mercer/report/numeric_columns.h"
#include "mercer/report/sections/model_scores.h"
#include "mercer/report/thinning.h"

namespace mercer {

namespace {

constexpr Index curve_points = 300;
constexpr Index curve_data_points = 3000;

Index quantile_column(const Predictions& predictions, Index output, double level) {
  const auto nearest = std::ranges::min_element(predictions.levels, {}, [&](double l) { return std::abs(l - level); });
  return output * static_cast<Index>(predictions.levels.size()) +
         static_cast<Index>(nearest - predictions.levels.begin());
}

OutputResiduals residuals_of(const Predictions& predictions, Index o, const std::string& name,
                             const std::vector<Index>& shown) {
  OutputResiduals result;
  result.name = name;
  result.level = interval_level;
  const bool intervals = predictions.quantiles.columns() > 0;
  const Index low = intervals ? quantile_column(predictions, o, (1 - interval_level) / 2) : 0;
  const Index high = intervals ? quantile_column(predictions, o, (1 + interval_level) / 2) : 0;
  for (const Index i : shown) {
    result.truth.push_back(predictions.truth(i, o));
    result.predicted.push_back(predictions.values(i, o));
    if (intervals) {
      result.lower.push_back(predictions.quantiles(i, low));
      result.upper.push_back(predictions.quantiles(i, high));
    }
  }
  return result;
}

// f ± ε(x); nothing where the width is known at the training rows alone, or there is none.
void add_tube(const FittedModel& model, const Samples& grid, FittedCurve& curve) {
  const auto* const tube = offered<Tube>(model);
  if (tube == nullptr || !tube->has_width_function()) {
    return;
  }
  const std::vector<double> widths = column_of(tube->widths_at(grid), 0);
  if (std::ranges::none_of(widths, [](double width) { return width > 0; })) {
    return;
  }
  for (std::size_t k = 0; k < widths.size(); ++k) {
    curve.tube_lower.push_back(curve.mean[k] - widths[k]);
    curve.tube_upper.push_back(curve.mean[k] + widths[k]);
  }
}

std::optional<FittedCurve> fitted_curve(const ReportInput& input, const Predictions& predictions, const Run& run) {
  const FittedModel& model = input.model();
  if (model.adds_offsets()) {
    return std::nullopt;  // its prior function sees raw rows, which a grid of scaled ones is not
  }
  const NumericColumns columns(input.samples, input.stored->preparation.scaling, input.stored->preparation.schema);
  if (columns.count() != 1 || !columns.alone() || predictions.truth.columns() != 1 || input.rows() == 0) {
    return std::nullopt;
  }
  FittedCurve curve;
  curve.column = columns.name(0);
  const std::vector<double> data = columns.values(0);
  const auto [least, largest] = std::ranges::minmax(data);
  const double margin = 0.05 * (largest - least);
  for (Index k = 0; k < curve_points; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(curve_points - 1);
    curve.x.push_back(least - margin + share * (largest - least + 2 * margin));
  }
  const Samples grid = columns.with_columns(0, curve.x, 0, curve.x);
  curve.mean = column_of(model.predict(grid, run), 0);
  if (const auto* const fitted = offered<FittedQuantiles>(model)) {
    curve.levels = fitted->fitted_levels();
    const Matrix<double> quantiles = model.quantiles(grid, curve.levels, PredictionOf::observation, run);
    for (Index l = 0; l < quantiles.columns(); ++l) {
      curve.quantiles.push_back(column_of(quantiles, l));
    }
  } else if (model.has_distribution()) {
    const std::vector<double> levels = {(1 - interval_level) / 2, (1 + interval_level) / 2};
    const Matrix<double> limits = model.quantiles(grid, levels, PredictionOf::observation, run);
    curve.lower = column_of(limits, 0);
    curve.upper = column_of(limits, 1);
    if (model.has_distribution_of(PredictionOf::function)) {
      const Matrix<double> function = model.quantiles(grid, levels, PredictionOf::function, run);
      curve.mean_lower = column_of(function, 0);
      curve.mean_upper = column_of(function, 1);
    }
  }
  add_tube(model, grid, curve);
  for (const Index i : shown_rows(input.rows(), curve_data_points, run.seed())) {
    curve.data_x.push_back(data[i]);
    curve.data_y.push_back(predictions.truth(i, 0));
  }
  return curve;
}

}  // namespace

std::vector<double> report_quantile_levels() {
  std::vector<double> levels = coverage_limits();
  for (int k = 1; k < 20; ++k) {
    const double level = k / 20.0;
    for (const double side : {(1 - level) / 2, (1 + level) / 2}) {
      if (std::ranges::none_of(levels, [&](double l) { return std::abs(l - side) < 1e-9; })) {
        levels.push_back(side);
      }
    }
  }
  std::sort(levels.begin(), levels.end());
  return levels;
}

std::optional<CoverageCurve> coverage_curve(const Predictions& predictions) {
  if (predictions.quantiles.columns() == 0 || predictions.rows() == 0) {
    return std::nullopt;
  }
  CoverageCurve curve;
  for (std::size_t l = 0; l < predictions.levels.size(); ++l) {
    const double level = 1 - 2 * predictions.levels[l];
    if (level <= 0) {
      break;
    }
    double inside = 0;
    for (Index o = 0; o < predictions.truth.columns(); ++o) {
      const Index low = quantile_column(predictions, o, (1 - level) / 2);
      const Index high = quantile_column(predictions, o, (1 + level) / 2);
      for (Index i = 0; i < predictions.rows(); ++i) {
        const double y = predictions.truth(i, o);
        inside += predictions.quantiles(i, low) <= y && y <= predictions.quantiles(i, high) ? 1 : 0;
      }
    }
    curve.nominal.push_back(level);
    curve.observed.push_back(inside / static_cast<double>(predictions.rows() * predictions.truth.columns()));
  }
  std::reverse(curve.nominal.begin(), curve.nominal.end());
  std::reverse(curve.observed.begin(), curve.observed.end());
  return curve;
}

std::optional<LevelShares> level_shares(const Predictions& predictions) {
  if (!predictions.fits_quantiles || predictions.rows() == 0) {
    return std::nullopt;
  }
  const auto count = static_cast<Index>(predictions.scored_levels.size());
  LevelShares shares{predictions.scored_levels, std::vector<double>(count, 0.0)};
  const Index outputs = predictions.truth.columns();
  for (Index i = 0; i < predictions.rows(); ++i) {
    for (Index c = 0; c < outputs * count; ++c) {
      shares.observed[c % count] += predictions.truth(i, c / count) <= predictions.scored_quantiles(i, c) ? 1 : 0;
    }
  }
  for (double& share : shares.observed) {
    share /= static_cast<double>(predictions.rows() * outputs);
  }
  return shares;
}

RegressionSection regression_section(const ReportInput& input, const Predictions& predictions, const Run& run) {
  RegressionSection section;
  const std::vector<std::string> names = output_headings(input.model());
  const Index outputs = predictions.truth.columns();
  const std::vector<Index> shown =
      shown_rows(predictions.rows(), most_points_shown / std::max<Index>(outputs, 1), run.seed());
  for (Index o = 0; o < outputs; ++o) {
    section.outputs.push_back(residuals_of(predictions, o, names[o], shown));
  }
  section.thinned = thinned_note(static_cast<Index>(shown.size()), predictions.rows());
  section.coverage = coverage_curve(predictions);
  section.below = level_shares(predictions);
  section.curve = fitted_curve(input, predictions, run);
  return section;
}

}  // namespace mercer
