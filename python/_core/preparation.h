// Preparations on their way between Python and the library.
#pragma once

#include <nanobind/nanobind.h>

#include "mercer/data/preparation.h"

namespace mercer::python {

/// The schema of samples; words that number members of sets and labels of graphs come beside, by column.
Schema schema_with_words(const Samples& samples, const nanobind::dict& words);

/// (name, kind, levels) of every column.
nanobind::list columns_of(const Schema& schema);

}  // namespace mercer::python
