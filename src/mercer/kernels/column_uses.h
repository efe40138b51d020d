// What a kernel expects of the columns that its subscripts name, so that a file can be read that way: a column of short
// texts looks like categories until a string kernel asks for it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/data/coding.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

struct ColumnUses {
  std::vector<std::string> text;        ///< named columns that only string or tree kernels see
  std::vector<std::string> sets;        ///< named columns that only set kernels see
  std::vector<std::string> categories;  ///< named columns that only kernels on categories see
  std::vector<std::string> vectors;     ///< named columns that only kernels on vectors see
  /// Columns that subscripts of such kernels name outside of if_present(): categories among them are coded.
  std::vector<std::string> coded;
  bool takes_missing = false;       ///< whether if_present() stands in the kernel
  bool takes_matrix = false;        ///< whether samples are rows of a matrix of kernel values or of a graph's weights
  bool vectors_by_default = false;  ///< whether a kernel on vectors sees columns without a subscript
  bool others_by_default = false;   ///< whether a kernel on categories, texts … does
  bool texts_by_default = false;    ///< whether it is one on texts
  bool by_number = false;           ///< whether a subscript counts columns
  std::vector<std::string> subscripted;  ///< all columns that subscripts name
  /// All columns that the kernel sees, where each is named; empty: it sees others, too.
  std::vector<std::string> named;
  /// Those of them that if_present() does not guard: their values must be there.
  std::vector<std::string> complete;
};

/// What the numbers in subscripts count: the numeric columns of samples, which have no names for readers, or all columns of
/// a file, whose references are then listed with the names ("3", "0:3").
enum class NumbersOf { samples, file };
ColumnUses column_uses(const Kernel& kernel, NumbersOf numbers = NumbersOf::samples);

/// The same kernel with names for the numbers and ranges of its subscripts: `columns` are all columns of the file or frame,
/// in its order, `inputs` those that a kernel may see; ranges pass over others. Subscripts within subscripts count what those
/// chose, and stay. UnknownColumn where a number or a name is none of an input, as that of a target is.
Kernel with_named_columns(const Kernel& kernel, std::span<const std::string> columns,
                          std::span<const std::string> inputs, std::span<const std::string> targets = {});

/// InvalidArgument where a kernel on vectors names a column of categories or texts, which beside numbers it would pass over
/// without a word.
void require_numbers_for_vectors(const Kernel& kernel, const Schema& schema);

/// How the columns of a table are coded for a kernel: where kernels on vectors look at columns without naming them, all
/// columns that can be numbers are. Nothing said of missing numbers: they are filled, with an indicator where somebody would
/// see it, and left to if_present() where that stands in the kernel.
CodingRule coding_for(const Kernel& kernel, std::optional<MissingRule> missing = {});

}  // namespace mercer
