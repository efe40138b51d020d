// Functions beside the kernel that have a price, on the rows: all but the constant, which costs nothing and takes their means.
#pragma once

#include <vector>

#include "mercer/data/samples.h"
#include "mercer/expansion/parametric_part.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

struct CenteredFunctions {
  Matrix<double> values;  ///< n × functions, times the factor; a constant column, and what rounding left of it, is 0
  std::vector<double> means;  ///< of the functions, without the factor
};

CenteredFunctions centered_functions(const ParametricPart& part, const Samples& samples, double factor);

}  // namespace mercer
