#include "mercer/data/columns.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/base/unknown_column.h"

namespace mercer {

namespace {

bool is_identifier(std::string_view name) {
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), word);
}

std::string quoted(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') {
      text += '\\';
    }
    text += c;
  }
  return text + '"';
}

std::string printed_name(const std::string& name) { return is_identifier(name) ? name : quoted(name); }

// Which columns a selection names: numeric ones by number, others by their place in the table.
struct Resolved {
  std::vector<Index> numeric;
  std::vector<std::size_t> others;
  std::vector<std::string> indicator_sources;  // of the last of the numeric ones, where they are indicators
};

void resolve_span(const ColumnSpan& span, Index columns, Resolved& resolved) {
  if (span.begin < 0 || span.begin >= span.end || span.end > columns) {
    throw UnknownColumn("column subscript [" + to_string(ColumnReference(span)) + "]: the samples have " +
                        std::to_string(columns) + " numeric columns, numbered from 0");
  }
  for (Index j = span.begin; j < span.end; ++j) {
    resolved.numeric.push_back(j);
  }
}

// The columns of a table by name: numeric ones, then others.
using NamedColumns = std::unordered_map<std::string_view, std::size_t>;

NamedColumns named_columns(const Table& table) {
  NamedColumns columns;
  for (const std::string& name : table.numeric_names()) {
    columns.emplace(name, columns.size());
  }
  for (const Table::Column& column : table.others()) {
    columns.emplace(column.name, columns.size());
  }
  return columns;
}

void resolve_name(const std::string& name, const Table& table, const NamedColumns& columns, Resolved& resolved) {
  const auto names = table.numeric_names();
  if (const auto found = columns.find(name); found != columns.end()) {
    if (found->second < names.size()) {
      resolved.numeric.push_back(static_cast<Index>(found->second));
    } else {
      resolved.others.push_back(found->second - names.size());
    }
    return;
  }
  std::vector<std::string> known(names.begin(), names.end());
  for (const Table::Column& column : table.others()) {
    known.push_back(column.name);
  }
  const auto sources = table.indicator_sources();
  known.insert(known.end(), sources.begin(), sources.end());
  throw UnknownColumn("column subscript: there is no column '" + name + "'." + did_you_mean(name, known));
}

// The numbers without the indicators, then the other columns.
std::vector<std::string> names_in_order(const Table& table) {
  const auto names = table.numeric_names();
  const auto numbers = static_cast<Index>(names.size()) - table.indicators();
  std::vector<std::string> order(names.begin(), names.begin() + std::max<Index>(0, numbers));
  for (const Table::Column& column : table.others()) {
    order.push_back(column.name);
  }
  return order;
}

void resolve_range(const ColumnNameRange& range, const Table& table, const NamedColumns& columns, Resolved& resolved) {
  const std::vector<std::string> order = names_in_order(table);
  const auto place = [&](const std::string& name) {
    const auto found = std::ranges::find(order, name);
    if (found == order.end()) {
      resolve_name(name, table, columns, resolved);  // says that there is none
      throw UnknownColumn("column subscript [" + to_string(ColumnReference(range)) + "]: '" + name +
                          "' says what other columns hold, and is no end of a range");
    }
    return found;
  };
  const auto first = place(range.first);
  const auto last = place(range.last);
  if (last < first) {
    throw UnknownColumn("column subscript [" + to_string(ColumnReference(range)) + "]: '" + range.last +
                        "' comes before '" + range.first + "'");
  }
  for (auto name = first; name <= last; ++name) {
    resolve_name(*name, table, columns, resolved);
  }
}

// The columns of 0 and 1 of categories that are named, once each, behind the numbers.
void add_indicators(const Table& table, CategoriesAs categories, Resolved& resolved) {
  const auto sources = table.indicator_sources();
  const Index first = table.numeric().columns() - table.indicators();
  std::vector<std::size_t> unseen;
  for (const std::size_t c : resolved.others) {
    const std::string& name = table.others()[c].name;
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const Index column = first + static_cast<Index>(s);
      if (sources[s] == name && std::ranges::find(resolved.numeric, column) == resolved.numeric.end()) {
        resolved.numeric.push_back(column);
        resolved.indicator_sources.push_back(name);
      }
    }
    if (categories == CategoriesAs::both || std::ranges::find(sources, name) == sources.end()) {
      unseen.push_back(c);
    }
  }
  resolved.others = std::move(unseen);
}

