// Targets: what is to be predicted, one or several outputs per sample, each numeric or a class label.
//
// The same column may serve both: a numeric output read as classes has its distinct values as levels, in ascending
// order; a column of texts cannot be read as numbers. The texts of labels are kept as they stood in the file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mercer/linalg/matrix.h"

namespace mercer {

/// Class of sample i: levels[codes[i]]; -1 is a label that is not among the levels.
struct ClassLabels {
  std::vector<std::int32_t> codes;
  std::vector<std::string> levels;
};

/// One output. Numeric: `values` is filled, and `texts` holds for the distinct values, ascending, how they were
/// written (empty: in shortest form). Otherwise `labels` is filled.
struct TargetColumn {
  std::string name;
  std::vector<double> values;
  std::vector<std::string> texts;
  ClassLabels labels;

  bool is_numeric() const { return labels.levels.empty(); }
  Index size() const { return static_cast<Index>(is_numeric() ? values.size() : labels.codes.size()); }
};

class Targets {
 public:
  Targets() = default;
  /// InvalidArgument where the columns differ in length.
  explicit Targets(std::vector<TargetColumn> columns);
  static Targets numeric(std::vector<double> values, std::string name = {});
  static Targets numeric(ConstMatrixView<double> values);
  /// Levels in sorted order: by number where all are numbers, by bytes otherwise.
  static Targets classes(std::span<const std::string> labels, std::string name = {});

  Index size() const { return columns_.empty() ? 0 : columns_.front().size(); }
  Index outputs() const { return static_cast<Index>(columns_.size()); }
  std::span<const TargetColumn> columns() const { return columns_; }
  bool is_numeric() const;

  /// For regression: n × outputs. DataError naming the output whose labels are not numbers.
  Matrix<double> values() const;
  /// For classification. Numeric outputs: levels are the distinct values, ascending.
  ClassLabels labels(Index output = 0) const;
  /// The same with levels fixed before, as at prediction: a label that is not among them gets code -1. Labels are
  /// compared as texts, and as numbers where both are numbers ("1" is "1.0" and "+1").
  ClassLabels labels(Index output, std::span<const std::string> levels) const;

  Targets select(std::span<const Index> numbers) const;

 private:
  const TargetColumn& column(Index output) const;
  std::vector<TargetColumn> columns_;
};

/// Sorted by number where all are numbers, by bytes otherwise; repetitions removed.
std::vector<std::string> sorted_levels(std::vector<std::string> levels);

}  // namespace mercer
