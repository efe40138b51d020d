#include "fold_rows.h"

#include "mercer/base/error.h"
#include "mercer/data/weighted_samples.h"

namespace mercer::program {

namespace {

template <class T>
std::vector<T> chosen(const std::vector<T>& values, std::span<const Index> rows) {
  std::vector<T> result;
  for (const Index row : values.empty() ? std::span<const Index>() : rows) {
    result.push_back(values[row]);
  }
  return result;
}

}  // namespace

FoldRows counted_rows(const DataFile& file, const ModelEntry& entry, const char* command) {
  const std::vector<Index> rows = counted_row_numbers({file.samples, file.weights}, command);
  return {
      {file.samples.select(rows), file.targets ? file.targets->select(rows) : Targets(), chosen(file.weights, rows),
       chosen(file.noise, rows), chosen(entry.takes_groups ? file.groups.codes : std::vector<std::int32_t>(), rows)},
      chosen(file.groups.codes, rows)};
}

std::vector<Split> folds_of(const FoldPlan& plan, const FoldRows& rows, std::uint64_t seed) {
  std::vector<std::int32_t> classes;
  if (plan.kind == FoldKind::stratified && rows.data.targets.outputs() == 1) {
    classes = rows.data.targets.labels(0).codes;
  }
  try {
    return make_folds(plan, rows.data.samples.size(), classes, rows.groups, seed);
  } catch (const InvalidArgument& error) {
    throw DataError(error.what());  // the flags are checked: there are too few rows for them
  }
}

}  // namespace mercer::program
