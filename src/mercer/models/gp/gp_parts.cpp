// The parts of a Gaussian process, and what its options stand for.
#include "mercer/models/gp/gp_parts.h"

#include <algorithm>
#include <limits>
#include <ranges>

#include "mercer/models/fields.h"
#include "mercer/models/likelihoods/families.h"

namespace mercer {

namespace {

void triangular_field(Fields& visit, const std::string& name, Matrix<double>& factor, Index size) {
  visit.matrix(name, factor, {size, size});
  bool is_factor = true;
  for (Index i = 0; i < size; ++i) {
    is_factor = is_factor && factor(i, i) > 0;
  }
  visit.require(is_factor, "a '" + name + "' that is no triangular factor: an entry of its diagonal is not positive");
}

// Means in the first row, scales in the second.
void scaling_field(Fields& visit, TargetScaling& scaling) {
  const Index outputs = visit.outputs();
  Matrix<double> values(2, outputs);
  if (!visit.loading()) {
    std::ranges::copy(scaling.means, values.view().row_data(0));
    std::ranges::copy(scaling.scales, values.view().row_data(1));
  }
  visit.matrix("target_scaling", values, {2, outputs});
  if (visit.loading()) {
    const std::span<const double> scales = values.view().row(1);
    visit.require(std::ranges::all_of(scales, [](double scale) { return scale > 0; }),
                  "a 'target_scaling' whose scales are not positive");
    scaling.means.assign(values.data(), values.data() + outputs);
    scaling.scales.assign(scales.begin(), scales.end());
  }
}

void term_fields(Fields& visit, std::vector<TriangularReduction::Term>& terms, Index centers) {
  std::vector<double> signs;
  for (const TriangularReduction::Term& term : terms) {
    signs.push_back(term.sign);
  }
  visit.column("term_signs", signs, any_count);
  for (std::size_t t = 0; t < signs.size(); ++t) {
    if (visit.loading()) {
      terms.push_back({.factor = {}, .scale = {}, .sign = signs[t] < 0 ? -1.0 : 1.0});
    }
    triangular_field(visit, "term_" + std::to_string(t), terms[t].factor, centers);
  }
}

void covariance_fields(Fields& visit, CovarianceSource& source, const GpOptions& options, Index centers) {
  if (visit.loading()) {
    source.kind = covariance_kind(options);
    source.rank = options.rank;
  }
  if (source.kind == CovarianceKind::stored) {
    term_fields(visit, source.terms, centers);
    return;
  }
  visit.column("diagonal", source.diagonal, centers);
  if (source.kind == CovarianceKind::exact) {
    visit.number("jitter", source.jitter);
  }
}

void uncertainty_fields(Fields& visit, ParametricUncertainty& uncertainty, const Expansion& mean) {
  visit.matrix("uncertainty_u", uncertainty.u, {mean.centers().size(), any_count});
  const Index p = uncertainty.u.columns();
  visit.matrix("uncertainty_basis", uncertainty.basis, {mean.parametric_coefficients().rows(), p});
  triangular_field(visit, "uncertainty_factor", uncertainty.factor, p);
}

}  // namespace

void GpModel::Parts::fields(Fields& visit) {
  visit.options(options, gp_option_table());
  visit.require(options.inference != GpInference::automatic &&
                    (options.likelihood != GpLikelihood::gaussian || options.method != GpMethod::automatic),
                "no word of the inference or method that it was fitted by");
  visit.expansion(mean, {.outputs = visit.outputs(), .part = options.mean, .precision_before = options.precision});
  scaling_field(visit, scaling);
  visit.column("likelihood", likelihood_parameters, likelihood_parameter_count(options));
  visit.number("latent_offset", latent_offset);
  if (options.inference == GpInference::posterior_mode) {
    return;
  }
  if (options.method == GpMethod::greedy) {
    visit.samples("variance_centres", visit.loading() ? variance_centers.emplace() : *variance_centers);
  }
  covariance_fields(visit, covariance, options, variance_centers.value_or(mean.centers()).size());
  if (options.mean != ParametricPart::none) {
    uncertainty_fields(visit, uncertainty, mean);
  }
  if (options.loo) {
    LeaveOneOutPredictions& left_out = visit.loading() ? loo.emplace() : *loo;
    visit.matrix("loo_means", left_out.means, {any_count, visit.outputs()});
    visit.column("loo_variances", left_out.variances, left_out.means.rows());
  }
}

Index likelihood_parameter_count(const GpOptions& options) {
  return options.likelihood == GpLikelihood::poisson ? 0 : 1;
}

LikelihoodPtr make_likelihood(const GpOptions& options, std::span<const double> parameters, double offset) {
  switch (options.likelihood) {
    case GpLikelihood::poisson:
      return poisson_likelihood(offset);
    case GpLikelihood::student_t:
      return student_t_likelihood(parameters[0], options.degrees_of_freedom);
    case GpLikelihood::huber:
      return huber_likelihood(parameters[0], options.threshold);
    case GpLikelihood::laplacian:
      return laplacian_likelihood(parameters[0]);
    case GpLikelihood::gaussian:
      break;
  }
  // Without noise an observation is the function itself.
  return gaussian_likelihood(std::max(parameters[0], std::numeric_limits<double>::min()));
}

CovarianceKind covariance_kind(const GpOptions& options) {
  if (options.likelihood != GpLikelihood::gaussian) {
    return CovarianceKind::curvature;
  }
  switch (options.method) {
    case GpMethod::exact:
      return CovarianceKind::exact;
    case GpMethod::float_factor:
      return CovarianceKind::float_factor;
    case GpMethod::conjugate_gradients:
      return CovarianceKind::iterative;
    case GpMethod::automatic:
    case GpMethod::variational:
    case GpMethod::fitc:
    case GpMethod::subset_of_regressors:
    case GpMethod::greedy:
      break;
  }
  return CovarianceKind::stored;
}

PriorCovariance prior_covariance(const GpOptions& options) {
  return options.method == GpMethod::subset_of_regressors ? PriorCovariance::left_out : PriorCovariance::included;
}

InducingMethod inducing_method(const GpOptions& options) {
  return options.method == GpMethod::fitc                   ? InducingMethod::fitc
         : options.method == GpMethod::subset_of_regressors ? InducingMethod::subset_of_regressors
                                                            : InducingMethod::variational;
}

}  // namespace mercer
