// Decisions between classes: costs, thresholds, the error-reject curve; and the rule of a fitted model.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "mercer/models/decisions.h"
#include "mercer/models/stored_model.h"
#include "mercer/select/decision_threshold.h"
#include "mercer/select/error_reject.h"

namespace mercer::python {

namespace {

using Vector = InputVector<double>;
using Values = InputMatrix<double>;
using Codes = InputVector<std::int32_t>;

DecisionRule rule_of(const std::vector<double>& costs, const std::vector<double>& priors) {
  return {.costs = costs, .priors = priors};
}

OutputMatrix<double> costs_of_decisions(const Values& probabilities, const std::vector<double>& costs,
                                        const std::vector<double>& priors, const std::vector<double>& shares) {
  const DecisionRule rule = rule_of(costs, priors);
  require_rule(rule, static_cast<Index>(probabilities.shape(1)));
  return to_array(expected_costs(view_of(probabilities), rule, shares));
}

double cheapest_threshold(const Vector& values, const Codes& classes, const Vector& weights,
                          const std::vector<double>& costs, const std::vector<double>& priors, double own) {
  return threshold_of_least_cost({span_of(values), span_of(classes), span_of(weights)}, rule_of(costs, priors), own);
}

double rate_threshold(const Vector& values, const Codes& classes, const Vector& weights, double rate, Index positive,
                      const std::vector<std::string>& names) {
  return threshold_at_rate({span_of(values), span_of(classes), span_of(weights)}, {.rate = rate, .positive = positive},
                           names);
}

nb::tuple curve(const Vector& confidence, const std::vector<char>& wrong) {
  ErrorRejectCurve found = error_reject_curve(span_of(confidence), wrong);
  return nb::make_tuple(to_array(std::move(found.rejected)), to_array(std::move(found.error)),
                        to_array(std::move(found.confidence)));
}

nb::tuple error_reject(const Vector& confidence, const Codes& wrong) {
  const std::span<const std::int32_t> flags = span_of(wrong);
  return curve(confidence, {flags.begin(), flags.end()});
}

nb::tuple punt(const Vector& rejected, const Vector& error, const Vector& confidence, double target) {
  const PuntError found = punt_error({vector_of(rejected), vector_of(error), vector_of(confidence)}, target);
  return nb::make_tuple(found.rejected, found.error, found.confidence);
}

void set_rule(StoredModel& stored, const std::vector<double>& costs, const std::vector<double>& priors,
              std::optional<double> threshold, std::optional<double> rate, Index positive) {
  DecisionRule rule = rule_of(costs, priors);
  rule.threshold = threshold;
  if (rate) {
    rule.rate = RateWanted{.rate = *rate, .positive = positive};
  }
  decide_by(*stored.model, std::move(rule));
}

// None where the model decides in its own way.
nb::object rule_facts(const StoredModel& stored) {
  const DecisionRule& rule = stored.model->head().decision;
  if (!rule.is_given()) {
    return nb::none();
  }
  nb::dict facts;
  facts["costs"] = rule.costs;
  facts["priors"] = rule.priors;
  facts["threshold"] = rule.threshold ? nb::object(nb::float_(*rule.threshold)) : nb::none();
  facts["rate"] = rule.rate ? nb::object(nb::float_(rule.rate->rate)) : nb::none();
  facts["positive"] = rule.rate ? nb::object(nb::int_(rule.rate->positive)) : nb::none();
  return facts;
}

}  // namespace

void bind_decisions(nb::module_& module) {
  module.def("expected_costs", &costs_of_decisions, nb::arg("probabilities"), nb::arg("costs"), nb::arg("priors"),
             nb::arg("shares"));
  module.def("threshold_of_least_cost", &cheapest_threshold, nb::arg("values"), nb::arg("classes"), nb::arg("weights"),
             nb::arg("costs"), nb::arg("priors"), nb::arg("own"));
  module.def("threshold_at_rate", &rate_threshold, nb::arg("values"), nb::arg("classes"), nb::arg("weights"),
             nb::arg("rate"), nb::arg("positive"), nb::arg("names"));
  module.def("error_reject_curve", &error_reject, nb::arg("confidence"), nb::arg("wrong"));
  module.def("punt_error", &punt, nb::arg("rejected"), nb::arg("error"), nb::arg("confidence"), nb::arg("target"));
  module.def("leads", [](const Values& scores) { return to_array(leads(view_of(scores))); }, nb::arg("scores"));
  module.def("decide_by", &set_rule, nb::arg("model"), nb::arg("costs"), nb::arg("priors"), nb::arg("threshold").none(),
             nb::arg("rate").none(), nb::arg("positive"));
  module.def("decision_rule", &rule_facts, nb::arg("model"));
  module.def(
      "class_shares", [](const StoredModel& stored) { return stored.model->head().class_shares; }, nb::arg("model"));
}

}  // namespace mercer::python
