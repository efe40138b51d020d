// How the coding of a table is fitted to its training rows.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/coding.h"
#include "mercer/data/columns.h"
#include "mercer/data/weighted_quantile.h"

namespace mercer {

namespace {

struct NumberColumn {
  std::vector<WeightedValue> values;  // that are there
  Index missing = 0;
  bool is_constant() const {
    return std::ranges::all_of(values, [&](const auto& value) { return value.value == values.front().value; });
  }
};

NumberColumn number_column(const Samples& numeric, Index column, const WeightedSamples& raw) {
  NumberColumn result;
  visit_numeric(numeric, [&](const auto& rows) {
    if constexpr (requires { rows.column_stride; }) {
      for (Index i = 0; i < rows.rows; ++i) {
        const auto value = static_cast<double>(rows(i, column));
        if (raw.weight(i) <= 0) {
          continue;
        }
        if (std::isnan(value)) {
          ++result.missing;
        } else {
          result.values.push_back({value, raw.weight(i)});
        }
      }
    }
  });
  return result;
}

bool leaves_nothing_missing(MissingRule rule) { return rule == MissingRule::indicator || rule == MissingRule::fill; }

// Nobody sees an indicator where all columns are named.
NumberCoding coded_number(const NumberColumn& column, const CodingRule& rule) {
  NumberCoding coding;
  coding.missing = column.missing;
  // Also where rows are dropped or refused: the user may want new ones filled.
  if (rule.missing != MissingRule::kernel) {
    std::vector<WeightedValue> sorted = column.values;
    sort_by_value(sorted);
    // A column without a value that has to stay tells nothing.
    coding.fill = sorted.empty() ? 0 : weighted_quantile(sorted, 0.5);
    coding.has_indicator =
        rule.missing == MissingRule::indicator && rule.unnamed == CodingRule::Unnamed::coded && column.missing > 0;
  }
  return coding;
}

std::optional<LeftOutReason> useless(const NumberColumn& column, const CodingRule& rule) {
  if (column.values.empty()) {
    return LeftOutReason::empty;
  }
  const bool tells_by_missing = column.missing > 0 && rule.missing != MissingRule::fill;
  const bool may_go = rule.constants == CodingRule::Constants::left_out;
  return may_go && column.is_constant() && !tells_by_missing ? std::optional(LeftOutReason::constant) : std::nullopt;
}

// How often each level stands, in weights.
std::vector<double> frequencies(const CategoryRows& rows, std::size_t levels, const WeightedSamples& raw) {
  std::vector<double> counts(levels, 0.0);
  for (Index i = 0; i < rows.rows; ++i) {
    if (rows.codes[i] >= 0) {
      counts[rows.codes[i]] += raw.weight(i);
    }
  }
  return counts;
}

CategoryCoding coded_category(const SchemaColumn& column, const CategoryRows& rows, const WeightedSamples& raw,
                              Index most_levels) {
  const std::vector<double> counts = frequencies(rows, column.levels.size(), raw);
  CategoryCoding coding;
  coding.column = column.name;
  for (std::size_t level = 0; level < counts.size(); ++level) {
    if (counts[level] > 0) {
      coding.levels.push_back(static_cast<std::int32_t>(level));
    }
  }
  if (static_cast<Index>(coding.levels.size()) > most_levels) {
    std::ranges::stable_sort(coding.levels, [&](std::int32_t a, std::int32_t b) { return counts[a] > counts[b]; });
    coding.levels.resize(most_levels);
    std::ranges::sort(coding.levels);
    coding.has_rest = true;
  }
  for (Index i = 0; i < rows.rows; ++i) {
    coding.missing += rows.codes[i] >= 0 && column.levels[rows.codes[i]].empty() && raw.weight(i) > 0 ? 1 : 0;
  }
  return coding;
}

// Those that are there.
bool all_differ(const StringRows& rows) {
  std::unordered_set<std::string_view> seen;
  for (Index i = 0; i < rows.rows; ++i) {
    if (!rows[i].empty() && !seen.insert(rows[i]).second) {
      return false;
    }
  }
  return true;
}

class CodingFitter {
 public:
  CodingFitter(const CodingRule& rule, const Schema& schema, const WeightedSamples& raw)
      : rule_(rule), schema_(schema), raw_(raw) {
    result_.schema = schema;
    result_.schema.numeric_columns = 0;
    result_.schema.columns.clear();
    result_.coding.missing = rule.missing;
    result_.coding.is_fitted = true;
  }

  SchemaCoding fit() {
    const bool is_table = raw_.samples.kind() == SampleKind::table;
    const Samples numeric = is_table ? raw_.samples.table().numeric() : raw_.samples;
    for (Index j = 0; j < numeric.columns(); ++j) {
      take_number(numeric, j);
    }
    if (is_table) {
      for (const Table::Column& column : raw_.samples.table().others()) {
        take_other(column);
      }
    }
    keep_something();
    require_something();
    if (numeric.kind() != SampleKind::dense) {
      result_.coding.numbers.clear();
    }
    return std::move(result_);
  }

 private:
  bool is_named(const std::string& column) const { return std::ranges::find(rule_.named, column) != rule_.named.end(); }
  bool is_in_subscripts(const std::string& column) const {
    return std::ranges::find(rule_.in_subscripts, column) != rule_.in_subscripts.end();
  }
  bool may_go(const std::string& column) const {
    return rule_.unnamed == CodingRule::Unnamed::coded && !is_named(column);
  }

