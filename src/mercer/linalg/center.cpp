#include "mercer/linalg/center.h"

#include <numeric>
#include <span>

namespace mercer {

std::vector<double> center_symmetric(MatrixView<double> matrix) {
  const Index n = matrix.rows();
  std::vector<double> means(static_cast<std::size_t>(n), 0.0);
  for (Index i = 0; i < n; ++i) {
    const std::span<const double> row = matrix.row(i);
    means[i] = std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(n);
  }
  const double mean = std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      matrix(i, j) += mean - means[i] - means[j];
      matrix(j, i) = matrix(i, j);
    }
  }
  return means;
}

}  // namespace mercer
