#include "mercer/kernels/coordinate/column_levels.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// Gathers the columns that are compared, numbers before categories.
class ColumnReader {
 public:
  explicit ColumnReader(const KernelEntry& entry) : entry_(entry) {}

  std::vector<ComparedColumn> read(const Samples& samples) {
    if (samples.kind() == SampleKind::categories) {
      columns_.push_back({.samples = samples});
    } else if (samples.kind() == SampleKind::table) {
      add_numbers(samples.table().numbers());
      for (const Table::Column& column : samples.table().others()) {
        if (column.values.kind() != SampleKind::categories) {
          throw_not_comparable("column '" + column.name + "' holds " + std::string(to_string(column.values.kind())));
        }
        columns_.push_back({.samples = column.values});
      }
    } else {
      add_numbers(samples);
    }
    return std::move(columns_);
  }

 private:
  [[noreturn]] void throw_not_comparable(const std::string& what) const {
    throw InvalidArgument(entry_.name + " compares categories and numbers, but " + what +
                          "; choose columns with a subscript, such as " + entry_.name + "()[colour]");
  }

  void add_numbers(const Samples& samples) {
    if (samples.columns() == 0) {
      return;
    }
    if (!samples.is_numeric()) {
      throw_not_comparable("the samples are " + std::string(to_string(samples.kind())));
    }
    require_finite(samples);
    const Samples dense = to_dense<double>(samples);
    for (Index c = 0; c < dense.columns(); ++c) {
      columns_.push_back({.samples = dense, .number = c});
    }
  }

  const KernelEntry& entry_;
  std::vector<ComparedColumn> columns_;
};

}  // namespace

std::vector<ComparedColumn> compared_columns(const KernelEntry& entry, const Samples& samples) {
  return ColumnReader(entry).read(samples);
}

ColumnLevels::ColumnLevels(const ComparedColumn& column) : is_category_(column.is_category()) {
  if (is_category_) {
    const std::span<const std::string> names = column.samples.as<CategoryRows>().levels;
    names_.assign(names.begin(), names.end());
    return;
  }
  const auto& rows = column.samples.as<DenseRows<double>>();
  values_.reserve(rows.rows);
  for (Index i = 0; i < rows.rows; ++i) {
    values_.push_back(rows(i, column.number));
  }
  std::sort(values_.begin(), values_.end());
  values_.erase(std::unique(values_.begin(), values_.end()), values_.end());
}

namespace {

std::uint32_t code_of_place(std::size_t place) { return ColumnLevels::first_level + static_cast<std::uint32_t>(place); }

// The code of each level that a column itself speaks of.
std::vector<std::uint32_t> codes_of_names(std::span<const std::string> own, const std::vector<std::string>& names) {
  std::vector<std::uint32_t> codes(own.size(), ColumnLevels::unknown_level);
  if (std::ranges::equal(own, names)) {
    for (std::size_t level = 0; level < codes.size(); ++level) {
      codes[level] = code_of_place(level);
    }
    return codes;
  }
  std::unordered_map<std::string_view, std::uint32_t> code_of;
  for (std::size_t place = 0; place < names.size(); ++place) {
    code_of.emplace(names[place], code_of_place(place));
  }
  for (std::size_t level = 0; level < own.size(); ++level) {
    if (const auto found = code_of.find(own[level]); found != code_of.end()) {
      codes[level] = found->second;
    }
  }
  return codes;
}

ColumnLevels::Codes code_categories(const CategoryRows& rows, const std::vector<std::string>& names) {
  const std::vector<std::uint32_t> code_of = codes_of_names(rows.levels, names);
  ColumnLevels::Codes result{.codes = std::vector<std::uint32_t>(rows.rows), .new_numbers = {}};
  for (Index i = 0; i < rows.rows; ++i) {
    const std::int32_t level = rows.codes[i];
    result.codes[i] = level < 0 ? ColumnLevels::unknown_level : code_of[level];
  }
  return result;
}

ColumnLevels::Codes code_numbers(const DenseRows<double>& rows, Index column, const std::vector<double>& values) {
  ColumnLevels::Codes result{.codes = std::vector<std::uint32_t>(rows.rows), .new_numbers = {}};
  for (Index i = 0; i < rows.rows; ++i) {
    const double value = rows(i, column);
    const auto found = std::lower_bound(values.begin(), values.end(), value);
    if (found != values.end() && *found == value) {
      result.codes[i] = code_of_place(static_cast<std::size_t>(found - values.begin()));
    } else {
      result.codes[i] = ColumnLevels::unknown_level;
      result.new_numbers.push_back({i, value});
    }
  }
  return result;
}

}  // namespace

ColumnLevels::Codes ColumnLevels::code(const ComparedColumn& column) const {
  return is_category_ ? code_categories(column.samples.as<CategoryRows>(), names_)
                      : code_numbers(column.samples.as<DenseRows<double>>(), column.number, values_);
}

}  // namespace mercer
