#include "mercer/features/locally_linear.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/features/kernel_pca.h"
#include "mercer/features/pivot_coordinates.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/stored_copy.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

void LocallyLinearOptions::validate() const {
  if (neighbors < 1) {
    reject_argument("neighbors", static_cast<double>(neighbors), "1 or more");
  }
  if (dimensions < 1) {
    reject_argument("dimensions", static_cast<double>(dimensions), "1 or more");
  }
  if (!(regularization > 0)) {
    reject_argument("regularization", regularization, "above 0");
  }
}

namespace {

std::vector<Index> neighbors_of(ConstMatrixView<double> k, Index i, Index count) {
  std::vector<double> distances(k.rows());
  for (Index j = 0; j < k.rows(); ++j) {
    distances[j] = std::max(0.0, k(i, i) + k(j, j) - 2 * k(i, j));
  }
  std::vector<Index> rows(distances.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  rows.erase(rows.begin() + i);
  std::partial_sort(rows.begin(), rows.begin() + count, rows.end(), [&](Index a, Index b) {
    const double da = distances[a];
    const double db = distances[b];
    return da < db || (da == db && a < b);
  });
  rows.resize(count);
  return rows;
}

// Row i of W: solves (C + ε1) w = 1 with C_ab = ⟨Φ_i − Φ_a, Φ_i − Φ_b⟩, and scales w to sum 1.
void fill_local_weights(ConstMatrixView<double> k, Index i, const LocallyLinearOptions& options, MatrixView<double> w,
                        const Run& run) {
  const std::vector<Index> near = neighbors_of(k, i, options.neighbors);
  const auto count = static_cast<Index>(near.size());
  Matrix<double> local(count, count);
  double trace = 0;
  for (Index a = 0; a < count; ++a) {
    for (Index b = 0; b < count; ++b) {
      const Index ja = near[a];
      const Index jb = near[b];
      local(a, b) = k(i, i) - k(i, ja) - k(i, jb) + k(ja, jb);
    }
    trace += local(a, a);
  }
  std::vector<double> weights(near.size(), 1.0);
  // Neighbours that are all equal to the sample: any weights will do, and these are even.
  if (trace > 0) {
    for (Index a = 0; a < count; ++a) {
      local(a, a) += options.regularization * trace;
    }
    cholesky<double>(local.view(), run);
    solve_lower<double>(local.view(), Transpose::no, std::span<double>(weights), run);
    solve_lower<double>(local.view(), Transpose::yes, std::span<double>(weights), run);
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t a = 0; a < near.size(); ++a) {
    w(i, near[a]) = weights[a] / sum;
  }
}

}  // namespace

LocallyLinear locally_linear(const Gram<double>& gram, const LocallyLinearOptions& options, const Run& run) {
  options.validate();
  const Index n = gram.size();
  if (n <= options.neighbors || n <= options.dimensions) {
    throw InvalidArgument("locally linear embedding of " + std::to_string(n) + " rows with " +
                          std::to_string(options.neighbors) + " neighbors in " + std::to_string(options.dimensions) +
                          " dimensions: there must be more rows than either");
  }
  LocallyLinear result;
  result.weights = Matrix<double>::filled(n, n, 0.0);
  const Matrix<double> k = stored_copy(gram, run);
  parallel_for(run, n, [&](Index i) { fill_local_weights(k.view(), i, options, result.weights.view(), run); });
  Matrix<double> rest = Matrix<double>::copy_of(result.weights.view());
  for (Index i = 0; i < n * n; ++i) {
    rest.data()[i] = -rest.data()[i];
  }
  for (Index i = 0; i < n; ++i) {
    rest(i, i) += 1;
  }
  result.kernel = cross_product(rest.view(), run);
  result.largest = symmetric_eigenvalues(ConstMatrixView<double>(result.kernel.view()), run).back();
  for (Index i = 0; i < n * n; ++i) {
    result.kernel.data()[i] = -result.kernel.data()[i];
  }
  for (Index i = 0; i < n; ++i) {
    result.kernel(i, i) += result.largest;
  }
  // Centring takes the constant eigenvector out, so that the wanted ones come first.
  const DenseGram<double> kernel(Matrix<double>::copy_of(result.kernel.view()));
  const KernelPca pca = kernel_pca(kernel, {}, {.components = options.dimensions}, run);
  result.points = training_features(pca, {});
  for (Index c = 0; c < pca.components(); ++c) {
    const double kappa = pca.variances[c] * static_cast<double>(n);
    result.values.push_back(kappa);
    for (Index i = 0; i < n; ++i) {
      result.points(i, c) /= std::sqrt(kappa);
    }
  }
  return result;
}

}  // namespace mercer
