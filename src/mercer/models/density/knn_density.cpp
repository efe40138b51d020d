#include "mercer/models/density/knn_density.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/density/kde_options.h"
#include "mercer/models/model_entry.h"
#include "mercer/smoothing/nearest_radius.h"
#include "mercer/smoothing/smoothing_kernel.h"

namespace mercer {

namespace {

constexpr Index neighbor_leaf_points = 16;

double sample_count(const Matrix<double>& points, const std::vector<double>& weights) {
  return weights.empty() ? static_cast<double>(points.rows()) : std::accumulate(weights.begin(), weights.end(), 0.0);
}

}  // namespace

void KnnDensityOptions::validate() const {
  check_options<KnnDensityOptions>("knndensity", knn_density_option_table(), *this);
}

std::span<const Option<KnnDensityOptions>> knn_density_option_table() {
  static const std::vector<Option<KnnDensityOptions>> table = {
      {"k", &KnnDensityOptions::k, "how many samples the ball holds; 0: the root of their number",
       Constraint::nonnegative_integer},
  };
  return table;
}

KnnDensityModel::KnnDensityModel(ModelHead head, Parts parts)
    : FittedModel(std::move(head)),
      parts_(std::move(parts)),
      tree_(parts_.points.view(), parts_.weights, {}, neighbor_leaf_points) {}

std::unique_ptr<KnnDensityModel> fit_knn_density(const KnnDensityOptions& options, const TrainingData& data,
                                                 const Run& /*run*/) {
  options.validate();
  DensityRows rows = density_rows(data, "knndensity");
  const double count = sample_count(rows.points, rows.weights);
  const Index neighbors = options.k > 0 ? options.k : std::max<Index>(1, std::llround(std::sqrt(count)));
  if (static_cast<double>(neighbors) > count) {
    reject_argument("k", static_cast<double>(neighbors), "at most the number of samples, " + shortest(count));
  }
  FitReport report;
  report.measures.push_back({"neighbours", static_cast<double>(neighbors)});
  return std::make_unique<KnnDensityModel>(
      ModelHead{.name = "knndensity",
                .settings = settings_of(knn_density_option_table(), options),
                .output_names = {"log_density"},
                .report = std::move(report)},
      KnnDensityModel::Parts{
          .points = std::move(rows.points), .weights = std::move(rows.weights), .neighbors = neighbors});
}

Answers KnnDensityModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  const Matrix<double> points = density_points(samples, "knndensity");
  const Index d = parts_.points.columns();
  if (points.columns() != d) {
    throw DataError("samples of " + std::to_string(points.columns()) + " columns, where the density has " +
                    std::to_string(d));
  }
  const auto k = static_cast<double>(parts_.neighbors);
  const double constant = std::log(k / sample_count(parts_.points, parts_.weights)) - log_ball_volume(d);
  const std::vector<double> radii = nearest_radii(tree_, points.view(), k, run);
  Matrix<double> result(points.rows(), 1);
  for (Index i = 0; i < points.rows(); ++i) {
    result(i, 0) = constant - static_cast<double>(d) * std::log(radii[i]);
  }
  return {.predictions = std::move(result)};
}

void KnnDensityModel::Parts::fields(Fields& visit) {
  visit.matrix("points", points, {});
  visit.require(points.rows() > 0 && points.columns() > 0, "no points");
  point_factors(visit, "weights", weights, points.rows());
  visit.index("neighbours", neighbors, any_index);
  visit.require(neighbors >= 1, "no neighbours");
}

const ModelEntry& knn_density_entry() {
  static const ModelEntry entry =
      make_entry<KnnDensityModel>({.name = "knndensity",
                                   .aliases = {},
                                   .summary = "nearest-neighbour density: the ball that holds k samples",
                                   .task = Task::density},
                                  knn_density_option_table(), fit_knn_density);
  return entry;
}

}  // namespace mercer
