#include "mercer/models/model.h"

#include <algorithm>
#include <functional>

#include "mercer/base/error.h"
#include "mercer/expansion/expansion.h"
#include "mercer/models/decisions.h"

namespace mercer {

std::string_view to_string(Task task) {
  switch (task) {
    case Task::regression:
      return "regression";
    case Task::classification:
      return "classification";
    case Task::novelty:
      return "novelty";
    case Task::features:
      return "features";
    case Task::clustering:
      return "clustering";
    case Task::density:
      return "density";
  }
  return "";
}

const Kernel& FittedModel::kernel() const {
  throw InvalidArgument(std::string(name()) + " has no kernel: everything it is made of is an option");
}

std::string_view FittedModel::setting_for_probabilities() const {
  const bool has_option = std::ranges::any_of(
      find_model(name()).options, [](const OptionDescription& option) { return option.name == "probability"; });
  return has_option ? "probability=yes" : "";
}

namespace {

void add_offsets(const Samples& samples, Matrix<double>& predictions) {
  const Matrix<double>* const offsets = samples.offsets();
  if (offsets == nullptr || offsets->columns() != predictions.columns()) {
    throw InvalidArgument(
        "the model adds what it learned to a prior function, and these rows come without its values: prepare them by "
        "the "
        "model's own preparation");
  }
  for (Index i = 0; i < predictions.rows(); ++i) {
    for (Index o = 0; o < predictions.columns(); ++o) {
      predictions(i, o) += (*offsets)(i, o);
    }
  }
}

}  // namespace

Answers FittedModel::decided(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  const DecisionRule& rule = head_.decision;
  if (!wanted.predictions || rule.is_plain()) {
    return evaluate(samples, wanted, run);
  }
  const bool by_value = rule.threshold && decision_names().size() == 1;
  wanted.decisions |= by_value;
  wanted.probabilities |= !by_value;
  Answers answers = evaluate(samples, wanted, run);
  if (rule.threshold) {
    const ConstMatrixView<double> decisions = by_value ? answers.decisions.view() : ConstMatrixView<double>();
    std::vector<double> values = threshold_values(decisions, answers.probabilities.view());
    if (by_value && decision_direction(*this) < 0) {
      std::ranges::transform(values, values.begin(), std::negate<>());
    }
    decide_by_threshold(values, *rule.threshold, answers.predictions, reject_margin());
  } else {
    decide_by_costs(expected_costs(answers.probabilities.view(), rule, head_.class_shares).view(), answers.predictions,
                    reject_margin());
  }
  return answers;
}

Answers FittedModel::answer(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  if (wanted.decisions && decision_names().empty()) {
    throw InvalidArgument(
        std::string(name()) + " has no decision values: " +
        (has_probabilities() ? "it decides by its probabilities" : "its predictions are the values themselves"));
  }
  if (wanted.probabilities && !has_probabilities()) {
    const std::string setting(setting_for_probabilities());
    throw InvalidArgument(std::string(name()) + " has no class probabilities" +
                          (setting.empty() ? "" : ": fit it with " + setting));
  }
  Answers answers = decided(samples, wanted, run);
  if (!wanted.predictions) {
    answers.predictions = {};
  } else if (adds_offsets()) {
    add_offsets(samples, answers.predictions);
  }
  if (!wanted.decisions) {
    answers.decisions = {};
  }
  if (!wanted.probabilities) {
    answers.probabilities = {};
  }
  return answers;
}

Matrix<double> FittedModel::predict(const Samples& samples, const Run& run) const {
  return answer(samples, {.predictions = true}, run).predictions;
}

Matrix<double> FittedModel::decide(const Samples& samples, const Run& run) const {
  return answer(samples, {.decisions = true}, run).decisions;
}

Matrix<double> FittedModel::probabilities(const Samples& samples, const Run& run) const {
  return answer(samples, {.probabilities = true}, run).probabilities;
}

Matrix<double> FittedModel::reconstruct(const Samples& /*samples*/, const Run& /*run*/) const {
  throw InvalidArgument(std::string(name()) +
                        " has no way back from its predictions to inputs: kpca is a model that has one");
}

std::unique_ptr<FittedModel> FittedModel::with_expansion(Expansion /*expansion*/, const Run& /*run*/) const {
  throw InvalidArgument(std::string(name()) +
                        " is not a kernel expansion, so that there is nothing to make smaller: svc, svr, ridge, gp and "
                        "kfd are models that can be compressed");
}

namespace {

[[noreturn]] void refuse_distribution(const FittedModel& model) {
  throw InvalidArgument(std::string(model.name()) +
                        " gives values without a predictive distribution: gp is a model that has one");
}

}  // namespace

std::unique_ptr<const PredictiveDistribution> FittedModel::distribution(const Samples& /*samples*/,
                                                                        const Run& /*run*/) const {
  refuse_distribution(*this);
}

PredictiveMoments FittedModel::moments(const Samples& samples, PredictionOf of, const Run& run) const {
  return distribution(samples, run)->moments(of);
}

Matrix<double> FittedModel::quantiles(const Samples& samples, std::span<const double> levels, PredictionOf of,
                                      const Run& run) const {
  return distribution(samples, run)->quantiles(levels, of);
}

Matrix<double> FittedModel::log_density(const Samples& samples, ConstMatrixView<double> truth, const Run& run) const {
  return distribution(samples, run)->log_density(truth);
}

Matrix<double> FittedModel::draws(const Samples& /*samples*/, Index /*count*/, PredictionOf /*of*/,
                                  const Run& /*run*/) const {
  refuse_distribution(*this);
}

}  // namespace mercer
