#include "mercer/models/prototypes/spectral.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/prototypes/expansion_parts.h"

namespace mercer {

void SpectralOptions::validate() const { check_options<SpectralOptions>("spectral", spectral_option_table(), *this); }

std::span<const Option<SpectralOptions>> spectral_option_table() {
  static const std::array<Option<SpectralOptions>, 6> table{{
      {"clusters", &SpectralOptions::clusters, "how many clusters", Constraint::positive},
      {"components", &SpectralOptions::components, "how many eigenvectors; 0: as many as clusters",
       Constraint::nonnegative},
      {"restarts", &SpectralOptions::restarts, "k-means++ starts on the eigenvectors; the best is kept",
       Constraint::positive},
      {"max_iterations", &SpectralOptions::max_iterations, "limit on the steps of k-means", Constraint::positive},
      {"tolerance", &SpectralOptions::tolerance, "residual of the eigenvectors, relative to the largest eigenvalue",
       Limits::between(0, 1)},
      {"memory_mb", &SpectralOptions::memory_mb,
       "K is stored up to this size, and evaluated at every product beyond; 0: half of the machine's memory",
       Constraint::nonnegative},
  }};
  return table;
}

void SpectralModel::Parts::fields(Fields& visit) {
  visit.expansion(coordinates, {.outputs = any_count});
  visit.matrix("means", means, {any_count, coordinates.outputs()});
  visit.column("eigenvalues", eigenvalues, coordinates.outputs());
  visit.require(coordinates.outputs() > 0 && means.rows() > 0, "no coordinates or no clusters");
}

SpectralModel::SpectralModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {
  if (parts_.means.rows() == 0 || parts_.means.columns() != parts_.coordinates.outputs() ||
      static_cast<Index>(parts_.eigenvalues.size()) != parts_.coordinates.outputs()) {
    throw InvalidArgument("spectral: means of " + std::to_string(parts_.means.rows()) + " by " +
                          std::to_string(parts_.means.columns()) + " and " + std::to_string(parts_.eigenvalues.size()) +
                          " eigenvalues for " + std::to_string(parts_.coordinates.outputs()) + " coordinates");
  }
}

Matrix<double> SpectralModel::embed(const Samples& samples, const Run& run) const {
  Matrix<double> rows(samples.size(), parts_.coordinates.outputs());
  parts_.coordinates.evaluate(samples, rows.view(), run);
  for (Index i = 0; i < rows.rows(); ++i) {
    double sum = 0;
    for (const double value : std::as_const(rows).view().row(i)) {
      sum += value * value;
    }
    if (sum > 0) {
      for (double& value : rows.view().row(i)) {
        value /= std::sqrt(sum);
      }
    }
  }
  return rows;
}

std::vector<std::string> SpectralModel::decision_names() const {
  std::vector<std::string> names;
  for (Index c = 0; c < parts_.means.rows(); ++c) {
    names.push_back("cluster" + std::to_string(c));
  }
  return names;
}

Matrix<double> SpectralModel::distances(const Samples& samples, const Run& run) const {
  const Matrix<double> rows = embed(samples, run);
  Matrix<double> result = Matrix<double>::filled(samples.size(), parts_.means.rows(), 0.0);
  for (Index i = 0; i < rows.rows(); ++i) {
    for (Index c = 0; c < result.columns(); ++c) {
      for (Index j = 0; j < rows.columns(); ++j) {
        const double apart = rows(i, j) - parts_.means(c, j);
        result(i, c) += apart * apart;
      }
    }
  }
  return result;
}

Answers SpectralModel::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers{.decisions = distances(samples, run)};
  if (wanted.predictions) {
    answers.predictions = Matrix<double>(samples.size(), 1);
    for (Index i = 0; i < samples.size(); ++i) {
      const std::span<const double> row = std::as_const(answers.decisions).view().row(i);
      answers.predictions(i, 0) = static_cast<double>(std::min_element(row.begin(), row.end()) - row.begin());
    }
  }
  return answers;
}

std::unique_ptr<FittedModel> SpectralModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_exchangeable(name(), parts_.coordinates, expansion);
  return std::make_unique<SpectralModel>(
      head(), Parts{std::move(expansion), Matrix<double>::copy_of(parts_.means.view()), parts_.eigenvalues});
}

const ModelEntry& spectral_entry() {
  static const ModelEntry entry = make_entry<SpectralModel>(
      {.name = "spectral",
       .aliases = {},
       .summary = "spectral clustering: parts of the graph of kernel values that hold together",
       .task = Task::clustering,
       .default_kernel = "rbf(gamma=scale)"},
      spectral_option_table(), fit_spectral);
  return entry;
}

}  // namespace mercer
