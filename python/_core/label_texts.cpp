#include "label_texts.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>

#include "bind.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer::python {

LabelKind label_kind_named(std::string_view name) {
  constexpr std::array kinds = {LabelKind::text, LabelKind::integer, LabelKind::real, LabelKind::boolean};
  const auto found = std::ranges::find_if(kinds, [&](LabelKind kind) { return to_string(kind) == name; });
  if (found == kinds.end()) {
    reject_argument("label_kind", name, "'text', 'integer', 'real' or 'boolean'");
  }
  return *found;
}

void bind_label_texts(nanobind::module_& module) {
  module.def("number_text", [](double value) { return shortest(value); }, nanobind::arg("value"));
}

}  // namespace mercer::python
