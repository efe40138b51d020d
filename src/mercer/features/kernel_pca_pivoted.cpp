// pivoted_kernel_pca: PCA of the coordinates that pivoted Cholesky gives. With centring the origin is moved to the
// first row, K'_ij = K_ij − K_i0 − K_0j + K_00: positive also for conditional kernels, and it leaves the centred
// problem as it is; that row becomes one more centre.
#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/features/kernel_pca_parts.h"
#include "mercer/features/pivot_coordinates.h"
#include "mercer/gram/wrappers.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

namespace {

// Where features are measured from.
struct PivotOrigin {
  Matrix<double> coefficients;  // of the mean in the pivots, r × 1
  std::vector<double> mean;     // in the coordinates
  std::vector<double> first;    // K_p0 of the pivots
  double square = 0;            // K_00
};

// Rows √c_i (f_i − mean), so that XᵀX is the covariance matrix; without centring √c_i f_i.
Matrix<double> weighed_rows(ConstMatrixView<double> values, const PcaWeights& weights, FeatureOrigin origin,
                            std::vector<double>& mean) {
  if (origin == FeatureOrigin::mean) {
    auto centered = centered_rows(values, weights.values);
    mean = std::move(centered.mean);
    return std::move(centered.rows);
  }
  Matrix<double> rows = Matrix<double>::copy_of(values);
  for (Index i = 0; i < rows.rows(); ++i) {
    scale(std::sqrt(weights.shares[i]), rows.view().row(i));
  }
  return rows;
}

// What the pivots leave out, Σ_i c_i (K_ii − ‖f_i‖²).
double left_out_variance(const Gram<double>& gram, const PivotCoordinates& coordinates, const PcaWeights& weights) {
  std::vector<double> diagonal(gram.size());
  gram.diagonal(diagonal);
  double sum = 0;
  for (Index i = 0; i < gram.size(); ++i) {
    const auto row = coordinates.values.view().row(i);
    const auto k = static_cast<std::size_t>(i);
    sum += weights.shares[k] * std::max(0.0, diagonal[k] - dot(row, row));
  }
  return sum;
}

// The first row joins the centres: Σ_p α_p (Φ(z_p) − Φ(x_0)).
void move_origin(const PivotOrigin& origin, ConstMatrixView<double> directions, KernelPca& pca) {
  const Index rank = pca.coefficients.rows();
  const Index count = pca.coefficients.columns();
  Matrix<double> all(rank + 1, count);
  for (Index c = 0; c < count; ++c) {
    double sum = 0;
    double offset = 0;
    for (Index p = 0; p < rank; ++p) {
      const double alpha = pca.coefficients(p, c);
      all(p + 1, c) = alpha;
      sum += alpha;
      offset += alpha * (origin.square - origin.first[p]);
      offset -= directions(p, c) * origin.mean[p];
    }
    all(0, c) = -sum;
    pca.offsets[c] = offset;
  }
  pca.coefficients = std::move(all);
  pca.rows.insert(pca.rows.begin(), 0);
  pca.mean_weights.assign(1, 1.0);
  pca.mean_norm = origin.square;
  for (Index p = 0; p < rank; ++p) {
    const double weight = origin.coefficients(p, 0);
    pca.mean_weights.push_back(weight);
    pca.mean_weights.front() -= weight;
    pca.mean_norm += 2 * weight * (origin.first[p] - origin.square);
    pca.mean_norm += origin.mean[p] * origin.mean[p];
  }
}

}  // namespace

KernelPca pivoted_kernel_pca(const Gram<double>& gram, std::span<const double> weights, Index rank,
                             const KernelPcaOptions& options, const Run& run) {
  options.validate();
  if (rank < 1) {
    reject_argument("rank", static_cast<double>(rank), "1 or more");
  }
  const Index n = gram.size();
  const PcaWeights used(weights, n);
  KernelPca pca;
  if (n == 0) {
    return pca;
  }
  const bool centered = options.origin == FeatureOrigin::mean;
  std::vector<double> first(n, 0.0);
  first[0] = 1;
  const auto moved = centered ? std::make_shared<CenteredGram<double>>(borrowed(gram), first, run) : nullptr;
  const Gram<double>& used_gram = centered ? static_cast<const Gram<double>&>(*moved) : gram;
  const PivotCoordinates coordinates = pivot_coordinates(used_gram, {.max_rank = std::min(rank, n)}, run);
  PivotOrigin origin;
  const Matrix<double> rows = weighed_rows(coordinates.values.view(), used, options.origin, origin.mean);
  const Matrix<double> covariance = cross_product(rows.view(), run);
  const SymmetricEigen<double> eigen = symmetric_eigen(covariance.view(), run);
  const std::vector<double> values(eigen.values.rbegin(), eigen.values.rend());
  const Index count = kept_components(values, options.components, options.tolerance, 0);
  Matrix<double> directions(coordinates.rank(), count);
  for (Index i = 0; i < coordinates.rank(); ++i) {
    for (Index c = 0; c < count; ++c) {
      directions(i, c) = eigen.vectors(i, coordinates.rank() - 1 - c);
    }
  }
  fix_signs(directions.view());
  pca.coefficients = coordinates.coefficients(directions.view());
  pca.rows = coordinates.pivots;
  pca.offsets.assign(count, 0.0);
  pca.variances.assign(values.begin(), values.begin() + count);
  for (Index c = 0; c < coordinates.rank(); ++c) {
    pca.total_variance += covariance(c, c);
  }
  pca.total_variance += left_out_variance(used_gram, coordinates, used);
  if (centered) {
    Matrix<double> mean(coordinates.rank(), 1);
    std::copy(origin.mean.begin(), origin.mean.end(), mean.data());
    origin.coefficients = coordinates.coefficients(mean.view());
    origin.square = moved->total_mean();
    for (const Index pivot : coordinates.pivots) {
      origin.first.push_back(moved->means()[pivot]);
    }
    move_origin(origin, directions.view(), pca);
  }
  return pca;
}

}  // namespace mercer
