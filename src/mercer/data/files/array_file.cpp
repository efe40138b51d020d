#include "mercer/data/files/array_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/columns.h"
#include "mercer/data/files/kept_rows.h"
#include "mercer/data/files/names_by_place.h"
#include "mercer/data/numbered_column.h"
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
                          MissingValues missing, const std::string& file) {
  for (Index i = 0; i < count; ++i) {
    const T value = block[i];
    if (!std::isfinite(value) && !(missing == MissingValues::drop && std::isnan(value))) {
      const bool by_rows = shape.storage == StorageOrder::row_major;
      const Index position = before + i;
      const Index row = by_rows ? position / shape.columns : position % shape.rows;
      const Index column = by_rows ? position % shape.columns : position / shape.rows;
      throw DataError({file}, "row " + std::to_string(row) + ", column " + std::to_string(column) +
                                  " (both counted from 0): the value is " + shortest(static_cast<double>(value)) +
                                  "; all values must be finite (for this precision)");
    }
  }
}

// One number of any type: as a double, and as the label that it is.
struct ExactNumber {
  double value = 0;
  std::string text;
};

template <class Integer>
ExactNumber exact_as(const char* bytes, ByteOrder order) {
  Integer number{};
  convert_as<Integer>(bytes, 1, order, &number);
  return {static_cast<double>(number), std::to_string(number)};
}

ExactNumber exact_number(const char* bytes, const ArrayShape& shape) {
  if (shape.type == NumberType::int64) {
    return exact_as<std::int64_t>(bytes, shape.bytes);
  }
  if (shape.type == NumberType::uint64) {
    return exact_as<std::uint64_t>(bytes, shape.bytes);
  }
  double value = 0;
  convert(bytes, 1, shape, &value);
  return {value, shortest(value)};
}

// Takes the target columns out of the bytes while these pass: neither float samples nor doubles tell all labels.
class TargetTap {
 public:
  // `names`: of all columns, or of none.
  TargetTap(std::vector<Index> columns, const std::vector<std::string>& names, const ArrayShape& shape,
            std::optional<LabelKind> kind)
      : columns_(std::move(columns)), shape_(shape), kind_(kind), targets_(columns_.size()), texts_(columns_.size()) {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      targets_[k].name = names.empty() ? numbered_column_name(columns_[k]) : names[columns_[k]];
    }
    if (!kind_ && shape.type == NumberType::boolean) {
      kind_ = LabelKind::boolean;
    }
    const bool has_wide_integers = shape.type == NumberType::int64 || shape.type == NumberType::uint64;
    keeps_texts_ = has_wide_integers || kind_ == LabelKind::boolean || kind_ == LabelKind::text;
  }

  const std::vector<Index>& columns() const { return columns_; }

  // `count` numbers from position `before` of the array on.
  void take(const char* bytes, Index before, Index count) {
    const auto width = static_cast<Index>(size_of(shape_.type));
    const bool by_rows = shape_.storage == StorageOrder::row_major;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const Index step = by_rows ? shape_.columns : 1;
      const Index first = by_rows ? columns_[k] : columns_[k] * shape_.rows;
      const Index end = by_rows ? shape_.rows * shape_.columns : first + shape_.rows;
      const Index skipped = first >= before ? 0 : (before - first + step - 1) / step;
      for (Index p = first + skipped * step; p < std::min(end, before + count); p += step) {
        ExactNumber number = exact_number(bytes + (p - before) * width, shape_);
        targets_[k].values.push_back(number.value);
        if (keeps_texts_) {
          texts_[k].emplace_back(std::move(number.text));
        }
      }
    }
  }

  std::vector<TargetColumn> targets() {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      targets_[k].kind = kind_;
      const bool are_needed = kind_ == LabelKind::boolean || kind_ == LabelKind::text || has_large_integers(k);
      if (keeps_texts_ && are_needed) {
        targets_[k].labels = labels_of_texts(texts_[k], kind_.value_or(LabelKind::integer));
      }
    }
    return std::move(targets_);
  }

 private:
  bool has_large_integers(std::size_t k) const {
    return std::ranges::any_of(texts_[k],
                               [](const auto& text) { return number_form(*text) == NumberForm::large_integer; });
  }

  std::vector<Index> columns_;
  const ArrayShape& shape_;
  std::optional<LabelKind> kind_;
  std::vector<TargetColumn> targets_;
  std::vector<std::vector<std::optional<std::string>>> texts_;
  bool keeps_texts_ = false;
};

