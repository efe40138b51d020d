#include "mercer/kernels/string/tfidf.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/key_index.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/word_node.h"

namespace mercer {

namespace {

// Weights of the words that training texts have.
struct WordWeights {
  std::vector<std::uint64_t> keys;
  std::vector<double> weights;
  KeyIndex index;
};

class TfidfNode final : public WordNode {
 public:
  TfidfNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : WordNode(entry, std::move(parameters), std::move(children)),
        fewest_texts_(this->parameters().number_or("min_df", 1)),
        largest_share_(this->parameters().number_or("max_df", 1)),
        smooth_(this->parameters().word("idf") == "smooth") {
    if (largest_share_ > 1) {
      reject_argument("tfidf: max_df", largest_share_, "a share of the training texts, at most 1");
    }
  }

  bool learns() const override { return true; }

  std::shared_ptr<const void> learn(const Samples& reference, const Run& run) const override {
    const std::vector<KeyCount> found =
        count_keys(reference.size(), [&](Index i, FeatureList& out) { append_counts(reference, i, out); }, run);
    const auto texts = static_cast<double>(reference.size());
    auto learned = std::make_shared<WordWeights>();
    for (const KeyCount& word : found) {
      const auto rows = static_cast<double>(word.rows);
      if (rows >= fewest_texts_ && rows <= largest_share_ * texts) {
        learned->keys.push_back(word.key);
        learned->weights.push_back(smooth_ ? std::log((1 + texts) / (1 + rows)) + 1 : std::log(texts / (1 + rows)));
      }
    }
    learned->index = KeyIndex(learned->keys);
    return learned;
  }

  void append_features(const Samples& samples, Index i, const void* learned, FeatureList& out) const override {
    const auto& known = *static_cast<const WordWeights*>(learned);
    FeatureSection section(out);
    append_counts(samples, i, out);
    const std::span<KeyedFeature> words = section.unmerged();
    double squares = 0;
    for (KeyedFeature& word : words) {
      const std::int32_t at = known.index.find(word.key);
      word.value *= at < 0 ? 0.0 : known.weights[at];
      squares += word.value * word.value;
    }
    for (KeyedFeature& word : words) {
      word.value = squares > 0 ? word.value / std::sqrt(squares) : 0.0;
    }
  }

  std::vector<KeyedFeature> learned_numbers(const void* learned) const override {
    const auto& known = *static_cast<const WordWeights*>(learned);
    std::vector<KeyedFeature> numbers;
    numbers.reserve(known.keys.size());
    for (std::size_t w = 0; w < known.keys.size(); ++w) {
      numbers.push_back({known.keys[w], known.weights[w]});
    }
    return numbers;
  }

  std::shared_ptr<const void> learned_from(std::span<const KeyedFeature> numbers) const override {
    auto learned = std::make_shared<WordWeights>();
    for (const KeyedFeature& word : numbers) {
      learned->keys.push_back(word.key);
      learned->weights.push_back(word.value);
    }
    learned->index = KeyIndex(learned->keys);
    return learned;
  }

 private:
  double fewest_texts_;
  double largest_share_;
  bool smooth_;
};

std::vector<ParameterSpec> tfidf_parameters() {
  std::vector<ParameterSpec> parameters = WordNode::shared_parameters("log");
  parameters.push_back({.name = "idf",
                        .role = ParameterRole::word,
                        .default_text = "plain",
                        .meaning = "of a word in df of N training texts: plain log(N/(1+df)), smooth "
                                   "log((1+N)/(1+df)) + 1 as scikit-learn",
                        .words = {"plain", "smooth"}});
  parameters.push_back({.name = "min_df",
                        .role = ParameterRole::number,
                        .constraint = Constraint::positive_integer,
                        .default_text = "1",
                        .meaning = "words in fewer training texts are left out"});
  parameters.push_back({.name = "max_df",
                        .role = ParameterRole::number,
                        .constraint = Constraint::positive,
                        .default_text = "1",
                        .meaning = "words in more than this share of the training texts are left out (stop words)"});
  return parameters;
}

}  // namespace

const KernelEntry& tfidf_entry() {
  static const KernelEntry entry{
      .name = "tfidf",
      .aliases = {"tf_idf"},
      .formula = "cosine of log(1 + count_w(x)) log(N/(1 + df_w)) over words w",
      .summary = "words weighted by how rare they are among the training texts, then the cosine",
      .definiteness = "positive definite",
      .input = KernelInput::strings,
      .parameters = tfidf_parameters(),
      .make = make_node<TfidfNode>,
      .examples = {"tfidf(min_length=1)", "tfidf(ngrams=2, min_length=1, counts=counts, idf=smooth)",
                   "normalize(tfidf(min_length=1, counts=presence, min_df=2, max_df=0.9))"}};
  return entry;
}

}  // namespace mercer
