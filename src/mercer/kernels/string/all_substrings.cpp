#include "mercer/kernels/string/all_substrings.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/narrowed.h"
#include "mercer/kernels/nodes/composite_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/alphabet.h"
#include "mercer/kernels/string/string_samples.h"
#include "mercer/kernels/string/suffix_automaton.h"

namespace mercer {

namespace {

constexpr std::size_t longest_string = std::size_t{1} << 28;
constexpr std::size_t symbols_between_polls = std::size_t{1} << 16;
constexpr std::uint8_t unknown_code = 255;

// A sample set as symbols: codes of characters, or keys of words; and w_1 + … + w_n for every length n that occurs.
struct SubstringRows {
  std::vector<std::uint8_t> codes;
  std::vector<std::uint64_t> words;
  std::vector<std::size_t> offsets = {0};
  std::vector<double> totals;
  Run run;  // of the samples' preparation: long tiles ask it whether to stop

  template <class Symbol>
  std::span<const Symbol> row(Index i) const {
    const std::size_t begin = offsets[i];
    const std::size_t length = offsets[i + 1] - begin;
    if constexpr (sizeof(Symbol) == 1) {
      return std::span(codes).subspan(begin, length);
    } else {
      return std::span(words).subspan(begin, length);
    }
  }
};

// Numbers 0, 1, … for the symbols of one string; -1 for all others.
template <class Symbol>
class SymbolNumbers;

template <>
class SymbolNumbers<std::uint8_t> {
 public:
  SymbolNumbers() { std::fill(std::begin(numbers_), std::end(numbers_), -1); }
  std::int32_t add(std::uint8_t symbol) {
    std::int32_t& number = numbers_[symbol];
    number = number < 0 ? size_++ : number;
    return number;
  }
  /// An unknown symbol of one string is not that of another.
  void forget(std::uint8_t symbol) { numbers_[symbol] = -1; }
  std::int32_t operator[](std::uint8_t symbol) const { return numbers_[symbol]; }
  std::int32_t size() const { return size_; }

 private:
  std::int32_t numbers_[256] = {};
  std::int32_t size_ = 0;
};

template <>
class SymbolNumbers<std::uint64_t> {
 public:
  std::int32_t add(std::uint64_t symbol) {
    return numbers_.emplace(symbol, static_cast<std::int32_t>(numbers_.size())).first->second;
  }
  std::int32_t operator[](std::uint64_t symbol) const {
    const auto found = numbers_.find(symbol);
    return found == numbers_.end() ? -1 : found->second;
  }
  std::int32_t size() const { return static_cast<std::int32_t>(numbers_.size()); }

 private:
  std::unordered_map<std::uint64_t, std::int32_t> numbers_;
};

// One string ready to be compared with any number of others.
template <class Symbol>
class SubstringIndex {
 public:
  SubstringIndex(std::span<const Symbol> symbols, std::span<const double> totals, AlphabetKind alphabet, const Run& run)
      : automaton_(automaton_of(symbols, totals, alphabet, run)) {}

  // Σ_s w_|s| count_s(x) count_s(y): every substring of y that x has is a suffix of what was read up to its last symbol.
  double sum(std::span<const Symbol> y, const Run& run) const {
    double sum = 0;
    SuffixAutomaton::Walk walk;
    for (std::size_t begin = 0; begin < y.size(); begin += symbols_between_polls) {
      run.check_stop();
      for (const Symbol symbol : y.subspan(begin, std::min(symbols_between_polls, y.size() - begin))) {
        automaton_.read(walk, numbers_[symbol]);
        sum += automaton_.weighted_occurrences(walk);
      }
    }
    return sum;
  }

 private:
  // Fills numbers_, which stands before automaton_.
  SuffixAutomaton automaton_of(std::span<const Symbol> symbols, std::span<const double> totals, AlphabetKind alphabet,
                               const Run& run) {
    std::vector<std::int32_t> numbered;
    numbered.reserve(symbols.size());
    for (const Symbol symbol : symbols) {
      numbered.push_back(numbers_.add(symbol));
    }
    if constexpr (sizeof(Symbol) == 1) {
      if (alphabet != AlphabetKind::bytes) {
        numbers_.forget(unknown_code);
      }
    }
    return {numbered, numbers_.size(), totals, run};
  }

