#include "mercer/models/laplacian_process/margin_machine.h"

namespace mercer {

Matrix<double> signed_columns(ConstMatrixView<double> features, std::span<const double> labels,
                              std::span<const Index> basis_rows, double own_share) {
  Matrix<double> columns(features.rows(), features.columns());
  for (Index i = 0; i < features.rows(); ++i) {
    for (Index j = 0; j < features.columns(); ++j) {
      columns(i, j) = labels[basis_rows[j]] * features(i, j);
    }
  }
  for (Index j = 0; j < features.columns(); ++j) {
    columns(basis_rows[j], j) *= own_share;
  }
  return columns;
}

JointRows joint_rows(ConstMatrixView<double> features, std::span<const std::int32_t> classes, Index class_count,
                     std::span<const double> weights) {
  const Index m = features.columns();
  const Index rows = features.rows() * (class_count - 1);
  JointRows joint{.features = Matrix<double>::filled(rows, class_count * m, 0.0),
                  .unpriced = Matrix<double>::filled(rows, class_count - 1, 0.0),
                  .labels = std::vector<double>(static_cast<std::size_t>(rows), 1.0),
                  .weights = {}};
  Index row = 0;
  for (Index i = 0; i < features.rows(); ++i) {
    const Index own = classes[i];
    for (Index other = 0; other < class_count; ++other) {
      if (other == own) {
        continue;
      }
      for (Index j = 0; j < m; ++j) {
        joint.features(row, own * m + j) = features(i, j) / 2;
        joint.features(row, other * m + j) = -features(i, j) / 2;
      }
      for (const Index c : {own, other}) {
        if (c + 1 < class_count) {
          joint.unpriced(row, c) = c == own ? 0.5 : -0.5;
        }
      }
      joint.weights.push_back(2 * weights[i]);
      ++row;
    }
  }
  return joint;
}

}  // namespace mercer
