#include "mercer/models/gp/gp.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/base/special_functions.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/gp/gp_parts.h"
#include "mercer/models/gp/latent_predictions.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/ridge/ridge.h"

namespace mercer {

namespace {

constexpr std::uint64_t draw_stream = 0x6472617773;
// Joint draws factor an n × n matrix; beyond this many rows that is hardly meant.
constexpr Index most_joint_rows = 20000;

// Factors a covariance that may be singular to rounding: adds as little to its diagonal as it takes. Zero stays zero.
void factor_covariance(MatrixView<double> covariance, const Run& run) {
  const Index n = covariance.rows();
  double trace = 0;
  for (Index i = 0; i < n; ++i) {
    trace += covariance(i, i);
  }
  const double mean = trace / static_cast<double>(std::max<Index>(1, n));
  if (mean == 0) {
    return;
  }
  const auto copy = Matrix<double>::copy_of(covariance);
  for (double jitter = 1e-14; jitter < 1e-2; jitter *= 10) {
    for (Index i = 0; i < n; ++i) {
      std::copy_n(copy.view().row_data(i), n, covariance.row_data(i));
      covariance(i, i) += jitter * mean;
    }
    if (try_cholesky<double>(covariance, run).ok) {
      return;
    }
  }
  throw NumericalError("gp: the posterior covariance of these " + std::to_string(n) +
                       " rows has no factor; draw at fewer rows, or fit with more noise");
}

Matrix<double> square_root(Matrix<double> covariance, const Run& run) {
  factor_covariance(covariance.view(), run);
  for (Index i = 0; i < covariance.rows(); ++i) {
    std::fill(covariance.view().row_data(i) + i + 1, covariance.view().row_data(i) + covariance.columns(), 0.0);
  }
  return covariance;
}

GaussianPosterior posterior_of(const GpModel::Parts& parts, const Run& run) {
  auto reduction = parts.reduction;
  if (reduction == nullptr && parts.options.inference != GpInference::posterior_mode) {
    reduction =
        make_reduction(parts.covariance, parts.mean.kernel(), parts.variance_centers.value_or(parts.mean.centers()));
  }
  const ParametricUncertainty& uncertainty = parts.uncertainty;
  return GaussianPosterior(parts.mean, std::move(reduction),
                           {.u = Matrix<double>::copy_of(uncertainty.u.view()),
                            .basis = Matrix<double>::copy_of(uncertainty.basis.view()),
                            .factor = Matrix<double>::copy_of(uncertainty.factor.view())},
                           prior_covariance(parts.options), parts.variance_centers, run);
}

}  // namespace

GpModel::GpModel(ModelHead head, Parts parts, const Run& run)
    : FittedModel(std::move(head)),
      parts_(std::move(parts)),
      likelihood_(make_likelihood(parts_.options, parts_.likelihood_parameters, parts_.latent_offset)),
      posterior_(posterior_of(parts_, run)) {}

bool GpModel::has_distribution() const { return parts_.options.inference != GpInference::posterior_mode; }

void GpModel::require_distribution() const {
  if (!has_distribution()) {
    throw InvalidArgument("gp: inference = map knows the mode alone, without a distribution; fit with inference = ep");
  }
}

// E y is the latent mean itself for noise that is symmetric about 0.
bool GpModel::mean_needs_variance() const { return parts_.options.likelihood == GpLikelihood::poisson; }

Answers GpModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  if (mean_needs_variance()) {
    return {.predictions = std::move(distribution(samples, run)->moments(PredictionOf::observation).mean)};
  }
  Matrix<double> values(samples.size(), parts_.mean.outputs());
  posterior_.means(samples, values.view(), run);
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index o = 0; o < values.columns(); ++o) {
      values(i, o) = parts_.scaling.restored(values(i, o), o);
    }
  }
  return {.predictions = std::move(values)};
}

std::unique_ptr<const PredictiveDistribution> GpModel::distribution(const Samples& samples, const Run& run) const {
  require_distribution();
  LatentMoments latent{.means = Matrix<double>(samples.size(), parts_.mean.outputs()),
                       .variances = std::vector<double>(samples.size())};
  posterior_.moments(samples, latent.means.view(), latent.variances, run);
  return std::make_unique<LatentPredictions>(std::move(latent), likelihood_, parts_.scaling, parts_.latent_offset);
}

Matrix<double> GpModel::draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const {
  require_distribution();
  const Index n = samples.size();
  if (n > most_joint_rows) {
    throw InvalidArgument("joint draws at " + std::to_string(n) +
                          " rows need the covariance between all of them; at most " + std::to_string(most_joint_rows) +
                          " rows are allowed: draw at fewer");
  }
  const Index outputs = parts_.mean.outputs();
  Matrix<double> means(n, outputs);
  posterior_.means(samples, means.view(), run);
  const Matrix<double> root = square_root(posterior_.covariance(samples, run), run);
  RandomStream random(run.seed(), draw_stream);
  Matrix<double> noise(n, outputs * count);
  for (Index j = 0; j < noise.columns(); ++j) {
    for (Index i = 0; i < n; ++i) {
      noise(i, j) = random.normal();
    }
  }
  Matrix<double> result(n, outputs * count);
  parallel_gemm<double>(1.0, root.view(), Transpose::no, noise.view(), Transpose::no, 0.0, result.view(), run);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < result.columns(); ++j) {
      const Index o = j / count;
      const double f = result(i, j) + means(i, o);
      const double value = of == PredictionOf::function ? f + parts_.latent_offset
                                                        : likelihood_->observation_quantile(
                                                              std::clamp(random.uniform(), 1e-12, 1 - 1e-12), f, 0.0);
      result(i, j) = parts_.scaling.restored(value, o);
    }
  }
  return result;
}

