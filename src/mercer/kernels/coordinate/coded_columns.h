// CodedColumns: the categories and numbers of one sample set as codes, whole numbers that are equal where the values are,
// each column in as few bytes as its levels need. Rows of two sets with the same reference are compared by
// count_differences(): exact, and cheaper than a product of indicator columns (docs/internals/performance.md).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mercer/base/buffer.h"
#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/kernels/coordinate/column_levels.h"
#include "mercer/kernels/coordinate/count_differences.h"

namespace mercer {

struct KernelEntry;

class CodedColumns {
 public:
  /// `reference` decides the codes; null: these samples are it. A level that it does not have equals nothing, not even
  /// itself; a number that it does not have equals itself. Throws InvalidArgument, naming the kernel of `entry`, for
  /// columns of another kind, DataError for a number that is not finite and for other columns than the reference's.
  CodedColumns(const KernelEntry& entry, const Samples& samples, const CodedColumns* reference, const Run& run);

  Index columns() const { return columns_; }

  /// counts[j] = the number of columns in which row i differs from row first + j of y.
  void count_differences(Index i, const CodedColumns& y, Index first, std::span<std::int32_t> counts) const;
  /// Of a row from itself: its levels that the reference does not have.
  Index differences_from_itself(Index i) const;

 private:
  struct Coding;

  // The columns whose codes are of one width, one after the other.
  template <class Code>
  struct Block {
    Index columns = 0;
    Index stride = 0;
    Buffer<Code> codes;

    void allocate(Index count, Index rows);
    void store(Index column, std::span<const std::uint32_t> values);
    void count(Index i, const Block& y, Index first, std::span<std::int32_t> counts) const;
    Index unknown_levels(Index i) const;
  };

  void store(Index column, std::span<const std::uint32_t> values);
  void take_off_equal_news(Index i, const CodedColumns& y, Index first, std::span<std::int32_t> counts) const;

  std::shared_ptr<const Coding> coding_;
  Index columns_ = 0;
  Block<std::uint8_t> bytes_;
  Block<std::uint16_t> halves_;
  Block<std::uint32_t> words_;
  std::vector<std::vector<ColumnLevels::NewNumber>> news_;  // per column, by rows; empty: there are none
};

}  // namespace mercer
