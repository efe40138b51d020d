#include "mercer/models/linear/explicit_input.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/text.h"
#include "mercer/expansion/linear_weights.h"

namespace mercer {

namespace {

constexpr std::size_t most_named_features = 50'000;

// Keys as one string of 8 little-endian bytes each: arrays hold doubles, which 64-bit numbers are not.
Samples packed_keys(std::span<const std::uint64_t> keys) {
  std::string bytes;
  bytes.reserve(8 * keys.size());
  for (const std::uint64_t key : keys) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      bytes += static_cast<char>(static_cast<unsigned char>((key >> shift) & 255U));
    }
  }
  return make_strings(std::vector<std::string>{bytes});
}

const StringRows& string_set(const ModelState& state, const std::string& name) {
  const Samples& samples = state.sample_set(name);
  if (samples.kind() != SampleKind::strings) {
    throw DataError("'" + name + "' holds " + std::string(to_string(samples.kind())) + " instead of strings");
  }
  return samples.as<StringRows>();
}

std::vector<std::uint64_t> unpacked_keys(const ModelState& state, const std::string& name) {
  const StringRows& rows = string_set(state, name);
  if (rows.rows != 1 || rows[0].size() % 8 != 0) {
    throw DataError("'" + name + "' is no list of 64-bit keys");
  }
  const std::string_view bytes = rows[0];
  std::vector<std::uint64_t> keys(bytes.size() / 8);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    for (unsigned b = 0; b < 8; ++b) {
      keys[k] |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[8 * k + b])) << (8 * b);
    }
  }
  return keys;
}

std::string learnt_name(std::size_t leaf) { return "learnt." + std::to_string(leaf); }

std::vector<KeyedFeature> stored_learnt(const ModelState& state, std::size_t leaf) {
  const std::string name = learnt_name(leaf);
  if (!state.samples.contains(name + ".keys")) {
    return {};
  }
  const std::vector<std::uint64_t> keys = unpacked_keys(state, name + ".keys");
  const std::vector<double> numbers = state.finite_column(name, static_cast<Index>(keys.size()));
  std::vector<KeyedFeature> learnt;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    learnt.push_back({keys[k], numbers[k]});
  }
  return learnt;
}

}  // namespace

ExplicitInput::ExplicitInput(ExplicitMap map, std::vector<std::string> names)
    : map_(std::make_shared<const ExplicitMap>(std::move(map))), names_(std::move(names)) {}

void ExplicitInput::add_to(ModelState& state) const {
  if (!map_) {
    return;
  }
  const ExplicitMapParts parts = map_->parts();
  state.samples.emplace("vocabulary", make_strings(names_));
  state.samples.emplace("keys", packed_keys(parts.keys));
  for (std::size_t l = 0; l < parts.learnt.size(); ++l) {
    if (parts.learnt[l].empty()) {
      continue;
    }
    std::vector<std::uint64_t> keys;
    std::vector<double> numbers;
    for (const KeyedFeature& learnt : parts.learnt[l]) {
      keys.push_back(learnt.key);
      numbers.push_back(learnt.value);
    }
    state.samples.emplace(learnt_name(l) + ".keys", packed_keys(keys));
    state.arrays.emplace(learnt_name(l), number_column(numbers));
  }
}

ExplicitInput ExplicitInput::stored(const Kernel& kernel, const ModelState& state) {
  if (linear_factor(kernel) == 1.0) {
    return {};
  }
  ExplicitMapParts parts{unpacked_keys(state, "keys"), {}};
  const std::size_t leaves = ExplicitTerms(kernel).leaves().size();
  for (std::size_t l = 0; l < leaves; ++l) {
    parts.learnt.push_back(stored_learnt(state, l));
  }
  const StringRows& vocabulary = string_set(state, "vocabulary");
  if (vocabulary.rows > static_cast<Index>(parts.keys.size())) {
    throw DataError("a vocabulary of " + std::to_string(vocabulary.rows) + " names for " +
                    std::to_string(parts.keys.size()) + " features");
  }
  std::vector<std::string> names;
  for (Index i = 0; i < vocabulary.rows; ++i) {
    names.emplace_back(vocabulary[i]);
  }
  try {
    return {ExplicitMap(kernel, std::move(parts)), std::move(names)};
  } catch (const InvalidArgument& error) {
    throw DataError(error.what());
  }
}

MappedTraining map_training(const char* model, const Kernel& kernel, const WeightedSamples& all, const Run& run) {
  const Samples& samples = all.samples;
  ExplicitMap map = ExplicitMap::learn(kernel, all, run);
  const double bytes = 8.0 * static_cast<double>(map.training_features());
  if (bytes > allowed_memory(0)) {
    throw InvalidArgument(std::string(model) + ": the features of " + kernel.spec() + " in " +
                          std::to_string(samples.size()) + " samples would fill " +
                          shortest(std::round(bytes / 1e8) / 10) +
                          " GB, more than half of the machine's memory; fit fewer samples or take a kernel with fewer "
                          "features");
  }
  Samples rows = map.features<float>(samples, run);
  return {std::move(map), std::move(rows)};
}

ExplicitInput keep_weighted(const MappedTraining& training, const Samples& samples, Matrix<double>& weights,
                            const Run& run) {
  std::vector<double> largest(static_cast<std::size_t>(weights.rows()));
  std::vector<Index> kept;
  for (Index j = 0; j < weights.rows(); ++j) {
    double& own = largest[static_cast<std::size_t>(j)];
    for (Index m = 0; m < weights.columns(); ++m) {
      own = std::max(own, std::abs(weights(j, m)));
    }
    if (own > 0) {
      kept.push_back(j);
    }
  }
  std::stable_sort(kept.begin(), kept.end(), [&](Index a, Index b) {
    return largest[static_cast<std::size_t>(a)] > largest[static_cast<std::size_t>(b)];
  });
  Matrix<double> ordered(static_cast<Index>(kept.size()), weights.columns());
  for (std::size_t j = 0; j < kept.size(); ++j) {
    std::ranges::copy(weights.view().row(kept[j]), ordered.view().row_data(static_cast<Index>(j)));
  }
  weights = std::move(ordered);
  const std::span<const Index> named = std::span<const Index>(kept).first(std::min(kept.size(), most_named_features));
  return {training.map.keeping(kept), training.map.names(named, samples, training.rows, run)};
}

}  // namespace mercer
