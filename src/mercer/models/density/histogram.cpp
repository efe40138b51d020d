#include "mercer/models/density/histogram.h"

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/models/density/kde_options.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/model_state.h"
#include "mercer/models/phase_timer.h"

namespace mercer {

namespace {

constexpr Index histogram_rows_per_task = 4096;

}  // namespace

void HistogramOptions::validate() const {
  check_options<HistogramOptions>("histogram", histogram_option_table(), *this);
}

std::span<const Option<HistogramOptions>> histogram_option_table() {
  static const std::vector<Option<HistogramOptions>> table = {
      {"bins", &HistogramOptions::bins,
       "fd (Freedman-Diaconis), scott, sturges, quantile (equal shares), a number, or one number per column as in "
       "10,20"},
  };
  return table;
}

std::unique_ptr<HistogramModel> fit_histogram(const HistogramOptions& options, const TrainingData& data,
                                              const Run& /*run*/) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("count");
  const DensityRows rows = density_rows(data, "histogram");
  HistogramDensity density(options.bins.edges(rows.points.view(), rows.weights));
  density.add(rows.points.view(), rows.weights);
  double cells = 1;
  for (const std::vector<double>& axis : density.edges()) {
    cells *= static_cast<double>(axis.size() - 1);
  }
  report.measures.push_back({"cells", cells});
  report.measures.push_back({"cells that hold samples", static_cast<double>(density.cells().size())});
  timer.stop();
  return std::make_unique<HistogramModel>(
      HistogramModel::Parts{.settings = settings_of(histogram_option_table(), options),
                            .density = std::move(density),
                            .report = std::move(report)});
}

std::unique_ptr<HistogramModel> HistogramModel::with(const Samples& samples, std::span<const double> weights) const {
  const DensityRows rows = density_rows({samples, {}, {weights.begin(), weights.end()}}, "histogram");
  Parts parts{.settings = parts_.settings, .density = parts_.density, .report = parts_.report};
  const double outside = parts.density.add(rows.points.view(), rows.weights);
  if (outside > 0) {
    parts.report.notes.push_back("samples of weight " + shortest(outside) + " lie outside the edges and do not count");
  }
  return std::make_unique<HistogramModel>(std::move(parts));
}

Matrix<double> HistogramModel::predict(const Samples& samples, const Run& run) const {
  const Matrix<double> points = density_points(samples, "histogram");
  if (points.columns() != parts_.density.dimension()) {
    throw DataError("samples of " + std::to_string(points.columns()) + " columns, where the histogram has " +
                    std::to_string(parts_.density.dimension()));
  }
  Matrix<double> result(points.rows(), 1);
  parallel_for(run, block_count(points.rows(), histogram_rows_per_task), [&](Index task) {
    const IndexRange range = block_range(points.rows(), histogram_rows_per_task, task);
    for (Index i = range.begin; i < range.end; ++i) {
      result(i, 0) = parts_.density.log_density(points.view().row(i));
    }
  });
  return result;
}

Matrix<double> HistogramModel::draw(const HeldColumns& held, Index count, const Run& run) const {
  return draw_given(parts_.density, held, count, run);
}

ModelState HistogramModel::state() const {
  ModelState state;
  state.model = "histogram";
  state.output_names = output_names();
  state.settings = parts_.settings;
  state.report = parts_.report;
  // All edges in one column, and how many each axis has.
  std::vector<double> edges;
  std::vector<Index> counts;
  for (const std::vector<double>& axis : parts_.density.edges()) {
    edges.insert(edges.end(), axis.begin(), axis.end());
    counts.push_back(static_cast<Index>(axis.size()));
  }
  // Places have more digits than a double: two halves.
  const auto cells = parts_.density.cells();
  Matrix<double> stored(static_cast<Index>(cells.size()), 3);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const auto row = static_cast<Index>(k);
    stored(row, 0) = static_cast<double>(cells[k].place >> 31);
    stored(row, 1) = static_cast<double>(cells[k].place & 0x7fffffff);
    stored(row, 2) = cells[k].weight;
  }
  state.arrays.emplace("edges", number_column(edges));
  state.arrays.emplace("edge_counts", index_column(counts));
  state.arrays.emplace("cells", std::move(stored));
  return state;
}

std::unique_ptr<HistogramModel> HistogramModel::from_state(const ModelState& state, const Run& /*run*/) {
  HistogramOptions options;
  apply_settings<HistogramOptions>(state.model, histogram_option_table(), state.settings, options);
  options.validate();
  const Matrix<double>& all = state.array("edges");
  const std::vector<double> values = state.finite_column("edges", all.rows());
  std::vector<std::vector<double>> edges;
  std::size_t begin = 0;
  for (const Index count : state.indices("edge_counts", state.array("edge_counts").rows(), max_stored_index)) {
    if (static_cast<std::size_t>(count) > values.size() - begin) {
      throw DataError("the edges of the histogram are fewer than their counts");
    }
    edges.emplace_back(values.begin() + static_cast<std::ptrdiff_t>(begin),
                       values.begin() + static_cast<std::ptrdiff_t>(begin) + count);
    begin += static_cast<std::size_t>(count);
  }
  const Matrix<double> stored = state.finite_array("cells", state.array("cells").rows(), 3);
  std::vector<HistogramDensity::Cell> cells;
  for (Index k = 0; k < stored.rows(); ++k) {
    if (!(stored(k, 0) >= 0 && stored(k, 0) < 0x1p31 && stored(k, 1) >= 0 && stored(k, 1) < 0x1p31)) {
      throw DataError("a cell of the histogram has no place");
    }
    cells.push_back({(static_cast<Index>(stored(k, 0)) << 31) + static_cast<Index>(stored(k, 1)), stored(k, 2)});
  }
  if (begin != values.size() || cells.empty()) {
    throw DataError("the histogram has no cells, or more edges than its axes");
  }
  return std::make_unique<HistogramModel>(Parts{.settings = state.settings,
                                                .density = HistogramDensity(std::move(edges), std::move(cells)),
                                                .report = state.report});
}

const ModelEntry& histogram_entry() {
  static const ModelEntry entry =
      make_entry<HistogramModel>({.name = "histogram",
                                  .aliases = {},
                                  .summary = "histogram density: counts in bins along every column",
                                  .task = Task::density},
                                 histogram_option_table(), fit_histogram);
  return entry;
}

}  // namespace mercer
