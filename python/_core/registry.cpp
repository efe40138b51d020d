// The registries of kernels and models, and the versions of what the module is made of.
#include "mercer/kernels/registry.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bind.h"
#include "mercer/base/version.h"
#include "mercer/models/model.h"

namespace mercer::python {

namespace nb = nanobind;

namespace {

const char* name_of(ParameterRole role) {
  switch (role) {
    case ParameterRole::scale:
      return "scale";
    case ParameterRole::number:
      return "number";
    case ParameterRole::word:
      return "word";
  }
  return "number";
}

nb::dict describe(const ParameterSpec& parameter) {
  nb::dict entry;
  entry["name"] = parameter.name;
  entry["aliases"] = parameter.aliases;
  entry["role"] = name_of(parameter.role);
  entry["default"] = parameter.default_text;
  entry["meaning"] = parameter.meaning;
  entry["may_be_list"] = parameter.may_be_list;
  entry["may_be_infinite"] = parameter.may_be_infinite;
  entry["words"] = parameter.words;
  return entry;
}

nb::list kernels() {
  nb::list list;
  for (const KernelEntry* kernel : kernel_registry()) {
    nb::list parameters;
    for (const ParameterSpec& parameter : kernel->parameters) {
      parameters.append(describe(parameter));
    }
    nb::dict entry;
    entry["name"] = kernel->name;
    entry["aliases"] = kernel->aliases;
    entry["formula"] = kernel->formula;
    entry["summary"] = kernel->summary;
    entry["definiteness"] = kernel->definiteness;
    entry["parameters"] = parameters;
    entry["fewest_children"] = kernel->fewest_children;
    entry["most_children"] = kernel->most_children;
    entry["examples"] = kernel->examples;
    list.append(entry);
  }
  return list;
}

const char* name_of(OptionKind kind) {
  switch (kind) {
    case OptionKind::number:
      return "number";
    case OptionKind::whole_number:
      return "whole_number";
    case OptionKind::yes_no:
      return "yes_no";
    case OptionKind::word:
      return "word";
    case OptionKind::text:
      return "text";
  }
  return "text";
}

nb::dict describe(const Limits& limits) {
  nb::dict entry;
  entry["lowest"] = limits.lowest;
  entry["highest"] = limits.highest;
  entry["lowest_is_in"] = limits.lowest_is_in;
  entry["highest_is_in"] = limits.highest_is_in;
  return entry;
}

nb::dict describe(const OptionDescription& option) {
  nb::dict entry;
  entry["name"] = option.name;
  entry["kind"] = name_of(option.kind);
  entry["type"] = option.type;
  entry["default"] = option.default_value;
  entry["meaning"] = option.meaning;
  entry["words"] = option.words;
  if (option.kind == OptionKind::number || option.kind == OptionKind::whole_number) {
    entry["limits"] = describe(option.limits);
  }
  if (option.search) {
    entry["search"] = option.search->range;
  }
  return entry;
}

nb::list models() {
  nb::list list;
  for (const ModelEntry* model : model_registry()) {
    nb::list options;
    for (const OptionDescription& option : model->options) {
      options.append(describe(option));
    }
    nb::dict entry;
    entry["name"] = model->name;
    entry["aliases"] = model->aliases;
    entry["summary"] = model->summary;
    entry["task"] = std::string(to_string(model->task));
    entry["default_kernel"] = model->default_kernel;
    entry["takes_second_view"] = model->takes_second_view;
    entry["takes_noise"] = model->noise == NoiseMeaning::variance;
    entry["options"] = options;
    list.append(entry);
  }
  return list;
}

nb::dict versions() {
  nb::dict result;
  result["mercer"] = library_version;
  result["compiler"] = std::string(MERCER_COMPILER);
  result["nanobind"] = std::to_string(NB_VERSION_MAJOR) + "." + std::to_string(NB_VERSION_MINOR) + "." +
                       std::to_string(NB_VERSION_PATCH);
  return result;
}

}  // namespace

void bind_registry(nb::module_& module) {
  module.def("kernel_registry", &kernels);
  module.def("model_registry", &models);
  module.def("versions", &versions);
}

}  // namespace mercer::python
