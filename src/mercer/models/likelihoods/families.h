// The families of likelihoods. Each stands in a file pair of its own; these functions make them.
#pragma once

#include "mercer/models/likelihoods/likelihood.h"

namespace mercer {

/// y = f + noise, noise ~ N(0, variance). One parameter, "noise".
LikelihoodPtr gaussian_likelihood(double variance);

/// y = f + scale · t, t of Student's distribution with ν degrees of freedom. One parameter, "scale"; ν > 0 is a given
/// number. Not log-concave: a far observation loses its influence.
LikelihoodPtr student_t_likelihood(double scale, double degrees_of_freedom);

/// y = f + scale · h with density ∝ exp(−ρ(h)): ρ = h²/2 up to the threshold, threshold · |h| − threshold²/2 beyond.
/// One parameter, "scale"; the threshold > 0 is a given number.
LikelihoodPtr huber_likelihood(double scale, double threshold);

/// y = f + noise of density e^(−|noise|/scale)/(2 scale). One parameter, "scale". Has a kink.
LikelihoodPtr laplacian_likelihood(double scale);

/// y = 0, 1, 2, … of mean e^(f + offset).
LikelihoodPtr poisson_likelihood(double offset = 0);

/// y = ±1, P(y | f) = 1/(1 + e^(−yf)).
LikelihoodPtr logistic_likelihood();

/// y = ±1, P(y | f) = Φ(yf).
LikelihoodPtr probit_likelihood();

/// A label that is flipped with probability eta in [0, ½): P = eta + (1 − 2 eta) P₀. `base` is logistic or probit. One
/// parameter, "label_noise", where eta > 0; with eta = 0 the base itself comes back. Not log-concave.
LikelihoodPtr with_label_noise(LikelihoodPtr base, double eta);

}  // namespace mercer
