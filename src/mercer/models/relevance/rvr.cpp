#include "mercer/models/relevance/rvr.h"

#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/base/special_functions.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/ridge/ridge.h"

namespace mercer {

namespace {

constexpr std::uint64_t relevance_draw_stream = 0x72767264;

}  // namespace

void RvrOptions::validate() const {
  check_options<RvrOptions>("rvr", rvr_option_table(), *this);
  if (prior != RelevancePrior::automatic_relevance && !(weight_shape > 0 && weight_rate > 0)) {
    throw InvalidArgument("rvr: prior = " + std::string(word_of(prior)) +
                          " needs weight_shape and weight_rate that are finite and positive; prior = ard is their "
                          "limit for 0");
  }
}

std::span<const Option<RvrOptions>> rvr_option_table() {
  static const std::vector<Option<RvrOptions>> table = [] {
    std::vector<Option<RvrOptions>> lines = {
        {"prior", &RvrOptions::prior,
         "of the weights: ard, a precision each, free to be infinite (few relevance vectors, fast); gamma, precisions "
         "with a Gamma prior; student, the same integrated out. gamma and student keep all candidates and take the "
         "cube "
         "of their number per iteration"},
        {"weight_shape", &RvrOptions::weight_shape, "shape a of the Gamma prior of precisions (gamma, student)",
         Constraint::nonnegative},
        {"weight_rate", &RvrOptions::weight_rate,
         "rate b of that prior, in units of the targets squared: no precision exceeds (1 + 2a)/2b",
         Constraint::nonnegative},
        {"noise", &RvrOptions::noise, "variance of the noise; learnt where it is not given", Constraint::positive},
        {"noise_shape", &RvrOptions::noise_shape, "shape c of a Gamma prior of 1/noise; 0: flat in ln noise",
         Constraint::nonnegative},
        {"noise_rate", &RvrOptions::noise_rate, "rate d of that prior, in units of the targets squared",
         Constraint::nonnegative},
    };
    const std::vector<Option<RvrOptions>> common = RelevanceCommonOptions::table<RvrOptions>();
    lines.insert(lines.end(), common.begin(), common.end());
    return lines;
  }();
  return table;
}

void RvrModel::Parts::fields(Fields& visit) {
  functions.fields(visit, visit.outputs());
  visit.require(functions.has_variances(), "no covariances of its weights");
  visit.column("noise", noise, visit.outputs(), Constraint::nonnegative);
}

Answers RvrModel::evaluate(const Samples& samples, AnswersWanted /*wanted*/, const Run& run) const {
  return {.predictions = parts_.functions.mean().values(samples, run)};
}

std::unique_ptr<const PredictiveDistribution> RvrModel::distribution(const Samples& samples, const Run& run) const {
  PredictiveMoments f = parts_.functions.moments(samples, run);
  Matrix<double> observed = Matrix<double>::copy_of(f.variance.view());
  for (Index i = 0; i < observed.rows(); ++i) {
    for (Index o = 0; o < observed.columns(); ++o) {
      observed(i, o) += parts_.noise[o];
    }
  }
  return std::make_unique<StudentPredictions>(StudentPredictions::Parts{.mean = std::move(f.mean),
                                                                        .function_variance = std::move(f.variance),
                                                                        .observation_variance = std::move(observed)});
}

Matrix<double> RvrModel::draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const {
  const Matrix<double> means = predict(samples, run);
  Matrix<double> result(means.rows(), means.columns() * count);
  RandomStream random(run.seed(), relevance_draw_stream);
  for (Index o = 0; o < means.columns(); ++o) {
    const Matrix<double> deviations = parts_.functions.deviations(samples, o, run);
    const double spread = of == PredictionOf::observation ? std::sqrt(parts_.noise[o]) : 0.0;
    std::vector<double> normal(deviations.columns());
    for (Index draw = 0; draw < count; ++draw) {
      fill_normal(random, std::span<double>(normal));
      for (Index i = 0; i < means.rows(); ++i) {
        double value = means(i, o) + (normal.empty() ? 0.0 : dot(deviations.view().row(i), normal));
        if (of == PredictionOf::observation) {
          value += spread * random.normal();
        }
        result(i, o * count + draw) = value;
      }
    }
  }
  return result;
}

std::unique_ptr<FittedModel> RvrModel::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_same_form(*this, parts_.functions.mean(), expansion);
  ModelHead ridge{
      .name = "ridge",
      .requested_kernel = head().requested_kernel,
      .settings = settings_of(ridge_option_table(), RidgeOptions{}),
      .output_names = output_names(),
      .report = compressed_report(report(), parts_.functions.mean().centers().size(), expansion.centers().size())};
  ridge.report.notes.emplace_back(
      "the mean of a relevance vector machine alone, as a ridge model: its variances are not part of it");
  return std::make_unique<RidgeModel>(std::move(ridge),
                                      RidgeModel::Parts{.expansion = std::move(expansion), .options = {}});
}

const ModelEntry& rvr_entry() {
  static const ModelEntry entry =
      make_entry<RvrModel>({.name = "rvr",
                            .aliases = {"rvm"},
                            .summary = "relevance vector regression: few kernel functions and the noise, both learnt "
                                       "from the evidence; any kernel",
                            .task = Task::regression,
                            .default_kernel = "rbf(gamma=scale)",
                            .counterpart = "rvc"},
                           rvr_option_table(), fit_rvr);
  return entry;
}

}  // namespace mercer
