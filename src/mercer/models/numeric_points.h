// Samples as points of R^d, for models that need coordinates rather than kernel values.
#pragma once

#include <string_view>

#include "mercer/data/samples.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// The numeric columns, n × d. DataError where there are none or a value is not finite.
Matrix<double> numeric_points(const Samples& samples, std::string_view model);
/// The same for a fitted model: DataError where the number of columns is not d.
Matrix<double> numeric_points(const Samples& samples, Index d, std::string_view model);

}  // namespace mercer
