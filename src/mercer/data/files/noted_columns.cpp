#include "mercer/data/files/noted_columns.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <unordered_set>
#include <utility>

namespace mercer {

void find_notations(TableLayout& layout, const std::string& file, const Run& run) {
  using Doubt = NotationFinder::Finding::Doubt;
  std::vector<std::pair<FieldColumn*, Notation>> doubtful;
  std::optional<Notation> certain;
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    FieldColumn& column = layout.columns[c];
    if (layout.roles[c] != ColumnRole::input && layout.roles[c] != ColumnRole::target) {
      continue;
    }
    const auto [notation, doubt] = column.find_notation(layout.comma);
    if (doubt == Doubt::comma) {
      doubtful.emplace_back(&column, notation);
    } else if (doubt == Doubt::day_or_month) {
      run.warn(file + ": column '" + column.name() +
               "' holds dates whose days and months cannot be told apart; written as 2014-05-21 they are numbers");
    } else if (notation != Notation::plain) {
      column.read_as(notation);
      if (notation == Notation::grouped || notation == Notation::decimal_comma) {
        certain = notation;
      }
    }
  }
  for (const auto& [column, notation] : doubtful) {
    if (!certain) {
      run.warn(file + ": column '" + column->name() + "': the comma in its numbers is taken for that " +
               (notation == Notation::grouped ? "of thousands: 1,234 is 1234" : "of decimals: 1,234 is 1.234"));
    }
    column->read_as(certain.value_or(notation));
  }
}

std::vector<double> parts_of(const std::vector<double>& days, DatePart part) {
  std::vector<double> values;
  values.reserve(days.size());
  for (const double day : days) {
    values.push_back(part_of_date(day, part));
  }
  return values;
}

std::vector<SchemaColumn> date_parts(const TableLayout& layout, const ReadOptions& options) {
  std::vector<SchemaColumn> wanted;
  if (options.schema) {
    std::ranges::copy_if(options.schema->columns, std::back_inserter(wanted),
                         [](const SchemaColumn& column) { return column.part != DatePart::none; });
    return wanted;
  }
  if (options.dates == Dates::numbers) {
    return wanted;
  }
  std::unordered_set<std::string> taken(layout.names.begin(), layout.names.end());
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const FieldColumn& column = layout.columns[c];
    if (layout.roles[c] != ColumnRole::input || !column.is_numeric() || !is_date(column.notation())) {
      continue;
    }
    const bool has_hours =
        std::ranges::any_of(column.values(), [](double day) { return std::isfinite(day) && day != std::floor(day); });
    for (const DatePart part : {DatePart::yearday, DatePart::weekday, DatePart::hour}) {
      std::string name = column.name() + "_" + std::string(to_string(part));
      if ((part != DatePart::hour || has_hours) && taken.insert(name).second) {
        wanted.push_back({.name = std::move(name),
                          .kind = ColumnKind::numeric,
                          .notation = column.notation(),
                          .part = part,
                          .dates = column.name()});
      }
    }
  }
  return wanted;
}

void add_notations(Schema& schema, const TableLayout& layout, const ReadOptions& options) {
  for (const SchemaColumn& part : date_parts(layout, options)) {
    const auto described = std::ranges::find(schema.columns, part.name, &SchemaColumn::name);
    if (described != schema.columns.end()) {
      *described = part;
    }
  }
  for (std::size_t c = 0; c < layout.columns.size(); ++c) {
    const FieldColumn& column = layout.columns[c];
    if (layout.roles[c] == ColumnRole::input && column.is_numeric() && column.notation() != Notation::plain) {
      const auto described = std::ranges::find(schema.columns, column.name(), &SchemaColumn::name);
      if (described != schema.columns.end()) {
        described->notation = column.notation();
      }
    }
  }
}

}  // namespace mercer
