#include "mercer/features/kernel_pca.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/features/kernel_pca_parts.h"
#include "mercer/features/pivot_coordinates.h"
#include "mercer/gram/stored_copy.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

void KernelPcaOptions::validate() const {
  if (components < 0) {
    reject_argument("components", static_cast<double>(components), "0 (all) or more");
  }
  if (!(tolerance >= 0 && tolerance < 1)) {
    reject_argument("tolerance", tolerance, "0 or more and below 1: a share of the largest eigenvalue");
  }
}

PcaWeights::PcaWeights(std::span<const double> weights, Index size) : values(weights.begin(), weights.end()) {
  if (values.empty()) {
    values.assign(size, 1.0);
  }
  if (static_cast<Index>(values.size()) != size) {
    throw InvalidArgument(std::to_string(values.size()) + " weights for a Gram matrix of size " + std::to_string(size) +
                          ": one weight per row is needed");
  }
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) {
      reject_argument("weight", value, "a positive number; leave out rows that do not count");
    }
    total += value;
  }
  for (const double value : values) {
    roots.push_back(std::sqrt(value));
    shares.push_back(value / total);
  }
}

double total_variance(const PcaMeans& means, const PcaWeights& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < means.diagonal.size(); ++i) {
    sum += weights.shares[i] * means.diagonal[i];
  }
  // Σ c_i (K_ii − 2 (Kc)_i + cᵀKc)
  return means.means.empty() ? sum : sum - means.total_mean;
}

double rounding_floor(const PcaMeans& means, const PcaWeights& weights, double epsilon) {
  double largest = 0;
  for (const double value : means.diagonal) {
    largest = std::max(largest, std::abs(value));
  }
  for (const double value : means.means) {
    largest = std::max(largest, std::abs(value));
  }
  return 4 * epsilon * largest * weights.total;
}

Index kept_components(std::span<const double> values, Index wanted, double tolerance, double floor) {
  const double threshold = values.empty() ? 0.0 : std::max(tolerance * values[0], floor);
  const auto above = std::find_if(values.begin(), values.end(), [&](double value) { return !(value > threshold); });
  const auto count = static_cast<Index>(above - values.begin());
  return wanted > 0 ? std::min(wanted, count) : count;
}

void set_components(std::span<const double> values, ConstMatrixView<double> vectors, const PcaMeans& means,
                    const PcaWeights& weights, KernelPca& pca) {
  const Index n = vectors.rows();
  const Index count = vectors.columns();
  const bool centered = !means.means.empty();
  pca.rows.resize(n);
  std::iota(pca.rows.begin(), pca.rows.end(), Index{0});
  pca.coefficients = Matrix<double>(n, count);
  pca.offsets.assign(count, 0.0);
  pca.variances.clear();
  std::vector<double> sums(count, 0.0);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < count; ++c) {
      const auto k = static_cast<std::size_t>(c);
      pca.coefficients(i, c) = weights.roots[i] * vectors(i, c) / std::sqrt(values[k]);
      sums[k] += pca.coefficients(i, c);
    }
  }
  // Σα = 0 but for rounding; exactly so, features do not change where a constant is added to the kernel.
  for (Index i = 0; centered && i < n; ++i) {
    for (Index c = 0; c < count; ++c) {
      pca.coefficients(i, c) -= weights.shares[i] * sums[c];
    }
  }
  fix_signs(pca.coefficients.view());
  for (Index i = 0; centered && i < n; ++i) {
    for (Index c = 0; c < count; ++c) {
      // Σα = 0: any constant may be taken from the means, and a small remainder is less rounding.
      pca.offsets[c] -= pca.coefficients(i, c) * (means.means[i] - means.total_mean);
    }
  }
  for (Index c = 0; c < count; ++c) {
    pca.variances.push_back(values[c] / weights.total);
  }
  pca.total_variance = total_variance(means, weights);
  if (centered) {
    pca.mean_weights = weights.shares;
    pca.mean_norm = means.total_mean;
  }
}

namespace {

PcaMeans means_of_stored(ConstMatrixView<double> k, const PcaWeights& weights, FeatureOrigin origin, const Run& run) {
  PcaMeans result;
  const Index n = k.rows();
  for (Index i = 0; i < n; ++i) {
    result.diagonal.push_back(k(i, i));
  }
  if (origin == FeatureOrigin::zero) {
    return result;
  }
  result.means.resize(n);
  parallel_for(run, n, [&](Index i) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) {
      sum += k(i, j) * weights.shares[j];
    }
    result.means[i] = sum;
  });
  for (std::size_t i = 0; i < result.means.size(); ++i) {
    result.total_mean += weights.shares[i] * result.means[i];
  }
  return result;
}

// K becomes √W K̃ √W.
void center_and_weigh(MatrixView<double> k, const PcaMeans& means, const PcaWeights& weights, const Run& run) {
  const bool centered = !means.means.empty();
  parallel_for(run, k.rows(), [&](Index i) {
    const auto row = static_cast<std::size_t>(i);
    const double shift = centered ? means.total_mean - means.means[row] : 0.0;
    for (Index j = 0; j < k.columns(); ++j) {
      const auto column = static_cast<std::size_t>(j);
      const double own = centered ? shift - means.means[column] : 0.0;
      k(i, j) = weights.roots[row] * weights.roots[column] * (k(i, j) + own);
    }
  });
}

}  // namespace

KernelPca kernel_pca(const Gram<double>& gram, std::span<const double> weights, const KernelPcaOptions& options,
                     const Run& run) {
  options.validate();
  const Index n = gram.size();
  const PcaWeights used(weights, n);
  KernelPca pca;
  Matrix<double> k = stored_copy(gram, run);
  const PcaMeans means = means_of_stored(k.view(), used, options.origin, run);
  center_and_weigh(k.view(), means, used, run);
  const SymmetricEigen<double> eigen = symmetric_eigen(ConstMatrixView<double>(k.view()), run);
  k = Matrix<double>();
  const std::vector<double> values(eigen.values.rbegin(), eigen.values.rend());
  const double floor = std::max(1.0, std::sqrt(static_cast<double>(n))) *
                       rounding_floor(means, used, std::numeric_limits<double>::epsilon());
  const Index count = kept_components(values, options.components, options.tolerance, floor);
  Matrix<double> vectors(n, count);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < count; ++c) {
      vectors(i, c) = eigen.vectors(i, n - 1 - c);
    }
  }
  const double below = n == 0 ? 0.0 : -std::max({options.tolerance * values.front(), 1e-12 * values.front(), floor});
  pca.negative = std::count_if(values.begin(), values.end(), [&](double value) { return value < below; });
  pca.most_negative = pca.negative > 0 ? values.back() / used.total : 0.0;
  set_components(std::span(values).first(static_cast<std::size_t>(count)), vectors.view(), means, used, pca);
  // The trace is what the negative eigenvalues leave of the variances.
  const double negative = std::accumulate(values.end() - pca.negative, values.end(), 0.0);
  pca.total_variance -= negative / used.total;
  return pca;
}

Matrix<double> training_features(const KernelPca& pca, std::span<const double> weights) {
  const Index n = pca.coefficients.rows();
  const PcaWeights used(weights, n);
  Matrix<double> features(n, pca.components());
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < pca.components(); ++c) {
      features(i, c) = pca.variances[c] * used.total * pca.coefficients(i, c) / used.values[i];
    }
  }
  return features;
}

}  // namespace mercer
