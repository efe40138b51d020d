#include "mercer/report/sections/feature_plane.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/linalg/center.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/report/sections/gram_sample.h"

namespace mercer {

std::array<double, 3> FeaturePlane::affine(const std::vector<double>& values) const {
  std::array<double, 3> result = {0, 0, 0};
  for (std::size_t j = 0; j < values.size(); ++j) {
    result[0] += values[j] / static_cast<double>(values.size());
    result[1] += directions[0][j] * values[j];
    result[2] += directions[1][j] * values[j];
  }
  return result;
}

std::array<std::vector<double>, 2> FeaturePlane::project(const Samples& others, const Run& run) const {
  const auto prepared = std::make_shared<const PreparedKernel>(kernel, rows, Precision::double_precision, run);
  Matrix<double> values(others.size(), rows.size());
  CrossGram<double>(prepared, others, run).evaluate(values.view(), run);
  std::array<std::vector<double>, 2> result;
  for (std::size_t k = 0; k < 2; ++k) {
    for (Index i = 0; i < others.size(); ++i) {
      double position = 0;
      for (Index j = 0; j < rows.size(); ++j) {
        const auto at = static_cast<std::size_t>(j);
        position += directions[k][at] * (values(i, j) - means[at]);
      }
      result[k].push_back(position);
    }
  }
  return result;
}

FeaturePlane feature_plane(const Kernel& kernel, const Samples& rows, const Run& run) {
  const Index n = rows.size();
  if (n < 3) {
    throw NumericalError("a plane needs three rows at least");
  }
  Matrix<double> gram = gram_of(kernel, rows, run);
  const std::vector<double> means = center_symmetric(gram.view());
  const SymmetricEigen<double> eigen = symmetric_eigen(gram.view(), run);
  double total = 0;
  for (const double value : eigen.values) {
    total += std::max(value, 0.0);
  }
  FeaturePlane plane{.positions = {}, .directions = {}, .rows = rows, .kernel = kernel, .means = means};
  for (std::size_t k = 0; k < 2; ++k) {
    const Index column = n - 1 - static_cast<Index>(k);
    const double lambda = eigen.values[column];
    if (!(lambda > 1e-10 * total)) {
      throw NumericalError("the rows span no plane in the kernel's feature space: they are all alike, or on a line");
    }
    double largest = 0;
    for (Index j = 0; j < n; ++j) {
      const double v = eigen.vectors(j, column);
      largest = std::abs(v) > std::abs(largest) ? v : largest;
    }
    const double sign = largest < 0 ? -1.0 : 1.0;
    for (Index j = 0; j < n; ++j) {
      const double v = sign * eigen.vectors(j, column);
      plane.positions[k].push_back(std::sqrt(lambda) * v);
      plane.directions[k].push_back(v / std::sqrt(lambda));
    }
    plane.shares[k] = lambda / total;
  }
  return plane;
}

}  // namespace mercer
