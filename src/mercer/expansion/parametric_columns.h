// Which columns of a file or frame the functions of a parametric part look at, for those who read it: as a kernel on these
// columns would have it.
#pragma once

#include <span>
#include <string>

#include "mercer/expansion/parametric_part.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

/// A kernel that looks at the columns that this one and the functions look at: how samples are read and coded for both.
/// Not for evaluation.
Kernel seeing_functions(const Kernel& kernel, const ParametricPart& part);

/// The same functions with names for the numbers and ranges of columns, as with_named_columns() of a kernel.
ParametricPart with_named_columns(const ParametricPart& part, std::span<const std::string> columns,
                                  std::span<const std::string> inputs, std::span<const std::string> targets = {});

}  // namespace mercer
