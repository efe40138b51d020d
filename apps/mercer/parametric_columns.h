// The options `parametric` and `tube` of a model before and after its file is known: which columns their functions look at,
// by name.
#pragma once

#include <string>
#include <vector>

#include "mercer/kernels/kernel.h"
#include "mercer/models/option_table.h"

namespace mercer::program {

/// A kernel that looks at the columns of the functions, too (expansion/parametric_columns.h): how a file is read.
Kernel seeing_functions(const Kernel& kernel, const std::vector<OptionSetting>& settings);

/// The settings with names for the numbers and ranges of columns in these options, as with_named_columns() of a kernel.
void name_parametric_columns(std::vector<OptionSetting>& settings, const std::vector<std::string>& columns,
                             const std::vector<std::string>& inputs, const std::vector<std::string>& targets);

/// Whether there are sines and cosines, whose period is in units of the column, or a tube, which a scaled column may make
/// negative: columns stay as they are then, unless scaling is asked for.
bool need_units(const std::vector<OptionSetting>& settings);

}  // namespace mercer::program