  SymbolNumbers<Symbol> numbers_;
  SuffixAutomaton automaton_;
};

class AllSubstringsNode final : public TemplatedTile<AllSubstringsNode> {
 public:
  AllSubstringsNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : TemplatedTile(entry, std::move(parameters), std::move(children)),
        alphabet_(this->parameters()),
        decay_(decay_of(entry.name, this->parameters(), 0.5)),
        shortest_(length_of(this->parameters(), "min_length", 1)),
        longest_(length_of(this->parameters(), "max_length", 1e15)) {
    if (const Parameter* listed = this->parameters().find("weights")) {
      weights_ = listed->value.numbers;
    }
    if (this->parameters().resolved() && shortest_ > longest_) {
      throw InvalidArgument(entry.name + ": min_length = " + std::to_string(shortest_) +
                            ": must be at most max_length = " + std::to_string(longest_));
    }
  }

  Definiteness definiteness() const override { return Definiteness::positive(); }
  void request(KernelPreparation& /*preparation*/) const override {}
  void complete(KernelPreparation& preparation) const override {
    const Samples& samples = preparation.target().samples();
    alphabet_.require(entry().name, samples);
    auto rows = std::make_shared<SubstringRows>();
    rows->run = preparation.run().stop_only();
    std::size_t longest = 0;
    for (Index i = 0; i < samples.size(); ++i) {
      add_symbols(string_at(samples, i), *rows);
      const std::size_t length = rows->codes.size() + rows->words.size() - rows->offsets.back();
      if (length > longest_string) {
        throw DataError(entry().name + ": row " + std::to_string(i) + " (counted from 0) has " +
                        std::to_string(length) + " symbols; strings of up to 2^28 are compared");
      }
      longest = std::max(longest, length);
      rows->offsets.push_back(rows->codes.size() + rows->words.size());
    }
    require_memory(longest, preparation.run().threads());
    rows->totals = weight_totals(longest);
    preparation.keep(*this, rows);
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    const auto& rows = x.slot<SubstringRows>(*this);
    for (Index i = range.begin; i < range.end; ++i) {
      k[i - range.begin] = is_words() ? self_value<std::uint64_t>(rows, i) : self_value<std::uint8_t>(rows, i);
    }
  }
  // The decay is a fixed number: nothing to differentiate.
  void contract(TileContext<double>& /*context*/, ConstMatrixView<double> /*q*/,
                std::span<double> /*gradient*/) const override {}
  void contract_diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<const double> /*q*/,
                         std::span<double> /*gradient*/) const override {}
  bool has_costly_pairs() const override { return true; }
  bool computes_in_double() const override { return true; }
  bool has_input_derivatives() const override { return false; }

 private:
  friend TemplatedTile;

  bool is_words() const { return alphabet_.kind() == AlphabetKind::words; }

  // Every thread compares with an index of its own.
  void require_memory(std::size_t longest, int threads) const {
    const std::size_t letters = is_words() ? longest : std::min(longest, static_cast<std::size_t>(alphabet_.letters()));
    const double needed =
        threads * (SuffixAutomaton::most_bytes(longest, letters) + static_cast<double>(longest * sizeof(std::int32_t)));
    if (needed > allowed_memory(0)) {
      throw DataError(entry().name + ": the longest string has " + std::to_string(longest) +
                      " symbols, whose index takes up to " + std::to_string(std::llround(needed / bytes_per_megabyte)) +
                      " MB with " + std::to_string(threads) +
                      " threads, more than half of the memory of this machine (" +
                      std::to_string(std::llround(allowed_memory(0) / bytes_per_megabyte)) +
                      " MB); cut the strings, take fewer threads, or blended_spectrum, which counts short substrings");
    }
  }

