// ColumnFinder: the columns of a delimited text by name, number or range, as flags and callers refer to them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/csv_names.h"
#include "mercer/data/files/table_layout.h"
#include "mercer/data/numbered_column.h"

namespace mercer {

inline std::string described_column(const TableLayout& layout, std::size_t c) {
  return layout.named ? "'" + layout.names[c] + "'" : std::to_string(c);
}

// Finds file columns by name or by number.
class ColumnFinder {
 public:
  ColumnFinder(const TableLayout& layout, const std::string& file, const RepeatedNames& repeated)
      : file_(file), names_(layout.names), repeated_(repeated), named_(layout.named) {
    for (std::size_t c = 0; named_ && c < names_.size(); ++c) {
      numbers_.emplace(names_[c], c);
    }
  }

  const std::string& file() const { return file_; }

  std::optional<std::size_t> find(const std::string& reference) const {
    if (const auto named = numbers_.find(reference); named != numbers_.end()) {
      return named->second;
    }
    const auto count = static_cast<Index>(names_.size());
    const auto number = named_ || !numbered_column(reference) ? parse_integer(reference)
                                                              : std::optional<long long>(numbered_column(reference));
    if (number && *number >= -count && *number < count) {
      return static_cast<std::size_t>(*number < 0 ? *number + count : *number);
    }
    return std::nullopt;
  }

  std::vector<std::size_t> require_all(const std::string& reference, std::string_view what) const {
    if (const auto one = find(reference)) {
      return {*one};
    }
    std::vector<std::size_t> found = find_columns(reference, names_);
    if (found.empty()) {
      reject(reference, what);
    }
    return found;
  }

  bool is_name(const std::string& reference) const { return numbers_.contains(reference); }

  [[noreturn]] void reject(const std::string& reference, std::string_view what) const {
    throw DataError({file_}, "there is no column '" + reference + "' for the " + std::string(what) + "; the file has " +
                                 std::to_string(names_.size()) + " columns, " +
                                 (parse_integer(reference) ? std::string("numbered from 0")
                                  : named_                 ? "named." + did_you_mean(reference, names_)
                                                           : std::string("without names, numbered from 0")));
  }

  std::size_t require(const std::string& reference, std::string_view what) const {
    const auto found = find(reference);
    if (!found) {
      reject(reference, what);
    }
    return *found;
  }

  void require_unique(const std::string& name) const {
    if (const auto again = repeated_.find(name); again != repeated_.end()) {
      throw DataError({file_}, "two columns are named '" + name + "', " + std::to_string(*find(name)) + " and " +
                                   std::to_string(again->second) +
                                   " counted from 0; give the number of the one that is meant, or rename one");
    }
  }

 private:
  const std::string& file_;
  const std::vector<std::string>& names_;
  const RepeatedNames& repeated_;
  bool named_;
  std::unordered_map<std::string, std::size_t> numbers_;  // empty where the columns have no names
};

}  // namespace mercer
