#include "mercer/linalg/gauss_rule.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

namespace {

// `coupling(k)`: the entry beside the diagonal between the polynomials of degree k − 1 and k.
template <class Coupling>
GaussRule symmetric_rule(Index count, Coupling coupling) {
  constexpr Index most = 200;
  if (count < 1 || count > most) {
    reject_argument("nodes of a quadrature rule", static_cast<double>(count), "from 1 to 200");
  }
  Matrix<double> recurrence = Matrix<double>::filled(count, count, 0.0);
  for (Index k = 1; k < count; ++k) {
    recurrence(k, k - 1) = coupling(static_cast<double>(k));
  }
  const SymmetricEigen<double> eigen = symmetric_eigen(recurrence.view(), Run({.threads = 1}));
  GaussRule rule;
  for (Index i = 0; i < count; ++i) {
    const Index mirror = count - 1 - i;
    // The mean with the mirrored node makes the rule exactly symmetric.
    rule.nodes.push_back((eigen.values[i] - eigen.values[mirror]) / 2);
    rule.weights.push_back(
        (eigen.vectors(0, i) * eigen.vectors(0, i) + eigen.vectors(0, mirror) * eigen.vectors(0, mirror)) / 2);
  }
  return rule;
}

}  // namespace

GaussRule hermite_rule(Index count) {
  return symmetric_rule(count, [](double k) { return std::sqrt(k); });
}

GaussRule legendre_rule(Index count) {
  return symmetric_rule(count, [](double k) { return k / std::sqrt(4 * k * k - 1); });
}

}  // namespace mercer
