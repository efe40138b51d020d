#include "mercer/report/sections/influence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/text.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/prepared.h"
#include "mercer/models/closed_form_leave_one_out.h"
#include "mercer/models/svm/support_machine.h"
#include "mercer/report/predictions.h"
#include "mercer/report/refit.h"

namespace mercer {

namespace {

// Per training row; notes[i] is empty unless there is something to say.
struct Influences {
  std::string how;
  std::vector<double> values;
  std::vector<std::string> notes;

  explicit Influences(Index rows)
      : values(static_cast<std::size_t>(rows), 0.0), notes(static_cast<std::size_t>(rows)) {}
};

std::string readable(double value) {
  if (value == 0 || !std::isfinite(value)) {
    return shortest(value);
  }
  const double scale = std::pow(10, 4 - std::floor(std::log10(std::abs(value))));
  return shortest(std::round(value * scale) / scale);
}

std::optional<Influences> leave_one_out_change(const FittedModel& model, const TrainingData& training,
                                               const Matrix<double>& predicted, const Run& run) {
  if (training.samples.size() > closed_form_rows) {
    return std::nullopt;
  }
  const std::vector<OptionSetting> extra = {{"loo", "yes"}};
  const Matrix<double> truth = training.targets.values();
  const auto again = refit(model, training, run, extra);
  const auto* const closed = offered<ClosedFormLeaveOneOut>(*again);
  const std::optional<Matrix<double>> left_out =
      closed == nullptr ? std::nullopt : closed->left_out_predictions(truth.view());
  if (!left_out) {
    return std::nullopt;
  }
  Influences result(truth.rows());
  result.how = "How far the prediction at a row moves when the row is left out, exactly, in units of the target.";
  for (Index i = 0; i < truth.rows(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    for (Index o = 0; o < truth.columns(); ++o) {
      result.values[k] = std::max(result.values[k], std::abs(predicted(i, o) - (*left_out)(i, o)));
    }
    result.notes[k] = "predicted " + readable((*left_out)(i, 0)) + " without this row";
  }
  return result;
}

Influences of_classifier(const FittedModel& model, const ClassMachines& machines, const SupportVectors& support,
                         const Predictions& own, const Run& run) {
  Influences result(own.rows());
  result.how =
      "Coefficient times the violation of the margin, summed over the machines. A support vector at its bound on the "
      "wrong side is a likely wrong label.";
  const Matrix<double> values = model.decide(support.centers, run);
  for (std::size_t k = 0; k < support.rows.size(); ++k) {
    const auto row = static_cast<std::size_t>(support.rows[k]);
    for (Index m = 0; m < values.columns(); ++m) {
      const double alpha = support.coefficients(static_cast<Index>(k), m);
      const double margin = (alpha < 0 ? -1.0 : 1.0) * values(static_cast<Index>(k), m);
      // Free support vectors miss the margin by the accuracy of the solution.
      const double accuracy = std::max(1e-4, 2 * machines.machine_facts()[m].kkt_gap);
      result.values[row] += 1 - margin > accuracy ? std::abs(alpha) * (1 - margin) : 0.0;
    }
    const bool wrong = static_cast<Index>(own.values(support.rows[k], 0)) != own.classes[row];
    const bool bound = support.states[k] == SupportState::bound;
    result.notes[row] = wrong && bound ? "at its bound on the wrong side: is the label right?"
                        : bound        ? "inside the margin"
                                       : "on the margin";
  }
  return result;
}

Influences of_tube(const Tube& tube, const SupportVectors& support, const Matrix<double>& truth,
                   const Matrix<double>& predicted) {
  Influences result(truth.rows());
  result.how = "Coefficient times the distance outside the tube.";
  const Matrix<double> widths = tube.support_widths();
  for (std::size_t k = 0; k < support.rows.size(); ++k) {
    const Index row = support.rows[k];
    for (Index o = 0; o < truth.columns(); ++o) {
      const double beyond = std::abs(truth(row, o) - predicted(row, o)) - widths(static_cast<Index>(k), o);
      if (support.states[k] == SupportState::bound) {
        result.values[row] += std::abs(support.coefficients(static_cast<Index>(k), o)) * std::max(0.0, beyond);
      }
    }
    result.notes[row] = support.states[k] == SupportState::bound ? "outside the tube" : "on the edge of the tube";
  }
  return result;
}

Influences of_boundary(const FittedModel& model, const SupportVectors& support, Index rows, const Run& run) {
  Influences result(rows);
  result.how = "Coefficient times the distance outside the boundary.";
  const Matrix<double> values = model.decide(support.centers, run);
  for (std::size_t k = 0; k < support.rows.size(); ++k) {
    const auto row = static_cast<std::size_t>(support.rows[k]);
    const Index machine = machine_of(support, static_cast<Index>(k));
    const double value = values(static_cast<Index>(k), machine);
    result.values[row] = std::abs(support.coefficients(static_cast<Index>(k), machine)) * std::max(0.0, -value);
    result.notes[row] = value < 0 ? "outside" : "on the boundary";
  }
  return result;
}

// For models whose centres are training rows.
std::optional<Influences> by_coefficient(const FittedModel& model, const TrainingData& training, const Run& run) {
  const Expansion* const functions = kernel_functions(model);
  if (functions == nullptr || match_training_rows(model, training.samples) != RowMatch::equal) {
    return std::nullopt;
  }
  const std::vector<Index> rows = model_centers(model)->rows;
  const ConstMatrixView<double> coefficients = functions->coefficients();
  const PreparedKernel prepared(model.kernel(), functions->centers(), Precision::double_precision, run);
  std::vector<double> diagonal(rows.size());
  model.kernel().node().diagonal(prepared.reference(), {0, functions->centers().size()}, diagonal);
  Influences result(training.samples.size());
  result.how =
      "The norm of what the row adds to the function: its coefficient times the length of its image in feature space.";
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double& value = result.values[rows[k]];
    for (Index o = 0; o < coefficients.columns(); ++o) {
      value = std::max(value, std::abs(coefficients(static_cast<Index>(k), o)) * std::sqrt(std::max(diagonal[k], 0.0)));
    }
  }
  return result;
}

Influences by_violation(const FittedModel& model, const SupportVectors& support, const Predictions& own,
                        const Run& run) {
  if (const auto* machines = offered<ClassMachines>(model)) {
    return of_classifier(model, *machines, support, own, run);
  }
  if (const auto* tube = offered<Tube>(model)) {
    return of_tube(*tube, support, own.truth, own.values);
  }
  return of_boundary(model, support, own.rows(), run);
}

std::optional<Influences> influences(const FittedModel& model, const TrainingData& training,
                                     const std::optional<SupportVectors>& support, const Predictions& own,
                                     const Run& run) {
  if (support) {
    Influences found = by_violation(model, *support, own, run);
    if (std::ranges::any_of(found.values, [](double value) { return value > 0; })) {
      return found;
    }
    // No row is on the wrong side of anything: what is left is how much of the function a row carries.
    std::optional<Influences> carried = by_coefficient(model, training, run);
    if (carried) {
      carried->notes = std::move(found.notes);
    }
    return carried;
  }
  if (const auto* closed = offered<ClosedFormLeaveOneOut>(model);
      closed != nullptr && model.task() == Task::regression) {
    return closed->knows_left_out_predictions() ? leave_one_out_change(model, training, own.values, run) : std::nullopt;
  }
  return by_coefficient(model, training, run);
}

InfluencePoint point_of(const FittedModel& model, const Predictions& own, Index row, double value, std::string note) {
  InfluencePoint point{.row = row, .label = "", .predicted = "", .influence = value, .note = std::move(note)};
  const auto k = static_cast<std::size_t>(row);
  const double predicted = own.values(row, 0);
  if (model.task() == Task::classification) {
    const std::vector<std::string>& classes = model.classes();
    const auto name = [&](double code) { return code < 0 ? "-" : classes[static_cast<Index>(code)]; };
    point.label = name(own.classes[k]);
    point.predicted = name(predicted);
    if (point.note.empty() && point.label != point.predicted) {
      point.note = "predicted as another class: is the label right?";
    }
  } else if (model.task() == Task::regression) {
    point.label = readable(own.truth(row, 0));
    point.predicted = readable(predicted);
  } else {
    point.label = own.normal.empty() ? "" : own.label_names[own.normal[k] != 0 ? 1 : 0];
    point.predicted = predicted > 0 ? "inside" : "outside";
  }
  return point;
}

}  // namespace

std::optional<InfluenceSection> influence_section(const ReportInput& input,
                                                  const std::optional<SupportVectors>& support, const Run& run) {
  const TrainingData* const training = input.training_rows();
  if (training == nullptr) {
    return std::nullopt;
  }
  const FittedModel& model = input.model();
  const Targets* const targets = training->targets.outputs() > 0 ? &training->targets : nullptr;
  const Predictions own = predict_all(model, training->samples, targets, {}, run);
  const std::optional<Influences> found = influences(model, *training, support, own, run);
  if (!found) {
    return std::nullopt;
  }
  std::vector<Index> order(found->values.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return found->values[a] > found->values[b]; });
  InfluenceSection section{.how = found->how + " Rows are counted from 0.", .points = {}};
  for (const Index row : order) {
    const auto k = static_cast<std::size_t>(row);
    if (static_cast<Index>(section.points.size()) == influential_rows || !(found->values[k] > 0)) {
      break;
    }
    section.points.push_back(point_of(model, own, row, found->values[k], found->notes[k]));
  }
  return section.points.empty() ? std::nullopt : std::optional(std::move(section));
}

}  // namespace mercer
