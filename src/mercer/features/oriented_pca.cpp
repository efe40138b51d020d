#include "mercer/features/oriented_pca.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/features/pivot_coordinates.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

namespace {

double oriented_form(ConstMatrixView<double> a, ConstMatrixView<double> vectors, Index column) {
  double sum = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    double product = 0;
    for (Index j = 0; j < a.rows(); ++j) {
      product += a(i, j) * vectors(j, column);
    }
    sum += vectors(i, column) * product;
  }
  return sum;
}

void require_oriented_square(ConstMatrixView<double> a, Index size, const char* name) {
  if (a.rows() != size || a.columns() != size) {
    throw InvalidArgument(std::string(name) + " is " + std::to_string(a.rows()) + " by " + std::to_string(a.columns()) +
                          ": must be " + std::to_string(size) + " by " + std::to_string(size));
  }
}

// ⟨a, b⟩ over the centred samples, then the tangents.
Matrix<double> samples_with_tangents(ConstMatrixView<double> gram, ConstMatrixView<double> cross,
                                     ConstMatrixView<double> tangents) {
  const Index n = gram.rows();
  const Index t = tangents.rows();
  Matrix<double> joint(n + t, n + t);
  std::vector<double> means(n + t, 0.0);
  const auto mean = [&](Index j) { return means[j]; };
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n + t; ++j) {
      means[j] += (j < n ? gram(i, j) : cross(i, j - n)) / static_cast<double>(n);
    }
  }
  const double total = std::accumulate(means.begin(), means.begin() + n, 0.0) / static_cast<double>(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      joint(i, j) = gram(i, j) - mean(i) - mean(j) + total;
    }
    for (Index j = 0; j < t; ++j) {
      joint(i, n + j) = joint(n + j, i) = cross(i, j) - mean(n + j);
    }
  }
  for (Index i = 0; i < t; ++i) {
    for (Index j = 0; j < t; ++j) {
      joint(n + i, n + j) = tangents(i, j);
    }
  }
  return joint;
}

}  // namespace

void OrientedPcaOptions::validate() const {
  if (components < 1) {
    reject_argument("components", static_cast<double>(components), "1 or more");
  }
  if (!(regularization > 0) || !std::isfinite(regularization)) {
    reject_argument("regularization", regularization, "finite and positive");
  }
}

OrientedDirections oriented_directions(ConstMatrixView<double> covariance, ConstMatrixView<double> noise,
                                       const OrientedPcaOptions& options, const Run& run) {
  options.validate();
  const Index r = covariance.rows();
  require_oriented_square(covariance, r, "the covariance matrix");
  require_oriented_square(noise, r, "the noise covariance matrix");
  double trace = 0;
  for (Index i = 0; i < r; ++i) {
    trace += covariance(i, i);
  }
  OrientedDirections result{{}, Matrix<double>(r, 0), {}, {}};
  if (!(trace > 0)) {
    return result;
  }
  Matrix<double> regular = Matrix<double>::copy_of(noise);
  for (Index i = 0; i < r; ++i) {
    regular(i, i) += options.regularization * trace;
  }
  GeneralizedEigen eigen =
      generalized_eigen(covariance, std::as_const(regular).view(), std::min(options.components, r), run);
  Index kept = 0;
  for (; kept < eigen.vectors.columns(); ++kept) {
    double length = 0;
    for (Index i = 0; i < r; ++i) {
      length += eigen.vectors(i, kept) * eigen.vectors(i, kept);
    }
    for (Index i = 0; i < r; ++i) {
      eigen.vectors(i, kept) /= std::sqrt(length);
    }
    const double signal = oriented_form(covariance, std::as_const(eigen.vectors).view(), kept);
    if (!(signal > 1e-12 * trace)) {
      break;
    }
    result.ratios.push_back(eigen.values[kept]);
    result.signal.push_back(signal);
    result.noise.push_back(std::max(0.0, oriented_form(noise, std::as_const(eigen.vectors).view(), kept)));
  }
  result.vectors = Matrix<double>::copy_of(std::as_const(eigen.vectors).view().block(0, 0, r, kept));
  return result;
}

