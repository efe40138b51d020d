#include "mercer/select/estimates/support_kinds.h"

#include <cmath>
#include <string>

#include "mercer/base/error.h"

namespace mercer {

SupportKinds support_kinds(std::span<const double> coefficients, std::span<const double> bounds, Index rows) {
  const auto n = static_cast<std::size_t>(rows);
  if (coefficients.size() != n || bounds.size() != n) {
    throw InvalidArgument("mean field: " + std::to_string(coefficients.size()) + " coefficients and " +
                          std::to_string(bounds.size()) + " bounds for " + std::to_string(n) +
                          " rows: must be one of each");
  }
  constexpr double bound_slip = 1e-9;  // coefficients come back from files and products with this much rounding
  SupportKinds kinds;
  for (Index i = 0; i < rows; ++i) {
    if (coefficients[i] != 0) {
      (std::abs(coefficients[i]) < bounds[i] * (1 - bound_slip) ? kinds.free : kinds.bound).push_back(i);
    }
  }
  return kinds;
}

}  // namespace mercer
