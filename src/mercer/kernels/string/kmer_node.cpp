#include "mercer/kernels/string/kmer_node.h"

#include <algorithm>
#include <cmath>

#include "mercer/kernels/registry.h"
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

void keep_presence(std::vector<KeyedFeature>& features, std::size_t first) {
  const auto begin = features.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, features.end(), [](const KeyedFeature& a, const KeyedFeature& b) { return a.key < b.key; });
  features.erase(
      std::unique(begin, features.end(), [](const KeyedFeature& a, const KeyedFeature& b) { return a.key == b.key; }),
      features.end());
}

KmerNode::KmerNode(const KernelEntry& entry, ParameterList parameters, std::vector<WeightedKmers> parts)
    : ExplicitNode(entry, std::move(parameters)),
      parts_(std::move(parts)),
      counting_(counting_of(this->parameters())) {}

void KmerNode::check(const Samples& samples) const { Alphabet(parameters()).require(entry().name, samples); }

void KmerNode::append_features(const Samples& samples, Index i, const void* /*learnt*/,
                               std::vector<KeyedFeature>& out) const {
  const std::string_view text = string_at(samples, i);
  const std::size_t first = out.size();
  for (const WeightedKmers& part : parts_) {
    if (part.weight > 0) {
      const double value = std::sqrt(part.weight);
      part.kmers.for_each(text, [&](std::uint64_t key, std::size_t /*at*/) { out.push_back({key, value}); });
    }
  }
  if (counting_ == Counting::presence) {
    keep_presence(out, first);
  }
}

void KmerNode::append_places(const Samples& samples, Index i, std::vector<FeaturePlace>& out) const {
  for (const WeightedKmers& part : parts_) {
    if (part.weight > 0) {
      part.kmers.for_each_place(string_at(samples, i), [&](std::uint64_t key, std::int64_t begin, std::int64_t end) {
        out.push_back({key, begin, end});
      });
    }
  }
}

std::string KmerNode::feature_name(const Samples& samples, Index i, std::uint64_t key) const {
  for (const WeightedKmers& part : parts_) {
    std::string name = part.kmers.text_of(string_at(samples, i), key);
    if (!name.empty()) {
      return name;
    }
  }
  return ExplicitNode::feature_name(samples, i, key);
}

}  // namespace mercer
