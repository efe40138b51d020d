// How large the values of a kernel are: what the rounding of sums of them is measured by.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/gram/gram.h"

namespace mercer {

/// The largest |k(x, x)|, which bounds all values of a positive definite kernel.
inline double largest_diagonal(const Gram<double>& gram) {
  std::vector<double> diagonal(gram.size());
  gram.diagonal(diagonal);
  double largest = 0;
  for (const double value : diagonal) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

}  // namespace mercer
