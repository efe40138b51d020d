#include "mercer/data/coding.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

constexpr Index rows_per_task = 1024;

const Samples& numeric_of(const Samples& described) {
  return described.kind() == SampleKind::table ? described.table().numeric() : described;
}

const Table::Column& column_of(const Table& table, const std::string& name) {
  const auto found = std::ranges::find(table.others(), name, &Table::Column::name);
  if (found == table.others().end()) {
    throw InvalidArgument("a coding asks for column '" + name + "', which the table does not have");
  }
  return *found;
}

const SchemaColumn& described_column(const Schema& schema, const std::string& name) {
  const auto found = std::ranges::find(schema.columns, name, &SchemaColumn::name);
  if (found == schema.columns.end()) {
    throw InvalidArgument("a coding asks for column '" + name + "', which the schema does not have");
  }
  return *found;
}

Index columns_of(const CategoryCoding& category) {
  return static_cast<Index>(category.levels.size()) + (category.has_rest ? 1 : 0);
}

// The column of every level, counted from the first of the category; -1: none.
std::vector<Index> places_of_levels(const CategoryCoding& category, std::size_t levels) {
  std::vector<Index> places(levels, category.has_rest ? static_cast<Index>(category.levels.size()) : -1);
  for (std::size_t c = 0; c < category.levels.size(); ++c) {
    places[category.levels[c]] = static_cast<Index>(c);
  }
  return places;
}

// Rows by column in which a level stands that the schema does not have.
std::map<std::string, Index> unknown_levels(const Coding& coding, const Table& table) {
  std::map<std::string, Index> found;
  const auto count = [&](const std::string& name) {
    const Table::Column& column = column_of(table, name);
    if (column.values.kind() != SampleKind::categories) {
      return;
    }
    const auto& rows = column.values.as<CategoryRows>();
    if (const auto unknown = std::count(rows.codes, rows.codes + rows.rows, -1); unknown > 0) {
      found[name] = static_cast<Index>(unknown);
    }
  };
  for (const CategoryCoding& category : coding.categories) {
    count(category.column);
  }
  std::ranges::for_each(coding.beside, count);
  return found;
}

// The numbers and indicators of some rows, in place.
template <class T>
class BlockWriter {
 public:
  BlockWriter(const Coding& coding, const Schema& schema, const Samples& described, const DenseRows<T>& numbers)
      : numbers_(numbers), codings_(coding.numbers) {
    Index next = numbers.columns;
    for (std::size_t j = 0; j < codings_.size(); ++j) {
      if (codings_[j].has_indicator) {
        missing_.emplace_back(static_cast<Index>(j), next++);
      }
    }
    for (const CategoryCoding& category : coding.categories) {
      categories_.push_back({column_of(described.table(), category.column).values.as<CategoryRows>(),
                             places_of_levels(category, described_column(schema, category.column).levels.size()),
                             next});
      next += columns_of(category);
    }
  }

  void write(MatrixView<T> block, IndexRange range) const {
    for (Index i = range.begin; i < range.end; ++i) {
      T* const row = block.row_data(i);
      for (Index j = 0; j < numbers_.columns; ++j) {
        const T value = numbers_(i, j);
        row[j] = !codings_.empty() && std::isnan(value) ? static_cast<T>(codings_[j].fill) : value;
      }
      std::fill(row + numbers_.columns, row + block.columns(), T(0));
      for (const auto& [number, column] : missing_) {
        row[column] = std::isnan(numbers_(i, number)) ? T(1) : T(0);
      }
      for (const CodedCategory& category : categories_) {
        const std::int32_t code = category.rows.codes[i];
        if (code >= 0 && category.places[code] >= 0) {
          row[category.first + category.places[code]] = 1;
        }
      }
    }
  }

 private:
  struct CodedCategory {
    CategoryRows rows;
    std::vector<Index> places;
    Index first = 0;
  };

  DenseRows<T> numbers_;
  const std::vector<NumberCoding>& codings_;
  std::vector<std::pair<Index, Index>> missing_;  // of a number, and of its indicator
  std::vector<CodedCategory> categories_;
};

