#include "mercer/features/multidimensional_scaling.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/features/kernel_pca.h"
#include "mercer/gram/kernel_gram.h"

namespace mercer {

namespace {

void require_dissimilarities(ConstMatrixView<double> given) {
  if (given.rows() != given.columns()) {
    throw InvalidArgument("dissimilarities of " + std::to_string(given.rows()) + " by " +
                          std::to_string(given.columns()) + ": the matrix must be square");
  }
  for (Index i = 0; i < given.rows(); ++i) {
    for (Index j = 0; j < given.columns(); ++j) {
      if (!(given(i, j) >= 0) || !std::isfinite(given(i, j)) || (i == j && given(i, j) != 0)) {
        throw InvalidArgument("the dissimilarity of " + std::to_string(i) + " and " + std::to_string(j) +
                              " (counted from 0) is " + std::to_string(given(i, j)) +
                              ": they are finite, not negative, and 0 on the diagonal");
      }
      if (j < i && std::abs(given(i, j) - given(j, i)) > 1e-6 * std::max(given(i, j), given(j, i))) {
        throw InvalidArgument("the dissimilarities of " + std::to_string(i) + " and " + std::to_string(j) +
                              " (counted from 0) differ in their order: the matrix must be symmetric");
      }
    }
  }
}

}  // namespace

ScaledPoints metric_scaling(ConstMatrixView<double> dissimilarities, const std::function<double(double)>& similarity,
                            Index dimensions, const Run& run) {
  require_dissimilarities(dissimilarities);
  if (dimensions < 0) {
    reject_argument("dimensions", static_cast<double>(dimensions), "0 (all) or more");
  }
  const Index n = dissimilarities.rows();
  Matrix<double> similar(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      similar(i, j) = similarity(dissimilarities(std::max(i, j), std::min(i, j)));
    }
  }
  const DenseGram<double> gram(std::move(similar));
  const KernelPca pca = kernel_pca(gram, {}, {.components = dimensions}, run);
  ScaledPoints result{.points = training_features(pca, {}),
                      .values = pca.variances,
                      .total = pca.total_variance * static_cast<double>(n),
                      .negative = pca.negative,
                      .most_negative = pca.most_negative * static_cast<double>(n)};
  for (double& value : result.values) {
    value *= static_cast<double>(n);
  }
  return result;
}

ScaledPoints classical_scaling(ConstMatrixView<double> dissimilarities, Index dimensions, double power,
                               const Run& run) {
  if (!(power > 0) || !std::isfinite(power)) {
    reject_argument("power", power, "a positive number");
  }
  return metric_scaling(
      dissimilarities, [power](double distance) { return -0.5 * std::pow(distance, 2 * power); }, dimensions, run);
}

}  // namespace mercer
