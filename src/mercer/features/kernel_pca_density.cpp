#include "mercer/features/kernel_pca_density.h"

#include "mercer/base/error.h"
#include "mercer/features/kernel_pca_parts.h"

namespace mercer {

std::vector<double> kernel_pca_density(const KernelPca& pca, std::span<const double> weights) {
  if (!pca.mean_weights.empty()) {
    throw InvalidArgument("a density from centred components: ask for them with the origin zero");
  }
  const Index n = pca.coefficients.rows();
  const PcaWeights used(weights, n);
  std::vector<double> beta(n, 0.0);
  for (Index c = 0; c < pca.components(); ++c) {
    double sum = 0;
    for (Index i = 0; i < n; ++i) {
      sum += pca.coefficients(i, c);
    }
    // κ_c Σ_i α_ic/Σw, where the variance is κ/Σw.
    const double along = pca.variances[c] * sum;
    for (Index i = 0; i < n; ++i) {
      beta[i] += along * pca.coefficients(i, c);
    }
  }
  return beta;
}

}  // namespace mercer
