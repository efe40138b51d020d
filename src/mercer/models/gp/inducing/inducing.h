// Posteriors of Gaussian processes with inducing points, Gaussian noise (models/gp/inducing/inducing_system.h): mean as an
// expansion on the m inducing samples, covariance
//
//   k(x, x') - k_u(x)' (K_uu^-1 - A^-1) k_u(x'),   A = K_uu + K_uf Λ^-1 K_fu = (L L_B)(L L_B)'
//
// and k_u(x)' A^-1 k_u(x') alone for the subset of regressors, whose prior is degenerate.
#pragma once

#include <memory>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/linalg/pivoted_cholesky.h"
#include "mercer/models/gp/inducing/inducing_system.h"
#include "mercer/models/gp/inference/posterior.h"

namespace mercer {

/// At most `count` distinct rows by pivoted Cholesky of K: the greedy rule takes the samples whose variance given those
/// before is (nearly) the largest, the random one draws them in proportion to it and does not favour outliers. Fewer
/// rows where K is numerically of lower rank. O(n count²) time and n × count numbers of memory.
std::vector<Index> choose_inducing(const Gram<double>& gram, Index count, PivotRule rule, const Run& run);

struct InducingPosterior {
  Matrix<double> coefficients;  ///< m × outputs, of the expansion on the inducing samples
  std::shared_ptr<const TriangularReduction> reduction;
  PriorCovariance prior = PriorCovariance::included;
  double log_evidence = 0;  ///< of all outputs; for the variational method a lower bound of the exact one
  double trace_error = 0;   ///< tr(K - Q): what the inducing samples leave unexplained of the prior
  double jitter = 0;        ///< added to the diagonal of K_uu
};

/// O(n m²) time, O(m²) memory beyond a block of rows. NumericalError where K_uu does not factor with a jitter of 1e-4.
InducingPosterior inducing_posterior(const InducingProblem& problem, const Run& run);

}  // namespace mercer
