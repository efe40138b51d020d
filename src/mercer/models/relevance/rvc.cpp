#include "mercer/models/relevance/rvc.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/phase_timer.h"
#include "mercer/solvers/relevance/relevance_classification.h"

namespace mercer {

namespace {

ClassCode relevance_code(std::size_t classes) { return ClassCode::one_vs_rest(static_cast<Index>(classes)); }

// σ(f) without overflow.
double relevance_logistic(double f) { return f > 0 ? 1 / (1 + std::exp(-f)) : std::exp(f) / (1 + std::exp(f)); }

// f / √(1 + π v/8): the sigmoid of it is about the mean of the sigmoid over N(f, v).
Matrix<double> moderated(ConstMatrixView<double> log_odds, ConstMatrixView<double> variances) {
  auto values = Matrix<double>::copy_of(log_odds);
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index o = 0; o < values.columns(); ++o) {
      values(i, o) /= std::sqrt(1 + std::numbers::pi / 8 * variances(i, o));
    }
  }
  return values;
}

}  // namespace

void RvcOptions::validate() const { check_options<RvcOptions>("rvc", rvc_option_table(), *this); }

std::span<const Option<RvcOptions>> rvc_option_table() {
  static const std::vector<Option<RvcOptions>> table = [] {
    std::vector<Option<RvcOptions>> lines = {
        {"class_weight", &RvcOptions::class_weight,
         "balanced (the rarer the class, the heavier), or label:weight,label:weight; multiplies the rows' weights"},
        {"moderate", &RvcOptions::moderate,
         "whether probabilities are averaged over the posterior of the log-odds; no: the sigmoid of its mode"},
    };
    const std::vector<Option<RvcOptions>> common = RelevanceCommonOptions::table<RvcOptions>();
    lines.insert(lines.end(), common.begin(), common.end());
    return lines;
  }();
  return table;
}

std::unique_ptr<RvcModel> fit_rvc(const Kernel& kernel, const RvcOptions& options, const TrainingData& given,
                                  const Run& run) {
  options.validate();
  const MergedRows merged = merged_rows("rvc", &kernel, given);
  const TrainingData& data = merged.data;
  LabeledRows labeled = read_labels("rvc", data, LabelReading::classes, options.class_weight);
  const ClassCode code = relevance_code(labeled.levels.size());
  FitReport report;
  report.objective_name = "log evidence";
  PhaseTimer timer(report);
  timer.start("kernel");
  const RelevanceSetup setup = relevance_setup(kernel, options, data, std::move(labeled.rows), report, run);
  timer.start("evidence");
  std::vector<RelevanceFit> fits;
  for (Index machine = 0; machine < code.machines(); ++machine) {
    std::vector<double> positive;
    for (const std::int32_t c : labeled.classes) {
      positive.push_back(code(machine, c) > 0 ? 1.0 : 0.0);
    }
    fits.push_back(relevance_classification(*setup.basis, positive, labeled.weights, options.solver_options(), run));
    report.objective += fits.back().evidence;
  }
  timer.start("model");
  const std::vector<double> ones(fits.size(), 1.0);
  const std::vector<double> zeros(fits.size(), 0.0);
  RelevanceFunctions functions = relevance_functions(setup.kernel, setup.samples, *setup.basis,
                                                     merged.given(setup.numbers), fits, ones, zeros, run);
  add_fits_to_report(fits, relevance_vectors(*setup.basis, fits), report);
  timer.stop();
  ModelHead head{.name = "rvc",
                 .requested_kernel = kernel.spec(),
                 .settings = settings_of(rvc_option_table(), options),
                 .output_names = {data.targets.columns().front().name},
                 .classes = labeled.levels,
                 .report = std::move(report)};
  return std::make_unique<RvcModel>(std::move(head),
                                    RvcModel::Parts{.options = options, .functions = std::move(functions)});
}

void RvcModel::Parts::fields(Fields& visit) {
  visit.options(options, rvc_option_table());
  functions.fields(visit, visit.classes() == 2 ? 1 : visit.classes());
}

std::vector<std::string> RvcModel::decision_names() const { return relevance_code(classes().size()).names(classes()); }

Answers RvcModel::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  const bool moderates = wanted.probabilities && parts_.options.moderate && parts_.functions.has_variances();
  Answers answers;
  Matrix<double> log_odds;
  if (moderates) {
    PredictiveMoments f = parts_.functions.moments(samples, run);
    answers.decisions = std::move(f.mean);
    log_odds = moderated(answers.decisions.view(), f.variance.view());
  } else {
    answers.decisions = parts_.functions.mean().values(samples, run);
  }
  if (wanted.predictions) {
    answers.predictions = relevance_code(classes().size()).decode_rows(answers.decisions.view());
  }
  if (wanted.probabilities) {
    answers.probabilities = class_shares(moderates ? log_odds.view() : answers.decisions.view());
  }
  return answers;
}

Matrix<double> RvcModel::class_shares(ConstMatrixView<double> log_odds) const {
  constexpr double least = 1e-7;  // no class is ruled out, and the sum of several is never 0
  const auto k = static_cast<Index>(classes().size());
  Matrix<double> result(log_odds.rows(), k);
  for (Index i = 0; i < log_odds.rows(); ++i) {
    if (k == 2) {
      result(i, 1) = std::clamp(relevance_logistic(log_odds(i, 0)), least, 1 - least);
      result(i, 0) = 1 - result(i, 1);
      continue;
    }
    double total = 0;
    for (Index c = 0; c < k; ++c) {
      result(i, c) = std::max(relevance_logistic(log_odds(i, c)), least);
      total += result(i, c);
    }
    for (Index c = 0; c < k; ++c) {
      result(i, c) /= total;
    }
  }
  return result;
}

std::unique_ptr<FittedModel> RvcModel::with_expansion(Expansion expansion, const Run& run) const {
  require_same_form(*this, parts_.functions.mean(), expansion);
  const Index count = expansion.centers().size();
  ModelHead changed = head();
  changed.report = compressed_report(report(), parts_.functions.mean().centers().size(), count);
  changed.report.notes.emplace_back(
      "probabilities are not moderated: the variances of the log-odds are not part of it");
  return std::make_unique<RvcModel>(
      std::move(changed),
      Parts{.options = parts_.options,
            .functions = RelevanceFunctions(std::move(expansion), no_training_rows(count), {}, run)});
}

const ModelEntry& rvc_entry() {
  static const ModelEntry entry =
      make_entry<RvcModel>({.name = "rvc",
                            .aliases = {},
                            .summary = "relevance vector classification: few kernel functions, chosen by the evidence, "
                                       "and probabilities; any kernel",
                            .task = Task::classification,
                            .default_kernel = "rbf(gamma=scale)",
                            .counterpart = "rvr"},
                           rvc_option_table(), fit_rvc);
  return entry;
}

}  // namespace mercer