Resolved resolve(const Samples& samples, const ColumnSelection& selection, CategoriesAs categories) {
  if (!samples.is_numeric() && samples.kind() != SampleKind::table) {
    throw InvalidArgument("column subscript " + to_string(selection) + ": samples of kind '" +
                          std::string(to_string(samples.kind())) + "' have no columns to choose from");
  }
  const Table* table = samples.is_numeric() ? nullptr : &samples.table();
  const Index columns = table != nullptr ? table->numeric().columns() - table->indicators() : samples.columns();
  Resolved resolved;
  const NamedColumns named = table != nullptr ? named_columns(*table) : NamedColumns{};
  for (const ColumnReference& reference : selection.references) {
    if (const auto* span = std::get_if<ColumnSpan>(&reference)) {
      resolve_span(*span, columns, resolved);
    } else if (const auto* range = std::get_if<ColumnNameRange>(&reference); range != nullptr && table != nullptr) {
      resolve_range(*range, *table, named, resolved);
    } else if (table != nullptr) {
      resolve_name(std::get<ColumnName>(reference).name, *table, named, resolved);
    } else {
      const auto* const name = std::get_if<ColumnName>(&reference);
      throw UnknownColumn("column subscript: there is no column '" + (name != nullptr ? name->name : range->first) +
                          "', the columns of these samples have no names; use their numbers, 0 … " +
                          std::to_string(columns - 1));
    }
  }
  if (table != nullptr && categories != CategoriesAs::columns && !table->indicator_sources().empty()) {
    add_indicators(*table, categories, resolved);
  }
  return resolved;
}

// The step between the numbers if it is one and the same, and positive.
std::optional<Index> constant_step(std::span<const Index> numbers) {
  if (numbers.size() < 2) {
    return 1;
  }
  const Index step = numbers[1] - numbers[0];
  for (std::size_t j = 1; j < numbers.size(); ++j) {
    if (numbers[j] - numbers[j - 1] != step) {
      return std::nullopt;
    }
  }
  return step > 0 ? std::optional(step) : std::nullopt;
}

template <class T>
Samples pick_columns(const Samples& samples, const DenseRows<T>& rows, std::span<const Index> numbers) {
  const auto count = static_cast<Index>(numbers.size());
  if (const auto step = constant_step(numbers)) {
    DenseRows<T> view = rows;
    view.data += count > 0 && rows.data != nullptr ? numbers[0] * rows.column_stride : 0;
    view.columns = count;
    view.column_stride *= *step;
    // The view shares the memory of the samples, so it keeps them alive.
    return Samples(view, std::make_shared<Samples>(samples));
  }
  Matrix<T> copy(rows.rows, count);
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index j = 0; j < count; ++j) {
      copy(i, j) = rows(i, numbers[j]);
    }
  }
  return make_dense(std::move(copy));
}

// Places [starts[c], starts[c+1]) of `positions` are the new numbers of old column c (several if it is named twice).
struct ColumnMap {
  std::vector<Index> starts;
  std::vector<std::int32_t> positions;
};

ColumnMap column_map(std::span<const Index> numbers, Index columns) {
  ColumnMap map{std::vector<Index>(static_cast<std::size_t>(columns) + 1), std::vector<std::int32_t>(numbers.size())};
  for (const Index number : numbers) {
    ++map.starts[number + 1];
  }
  for (std::size_t c = 1; c < map.starts.size(); ++c) {
    map.starts[c] += map.starts[c - 1];
  }
  std::vector<Index> next = map.starts;
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    map.positions[next[numbers[j]]++] = static_cast<std::int32_t>(j);
  }
  return map;
}

