// Probability products of hidden Markov models, one fitted to every string by EM: the probability that both models emit the
// same string of T symbols,
//
//   k(x, y) = Σ_{u of length T} p_x(u) p_y(u),
//
// by a forward recursion over pairs of states, φ ← (Aᵀ φ A') ∘ Ψ with Ψ_ss' = Σ_a B_sa B'_s'a, scaled at every position.
// O(T · states³) per pair. The probability falls geometrically with T, below the smallest number for some hundred symbols;
// values=normalized divides by √(k(x, x) k(y, y)) in logarithms. The empty string has no model, and k = 0 with all.
// Reference: Jebara, Kondor & Howard (2004), section 5.
#include <cmath>

#include "mercer/base/parallel.h"
#include "mercer/kernels/generative/hidden_markov_parameters.h"
#include "mercer/kernels/generative/probability_product.h"
#include "mercer/kernels/nodes/object_node.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

struct EncodedModels {
  std::vector<HiddenMarkov> models;  // without states: the empty string
  std::vector<double> log_diagonal;  // ln k(x, x) where values are normalised, otherwise 0
};

// to = Aᵀ φ A' for s × s matrices
void pass_pairs(const HiddenMarkov& x, const HiddenMarkov& y, const std::vector<double>& from,
                std::vector<double>& half, std::vector<double>& to) {
  const auto s = static_cast<std::size_t>(x.states());
  std::fill(half.begin(), half.end(), 0.0);
  std::fill(to.begin(), to.end(), 0.0);
  for (std::size_t i = 0; i < s; ++i) {
    for (std::size_t j = 0; j < s; ++j) {
      for (std::size_t b = 0; b < s; ++b) {
        half[i * s + b] += from[i * s + j] * y.transitions()[j * s + b];
      }
    }
    for (std::size_t a = 0; a < s; ++a) {
      for (std::size_t b = 0; b < s; ++b) {
        to[a * s + b] += x.transitions()[i * s + a] * half[i * s + b];
      }
    }
  }
}

// Ψ: the probability that two states emit the same symbol.
std::vector<double> shared_emissions(const HiddenMarkov& x, const HiddenMarkov& y) {
  const auto s = static_cast<std::size_t>(x.states());
  std::vector<double> shared(s * s, 0.0);
  for (const double symbol : x.alphabet().symbols()) {
    const char c = static_cast<char>(static_cast<unsigned char>(symbol));
    const int code = y.alphabet().code(c);
    for (std::size_t a = 0; a < s && code >= 0; ++a) {
      for (std::size_t b = 0; b < s; ++b) {
        shared[a * s + b] += x.emission(a, x.alphabet().code(c)) * y.emission(b, code);
      }
    }
  }
  return shared;
}

class ProbabilityProductHmmNode final : public ObjectNode<EncodedModels> {
 public:
  ProbabilityProductHmmNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ObjectNode(entry, std::move(parameters), std::move(children)),
        states_(static_cast<Index>(this->parameters().number_or("states", 2))),
        length_(static_cast<int>(this->parameters().number_or("length", 10))),
        normalized_(this->parameters().word("values") == "normalized") {
    if (length_ > 1000) {
      reject_argument(entry.name + ": length", length_, "at most 1000: longer strings hardly ever agree");
    }
    require_storable(*this, std::pow(static_cast<double>(states_), 2), "choose fewer states");
  }

  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  EncodedModels encode(const Samples& samples, const EncodedModels* /*reference*/, const Run& run) const override {
    require_strings(entry().name, samples);
    require_passable(*this, samples, 10 * states_);
    EncodedModels encoded{std::vector<HiddenMarkov>(samples.size()), std::vector<double>(samples.size(), 0.0)};
    parallel_for(run, samples.size(), "hidden Markov models", [&](Index i) {
      const std::string_view text = string_at(samples, i);
      if (!text.empty()) {
        const std::string_view one[1] = {text};
        const SymbolAlphabet alphabet = SymbolAlphabet::of(entry().name, samples.slice({i, i + 1}));
        HiddenMarkov& model = encoded.models[i];
        // The model of a string may depend on nothing but the string: a seed of its own, whatever the run's.
        model = fit_hidden_markov(one, alphabet, {.states = states_, .max_iterations = 50, .seed = 0}, run).model;
        if (normalized_) {
          encoded.log_diagonal[i] = log_value(model, model);
        }
      }
    });
    return encoded;
  }

  double value(const EncodedModels& xs, Index i, const EncodedModels& ys, Index j) const override {
    const HiddenMarkov& x = xs.models[i];
    const HiddenMarkov& y = ys.models[j];
    if (x.states() == 0 || y.states() == 0) {
      return 0;
    }
    return std::exp(log_value(x, y) - 0.5 * (xs.log_diagonal[i] + ys.log_diagonal[j]));
  }

 private:
  // −infinity where the models share no string.
  double log_value(const HiddenMarkov& x, const HiddenMarkov& y) const {
    const std::vector<double> shared = shared_emissions(x, y);
    const auto s = static_cast<std::size_t>(states_);
    std::vector<double> pairs(s * s);
    std::vector<double> half(s * s);
    std::vector<double> next(s * s);
    for (std::size_t e = 0; e < s * s; ++e) {
      pairs[e] = x.initial()[e / s] * y.initial()[e % s] * shared[e];
    }
    double sum = 0;
    for (int t = 1;; ++t) {
      double scale = 0;
      for (const double pair : pairs) {
        scale += pair;
      }
      if (!(scale > 0)) {
        return -HUGE_VAL;
      }
      sum += std::log(scale);
      if (t == length_) {
        return sum;
      }
      pass_pairs(x, y, pairs, half, next);
      for (std::size_t e = 0; e < s * s; ++e) {
        pairs[e] = next[e] * shared[e] / scale;
      }
    }
  }

  Index states_;
  int length_;
  bool normalized_;
};

}  // namespace

const KernelEntry& probability_product_hmm_entry() {
  static const KernelEntry entry{
      .name = "probability_product_hmm",
      .formula = "sum over strings u of the given length of p_x(u) p_y(u), p_x a hidden Markov model fitted to x",
      .summary = "the probability that hidden Markov models fitted to two strings emit the same string",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = {{.name = "states",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "2",
                      .meaning = "number of hidden states of every model"},
                     {.name = "length",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "10",
                      .meaning = "length of the emitted strings that are compared"},
                     {.name = "values",
                      .role = ParameterRole::word,
                      .default_text = "probability",
                      .meaning = "probability, 0 below 1e-308, or normalized: divided by the root of k(x,x) k(y,y), in "
                                 "range for any length",
                      .words = {"probability", "normalized"}}},
      .make = make_node<ProbabilityProductHmmNode>,
      .examples = {"probability_product_hmm(states=2, length=4)", "probability_product_hmm(states=1, length=2)",
                   "probability_product_hmm(states=2, length=30, values=normalized)",
                   "normalize(probability_product_hmm(states=2, length=10))"}};
  return entry;
}

}  // namespace mercer
