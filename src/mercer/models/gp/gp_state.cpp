// A Gaussian process as stored data, and back.
#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/gp/gp_parts.h"
#include "mercer/models/likelihoods/families.h"
#include "mercer/models/model_state.h"

namespace mercer {

namespace {

void require_triangular(const Matrix<double>& factor, const std::string& name) {
  for (Index i = 0; i < factor.rows(); ++i) {
    if (!(factor(i, i) > 0)) {
      throw DataError("'" + name + "' is no triangular factor: an entry of its diagonal is not positive");
    }
  }
}

TargetScaling stored_scaling(const ModelState& state, Index outputs) {
  const Matrix<double> values = state.finite_array("target_scaling", 2, outputs);
  TargetScaling scaling;
  for (Index o = 0; o < outputs; ++o) {
    scaling.means.push_back(values(0, o));
    scaling.scales.push_back(values(1, o));
    if (!(values(1, o) > 0)) {
      throw DataError("'target_scaling' holds a scale that is not positive");
    }
  }
  return scaling;
}

CovarianceSource stored_source(const ModelState& state, const GpOptions& options, Index centres) {
  CovarianceSource source;
  source.kind = covariance_kind(options);
  source.rank = options.rank;
  if (source.kind == CovarianceKind::stored) {
    const Matrix<double>& signs = state.array("term_signs");
    for (Index t = 0; t < signs.rows(); ++t) {
      const std::string name = "term_" + std::to_string(t);
      source.terms.push_back({state.finite_array(name, centres, centres), {}, signs(t, 0) < 0 ? -1.0 : 1.0});
      require_triangular(source.terms.back().factor, name);
    }
    return source;
  }
  source.diagonal = state.finite_column("diagonal", centres);
  if (source.kind == CovarianceKind::exact) {
    source.jitter = state.finite_column("jitter", 1)[0];
  }
  return source;
}

ParametricUncertainty stored_uncertainty(const ModelState& state, ParametricPart part, Index centres, Index functions) {
  if (part == ParametricPart::none) {
    return {};
  }
  const Index p = state.array("uncertainty_u").columns();
  ParametricUncertainty result{.u = state.finite_array("uncertainty_u", centres, p),
                               .basis = state.finite_array("uncertainty_basis", functions, p),
                               .factor = state.finite_array("uncertainty_factor", p, p)};
  require_triangular(result.factor, "uncertainty_factor");
  return result;
}

}  // namespace

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

ModelState GpModel::state() const {
  const Expansion& mean = parts_.posterior.mean();
  ModelState state;
  state.model = std::string(name());
  state.requested_kernel = parts_.requested_kernel;
  state.kernel = kernel().spec();
  state.output_names = parts_.output_names;
  state.settings = settings_of(gp_option_table(), parts_.options);
  state.report = parts_.report;
  state.samples.emplace("centres", mean.centres());
  state.arrays.emplace("coefficients", Matrix<double>::copy_of(mean.coefficients()));
  state.arrays.emplace("parametric", Matrix<double>::copy_of(mean.parametric_coefficients()));
  Matrix<double> scaling(2, mean.outputs());
  std::copy(parts_.scaling.means.begin(), parts_.scaling.means.end(), scaling.data());
  std::copy(parts_.scaling.scales.begin(), parts_.scaling.scales.end(), scaling.data() + mean.outputs());
  state.arrays.emplace("target_scaling", std::move(scaling));
  state.arrays.emplace("likelihood", number_column(parts_.likelihood_parameters));
  state.arrays.emplace("latent_offset", Matrix<double>::filled(1, 1, parts_.latent_offset));
  if (!has_distribution()) {
    return state;
  }
  const CovarianceSource& source = parts_.covariance;
  if (source.kind == CovarianceKind::stored) {
    Matrix<double> signs(static_cast<Index>(source.terms.size()), 1);
    for (std::size_t t = 0; t < source.terms.size(); ++t) {
      signs(static_cast<Index>(t), 0) = source.terms[t].sign;
      state.arrays.emplace("term_" + std::to_string(t), Matrix<double>::copy_of(source.terms[t].factor.view()));
    }
    state.arrays.emplace("term_signs", std::move(signs));
  } else {
    state.arrays.emplace("diagonal", number_column(source.diagonal));
  }
  if (source.kind == CovarianceKind::exact) {
    state.arrays.emplace("jitter", Matrix<double>::filled(1, 1, source.jitter));
  }
  if (parts_.options.method == GpMethod::greedy) {
    state.samples.emplace("variance_centres", parts_.posterior.variance_centres());
  }
  if (const ParametricUncertainty& parametric = parts_.posterior.parametric(); parametric.u.columns() > 0) {
    state.arrays.emplace("uncertainty_u", Matrix<double>::copy_of(parametric.u.view()));
    state.arrays.emplace("uncertainty_basis", Matrix<double>::copy_of(parametric.basis.view()));
    state.arrays.emplace("uncertainty_factor", Matrix<double>::copy_of(parametric.factor.view()));
  }
  if (parts_.loo) {
    state.arrays.emplace("loo_means", Matrix<double>::copy_of(parts_.loo->means.view()));
    state.arrays.emplace("loo_variances", number_column(parts_.loo->variances));
  }
  return state;
}

std::unique_ptr<GpModel> GpModel::from_state(const ModelState& state, const Run& run) {
  GpOptions options;
  apply_settings<GpOptions>("gp", gp_option_table(), state.settings, options);
  options.validate();
  if (options.inference == GpInference::automatic ||
      (options.likelihood == GpLikelihood::gaussian && options.method == GpMethod::automatic)) {
    throw DataError("a stored gp model that does not say which inference or method it was fitted by");
  }
  const auto outputs = static_cast<Index>(state.output_names.size());
  const Samples& centres = state.sample_set("centres");
  const ParametricPart part = options.mean;
  Matrix<double> parametric = Matrix<double>::copy_of(state.array("parametric").view());
  const Index functions = parametric.rows();
  Expansion mean(parse_kernel(state.kernel), centres, state.finite_array("coefficients", centres.size(), outputs), part,
                 std::move(parametric), options.precision, run);
  const std::vector<double> parameters = state.finite_column("likelihood", likelihood_parameter_count(options));
  const double offset = state.finite_column("latent_offset", 1)[0];
  const bool greedy = options.method == GpMethod::greedy;
  const Samples variance_centres = greedy ? state.sample_set("variance_centres") : centres;
  const bool distribution = options.inference != GpInference::posterior_mode;
  CovarianceSource source;
  if (distribution) {
    source = stored_source(state, options, variance_centres.size());
  }
  auto reduction = distribution ? make_reduction(source, mean.kernel(), variance_centres) : nullptr;
  std::optional<LeaveOneOutPredictions> loo;
  if (options.loo) {
    const Index rows = state.array("loo_means").rows();
    loo = LeaveOneOutPredictions{.means = state.finite_array("loo_means", rows, outputs),
                                 .variances = state.finite_column("loo_variances", rows)};
  }
  ParametricUncertainty uncertainty = stored_uncertainty(state, part, variance_centres.size(), functions);
  return std::make_unique<GpModel>(
      Parts{.requested_kernel = state.requested_kernel,
            .options = options,
            .output_names = state.output_names,
            .report = state.report,
            .scaling = stored_scaling(state, outputs),
            .likelihood_parameters = parameters,
            .latent_offset = offset,
            .likelihood = make_likelihood(options, parameters, offset),
            .covariance = std::move(source),
            .posterior = GaussianPosterior(std::move(mean), std::move(reduction), std::move(uncertainty),
                                           prior_covariance(options), variance_centres),
            .loo = std::move(loo)});
}

}  // namespace mercer
