#include "mercer/models/risk/risk_machine.h"

#include <algorithm>
#include <cmath>

#include "mercer/models/classes/class_code.h"
#include "mercer/models/classes/decision_class.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/prototypes/expansion_classifier.h"

namespace mercer {

namespace {

/// What f is multiplied by in P(positive) = 1/(1 + e^(−factor·f)); 0: the loss says nothing of probabilities. The exponential
/// loss is smallest on average where f is half of the log odds (Friedman, Hastie & Tibshirani 2000).
double log_odds_factor(const AnyRiskOptions& options) {
  const auto* const classes = std::get_if<RiskcOptions>(&options);
  if (classes == nullptr) {
    return 0;
  }
  return classes->loss == LossKind::logistic ? 1 : classes->loss == LossKind::exponential ? 2 : 0;
}

/// Two classes: the loss's own; several: those of the machines, scaled to sum 1.
Matrix<double> risk_probabilities(ConstMatrixView<double> values, double factor, Index classes) {
  constexpr double least = 1e-15;  // no class is ruled out, and the sum of several is never 0
  Matrix<double> result(values.rows(), classes);
  for (Index i = 0; i < values.rows(); ++i) {
    double total = 0;
    for (Index c = 0; c < classes; ++c) {
      const double f = classes > 2 ? values(i, c) : c == 1 ? values(i, 0) : -values(i, 0);
      result(i, c) = std::clamp(1 / (1 + std::exp(-factor * f)), least, 1.0);
      total += result(i, c);
    }
    for (Index c = 0; c < classes; ++c) {
      result(i, c) /= total;
    }
  }
  return result;
}

}  // namespace

void RiskMachine::Parts::fields(Fields& visit) {
  Index functions = visit.outputs();
  if (auto* const of_classes = std::get_if<RiskcOptions>(&options)) {
    visit.options(*of_classes, riskc_option_table());
    functions = functions_for_classes(visit.classes());
  } else {
    visit.options(std::get<RiskrOptions>(options), riskr_option_table());
  }
  visit.expansion(expansion, {.outputs = functions, .part = shared_options(options).parametric});
  visit.column("units", units, functions, Constraint::positive);
}

std::vector<std::string> RiskMachine::decision_names() const {
  return classes().empty() ? std::vector<std::string>{}
                           : ClassCode::one_vs_rest(static_cast<Index>(classes().size())).names(classes());
}

bool RiskMachine::has_probabilities() const { return log_odds_factor(parts_.options) > 0; }

LossKind RiskMachine::loss_kind() const {
  const auto* const of_classes = std::get_if<RiskcOptions>(&parts_.options);
  return of_classes != nullptr ? of_classes->loss : std::get<RiskrOptions>(parts_.options).loss;
}

LossPointer RiskMachine::loss(Index output) const {
  if (const auto* const of_classes = std::get_if<RiskcOptions>(&parts_.options)) {
    return of_classes->make_loss();
  }
  return std::get<RiskrOptions>(parts_.options).make_loss(1, parts_.units[static_cast<std::size_t>(output)]);
}

Answers RiskMachine::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Matrix<double> values = parts_.expansion.values(samples, run);
  if (classes().empty()) {
    return {.predictions = std::move(values)};
  }
  Answers answers;
  if (wanted.predictions) {
    answers.predictions = classes_of_values(values.view());
  }
  if (wanted.probabilities) {
    answers.probabilities =
        risk_probabilities(values.view(), log_odds_factor(parts_.options), static_cast<Index>(classes().size()));
  }
  answers.decisions = std::move(values);
  return answers;
}

std::unique_ptr<FittedModel> RiskMachine::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_same_form(*this, parts_.expansion, expansion);
  ModelHead changed = head();
  changed.report = compressed_report(report(), parts_.expansion.centers().size(), expansion.centers().size());
  Parts parts = parts_;
  parts.expansion = std::move(expansion);
  return std::make_unique<RiskMachine>(std::move(changed), std::move(parts));
}

const ModelEntry& riskr_entry() {
  static const ModelEntry entry = make_entry<RiskMachine>(
      {.name = "riskr",
       .aliases = {},
       .summary = "regression with any loss: huber, quantile, a tube, powers, a density of yours",
       .task = Task::regression,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "riskc",
       .takes_prior = true},
      riskr_option_table(), fit_riskr, [] { return RiskMachine::Parts{.options = RiskrOptions()}; });
  return entry;
}

const ModelEntry& riskc_entry() {
  static const ModelEntry entry = make_entry<RiskMachine>(
      {.name = "riskc",
       .aliases = {},
       .summary = "classification with any loss of the margin: logistic, hinge, exponential, bounded",
       .task = Task::classification,
       .default_kernel = "rbf(gamma=scale)",
       .counterpart = "riskr"},
      riskc_option_table(), fit_riskc, [] { return RiskMachine::Parts{.options = RiskcOptions()}; });
  return entry;
}

}  // namespace mercer
