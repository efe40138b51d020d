#include "mercer/features/explicit_map.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/kernels/widths.h"

namespace mercer {

namespace {

constexpr Index explicit_block = 16;
constexpr Index explicit_wave = 128;  // blocks in memory beside the result

struct ColumnValue {
  std::int32_t column = 0;
  double value = 0;
};

template <class T>
struct SparseBlock {
  std::vector<std::int32_t> columns;
  std::vector<T> values;
  std::vector<std::int64_t> lengths;
};

// The blocks of the rows of `wave`, made side by side by make_block(rows, block).
template <class T, class MakeBlock>
std::vector<SparseBlock<T>> make_blocks(IndexRange wave, const MakeBlock& make_block, const Run& run) {
  const Index count = block_count(wave.size(), explicit_block);
  std::vector<SparseBlock<T>> blocks(count);
  parallel_for(run, count, [&](Index b) {
    const Index begin = wave.begin + b * explicit_block;
    make_block({begin, std::min(wave.end, begin + explicit_block)}, blocks[b]);
  });
  return blocks;
}

void require_learned_keys(std::span<const KeyedFeature> numbers) {
  for (const KeyedFeature& number : numbers) {
    if (!std::isfinite(number.value)) {
      throw DataError("a learnt weight of the kernel's features is not finite");
    }
  }
}

}  // namespace

ExplicitMap::ExplicitMap(ExplicitTerms terms, std::vector<std::shared_ptr<const void>> learned,
                         std::vector<std::uint64_t> keys, Index training_rows, std::int64_t training_features)
    : terms_(std::move(terms)),
      learned_(std::move(learned)),
      keys_(std::move(keys)),
      index_(keys_),
      training_rows_(training_rows),
      training_features_(training_features) {}

ExplicitMap::ExplicitMap(const Kernel& kernel, ExplicitMapParts parts)
    : terms_(kernel), keys_(std::move(parts.keys)), index_(keys_) {
  if (parts.learned.size() != terms_.leaves().size()) {
    throw DataError("the kernel " + kernel.spec() + " has " + std::to_string(terms_.leaves().size()) +
                    " parts, but the map holds what " + std::to_string(parts.learned.size()) + " of them learnt");
  }
  for (std::size_t l = 0; l < parts.learned.size(); ++l) {
    const ExplicitNode* const node = terms_.leaves()[l].explicit_node;
    const bool learns = node != nullptr && node->learns();
    if (!learns && !parts.learned[l].empty()) {
      throw DataError("the map holds learnt weights for " + terms_.leaves()[l].node->spec() + ", which learns nothing");
    }
    require_learned_keys(parts.learned[l]);
    learned_.push_back(learns ? node->learned_from(parts.learned[l]) : nullptr);
  }
}

ExplicitMap ExplicitMap::learn(const Kernel& kernel, const WeightedSamples& all, const Run& run) {
  const Samples& samples = all.samples;
  ExplicitTerms terms(resolve_widths(kernel, all, run));
  const std::vector<Samples> views = terms.views(samples);
  std::vector<std::shared_ptr<const void>> learned = terms.learn(views, run);
  std::vector<KeyCount> found = count_keys(
      samples.size(), [&](Index i, FeatureList& out) { terms.append_features(views, learned, i, out); }, run);
  std::sort(found.begin(), found.end(),
            [](const KeyCount& a, const KeyCount& b) { return a.rows != b.rows ? a.rows > b.rows : a.key < b.key; });
  std::vector<std::uint64_t> keys;
  keys.reserve(found.size());
  std::int64_t total = 0;
  for (const KeyCount& feature : found) {
    keys.push_back(feature.key);
    total += feature.rows;
  }
  std::vector<KeyCount>().swap(found);
  return {std::move(terms), std::move(learned), std::move(keys), samples.size(), total};
}

template <class T>
Samples ExplicitMap::features(const Samples& samples, const Run& run) const {
  const std::vector<Samples> views = terms_.views(samples);
  std::vector<std::int32_t> columns;
  std::vector<T> values;
  std::vector<std::int64_t> offsets = {0};
  const auto expected = static_cast<std::size_t>(samples.size() == training_rows_ ? training_features_ : 0);
  columns.reserve(expected);
  values.reserve(expected);
  const auto make_block = [&](IndexRange range, SparseBlock<T>& block) {
    FeatureList row(run);
    std::vector<ColumnValue> known;
    for (Index i = range.begin; i < range.end; ++i) {
      row.clear();
      row.check_stop();
      terms_.append_features(views, learned_, i, row);
      known.clear();
      for (const KeyedFeature& feature : row.merged()) {
        const std::int32_t column = index_.find(feature.key);
        if (column >= 0) {
          known.push_back({column, feature.value});
        }
      }
      std::sort(known.begin(), known.end(),
                [](const ColumnValue& a, const ColumnValue& b) { return a.column < b.column; });
      for (const ColumnValue& entry : known) {
        block.columns.push_back(entry.column);
        block.values.push_back(static_cast<T>(entry.value));
      }
      block.lengths.push_back(static_cast<std::int64_t>(known.size()));
    }
  };
  for (Index first = 0; first < samples.size(); first += explicit_block * explicit_wave) {
    const Index last = std::min(samples.size(), first + explicit_block * explicit_wave);
    for (const SparseBlock<T>& block : make_blocks<T>({first, last}, make_block, run)) {
      columns.insert(columns.end(), block.columns.begin(), block.columns.end());
      values.insert(values.end(), block.values.begin(), block.values.end());
      for (const std::int64_t length : block.lengths) {
        offsets.push_back(offsets.back() + length);
      }
    }
    run.progress("map", static_cast<double>(last), static_cast<double>(samples.size()));
  }
  return make_sparse(std::move(values), std::move(columns), std::move(offsets), this->columns())
      .with_identity_of(samples);
}

template Samples ExplicitMap::features<float>(const Samples& samples, const Run& run) const;
template Samples ExplicitMap::features<double>(const Samples& samples, const Run& run) const;

ExplicitMap ExplicitMap::keeping(std::span<const Index> columns) const {
  std::vector<std::uint64_t> keys;
  keys.reserve(columns.size());
  for (const Index column : columns) {
    keys.push_back(keys_[column]);
  }
  return {terms_, learned_, std::move(keys), 0, 0};
}

ExplicitMapParts ExplicitMap::parts() const {
  ExplicitMapParts parts{keys_, {}};
  for (std::size_t l = 0; l < learned_.size(); ++l) {
    parts.learned.push_back(learned_[l] ? terms_.leaves()[l].explicit_node->learned_numbers(learned_[l].get())
                                        : std::vector<KeyedFeature>());
  }
  return parts;
}

}  // namespace mercer
