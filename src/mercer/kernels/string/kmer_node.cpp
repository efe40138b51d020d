#include "mercer/kernels/string/kmer_node.h"

#include <algorithm>
#include <cmath>

#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/named_keys.h"
#include "mercer/kernels/string/string_samples.h"

namespace mercer {

ParameterSpec counting_parameter() {
  return {.name = "counts",
          .role = ParameterRole::word,
          .default_text = "counts",
          .meaning = "counts: numbers of occurrences; presence: 1 for every substring that occurs",
          .words = {"counts", "presence"}};
}

Counting counting_of(const ParameterList& parameters) {
  return parameters.word("counts") == "presence" ? Counting::presence : Counting::counts;
}

EqualKeys equal_keys_of(Counting counting) {
  return counting == Counting::presence ? EqualKeys::keep_first : EqualKeys::add;
}

KmerNode::KmerNode(const KernelEntry& entry, ParameterList parameters, std::vector<WeightedKmers> parts)
    : ExplicitNode(entry, std::move(parameters)),
      parts_(std::move(parts)),
      counting_(counting_of(this->parameters())) {}

void KmerNode::check(const Samples& samples) const { Alphabet(parameters()).require(entry().name, samples); }

void KmerNode::append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const {
  const std::string_view text = string_at(samples, i);
  FeatureSection section(out, equal_keys_of(counting_));
  for (const WeightedKmers& part : parts_) {
    if (part.weight > 0) {
      const double value = std::sqrt(part.weight);
      part.kmers.for_each(text, [&](std::uint64_t key, std::size_t /*at*/) { out.add(key, value); });
    }
  }
  section.merged();
}

void KmerNode::append_places(const Samples& samples, Index i, const void* /*learnt*/,
                             std::vector<FeaturePlace>& out) const {
  for (const WeightedKmers& part : parts_) {
    if (part.weight > 0) {
      part.kmers.for_each_place(string_at(samples, i), [&](std::uint64_t key, std::int64_t begin, std::int64_t end) {
        out.push_back({key, begin, end});
      });
    }
  }
}

std::string KmerNode::feature_name(const Samples& samples, Index i, std::uint64_t key) const {
  return feature_names(samples, i, std::span<const std::uint64_t>(&key, 1)).front();
}

std::vector<std::string> KmerNode::feature_names(const Samples& samples, Index i,
                                                 std::span<const std::uint64_t> keys) const {
  const std::string_view text = string_at(samples, i);
  NamedKeys named(keys);
  for (const WeightedKmers& part : parts_) {
    const SymbolPlaces places(part.kmers.alphabet(), text);
    part.kmers.for_each(text, [&](std::uint64_t key, std::size_t at) {
      if (std::string* const name = named.unnamed(key)) {
        *name = part.kmers.text_at(text, places, at);
      }
    });
  }
  return named.names([&](std::uint64_t key) { return ExplicitNode::feature_name(samples, i, key); });
}

}  // namespace mercer
