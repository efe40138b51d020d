#include "mercer/kernels/string/gappy_pair.h"

#include "mercer/base/error.h"
#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/kmer_node.h"
#include "mercer/kernels/string/named_keys.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

namespace {

constexpr std::size_t most_gaps = 1000;
constexpr int gap_bits = 10;

// Whether order or distance of a pair's two parts belong to the feature.
enum class PairTrait { kept, any };

PairTrait named_trait(const ParameterList& parameters, std::string_view name) {
  return parameters.word(name) == "any" ? PairTrait::any : PairTrait::kept;
}

class GappyPairNode final : public ExplicitNode {
 public:
  GappyPairNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : ExplicitNode(entry, std::move(parameters), std::move(children)),
        kmers_(Alphabet(this->parameters()), length_of(this->parameters(), "k", 1),
               strands_of(entry.name, this->parameters(), Alphabet(this->parameters()))),
        gap_(length_of(this->parameters(), "gap", 3)),
        order_(named_trait(this->parameters(), "order")),
        distance_(named_trait(this->parameters(), "distance")),
        counting_(counting_of(this->parameters())) {
    if (gap_ > most_gaps) {
      throw InvalidArgument(entry.name + ": gap = " + std::to_string(gap_) + ": must be at most " +
                            std::to_string(most_gaps) + ", for a string has gap + 1 features a symbol");
    }
  }

  void check(const Samples& samples) const override { kmers_.alphabet().require(entry().name, samples); }

  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    FeatureSection section(out, equal_keys_of(counting_));
    for_each_pair(string_at(samples, i),
                  [&](std::uint64_t key, std::size_t /*at*/, std::size_t /*gap*/) { out.add(key, 1.0); });
    section.merged();
  }

  void append_places(const Samples& samples, Index i, const void* /*learnt*/,
                     std::vector<FeaturePlace>& out) const override {
    const std::string_view text = string_at(samples, i);
    const SymbolPlaces places(kmers_.alphabet(), text);
    for_each_pair(text, [&](std::uint64_t key, std::size_t at, std::size_t gap) {
      out.push_back({key, places.begin(at), places.end(at + 2 * kmers_.length() + gap - 1)});
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
    for_each_pair(text, [&](std::uint64_t own, std::size_t at, std::size_t gap) {
      std::string* const name = named.unnamed(own);
      if (name == nullptr) {
        return;
      }
      const bool words = kmers_.alphabet().kind() == AlphabetKind::words;
      std::string dots;
      for (std::size_t g = 0; g < gap; ++g) {
        dots += words ? " ." : ".";
      }
      const std::string left = one_strand.text_at(text, places, at);
      const std::string right = one_strand.text_at(text, places, at + kmers_.length() + gap);
      const std::string between = distance_ == PairTrait::any ? words ? " ~ " : "~" : dots + (words ? " " : "");
      const auto take_first = [&](const std::string& a, const std::string& b) {
        *name = name->empty() ? a + between + b : std::min(*name, a + between + b);
        if (order_ == PairTrait::any) {
          *name = std::min(*name, b + between + a);
        }
      };
      take_first(left, right);
      if (kmers_.strands() == Strands::both) {
        take_first(reverse_complement(right), reverse_complement(left));
      }
    });
    return named.names([&](std::uint64_t key) { return ExplicitNode::feature_name(samples, i, key); });
  }

 private:
  struct Place {
    std::uint64_t forward = 0;  // keys; 0 where no substring without unknown symbols starts
    std::uint64_t reverse = 0;
  };

  std::uint64_t pair_key(std::uint64_t left, std::uint64_t right, std::size_t gap) const {
    const int bits = kmers_.alphabet().bits() * static_cast<int>(std::min<std::size_t>(kmers_.length(), 64));
    if (kmers_.is_packed() && 2 * bits + 1 + gap_bits <= 64) {
      const std::uint64_t unmarked = right & ((std::uint64_t{1} << bits) - 1);
      return (((left << bits) | unmarked) << gap_bits) | gap;
    }
    return joined_key(joined_key(left, right), gap);
  }

  // Of the feature that a pair is.
  std::uint64_t feature_key(std::uint64_t left, std::uint64_t right, std::size_t gap) const {
    const std::size_t distance = distance_ == PairTrait::any ? 0 : gap;
    const std::uint64_t key = pair_key(left, right, distance);
    return order_ == PairTrait::any ? std::min(key, pair_key(right, left, distance)) : key;
  }

  // Calls f(key, at, gap) for every pair, `at` being where its first substring starts.
  template <class F>
  void for_each_pair(std::string_view text, F f) const {
    std::vector<Place> places;
    kmers_.for_each_strand(text, [&](std::uint64_t forward, std::uint64_t reverse, std::size_t at) {
      places.resize(at);
      places.push_back({forward, reverse});
    });
    for (std::size_t at = 0; at < places.size(); ++at) {
      if (places[at].forward == 0) {
        continue;
      }
      for (std::size_t gap = 0; gap <= gap_ && at + kmers_.length() + gap < places.size(); ++gap) {
        const Place& other = places[at + kmers_.length() + gap];
        if (other.forward == 0) {
          continue;
        }
        std::uint64_t key = feature_key(places[at].forward, other.forward, gap);
        if (kmers_.strands() == Strands::both) {
          key = std::min(key, feature_key(other.reverse, places[at].reverse, gap));
        }
        f(key, at, gap);
      }
    }
  }

  Kmers kmers_;
  std::size_t gap_;
  PairTrait order_;
  PairTrait distance_;
  Counting counting_;
};

}  // namespace

const KernelEntry& gappy_pair_entry() {
  static const KernelEntry entry{
      .name = "gappy_pair",
      .formula = "sum over s, t of length k and g = 0..gap of count(s, g symbols, t in x) count(s, g symbols, t in y)",
      .summary = "pairs of substrings with up to gap symbols between them",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = {{.name = "k",
                      .role = ParameterRole::number,
                      .constraint = Constraint::positive_integer,
                      .default_text = "1",
                      .meaning = "length of each of the two substrings"},
                     {.name = "gap",
                      .role = ParameterRole::number,
                      .constraint = Constraint::nonnegative_integer,
                      .default_text = "3",
                      .meaning = "greatest number of symbols between them"},
                     {.name = "order",
                      .role = ParameterRole::word,
                      .default_text = "kept",
                      .meaning = "any: s before t and t before s are one feature",
                      .words = {"kept", "any"}},
                     {.name = "distance",
                      .role = ParameterRole::word,
                      .default_text = "kept",
                      .meaning = "any: pairs with fewer or more symbols between them are one feature",
                      .words = {"kept", "any"}},
                     alphabet_parameter(),
                     strands_parameter(),
                     counting_parameter()},
      .make = make_node<GappyPairNode>,
      .examples = {"gappy_pair(k=1, gap=2)", "normalize(gappy_pair(k=2, gap=1, alphabet=protein))",
                   "gappy_pair(k=2, gap=3, alphabet=dna, reverse_complement=yes)",
                   "gappy_pair(k=5, gap=1, counts=presence)",
                   "gappy_pair(gap=4, order=any, distance=any, alphabet=words)"}};
  return entry;
}

}  // namespace mercer
