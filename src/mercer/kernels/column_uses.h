// What a kernel expects of the columns that its subscripts name, so that a file can be read that way: a column of short
// texts looks like categories until a string kernel asks for it.
#pragma once

#include <string>
#include <vector>

#include "mercer/kernels/kernel.h"

namespace mercer {

struct ColumnUses {
  std::vector<std::string> text;        ///< named columns that only string or tree kernels see
  std::vector<std::string> sets;        ///< named columns that only set kernels see
  std::vector<std::string> categories;  ///< named columns that only kernels on categories see
  bool takes_missing = false;           ///< whether if_present() stands in the kernel
  bool takes_matrix = false;  ///< whether samples are rows of a matrix of kernel values or of a graph's weights
  /// All columns that the kernel sees, where each is named; empty: it sees others, too.
  std::vector<std::string> named;
  /// Those of them that if_present() does not guard: their values must be there.
  std::vector<std::string> complete;
};

ColumnUses column_uses(const Kernel& kernel);

}  // namespace mercer