  void take_number(const Samples& numeric, Index j) {
    const NumberColumn column = number_column(numeric, j, raw_);
    const bool is_dense = numeric.kind() == SampleKind::dense;
    const bool has_name = !schema_.columns.empty();
    const auto reason = is_dense ? useless(column, rule_) : std::nullopt;
    if (reason && has_name && rule_.numbering == CodingRule::Numbering::free && may_go(schema_.columns[j].name)) {
      result_.coding.left_out.push_back({schema_.columns[j].name, *reason});
      left_out_numbers_.emplace_back(schema_.columns[j], coded_number(column, rule_));
      return;
    }
    add_number(has_name ? &schema_.columns[j] : nullptr, coded_number(column, rule_));
  }

  void add_number(const SchemaColumn* column, const NumberCoding& coding) {
    result_.coding.numbers.push_back(coding);
    ++result_.schema.numeric_columns;
    if (column != nullptr) {
      result_.schema.columns.push_back(*column);
    }
  }

  void take_other(const Table::Column& column) {
    const SchemaColumn& described = *std::ranges::find(schema_.columns, column.name, &SchemaColumn::name);
    const bool stays = !may_go(column.name) || rule_.beside == CodingRule::Beside::all;
    const bool is_coded = rule_.unnamed == CodingRule::Unnamed::coded || is_in_subscripts(column.name);
    if (column.values.kind() == SampleKind::categories && is_coded) {
      CategoryCoding coding = coded_category(described, column.values.as<CategoryRows>(), raw_, rule_.most_levels);
      if (coding.levels.size() > 1 || is_in_subscripts(column.name)) {
        result_.coding.categories.push_back(std::move(coding));
        if (is_in_subscripts(column.name)) {
          result_.coding.in_subscripts.push_back(column.name);
        }
      } else if (!stays) {
        result_.coding.left_out.push_back({column.name, LeftOutReason::constant});
        return;
      }
    } else if (!stays) {
      const auto* const texts = std::get_if<StringRows>(&column.values.rows());
      const bool is_unique = texts != nullptr && all_differ(*texts);
      result_.coding.left_out.push_back({column.name, is_unique          ? LeftOutReason::unique
                                                      : texts != nullptr ? LeftOutReason::text
                                                                         : LeftOutReason::object});
      return;
    }
    result_.schema.columns.push_back(described);
    if (stays) {
      result_.coding.beside.push_back(column.name);
    }
  }

  // A model of columns that tell nothing is a poor one; without columns there is none.
  void keep_something() {
    if (result_.schema.numeric_columns > 0 || result_.schema.columns.size() > 0) {
      return;
    }
    const bool tell_nothing = std::ranges::all_of(result_.coding.left_out, [](const LeftOutColumn& column) {
      return column.reason == LeftOutReason::constant || column.reason == LeftOutReason::empty;
    });
    if (tell_nothing && left_out_numbers_.empty()) {
      return;  // see require_something()
    }
    for (const auto& [column, coding] : left_out_numbers_) {
      add_number(&column, coding);
      std::erase_if(result_.coding.left_out, [&](const LeftOutColumn& other) { return other.column == column.name; });
    }
    if (left_out_numbers_.empty()) {
      keep_others();
    }
  }

  // Whoever asks for a kernel then says which kinds of columns there are.
  void keep_others() {
    for (const LeftOutColumn& column : std::exchange(result_.coding.left_out, {})) {
      result_.schema.columns.push_back(*std::ranges::find(schema_.columns, column.column, &SchemaColumn::name));
      result_.coding.beside.push_back(column.column);
    }
  }

  void require_something() const {
    if (result_.schema.numeric_columns == 0 && result_.schema.columns.empty() && !result_.coding.left_out.empty()) {
      throw DataError("no column is left for the model; left out: " + listed_left_out());
    }
  }

  std::string listed_left_out() const {
    std::vector<std::string> reasons;
    for (const LeftOutColumn& column : result_.coding.left_out) {
      reasons.push_back(column.column + " (" + std::string(to_string(column.reason)) + ")");
    }
    return join(reasons, ", ");
  }

  const CodingRule& rule_;
  const Schema& schema_;
  const WeightedSamples& raw_;
  SchemaCoding result_;
  std::vector<std::pair<SchemaColumn, NumberCoding>> left_out_numbers_;
};

bool codes_named_categories(const CodingRule& rule, const Schema& schema) {
  return std::ranges::any_of(schema.columns, [&](const SchemaColumn& column) {
    return column.kind == ColumnKind::categorical &&
           std::ranges::find(rule.in_subscripts, column.name) != rule.in_subscripts.end();
  });
}

// Only tables and rows of numbers that may be missing have anything to code.
bool is_coded(const CodingRule& rule, const Schema& schema, const Samples& raw) {
  const bool does_something = rule.unnamed == CodingRule::Unnamed::coded || leaves_nothing_missing(rule.missing) ||
                              rule.missing == MissingRule::drop ||  // which is done again at prediction
                              codes_named_categories(rule, schema);
  const bool has_columns = raw.kind() == SampleKind::table ? !schema.columns.empty() || raw.table().others().empty()
                                                           : raw.kind() == SampleKind::dense;
  return does_something && has_columns && raw.size() > 0;
}

// Tables may have columns beside those of the schema.
Samples with_columns_of_schema(const Samples& samples, const Schema& schema) {
  const bool is_table = samples.kind() == SampleKind::table && !schema.columns.empty();
  return is_table ? apply_schema(samples, schema) : samples;
}

}  // namespace

SchemaCoding fit_coding(const CodingRule& rule, Schema schema, const WeightedSamples& raw) {
  if (!is_coded(rule, schema, raw.samples)) {
    Coding coding;
    coding.missing = rule.missing;
    return {std::move(schema), std::move(coding)};
  }
  const WeightedSamples described = raw.with(with_columns_of_schema(raw.samples, schema));
  return CodingFitter(rule, schema, described).fit();
}

}  // namespace mercer
