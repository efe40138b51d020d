#include "mercer/data/files/kept_rows.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>

#include "mercer/base/error.h"

namespace mercer {

namespace {

template <class Values>
void keep(Values& values, const std::vector<Index>& rows) {
  if (values.empty()) {
    return;
  }
  Values kept;
  kept.reserve(rows.size());
  for (const Index i : rows) {
    kept.push_back(values[i]);
  }
  values = std::move(kept);
}

struct UsedLevels {
  std::vector<std::int32_t> codes;
  std::vector<std::string> levels;
};

UsedLevels used_levels(const CategoryRows& rows) {
  std::vector<char> is_used(rows.levels.size(), 0);
  for (Index i = 0; i < rows.rows; ++i) {
    if (rows.codes[i] >= 0) {
      is_used[rows.codes[i]] = 1;
    }
  }
  UsedLevels used;
  std::vector<std::int32_t> numbers(rows.levels.size(), -1);
  for (std::size_t level = 0; level < is_used.size(); ++level) {
    if (is_used[level] != 0) {
      numbers[level] = static_cast<std::int32_t>(used.levels.size());
      used.levels.push_back(rows.levels[level]);
    }
  }
  for (Index i = 0; i < rows.rows; ++i) {
    used.codes.push_back(rows.codes[i] < 0 ? -1 : numbers[rows.codes[i]]);
  }
  return used;
}

}  // namespace

void keep_rows(DataFile& file, const std::vector<Index>& rows) {
  std::vector<Index> numbers = rows_left(file, file.samples.size());
  keep(numbers, rows);
  file.dropped_rows += file.samples.size() - static_cast<Index>(rows.size());
  file.kept_rows = std::move(numbers);
  // A fresh Samples: rows that were dropped while reading never were samples.
  const Samples kept = file.samples.select(rows);
  file.samples = Samples(kept.rows(), std::make_shared<Samples>(kept));
  if (file.targets) {
    file.targets = file.targets->select(rows);
  }
  keep(file.weights, rows);
  keep(file.noise, rows);
  keep(file.groups.codes, rows);
}

void leave_out_unused_levels(DataFile& file) {
  if (file.samples.kind() != SampleKind::table) {
    return;
  }
  const Table& table = file.samples.table();
  std::vector<Table::Column> others(table.others().begin(), table.others().end());
  bool has_changed = false;
  for (Table::Column& column : others) {
    if (column.values.kind() != SampleKind::categories) {
      continue;
    }
    const auto& rows = column.values.as<CategoryRows>();
    const auto [codes, levels] = used_levels(rows);
    if (levels.size() == rows.levels.size()) {
      continue;
    }
    const auto described = std::ranges::find(file.schema.columns, column.name, &SchemaColumn::name);
    if (described != file.schema.columns.end()) {
      described->levels = levels;
    }
    column.values = make_categories(codes, levels);
    has_changed = true;
  }
  if (has_changed) {
    file.samples = make_table(table.with(table.numeric(), std::move(others)));
  }
}

void require_rows_left(Index left, Index dropped, const std::string& name) {
  if (left == 0 && dropped > 0) {
    throw DataError({name}, "every row has a missing value, none is left; fill the values in");
  }
}

std::vector<Index> rows_left(const DataFile& file, Index rows) {
  if (!file.kept_rows.empty()) {
    return file.kept_rows;
  }
  std::vector<Index> all(rows);
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

}  // namespace mercer