template <class T>
Samples coded_block(const Coding& coding, const Schema& schema, const Samples& described, const Run& run) {
  const Samples dense = to_dense<T>(numeric_of(described));
  const auto& numbers = dense.as<DenseRows<T>>();
  const BlockWriter<T> writer(coding, schema, described, numbers);
  Matrix<T> block(described.size(), numbers.columns + coding.indicators());
  parallel_for(run, block_count(block.rows(), rows_per_task),
               [&](Index b) { writer.write(block.view(), block_range(block.rows(), rows_per_task, b)); });
  return make_dense(std::move(block));
}

bool has_missing(const Samples& numeric) {
  return visit_numeric(numeric, [](const auto& rows) {
    if constexpr (requires { rows.column_stride; }) {
      for (Index i = 0; i < rows.rows; ++i) {
        for (Index j = 0; j < rows.columns; ++j) {
          if (std::isnan(rows(i, j))) {
            return true;
          }
        }
      }
    }
    return false;
  });
}

std::string name_of(const Schema& schema, std::size_t number) {
  return schema.columns.empty() ? "column " + std::to_string(number) : schema.columns[number].name;
}

}  // namespace

Index Coding::indicators() const {
  Index count = std::ranges::count_if(numbers, &NumberCoding::has_indicator);
  for (const CategoryCoding& category : categories) {
    count += columns_of(category);
  }
  return count;
}

std::vector<std::string> Coding::indicator_names(const Schema& schema) const {
  std::unordered_set<std::string> taken;
  for (const SchemaColumn& column : schema.columns) {
    taken.insert(column.name);
  }
  std::vector<std::string> names;
  const auto add = [&](std::string name) {
    while (!taken.insert(name).second) {
      name += '\'';
    }
    names.push_back(std::move(name));
  };
  for (std::size_t j = 0; j < numbers.size(); ++j) {
    if (numbers[j].has_indicator) {
      add(name_of(schema, j) + " is missing");
    }
  }
  for (const CategoryCoding& category : categories) {
    const std::vector<std::string>& levels = described_column(schema, category.column).levels;
    for (const std::int32_t level : category.levels) {
      add(levels[level].empty() ? category.column + " is missing" : category.column + "=" + levels[level]);
    }
    if (category.has_rest) {
      add(category.column + "=(other)");
    }
  }
  return names;
}

std::vector<std::string> Coding::indicator_sources() const {
  if (in_subscripts.empty()) {
    return {};
  }
  std::vector<std::string> sources(std::ranges::count_if(numbers, &NumberCoding::has_indicator));
  for (const CategoryCoding& category : categories) {
    const bool is_seen = std::ranges::find(in_subscripts, category.column) != in_subscripts.end();
    sources.insert(sources.end(), columns_of(category), is_seen ? category.column : std::string());
  }
  return sources;
}

Samples Coding::apply(const Samples& described, const Schema& schema, const Run& run) const {
  if (!is_fitted) {
    return described;
  }
  const Samples& numeric = numeric_of(described);
  const bool is_table = described.kind() == SampleKind::table;
  if (is_table) {
    warn_of_unknown_levels({.filled = {}, .unknown = unknown_levels(*this, described.table())}, run);
  }
  const bool keeps_columns = !is_table || described.table().others().size() == beside.size();
  const bool is_filled = !numbers.empty() && has_missing(numeric);
  if (keeps_columns && indicators() == 0 && !is_filled) {
    return described;
  }
  std::vector<Table::Column> others;
  std::vector<std::string> names;
  if (is_table) {
    const Table& table = described.table();
    for (const std::string& name : beside) {
      others.push_back(column_of(table, name));
    }
    names.assign(table.numeric_names().begin(), table.numeric_names().end());
  }
  Samples block = numeric;
  if (indicators() > 0 || is_filled) {
    block = std::holds_alternative<DenseRows<float>>(numeric.rows())
                ? coded_block<float>(*this, schema, described, run)
                : coded_block<double>(*this, schema, described, run);
  }
  if (!names.empty() || !schema.columns.empty()) {
    std::ranges::move(indicator_names(schema), std::back_inserter(names));
  }
  return make_table(Table(std::move(block), std::move(names), std::move(others), indicators(), indicator_sources()))
      .with_identity_of(described);
}

