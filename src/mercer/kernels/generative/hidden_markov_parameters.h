// The parameters of kernels of a hidden Markov model: `states`, `symbols`, `initial`, `transitions`, `emissions`, numbers or
// fitted by EM to the training strings.
#pragma once

#include "mercer/kernels/generative/hidden_markov.h"
#include "mercer/kernels/generative/model_parameters.h"

namespace mercer {

/// The five, followed by `others`.
std::vector<ParameterSpec> hidden_markov_specs(std::vector<ParameterSpec> others);

/// The model that the node's parameters give; without states while they wait for the data.
HiddenMarkov given_hidden_markov(const KernelNode& node);

/// The node's parameters with the model fitted to the strings where it waits for them. `strings` have passed
/// require_strings().
ParameterList with_hidden_markov(const KernelNode& node, const Samples& strings, const Run& run);

/// DataError where a string is so long (10⁸ steps) that one pass over it would take seconds.
void require_passable(const KernelNode& node, const Samples& strings, Index states);

}  // namespace mercer
