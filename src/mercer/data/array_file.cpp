#include "mercer/data/array_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/columns.h"
#include "mercer/data/segmented_array.h"

namespace mercer {

namespace {

std::size_t size_of(NumberType type) {
  switch (type) {
    case NumberType::boolean:
    case NumberType::int8:
    case NumberType::uint8:
      return 1;
    case NumberType::int16:
    case NumberType::uint16:
      return 2;
    case NumberType::int32:
    case NumberType::uint32:
    case NumberType::float32:
      return 4;
    default:
      return 8;
  }
}

template <class S, class T>
void convert_as(const char* bytes, Index count, ByteOrder order, T* out) {
  const bool swap = (order == ByteOrder::little) != (std::endian::native == std::endian::little);
  for (Index i = 0; i < count; ++i) {
    char raw[sizeof(S)];
    std::memcpy(raw, bytes + static_cast<std::size_t>(i) * sizeof(S), sizeof(S));
    if (swap) {
      std::reverse(raw, raw + sizeof(S));
    }
    S value;
    std::memcpy(&value, raw, sizeof(S));
    out[i] = static_cast<T>(value);
  }
}

template <class T>
void convert(const char* bytes, Index count, const ArrayShape& shape, T* out) {
  switch (shape.type) {
    case NumberType::boolean:
    case NumberType::uint8:
      return convert_as<std::uint8_t>(bytes, count, shape.bytes, out);
    case NumberType::int8:
      return convert_as<std::int8_t>(bytes, count, shape.bytes, out);
    case NumberType::int16:
      return convert_as<std::int16_t>(bytes, count, shape.bytes, out);
    case NumberType::uint16:
      return convert_as<std::uint16_t>(bytes, count, shape.bytes, out);
    case NumberType::int32:
      return convert_as<std::int32_t>(bytes, count, shape.bytes, out);
    case NumberType::uint32:
      return convert_as<std::uint32_t>(bytes, count, shape.bytes, out);
    case NumberType::int64:
      return convert_as<std::int64_t>(bytes, count, shape.bytes, out);
    case NumberType::uint64:
      return convert_as<std::uint64_t>(bytes, count, shape.bytes, out);
    case NumberType::float32:
      return convert_as<float>(bytes, count, shape.bytes, out);
    case NumberType::float64:
      return convert_as<double>(bytes, count, shape.bytes, out);
  }
}

template <class T>
void require_finite_block(const std::vector<T>& block, Index count, Index before, const ArrayShape& shape,
                          const std::string& file) {
  for (Index i = 0; i < count; ++i) {
    const T value = block[static_cast<std::size_t>(i)];
    if (!std::isfinite(value)) {
      const bool by_rows = shape.storage == StorageOrder::row_major;
      const Index position = before + i;
      const Index row = by_rows ? position / shape.columns : position % shape.rows;
      const Index column = by_rows ? position % shape.columns : position / shape.rows;
      throw DataError({file}, "row " + std::to_string(row + 1) + ", column " + std::to_string(column) +
                                  ": the value is " + shortest(static_cast<double>(value)) +
                                  "; all values must be finite (for this precision)");
    }
  }
}

template <class T>
Samples read_as(InputStream& stream, const ArrayShape& shape, const ReadOptions& options, const Run& run) {
  constexpr Index block = Index{1} << 19;
  const Index total = shape.rows * shape.columns;
  const auto width = static_cast<Index>(size_of(shape.type));
  SegmentedArray<T> values;
  std::vector<char> bytes(static_cast<std::size_t>(std::min(block, total) * width));
  std::vector<T> numbers(static_cast<std::size_t>(std::min(block, total)));
  while (values.size() < total) {
    run.check_stop();
    const Index count = std::min(block, total - values.size());
    const std::size_t got = stream.read(bytes.data(), static_cast<std::size_t>(count * width));
    if (static_cast<Index>(got) < count * width) {
      throw DataError({stream.name()}, "the header announces " + std::to_string(shape.rows) + " rows of " +
                                           std::to_string(shape.columns) + " numbers, but the file ends after " +
                                           std::to_string(values.size() + static_cast<Index>(got) / width) + " of " +
                                           std::to_string(total) + " numbers; it is incomplete");
    }
    convert(bytes.data(), count, shape, numbers.data());
    if (options.non_finite == NonFinite::reject) {
      require_finite_block(numbers, count, values.size(), shape, stream.name());
    }
    values.append(numbers.data(), count);
    run.progress("reading " + stream.name(), static_cast<double>(values.size()), static_cast<double>(total));
  }
  char extra = 0;
  if (stream.read(&extra, 1) != 0) {
    throw DataError({stream.name()}, "the file goes on after the " + std::to_string(total) +
                                         " numbers that its header announces; it is damaged");
  }
  const auto owner = std::make_shared<Buffer<T>>(values.joined());
  const bool by_rows = shape.storage == StorageOrder::row_major;
  return Samples(
      DenseRows<T>{owner->data(), shape.rows, shape.columns, by_rows ? shape.columns : 1, by_rows ? 1 : shape.rows},
      owner);
}

// A column as doubles.
std::vector<double> column_values(const Samples& samples, Index column) {
  std::vector<double> values;
  const auto gather = [&](const auto& rows) {
    for (Index i = 0; i < rows.rows; ++i) {
      values.push_back(static_cast<double>(rows(i, column)));
    }
  };
  if (std::holds_alternative<DenseRows<float>>(samples.rows())) {
    gather(samples.as<DenseRows<float>>());
  } else {
    gather(samples.as<DenseRows<double>>());
  }
  return values;
}

std::optional<Index> column_number(const std::string& reference, Index columns) {
  const auto number = parse_integer(reference);
  if (!number || *number < -columns || *number >= columns) {
    return std::nullopt;
  }
  return *number < 0 ? *number + columns : *number;
}

}  // namespace

void set_dimensions(ArrayShape& shape, const std::vector<Index>& dimensions, const std::string& file) {
  constexpr Index largest = std::numeric_limits<Index>::max() / 16;
  shape.rows = dimensions.front();
  shape.columns = 1;
  for (std::size_t k = 1; k < dimensions.size(); ++k) {
    if (dimensions[k] != 0 && shape.columns > largest / dimensions[k]) {
      throw DataError({file}, "the header announces an array that no memory can hold");
    }
    shape.columns *= dimensions[k];
  }
  if (shape.columns != 0 && shape.rows > largest / shape.columns) {
    throw DataError({file}, "the header announces an array that no memory can hold");
  }
  if (shape.rows == 0 || shape.columns == 0) {
    throw DataError({file}, "the array has " + std::to_string(shape.rows) + " rows and " +
                                std::to_string(shape.columns) + " columns: there are no samples in it");
  }
}

Samples read_array(InputStream& stream, const ArrayShape& shape, const ReadOptions& options, const Run& run) {
  return options.precision == StoredPrecision::float32 ? read_as<float>(stream, shape, options, run)
                                                       : read_as<double>(stream, shape, options, run);
}

DataFile take_targets(const Samples& samples, const ReadOptions& options, const std::string& file) {
  DataFile result;
  const Index columns = samples.columns();
  const bool inputs_only =
      options.targets_presence != Presence::required && options.schema && options.schema->numeric_columns == columns;
  std::vector<TargetColumn> targets;
  std::vector<char> taken(static_cast<std::size_t>(columns), 0);
  for (const std::string& reference : inputs_only ? std::vector<std::string>{} : options.targets) {
    const auto column = column_number(reference, columns);
    if (!column || taken[static_cast<std::size_t>(*column)] != 0) {
      throw DataError({file}, "there is no column '" + reference + "' to take as target; the array has " +
                                  std::to_string(columns) + " columns, without names, numbered from 0");
    }
    taken[static_cast<std::size_t>(*column)] = 1;
    TargetColumn& target = targets.emplace_back();
    target.name = "column " + std::to_string(*column);
    target.values = column_values(samples, *column);
  }
  result.samples = samples;
  if (!targets.empty()) {
    if (options.targets_presence != Presence::ignored) {
      result.targets = Targets(std::move(targets));
    }
    ColumnSelection rest;
    for (Index j = 0; j < columns; ++j) {
      if (taken[static_cast<std::size_t>(j)] == 0) {
        rest.references.emplace_back(ColumnSpan{j, j + 1});
      }
    }
    result.samples = rest.references.empty() ? Samples(DenseRows<double>{nullptr, samples.size(), 0, 0, 1})
                                             : select_columns(samples, rest);
  }
  if (options.schema) {
    result.samples = apply_schema(result.samples, *options.schema);
  }
  result.schema = schema_of(result.samples);
  return result;
}

}  // namespace mercer