  void add_symbols(std::string_view text, SubstringRows& rows) const {
    if (is_words()) {
      for (const std::string_view word : words_of(text)) {
        rows.words.push_back(text_key(word));
      }
      return;
    }
    for (const char c : text) {
      const int code = alphabet_.code(c);
      rows.codes.push_back(code < 0 ? unknown_code : static_cast<std::uint8_t>(code));
    }
  }

  // w_1 + … + w_n for n = 0 … length. Powers are formed by products, which underflow to 0 where they should. Lengths
  // beyond a list of weights count nothing.
  std::vector<double> weight_totals(std::size_t length) const {
    std::vector<double> totals(length + 1, 0.0);
    double power = 1;
    for (std::size_t n = 1; n <= length; ++n) {
      power *= decay_;
      const double weight = weights_.empty() ? power : n <= weights_.size() ? weights_[n - 1] : 0.0;
      totals[n] = totals[n - 1] + (n >= shortest_ && n <= longest_ ? weight : 0.0);
    }
    return totals;
  }

  template <class Symbol>
  double self_value(const SubstringRows& rows, Index i) const {
    rows.run.check_stop();
    return SubstringIndex<Symbol>(rows.row<Symbol>(i), rows.totals, alphabet_.kind(), rows.run)
        .sum(rows.row<Symbol>(i), rows.run);
  }

  // The rows are indexed, the columns are read, whatever the shape of the tile: the last bits of a value depend on which
  // of both strings is read.
  template <class Symbol, class T>
  void fill_symbols(TileContext<T>& context, MatrixView<T> k) const {
    const auto& x = context.x().template slot<SubstringRows>(*this);
    const auto& y = context.y().template slot<SubstringRows>(*this);
    // A tile on the diagonal of a Gram matrix needs only one of each two pairs.
    const bool symmetric =
        &x == &y && context.rows().begin == context.columns().begin && context.row_count() == context.column_count();
    for (Index i = 0; i < context.row_count(); ++i) {
      const Index row = context.rows().begin + i;
      const SubstringIndex<Symbol> index(x.template row<Symbol>(row), x.totals, alphabet_.kind(), x.run);
      for (Index j = symmetric ? i : 0; j < context.column_count(); ++j) {
        const Index column = context.columns().begin + j;
        k(i, j) = narrowed<T>(index.sum(y.template row<Symbol>(column), x.run), *this, row, column);
        if (symmetric) {
          k(j, i) = k(i, j);
        }
      }
    }
  }

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    if (is_words()) {
      fill_symbols<std::uint64_t>(context, k);
    } else {
      fill_symbols<std::uint8_t>(context, k);
    }
  }

  Alphabet alphabet_;
  double decay_;
  std::size_t shortest_;
  std::size_t longest_;
  std::vector<double> weights_;
};

}  // namespace

const KernelEntry& all_substrings_entry() {
  static const KernelEntry entry{
      .name = "all_substrings",
      .formula = "sum over strings s with min_length <= |s| <= max_length of decay^|s| count_s(x) count_s(y)",
      .summary = "substrings of all lengths, weighted by length, in time linear in the strings",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = {{.name = "decay",
                      .aliases = {"lambda"},
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive,
                      .default_text = "0.5",
                      .meaning = "weight of one more symbol, at most 1 (1: every length counts alike)"},
                     {.name = "min_length",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "1",
                      .meaning = "least length of the substrings"},
                     {.name = "max_length",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .meaning = "greatest length of the substrings (default: no limit)"},
                     {.name = "weights",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative,
                      .meaning = "weight of each length 1, 2, ..., instead of the powers of decay; 0 beyond the list",
                      .may_be_list = true},
                     alphabet_parameter()},
      .make = make_node<AllSubstringsNode>,
      .examples = {"all_substrings()", "normalize(all_substrings(decay=1))",
                   "all_substrings(decay=0.8, min_length=2, max_length=4, alphabet=dna)",
                   "all_substrings(weights=[0, 1, 0.5])", "all_substrings(alphabet=words)"}};
  return entry;
}

}  // namespace mercer
