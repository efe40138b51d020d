#include "mercer/kernels/generative/hidden_markov_parameters.h"

#include "mercer/base/error.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

std::vector<ParameterSpec> hidden_markov_specs(std::vector<ParameterSpec> others) {
  std::vector<ParameterSpec> specs = {
      {.name = "states",
       .role = ParameterRole::number,
       .constraint = Constraint::positive_integer,
       .default_text = "3",
       .meaning = "number of hidden states"},
      symbols_spec(),
      fitted_spec("initial", "probability of every state at the start; auto: fitted by EM"),
      fitted_spec("transitions", "probability of every state after every state, row by row; auto: fitted by EM"),
      fitted_spec("emissions", "probability of every symbol in every state, row by row; auto: fitted by EM")};
  specs.insert(specs.end(), others.begin(), others.end());
  return specs;
}

HiddenMarkov given_hidden_markov(const KernelNode& node) {
  const bool waits = wait_for_data(node, {"initial", "transitions", "emissions"});
  if (waits_for_data(node, "symbols") || waits || !node.parameters().find("states")->value.is_resolved()) {
    return {};
  }
  SymbolAlphabet alphabet(node.entry().name, node.parameters().numbers("symbols"));
  const auto states = static_cast<Index>(node.parameters().number("states"));
  const Index symbols = alphabet.size();
  require_storable(node, static_cast<double>(states) * static_cast<double>(1 + states + symbols),
                   "choose fewer states");
  std::vector<double> initial = model_numbers(node, "initial", states);
  std::vector<double> transitions = model_numbers(node, "transitions", states * states);
  std::vector<double> emissions = model_numbers(node, "emissions", states * symbols);
  normalize_rows(node, "initial", states, initial);
  normalize_rows(node, "transitions", states, transitions);
  normalize_rows(node, "emissions", symbols, emissions);
  return {std::move(alphabet), std::move(initial), std::move(transitions), std::move(emissions)};
}

ParameterList with_hidden_markov(const KernelNode& node, const Samples& strings, const Run& run) {
  ParameterList parameters = node.parameters();
  const SymbolAlphabet alphabet = waits_for_data(node, "symbols")
                                      ? SymbolAlphabet::of(node.entry().name, strings)
                                      : SymbolAlphabet(node.entry().name, parameters.numbers("symbols"));
  parameters = parameters.with("symbols", ParameterValue::list(alphabet.symbols()));
  if (!wait_for_data(node, {"initial", "transitions", "emissions"})) {
    return parameters;
  }
  const auto states = static_cast<Index>(parameters.number("states"));
  require_storable(node, static_cast<double>(states) * static_cast<double>(1 + states + alphabet.size()),
                   "choose fewer states");
  require_passable(node, strings, states);
  std::vector<std::string_view> texts;
  for (Index i = 0; i < strings.size(); ++i) {
    texts.push_back(string_at(strings, i));
  }
  const HiddenMarkovFit fit = fit_hidden_markov(texts, alphabet, {.states = states}, run);
  if (!fit.converged) {
    run.log(LogLevel::info, node.entry().name + ": EM stopped at its iteration limit");
  }
  return parameters.with("initial", fitted_numbers(node, fit.model.initial()))
      .with("transitions", fitted_numbers(node, fit.model.transitions()))
      .with("emissions", fitted_numbers(node, fit.model.emissions()));
}

void require_passable(const KernelNode& node, const Samples& strings, Index states) {
  constexpr double most_steps = 1e8;
  for (Index i = 0; i < strings.size(); ++i) {
    const auto length = static_cast<double>(string_at(strings, i).size());
    if (length * static_cast<double>(states * states) > most_steps) {
      throw DataError(node.entry().name + ": the string of row " + std::to_string(i) + " (counted from 0) has " +
                      std::to_string(static_cast<Index>(length)) + " symbols, too many for " + std::to_string(states) +
                      " states; cut it, or take spectrum or fisher_markov");
    }
  }
}

}  // namespace mercer
