// The parts of the module, one file each.
#pragma once

#include <nanobind/nanobind.h>

namespace mercer::python {

void bind_errors(nanobind::module_& module);
void bind_samples(nanobind::module_& module);
void bind_frame_columns(nanobind::module_& module);
void bind_preparation(nanobind::module_& module);
void bind_kernel(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_compress(nanobind::module_& module);
void bind_decisions(nanobind::module_& module);
void bind_hypothesis(nanobind::module_& module);
void bind_density(nanobind::module_& module);
void bind_explicit_map(nanobind::module_& module);
void bind_linear_model(nanobind::module_& module);
void bind_label_texts(nanobind::module_& module);
void bind_support(nanobind::module_& module);
void bind_registry(nanobind::module_& module);

}  // namespace mercer::python
