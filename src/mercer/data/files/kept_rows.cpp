#include "mercer/data/files/kept_rows.h"

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
