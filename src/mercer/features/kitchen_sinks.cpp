#include "mercer/features/kitchen_sinks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/vector_math.h"
#include "mercer/data/columns.h"

namespace mercer {

namespace {

constexpr std::uint64_t sink_bias_stream = 0x73696e6bULL;

template <class T>
void apply_sink(SinkFamily family, std::span<T> values) {
  switch (family) {
    case SinkFamily::cos:
      vector_cos(values, values);
      break;
    case SinkFamily::step:
      for (T& value : values) {
        value = value < 0 ? T(-1) : T(1);
      }
      break;
    case SinkFamily::relu:
      for (T& value : values) {
        value = std::max(value, T(0));
      }
      break;
    case SinkFamily::tanh:
      vector_tanh(values, values);
      break;
  }
}

}  // namespace

KitchenSinks::KitchenSinks(Matrix<double> weights, std::vector<double> biases, SinkFamily family)
    : projection_(std::move(weights)), biases_(std::move(biases)), family_(family) {
  if (static_cast<Index>(biases_.size()) != projection_.outputs()) {
    throw InvalidArgument("kitchen sinks with " + std::to_string(biases_.size()) + " biases for " +
                          std::to_string(projection_.outputs()) + " features");
  }
}

std::shared_ptr<const KitchenSinks> KitchenSinks::from_parts(const MapParts& parts) {
  const Matrix<double>& stored = parts.array("frequencies");
  const Index count = stored.columns();
  const Matrix<double> biases = parts.finite("biases", 1, count);
  const double code = parts.finite("family", 1, 1)(0, 0);
  for (const auto& [family, word] : words_of(SinkFamily{})) {
    if (count > 0 && code == static_cast<double>(family)) {
      return std::make_shared<const KitchenSinks>(parts.finite("frequencies", stored.rows(), count),
                                                  std::vector<double>(biases.data(), biases.data() + count), family);
    }
  }
  throw DataError("stored kitchen sinks without features, or of an unknown family");
}

template <class T>
void KitchenSinks::fill(const Samples& samples, MatrixView<T> out, const Run& run) const {
  const double twice = family_ == SinkFamily::cos || family_ == SinkFamily::relu ? 2 : 1;
  const T factor = static_cast<T>(std::sqrt(twice / static_cast<double>(columns())));
  const std::vector<T> shifts(biases_.begin(), biases_.end());
  projection_.for_blocks<T>(
      samples, "sinks", family_ == SinkFamily::cos ? ProjectionUse::angles : ProjectionUse::numbers,
      [&](IndexRange range, MatrixView<T> values) {
        for (Index i = 0; i < range.size(); ++i) {
          const std::span<T> row = values.row(i);
          for (std::size_t c = 0; c < shifts.size(); ++c) {
            row[c] += shifts[c];
          }
          apply_sink(family_, row);
          std::transform(row.begin(), row.end(), out.row_data(range.begin + i),
                         [factor](T value) { return factor * value; });
        }
      },
      run);
}

void KitchenSinks::transform(const Samples& samples, MatrixView<double> out, const Run& run) const {
  fill(samples, out, run);
}
void KitchenSinks::transform(const Samples& samples, MatrixView<float> out, const Run& run) const {
  fill(samples, out, run);
}

MapParts KitchenSinks::parts() const {
  MapParts parts;
  parts.arrays.emplace("frequencies", Matrix<double>::copy_of(projection_.weights().view()));
  Matrix<double> shifts(1, columns());
  std::copy(biases_.begin(), biases_.end(), shifts.data());
  parts.arrays.emplace("biases", std::move(shifts));
  parts.arrays.emplace("family", Matrix<double>::filled(1, 1, static_cast<double>(family_)));
  return parts;
}

std::shared_ptr<const KitchenSinks> kitchen_sinks(const Kernel& kernel, const Samples& samples,
                                                  const SinkOptions& options, std::uint64_t seed) {
  if (options.size < 1) {
    reject_argument("size", static_cast<double>(options.size), "1 or more");
  }
  if (!(options.bias >= 0) || !std::isfinite(options.bias)) {
    reject_argument("bias", options.bias, "0 or more, and finite");
  }
  const FrequencyLaw law = require_frequency_law(kernel, samples, "sinks");
  Matrix<double> weights = draw_frequencies(law, default_columns(samples).columns(), options.size, options.draws, seed);
  std::vector<double> biases;
  if (options.family == SinkFamily::cos) {
    biases = draw_phases(options.size, seed);
  } else {
    RandomStream random(seed, sink_bias_stream);
    for (Index c = 0; c < options.size; ++c) {
      biases.push_back(options.bias * random.normal());
    }
  }
  return std::make_shared<const KitchenSinks>(std::move(weights), std::move(biases), options.family);
}

}  // namespace mercer
