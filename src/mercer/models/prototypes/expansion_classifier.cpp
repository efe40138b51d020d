#include "mercer/models/prototypes/expansion_classifier.h"

#include "mercer/base/error.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/fields.h"
#include "mercer/models/prototypes/expansion_parts.h"

namespace mercer {

void ExpansionClassifier::Parts::fields(Fields& visit) {
  visit.expansion(expansion, {.outputs = functions_for_classes(visit.classes())});
}

ExpansionClassifier::ExpansionClassifier(ModelHead head, Parts parts)
    : FittedModel(std::move(head)), parts_(std::move(parts)) {
  const auto count = static_cast<Index>(classes().size());
  if (count < 2 || parts_.expansion.outputs() != functions_for_classes(count)) {
    throw InvalidArgument(name() + ": " + std::to_string(parts_.expansion.outputs()) + " functions for " +
                          std::to_string(count) + " classes");
  }
}

std::vector<std::string> ExpansionClassifier::decision_names() const {
  return ClassCode::one_vs_rest(static_cast<Index>(classes().size())).names(classes());
}

Answers ExpansionClassifier::evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const {
  Answers answers{.decisions = parts_.expansion.values(samples, run)};
  if (wanted.predictions) {
    const ClassCode code = ClassCode::one_vs_rest(static_cast<Index>(classes().size()));
    answers.predictions = code.decode_rows(answers.decisions.view());
  }
  return answers;
}

std::unique_ptr<FittedModel> ExpansionClassifier::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_exchangeable(name(), parts_.expansion, expansion);
  return std::make_unique<ExpansionClassifier>(head(), Parts{std::move(expansion)});
}

}  // namespace mercer
