// The columns that kernels on categories compare, categories and numbers, and codes for what stands in them: whole numbers
// that are equal where the values are.
#pragma once

#include <string>
#include <vector>

#include "mercer/data/samples.h"

namespace mercer {

struct KernelEntry;

/// A column as it is given: categories, or one of the numbers.
struct ComparedColumn {
  Samples samples;   ///< of kind categories, or dense rows of double
  Index number = 0;  ///< among the columns of the dense rows

  bool is_category() const { return samples.kind() == SampleKind::categories; }
};

/// All columns of the samples, numbers before categories. Throws InvalidArgument, naming the kernel of `entry`, for columns
/// of another kind, DataError for a number that is not finite.
std::vector<ComparedColumn> compared_columns(const KernelEntry& entry, const Samples& samples);

/// What stands in a column of the reference samples, in the order of the codes.
class ColumnLevels {
 public:
  ColumnLevels() = default;
  explicit ColumnLevels(const ComparedColumn& column);

  bool is_category() const { return is_category_; }
  Index count() const { return static_cast<Index>(is_category_ ? names_.size() : values_.size()); }

  /// A number that the reference does not have.
  struct NewNumber {
    Index row;
    double value;
  };
  struct Codes {
    std::vector<std::uint32_t> codes;    ///< per row; unknown_level, or first_level plus the place among the levels
    std::vector<NewNumber> new_numbers;  ///< by rows; their codes are unknown_level
  };
  static constexpr std::uint32_t unknown_level = 0;
  static constexpr std::uint32_t first_level = 2;
  /// Of a column of the same kind.
  Codes code(const ComparedColumn& column) const;

 private:
  bool is_category_ = false;
  std::vector<std::string> names_;
  std::vector<double> values_;  // ascending
};

}  // namespace mercer
