#include "mercer/models/linear/explicit_input.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/text.h"
#include "mercer/expansion/linear_weights.h"
#include "mercer/models/fields.h"

namespace mercer {

namespace {

constexpr std::size_t most_named_features = 50'000;

void visit_strings(Fields& visit, const std::string& name, std::vector<std::string>& strings) {
  Samples stored = make_strings(strings);
  visit.samples(name, stored);
  if (!visit.loading()) {
    return;
  }
  if (stored.kind() != SampleKind::strings) {
    throw DataError("'" + name + "' holds " + std::string(to_string(stored.kind())) + " instead of strings");
  }
  const StringRows& rows = stored.as<StringRows>();
  for (Index i = 0; i < rows.rows; ++i) {
    strings.emplace_back(rows[i]);
  }
}

// Keys as one string of 8 little-endian bytes each: numbers of 64 bits are neither doubles nor indices.
std::string packed_keys(const std::vector<std::uint64_t>& keys) {
  std::string bytes;
  bytes.reserve(8 * keys.size());
  for (const std::uint64_t key : keys) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      bytes += static_cast<char>(static_cast<unsigned char>((key >> shift) & 255U));
    }
  }
  return bytes;
}

std::vector<std::uint64_t> unpacked_keys(std::string_view bytes) {
  std::vector<std::uint64_t> keys(bytes.size() / 8);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    for (unsigned b = 0; b < 8; ++b) {
      keys[k] |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[8 * k + b])) << (8 * b);
    }
  }
  return keys;
}

void visit_keys(Fields& visit, const std::string& name, std::vector<std::uint64_t>& keys) {
  std::vector<std::string> strings;
  if (!visit.loading()) {
    strings.push_back(packed_keys(keys));
  }
  visit_strings(visit, name, strings);
  if (!visit.loading()) {
    return;
  }
  if (strings.size() != 1 || strings.front().size() % 8 != 0) {
    throw DataError("'" + name + "' is no list of 64-bit keys");
  }
  keys = unpacked_keys(strings.front());
}

// Leaves of the kernel that learn nothing are left out.
void visit_learned(Fields& visit, const std::string& name, std::vector<KeyedFeature>& learned) {
  if (!visit.present(name + ".keys", !learned.empty())) {
    return;
  }
  std::vector<std::uint64_t> keys;
  std::vector<double> numbers;
  for (const KeyedFeature& feature : learned) {
    keys.push_back(feature.key);
    numbers.push_back(feature.value);
  }
  visit_keys(visit, name + ".keys", keys);
  visit.column(name, numbers, static_cast<Index>(keys.size()));
  for (std::size_t k = 0; visit.loading() && k < keys.size(); ++k) {
    learned.push_back({keys[k], numbers[k]});
  }
}

}  // namespace

ExplicitInput::ExplicitInput(ExplicitMap map, std::vector<std::string> names)
    : map_(std::make_shared<const ExplicitMap>(std::move(map))), names_(std::move(names)) {}

void ExplicitInput::fields(Fields& visit, const Kernel& kernel) {
  if (linear_factor(kernel) == 1.0) {
    return;
  }
  ExplicitMapParts parts = map_ ? map_->parts() : ExplicitMapParts{};
  visit_keys(visit, "keys", parts.keys);
  visit_strings(visit, "vocabulary", names_);
  visit.require(names_.size() <= parts.keys.size(), "a vocabulary of " + std::to_string(names_.size()) + " names for " +
                                                        std::to_string(parts.keys.size()) + " features");
  parts.learned.resize(ExplicitTerms(kernel).leaves().size());
  for (std::size_t l = 0; l < parts.learned.size(); ++l) {
    visit_learned(visit, "learnt." + std::to_string(l), parts.learned[l]);
  }
  if (visit.loading()) {
    map_ = std::make_shared<const ExplicitMap>(kernel, std::move(parts));
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
  std::vector<double> largest(weights.rows());
  std::vector<Index> kept;
  for (Index j = 0; j < weights.rows(); ++j) {
    double& own = largest[j];
    for (Index m = 0; m < weights.columns(); ++m) {
      own = std::max(own, std::abs(weights(j, m)));
    }
    if (own > 0) {
      kept.push_back(j);
    }
  }
  std::stable_sort(kept.begin(), kept.end(), [&](Index a, Index b) { return largest[a] > largest[b]; });
  Matrix<double> ordered(static_cast<Index>(kept.size()), weights.columns());
  for (std::size_t j = 0; j < kept.size(); ++j) {
    std::ranges::copy(weights.view().row(kept[j]), ordered.view().row_data(static_cast<Index>(j)));
  }
  weights = std::move(ordered);
  const std::span<const Index> named = std::span<const Index>(kept).first(std::min(kept.size(), most_named_features));
  return {training.map.keeping(kept), training.map.names(named, samples, training.rows, run)};
}

}  // namespace mercer
