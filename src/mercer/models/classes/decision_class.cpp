#include "mercer/models/classes/decision_class.h"

namespace mercer {

Matrix<double> classes_of_values(ConstMatrixView<double> values) {
  Matrix<double> classes(values.rows(), 1);
  for (Index i = 0; i < values.rows(); ++i) {
    classes(i, 0) = static_cast<double>(class_of_values(values.row(i)));
  }
  return classes;
}

Matrix<double> classes_of_shares(ConstMatrixView<double> shares) {
  Matrix<double> classes(shares.rows(), 1);
  for (Index i = 0; i < shares.rows(); ++i) {
    const std::span<const double> row = shares.row(i);
    classes(i, 0) = static_cast<double>(std::max_element(row.begin(), row.end()) - row.begin());
  }
  return classes;
}

}  // namespace mercer
