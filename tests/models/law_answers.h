// Answers of models as laws over the registry compare them.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/model.h"
#include "models/random_problem.h"

namespace mercer::testing {

inline double largest(const Matrix<double>& values) {
  double size = 0;
  for (Index i = 0; i < values.rows() * values.columns(); ++i) {
    size = std::max(size, std::abs(values.data()[i]));
  }
  return size;
}

/// Of features, which may turn and change their signs: where eigenvalues are close, or with ln c as those of chi2map do.
inline Matrix<double> inner_products(const Matrix<double>& features) {
  Matrix<double> products(features.rows(), features.rows());
  for (Index i = 0; i < features.rows(); ++i) {
    for (Index j = 0; j < features.rows(); ++j) {
      products(i, j) = dot(features.view().row(i), features.view().row(j));
    }
  }
  return products;
}

/// Everything that the model answers for the samples, by name.
inline std::map<std::string, Matrix<double>> every_answer(const FittedModel& model, const Samples& x) {
  std::map<std::string, Matrix<double>> answers;
  answers.emplace("predictions", model.predict(x, {}));
  if (!model.decision_names().empty()) {
    answers.emplace("decisions", model.decide(x, {}));
  }
  if (model.has_probabilities()) {
    answers.emplace("probabilities", model.probabilities(x, {}));
  }
  if (model.has_reconstruction()) {
    answers.emplace("reconstructions", model.reconstruct(x, {}));
  }
  if (!model.has_distribution()) {
    return answers;
  }
  const std::vector<double> levels = {0.1, 0.5, 0.9};
  for (const PredictionOf of : {PredictionOf::function, PredictionOf::observation}) {
    if (!model.has_distribution_of(of)) {
      continue;
    }
    const std::string kind = of == PredictionOf::function ? " of the function" : " of observations";
    PredictiveMoments moments = model.moments(x, of, {});
    answers.emplace("means" + kind, std::move(moments.mean));
    answers.emplace("variances" + kind, std::move(moments.variance));
    answers.emplace("quantiles" + kind, model.quantiles(x, levels, of, {}));
    answers.emplace("draws" + kind, model.draws(x, 2, of, {}));
  }
  // Whole numbers from 0, which are observations of counts as well.
  Matrix<double> truth = random_matrix(x.size(), static_cast<Index>(model.output_names().size()), 64);
  for (Index i = 0; i < truth.rows() * truth.columns(); ++i) {
    truth.data()[i] = std::round(std::abs(2 * truth.data()[i]));
  }
  answers.emplace("log densities", model.log_density(x, truth.view(), {}));
  return answers;
}

}  // namespace mercer::testing
