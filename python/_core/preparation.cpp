// Preparation: how the rows of a frame become the samples that a model takes.
#include "preparation.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "call.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/models/model.h"
#include "mercer/models/stored_model.h"
#include "texts.h"

namespace mercer::python {

namespace {

// Of rows of numbers that keep their units, as in a matrix; else scaled as is usual for the model.
enum class Units { kept, usual };

Preparation prepare(const std::string& model, const std::string& kernel, const Samples& samples, Units units,
                    const std::optional<InputVector<double>>& weights, const nb::dict& words) {
  const ModelEntry& entry = find_model(model);
  const std::optional<Kernel> parsed = kernel_for(entry, kernel);
  const ScalingRule scaling = units == Units::usual ? usual_scaling(entry, parsed, samples) : ScalingRule{};
  return fit_preparation(schema_with_words(samples, words), usual_coding(entry, parsed), scaling,
                         {samples, weights ? vector_of(*weights) : std::vector<double>()});
}

// For the values of a kernel alone.
Preparation code(const Kernel& kernel, const Samples& samples) {
  return fit_preparation(schema_of(samples), coding_for(kernel), ScalingRule{}, samples);
}

nb::list left_out(const Preparation& preparation) {
  nb::list columns;
  for (const LeftOutColumn& column : preparation.coding.left_out) {
    columns.append(nb::make_tuple(text_of(column.column), text_of(to_string(column.reason))));
  }
  return columns;
}

}  // namespace

nb::list columns_of(const Schema& schema) {
  nb::list columns;
  for (const SchemaColumn& column : schema.columns) {
    columns.append(nb::make_tuple(text_of(column.name), std::string(to_string(column.kind)), texts_of(column.levels)));
  }
  return columns;
}

Schema schema_with_words(const Samples& samples, const nb::dict& words) {
  Schema schema = schema_of(samples);
  for (SchemaColumn& column : schema.columns) {
    if (const nb::str name = text_of(column.name); words.contains(name)) {
      column.levels = bytes_of(nb::cast<nb::sequence>(words[name]));
    }
  }
  return schema;
}

void bind_preparation(nb::module_& module) {
  nb::class_<Preparation>(module, "Preparation", "Columns, codes and scales of the training rows.")
      .def(
          "apply",
          [](const Preparation& preparation, const Samples& samples, int threads) {
            return call({.threads = threads}, [&](const Run& run) { return preparation.apply(samples, run); });
          },
          nb::arg("x"), nb::arg("threads") = 0)
      .def_prop_ro("is_coded", [](const Preparation& preparation) { return preparation.coding.is_fitted; })
      .def_prop_ro("is_scaled",
                   [](const Preparation& preparation) { return preparation.scaling.rule.kind != ScalingKind::none; })
      .def_prop_ro("names", [](const Preparation& preparation) { return texts_of(preparation.numeric_names()); })
      .def_prop_ro("left_out", &left_out)
      .def_prop_ro("schema", [](const Preparation& preparation) { return columns_of(preparation.schema); })
      .def_prop_ro("description", [](const Preparation& preparation) {
        return text_of(describe(preparation.schema, preparation.coding), OddBytes::readable);
      });
  nb::enum_<Units>(module, "Units").value("kept", Units::kept).value("usual", Units::usual);
  module.def("prepare", &prepare, nb::arg("model"), nb::arg("kernel"), nb::arg("x"), nb::arg("units"),
             nb::arg("sample_weight").none() = nb::none(), nb::arg("words") = nb::dict());
  module.def("code", &code, nb::arg("kernel"), nb::arg("x"));
}

}  // namespace mercer::python
