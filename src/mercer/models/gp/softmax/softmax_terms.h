// The log likelihood of the softmax and its derivatives by the latent values: what softmax_laplace.cpp climbs. Blocks
// are n × classes.
#pragma once

#include "mercer/linalg/matrix.h"
#include "mercer/models/gp/softmax/softmax_laplace.h"

namespace mercer {

struct SoftmaxTerms {
  double value = 0;              ///< Σ_i w_i ln P(class_i | f_i)
  Matrix<double> probabilities;  ///< π
  Matrix<double> slope;          ///< w(y − π), y the indicator of the class
};

/// InvalidArgument where the sizes do not fit, classes are out of range or weights not positive.
void require_softmax_targets(ConstMatrixView<double> kernel, const SoftmaxTargets& targets);

double softmax_weight(const SoftmaxTargets& targets, Index i);

SoftmaxTerms softmax_terms(const SoftmaxTargets& targets, ConstMatrixView<double> latent);

/// Wf + slope with W = w(diag π − ππᵀ) at every sample.
Matrix<double> softmax_curved(const SoftmaxTargets& targets, const SoftmaxTerms& terms, ConstMatrixView<double> latent);

/// ∂(−½ ln det(I + KW))/∂f_ic = −½ Σ_ab cov_i[a, b] ∂W_i[a, b]/∂f_ic; `covariances` is n × classes².
Matrix<double> softmax_mode_slopes(const SoftmaxTargets& targets, const SoftmaxTerms& terms,
                                   ConstMatrixView<double> covariances);

}  // namespace mercer
