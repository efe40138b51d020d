// mercer._core: the library as Python sees it. Samples, kernels, fitted models and the registries; no arithmetic.
#include <nanobind/nanobind.h>

#include "bind.h"

NB_MODULE(_core, module) {
  module.doc() = "The compiled core of mercer. Its names may change; use those of the package.";
  mercer::python::bind_errors(module);
  mercer::python::bind_samples(module);
  mercer::python::bind_frame_columns(module);
  mercer::python::bind_kernel(module);
  mercer::python::bind_preparation(module);
  mercer::python::bind_model(module);
  mercer::python::bind_compress(module);
  mercer::python::bind_decisions(module);
  mercer::python::bind_hypothesis(module);
  mercer::python::bind_density(module);
  mercer::python::bind_explicit_map(module);
  mercer::python::bind_linear_model(module);
  mercer::python::bind_label_texts(module);
  mercer::python::bind_support(module);
  mercer::python::bind_registry(module);
}
