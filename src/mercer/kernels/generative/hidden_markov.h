// A hidden Markov model with S states and symbols as emissions: initial π, transitions A, emissions B,
//
//   p(x) = Σ_z π_{z_1} B_{z_1 x_1} Π_t A_{z_{t−1} z_t} B_{z_t x_t},
//
// by the forward recursion, scaled at every position so that no length underflows (Rabiner 1989), and backward by the posteriors
//
//   p(z_{t−1} = i, z_t = j | x) = a_{t−1}(i) A_ij γ_t(j)/Σ_k a_{t−1}(k) A_kj,     a_t(i) = p(z_t = i | x_1 … x_t), γ_t = p(z_t | x),
//
// which stay between 0 and 1 where a backward likelihood would leave the range of numbers. A symbol outside
// the alphabet is a missing observation: it is summed over, B = 1 in every state. O(length · S²) time, O(length · S) memory
// where posteriors are needed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/base/run.h"
#include "mercer/kernels/generative/symbol_alphabet.h"

namespace mercer {

/// Expected numbers of starts in, passages between and symbols from every state, given strings.
struct HiddenMarkovCounts {
  HiddenMarkovCounts() = default;
  HiddenMarkovCounts(Index states, Index symbols);
  void add(const HiddenMarkovCounts& other);

  double log_likelihood = 0;
  std::vector<double> initial;
  std::vector<double> transitions;
  std::vector<double> emissions;
};

class HiddenMarkov {
 public:
  HiddenMarkov() = default;
  /// Rows of probabilities: π of S, A of S × S, B of S × |alphabet|; each row sums to 1.
  HiddenMarkov(SymbolAlphabet alphabet, std::vector<double> initial, std::vector<double> transitions,
               std::vector<double> emissions);

  Index states() const { return static_cast<Index>(initial_.size()); }
  const SymbolAlphabet& alphabet() const { return alphabet_; }
  const std::vector<double>& initial() const { return initial_; }
  const std::vector<double>& transitions() const { return transitions_; }
  const std::vector<double>& emissions() const { return emissions_; }

  /// p(symbol | state); 1 for code −1.
  double emission(std::size_t state, int code) const {
    return code < 0 ? 1.0
                    : emissions_[state * static_cast<std::size_t>(alphabet_.size()) + static_cast<std::size_t>(code)];
  }

  /// ln p(x); 0 for the empty string, −infinity where x is impossible.
  double log_likelihood(std::string_view text) const;
  /// Adds the expected counts given x; nothing is added where x is empty or impossible. Throws Stopped on the way.
  void add_counts(std::string_view text, HiddenMarkovCounts& counts, const Run& run) const;

  /// S + S² + S |alphabet|: the logits of π, A and B, row by row.
  Index score_size() const { return static_cast<Index>(initial_.size() + transitions_.size() + emissions_.size()); }
  /// score += ∇ ln p(x): expected counts less their row sums times the probabilities.
  void add_score(std::string_view text, std::span<double> score, const Run& run) const;
  /// For every component of the score the root of its information where states were seen: √(visits · probability) in
  /// strings of this (mean) length.
  std::vector<double> information_roots(double length) const;

  /// A string of so many symbols, drawn from the model.
  std::string draw(RandomStream& random, Index length) const;

  /// Expected visits of every state in the first `length` positions.
  std::vector<double> expected_visits(double length) const;

 private:
  SymbolAlphabet alphabet_;
  std::vector<double> initial_;
  std::vector<double> transitions_;
  std::vector<double> emissions_;
};

struct HiddenMarkovFitOptions {
  Index states = 3;
  int starts = 3;
  int max_iterations = 100;
  double tolerance = 1e-6;                 ///< on the gain of the log-likelihood per symbol in one step
  std::optional<std::uint64_t> seed = {};  ///< default: the run's
};

struct HiddenMarkovFit {
  HiddenMarkov model;
  std::vector<double> log_likelihoods;  ///< before every step of the start that was best
  bool converged = false;
};

/// Maximum likelihood by Baum and Welch's expectation-maximisation from seeded random starts; each runs ten steps, the best
/// goes on. The likelihood never falls. At the end every row is mixed with a ten-thousandth of the uniform distribution, so
/// that no string of known symbols is impossible. At most a million symbols are used, of strings in a seeded order. The same
/// bits for any number of threads.
HiddenMarkovFit fit_hidden_markov(std::span<const std::string_view> strings, const SymbolAlphabet& alphabet,
                                  const HiddenMarkovFitOptions& options, const Run& run);

}  // namespace mercer
