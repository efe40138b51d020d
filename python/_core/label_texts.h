// Labels of classes as Python hands them over: texts in the form of their kind (mercer/data/label_kind.h).
#pragma once

#include <string_view>

#include "mercer/data/label_kind.h"

namespace mercer::python {

/// ValueError where there is no such kind.
LabelKind label_kind_named(std::string_view name);

}  // namespace mercer::python
