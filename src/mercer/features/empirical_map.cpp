#include "mercer/features/empirical_map.h"

#include <utility>

#include "mercer/features/kernel_pca.h"
#include "mercer/gram/kernel_gram.h"

namespace mercer {

EmpiricalMap empirical_map(const Gram<double>& gram, std::span<const Index> landmarks, MapForm form, double tolerance,
                           const Run& run) {
  const auto r = static_cast<Index>(landmarks.size());
  EmpiricalMap result;
  Matrix<double> k(r, r);
  gram.gather(landmarks, landmarks, k.view(), run);
  if (form == MapForm::values) {
    result.coefficients = Matrix<double>::filled(r, r, 0.0);
    for (Index i = 0; i < r; ++i) {
      result.coefficients(i, i) = 1;
      result.values.push_back(k(i, i));
    }
    return result;
  }
  // The map is uncentred kernel PCA of the landmarks with all of its components: α = u/√κ.
  KernelPca pca =
      kernel_pca(DenseGram<double>(std::move(k)), {}, {.origin = FeatureOrigin::zero, .tolerance = tolerance}, run);
  result.coefficients = std::move(pca.coefficients);
  for (const double variance : pca.variances) {
    result.values.push_back(variance * static_cast<double>(r));
  }
  result.negative = pca.negative;
  return result;
}

}  // namespace mercer
