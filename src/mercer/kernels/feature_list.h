// FeatureList: the explicit features of one sample while they are found, in any order. Equal keys are merged now and
// then, so that a long sample costs memory for its different features and not for its length, and whether the run is to
// stop is asked on the way.
//
// Merging is stable and adds in the order of arrival, so the sums are the same bits however often it happens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/run.h"

namespace mercer {

struct KeyedFeature {
  std::uint64_t key = 0;
  double value = 0;
};

/// What becomes of a key that is added again.
enum class EqualKeys { add, keep_first };

class FeatureList {
 public:
  /// The run must outlive the list.
  explicit FeatureList(const Run& run) : run_(run) {}

  void add(std::uint64_t key, double value) {
    features_.push_back({key, value});
    if (features_.size() >= pause_) {
      pause();
    }
  }
  void clear();
  /// Ascending by key, each key once, no zeros.
  std::span<const KeyedFeature> merged();
  /// For authors whose loops are long without adding anything. Throws Stopped.
  void check_stop() const { run_.check_stop(); }

 private:
  friend class FeatureSection;
  void pause();
  void merge();

  const Run& run_;
  std::vector<KeyedFeature> features_;
  std::vector<KeyedFeature> tail_;  // of a section while it is merged
  std::size_t floor_ = 0;           // where the innermost section begins
  EqualKeys equal_keys_ = EqualKeys::add;
  std::size_t merge_at_ = first_merge;
  std::size_t pause_ = first_merge;

  // Small enough to stay in the cache; most samples have fewer.
  static constexpr std::size_t first_merge = std::size_t{1} << 16U;
};

/// What is added while a section lives is merged apart from what stood there before, and can be changed as a whole.
class FeatureSection {
 public:
  explicit FeatureSection(FeatureList& list, EqualKeys equal_keys = EqualKeys::add);
  ~FeatureSection();
  FeatureSection(const FeatureSection&) = delete;
  FeatureSection& operator=(const FeatureSection&) = delete;
  FeatureSection(FeatureSection&&) = delete;
  FeatureSection& operator=(FeatureSection&&) = delete;

  /// The section's features, ascending by key, each key once, no zeros.
  std::span<KeyedFeature> merged();
  /// The section's features as they are.
  std::span<KeyedFeature> unmerged() { return std::span(list_.features_).subspan(list_.floor_); }
  /// Drops them all.
  void clear() { list_.features_.resize(list_.floor_); }

 private:
  FeatureList& list_;
  std::size_t outer_floor_;
  EqualKeys outer_equal_keys_;
};

}  // namespace mercer
