#include "mercer/features/feature_map.h"

#include <cmath>

#include "mercer/base/error.h"

namespace mercer {

const Matrix<double>& MapParts::array(const std::string& name) const {
  const auto found = arrays.find(name);
  if (found == arrays.end()) {
    throw DataError("a stored map without its '" + name + "'");
  }
  return found->second;
}

Matrix<double> MapParts::finite(const std::string& name, Index rows, Index columns) const {
  const Matrix<double>& stored = array(name);
  if (stored.rows() != rows || stored.columns() != columns) {
    throw DataError("a stored map whose '" + name + "' is " + std::to_string(stored.rows()) + " x " +
                    std::to_string(stored.columns()) + " where " + std::to_string(rows) + " x " +
                    std::to_string(columns) + " is needed");
  }
  for (Index i = 0; i < rows * columns; ++i) {
    if (!std::isfinite(stored.data()[i])) {
      throw DataError("a stored map whose '" + name + "' holds a number that is not finite");
    }
  }
  return Matrix<double>::copy_of(stored.view());
}

}  // namespace mercer
