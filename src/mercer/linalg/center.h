// A symmetric matrix of products about the mean of its rows.
#pragma once

#include <vector>

#include "mercer/linalg/view.h"

namespace mercer {

/// K_ij − (mean of row i) − (mean of row j) + (mean of all), both triangles from the lower one; gives the means of the rows.
std::vector<double> center_symmetric(MatrixView<double> matrix);

}  // namespace mercer
