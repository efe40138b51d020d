#include "mercer/report/sections/density_section.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/models/density/density_parts.h"
#include "mercer/models/density/density_units.h"
#include "mercer/report/numeric_columns.h"
#include "mercer/report/sections/calibration.h"
#include "mercer/report/thinning.h"

namespace mercer {

namespace {

constexpr Index density_curve_points = 400;
constexpr Index rug_rows = 2000;
constexpr Index most_drawn_bins = 60;
constexpr Index likelihood_bins = 40;
// Marginals of kernels without a closed form cost microseconds per term.
constexpr Index slow_marginal_terms = 2000000;

// Ends that do not cut the tails of a smooth density; `reach` is three times its width, 0 where that is not known.
std::vector<double> density_axis(const std::vector<double>& values, double reach) {
  const auto [least, largest] = std::ranges::minmax(values);
  const double range = largest - least;
  const double margin = range > 0 ? std::clamp(reach, 0.15 * range, 0.6 * range) : std::max(reach, 0.5);
  std::vector<double> axis;
  for (Index k = 0; k < density_curve_points; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(density_curve_points - 1);
    axis.push_back(least - margin + share * (largest - least + 2 * margin));
  }
  return axis;
}

void add_rows(const std::vector<double>& values, const Run& run, DensityCurve& curve) {
  Matrix<double> column(static_cast<Index>(values.size()), 1);
  std::ranges::copy(values, column.data());
  curve.edges = histogram_edges(BinRule::fd, column.view(), {}).front();
  if (static_cast<Index>(curve.edges.size()) > most_drawn_bins + 1) {
    curve.edges = equal_bins(curve.edges.front(), curve.edges.back(), most_drawn_bins);
  }
  curve.heights.assign(curve.edges.size() - 1, 0);
  for (const double value : values) {
    const auto bin = static_cast<std::size_t>(bin_of(curve.edges, value));
    curve.heights[bin] += 1 / (static_cast<double>(values.size()) * (curve.edges[bin + 1] - curve.edges[bin]));
  }
  for (const Index i : shown_rows(static_cast<Index>(values.size()), rug_rows, run.seed())) {
    curve.rug.push_back(values[i]);
  }
}

// The bars of one axis as a line that steps: two points per bin, 0 at the ends.
void add_steps(const HistogramDensity& density, const NumericColumns& columns, Index axis, DensityCurve& curve) {
  const std::vector<double>& edges = density.edges()[axis];
  Index stride = 1;
  for (Index j = density.dimension() - 1; j > axis; --j) {
    stride *= static_cast<Index>(density.edges()[j].size()) - 1;
  }
  const auto bins = static_cast<Index>(edges.size()) - 1;
  std::vector<double> weights(bins);
  for (const HistogramDensity::Cell& cell : density.cells()) {
    weights[cell.place / stride % bins] += cell.weight;
  }
  const auto put = [&](double x, double p) {
    curve.x.push_back(columns.unscaled(x, axis));
    curve.density.push_back(p);
  };
  put(edges.front(), 0);
  for (std::size_t b = 0; b < weights.size(); ++b) {
    const double p = columns.density_factor(axis) * weights[b] / (density.total_weight() * (edges[b + 1] - edges[b]));
    put(edges[b], p);
    put(edges[b + 1], p);
  }
  put(edges.back(), 0);
}

// Three deviations of the bandwidth along an axis, in the units of the file.
double density_reach(const SmoothDensity& kde, const NumericColumns& columns, Index axis) {
  return 3 * kde.density().parts().bandwidth.width(kde.left_out().place(axis)) / columns.density_factor(axis);
}

bool marginals_are_cheap(const KernelDensity& density) {
  const SmoothingShape shape = density.parts().shape;
  const bool closed = shape == SmoothingShape::gaussian || shape == SmoothingShape::epanechnikov ||
                      shape == SmoothingShape::biweight || shape == SmoothingShape::boxcar ||
                      shape == SmoothingShape::cube;
  return closed || density.size() * density_curve_points <= slow_marginal_terms;
}

void add_kernel_density(const SmoothDensity& kde, const NumericColumns& columns, Index axis, const Run& run,
                        DensityCurve& curve) {
  const KernelDensity& density = kde.density();
  Matrix<double> x(static_cast<Index>(curve.x.size()), 1);
  for (Index k = 0; k < x.rows(); ++k) {
    x(k, 0) = columns.scaled(curve.x[k], axis);
  }
  const std::array<Index, 1> own = {kde.left_out().place(axis)};
  curve.density =
      density.dimension() == 1 ? density.log_density(x.view(), run) : density.marginal_log_density(own, x.view(), run);
  for (double& value : curve.density) {
    value = columns.density_factor(axis) * std::exp(value);
  }
  if (density.dimension() == 1) {
    curve.cumulative = density.cumulative({x.data(), curve.x.size()}, run);
  }
}

DensityCurve curve_of(const ReportInput& input, const NumericColumns& columns, Index axis, const Run& run) {
  DensityCurve curve;
  curve.column = columns.name(axis);
  const std::vector<double> values = columns.values(axis);
  add_rows(values, run, curve);
  if (const auto* histogram = offered<CellDensity>(input.model())) {
    add_steps(histogram->density(), columns, axis, curve);
    return curve;
  }
  if (const auto* kde = offered<SmoothDensity>(input.model())) {
    curve.x = density_axis(values, density_reach(*kde, columns, axis));
    add_kernel_density(*kde, columns, axis, run, curve);
    return curve;
  }
  curve.x = density_axis(values, 0);
  curve.density = column_of(input.model().predict(columns.with_columns(axis, curve.x, axis, curve.x), run), 0);
  for (double& value : curve.density) {
    value = columns.density_factor(axis) * std::exp(value);
  }
  return curve;
}

// Why there are no curves; empty where there are.
std::string missing_curves(const ReportInput& input, Index columns) {
  if (columns == 1 || offered<CellDensity>(input.model()) != nullptr) {
    return {};
  }
  const auto* const kde = offered<SmoothDensity>(input.model());
  if (kde == nullptr) {
    return "This model has no marginal densities, so that there is no curve per column.";
  }
  return marginals_are_cheap(kde->density())
             ? std::string()
             : "Marginal densities of this smoothing kernel take too long for so many rows, so that there is no curve "
               "per column.";
}

void add_curves(const ReportInput& input, DensitySection& section, const Run& run) {
  const NumericColumns columns(input.samples, input.stored->preparation.scaling, input.stored->preparation.schema);
  section.how = missing_curves(input, columns.count());
  if (!section.how.empty()) {
    return;
  }
  const Index count = std::min(columns.count(), most_density_curves);
  const auto* const kde = offered<SmoothDensity>(input.model());
  try {
    for (Index j = 0; j < count; ++j) {
      if (kde == nullptr || !kde->left_out().contains(j)) {
        section.curves.push_back(curve_of(input, columns, j, run));
      }
    }
  } catch (const InvalidArgument& error) {
    section.curves.clear();
    section.how = std::string("There is no curve per column: ") + error.what() + ".";
    return;
  }
  if (columns.count() > 1) {
    section.how = "Marginal densities: of each column alone, whatever the others are.";
    if (count < columns.count()) {
      section.how +=
          " The first " + std::to_string(count) + " of " + std::to_string(columns.count()) + " columns are drawn.";
    }
  }
  section.thinned = thinned_note(std::min(input.rows(), rug_rows), input.rows());
}

}  // namespace

DensitySection density_section(const ReportInput& input, const Predictions& predictions, const Run& run) {
  DensitySection section;
  const double shift = log_density_factor(*input.stored);
  std::vector<double> finite;
  for (const double value : column_of(predictions.values, 0)) {
    section.zero += value < 0 && std::isinf(value) ? 1 : 0;
    section.infinite += value > 0 && std::isinf(value) ? 1 : 0;
    if (std::isfinite(value)) {
      finite.push_back(value + shift);
    }
  }
  if (!finite.empty()) {
    const auto [least, largest] = std::ranges::minmax(finite);
    section.edges = equal_bins(least, largest, likelihood_bins);
    section.counts.assign(likelihood_bins, 0);
    for (const double value : finite) {
      ++section.counts[bin_of(section.edges, value)];
    }
  }
  add_curves(input, section, run);
  return section;
}

}  // namespace mercer
