#include "mercer/models/density/histogram.h"

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/models/density/kde_options.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"

namespace mercer {

namespace {

constexpr Index histogram_rows_per_task = 4096;

std::vector<std::vector<double>> edges_of_axes(const Fields& visit, const std::vector<double>& edges,
                                               const std::vector<Index>& counts) {
  std::vector<std::vector<double>> axes;
  auto begin = edges.begin();
  for (const Index count : counts) {
    visit.require(count <= edges.end() - begin, "fewer edges than its axes have");
    axes.emplace_back(begin, begin + count);
    begin += count;
  }
  visit.require(begin == edges.end(), "more edges than its axes have");
  return axes;
}

void cell_fields(Fields& visit, std::vector<HistogramDensity::Cell>& cells) {
  std::vector<Index> places;
  std::vector<double> weights;
  for (const HistogramDensity::Cell& cell : cells) {
    places.push_back(cell.place);
    weights.push_back(cell.weight);
  }
  visit.indices("cell_places", places, any_count, any_index);
  visit.column("cell_weights", weights, static_cast<Index>(places.size()), Constraint::positive);
  cells.resize(places.size());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    cells[k] = {places[k], weights[k]};
  }
}

// Formats 1 and 2 have a cell in a row: the halves of its place, which has more digits than a double, and its weight.
std::vector<HistogramDensity::Cell> cells_before(Fields& visit) {
  Matrix<double> stored;
  visit.matrix("cells", stored, {any_count, 3});
  std::vector<HistogramDensity::Cell> cells;
  for (Index k = 0; k < stored.rows(); ++k) {
    visit.require(stored(k, 0) >= 0 && stored(k, 0) < 0x1p31 && stored(k, 1) >= 0 && stored(k, 1) < 0x1p31,
                  "a cell without a place");
    cells.push_back({(static_cast<Index>(stored(k, 0)) << 31) + static_cast<Index>(stored(k, 1)), stored(k, 2)});
  }
  return cells;
}

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
  return std::make_unique<HistogramModel>(ModelHead{.name = "histogram",
                                                    .settings = settings_of(histogram_option_table(), options),
                                                    .output_names = {"log_density"},
                                                    .report = std::move(report)},
                                          HistogramModel::Parts{std::move(density)});
}

std::unique_ptr<HistogramModel> HistogramModel::with(const Samples& samples, std::span<const double> weights) const {
  const DensityRows rows = density_rows({samples, {}, {weights.begin(), weights.end()}}, "histogram");
  Parts parts = parts_;
  ModelHead changed = head();
  const double outside = parts.density.add(rows.points.view(), rows.weights);
  if (outside > 0) {
    changed.report.notes.push_back("samples of weight " + shortest(outside) +
                                   " lie outside the edges and do not count");
  }
  return std::make_unique<HistogramModel>(std::move(changed), std::move(parts));
}

Answers HistogramModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
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
  return {.predictions = std::move(result)};
}

Matrix<double> HistogramModel::draw(const HeldColumns& held, Index count, const Run& run) const {
  return draw_given(parts_.density, held, count, run);
}

void HistogramModel::Parts::fields(Fields& visit) {
  // All edges in one column, and how many each axis has.
  std::vector<double> edges;
  std::vector<Index> counts;
  for (const std::vector<double>& axis : density.edges()) {
    edges.insert(edges.end(), axis.begin(), axis.end());
    counts.push_back(static_cast<Index>(axis.size()));
  }
  std::vector<HistogramDensity::Cell> cells(density.cells().begin(), density.cells().end());
  visit.column("edges", edges, any_count);
  visit.indices("edge_counts", counts, any_count, any_index);
  if (visit.present("cells", false)) {
    cells = cells_before(visit);
  } else {
    cell_fields(visit, cells);
  }
  visit.require(!cells.empty(), "no cells");
  if (visit.loading()) {
    density = HistogramDensity(edges_of_axes(visit, edges, counts), std::move(cells));
  }
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
