// Coding: how the columns of a table become the numbers that kernels on vectors see,
//
//   number    ──► itself; a missing one is the median of the column, with 1 in a column beside it where that was asked for
//   category  ──► one column per level, 1 in the column of its level and 0 in the others: x and z of different levels are
//                 two apart in squared distance, whatever the levels
//
// Fitted to the training rows and replayed on every row that comes after: a level that was not there then has 0 in all
// columns. A missing category is a level of its own. What tells nothing (columns of one value) or nothing that comes
// again (texts, names) is left out, and said.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/data/schema.h"
#include "mercer/data/weighted_samples.h"

namespace mercer {

/// What becomes of missing numbers. `indicator`: the median, and a column that says so beside. `fill`: the median alone.
/// `drop`: their rows are left out. `reject`: an error. `kernel`: they stay, for kernels that know (if_present).
enum class MissingRule { indicator, fill, drop, reject, kernel };
constexpr auto words_of(MissingRule) {
  return std::array{Word{MissingRule::indicator, "indicator"}, Word{MissingRule::fill, "fill"},
                    Word{MissingRule::drop, "drop"}, Word{MissingRule::reject, "reject"},
                    Word{MissingRule::kernel, "kernel"}};
}
constexpr std::string_view to_string(MissingRule rule) { return word_of(rule); }

/// Why a column is not used.
enum class LeftOutReason { text, unique, constant, empty, object };
constexpr auto words_of(LeftOutReason) {
  return std::array{Word{LeftOutReason::text, "text"}, Word{LeftOutReason::unique, "unique"},
                    Word{LeftOutReason::constant, "constant"}, Word{LeftOutReason::empty, "empty"},
                    Word{LeftOutReason::object, "no numbers"}};
}
constexpr std::string_view to_string(LeftOutReason reason) { return word_of(reason); }

struct CodingRule {
  MissingRule missing = MissingRule::reject;
  /// Whether columns are looked at without being named: only then categories are coded and columns left out.
  enum class Unnamed { coded, as_they_are } unnamed = Unnamed::as_they_are;
  /// Columns that stay beside the numbers, and are not left out, since somebody asks for them by name.
  std::vector<std::string> named = {};
  /// Columns that subscripts of kernels on vectors name: categories among them are coded in any case, and these kernels
  /// see their columns of 0 and 1.
  std::vector<std::string> in_subscripts = {};
  /// All others stay beside the numbers as well: for kernels that look at categories or texts without naming them.
  enum class Beside { named, all } beside = Beside::named;
  /// Whether columns of numbers are counted somewhere, so that none may go.
  enum class Numbering { free, kept } numbering = Numbering::free;
  /// Whether columns of one number go; kept where the columns are a matrix whose units and widths stay as they are.
  enum class Constants { left_out, kept } constants = Constants::left_out;
  /// Of levels with a column of their own, the most frequent ones; all others share one.
  Index most_levels = 200;
};

struct NumberCoding {
  double fill = std::numeric_limits<double>::quiet_NaN();  ///< for missing ones; NaN: they stay
  bool has_indicator = false;
  Index missing = 0;  ///< of the training rows
  bool operator==(const NumberCoding&) const = default;
};

struct CategoryCoding {
  std::string column;
  std::vector<std::int32_t> levels;  ///< of the schema's, those with a column of their own, ascending
  bool has_rest = false;             ///< whether the others of the schema share one
  Index missing = 0;
  bool operator==(const CategoryCoding&) const = default;
};

struct LeftOutColumn {
  std::string column;
  LeftOutReason reason = LeftOutReason::text;
  bool operator==(const LeftOutColumn&) const = default;
};

struct Coding {
  MissingRule missing = MissingRule::reject;
  std::vector<NumberCoding> numbers;            ///< of the schema's numeric columns; empty: they stay as they are
  std::vector<CategoryCoding> categories;       ///< those that are coded
  std::vector<std::string> beside;              ///< the schema's other columns that stay as well, by name
  std::vector<std::string> in_subscripts = {};  ///< categories whose columns subscripts that name them see
  bool is_fitted = false;                       ///< false: rows stay as they are
  std::vector<LeftOutColumn> left_out;
  bool operator==(const Coding&) const = default;

  /// So many columns are made beside the numbers.
  Index indicators() const;
  /// Rows with the columns of the schema (apply_schema) as the model takes them: identity is kept. Warns once of levels
  /// that the schema does not have. O(n (d + columns made)).
  Samples apply(const Samples& described, const Schema& schema, const Run& run = {}) const;
  /// Of each of the columns that are made, the category that it is of where subscripts see it (Table::indicator_sources).
  std::vector<std::string> indicator_sources() const;
  /// Names of the columns that are made: "age is missing", "job=clerk", "town=(other)".
  std::vector<std::string> indicator_names(const Schema& schema) const;
};

/// A schema without the columns that are left out, and what becomes of the others.
struct SchemaCoding {
  Schema schema;
  Coding coding;
};

/// Of rows that the schema describes. Medians and frequencies count rows by their weights.
SchemaCoding fit_coding(const CodingRule& rule, Schema schema, const WeightedSamples& raw);

/// What rows lack that training rows had, in rows by column: numbers that are filled, and levels that count as none.
struct CodingGaps {
  std::map<std::string, Index> filled;
  std::map<std::string, Index> unknown;
  void add(const CodingGaps& other);
};
CodingGaps find_gaps(const Coding& coding, const Samples& described, const Schema& schema);
/// "age 2, town 1".
std::string describe(const std::map<std::string, Index>& rows_by_column);
/// One warning of unknown levels, where there are any.
void warn_of_unknown_levels(const CodingGaps& gaps, const Run& run);

/// "14 columns: 6 numbers, 8 categories (102 levels); missing: workclass 1836, occupation 1843; left out: id (unique)".
std::string describe(const Schema& schema, const Coding& coding);

}  // namespace mercer
