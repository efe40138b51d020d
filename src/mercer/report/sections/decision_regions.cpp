#include "mercer/report/sections/decision_regions.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/models/feature_space_function.h"
#include "mercer/report/numeric_columns.h"
#include "mercer/report/sections/class_scores.h"
#include "mercer/report/sections/clusters_section.h"
#include "mercer/report/sections/density_map.h"
#include "mercer/report/sections/feature_plane.h"
#include "mercer/report/sections/plane_grid.h"
#include "mercer/report/sections/region_points.h"
#include "mercer/report/thinning.h"

namespace mercer {

namespace {

constexpr Index plane_rows = 500;

// What the model says at every point of the grid, rows of equal y one after the other.
void add_predictions(const FittedModel& model, const Samples& grid, RegionsSection& section, const Run& run) {
  const bool has_classes = model.task() == Task::classification || model.task() == Task::clustering;
  const bool decides =
      model.task() == Task::novelty || (model.classes().size() == 2 && !model.decision_names().empty());
  Answers answers = model.answer(grid, {.predictions = true, .decisions = decides}, run);
  const Matrix<double>& predicted = answers.predictions;
  if (has_classes) {
    section.label = Matrix<Index>(plane_grid_size, plane_grid_size);
    for (Index k = 0; k < plane_grid_size * plane_grid_size; ++k) {
      section.label(k / plane_grid_size, k % plane_grid_size) = static_cast<Index>(predicted(k, 0));
    }
    if (decides) {
      Predictions all;
      all.decisions = std::move(answers.decisions);
      section.value = plane_values(scores_by_class(model, all), 1);
    }
    return;
  }
  section.value = model.task() == Task::novelty ? plane_values(answers.decisions, 0) : plane_values(predicted, 0);
}

// Support vectors of another file than the data's come as points of their own, with their positions on both axes.
void add_centers(const SupportVectors& support, const std::vector<Index>& shown, const std::vector<double>& x,
                 const std::vector<double>& y, RegionsSection& section) {
  section.points.support.assign(section.points.x.size(), SupportState::none);
  for (std::size_t k = 0; k < shown.size(); ++k) {
    const auto i = static_cast<std::size_t>(shown[k]);
    section.points.x.push_back(x[k]);
    section.points.y.push_back(y[k]);
    section.points.support.push_back(support.states[i]);
    if (!section.points.classes.empty()) {
      section.points.classes.push_back(support.classes.empty() ? 1 : support.classes[i]);
    }
    if (!section.points.values.empty()) {
      section.points.values.push_back(std::nan(""));
    }
    if (!section.points.residuals.empty()) {
      section.points.residuals.push_back(std::nan(""));
    }
  }
  section.how += " Support vectors are those of the training data.";
}

std::vector<double> joined(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

RegionsSection over_columns(const ReportInput& input, const Predictions& predictions, const NumericColumns& columns,
                            const std::array<Index, 2>& axes, const std::optional<SupportVectors>& support,
                            const Run& run) {
  const auto [a, b] = axes;
  RegionsSection section;
  section.axis_x = columns.name(a);
  section.axis_y = columns.name(b);
  section.how = plane_meaning(columns, axes);
  const bool own = input.part == DataPart::training;
  const Index reserved = support && !own ? std::min<Index>(support->centers.size(), most_points_shown / 2) : 0;
  const std::vector<Index> centers =
      reserved > 0 ? shown_rows(support->centers.size(), reserved, run.seed()) : std::vector<Index>();
  const Samples chosen = reserved > 0 ? support->centers.select(centers) : Samples();
  const std::vector<double> x = columns.values(a);
  const std::vector<double> y = columns.values(b);
  const std::vector<double> center_x = columns.values(chosen, a);
  const std::vector<double> center_y = columns.values(chosen, b);
  section.x = plane_axis(joined(x, center_x));
  section.y = plane_axis(joined(y, center_y));
  add_predictions(input.model(), plane_samples(columns, axes, section.x, section.y), section, run);
  const std::vector<Index> shown = shown_rows(input.rows(), most_points_shown - reserved, run.seed());
  const std::vector<SupportState> states =
      support && own ? support_by_row(*support, input.rows()) : std::vector<SupportState>();
  section.points =
      region_points(input.model(), predictions, shown, picked_values(x, shown), picked_values(y, shown), states);
  if (reserved > 0) {
    add_centers(*support, centers, center_x, center_y, section);
  }
  section.thinned = thinned_note(static_cast<Index>(shown.size()), input.rows());
  return section;
}

// Functions that are affine on the plane, decided upon as the model decides; probabilities are left out, as sigmoids
// would not change much and averages over a posterior are not linear.
void add_affine(const ReportInput& input, const Predictions& predictions, const std::vector<Index>& shown,
                const FeaturePlane& plane, RegionsSection& section) {
  const FittedModel& model = input.model();
  const Matrix<double>& functions = model.task() == Task::regression ? predictions.values : predictions.decisions;
  Predictions grid;
  grid.decisions = Matrix<double>(plane_grid_size * plane_grid_size, functions.columns());
  for (Index f = 0; f < functions.columns(); ++f) {
    const std::array<double, 3> affine = plane.affine(picked_values(column_of(functions, f), shown));
    for (Index k = 0; k < plane_grid_size * plane_grid_size; ++k) {
      grid.decisions(k, f) =
          affine[0] + affine[1] * section.x[k % plane_grid_size] + affine[2] * section.y[k / plane_grid_size];
    }
  }
  if (model.task() != Task::classification) {
    section.value = plane_values(grid.decisions, 0);
    return;
  }
  const std::vector<Index> classes = classes_by_decision(model, grid.decisions);
  section.label = Matrix<Index>(plane_grid_size, plane_grid_size);
  for (Index k = 0; k < grid.decisions.rows(); ++k) {
    section.label(k / plane_grid_size, k % plane_grid_size) = classes[k];
  }
  if (model.classes().size() == 2) {
    section.value = plane_values(scores_by_class(model, grid), 1);
  }
}

// Regions where the model is linear on the plane, and what to say about it.
void add_plane_regions(const ReportInput& input, const Predictions& predictions, const std::vector<Index>& shown,
                       const FeaturePlane& plane, RegionsSection& section) {
  section.how =
      "The plane of the kernel's feature space through the mean of the rows along their two leading principal axes "
      "(kernel PCA), onto which the rows are projected.";
  const auto* const function = offered<FeatureSpaceFunction>(input.model());
  // A rule decides by other numbers than these functions.
  if (function != nullptr && function->is_affine_in_feature_space() && input.model().head().decision.is_plain()) {
    add_affine(input, predictions, shown, plane, section);
    section.how +=
        " The model is linear in that space, so its boundaries on the plane are straight, and a row far from the "
        "plane may stand on another side than the model puts it.";
  } else if (input.model().task() == Task::clustering) {
    section.how += " Colours are the clusters.";
  } else {
    section.how += " This model is not linear in that space, so no regions are drawn.";
  }
}

RegionsSection over_feature_plane(const ReportInput& input, const Predictions& predictions,
                                  const std::optional<SupportVectors>& support, const Run& run) {
  const std::vector<Index> shown = shown_rows(input.rows(), plane_rows, run.seed());
  const FeaturePlane plane = feature_plane(input.model().kernel(), input.samples.select(shown), run);
  const auto percent = [](double share) { return shortest(std::round(1000 * share) / 10) + " % of the variance"; };
  const bool own = input.part == DataPart::training;
  const std::vector<Index> centers =
      support && !own ? shown_rows(support->centers.size(), plane_rows, run.seed()) : std::vector<Index>();
  std::array<std::vector<double>, 2> positions;
  if (!centers.empty()) {
    positions = plane.project(support->centers.select(centers), run);
  }
  RegionsSection section;
  section.axis_x = "principal axis 1 (" + percent(plane.shares[0]) + ")";
  section.axis_y = "principal axis 2 (" + percent(plane.shares[1]) + ")";
  section.x = plane_axis(joined(plane.positions[0], positions[0]));
  section.y = plane_axis(joined(plane.positions[1], positions[1]));
  add_plane_regions(input, predictions, shown, plane, section);
  const std::vector<SupportState> states =
      support && own ? support_by_row(*support, input.rows()) : std::vector<SupportState>();
  section.points = region_points(input.model(), predictions, shown, plane.positions[0], plane.positions[1], states);
  if (!centers.empty()) {
    add_centers(*support, centers, positions[0], positions[1], section);
  }
  section.thinned = thinned_note(static_cast<Index>(shown.size()), input.rows());
  return section;
}

}  // namespace

std::optional<RegionsSection> decision_regions(const ReportInput& input, const Predictions& predictions,
                                               const std::optional<SupportVectors>& support, const Run& run) {
  if (input.rows() == 0) {
    return std::nullopt;
  }
  const Task task = input.model().task();
  if (task == Task::features) {
    return std::nullopt;  // features_section.h has its own pictures
  }
  const NumericColumns columns(input.samples, input.stored->preparation.scaling, input.stored->preparation.schema);
  const std::optional<std::array<Index, 2>> axes = plane_columns(input, columns);
  RegionsSection section;
  if (axes) {
    section = task == Task::density ? density_map(input, predictions, columns, *axes, run)
                                    : over_columns(input, predictions, columns, *axes, support, run);
  } else if ((columns.count() == 1 && columns.alone()) || !input.model().has_kernel()) {
    return std::nullopt;
  } else {
    section = over_feature_plane(input, predictions, support, run);
  }
  section.classes = task == Task::novelty      ? predictions.label_names
                    : task == Task::clustering ? cluster_names(input.model())
                                               : input.model().classes();
  return section;
}

}  // namespace mercer
