#include "mercer/models/kernel_machine/kernel_machine.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/models/classes/class_code.h"
#include "mercer/models/model_state.h"
#include "mercer/models/prototypes/expansion_classifier.h"
#include "mercer/models/prototypes/expansion_parts.h"

namespace mercer {

KernelMachine::KernelMachine(Parts parts) : parts_(std::move(parts)) {
  const auto classes = static_cast<Index>(parts_.classes.size());
  const Index functions =
      classes == 0 ? static_cast<Index>(parts_.output_names.size()) : functions_for_classes(classes);
  if (classes == 1 || parts_.expansion.outputs() != functions || (classes > 0 && parts_.output_names.size() != 1)) {
    throw InvalidArgument(parts_.name + ": " + std::to_string(parts_.expansion.outputs()) + " functions for " +
                          std::to_string(classes) + " classes and " + std::to_string(parts_.output_names.size()) +
                          " outputs");
  }
}

Matrix<double> KernelMachine::linear(const Samples& samples, const Run& run) const {
  Matrix<double> values(samples.size(), parts_.expansion.outputs());
  parts_.expansion.evaluate(samples, values.view(), run);
  return values;
}

Matrix<double> KernelMachine::predict(const Samples& samples, const Run& run) const {
  Matrix<double> values = linear(samples, run);
  if (parts_.classes.empty()) {
    glm_means(parts_.response, values.view());
    return values;
  }
  return ClassCode::one_vs_rest(static_cast<Index>(parts_.classes.size())).decode_rows(values.view());
}

std::vector<std::string> KernelMachine::decision_names() const {
  return parts_.classes.empty()
             ? std::vector<std::string>{}
             : ClassCode::one_vs_rest(static_cast<Index>(parts_.classes.size())).names(parts_.classes);
}

Matrix<double> KernelMachine::decide(const Samples& samples, const Run& run) const {
  return parts_.classes.empty() ? FittedModel::decide(samples, run) : linear(samples, run);
}

Matrix<double> KernelMachine::probabilities(const Samples& samples, const Run& run) const {
  if (parts_.classes.empty()) {
    return FittedModel::probabilities(samples, run);
  }
  Matrix<double> values = linear(samples, run);
  glm_means(parts_.response, values.view());
  if (parts_.response == GlmFamily::multinomial) {
    return values;
  }
  Matrix<double> both(values.rows(), 2);
  for (Index i = 0; i < values.rows(); ++i) {
    both(i, 0) = 1 - values(i, 0);
    both(i, 1) = values(i, 0);
  }
  return both;
}

std::unique_ptr<FittedModel> KernelMachine::with_expansion(Expansion expansion, const Run& /*run*/) const {
  require_exchangeable(name(), parts_.expansion, expansion);
  Parts parts = parts_;
  parts.expansion = std::move(expansion);
  return std::make_unique<KernelMachine>(std::move(parts));
}

ModelState KernelMachine::state() const {
  ModelState state;
  state.model = parts_.name;
  state.requested_kernel = parts_.requested_kernel;
  state.output_names = parts_.output_names;
  state.classes = parts_.classes;
  state.settings = parts_.settings;
  state.report = parts_.report;
  store_expansion(parts_.expansion, state);
  return state;
}

std::unique_ptr<KernelMachine> KernelMachine::from_state(const ModelState& state, GlmFamily response, const Run& run) {
  const auto classes = static_cast<Index>(state.classes.size());
  const bool classifies = response == GlmFamily::logistic || response == GlmFamily::multinomial;
  if (state.output_names.empty() || (classifies ? classes < 2 || state.output_names.size() != 1 : classes != 0)) {
    throw DataError("a stored " + state.model + " model with " + std::to_string(classes) + " classes and " +
                    std::to_string(state.output_names.size()) + " outputs");
  }
  const Index functions = classifies ? functions_for_classes(classes) : static_cast<Index>(state.output_names.size());
  return std::make_unique<KernelMachine>(Parts{.name = state.model,
                                               .requested_kernel = state.requested_kernel,
                                               .settings = state.settings,
                                               .response = response,
                                               .output_names = state.output_names,
                                               .classes = state.classes,
                                               .expansion = stored_expansion(state, functions, run),
                                               .report = state.report});
}

}  // namespace mercer