template <class T>
Samples pick_columns(const Samples&, const SparseRows<T>& rows, std::span<const Index> numbers) {
  const ColumnMap map = column_map(numbers, rows.columns);
  std::vector<T> values;
  std::vector<std::int32_t> column_numbers;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::pair<std::int32_t, T>> row;
  for (Index i = 0; i < rows.rows; ++i) {
    row.clear();
    for (Index p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
      const auto old = static_cast<std::size_t>(rows.column_numbers[p]);
      for (Index k = map.starts[old]; k < map.starts[old + 1]; ++k) {
        row.emplace_back(map.positions[k], rows.values[p]);
      }
    }
    std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [column, value] : row) {
      column_numbers.push_back(column);
      values.push_back(value);
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return make_sparse(std::move(values), std::move(column_numbers), std::move(offsets),
                     static_cast<Index>(numbers.size()));
}

Samples numeric_columns(const Samples& samples, std::span<const Index> numbers) {
  return std::visit(
      [&]<class R>(const R& rows) -> Samples {
        if constexpr (requires { rows.columns; }) {
          return pick_columns(samples, rows, numbers);
        } else {
          throw InvalidArgument("numeric columns were asked of samples of another kind");
        }
      },
      samples.rows());
}

Samples table_columns(const Table& table, const Resolved& resolved) {
  std::vector<std::string> names;
  std::vector<Table::Column> others;
  for (const Index j : resolved.numeric) {
    if (!table.numeric_names().empty()) {
      names.push_back(table.numeric_names()[j]);
    }
  }
  for (const std::size_t c : resolved.others) {
    others.push_back(table.others()[c]);
  }
  return make_table(Table(numeric_columns(table.numeric(), resolved.numeric), std::move(names), std::move(others),
                          static_cast<Index>(resolved.indicator_sources.size()), resolved.indicator_sources));
}

}  // namespace

std::string to_string(const ColumnReference& reference) {
  if (const auto* name = std::get_if<ColumnName>(&reference)) {
    return printed_name(name->name);
  }
  if (const auto* range = std::get_if<ColumnNameRange>(&reference)) {
    return printed_name(range->first) + ":" + printed_name(range->last);
  }
  const auto& span = std::get<ColumnSpan>(reference);
  return span.end == span.begin + 1 ? std::to_string(span.begin)
                                    : std::to_string(span.begin) + ":" + std::to_string(span.end);
}

std::string to_string(const ColumnSelection& selection) {
  std::vector<std::string> parts;
  for (const ColumnReference& reference : selection.references) {
    parts.push_back(to_string(reference));
  }
  return "[" + join(parts, ", ") + "]";
}

Samples select_columns(const Samples& samples, const ColumnSelection& selection, CategoriesAs categories) {
  if (selection.references.empty()) {
    throw InvalidArgument("column subscript []: must name at least one column");
  }
  const Resolved resolved = resolve(samples, selection, categories);
  if (samples.is_numeric()) {
    return numeric_columns(samples, resolved.numeric).with_identity_of(samples);
  }
  const Table& table = samples.table();
  if (resolved.others.empty()) {
    return numeric_columns(table.numeric(), resolved.numeric).with_identity_of(samples);
  }
  if (resolved.numeric.empty() && resolved.others.size() == 1) {
    return table.others()[resolved.others[0]].values.with_identity_of(samples);
  }
  return table_columns(table, resolved).with_identity_of(samples);
}

std::vector<Index> selected_numeric_columns(const Samples& samples, const ColumnSelection& selection,
                                            CategoriesAs categories) {
  return resolve(samples, selection, categories).numeric;
}

Samples first_columns(const Samples& numeric, Index count) {
  std::vector<Index> numbers(count);
  std::iota(numbers.begin(), numbers.end(), Index{0});
  return numeric_columns(numeric, numbers).with_identity_of(numeric);
}

Samples default_columns(const Samples& samples) {
  if (samples.kind() != SampleKind::table) {
    return samples;
  }
  const Table& table = samples.table();
  if (table.numeric().columns() == 0 && table.others().size() == 1) {
    return table.others()[0].values.with_identity_of(samples);
  }
  return table.numeric().with_identity_of(samples);
}

}  // namespace mercer
