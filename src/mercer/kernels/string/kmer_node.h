// KmerNode: kernels whose features are substrings of given lengths, k(x, y) = Σ_n w_n Σ_{|s| = n} φ_s(x) φ_s(y), where
// φ_s counts the occurrences of s or says whether there is one. Spectrum, blended spectrum and bag of characters differ
// in their lengths and weights only.
#pragma once

#include <vector>

#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/string/kmers.h"

namespace mercer {

/// Substrings of one length and their weight w_n >= 0.
struct WeightedKmers {
  Kmers kmers;
  double weight = 1;
};

enum class Counting { counts, presence };
/// The parameter `counts`: counts or presence.
ParameterSpec counting_parameter();
Counting counting_of(const ParameterList& parameters);

class KmerNode : public ExplicitNode {
 public:
  KmerNode(const KernelEntry& entry, ParameterList parameters, std::vector<WeightedKmers> parts);

  void check(const Samples& samples) const override;
  void append_features(const Samples& samples, Index i, const void* learned, FeatureList& out) const override;
  void append_places(const Samples& samples, Index i, const void* /*learnt*/,
                     std::vector<FeaturePlace>& out) const override;
  std::string feature_name(const Samples& samples, Index i, std::uint64_t key) const override;
  std::vector<std::string> feature_names(const Samples& samples, Index i,
                                         std::span<const std::uint64_t> keys) const override;

 private:
  std::vector<WeightedKmers> parts_;
  Counting counting_;
};

/// Of a substring that occurs again.
EqualKeys equal_keys_of(Counting counting);

}  // namespace mercer