const Expansion* GpModel::expansion_form() const {
  const bool is_ridge = parts_.mean.parametric_part() != ParametricPart::quadratic;
  return mean_needs_variance() || !is_ridge ? nullptr : &parts_.mean;
}

std::unique_ptr<FittedModel> GpModel::with_expansion(Expansion expansion, const Run& run) const {
  if (expansion_form() == nullptr) {
    return FittedModel::with_expansion(std::move(expansion), run);
  }
  require_same_form(*this, parts_.mean, expansion);
  const bool linear = expansion.parametric_part() == ParametricPart::linear;
  Matrix<double> coefficients = Matrix<double>::copy_of(expansion.coefficients());
  Matrix<double> parametric = expansion.parametric_part() == ParametricPart::none
                                  ? Matrix<double>::filled(1, expansion.outputs(), 0.0)
                                  : Matrix<double>::copy_of(expansion.parametric_coefficients());
  for (Index o = 0; o < expansion.outputs(); ++o) {
    for (Index i = 0; i < coefficients.rows(); ++i) {
      coefficients(i, o) *= parts_.scaling.scale(o);
    }
    for (Index p = 0; p < parametric.rows(); ++p) {
      parametric(p, o) *= parts_.scaling.scale(o);
    }
    parametric(0, o) += parts_.scaling.restored(0.0, o);
  }
  RidgeOptions options;
  options.parametric = linear ? ParametricPart::linear : ParametricPart::constant;
  options.precision = expansion.precision();
  ModelHead ridge{.name = "ridge",
                  .requested_kernel = head().requested_kernel,
                  .settings = settings_of(ridge_option_table(), options),
                  .output_names = output_names(),
                  .report = compressed_report(report(), parts_.mean.centers().size(), coefficients.rows())};
  ridge.report.notes.push_back("the mean of a gp alone, as a ridge model: its variances are not part of it");
  return std::make_unique<RidgeModel>(
      std::move(ridge),
      RidgeModel::Parts{.expansion = Expansion(expansion.kernel(), expansion.centers(), std::move(coefficients),
                                               linear ? ParametricPart::linear : ParametricPart::constant,
                                               std::move(parametric), expansion.precision(), run),
                        .options = options});
}

std::optional<double> GpModel::jitter() const {
  const bool is_factored = has_distribution() && parts_.covariance.kind == CovarianceKind::exact;
  return is_factored ? std::optional(parts_.covariance.jitter) : std::nullopt;
}

Matrix<double> GpModel::covariance(const Samples& samples, Index output, const Run& run) const {
  require_distribution();
  Matrix<double> result = posterior_.covariance(samples, run);
  const double factor = parts_.scaling.scale(output) * parts_.scaling.scale(output);
  for (Index i = 0; i < result.rows(); ++i) {
    scale(factor, result.view().row(i));
  }
  return result;
}

bool GpModel::is_affine_in_feature_space() const {
  return parts_.options.likelihood == GpLikelihood::gaussian &&
         (parts_.options.mean == ParametricPart::none || parts_.options.mean == ParametricPart::constant);
}

bool GpModel::knows_left_out_predictions() const {
  return parts_.options.likelihood == GpLikelihood::gaussian && parts_.options.method == GpMethod::exact;
}

std::optional<std::vector<OptionSetting>> GpModel::leave_one_out_settings() const {
  const std::optional<double> noise = report().measured(Fact::noise_variance);
  if (!knows_left_out_predictions() || !noise || output_names().size() > 1) {
    return std::nullopt;
  }
  std::vector<OptionSetting> settings = settings_of(gp_option_table(), parts_.options);
  set_option(settings, "optimize", "no");
  set_option(settings, "loo", "yes");
  set_option(settings, "noise", shortest(*noise) + "!");
  return settings;
}

std::optional<Matrix<double>> GpModel::left_out_predictions(ConstMatrixView<double> truth) const {
  std::optional<PredictiveMoments> moments = leave_one_out();
  if (!moments || moments->mean.rows() != truth.rows()) {
    return std::nullopt;
  }
  return std::move(moments->mean);
}

std::optional<PredictiveMoments> GpModel::leave_one_out() const {
  if (!parts_.loo) {
    return std::nullopt;
  }
  PredictiveMoments result{.mean = Matrix<double>::copy_of(parts_.loo->means.view()),
                           .variance = Matrix<double>(parts_.loo->means.rows(), parts_.loo->means.columns())};
  for (Index i = 0; i < result.mean.rows(); ++i) {
    for (Index o = 0; o < result.mean.columns(); ++o) {
      result.mean(i, o) = parts_.scaling.restored(result.mean(i, o), o);
      result.variance(i, o) = parts_.scaling.scale(o) * parts_.scaling.scale(o) * parts_.loo->variances[i];
    }
  }
  return result;
}

const ModelEntry& gp_entry() {
  static const ModelEntry entry = make_entry<GpModel>(
      {.name = "gp",
       .aliases = {"gpr"},
       .summary = "Gaussian process regression: mean and uncertainty, hyper-parameters learnt from the evidence",
       .task = Task::regression,
       .default_kernel = "1*rbf(lengthscale=ard)",
       .counterpart = "gpc",
       .noise = NoiseMeaning::variance},
      gp_option_table(), fit_gp);
  return entry;
}

}  // namespace mercer
