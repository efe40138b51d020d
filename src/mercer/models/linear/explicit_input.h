// What a linear model sees of its samples: real vectors as they are, or the explicit features of a kernel
// (features/explicit_map.h), with the names of those that weigh most. A model holds the vocabulary, no samples.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/features/explicit_map.h"

namespace mercer {

class Fields;

class ExplicitInput {
 public:
  /// Real vectors.
  ExplicitInput() = default;
  ExplicitInput(ExplicitMap map, std::vector<std::string> names);

  /// Null for real vectors.
  const ExplicitMap* map() const { return map_.get(); }
  /// Of the first columns of the map; names may be fewer than columns.
  const std::vector<std::string>& names() const { return names_; }

  /// Real vectors where the kernel is linear(), else its map.
  void fields(Fields& visit, const Kernel& kernel);

 private:
  std::shared_ptr<const ExplicitMap> map_;
  std::vector<std::string> names_;
};

/// A map learnt from training samples and what it makes of them.
struct MappedTraining {
  ExplicitMap map;
  Samples rows;  ///< sparse, float
};

/// InvalidArgument where the kernel has no explicit features, or more of them than half of the machine's memory holds.
MappedTraining map_training(const char* model, const Kernel& kernel, const WeightedSamples& all, const Run& run);

/// Leaves out features whose weights are all 0 (predictions stay the same), orders the others by their largest absolute
/// weight, and finds the names of the first 50000. `weights` is rearranged accordingly.
ExplicitInput keep_weighted(const MappedTraining& training, const Samples& samples, Matrix<double>& weights,
                            const Run& run);

}  // namespace mercer
