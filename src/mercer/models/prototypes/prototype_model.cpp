#include "mercer/models/prototypes/prototype_model.h"

#include <algorithm>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_distances.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/model_state.h"
#include "mercer/models/prototypes/expansion_parts.h"

namespace mercer {

PrototypeModel::PrototypeModel(Parts parts) : parts_(std::move(parts)) {
  const auto points = static_cast<std::size_t>(parts_.points.outputs());
  const bool fits = points > 0 && (parts_.point_rows.empty() || parts_.point_rows.size() == points) &&
                    (parts_.classes.empty() ? parts_.point_classes.empty() : parts_.point_classes.size() == points) &&
                    parts_.points.parametric_part() == ParametricPart::constant;
  if (!fits) {
    throw InvalidArgument("a model of " + std::to_string(points) + " points with " +
                          std::to_string(parts_.point_rows.size()) + " rows and " +
                          std::to_string(parts_.point_classes.size()) + " classes of points");
  }
}

std::vector<std::string> PrototypeModel::output_names() const { return {parts_.output_name}; }

std::vector<std::string> PrototypeModel::decision_names() const {
  if (!parts_.classes.empty()) {
    return ClassCode::one_vs_rest(static_cast<Index>(parts_.classes.size())).names(parts_.classes);
  }
  std::vector<std::string> names;
  for (Index c = 0; c < parts_.points.outputs(); ++c) {
    names.push_back("cluster" + std::to_string(c));
  }
  return names;
}

// Of equally near points the first, and of two classes the second, as everywhere (decision_class.h).
std::size_t PrototypeModel::nearest_point(std::span<const double> distances) const {
  std::size_t nearest = 0;
  for (std::size_t p = 1; p < distances.size(); ++p) {
    const bool wins_ties = parts_.classes.size() == 2 && parts_.point_classes[p] > parts_.point_classes[nearest];
    if (distances[p] < distances[nearest] || (wins_ties && distances[p] == distances[nearest])) {
      nearest = p;
    }
  }
  return nearest;
}

Matrix<double> PrototypeModel::predict(const Samples& samples, const Run& run) const {
  Matrix<double> values(samples.size(), parts_.points.outputs());
  parts_.points.evaluate(samples, values.view(), run);
  Matrix<double> predicted(samples.size(), 1);
  for (Index i = 0; i < samples.size(); ++i) {
    const std::span<const double> row = std::as_const(values).view().row(i);
    const std::size_t nearest = nearest_point(row);
    predicted(i, 0) =
        static_cast<double>(parts_.classes.empty() ? static_cast<Index>(nearest) : parts_.point_classes[nearest]);
  }
  return predicted;
}

Matrix<double> PrototypeModel::squared_distances(const Samples& samples, const Run& run) const {
  Matrix<double> values(samples.size(), parts_.points.outputs());
  parts_.points.evaluate(samples, values.view(), run);
  // Kernels that depend on their reference samples shift every distance by the same amount, or by none: those of the
  // expansion itself are the right ones.
  const PreparedKernel prepared(kernel(), parts_.points.centres(), Precision::double_precision, run.quiet());
  const std::vector<double> diagonal = kernel_diagonal(prepared, samples, run.quiet());
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index c = 0; c < values.columns(); ++c) {
      values(i, c) = std::max(0.0, diagonal[static_cast<std::size_t>(i)] + values(i, c));
    }
  }
  return values;
}

// Of two classes the difference of the squared distances to their nearest points: k(x, x) is in both, and its digits are
// not to hide which is nearer.
Matrix<double> PrototypeModel::decide(const Samples& samples, const Run& run) const {
  if (parts_.classes.size() != 2) {
    Matrix<double> distances = squared_distances(samples, run);
    return parts_.classes.empty() ? std::move(distances) : class_values(distances.view());
  }
  Matrix<double> values(samples.size(), parts_.points.outputs());
  parts_.points.evaluate(samples, values.view(), run);
  const Matrix<double> of_classes = class_values(values.view());
  Matrix<double> result(samples.size(), 1);
  for (Index i = 0; i < samples.size(); ++i) {
    result(i, 0) = of_classes(i, 1) - of_classes(i, 0);
  }
  return result;
}

// Minus the least distance to a point of each class.
Matrix<double> PrototypeModel::class_values(ConstMatrixView<double> distances) const {
  auto values = Matrix<double>::filled(distances.rows(), static_cast<Index>(parts_.classes.size()),
                                       -std::numeric_limits<double>::infinity());
  for (Index i = 0; i < distances.rows(); ++i) {
    for (Index p = 0; p < distances.columns(); ++p) {
      double& value = values(i, parts_.point_classes[static_cast<std::size_t>(p)]);
      value = std::max(value, -distances(i, p));
    }
  }
  return values;
}

std::unique_ptr<FittedModel> PrototypeModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_exchangeable(name(), parts_.points, expansion);
  Parts parts = parts_;
  parts.points = std::move(expansion);
  return std::make_unique<PrototypeModel>(std::move(parts));
}

ModelState PrototypeModel::state() const {
  ModelState state;
  state.model = parts_.name;
  state.requested_kernel = parts_.requested_kernel;
  state.output_names = output_names();
  state.classes = parts_.classes;
  state.settings = parts_.settings;
  state.report = parts_.report;
  store_expansion(parts_.points, state);
  if (parts_.name != "kmeans") {
    state.arrays.emplace("point_rows", index_column(parts_.point_rows));
  }
  if (!parts_.classes.empty()) {
    state.arrays.emplace("point_classes", index_column(parts_.point_classes));
  }
  return state;
}

std::unique_ptr<PrototypeModel> PrototypeModel::from_state(const ModelState& state, const Run& run) {
  const Index points = state.array("coefficients").columns();
  if (points == 0 || state.output_names.size() != 1) {
    throw DataError("a stored " + state.model + " model of " + std::to_string(points) + " points and " +
                    std::to_string(state.output_names.size()) + " outputs: it needs a point and one output");
  }
  const bool classifies = state.model == "medoidc";
  if (classifies ? state.classes.size() < 2 : !state.classes.empty()) {
    throw DataError("a stored " + state.model + " model of " + std::to_string(state.classes.size()) + " classes");
  }
  Parts parts{.name = state.model,
              .requested_kernel = state.requested_kernel,
              .settings = state.settings,
              .points = stored_expansion(state, points, run),
              .point_rows = {},
              .point_classes = {},
              .classes = state.classes,
              .output_name = state.output_names.front(),
              .report = state.report};
  if (state.model != "kmeans") {
    parts.point_rows = state.indices("point_rows", points, max_stored_index);
  }
  if (classifies) {
    parts.point_classes = state.indices("point_classes", points, static_cast<Index>(state.classes.size()));
    std::vector<char> seen(state.classes.size(), 0);
    for (const Index c : parts.point_classes) {
      seen[static_cast<std::size_t>(c)] = 1;
    }
    if (std::find(seen.begin(), seen.end(), 0) != seen.end()) {
      throw DataError("a stored medoidc model with a class that has no point");
    }
  }
  return std::make_unique<PrototypeModel>(std::move(parts));
}

}  // namespace mercer
