#include "mercer/models/kernel_machine/kernel_machine.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/fields.h"
#include "mercer/models/prototypes/expansion_classifier.h"
#include "mercer/models/prototypes/expansion_parts.h"

namespace mercer {

namespace {

// n × classes, by the functions of a classifier.
Matrix<double> class_probabilities(GlmFamily response, ConstMatrixView<double> functions) {
  auto values = Matrix<double>::copy_of(functions);
  glm_means(response, values.view());
  if (response == GlmFamily::multinomial) {
    return values;
  }
  Matrix<double> both(values.rows(), 2);
  for (Index i = 0; i < values.rows(); ++i) {
    both(i, 0) = 1 - values(i, 0);
    both(i, 1) = values(i, 0);
  }
  return both;
}

}  // namespace

void KernelMachine::Parts::fields(Fields& visit) {
  Index functions = visit.outputs();
  if (response == GlmFamily::logistic || response == GlmFamily::multinomial) {
    if (visit.loading()) {
      response = class_response(visit.classes());
    }
    functions = functions_for_classes(visit.classes());
  }
  visit.expansion(expansion, {.outputs = functions});
}

KernelMachine::KernelMachine(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {
  const auto count = static_cast<Index>(classes().size());
  const Index functions = count == 0 ? static_cast<Index>(output_names().size()) : functions_for_classes(count);
  if (count == 1 || parts_.expansion.outputs() != functions || (count > 0 && output_names().size() != 1)) {
    throw InvalidArgument(name() + ": " + std::to_string(parts_.expansion.outputs()) + " functions for " +
                          std::to_string(count) + " classes and " + std::to_string(output_names().size()) + " outputs");
  }
}

std::vector<std::string> KernelMachine::decision_names() const {
  return classes().empty() ? std::vector<std::string>{}
                           : ClassCode::one_vs_rest(static_cast<Index>(classes().size())).names(classes());
}

Answers KernelMachine::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Matrix<double> values = parts_.expansion.values(samples, run);
  if (classes().empty()) {
    glm_means(parts_.response, values.view());
    return {.predictions = std::move(values)};
  }
  Answers answers;
  if (wanted.predictions) {
    answers.predictions = ClassCode::one_vs_rest(static_cast<Index>(classes().size())).decode_rows(values.view());
  }
  if (wanted.probabilities) {
    answers.probabilities = class_probabilities(parts_.response, values.view());
  }
  answers.decisions = std::move(values);
  return answers;
}

std::unique_ptr<FittedModel> KernelMachine::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_exchangeable(name(), parts_.expansion, expansion);
  return std::make_unique<KernelMachine>(head(), Parts{parts_.response, std::move(expansion)});
}

}  // namespace mercer
