#include "mercer/models/model_state.h"

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

}  // namespace mercer
