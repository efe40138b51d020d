#include "mercer/models/model_state.h"

#include <algorithm>
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

namespace {

void require_shape(const Matrix<double>& values, const std::string& name, Index rows, Index columns) {
  if (values.rows() != rows || values.columns() != columns) {
    throw DataError("'" + name + "' is " + std::to_string(values.rows()) + " by " + std::to_string(values.columns()) +
                    " where the model needs " + std::to_string(rows) + " by " + std::to_string(columns));
  }
}

}  // namespace

Matrix<double> ModelState::finite_array(const std::string& name, Index rows, Index columns) const {
  const Matrix<double>& values = array(name);
  require_shape(values, name, rows, columns);
  for (Index i = 0; i < rows * columns; ++i) {
    if (!std::isfinite(values.data()[i])) {
      throw DataError("'" + name + "' holds a number that is not finite");
    }
  }
  return Matrix<double>::copy_of(values.view());
}

std::vector<double> ModelState::finite_column(const std::string& name, Index size) const {
  const Matrix<double> values = finite_array(name, size, 1);
  return {values.data(), values.data() + size};
}

std::vector<Index> ModelState::indices(const std::string& name, Index size, Index limit) const {
  const Matrix<double>& values = array(name);
  require_shape(values, name, size, 1);
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

Matrix<double> number_column(std::span<const double> values) {
  Matrix<double> column(static_cast<Index>(values.size()), 1);
  std::copy(values.begin(), values.end(), column.data());
  return column;
}

void keep_kernel_precision(ModelState& state, Precision precision) {
  state.arrays.emplace("kernel_bits",
                       Matrix<double>::filled(1, 1, precision == Precision::single_precision ? 32.0 : 64.0));
}

Precision kept_kernel_precision(const ModelState& state, std::optional<Precision> otherwise) {
  if (otherwise && !state.arrays.contains("kernel_bits")) {
    return *otherwise;
  }
  const double bits = state.finite_array("kernel_bits", 1, 1)(0, 0);
  if (bits != 32 && bits != 64) {
    throw DataError("a stored " + state.model + " model whose kernel values have neither 32 nor 64 bits");
  }
  return bits == 32 ? Precision::single_precision : Precision::double_precision;
}

}  // namespace mercer
