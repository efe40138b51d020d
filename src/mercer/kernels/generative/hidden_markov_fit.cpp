// Expectation-maximisation for hidden Markov models: see hidden_markov.h.
#include <algorithm>
#include <cmath>

#include "mercer/base/parallel.h"
#include "mercer/kernels/generative/hidden_markov.h"

namespace mercer {

namespace {

constexpr std::size_t most_fitted_symbols = 1'000'000;
constexpr std::size_t symbols_per_em_block = 8192;
constexpr int steps_of_a_hidden_start = 10;
constexpr double uniform_share = 1e-4;
constexpr std::uint64_t hidden_markov_stream = 0x68696464656e;

// Rows in proportion to the counts; rows without any keep what they have.
std::vector<double> normalized_counts(const std::vector<double>& counts, const std::vector<double>& before,
                                      std::size_t row_length) {
  std::vector<double> rows = before;
  for (std::size_t row = 0; row < counts.size(); row += row_length) {
    double sum = 0;
    for (std::size_t j = row; j < row + row_length; ++j) {
      sum += counts[j];
    }
    for (std::size_t j = row; j < row + row_length && sum > 0; ++j) {
      rows[j] = counts[j] / sum;
    }
  }
  return rows;
}

std::vector<double> mixed_with_uniform(std::vector<double> rows, std::size_t row_length) {
  for (double& probability : rows) {
    probability = (1 - uniform_share) * probability + uniform_share / static_cast<double>(row_length);
  }
  return rows;
}

std::vector<double> random_rows(std::vector<double> centers, std::size_t row_length, RandomStream& random) {
  for (double& value : centers) {
    value *= 0.25 + random.uniform();
  }
  return normalized_counts(centers, centers, row_length);
}

// Shares of the symbols, the same in every state, times random factors.
HiddenMarkov random_start(std::span<const std::string_view> strings, const SymbolAlphabet& alphabet, Index states,
                          RandomStream& random) {
  std::vector<double> shares(alphabet.size(), 1.0);
  for (const std::string_view text : strings) {
    for (const char symbol : text) {
      if (const int code = alphabet.code(symbol); code >= 0) {
        shares[code] += 1;
      }
    }
  }
  const auto s = static_cast<std::size_t>(states);
  std::vector<double> emissions;
  for (std::size_t i = 0; i < s; ++i) {
    emissions.insert(emissions.end(), shares.begin(), shares.end());
  }
  return {alphabet, random_rows(std::vector<double>(s, 1.0), s, random),
          random_rows(std::vector<double>(s * s, 1.0), s, random), random_rows(emissions, shares.size(), random)};
}

// Strings of about as many symbols each; a long string is a block by itself.
std::vector<IndexRange> blocks_of_symbols(std::span<const std::string_view> strings) {
  std::vector<IndexRange> blocks;
  std::size_t symbols = symbols_per_em_block;
  for (std::size_t i = 0; i < strings.size(); ++i) {
    const auto at = static_cast<Index>(i);
    if (symbols >= symbols_per_em_block) {
      blocks.push_back({at, at});
      symbols = 0;
    }
    blocks.back().end = at + 1;
    symbols += strings[i].size() + 1;
  }
  return blocks;
}

HiddenMarkovCounts expected_counts(const HiddenMarkov& model, std::span<const std::string_view> strings,
                                   const Run& run) {
  const HiddenMarkovCounts zero(model.states(), model.alphabet().size());
  const std::vector<IndexRange> blocks = blocks_of_symbols(strings);
  std::vector<HiddenMarkovCounts> parts(blocks.size(), zero);
  parallel_for(run, static_cast<Index>(blocks.size()), [&](Index b) {
    const IndexRange range = blocks[b];
    for (Index i = range.begin; i < range.end; ++i) {
      model.add_counts(strings[i], parts[b], run);
    }
  });
  HiddenMarkovCounts total = zero;
  for (const HiddenMarkovCounts& part : parts) {
    total.add(part);
  }
  return total;
}

void run_hidden_steps(std::span<const std::string_view> strings, double symbols, double tolerance, int steps,
                      const Run& run, HiddenMarkovFit& fit) {
  const HiddenMarkov& model = fit.model;
  const auto s = static_cast<std::size_t>(model.states());
  for (int step = 0; step < steps && !fit.converged; ++step) {
    run.check_stop();
    const HiddenMarkovCounts counts = expected_counts(model, strings, run);
    fit.converged = !fit.log_likelihoods.empty() &&
                    counts.log_likelihood - fit.log_likelihoods.back() < tolerance * std::max(1.0, symbols);
    fit.log_likelihoods.push_back(counts.log_likelihood);
    if (!fit.converged) {
      fit.model = HiddenMarkov(
          model.alphabet(), normalized_counts(counts.initial, model.initial(), s),
          normalized_counts(counts.transitions, model.transitions(), s),
          normalized_counts(counts.emissions, model.emissions(), static_cast<std::size_t>(model.alphabet().size())));
    }
  }
}

// Whole strings in a seeded order until they have enough symbols; the last is cut.
std::vector<std::string_view> chosen_strings(std::span<const std::string_view> strings, RandomStream& random,
                                             double& symbols) {
  std::size_t total = 0;
  for (const std::string_view text : strings) {
    total += text.size();
  }
  symbols = static_cast<double>(std::min(total, most_fitted_symbols));
  if (total <= most_fitted_symbols) {
    return {strings.begin(), strings.end()};
  }
  std::vector<std::string_view> chosen;
  std::size_t left = most_fitted_symbols;
  for (const Index i : random_permutation(random, static_cast<Index>(strings.size()))) {
    chosen.push_back(strings[i].substr(0, left));
    left -= chosen.back().size();
    if (left == 0) {
      break;
    }
  }
  return chosen;
}

}  // namespace

HiddenMarkovFit fit_hidden_markov(std::span<const std::string_view> strings, const SymbolAlphabet& alphabet,
                                  const HiddenMarkovFitOptions& options, const Run& run) {
  RandomStream random(options.seed.value_or(run.seed()), hidden_markov_stream);
  double symbols = 0;
  const std::vector<std::string_view> chosen = chosen_strings(strings, random, symbols);
  HiddenMarkovFit best;
  const int starts = std::max(1, options.states == 1 ? 1 : options.starts);
  for (int start = 0; start < starts; ++start) {
    HiddenMarkovFit fit{random_start(chosen, alphabet, options.states, random), {}, false};
    run_hidden_steps(chosen, symbols, options.tolerance, std::clamp(options.max_iterations, 1, steps_of_a_hidden_start),
                     run, fit);
    if (start == 0 || fit.log_likelihoods.back() > best.log_likelihoods.back()) {
      best = std::move(fit);
    }
  }
  run_hidden_steps(chosen, symbols, options.tolerance, options.max_iterations - steps_of_a_hidden_start, run, best);
  const auto s = static_cast<std::size_t>(options.states);
  best.model = HiddenMarkov(alphabet, mixed_with_uniform(best.model.initial(), s),
                            mixed_with_uniform(best.model.transitions(), s),
                            mixed_with_uniform(best.model.emissions(), static_cast<std::size_t>(alphabet.size())));
  return best;
}

}  // namespace mercer
