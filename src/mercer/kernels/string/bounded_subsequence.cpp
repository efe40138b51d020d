#include "mercer/kernels/string/bounded_subsequence.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/kmers.h"
#include "mercer/kernels/string/named_keys.h"
#include "mercer/kernels/string/string_samples.h"
#include "mercer/kernels/string/symbol_rows.h"

namespace mercer {

namespace {

constexpr double most_subsequence_features = 1e8;
constexpr double longest_subsequence = 256;
constexpr double largest_gap = 1e6;
constexpr std::size_t widest_gap = 10000;  // g (g + 1) ≤ 1e8

// Walks through the occurrences of a string's subsequences. Symbols that equal nothing are skipped like others, but
// never used.
class BoundedOccurrences {
 public:
  BoundedOccurrences(const Alphabet& alphabet, std::string_view text, std::size_t length, std::size_t gap)
      : symbols_(read_symbols(alphabet, text, StringSide::left)), length_(length), gap_(gap) {
    const std::vector<std::uint64_t> other = read_symbols(alphabet, text, StringSide::right);
    known_.resize(symbols_.size());
    for (std::size_t at = 0; at < symbols_.size(); ++at) {
      known_[at] = symbols_[at] == other[at];
    }
  }

  std::size_t size() const { return symbols_.size(); }

  /// f(key, places) for every occurrence.
  template <class F>
  void for_each(F f) {
    places_.clear();
    for (std::size_t first = 0; first < symbols_.size(); ++first) {
      go_on(first, first + length_ + gap_, mixed_bits(length_), f);
    }
  }

 private:
  // Uses symbol `at`; the rest must end before `end` and leave room for what is still missing.
  template <class F>
  void go_on(std::size_t at, std::size_t end, std::uint64_t key, F& f) {
    if (!known_[at]) {
      return;
    }
    places_.push_back(at);
    key = joined_key(key, symbols_[at]);
    const std::size_t missing = length_ - places_.size();
    if (missing == 0) {
      f(key, places_);
    } else {
      for (std::size_t next = at + 1; next + missing <= end && next + missing <= symbols_.size(); ++next) {
        go_on(next, end, key, f);
      }
    }
    places_.pop_back();
  }

  std::vector<std::uint64_t> symbols_;
  std::vector<bool> known_;
  std::size_t length_;
  std::size_t gap_;
  std::vector<std::size_t> places_;
};

class BoundedSubsequenceNode final : public ExplicitNode {
 public:
  BoundedSubsequenceNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ExplicitNode(entry, std::move(parameters), std::move(children)),
        length_(bounded("n", 3, longest_subsequence)),
        gap_(bounded("max_gap", 3, largest_gap)),
        alphabet_(this->parameters()) {
    const double decay = this->parameters().number_or("decay", 0.5);
    const auto used = this->parameters().word("weighting") == "excess" ? length_ : std::size_t{0};
    // A string that check() passes has no wider ones: from two symbols on, it has more than gap²/2 occurrences.
    const std::size_t widest = length_ == 1 ? 0 : std::min(gap_, widest_gap);
    for (std::size_t span = length_; span <= length_ + widest; ++span) {
      of_span_.push_back(std::pow(decay, static_cast<double>(span - used)));
    }
  }

  // The number of continuations bounds the recursion: n and g that pass here are small, or the strings are.
  void check(const Samples& samples) const override {
    alphabet_.require(entry().name, samples);
    for (Index i = 0; i < samples.size(); ++i) {
      const double most = most_occurrences(symbol_count(alphabet_, string_at(samples, i)));
      if (most > most_subsequence_features) {
        throw InvalidArgument("bounded_subsequence: string " + std::to_string(i) + " (counted from 0) may have " +
                              shortest(most) +
                              " or more occurrences of subsequences, 1e8 are allowed; take a smaller n or max_gap, or "
                              "subsequence, whose cost does not grow with the gaps");
      }
    }
  }

  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    occurrences(samples, i, [&](std::uint64_t key, const std::vector<std::size_t>& places) {
      out.add(key, of_span_[places.back() - places.front() + 1 - length_]);
    });
  }

