// UnknownColumn: a column that the caller named, as in the subscript of a kernel, and that the samples do not have. The
// program takes it for an error of the data, as it does columns that flags name.
#pragma once

#include "mercer/base/error.h"

namespace mercer {

class UnknownColumn : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};

}  // namespace mercer
