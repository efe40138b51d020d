// Files without names of columns for models of columns with names: which column is which follows from the places that they
// had in the training file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/schema.h"

namespace mercer {

/// Models of before called columns without names x0, x1 …, counting inputs.
bool counts_inputs(const Schema& schema);

/// How a file's format says what columns are called: by a line of names, which this file does not have, by numbers alone in
/// such a line, or not at all.
enum class NamesOfFormat { line, numbers, none };

/// The names of so many columns of a file that has none: where there are as many as in the training file, as inputs in it,
/// or as the model uses; a warning says so. Nothing where the training file had no names, or nobody knows its order.
/// DataError where it had, and there are others.
std::optional<std::vector<std::string>> names_by_place(const Schema& schema, std::size_t columns,
                                                       const std::string& file, NamesOfFormat format, const Run& run);

}  // namespace mercer
