// What the kernels on words share: which words a text has, how often each counts, what a feature is called.
#pragma once

#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/parameter.h"

namespace mercer {

/// Of a word that stands c times in a text: c, 1, or log(1 + c).
enum class WordCounting { counts, presence, log };

class WordNode : public ExplicitNode {
 public:
  WordNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children);

  /// ngrams, min_length, counts (with this default).
  static std::vector<ParameterSpec> shared_parameters(const char* counts_default);

  void check(const Samples& samples) const override;
  /// The words themselves, those of an n-gram joined by blanks.
  std::string feature_name(const Samples& samples, Index i, std::uint64_t key) const override;
  std::vector<std::string> feature_names(const Samples& samples, Index i,
                                         std::span<const std::uint64_t> keys) const override;
  void append_places(const Samples& samples, Index i, const void* /*learnt*/,
                     std::vector<FeaturePlace>& out) const override;

 protected:
  /// Adds the n-grams of text i, ascending by key, each once with its count as the parameters have it.
  void append_counts(const Samples& samples, Index i, FeatureList& out) const;

 private:
  std::size_t longest_gram_;
  std::int64_t min_length_;
  WordCounting counting_;
};

}  // namespace mercer
