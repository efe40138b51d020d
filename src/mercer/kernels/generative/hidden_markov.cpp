#include "mercer/kernels/generative/hidden_markov.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

// Scaled forward variables a_t(i) = p(z_t = i | x_1 … x_t), position by position, and the scales p(x_t | x_1 … x_{t−1}).
struct ForwardPass {
  std::vector<double> posteriors;
  std::vector<double> scales;
};

// Below the smallest normal number a quotient may overflow; times a number as small, this is finite.
constexpr double largest_ratio = std::numeric_limits<double>::max();

// A string may be long: asks now and then whether to go on.
void poll(const Run& run, std::size_t t) {
  if (t % 4096 == 0) {
    run.check_stop();
  }
}

// next(i) = Σ_j last(j) A_ji
void propagate(const HiddenMarkov& model, const double* last, double* next) {
  const auto s = static_cast<std::size_t>(model.states());
  for (std::size_t i = 0; i < s; ++i) {
    next[i] = 0;
  }
  for (std::size_t j = 0; j < s; ++j) {
    for (std::size_t i = 0; i < s; ++i) {
      next[i] += last[j] * model.transitions()[j * s + i];
    }
  }
}

// current(i) ← current(i) B_i(code)/scale; returns the scale.
double observe(const HiddenMarkov& model, int code, double* current) {
  const auto s = static_cast<std::size_t>(model.states());
  double scale = 0;
  for (std::size_t i = 0; i < s; ++i) {
    current[i] *= model.emission(i, code);
    scale += current[i];
  }
  for (std::size_t i = 0; i < s && scale > 0; ++i) {
    current[i] /= scale;
  }
  return scale;
}

ForwardPass forward(const HiddenMarkov& model, std::string_view text, const Run& run) {
  const auto s = static_cast<std::size_t>(model.states());
  ForwardPass pass{std::vector<double>(text.size() * s), std::vector<double>(text.size())};
  for (std::size_t t = 0; t < text.size(); ++t) {
    poll(run, t);
    double* const current = pass.posteriors.data() + t * s;
    if (t == 0) {
      std::copy(model.initial().begin(), model.initial().end(), current);
    } else {
      propagate(model, current - s, current);
    }
    pass.scales[t] = observe(model, model.alphabet().code(text[t]), current);
    if (!(pass.scales[t] > 0)) {
      pass.scales.clear();  // impossible
      return pass;
    }
  }
  return pass;
}

// Σ_rows: score += counts − (row sum) · probabilities
void add_row_scores(std::span<const double> counts, std::span<const double> probabilities, std::size_t row_length,
                    std::span<double> score) {
  for (std::size_t row = 0; row < counts.size(); row += row_length) {
    double total = 0;
    for (std::size_t j = row; j < row + row_length; ++j) {
      total += counts[j];
    }
    for (std::size_t j = row; j < row + row_length; ++j) {
      score[j] += counts[j] - total * probabilities[j];
    }
  }
}

std::size_t drawn_from(std::span<const double> shares, RandomStream& random) {
  double left = random.uniform();
  std::size_t k = 0;
  while (k + 1 < shares.size() && left >= shares[k]) {
    left -= shares[k++];
  }
  return k;
}

}  // namespace

HiddenMarkovCounts::HiddenMarkovCounts(Index states, Index symbols)
    : initial(static_cast<std::size_t>(states), 0.0),
      transitions(static_cast<std::size_t>(states * states), 0.0),
      emissions(static_cast<std::size_t>(states * symbols), 0.0) {}

void HiddenMarkovCounts::add(const HiddenMarkovCounts& other) {
  const auto add_all = [](std::vector<double>& to, const std::vector<double>& from) {
    for (std::size_t j = 0; j < to.size(); ++j) {
      to[j] += from[j];
    }
  };
  log_likelihood += other.log_likelihood;
  add_all(initial, other.initial);
  add_all(transitions, other.transitions);
  add_all(emissions, other.emissions);
}

HiddenMarkov::HiddenMarkov(SymbolAlphabet alphabet, std::vector<double> initial, std::vector<double> transitions,
                           std::vector<double> emissions)
    : alphabet_(std::move(alphabet)),
      initial_(std::move(initial)),
      transitions_(std::move(transitions)),
      emissions_(std::move(emissions)) {}

double HiddenMarkov::log_likelihood(std::string_view text) const {
  std::vector<double> last = initial_;
  std::vector<double> current(last.size());
  double sum = 0;
  for (std::size_t t = 0; t < text.size(); ++t) {
    if (t > 0) {
      propagate(*this, last.data(), current.data());
      last.swap(current);
    }
    const double scale = observe(*this, alphabet_.code(text[t]), last.data());
    if (!(scale > 0)) {
      return -HUGE_VAL;
    }
    sum += std::log(scale);
  }
  return sum;
}

