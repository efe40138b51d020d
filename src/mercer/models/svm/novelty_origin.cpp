#include "mercer/models/svm/novelty_origin.h"

#include <algorithm>
#include <cmath>

#include "mercer/expansion/expansion.h"

namespace mercer {

OriginTerms origin_terms(const Kernel& kernel, const Samples& samples, std::span<const double> coefficients,
                         const Samples& points, std::span<const double> shares, const Run& run) {
  Matrix<double> weights(points.size(), 1);
  std::copy(shares.begin(), shares.end(), weights.data());
  const Expansion mean(kernel, points, std::move(weights), ParametricPart::none, {}, Precision::double_precision, run);
  const Matrix<double> of_samples = mean.values(samples, run);
  const Matrix<double> of_mean = mean.values(points, run);
  double sum = 0;
  double of_rows = 0;
  for (Index i = 0; i < samples.size(); ++i) {
    sum += coefficients[i];
    of_rows += coefficients[i] * of_samples(i, 0);
  }
  double squared = 0;
  OriginTerms terms;
  for (Index n = 0; n < points.size(); ++n) {
    terms.of_points.push_back(-sum * shares[n]);
    squared += shares[n] * of_mean(n, 0);
  }
  terms.offset = sum * squared - of_rows;
  terms.size = std::max(std::abs(sum * squared), std::abs(of_rows));
  return terms;
}

}  // namespace mercer
