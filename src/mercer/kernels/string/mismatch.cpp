#include "mercer/kernels/string/mismatch.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/kmers.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

// Features of one substring, and of one string, beyond which the kernel is refused.
constexpr double most_neighbors = 1e4;
constexpr double most_mismatch_features = 1e8;
// Up to so many strings of length k, a string's features are counted in an array of them all.
constexpr std::uint64_t most_counters = std::uint64_t{1} << 22;

// Σ_{j<=m} C(k, j) (letters - 1)^j, as far as it stays below 10^300.
double neighborhood_size(std::size_t k, std::size_t m, int letters) {
  double size = 1;
  double term = 1;
  for (std::size_t j = 1; j <= std::min(k, m) && size < 1e290; ++j) {
    term *= static_cast<double>(k - j + 1) / static_cast<double>(j) * (letters - 1);
    size += term;
  }
  return size;
}

class MismatchNode final : public ExplicitNode {
 public:
  MismatchNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ExplicitNode(entry, std::move(parameters), std::move(children)),
        kmers_(Alphabet(this->parameters()), length_of(this->parameters(), "k", 4),
               strands_of(entry.name, this->parameters(), Alphabet(this->parameters()))),
        mismatches_(std::min(length_of(this->parameters(), "m", 1), kmers_.length())) {
    if (!this->parameters().resolved()) {
      return;  // a search decides; nothing is evaluated before
    }
    if (!kmers_.is_packed()) {
      throw InvalidArgument(entry.name + ": k must be at most " + std::to_string(kmers_.alphabet().longest_packed()) +
                            " for this alphabet");
    }
    neighbors_ = neighborhood_size(kmers_.length(), mismatches_, kmers_.alphabet().letters());
    if (neighbors_ > most_neighbors) {
      throw InvalidArgument(entry.name + ": a substring of length k = " + std::to_string(kmers_.length()) +
                            " has more than 10000 neighbours with m = " + std::to_string(mismatches_) +
                            " mismatches; take a smaller m, or gapped_kmer, which does without them");
    }
  }

  void check(const Samples& samples) const override { kmers_.alphabet().require(entry().name, samples); }

  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    std::vector<std::uint64_t> found;
    kmers_.for_each_strand(string_at(samples, i), [&](std::uint64_t forward, std::uint64_t /*reverse*/,
                                                      std::size_t /*at*/) { found.push_back(forward); });
    std::sort(found.begin(), found.end());
    const double features = static_cast<double>(found.size()) * neighbors_;
    const int bits = kmers_.alphabet().bits() * static_cast<int>(kmers_.length());
    const std::uint64_t mark = std::uint64_t{1} << bits;
    const bool use_counters = mark <= most_counters && features > static_cast<double>(mark);
    if (!use_counters && features > most_mismatch_features) {
      throw DataError(entry().name + ": row " + std::to_string(i) + " (counted from 0) has " +
                      std::to_string(found.size()) + " substrings and more than 10^8 features; take a smaller m");
    }
    std::vector<double> counters(use_counters ? mark : 0, 0.0);
    const auto add = [&](std::uint64_t key, double count) {
      if (use_counters) {
        counters[key - mark] += count;
      } else {
        out.add(key, count);
      }
    };
    for (std::size_t at = 0; at < found.size();) {
      const std::size_t first = at;
      while (at < found.size() && found[at] == found[first]) {
        ++at;
      }
      visit_neighbors(found[first], 0, mismatches_,
                      [&](std::uint64_t key) { add(canonical(key), static_cast<double>(at - first)); });
    }
    for (std::uint64_t code = 0; code < counters.size(); ++code) {
      if (counters[code] > 0) {
        out.add(mark + code, counters[code]);
      }
    }
  }

  void append_places(const Samples& samples, Index i, const void* /*learnt*/,
                     std::vector<FeaturePlace>& out) const override {
    kmers_.for_each_strand(string_at(samples, i), [&](std::uint64_t forward, std::uint64_t /*reverse*/,
                                                      std::size_t at) {
      visit_neighbors(forward, 0, mismatches_, [&](std::uint64_t key) {
        out.push_back({canonical(key), static_cast<std::int64_t>(at), static_cast<std::int64_t>(at + kmers_.length())});
      });
    });
  }

  std::string feature_name(const Samples& /*samples*/, Index /*i*/, std::uint64_t key) const override {
    const Alphabet& alphabet = kmers_.alphabet();
    std::string name;
    for (int place = static_cast<int>(kmers_.length()) - 1; place >= 0; --place) {
      name += alphabet.letter(static_cast<int>((key >> (place * alphabet.bits())) & symbol_mask()));
    }
    return name;
  }

 private:
  std::uint64_t symbol_mask() const { return (std::uint64_t{1} << kmers_.alphabet().bits()) - 1; }

  // The smaller of a key and that of its reverse complement, where both strands count as one.
  std::uint64_t canonical(std::uint64_t key) const {
    if (kmers_.strands() == Strands::one) {
      return key;
    }
    std::uint64_t reverse = 1;
    for (std::size_t place = 0; place < kmers_.length(); ++place) {
      reverse = (reverse << 2) | (3 - ((key >> (2 * place)) & 3));
    }
    return std::min(key, reverse);
  }

  // Calls visit for `key` and for every key that differs in 1 … `left` of the places from `first` on, each once.
  template <class Visit>
  void visit_neighbors(std::uint64_t key, std::size_t first, std::size_t left, const Visit& visit) const {
    visit(key);
    if (left == 0) {
      return;
    }
    const int bits = kmers_.alphabet().bits();
    for (std::size_t place = first; place < kmers_.length(); ++place) {
      const int shift = bits * static_cast<int>(place);
      const std::uint64_t own = (key >> shift) & symbol_mask();
      const std::uint64_t rest = key & ~(symbol_mask() << shift);
      for (std::uint64_t other = 0; other < static_cast<std::uint64_t>(kmers_.alphabet().letters()); ++other) {
        if (other != own) {
          visit_neighbors(rest | (other << shift), place + 1, left - 1, visit);
        }
      }
    }
  }

  Kmers kmers_;
  std::size_t mismatches_;
  double neighbors_ = 1;
};

}  // namespace

const KernelEntry& mismatch_entry() {
  static const KernelEntry entry{
      .name = "mismatch",
      .formula =
          "sum over strings s of length k of n_s(x) n_s(y), n_s(x) = substrings of x that differ from s in at "
          "most m places",
      .summary = "substrings of one length that may differ in a few places",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = {{.name = "k",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "4",
                      .meaning = "length of the substrings"},
                     {.name = "m",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .default_text = "1",
                      .meaning = "places in which a substring may differ"},
                     alphabet_parameter({"bytes", "dna", "protein"}, "dna"),
                     strands_parameter()},
      .make = make_node<MismatchNode>,
      .examples = {"mismatch(k=3, m=1)", "normalize(mismatch(k=3, m=2, alphabet=protein))",
                   "mismatch(k=4, m=1, reverse_complement=yes)"}};
  return entry;
}

}  // namespace mercer
