#include "mercer/kernels/feature_list.h"

#include <algorithm>

#include "mercer/kernels/radix_sort.h"

namespace mercer {

namespace {

void merge_features(std::vector<KeyedFeature>& features, EqualKeys equal_keys) {
  sort_by_key(features);  // stable, so that sums have one order
  std::size_t kept = 0;
  for (std::size_t at = 0; at < features.size();) {
    KeyedFeature sum = features[at++];
    while (at < features.size() && features[at].key == sum.key) {
      sum.value += equal_keys == EqualKeys::add ? features[at].value : 0.0;
      ++at;
    }
    if (sum.value != 0) {
      features[kept++] = sum;
    }
  }
  features.resize(kept);
}

}  // namespace

void FeatureList::clear() {
  features_.clear();
  merge_at_ = first_merge;
  pause_ = first_merge;
}

void FeatureList::merge() {
  if (floor_ == 0) {
    merge_features(features_, equal_keys_);
    return;
  }
  tail_.assign(features_.begin() + static_cast<std::ptrdiff_t>(floor_), features_.end());
  merge_features(tail_, equal_keys_);
  std::copy(tail_.begin(), tail_.end(), features_.begin() + static_cast<std::ptrdiff_t>(floor_));
  features_.resize(floor_ + tail_.size());
}

// Merging when there are twice as many features as the last one left costs a constant time per feature.
void FeatureList::pause() {
  constexpr std::size_t asked_every = std::size_t{1} << 20U;
  run_.check_stop();
  if (features_.size() >= merge_at_) {
    merge();
    merge_at_ = std::max(first_merge, 2 * features_.size());
  }
  pause_ = std::min(merge_at_, features_.size() + asked_every);
}

std::span<const KeyedFeature> FeatureList::merged() {
  merge();
  return features_;
}

FeatureSection::FeatureSection(FeatureList& list, EqualKeys equal_keys)
    : list_(list), outer_floor_(list.floor_), outer_equal_keys_(list.equal_keys_) {
  list_.floor_ = list_.features_.size();
  list_.equal_keys_ = equal_keys;
}

FeatureSection::~FeatureSection() {
  list_.floor_ = outer_floor_;
  list_.equal_keys_ = outer_equal_keys_;
}

std::span<KeyedFeature> FeatureSection::merged() {
  list_.merge();
  return unmerged();
}

}  // namespace mercer