  std::string feature_name(const Samples& samples, Index i, std::uint64_t key) const override {
    return feature_names(samples, i, std::span<const std::uint64_t>(&key, 1)).front();
  }

  std::vector<std::string> feature_names(const Samples& samples, Index i,
                                         std::span<const std::uint64_t> keys) const override {
    NamedKeys named(keys);
    const std::string_view text = string_at(samples, i);
    const SymbolPlaces bytes(alphabet_, text);
    occurrences(samples, i, [&](std::uint64_t own, const std::vector<std::size_t>& places) {
      std::string* const name = named.unnamed(own);
      if (name == nullptr) {
        return;
      }
      for (const std::size_t at : places) {
        const auto begin = static_cast<std::size_t>(bytes.begin(at));
        const std::string_view symbol = text.substr(begin, static_cast<std::size_t>(bytes.end(at)) - begin);
        const bool word = alphabet_.kind() == AlphabetKind::words;
        *name += word && !name->empty() ? " " : "";
        *name += word ? std::string(symbol) : std::string(1, alphabet_.letter(alphabet_.code(symbol[0])));
      }
    });
    return named.names([&](std::uint64_t key) { return ExplicitNode::feature_name(samples, i, key); });
  }

  void append_places(const Samples& samples, Index i, const void* /*learnt*/,
                     std::vector<FeaturePlace>& out) const override {
    const SymbolPlaces bytes(alphabet_, string_at(samples, i));
    occurrences(samples, i, [&](std::uint64_t key, const std::vector<std::size_t>& places) {
      out.push_back({key, bytes.begin(places.front()), bytes.end(places.back())});
    });
  }

 private:
  // At most, while below the limit: Σ over the first symbol's places of C(n − 1 + g, g), g gaps being possible in all.
  double most_occurrences(std::size_t symbols) const {
    if (symbols < length_) {
      return 0;
    }
    const std::size_t gap = std::min(gap_, symbols - length_);
    auto count = static_cast<double>(symbols - length_ + 1);
    for (std::size_t skipped = 1; skipped <= gap && count <= most_subsequence_features; ++skipped) {
      count *= static_cast<double>(length_ - 1 + skipped) / static_cast<double>(skipped);
    }
    return count;
  }

  std::size_t bounded(const char* name, double fallback, double most) const {
    const double value = parameters().number_or(name, fallback);
    if (value > most) {
      reject_argument(entry().name + ": " + name, value, "at most " + std::to_string(static_cast<int>(most)));
    }
    return static_cast<std::size_t>(value);
  }

  template <class F>
  void occurrences(const Samples& samples, Index i, F f) const {
    BoundedOccurrences walk(alphabet_, string_at(samples, i), length_, gap_);
    if (walk.size() >= length_) {
      walk.for_each(f);
    }
  }

  std::size_t length_;
  std::size_t gap_;
  Alphabet alphabet_;
  std::vector<double> of_span_;  ///< λ^span, from span n on
};

}  // namespace

const KernelEntry& bounded_subsequence_entry() {
  static const KernelEntry entry{
      .name = "bounded_subsequence",
      .formula = "sum over common subsequences of n symbols that skip at most max_gap of decay^(span in x + span in y)",
      .summary = "subsequence with few gaps: explicit features, linear cost in the lengths",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = {{.name = "n",
                      .aliases = {"length"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "3",
                      .meaning = "symbols of a subsequence"},
                     {.name = "decay",
                      .aliases = {"lambda"},
                      .role = ParameterRole::number,
                      .default_text = "0.5",
                      .meaning = "factor per spanned symbol, usually at most 1"},
                     {.name = "max_gap",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .default_text = "3",
                      .meaning = "symbols that an occurrence may skip in all"},
                     {.name = "weighting",
                      .role = ParameterRole::word,
                      .default_text = "span",
                      .meaning = "span: every spanned symbol decays; excess: only the gaps do",
                      .words = {"span", "excess"}},
                     alphabet_parameter()},
      .make = make_node<BoundedSubsequenceNode>,
      .examples = {"bounded_subsequence(n=2, decay=0.8, max_gap=2)",
                   "normalize(bounded_subsequence(n=3, max_gap=1, weighting=excess, alphabet=dna))"}};
  return entry;
}

}  // namespace mercer
