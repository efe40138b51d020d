// Strings as the string kernels see them: rows of strings, or a categorical column, whose levels are texts.
#pragma once

#include <string_view>

#include "mercer/data/samples.h"

namespace mercer {

/// InvalidArgument, naming the kernel and what would do instead, unless the samples are strings or categories. DataError
/// for a category that was unknown when the levels were fixed: its text is lost.
void require_strings(std::string_view kernel, const Samples& samples);

/// String i of samples that require_strings() has passed.
std::string_view string_at(const Samples& samples, Index i);

/// The length that all strings have (0 for no strings at all); DataError naming the first that differs and its row.
Index common_length(std::string_view kernel, const Samples& samples);

}  // namespace mercer
