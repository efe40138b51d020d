// Samples on their way back to Python.
#pragma once

#include <nanobind/nanobind.h>

#include "mercer/data/samples.h"

namespace mercer::python {

/// A copy: a dense array, (data, indices, indptr, shape) of sparse rows, a list of strings, of frozensets, of the arrays
/// of bags or of {"nodes", "edges", "directed"} of graphs, (codes, levels) of categories, (numeric, names, [(name,
/// column)]) of a table.
nanobind::object to_python(const Samples& samples);

}  // namespace mercer::python