OrientedPca oriented_pca(ConstMatrixView<double> gram, ConstMatrixView<double> cross, ConstMatrixView<double> tangents,
                         const OrientedPcaOptions& options, const Run& run) {
  const Index n = gram.rows();
  const Index t = tangents.rows();
  require_oriented_square(gram, n, "the Gram matrix");
  require_oriented_square(tangents, t, "the Gram matrix of the tangents");
  if (cross.rows() != n || cross.columns() != t) {
    throw InvalidArgument("products of " + std::to_string(cross.rows()) + " samples with " +
                          std::to_string(cross.columns()) + " tangents, where there are " + std::to_string(n) +
                          " and " + std::to_string(t));
  }
  const Matrix<double> joint = samples_with_tangents(gram, cross, tangents);
  const SymmetricEigen<double> eigen = symmetric_eigen(joint.view(), run);
  const double largest = eigen.values.empty() ? 0.0 : eigen.values.back();
  std::vector<Index> kept;
  for (Index c = n + t - 1; c >= 0; --c) {
    if (eigen.values[c] > 1e-11 * largest) {
      kept.push_back(c);
    }
  }
  const auto r = static_cast<Index>(kept.size());
  // Orthonormal coordinates: row i of U√κ; and back: e = Σ_i (U/√κ)_i (…)_i.
  Matrix<double> forward(n + t, r);
  Matrix<double> back(n + t, r);
  for (Index c = 0; c < r; ++c) {
    const Index from = kept[c];
    const double root = std::sqrt(eigen.values[from]);
    for (Index i = 0; i < n + t; ++i) {
      forward(i, c) = eigen.vectors(i, from) * root;
      back(i, c) = eigen.vectors(i, from) / root;
    }
  }
  Matrix<double> covariance = cross_product(std::as_const(forward).view().row_block({0, n}), run);
  scale(n > 0 ? 1 / static_cast<double>(n) : 0.0, {covariance.data(), static_cast<std::size_t>(r * r)});
  Matrix<double> noise = cross_product(std::as_const(forward).view().row_block({n, n + t}), run);
  scale(t > 0 ? 1 / static_cast<double>(t) : 0.0, {noise.data(), static_cast<std::size_t>(r * r)});
  OrientedDirections directions =
      oriented_directions(std::as_const(covariance).view(), std::as_const(noise).view(), options, run);
  fix_signs(directions.vectors.view());
  Matrix<double> coefficients(n + t, directions.vectors.columns());
  parallel_gemm<double>(1, std::as_const(back).view(), Transpose::no, std::as_const(directions.vectors).view(),
                        Transpose::no, 0, coefficients.view(), run);
  const ConstMatrixView<double> all = std::as_const(coefficients).view();
  OrientedPca result{std::move(directions.ratios), Matrix<double>::copy_of(all.row_block({0, n})),
                     Matrix<double>::copy_of(all.row_block({n, n + t}))};
  // Centred samples sum to 0, so that the mean of the coefficients says nothing.
  for (Index c = 0; c < result.sample_coefficients.columns(); ++c) {
    double mean = 0;
    for (Index i = 0; i < n; ++i) {
      mean += result.sample_coefficients(i, c) / static_cast<double>(n);
    }
    for (Index i = 0; i < n; ++i) {
      result.sample_coefficients(i, c) -= mean;
    }
  }
  return result;
}

Matrix<double> within_groups(ConstMatrixView<double> values, std::span<const double> weights,
                             std::span<const Index> groups, const Run& run) {
  const Index n = values.rows();
  const Index count = groups.empty() ? 0 : *std::max_element(groups.begin(), groups.end()) + 1;
  const auto weight = [&](Index i) { return weights.empty() ? 1.0 : weights[i]; };
  Matrix<double> means = Matrix<double>::filled(count, values.columns(), 0.0);
  std::vector<double> totals(count, 0.0);
  double total = 0;
  for (Index i = 0; i < n; ++i) {
    const Index g = groups[i];
    axpy(weight(i), values.row(i), means.view().row(g));
    totals[g] += weight(i);
    total += weight(i);
  }
  Matrix<double> rows(n, values.columns());
  for (Index i = 0; i < n; ++i) {
    const Index g = groups[i];
    const double share = std::sqrt(weight(i) / total);
    for (Index c = 0; c < values.columns(); ++c) {
      rows(i, c) = share * (values(i, c) - means(g, c) / totals[g]);
    }
  }
  return cross_product(std::as_const(rows).view(), run);
}

}  // namespace mercer
