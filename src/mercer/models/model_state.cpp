#include "mercer/models/model_state.h"

#include <cmath>
#include <string>

#include "mercer/base/error.h"

namespace mercer {

const Matrix<double>& ModelState::array(const std::string& name) const {
  const auto found = arrays.find(name);
  if (found == arrays.end()) {
    throw DataError("a stored " + model + " model without the array '" + name + "'");
  }
  return found->second;
}

const Samples& ModelState::sample_set(const std::string& name) const {
  const auto found = samples.find(name);
  if (found == samples.end()) {
    throw DataError("a stored " + model + " model without the samples '" + name + "'");
  }
  return found->second;
}

std::vector<Index> ModelState::indices(const std::string& name, Index size, Index limit) const {
  const Matrix<double>& values = array(name);
  if (values.rows() != size || values.columns() != 1) {
    throw DataError("'" + name + "' is " + std::to_string(values.rows()) + " by " + std::to_string(values.columns()) +
                    " where the model needs " + std::to_string(size) + " by 1");
  }
  std::vector<Index> result;
  for (Index i = 0; i < size; ++i) {
    const double value = values(i, 0);
    if (!(value >= 0 && value < static_cast<double>(limit)) || value != std::floor(value)) {
      throw DataError("'" + name + "' holds a number that is no index");
    }
    result.push_back(static_cast<Index>(value));
  }
  return result;
}

Matrix<double> index_column(const std::vector<Index>& values) {
  Matrix<double> column(static_cast<Index>(values.size()), 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    column(static_cast<Index>(i), 0) = static_cast<double>(values[i]);
  }
  return column;
}

}  // namespace mercer
