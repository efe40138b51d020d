#include "mercer/kernels/string/word_node.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/string_samples.h"
#include "mercer/kernels/string/tokenizer.h"

namespace mercer {

namespace {

WordCounting word_counting(const ParameterList& parameters) {
  const std::string& word = parameters.word("counts");
  return word == "presence" ? WordCounting::presence : word == "log" ? WordCounting::log : WordCounting::counts;
}

}  // namespace

WordNode::WordNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
    : ExplicitNode(entry, std::move(parameters), std::move(children)),
      longest_gram_(static_cast<std::size_t>(this->parameters().number_or("ngrams", 1))),
      min_length_(static_cast<std::int64_t>(this->parameters().number_or("min_length", 2))),
      counting_(word_counting(this->parameters())) {}

std::vector<ParameterSpec> WordNode::shared_parameters(const char* counts_default) {
  return {{.name = "ngrams",
           .role = ParameterRole::number,
           .constraint = Constraint::positive_integer,
           .default_text = "1",
           .meaning = "features are words, pairs of neighbours, … up to so many words in a row"},
          {.name = "min_length",
           .role = ParameterRole::number,
           .constraint = Constraint::positive_integer,
           .default_text = "2",
           .meaning = "shorter words are left out; in characters"},
          {.name = "counts",
           .role = ParameterRole::word,
           .default_text = counts_default,
           .meaning = "what a word that stands c times is worth: counts c, presence 1, log log(1 + c)",
           .words = {"counts", "presence", "log"}}};
}

void WordNode::check(const Samples& samples) const { require_strings(entry().name, samples); }

void WordNode::append_counts(const Samples& samples, Index i, std::vector<KeyedFeature>& out) const {
  const Words words(string_at(samples, i), min_length_);
  const std::size_t before = out.size();
  words.for_each_gram(longest_gram_, [&](std::size_t first, std::size_t count) {
    out.push_back({text_key(words.gram(first, count)), 1.0});
  });
  std::vector<KeyedFeature> own(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
  merge_features(own);
  out.resize(before);
  for (KeyedFeature& feature : own) {
    feature.value = counting_ == WordCounting::presence ? 1.0
                    : counting_ == WordCounting::log    ? std::log1p(feature.value)
                                                        : feature.value;
    out.push_back(feature);
  }
}

std::string WordNode::feature_name(const Samples& samples, Index i, std::uint64_t key) const {
  return feature_names(samples, i, std::span<const std::uint64_t>(&key, 1)).front();
}

std::vector<std::string> WordNode::feature_names(const Samples& samples, Index i,
                                                 std::span<const std::uint64_t> keys) const {
  const Words words(string_at(samples, i), min_length_);
  std::unordered_map<std::uint64_t, std::string> found;
  for (const std::uint64_t key : keys) {
    found.emplace(key, ExplicitNode::feature_name(samples, i, key));
  }
  words.for_each_gram(longest_gram_, [&](std::size_t first, std::size_t count) {
    const auto named = found.find(text_key(words.gram(first, count)));
    if (named != found.end()) {
      named->second = words.gram(first, count);
    }
  });
  std::vector<std::string> names;
  for (const std::uint64_t key : keys) {
    names.push_back(found.at(key));
  }
  return names;
}

void WordNode::append_places(const Samples& samples, Index i, std::vector<FeaturePlace>& out) const {
  const Words words(string_at(samples, i), min_length_);
  words.for_each_gram(longest_gram_, [&](std::size_t first, std::size_t count) {
    const TextSpan place = words.place(first, count);
    out.push_back({text_key(words.gram(first, count)), place.begin, place.end});
  });
}

}  // namespace mercer