void CodingGaps::add(const CodingGaps& other) {
  for (const auto& [column, rows] : other.filled) {
    filled[column] += rows;
  }
  for (const auto& [column, rows] : other.unknown) {
    unknown[column] += rows;
  }
}

CodingGaps find_gaps(const Coding& coding, const Samples& described, const Schema& schema) {
  CodingGaps gaps;
  if (!coding.is_fitted) {
    return gaps;
  }
  if (described.kind() == SampleKind::table) {
    gaps.unknown = unknown_levels(coding, described.table());
  }
  const Samples& numeric = numeric_of(described);
  for (std::size_t j = 0; j < coding.numbers.size() && numeric.kind() == SampleKind::dense; ++j) {
    visit_numeric(numeric, [&](const auto& rows) {
      if constexpr (requires { rows.column_stride; }) {
        Index missing = 0;
        for (Index i = 0; i < rows.rows; ++i) {
          missing += std::isnan(rows(i, static_cast<Index>(j))) ? 1 : 0;
        }
        if (missing > 0 && !std::isnan(coding.numbers[j].fill)) {
          gaps.filled[name_of(schema, j)] = missing;
        }
      }
    });
  }
  return gaps;
}

std::string describe(const std::map<std::string, Index>& rows_by_column) {
  std::vector<std::string> texts;
  for (const auto& [column, rows] : rows_by_column) {
    texts.push_back(column + " " + std::to_string(rows));
  }
  return join(texts, ", ");
}

void warn_of_unknown_levels(const CodingGaps& gaps, const Run& run) {
  if (!gaps.unknown.empty()) {
    run.warn("rows with levels that the training rows did not have, which count as no level: " +
             describe(gaps.unknown));
  }
}

std::string describe(const Schema& schema, const Coding& coding) {
  Index numbers = schema.numeric_columns;
  Index categories = 0;
  Index levels = 0;
  Index others = 0;
  std::vector<std::string> missing;
  const auto add_missing = [&](const std::string& column, Index rows) {
    if (rows > 0) {
      missing.push_back(column + " " + std::to_string(rows));
    }
  };
  for (std::size_t j = 0; j < coding.numbers.size(); ++j) {
    add_missing(name_of(schema, j), coding.numbers[j].missing);
  }
  for (const CategoryCoding& category : coding.categories) {
    add_missing(category.column, category.missing);
  }
  for (const SchemaColumn& column : schema.columns) {
    if (column.kind == ColumnKind::categorical) {
      ++categories;
      levels += static_cast<Index>(column.levels.size());
    } else if (column.kind != ColumnKind::numeric) {
      ++others;
    }
  }
  const auto counted = [](Index count, const std::string& one, const std::string& several) {
    return std::to_string(count) + " " + (count == 1 ? one : several);
  };
  const Index total = numbers + categories + others + static_cast<Index>(coding.left_out.size());
  std::vector<std::string> kinds;
  if (numbers > 0) {
    kinds.push_back(counted(numbers, "number", "numbers"));
  }
  if (categories > 0) {
    kinds.push_back(counted(categories, "category", "categories") + " (" + counted(levels, "level", "levels") + ")");
  }
  if (others > 0) {
    kinds.push_back(counted(others, "other", "others"));
  }
  std::string text = counted(total, "column", "columns") + ": " + join(kinds, ", ");
  if (!missing.empty()) {
    text += "; missing: " + join(missing, ", ");
  }
  std::vector<std::string> left_out;
  for (const LeftOutColumn& column : coding.left_out) {
    left_out.push_back(column.column + " (" + std::string(to_string(column.reason)) + ")");
  }
  if (!left_out.empty()) {
    text += "; left out: " + join(left_out, ", ");
  }
  return text;
}

}  // namespace mercer
