#include "mercer/models/prototypes/prototype_model.h"

#include <algorithm>
#include <limits>
#include <set>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_distances.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/fields.h"
#include "mercer/models/prototypes/expansion_parts.h"

namespace mercer {

void PrototypeModel::Parts::fields(Fields& visit) {
  visit.expansion(points, {.outputs = any_count});
  visit.require(points.outputs() > 0, "no points");
  if (kind != PointKind::means) {
    visit.indices("point_rows", point_rows, points.outputs(), any_index);
  }
  if (kind == PointKind::class_medoids) {
    visit.indices("point_classes", point_classes, points.outputs(), visit.classes());
    const std::set<Index> seen(point_classes.begin(), point_classes.end());
    visit.require(static_cast<Index>(seen.size()) == visit.classes(), "a class that has no point");
  }
}

PrototypeModel::PrototypeModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {
  const auto points = static_cast<std::size_t>(parts_.points.outputs());
  const bool fits = points > 0 && (parts_.point_rows.empty() || parts_.point_rows.size() == points) &&
                    (classes().empty() ? parts_.point_classes.empty() : parts_.point_classes.size() == points) &&
                    parts_.points.parametric_part() == ParametricPart::constant;
  if (!fits) {
    throw InvalidArgument("a model of " + std::to_string(points) + " points with " +
                          std::to_string(parts_.point_rows.size()) + " rows and " +
                          std::to_string(parts_.point_classes.size()) + " classes of points");
  }
}

std::vector<std::string> PrototypeModel::decision_names() const {
  if (!classes().empty()) {
    return ClassCode::one_vs_rest(static_cast<Index>(classes().size())).names(classes());
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
    const bool wins_ties = classes().size() == 2 && parts_.point_classes[p] > parts_.point_classes[nearest];
    if (distances[p] < distances[nearest] || (wins_ties && distances[p] == distances[nearest])) {
      nearest = p;
    }
  }
  return nearest;
}

Matrix<double> PrototypeModel::squared_distances(const Samples& samples, Matrix<double> values, const Run& run) const {
  // Kernels that depend on their reference samples shift every distance by the same amount, or by none: those of the
  // expansion itself are the right ones.
  const PreparedKernel prepared(kernel(), parts_.points.centers(), Precision::double_precision, run.quiet());
  const std::vector<double> diagonal = kernel_diagonal(prepared, samples, run.quiet());
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index c = 0; c < values.columns(); ++c) {
      values(i, c) = std::max(0.0, diagonal[i] + values(i, c));
    }
  }
  return values;
}

Answers PrototypeModel::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Matrix<double> values = parts_.points.values(samples, run);
  Answers answers;
  if (wanted.predictions) {
    answers.predictions = nearest_points(values.view());
  }
  if (wanted.decisions) {
    answers.decisions = classes().size() == 2 ? differences(values.view()) : distances(samples, std::move(values), run);
  }
  return answers;
}

Matrix<double> PrototypeModel::nearest_points(ConstMatrixView<double> values) const {
  Matrix<double> predicted(values.rows(), 1);
  for (Index i = 0; i < values.rows(); ++i) {
    const std::size_t nearest = nearest_point(values.row(i));
    predicted(i, 0) =
        static_cast<double>(classes().empty() ? static_cast<Index>(nearest) : parts_.point_classes[nearest]);
  }
  return predicted;
}

Matrix<double> PrototypeModel::distances(const Samples& samples, Matrix<double> values, const Run& run) const {
  Matrix<double> squared = squared_distances(samples, std::move(values), run);
  return classes().empty() ? std::move(squared) : class_values(squared.view());
}

// Of two classes the difference of the squared distances to their nearest points: k(x, x) is in both, and its digits are
// not to hide which is nearer.
Matrix<double> PrototypeModel::differences(ConstMatrixView<double> values) const {
  const Matrix<double> of_classes = class_values(values);
  Matrix<double> result(values.rows(), 1);
  for (Index i = 0; i < values.rows(); ++i) {
    result(i, 0) = of_classes(i, 1) - of_classes(i, 0);
  }
  return result;
}

// Minus the least distance to a point of each class.
Matrix<double> PrototypeModel::class_values(ConstMatrixView<double> distances) const {
  auto values = Matrix<double>::filled(distances.rows(), static_cast<Index>(classes().size()),
                                       -std::numeric_limits<double>::infinity());
  for (Index i = 0; i < distances.rows(); ++i) {
    for (Index p = 0; p < distances.columns(); ++p) {
      double& value = values(i, parts_.point_classes[p]);
      value = std::max(value, -distances(i, p));
    }
  }
  return values;
}

std::unique_ptr<FittedModel> PrototypeModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_exchangeable(name(), parts_.points, expansion);
  Parts parts = parts_;
  parts.points = std::move(expansion);
  return std::make_unique<PrototypeModel>(head(), std::move(parts));
}

}  // namespace mercer
