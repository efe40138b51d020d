#include "mercer/models/gp/softmax/softmax_terms.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"

namespace mercer {

void require_softmax_targets(ConstMatrixView<double> kernel, const SoftmaxTargets& targets) {
  const auto n = static_cast<Index>(targets.classes.size());
  if (kernel.rows() != n || kernel.columns() != n) {
    throw InvalidArgument("a kernel matrix of " + std::to_string(kernel.rows()) + " by " +
                          std::to_string(kernel.columns()) + " with " + std::to_string(n) + " classes");
  }
  if (!targets.weights.empty() && targets.weights.size() != targets.classes.size()) {
    throw InvalidArgument(std::to_string(targets.weights.size()) + " weights for " + std::to_string(n) + " classes");
  }
  for (Index i = 0; i < n; ++i) {
    const std::int32_t number = targets.classes[i];
    if (number < 0 || number >= targets.count) {
      reject_argument("class of row " + std::to_string(i), static_cast<double>(number),
                      "at least 0 and below " + std::to_string(targets.count));
    }
    if (!(softmax_weight(targets, i) > 0)) {
      reject_argument("weight of row " + std::to_string(i), softmax_weight(targets, i), "a positive number");
    }
  }
}

double softmax_weight(const SoftmaxTargets& targets, Index i) {
  return targets.weights.empty() ? 1.0 : targets.weights[i];
}

SoftmaxTerms softmax_terms(const SoftmaxTargets& targets, ConstMatrixView<double> latent) {
  SoftmaxTerms terms{0, Matrix<double>(latent.rows(), latent.columns()),
                     Matrix<double>(latent.rows(), latent.columns())};
  for (Index i = 0; i < latent.rows(); ++i) {
    const std::span<const double> f = latent.row(i);
    const double high = *std::max_element(f.begin(), f.end());
    double sum = 0;
    for (Index c = 0; c < latent.columns(); ++c) {
      terms.probabilities(i, c) = std::exp(latent(i, c) - high);
      sum += terms.probabilities(i, c);
    }
    const auto own = static_cast<Index>(targets.classes[i]);
    const double weight = softmax_weight(targets, i);
    terms.value += weight * (latent(i, own) - high - std::log(sum));
    for (Index c = 0; c < latent.columns(); ++c) {
      terms.probabilities(i, c) /= sum;
      terms.slope(i, c) = weight * ((c == own ? 1.0 : 0.0) - terms.probabilities(i, c));
    }
  }
  return terms;
}

Matrix<double> softmax_curved(const SoftmaxTargets& targets, const SoftmaxTerms& terms,
                              ConstMatrixView<double> latent) {
  Matrix<double> result(latent.rows(), latent.columns());
  for (Index i = 0; i < latent.rows(); ++i) {
    double mean = 0;
    for (Index c = 0; c < latent.columns(); ++c) {
      mean += terms.probabilities(i, c) * latent(i, c);
    }
    for (Index c = 0; c < latent.columns(); ++c) {
      result(i, c) = softmax_weight(targets, i) * terms.probabilities(i, c) * (latent(i, c) - mean) + terms.slope(i, c);
    }
  }
  return result;
}

// W is w times the second cumulant of the class indicator, its derivative w times the third.
Matrix<double> softmax_mode_slopes(const SoftmaxTargets& targets, const SoftmaxTerms& terms,
                                   ConstMatrixView<double> covariances) {
  const Index count = targets.count;
  Matrix<double> slopes(covariances.rows(), count);
  std::vector<double> carried(count);
  for (Index i = 0; i < covariances.rows(); ++i) {
    const auto covariance = [&](Index a, Index b) { return covariances(i, a * count + b); };
    const auto pi = [&](Index c) { return terms.probabilities(i, c); };
    double trace = 0;
    double form = 0;
    for (Index a = 0; a < count; ++a) {
      double sum = 0;
      for (Index b = 0; b < count; ++b) {
        sum += covariance(a, b) * pi(b);
      }
      carried[a] = sum;
      trace += covariance(a, a) * pi(a);
      form += pi(a) * sum;
    }
    for (Index c = 0; c < count; ++c) {
      slopes(i, c) = -0.5 * softmax_weight(targets, i) * pi(c) * (covariance(c, c) - trace - 2 * carried[c] + 2 * form);
    }
  }
  return slopes;
}

}  // namespace mercer
