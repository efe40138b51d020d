#include "mercer/models/compress/compress_constants.h"

#include <algorithm>

#include "mercer/models/classes/coded_classes.h"
#include "mercer/models/compress/compress_threshold.h"

namespace mercer {

namespace {

Expansion with_constants(const Expansion& f, const std::vector<double>& shifts, const Run& run) {
  Matrix<double> parametric = Matrix<double>::copy_of(f.parametric_coefficients());
  for (Index o = 0; o < f.outputs(); ++o) {
    parametric(0, o) += shifts[o];
  }
  return {
      f.kernel(),    f.centers(), Matrix<double>::copy_of(f.coefficients()), f.parametric_part(), std::move(parametric),
      f.precision(), run};
}

// Which side of machine m the class stands on.
double side_of(const FittedModel& model, Index machine, Index c, Index machines) {
  if (const auto* coded = offered<CodedClasses>(model)) {
    return coded->code()(machine, c);
  }
  return machines == 1 ? (c == 1 ? 1.0 : -1.0) : (machine == c ? 1.0 : -1.0);
}

Matrix<double> function_values(const Expansion& f, const Samples& samples, const Run& run) {
  Matrix<double> values(samples.size(), f.outputs());
  f.evaluate(samples, values.view(), run);
  return values;
}

std::vector<double> column_values(const Matrix<double>& values, Index column) {
  std::vector<double> result;
  for (Index i = 0; i < values.rows(); ++i) {
    result.push_back(values(i, column));
  }
  return result;
}

Index wrong_answers(const FittedModel& model, const TrainingData& data, const ClassLabels& labels, const Run& run) {
  const Matrix<double> predicted = model.predict(data.samples, run);
  Index wrong = 0;
  for (Index i = 0; i < predicted.rows(); ++i) {
    wrong += predicted(i, 0) != labels.codes[i] ? 1 : 0;
  }
  return wrong;
}

std::vector<double> shifts_of_classes(const FittedModel& model, const Matrix<double>& values,
                                      const ClassLabels& labels) {
  std::vector<double> shifts;
  for (Index m = 0; m < values.columns(); ++m) {
    std::vector<double> signs;
    for (const std::int32_t code : labels.codes) {
      signs.push_back(code < 0 ? 0.0 : side_of(model, m, code, values.columns()));
    }
    shifts.push_back(best_threshold_shift(column_values(values, m), signs));
  }
  return shifts;
}

// The mean difference, or for novelty the number of samples inside.
std::vector<double> shifts_of_values(const FittedModel& before, const FittedModel& after, const Expansion& f,
                                     const Expansion& reduced, const Samples& samples, const Run& run) {
  if (before.task() == Task::novelty) {
    const Matrix<double> then = before.decide(samples, run);
    const Index inside = std::ranges::count_if(column_values(then, 0), [](double value) { return value >= 0; });
    return {quantile_shift(column_values(after.decide(samples, run), 0), inside)};
  }
  const Matrix<double> then = function_values(f, samples, run);
  const Matrix<double> now = function_values(reduced, samples, run);
  std::vector<double> shifts(f.outputs(), 0.0);
  for (Index o = 0; o < f.outputs(); ++o) {
    for (Index i = 0; i < then.rows(); ++i) {
      shifts[o] += (then(i, o) - now(i, o)) / static_cast<double>(then.rows());
    }
  }
  return shifts;
}

}  // namespace

std::unique_ptr<FittedModel> with_refitted_constants(const FittedModel& before, std::unique_ptr<FittedModel> after,
                                                     const Expansion& reduced, const TrainingData& data,
                                                     CompressReport& report, const Run& run) {
  const Expansion& f = *before.expansion_form();
  const bool refittable = is_scored(before.task()) && f.parametric_part() != ParametricPart::none;
  if (!refittable || data.samples.size() == 0) {
    return after;
  }
  std::vector<double> shifts;
  std::unique_ptr<FittedModel> moved;
  if (before.task() == Task::classification) {
    // Functions that are no machines (the directions of a discriminant) have no side per class.
    const auto classes = static_cast<Index>(before.classes().size());
    const bool machines =
        offered<CodedClasses>(before) != nullptr || f.outputs() == classes || (f.outputs() == 1 && classes == 2);
    if (data.targets.outputs() == 0 || !machines) {
      return after;
    }
    const ClassLabels labels = data.targets.labels(0, before.classes());
    shifts = shifts_of_classes(before, function_values(reduced, data.samples, run), labels);
    moved = before.with_expansion(with_constants(reduced, shifts, run), run);
    const Index kept_errors = wrong_answers(*after, data, labels, run);
    const Index moved_errors = wrong_answers(*moved, data, labels, run);
    const std::string errors = "errors on these rows: " + std::to_string(moved_errors) + " with refitted thresholds, " +
                               std::to_string(kept_errors) + " with the old ones";
    if (moved_errors > kept_errors) {
      report.notes.push_back(errors + ", which stay");
      return after;
    }
    report.notes.push_back(errors);
  } else {
    shifts = shifts_of_values(before, *after, f, reduced, data.samples, run);
    moved = before.with_expansion(with_constants(reduced, shifts, run), run);
  }
  for (std::size_t o = 0; o < report.outputs.size(); ++o) {
    report.outputs[o].offset_shift = shifts[o];
  }
  return moved;
}

}  // namespace mercer
