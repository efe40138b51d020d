#include "mercer/kernels/generative/markov_chain.h"

#include <cmath>

#include "mercer/kernels/string/string_samples.h"

namespace mercer {

MarkovChain::MarkovChain(int order, SymbolAlphabet alphabet, std::vector<double> transitions)
    : order_(order), alphabet_(std::move(alphabet)), transitions_(std::move(transitions)) {}

double MarkovChain::log_likelihood(std::string_view text) const {
  double sum = 0;
  for_each_cell(text, order_, alphabet_, [&](Index cell, std::size_t /*end*/) { sum += std::log(transitions_[cell]); });
  return sum;
}

double markov_cells(int order, Index alphabet_size) {
  return std::pow(static_cast<double>(alphabet_size), order + 1.0);
}

MarkovCounts count_transitions(const WeightedSamples& all, int order, const SymbolAlphabet& alphabet) {
  const Samples& strings = all.samples;
  const auto cells = static_cast<std::size_t>(markov_cells(order, alphabet.size()));
  const auto size = static_cast<std::size_t>(alphabet.size());
  MarkovCounts counts{std::vector<double>(cells, 0.0), std::vector<double>(cells / size, 0.0)};
  for (Index i = 0; i < strings.size(); ++i) {
    MarkovChain::for_each_cell(string_at(strings, i), order, alphabet,
                               [&](Index cell, std::size_t /*end*/) { counts.cells[cell] += all.weight(i); });
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    counts.visits[cell / size] += counts.cells[cell] / all.total();
  }
  return counts;
}

std::vector<double> fitted_transitions(const MarkovCounts& counts, Index alphabet_size, double pseudo_count) {
  const auto size = static_cast<std::size_t>(alphabet_size);
  std::vector<double> transitions(counts.cells.size());
  for (std::size_t row = 0; row < counts.cells.size(); row += size) {
    double sum = 0;
    for (std::size_t cell = row; cell < row + size; ++cell) {
      sum += counts.cells[cell] + pseudo_count;
    }
    for (std::size_t cell = row; cell < row + size; ++cell) {
      transitions[cell] = sum > 0 ? (counts.cells[cell] + pseudo_count) / sum : 1 / static_cast<double>(alphabet_size);
    }
  }
  return transitions;
}

}  // namespace mercer
