#include "mercer/kernels/string/gapped_kmer.h"

#include <algorithm>

#include "mercer/base/error.h"
#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/kmers.h"
#include "mercer/kernels/string/named_keys.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

constexpr std::size_t most_patterns = 3000;

// A choice of places, as bits of their numbers (the last symbol is place 0) and as a mask of packed symbols; and the same
// choice seen from the other strand.
struct GapPattern {
  std::uint64_t places = 0;
  std::uint64_t mask = 0;
  std::uint64_t reverse_places = 0;
  std::uint64_t reverse_mask = 0;
};

std::uint64_t symbol_mask_of(std::uint64_t places, std::size_t length, int bits) {
  std::uint64_t mask = 0;
  for (std::size_t place = 0; place < length; ++place) {
    if ((places >> place & 1) != 0) {
      mask |= ((std::uint64_t{1} << bits) - 1) << (bits * static_cast<int>(place));
    }
  }
  return mask;
}

class GappedKmerNode final : public ExplicitNode {
 public:
  GappedKmerNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ExplicitNode(entry, std::move(parameters), std::move(children)),
        kmers_(Alphabet(this->parameters()), length_of(this->parameters(), "l", 6),
               strands_of(entry.name, this->parameters(), Alphabet(this->parameters()))) {
    if (!this->parameters().resolved()) {
      return;  // a search decides; nothing is evaluated before
    }
    const std::size_t informative = length_of(this->parameters(), "k", 4);
    if (!kmers_.is_packed()) {
      throw InvalidArgument(entry.name + ": l = " + std::to_string(kmers_.length()) + ": must be at most " +
                            std::to_string(kmers_.alphabet().longest_packed()) + " for this alphabet");
    }
    if (informative > kmers_.length()) {
      throw InvalidArgument(entry.name + ": k = " + std::to_string(informative) +
                            ": must be at most l = " + std::to_string(kmers_.length()));
    }
    add_patterns(0, 0, informative);
  }

  void check(const Samples& samples) const override { kmers_.alphabet().require(entry().name, samples); }

  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    kmers_.for_each_strand(string_at(samples, i),
                           [&](std::uint64_t forward, std::uint64_t reverse, std::size_t /*at*/) {
                             for (const GapPattern& pattern : patterns_) {
                               out.add(feature_key(forward, reverse, pattern), 1.0);
                             }
                           });
  }

  void append_places(const Samples& samples, Index i, const void* /*learnt*/,
                     std::vector<FeaturePlace>& out) const override {
    kmers_.for_each_strand(string_at(samples, i), [&](std::uint64_t forward, std::uint64_t reverse, std::size_t at) {
      for (const GapPattern& pattern : patterns_) {
        out.push_back({feature_key(forward, reverse, pattern), static_cast<std::int64_t>(at),
                       static_cast<std::int64_t>(at + kmers_.length())});
      }
    });
  }

  std::string feature_name(const Samples& samples, Index i, std::uint64_t key) const override {
    return feature_names(samples, i, std::span<const std::uint64_t>(&key, 1)).front();
  }

  std::vector<std::string> feature_names(const Samples& samples, Index i,
                                         std::span<const std::uint64_t> keys) const override {
    NamedKeys named(keys);
    const std::string_view text = string_at(samples, i);
    const Kmers one_strand(kmers_.alphabet(), kmers_.length(), Strands::one);
    const SymbolPlaces places(kmers_.alphabet(), text);
    kmers_.for_each_strand(text, [&](std::uint64_t forward, std::uint64_t reverse, std::size_t at) {
      for (const GapPattern& pattern : patterns_) {
        if (std::string* const name = named.unnamed(feature_key(forward, reverse, pattern))) {
          const std::string whole = one_strand.text_at(text, places, at);
          *name = with_gaps(whole, pattern.places);
          if (kmers_.strands() == Strands::both) {
            *name = std::min(*name, with_gaps(reverse_complement(whole), pattern.reverse_places));
          }
        }
      }
    });
    return named.names([&](std::uint64_t key) { return ExplicitNode::feature_name(samples, i, key); });
  }

 private:
  void add_patterns(std::uint64_t places, std::size_t first, std::size_t left) {
    const std::size_t length = kmers_.length();
    if (left == 0) {
      std::uint64_t reversed = 0;
      for (std::size_t place = 0; place < length; ++place) {
        reversed |= (places >> place & 1) << (length - 1 - place);
      }
      const int bits = kmers_.alphabet().bits();
      patterns_.push_back(
          {places, symbol_mask_of(places, length, bits), reversed, symbol_mask_of(reversed, length, bits)});
      if (patterns_.size() > most_patterns) {
        throw InvalidArgument(entry().name + ": l = " + std::to_string(length) + " with this k has more than " +
                              std::to_string(most_patterns) + " patterns; take k nearer to l");
      }
      return;
    }
    for (std::size_t place = first; place + left <= length; ++place) {
      add_patterns(places | (std::uint64_t{1} << place), place + 1, left - 1);
    }
  }

  std::uint64_t strand_key(std::uint64_t symbols, std::uint64_t places, std::uint64_t mask) const {
    const int length = static_cast<int>(kmers_.length());
    const int bits = kmers_.alphabet().bits() * length;
    return bits + length <= 64 ? (places << bits) | (symbols & mask) : joined_key(symbols & mask, places);
  }
  std::uint64_t feature_key(std::uint64_t forward, std::uint64_t reverse, const GapPattern& pattern) const {
    const std::uint64_t key = strand_key(forward, pattern.places, pattern.mask);
    return kmers_.strands() == Strands::one
               ? key
               : std::min(key, strand_key(reverse, pattern.reverse_places, pattern.reverse_mask));
  }
  std::string with_gaps(std::string text, std::uint64_t places) const {
    for (std::size_t at = 0; at < text.size(); ++at) {
      if ((places >> (text.size() - 1 - at) & 1) == 0) {
        text[at] = '.';
      }
    }
    return text;
  }

  Kmers kmers_;
  std::vector<GapPattern> patterns_;
};

}  // namespace

const KernelEntry& gapped_kmer_entry() {
  static const KernelEntry entry{
      .name = "gapped_kmer",
      .aliases = {"gkm"},
      .formula = "sum over choices P of k of l places and symbols s in them of count_{P,s}(x) count_{P,s}(y)",
      .summary = "substrings of length l of which any k places count",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = {{.name = "l",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "6",
                      .meaning = "length of the substrings"},
                     {.name = "k",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "4",
                      .meaning = "places of them that count, at most l"},
                     alphabet_parameter({"bytes", "dna", "protein"}),
                     strands_parameter()},
      .make = make_node<GappedKmerNode>,
      .examples = {"gapped_kmer(l=4, k=2)", "normalize(gapped_kmer(l=5, k=3, alphabet=dna))",
                   "gapped_kmer(l=4, k=3, alphabet=dna, reverse_complement=yes)"}};
  return entry;
}

}  // namespace mercer