template <class T>
Samples read_as(InputStream& stream, const ArrayShape& shape, const ReadOptions& options, TargetTap& tap,
                const Run& run) {
  constexpr Index block = Index{1} << 19;
  const Index total = shape.rows * shape.columns;
  const auto width = static_cast<Index>(size_of(shape.type));
  SegmentedArray<T> values;
  std::vector<char> bytes(std::min(block, total) * width);
  std::vector<T> numbers(std::min(block, total));
  bool merged = false;  // whether there are integers that a double does not tell from their neighbours
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
    if (shape.type == NumberType::int64 || shape.type == NumberType::uint64) {
      merged = merged || std::ranges::any_of(std::span(numbers).first(static_cast<std::size_t>(count)), [](T value) {
                 return std::abs(static_cast<double>(value)) > 9007199254740992.0;
               });
    }
    tap.take(bytes.data(), values.size(), count);
    if (options.non_finite == NonFinite::reject) {
      require_finite_block(numbers, count, values.size(), shape, options.missing, stream.name());
    }
    values.append(numbers.data(), count);
    run.progress("reading " + stream.name(), static_cast<double>(values.size()), static_cast<double>(total));
  }
  if (merged && static_cast<Index>(tap.columns().size()) < shape.columns) {
    run.warn(stream.name() +
             ": it holds integers beyond 2^53, which are rounded to doubles where they are inputs; write them into a "
             "table (CSV) where they are identities");
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

using Names = std::vector<std::string>;

// By name, where the array's columns got names, or by number.
std::optional<Index> find_target(const std::string& reference, const ReadOptions& options, const Names& names,
                                 Index columns) {
  if (const auto named = std::ranges::find(names, reference); named != names.end()) {
    return named - names.begin();
  }
  const auto number = options.target_references == References::names ? std::nullopt : parse_integer(reference);
  if (!number || *number < -columns || *number >= columns) {
    return std::nullopt;
  }
  return *number < 0 ? *number + columns : *number;
}

// Whether a file at prediction holds the inputs alone.
bool holds_inputs_alone(const ArrayShape& shape, const ReadOptions& options, const Names& names) {
  return options.targets_presence != Presence::required && options.schema && names.empty() &&
         options.schema->numeric_columns == shape.columns;
}

// The columns of the targets. At prediction they may be absent, and arrays have no names of their own.
std::vector<Index> target_columns(const ArrayShape& shape, const ReadOptions& options, const Names& names,
                                  const std::string& file) {
  std::vector<Index> columns;
  if (holds_inputs_alone(shape, options, names)) {
    return columns;
  }
  const bool may_lack = options.target_references == References::names ||
                        (!names.empty() && options.targets_presence != Presence::required);
  for (const std::string& reference : options.targets) {
    const auto column = find_target(reference, options, names, shape.columns);
    const bool is_taken = column && std::ranges::find(columns, *column) != columns.end();
    if (!column && may_lack) {
      continue;
    }
    if (!column || is_taken) {
      throw DataError({file}, "there is no column '" + reference + "' to take as target; the array has " +
                                  std::to_string(shape.columns) + " columns, without names, numbered from 0");
    }
    columns.push_back(*column);
  }
  return columns;
}

Names names_without(Names names, const std::vector<Index>& taken) {
  Names rest;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (std::ranges::find(taken, static_cast<Index>(j)) == taken.end()) {
      rest.push_back(std::move(names[j]));
    }
  }
  return rest;
}

Samples without_columns(const Samples& samples, const std::vector<Index>& taken) {
  ColumnSelection rest;
  for (Index j = 0; j < samples.columns(); ++j) {
    if (std::ranges::find(taken, j) == taken.end()) {
      rest.references.emplace_back(ColumnSpan{j, j + 1});
    }
  }
  return rest.references.empty() ? Samples(DenseRows<double>{nullptr, samples.size(), 0, 0, 1})
                                 : select_columns(samples, rest);
}

template <class T>
bool is_complete(const DenseRows<T>& rows, Index row) {
  for (Index j = 0; j < rows.columns; ++j) {
    if (std::isnan(rows(row, j))) {
      return false;
    }
  }
  return true;
}

bool has_targets(const DataFile& file, Index row) {
  return !file.targets || std::ranges::none_of(file.targets->columns(), [&](const TargetColumn& column) {
    return std::isnan(column.values[row]);
  });
}

void drop_incomplete_rows(DataFile& file, const std::string& name) {
  std::vector<Index> complete;
  const bool is_float = std::holds_alternative<DenseRows<float>>(file.samples.rows());
  for (Index i = 0; i < file.samples.size(); ++i) {
    const bool has_inputs = is_float ? is_complete(file.samples.as<DenseRows<float>>(), i)
                                     : is_complete(file.samples.as<DenseRows<double>>(), i);
    if (has_inputs && has_targets(file, i)) {
      complete.push_back(i);
    }
  }
  if (complete.empty()) {
    throw DataError({name}, "every row has a missing value, none is left; fill the values in");
  }
  if (static_cast<Index>(complete.size()) < file.samples.size()) {
    keep_rows(file, complete);
  }
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

DataFile read_array(InputStream& stream, const ArrayShape& shape, const ReadOptions& options, const Run& run) {
  const auto by_place = options.schema ? names_by_place(*options.schema, static_cast<std::size_t>(shape.columns),
                                                        stream.name(), NamesOfFormat::none, run)
                                       : std::nullopt;
  const Names names = by_place.value_or(Names{});
  TargetTap tap(target_columns(shape, options, names, stream.name()), names, shape, options.label_kind);
  DataFile result;
  result.samples = options.precision == StoredPrecision::float32 ? read_as<float>(stream, shape, options, tap, run)
                                                                 : read_as<double>(stream, shape, options, tap, run);
  if (!tap.columns().empty()) {
    result.samples = without_columns(result.samples, tap.columns());
    if (options.targets_presence != Presence::ignored) {
      result.targets = Targets(tap.targets());
    }
  }
  if (options.missing == MissingValues::drop) {
    drop_incomplete_rows(result, stream.name());
  }
  if (!names.empty()) {
    result.samples = make_table(Table(result.samples, names_without(names, tap.columns()), {}));
  }
  if (options.schema) {
    result.samples = apply_schema(result.samples, *options.schema);
  }
  result.schema = schema_of(result.samples);
  return result;
}

}  // namespace mercer
