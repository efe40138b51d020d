// Fisher kernel of a hidden Markov model on strings: V(x) is the gradient of ln p(x) by the logits of the initial, transition
// and emission probabilities, that is, expected counts given x less what the model expects of as many visits (Jaakkola &
// Haussler 1999; forward-backward). k(x, y) = V(x)ᵀ M⁻¹ V(y), M one of
//
//   complete   the information where states were seen, in strings of the training strings' mean length
//   fisher     E[VVᵀ] from strings that the model draws, of that length (at most 500: the longer ones add nothing new)
//   plain      1
//   sample     the mean of VVᵀ over the training strings, V in the units of `complete`, with a ridge
//
// O(length · states²) per string. Symbols outside the alphabet are missing observations. The empty string has V = 0.
#pragma once

namespace mercer {

struct KernelEntry;
const KernelEntry& fisher_hmm_entry();

}  // namespace mercer
