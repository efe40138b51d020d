// Rows that repeat as one row of their summed weight: a weight of 2 and the row twice are then the same problem, for
// machines with a coefficient per row, for draws of rows, and for windows that leave one copy out.
//
// Where weights differ, rows are put in an order of their own (that of their values), so that solvers take the
// same steps and draws take the same rows whatever the order of the file; otherwise they stay as they are.
#pragma once

#include <vector>

#include "mercer/models/model.h"

namespace mercer {

struct MergedRows {
  TrainingData data;        ///< rows of positive weight, each once; weights are empty where all are 1
  std::vector<Index> rows;  ///< of the data that was given: the first of those that each row stands for

  /// Numbers of merged rows as those of the data that was given.
  std::vector<Index> given(std::vector<Index> numbers) const;
};

/// What chooses by folds sees rows one by one: a value that occurs a hundred times is not left out a hundred times over.
enum class ChosenBy { itself, folds };

/// Rows are merged where samples, targets and noise are equal; samples that cannot be compared (sets, bags, graphs) stay
/// apart, and so do all where the kernel (may be null) asks which sample a row is. Errors as in weighted_rows(). O(n log n)
/// and one pass over the values.
MergedRows merged_rows(const char* model, const Kernel* kernel, const TrainingData& data);
/// The same, or the data as it is where folds of rows choose a penalty.
TrainingData merged_unless_in_folds(const char* model, const Kernel& kernel, const TrainingData& data, ChosenBy chosen);

}  // namespace mercer
