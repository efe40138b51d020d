#include "mercer/models/prototypes/expansion_classifier.h"

#include "mercer/base/error.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/model_state.h"
#include "mercer/models/prototypes/expansion_parts.h"

namespace mercer {

ExpansionClassifier::ExpansionClassifier(Parts parts) : parts_(std::move(parts)) {
  const auto classes = static_cast<Index>(parts_.classes.size());
  if (classes < 2 || parts_.expansion.outputs() != functions_for_classes(classes)) {
    throw InvalidArgument(parts_.name + ": " + std::to_string(parts_.expansion.outputs()) + " functions for " +
                          std::to_string(classes) + " classes");
  }
}

std::vector<std::string> ExpansionClassifier::decision_names() const {
  return ClassCode::one_vs_rest(static_cast<Index>(parts_.classes.size())).names(parts_.classes);
}

Matrix<double> ExpansionClassifier::decide(const Samples& samples, const Run& run) const {
  Matrix<double> values(samples.size(), parts_.expansion.outputs());
  parts_.expansion.evaluate(samples, values.view(), run);
  return values;
}

Matrix<double> ExpansionClassifier::predict(const Samples& samples, const Run& run) const {
  const ClassCode code = ClassCode::one_vs_rest(static_cast<Index>(parts_.classes.size()));
  return code.decode_rows(decide(samples, run).view());
}

std::unique_ptr<FittedModel> ExpansionClassifier::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_exchangeable(name(), parts_.expansion, expansion);
  Parts parts = parts_;
  parts.expansion = std::move(expansion);
  return std::make_unique<ExpansionClassifier>(std::move(parts));
}

ModelState ExpansionClassifier::state() const {
  ModelState state;
  state.model = parts_.name;
  state.requested_kernel = parts_.requested_kernel;
  state.output_names = output_names();
  state.classes = parts_.classes;
  state.settings = parts_.settings;
  state.report = parts_.report;
  store_expansion(parts_.expansion, state);
  return state;
}

std::unique_ptr<ExpansionClassifier> ExpansionClassifier::from_state(const ModelState& state, const Run& run) {
  if (state.classes.size() < 2 || state.output_names.size() != 1) {
    throw DataError("a stored " + state.model + " model with " + std::to_string(state.classes.size()) +
                    " classes and " + std::to_string(state.output_names.size()) +
                    " outputs; it needs two at least, and one output");
  }
  return std::make_unique<ExpansionClassifier>(
      Parts{.name = state.model,
            .requested_kernel = state.requested_kernel,
            .settings = state.settings,
            .output_name = state.output_names.front(),
            .classes = state.classes,
            .expansion = stored_expansion(state, functions_for_classes(static_cast<Index>(state.classes.size())), run),
            .report = state.report});
}

}  // namespace mercer
