// Small problems to report on: a model of the registry fitted to random rows, with test rows beside.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/kernels/spec.h"
#include "mercer/models/stored_model.h"
#include "mercer/report/report_input.h"
#include "support/random_matrix.h"

namespace mercer::testing {

/// y = x_0 + x_1² / 2 + noise; two or three classes by its size, the noise moving rows over the boundaries.
inline TrainingData report_rows(Task task, Index rows, Index columns, Index classes, std::uint64_t seed) {
  Matrix<double> x = random_matrix(rows, columns, seed);
  const Matrix<double> noise = random_matrix(rows, 1, seed + 1000);
  std::vector<double> values;
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) {
    const double second = columns > 1 ? x(i, 1) : 0;
    const double y = x(i, 0) + 0.5 * second * second + 0.3 * noise(i, 0);
    values.push_back(y);
    const Index label = classes == 2 ? (y < 0.4 ? 0 : 1) : y < -0.3 ? 0 : y < 0.8 ? 1 : 2;
    labels.push_back("class " + std::to_string(label));
  }
  return {make_dense(std::move(x)),
          task == Task::regression ? Targets::numeric(values, "y") : Targets::classes(labels, "kind")};
}

struct ReportProblem {
  TrainingData training;
  TrainingData test;
  StoredModel stored;

  ReportInput input(DataPart part) const {
    ReportInput result;
    result.stored = &stored;
    const TrainingData& shown = part == DataPart::training ? training : test;
    result.samples = shown.samples;
    result.targets = shown.targets;
    result.training = training;
    result.part = part;
    result.file = "rows.csv";
    result.data_hash = "fnv1a64:0";
    return result;
  }
};

inline ReportProblem report_problem(const std::string& model, Index rows, Index columns, Index classes,
                                    const std::vector<OptionSetting>& settings = {}, std::string kernel = {}) {
  const ModelEntry& entry = find_model(model);
  ReportProblem problem;
  problem.training = report_rows(entry.task, rows, columns, classes, 11);
  problem.test = report_rows(entry.task, 40, columns, classes, 12);
  problem.stored.preparation.schema = schema_of(problem.training.samples);
  problem.stored.model = entry.fit(kernel_for(entry, kernel), settings, problem.training, {});
  return problem;
}

}  // namespace mercer::testing
