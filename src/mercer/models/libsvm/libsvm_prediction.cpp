#include "mercer/models/libsvm/libsvm_prediction.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/models/classes/pairwise_coupling.h"
#include "mercer/models/classes/platt.h"
#include "mercer/models/libsvm/noise_scale.h"

namespace mercer {

std::vector<double> libsvm_predictions(const LibsvmModel& model, ConstMatrixView<double> decisions) {
  std::vector<double> result(decisions.rows());
  std::vector<Index> votes(model.classes);
  for (Index row = 0; row < decisions.rows(); ++row) {
    double& prediction = result[row];
    if (!is_classification(model.type)) {
      const double value = decisions(row, 0);
      prediction = is_regression(model.type) ? value : value > 0 ? 1.0 : -1.0;
      continue;
    }
    std::fill(votes.begin(), votes.end(), 0);
    const double* value = decisions.row_data(row);
    for (std::size_t i = 0; i < votes.size(); ++i) {
      for (std::size_t j = i + 1; j < votes.size(); ++j) {
        ++votes[*value++ > 0 ? i : j];
      }
    }
    const auto best = std::max_element(votes.begin(), votes.end()) - votes.begin();
    prediction = model.labels[best];
  }
  return result;
}

namespace {

// Class probabilities of one sample; `pairs` is scratch memory, classes × classes.
void class_probabilities(const LibsvmModel& model, std::span<const double> decisions, MatrixView<double> pairs,
                         std::span<double> out) {
  constexpr double smallest = 1e-7;
  std::size_t machine = 0;
  for (Index i = 0; i < model.classes; ++i) {
    for (Index j = i + 1; j < model.classes; ++j, ++machine) {
      const PlattSigmoid sigmoid{model.probability_a[machine], model.probability_b[machine]};
      pairs(i, j) = std::clamp(sigmoid.probability(decisions[machine]), smallest, 1 - smallest);
      pairs(j, i) = 1 - pairs(i, j);
    }
  }
  // LIBSVM's tolerance and limit, so that the digits it prints are met.
  couple_pairwise(pairs, out,
                  {.tolerance = 0.005 / static_cast<double>(model.classes),
                   .iteration_limit = std::max<Index>(100, model.classes)});
}

}  // namespace

Matrix<double> libsvm_probabilities(const LibsvmModel& model, ConstMatrixView<double> decisions, const Run& run) {
  if (!model.has_probabilities || is_regression(model.type)) {
    throw InvalidArgument("the LIBSVM model has no class probabilities; train it with -b 1");
  }
  Matrix<double> result(decisions.rows(), model.classes);
  constexpr Index rows_per_task = 1024;
  parallel_for(run, block_count(decisions.rows(), rows_per_task), [&](Index task) {
    const IndexRange range = block_range(decisions.rows(), rows_per_task, task);
    Matrix<double> pairs(model.classes, model.classes);
    for (Index i = range.begin; i < range.end; ++i) {
      const auto out = result.view().row(i);
      if (model.type == LibsvmType::one_class) {
        out[0] = one_class_probability(model.density_marks, decisions(i, 0));
        out[1] = 1 - out[0];
      } else {
        class_probabilities(model, decisions.row(i), pairs.view(), out);
      }
    }
  });
  return result;
}

std::vector<double> most_probable_labels(const LibsvmModel& model, ConstMatrixView<double> probabilities) {
  std::vector<double> result(probabilities.rows());
  for (Index i = 0; i < probabilities.rows(); ++i) {
    const auto row = probabilities.row(i);
    const auto best = std::max_element(row.begin(), row.end()) - row.begin();
    result[i] = model.labels[best];
  }
  return result;
}

}  // namespace mercer
