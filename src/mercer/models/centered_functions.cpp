#include "mercer/models/centered_functions.h"

#include <algorithm>
#include <cmath>

#include "mercer/expansion/parametric_functions.h"

namespace mercer {

namespace {

constexpr double constant = 1e-14;  // of its mean: how far a constant column is from it

}  // namespace

CenteredFunctions centered_functions(const ParametricPart& part, const Samples& samples, double factor) {
  const ParametricFunctions functions(part, samples);
  Matrix<double> all(samples.size(), functions.count());
  functions.values({0, samples.size()}, all.view());
  CenteredFunctions centered{.values = Matrix<double>(all.rows(), all.columns() - 1), .means = {}};
  for (Index p = 0; p < centered.values.columns(); ++p) {
    double mean = 0;
    for (Index i = 0; i < all.rows(); ++i) {
      mean += all(i, p + 1) / static_cast<double>(all.rows());
    }
    double largest = 0;
    for (Index i = 0; i < all.rows(); ++i) {
      centered.values(i, p) = factor * (all(i, p + 1) - mean);
      largest = std::max(largest, std::abs(all(i, p + 1) - mean));
    }
    // A constant, and what rounding left of it: the free one says the same and costs nothing.
    for (Index i = 0; i < all.rows() && largest <= constant * std::abs(mean); ++i) {
      centered.values(i, p) = 0;
    }
    centered.means.push_back(mean);
  }
  return centered;
}

}  // namespace mercer
