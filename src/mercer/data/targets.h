// Targets: what is to be predicted, one or several outputs per sample, each numeric or a class label.
//
// The same column may serve both: a numeric output read as classes has its distinct values as levels, in ascending
// order; a column of texts cannot be read as numbers. Labels have the one form of their kind (label_kind.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/data/label_kind.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// Class of sample i: levels[codes[i]]; -1 is a label that is not among the levels.
struct ClassLabels {
  std::vector<std::int32_t> codes;
  std::vector<std::string> levels;
};

/// One output. Numeric: `values` is filled. `labels` is filled where there are no numbers, or where the numbers do not
/// tell the labels: 007 and 7, or integers beyond 2⁵³.
struct TargetColumn {
  std::string name;
  std::vector<double> values;
  ClassLabels labels;
  /// The kind by which the labels were read, where somebody gave it; otherwise they are what they look like.
  std::optional<LabelKind> kind = {};

  bool is_numeric() const { return !values.empty() || labels.levels.empty(); }
  bool has_labels() const { return !labels.levels.empty(); }
  Index size() const { return static_cast<Index>(is_numeric() ? values.size() : labels.codes.size()); }
  /// The numbers of these rows. DataError where the column holds labels, and where one of the rows has no finite number.
  std::vector<double> finite_values(std::span<const Index> rows) const;
};

class Targets {
 public:
  Targets() = default;
  /// InvalidArgument where the columns differ in length.
  explicit Targets(std::vector<TargetColumn> columns);
  static Targets numeric(std::vector<double> values, std::string name = {});
  static Targets numeric(ConstMatrixView<double> values);
  /// Levels in sorted order (sorted_levels), as they are written.
  static Targets classes(std::span<const std::string> labels, std::string name = {});

  Index size() const { return columns_.empty() ? 0 : columns_.front().size(); }
  Index outputs() const { return static_cast<Index>(columns_.size()); }
  std::span<const TargetColumn> columns() const { return columns_; }
  bool is_numeric() const;

  /// For regression: n × outputs. DataError naming the output whose labels are not numbers.
  Matrix<double> values() const;
  /// Of these rows, rows.size() × outputs. DataError as in TargetColumn::finite_values().
  Matrix<double> finite_values(std::span<const Index> rows) const;
  /// For classification. Numeric outputs: levels are the distinct values, ascending.
  ClassLabels labels(Index output = 0) const;
  /// The same with levels fixed before, as at prediction: a label that is not among them gets code -1. Labels are
  /// compared in the form of the kind by which the column was read; where none was given, of the kind of the levels.
  ClassLabels labels(Index output, std::span<const std::string> levels) const;
  /// The kind that was given, or what the labels of all rows look like.
  LabelKind label_kind(Index output = 0) const;

  /// Says by which kind the labels were read.
  void set_label_kind(LabelKind kind);

  Targets select(std::span<const Index> numbers) const;

 private:
  const TargetColumn& column(Index output) const;
  std::vector<TargetColumn> columns_;
};

/// Sorted by number where all are integers or all reals (label_kind_of), exactly, by bytes otherwise; repetitions
/// removed.
std::vector<std::string> sorted_levels(std::vector<std::string> levels);
/// The class of every text, in the form of the kind; nothing where a class is missing (code -1).
ClassLabels labels_of_texts(std::span<const std::optional<std::string>> texts, LabelKind kind);

}  // namespace mercer
