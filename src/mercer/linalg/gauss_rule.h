// Gauss's quadrature rules by the method of Golub and Welsch (1969): nodes are the eigenvalues of the tridiagonal matrix
// of the orthogonal polynomials' recurrence, weights the squared first components of its eigenvectors.
#pragma once

#include <vector>

#include "mercer/base/index.h"

namespace mercer {

/// ∫ g dμ ≈ Σ weights_i g(nodes_i), exact for polynomials of degree below twice the number of nodes. Nodes ascend and
/// lie symmetrically about 0; the weights sum to 1: μ is a probability distribution.
struct GaussRule {
  std::vector<double> nodes;
  std::vector<double> weights;
};

/// For the standard normal distribution (Hermite). 1 ≤ count ≤ 200; O(count³).
GaussRule hermite_rule(Index count);

/// For the uniform distribution on [−1, 1] (Legendre). 1 ≤ count ≤ 200; O(count³).
GaussRule legendre_rule(Index count);

}  // namespace mercer
