// A table as JSON on standard output: what --json prints where the table itself has no file.
//
//   {"model": "m.mercer", …, "columns": ["label", "P(a)"], "rows": [["a", 0.9], ["b", 0.2]]}
#pragma once

#include <span>
#include <string>

#include "mercer/linalg/view.h"
#include "output.h"

namespace mercer::program {

/// Prints `head` with "rows" as its last member, a line each. `texts` stand before the numbers; empty: numbers alone.
/// Numbers that are not finite are null. Errors as print() has them.
void print_json_table(const Json& head, std::span<const std::string> texts, ConstMatrixView<double> numbers);

}  // namespace mercer::program
