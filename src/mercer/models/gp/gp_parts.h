// What the fit and the model share: the parts that the options stand for.
#pragma once

#include "mercer/models/gp/gp.h"
#include "mercer/models/gp/inducing/inducing_system.h"

namespace mercer {

/// The likelihood of standardised targets with these parameters. Gaussian: the noise variance; Student-t, Huber,
/// Laplacian: the scale; Poisson: none. InvalidArgument for numbers that are not allowed.
LikelihoodPtr make_likelihood(const GpOptions& options, std::span<const double> parameters, double offset);
/// How many parameters make_likelihood() takes.
Index likelihood_parameter_count(const GpOptions& options);

/// Of a chosen inference and method (not automatic).
CovarianceKind covariance_kind(const GpOptions& options);
PriorCovariance prior_covariance(const GpOptions& options);
/// Of a method on inducing points.
InducingMethod inducing_method(const GpOptions& options);

}  // namespace mercer