void HiddenMarkov::add_counts(std::string_view text, HiddenMarkovCounts& counts, const Run& run) const {
  const ForwardPass pass = forward(*this, text, run);
  if (pass.scales.empty()) {
    return;
  }
  const auto s = static_cast<std::size_t>(states());
  const auto symbols = static_cast<std::size_t>(alphabet_.size());
  std::vector<double> posterior(pass.posteriors.end() - static_cast<std::ptrdiff_t>(s), pass.posteriors.end());
  std::vector<double> predicted(s);  // p(z_t = j | x_1 … x_{t−1})
  for (std::size_t t = text.size(); t-- > 0;) {
    poll(run, t);
    const int code = alphabet_.code(text[t]);
    counts.log_likelihood += std::log(pass.scales[t]);
    for (std::size_t i = 0; i < s && code >= 0; ++i) {
      counts.emissions[i * symbols + static_cast<std::size_t>(code)] += posterior[i];
    }
    if (t == 0) {
      break;
    }
    const double* const before = pass.posteriors.data() + (t - 1) * s;
    propagate(*this, before, predicted.data());
    for (std::size_t j = 0; j < s; ++j) {
      // A state that nothing leads to has no posterior.
      posterior[j] = predicted[j] > 0 ? std::min(posterior[j] / predicted[j], largest_ratio) : 0.0;
    }
    for (std::size_t i = 0; i < s; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < s; ++j) {
        const double passage = before[i] * transitions_[i * s + j] * posterior[j];
        counts.transitions[i * s + j] += passage;
        sum += passage;
      }
      predicted[i] = sum;
    }
    posterior.swap(predicted);
  }
  for (std::size_t i = 0; i < s; ++i) {
    counts.initial[i] += posterior[i];
  }
}

void HiddenMarkov::add_score(std::string_view text, std::span<double> score, const Run& run) const {
  HiddenMarkovCounts counts(states(), alphabet_.size());
  add_counts(text, counts, run);
  const std::size_t s = initial_.size();
  add_row_scores(counts.initial, initial_, s, score.first(s));
  add_row_scores(counts.transitions, transitions_, s, score.subspan(s, s * s));
  add_row_scores(counts.emissions, emissions_, static_cast<std::size_t>(alphabet_.size()), score.subspan(s + s * s));
}

std::string HiddenMarkov::draw(RandomStream& random, Index length) const {
  const std::size_t s = initial_.size();
  const auto symbols = static_cast<std::size_t>(alphabet_.size());
  std::string text;
  std::size_t state = 0;
  for (Index t = 0; t < length; ++t) {
    state = drawn_from(t == 0 ? std::span(initial_) : std::span(transitions_).subspan(state * s, s), random);
    const std::size_t code = drawn_from(std::span(emissions_).subspan(state * symbols, symbols), random);
    text += static_cast<char>(static_cast<unsigned char>(alphabet_.symbols()[code]));
  }
  return text;
}

std::vector<double> HiddenMarkov::expected_visits(double length) const {
  std::vector<double> state = initial_;
  std::vector<double> next(state.size());
  std::vector<double> visits(state.size(), 0.0);
  // The chain forgets its start long before this many steps; the rest is spent in its last distribution.
  constexpr double most_steps = 10000;
  for (double t = 0; t < std::min(length, most_steps); ++t) {
    const double share = t + 1 >= most_steps ? length - t : std::min(1.0, length - t);
    for (std::size_t i = 0; i < state.size(); ++i) {
      visits[i] += share * state[i];
    }
    propagate(*this, state.data(), next.data());
    state.swap(next);
  }
  return visits;
}

std::vector<double> HiddenMarkov::information_roots(double length) const {
  const std::vector<double> emitting = expected_visits(length);
  const std::vector<double> leaving = expected_visits(std::max(0.0, length - 1));
  const std::size_t s = initial_.size();
  const auto symbols = static_cast<std::size_t>(alphabet_.size());
  std::vector<double> roots;
  for (const double probability : initial_) {
    roots.push_back(std::sqrt(probability));
  }
  for (std::size_t j = 0; j < s * s; ++j) {
    roots.push_back(std::sqrt(leaving[j / s] * transitions_[j]));
  }
  for (std::size_t j = 0; j < s * symbols; ++j) {
    roots.push_back(std::sqrt(emitting[j / symbols] * emissions_[j]));
  }
  return roots;
}

}  // namespace mercer
