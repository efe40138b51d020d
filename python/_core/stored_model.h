// What calls on fitted models share.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>

#include "mercer/data/samples.h"
#include "mercer/data/targets.h"
#include "mercer/io/model_file.h"

namespace mercer::python {

/// Targets from an array of numbers, from numbers of classes with their labels, or from a list of labels; None: none.
Targets targets_of(const nanobind::object& y, const std::optional<nanobind::sequence>& classes);

}  // namespace mercer::python
