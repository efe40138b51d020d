// Preparation: how the rows of a frame become the samples that a model takes.
#include "preparation.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "call.h"
#include "mercer/data/constant_columns.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/models/model.h"
#include "mercer/models/prior_columns.h"
#include "mercer/models/stored_model.h"
#include "texts.h"

namespace mercer::python {

namespace {

// Of a matrix, whose columns keep their units and stay even where they are constant; of a table whose columns keep their
// units; of one that is scaled as is usual for the model.
enum class Units { matrix, kept, usual };

// How files write the numbers of columns, by their names.
void add_notations(Schema& schema, const std::map<std::string, std::string>& notations) {
  for (SchemaColumn& column : schema.columns) {
    if (const auto found = notations.find(column.name); found != notations.end()) {
      column.notation = find_word<Notation>(found->second).value_or(Notation::plain);
    }
  }
}

std::map<std::string, std::string> notations_of(const Preparation& preparation) {
  std::map<std::string, std::string> notations;
  const Schema schema = rows_schema(preparation);
  for (const SchemaColumn& column : schema.columns) {
    if (column.notation != Notation::plain) {
      notations[column.name] = to_string(column.notation);
    }
  }
  return notations;
}

// (part, column of dates) by the names of columns that are parts of dates.
nb::dict date_parts(const Preparation& preparation) {
  nb::dict parts;
  const Schema schema = rows_schema(preparation);
  for (const SchemaColumn& column : schema.columns) {
    if (column.part != DatePart::none) {
      parts[text_of(column.name)] = nb::make_tuple(text_of(to_string(column.part)), text_of(column.dates));
    }
  }
  return parts;
}

// As those of the package, it points at what called that.
void warn_caller(const std::string& message) {
  const auto level = nb::cast<Py_ssize_t>(nb::module_::import_("mercer._frames").attr("level_of_caller")());
  if (PyErr_WarnEx(PyExc_UserWarning, message.c_str(), level) != 0) {
    throw nb::python_error();
  }
}

Preparation prepare(const std::string& model, const std::string& kernel, const Samples& samples, Units units,
                    const std::optional<InputVector<double>>& weights, const nb::dict& words,
                    const std::map<std::string, std::string>& notations) {
  const ModelEntry& entry = find_model(model);
  const std::optional<Kernel> parsed = kernel_for(entry, kernel);
  const ScalingRule scaling = units == Units::usual ? usual_scaling(entry, parsed, samples) : ScalingRule{};
  Schema schema = schema_with_words(samples, words);
  add_notations(schema, notations);
  if (parsed) {
    require_numbers_for_vectors(*parsed, schema);
  }
  CodingRule coding = usual_coding(entry, parsed);
  coding.constants = units == Units::matrix ? CodingRule::Constants::kept : CodingRule::Constants::left_out;
  Preparation preparation = fit_preparation(std::move(schema), coding, scaling,
                                            {samples, weights ? vector_of(*weights) : std::vector<double>()});
  if (const std::string said = said_of_constants(preparation, samples); units != Units::matrix && !said.empty()) {
    warn_caller(said);
  }
  return preparation;
}

// For the values of a kernel alone.
Preparation code(const Kernel& kernel, const Samples& samples, const std::map<std::string, std::string>& notations) {
  Schema schema = schema_of(samples);
  add_notations(schema, notations);
  return fit_preparation(std::move(schema), coding_for(kernel), ScalingRule{}, samples);
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
      .def_prop_ro("schema", [](const Preparation& preparation) { return columns_of(rows_schema(preparation)); })
      .def_prop_ro("notations", &notations_of)
      .def_prop_ro("date_parts", &date_parts)
      .def_prop_ro("description", [](const Preparation& preparation) {
        return text_of(describe(preparation.schema, preparation.coding), OddBytes::readable);
      });
  nb::enum_<Units>(module, "Units")
      .value("matrix", Units::matrix)
      .value("kept", Units::kept)
      .value("usual", Units::usual);
  module.def("prepare", &prepare, nb::arg("model"), nb::arg("kernel"), nb::arg("x"), nb::arg("units"),
             nb::arg("sample_weight").none() = nb::none(), nb::arg("words") = nb::dict(),
             nb::arg("notations") = std::map<std::string, std::string>());
  module.def("code", &code, nb::arg("kernel"), nb::arg("x"),
             nb::arg("notations") = std::map<std::string, std::string>());
}

}  // namespace mercer::python
