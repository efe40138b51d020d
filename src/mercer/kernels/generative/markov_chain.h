// A Markov chain of order L over an alphabet A: p(x_{t+1} = a | x_{t−L+1} … x_t = c) = θ_ca, given the first L symbols. L = 0 is
// the categorical model: symbols drawn independently. Only windows of L + 1 known symbols count: a symbol outside the
// alphabet ends one stretch, and the next begins after it.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "mercer/kernels/generative/symbol_alphabet.h"

namespace mercer {

class MarkovChain {
 public:
  MarkovChain() = default;
  /// `transitions` has |A|^L rows of |A| probabilities, contexts numbered with their first symbol as the highest digit.
  MarkovChain(int order, SymbolAlphabet alphabet, std::vector<double> transitions);

  int order() const { return order_; }
  const SymbolAlphabet& alphabet() const { return alphabet_; }
  Index contexts() const { return static_cast<Index>(transitions_.size()) / std::max<Index>(1, alphabet_.size()); }
  /// θ, the cell of context c and symbol a at c |A| + a.
  const std::vector<double>& transitions() const { return transitions_; }

  /// Calls use(cell, end) for every window of the text, in order; `end` is the place after its last symbol. O(length).
  template <class Use>
  static void for_each_cell(std::string_view text, int order, const SymbolAlphabet& alphabet, Use use) {
    const Index size = alphabet.size();
    Index contexts = 1;
    for (int l = 0; l < order; ++l) {
      contexts *= size;
    }
    Index context = 0;
    int known = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const int code = alphabet.code(text[at]);
      if (code < 0) {
        known = 0;
        context = 0;
        continue;
      }
      const Index cell = context * size + code;
      if (known >= order) {
        use(cell, at + 1);
      }
      known = std::min(known + 1, order);
      context = cell % contexts;
    }
  }

  /// Σ ln θ over the windows: the log-likelihood given the first L symbols.
  double log_likelihood(std::string_view text) const;

 private:
  int order_ = 0;
  SymbolAlphabet alphabet_;
  std::vector<double> transitions_;
};

struct MarkovCounts {
  std::vector<double> cells;   ///< windows of every context and symbol, over all strings
  std::vector<double> visits;  ///< mean number of visits of every context in a string
};

/// |A|^(order + 1), as a double: it may be beyond any integer.
double markov_cells(int order, Index alphabet_size);

/// Counts over strings. O(total length).
MarkovCounts count_transitions(const WeightedSamples& all, int order, const SymbolAlphabet& alphabet);

/// Rows (count + pseudo-count)/sum: the maximum likelihood where the pseudo-count is 0 and the context occurs.
std::vector<double> fitted_transitions(const MarkovCounts& counts, Index alphabet_size, double pseudo_count);

}  // namespace mercer
