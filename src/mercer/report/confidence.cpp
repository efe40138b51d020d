#include "mercer/report/confidence.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/models/classes/coded_classes.h"
#include "mercer/models/decisions.h"
#include "mercer/select/error_reject.h"

namespace mercer {

namespace {

std::vector<double> distances(std::vector<double> values, double threshold) {
  for (double& value : values) {
    value = std::abs(value - threshold);
  }
  return values;
}

Matrix<double> scores_of_code(const ClassCode& code, const Matrix<double>& decisions) {
  Matrix<double> scores(decisions.rows(), code.classes());
  for (Index i = 0; i < decisions.rows(); ++i) {
    code.scores(decisions.view().row(i), scores.view().row(i));
  }
  return scores;
}

Matrix<double> negated(Matrix<double> costs) {
  std::for_each(costs.data(), costs.data() + costs.rows() * costs.columns(), [](double& cost) { cost = -cost; });
  return costs;
}

std::vector<double> of_decisions(const FittedModel& model, const Matrix<double>& decisions) {
  if (const auto* const coded = offered<CodedClasses>(model)) {
    return leads(scores_of_code(coded->code(), decisions).view());
  }
  return decisions.columns() == static_cast<Index>(model.classes().size()) ? leads(decisions.view())
                                                                           : std::vector<double>();
}

std::vector<double> sureness(const FittedModel& model, const Predictions& predictions) {
  const DecisionRule& rule = model.head().decision;
  const Matrix<double>& decisions = predictions.decisions;
  const Matrix<double>& probabilities = predictions.probabilities;
  const bool has_value = decisions.columns() == 1;
  if (rule.threshold && (has_value || model.decision_names().size() != 1)) {
    const double sign = has_value ? decision_direction(model) : 1.0;
    return distances(threshold_values(decisions.view(), probabilities.view()), sign * *rule.threshold);
  }
  if (probabilities.columns() > 0) {
    return rule.is_plain() || rule.threshold
               ? leads(probabilities.view())
               : leads(negated(expected_costs(probabilities.view(), rule, model.head().class_shares)).view());
  }
  if (has_value) {
    return distances(threshold_values(decisions.view(), {}), decision_direction(model) * model.own_threshold());
  }
  return decisions.columns() > 0 ? of_decisions(model, decisions) : std::vector<double>();
}

}  // namespace

std::vector<double> answer_confidence(const FittedModel& model, const Predictions& predictions) {
  std::vector<double> confidence = sureness(model, predictions);
  for (std::size_t i = 0; i < confidence.size(); ++i) {
    if (predictions.values(static_cast<Index>(i), 0) < 0) {
      confidence[i] = -std::numeric_limits<double>::infinity();
    }
  }
  return confidence;
}

}  // namespace mercer
