#include "mercer/kernels/string/words.h"

#include "mercer/kernels/registry.h"
#include "mercer/kernels/string/word_node.h"

namespace mercer {

namespace {

class WordsNode final : public WordNode {
 public:
  using WordNode::WordNode;
  void append_features(const Samples& samples, Index i, const void* /*learnt*/, FeatureList& out) const override {
    append_counts(samples, i, out);
  }
};

}  // namespace

const KernelEntry& words_entry() {
  static const KernelEntry entry{.name = "words",
                                 .aliases = {"bag_of_words"},
                                 .formula = "sum over words w of count_w(x) count_w(y)",
                                 .summary = "bag of words: the words that two texts share, and runs of words",
                                 .definiteness = "positive definite",
                                 .input = KernelInput::strings,
                                 .parameters = WordNode::shared_parameters("counts"),
                                 .make = make_node<WordsNode>,
                                 .examples = {"words(min_length=1)", "words(ngrams=2, min_length=1, counts=log)",
                                              "normalize(words(ngrams=3, min_length=1, counts=presence))"}};
  return entry;
}

}  // namespace mercer
