#include "mercer/kernels/string/word_node.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/kernels/feature_key.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/string_samples.h"
#include "mercer/kernels/string/tokenizer.h"

namespace mercer {

namespace {

// A text has so many features a word, each of them hashed from its first letter on.
constexpr double most_words_of_gram = 100;

std::size_t longest_gram(const KernelEntry& entry, const ParameterList& parameters) {
  const double words = parameters.number_or("ngrams", 1);
  if (words > most_words_of_gram) {
    reject_argument(entry.name + ": ngrams", words,
                    "at most 100; runs of words of any length are compared by all_substrings(alphabet=words)");
  }
  return static_cast<std::size_t>(words);
}

WordCounting word_counting(const ParameterList& parameters) {
  const std::string& word = parameters.word("counts");
  return word == "presence" ? WordCounting::presence : word == "log" ? WordCounting::log : WordCounting::counts;
}

}  // namespace

WordNode::WordNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
    : ExplicitNode(entry, std::move(parameters), std::move(children)),
      longest_gram_(longest_gram(entry, this->parameters())),
      min_length_(static_cast<std::int64_t>(this->parameters().number_or("min_length", 2))),
      counting_(word_counting(this->parameters())) {}

std::vector<ParameterSpec> WordNode::shared_parameters(const char* counts_default) {
  return {{.name = "ngrams",
           .role = ParameterRole::number,
           .constraint = Constraint::positive_integer,
           .default_text = "1",
           .meaning = "features are words, pairs of neighbours, … up to so many words in a row, at most 100"},
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

void WordNode::append_counts(const Samples& samples, Index i, FeatureList& out) const {
  const Words words(string_at(samples, i), min_length_);
  FeatureSection section(out);
  words.for_each_gram(longest_gram_,
                      [&](std::size_t first, std::size_t count) { out.add(text_key(words.gram(first, count)), 1.0); });
  for (KeyedFeature& feature : section.merged()) {
    feature.value = counting_ == WordCounting::presence ? 1.0
                    : counting_ == WordCounting::log    ? std::log1p(feature.value)
                                                        : feature.value;
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

void WordNode::append_places(const Samples& samples, Index i, const void* /*learnt*/,
                             std::vector<FeaturePlace>& out) const {
  const Words words(string_at(samples, i), min_length_);
  words.for_each_gram(longest_gram_, [&](std::size_t first, std::size_t count) {
    const TextSpan place = words.place(first, count);
    out.push_back({text_key(words.gram(first, count)), place.begin, place.end});
  });
}

}  // namespace mercer
