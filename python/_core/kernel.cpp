// Kernel: text in, text out, and matrices of kernel values in between.
#include "mercer/kernels/kernel.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "call.h"
#include "mercer/base/error.h"
#include "mercer/expansion/parametric_columns.h"
#include "mercer/gram/contraction.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/algebra/columns.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/spec.h"
#include "mercer/kernels/string/salzberg.h"
#include "mercer/kernels/widths.h"
#include "texts.h"

namespace mercer::python {

namespace {

nb::object bounds_of(const std::optional<Interval>& interval) {
  return interval ? nb::object(nb::make_tuple(interval->lower, interval->upper)) : nb::none();
}

// A kernel on samples: widths that the data decides are taken from the reference, y where there is one.
PreparedKernel prepared(const Kernel& kernel, const Samples& reference, Precision precision, const Run& run) {
  return PreparedKernel(resolve_widths(kernel, reference, run), reference, precision, run);
}

template <class T>
Matrix<T> gram_matrix(const Kernel& kernel, const Samples& x, const std::optional<Samples>& y, const Run& run) {
  auto reference = std::make_shared<PreparedKernel>(prepared(kernel, y.value_or(x), precision_of<T>, run));
  if (!y) {
    Matrix<T> result(x.size(), x.size());
    evaluate_gram(*reference, Triangle::both, result.view(), run);
    return result;
  }
  Matrix<T> result(x.size(), y->size());
  CrossGram<T>(reference, x, run).evaluate(result.view(), run);
  return result;
}

nb::object gram(const Kernel& kernel, const Samples& x, const std::optional<Samples>& y, bool float32, int threads) {
  const CallOptions options{.threads = threads};
  if (float32) {
    return nb::cast(to_array(call(options, [&](const Run& run) { return gram_matrix<float>(kernel, x, y, run); })));
  }
  return nb::cast(to_array(call(options, [&](const Run& run) { return gram_matrix<double>(kernel, x, y, run); })));
}

nb::object diagonal(const Kernel& kernel, const Samples& x, int threads) {
  return nb::cast(to_array(call({.threads = threads}, [&](const Run& run) {
    std::vector<double> values(x.size());
    KernelGram<double>(std::make_shared<PreparedKernel>(prepared(kernel, x, Precision::double_precision, run)))
        .diagonal(values);
    return values;
  })));
}

void require_shape(const InputMatrix<double>& q, Index rows, Index columns) {
  if (static_cast<Index>(q.shape(0)) != rows || static_cast<Index>(q.shape(1)) != columns) {
    throw InvalidArgument("weights of shape (" + std::to_string(q.shape(0)) + ", " + std::to_string(q.shape(1)) +
                          ") for a kernel matrix of shape (" + std::to_string(rows) + ", " + std::to_string(columns) +
                          ")");
  }
}

nb::object contracted(const Kernel& kernel, const Samples& x, const InputMatrix<double>& q,
                      const std::optional<Samples>& y, int threads) {
  const Samples& reference = y ? *y : x;
  require_shape(q, x.size(), reference.size());
  return nb::cast(to_array(call({.threads = threads}, [&](const Run& run) {
    auto side = std::make_shared<PreparedKernel>(prepared(kernel, reference, Precision::double_precision, run));
    return y ? contract(CrossGram<double>(side, x, run), view_of(q), run) : contract(*side, view_of(q), run);
  })));
}

nb::object input_gradients(const Kernel& kernel, const Samples& x, const Samples& y, const InputMatrix<double>& q,
                           int threads) {
  require_shape(q, x.size(), y.size());
  return nb::cast(to_array(call({.threads = threads}, [&](const Run& run) {
    auto side = std::make_shared<PreparedKernel>(prepared(kernel, y, Precision::double_precision, run));
    const Index columns = x.kind() == SampleKind::table ? x.table().numeric().columns() : x.columns();
    Matrix<double> result = Matrix<double>::filled(x.size(), columns, 0);
    input_gradient(CrossGram<double>(side, x, run), view_of(q), result.view(), run);
    return result;
  })));
}

nb::list scale_parameters(const Kernel& kernel) {
  nb::list list;
  for (const ScaleParameter& parameter : kernel.scale_parameters()) {
    nb::dict entry;
    entry["path"] = parameter.path;
    entry["value"] = parameter.value;
    entry["fixed"] = parameter.fixed;
    entry["bounds"] = bounds_of(parameter.bounds);
    list.append(entry);
  }
  return list;
}

// One node of the expression: (name, {parameter: text}, [children], columns). Columns: names, (begin, end) of ranges of
// numbers, and (first, last) of ranges of names; None where the node is no subscript.
nb::tuple tree(const Kernel& kernel) {
  const KernelNode& node = kernel.node();
  nb::dict parameters;
  for (const Parameter& parameter : node.parameters().all()) {
    parameters[parameter.spec->name.c_str()] = to_string(parameter.value);
  }
  nb::object columns = nb::none();
  if (const auto* subscript = dynamic_cast<const ColumnsNode*>(&node)) {
    nb::list references;
    for (const ColumnReference& reference : subscript->selection().references) {
      if (const auto* name = std::get_if<ColumnName>(&reference)) {
        references.append(name->name);
      } else if (const auto* range = std::get_if<ColumnNameRange>(&reference)) {
        references.append(nb::make_tuple(range->first, range->last));
      } else {
        const auto& span = std::get<ColumnSpan>(reference);
        references.append(nb::make_tuple(span.begin, span.end));
      }
    }
    columns = references;
  }
  const std::vector<Kernel> children(node.children().begin(), node.children().end());
  return nb::make_tuple(node.entry().name, parameters, children, columns);
}

Kernel resolved(const Kernel& kernel, const Samples& samples, const std::vector<double>& weights, int threads,
                std::uint64_t seed) {
  return call({.threads = threads, .seed = seed}, [&](const Run& run) {
    const std::vector<Index> rows = counted_row_numbers({samples, weights}, "widths");
    const std::vector<double> counts = select_weights(weights, rows);
    return resolve_widths(kernel, {counts.size() == weights.size() ? samples : samples.select(rows), counts}, run);
  });
}

}  // namespace

namespace {

nb::dict uses_of(const Kernel& kernel) {
  const ColumnUses uses = column_uses(kernel);
  nb::dict result;
  result["text"] = texts_of(uses.text);
  result["sets"] = texts_of(uses.sets);
  result["categories"] = texts_of(uses.categories);
  result["named"] = texts_of(uses.named);
  result["subscripted"] = texts_of(uses.subscripted);
  result["texts_by_default"] = uses.texts_by_default;
  result["vectors_by_default"] = uses.vectors_by_default;
  return result;
}

}  // namespace

void bind_kernel(nb::module_& module) {
  module.def(
      "named_functions",
      [](const std::string& functions, const nb::sequence& columns) {
        const std::vector<std::string> names = bytes_of(columns);
        const std::string text = with_named_columns(ParametricPart::parse(functions), names, names).text();
        // The constant of a tube is one of its functions only where it is named.
        return functions.starts_with("constant +") ? "constant + " + text : text;
      },
      nb::arg("functions"), nb::arg("columns"));
  module.def(
      "salzberg_scores",
      [](const Samples& strings, const std::vector<Index>& true_rows) { return salzberg_scores(strings, true_rows); },
      nb::arg("strings"), nb::arg("true_rows"));
  nb::class_<Kernel>(module, "Kernel", "A kernel, from its text form.")
      .def(
          "__init__", [](Kernel* self, const std::string& spec) { new (self) Kernel(parse_kernel(spec)); },
          nb::arg("spec"))
      .def_prop_ro("spec", &Kernel::spec)
      .def_prop_ro("definiteness", [](const Kernel& kernel) { return to_string(kernel.definiteness()); })
      .def_prop_ro("is_positive_definite", [](const Kernel& kernel) { return kernel.definiteness().is_positive(); })
      .def_prop_ro("is_resolved", &Kernel::is_resolved)
      .def("resolved", &resolved, nb::arg("samples"), nb::arg("weights") = std::vector<double>(),
           nb::arg("threads") = 0, nb::arg("seed") = 0)
      .def("scale_parameters", &scale_parameters)
      .def(
          "with_scale_parameters",
          [](const Kernel& kernel, const std::vector<double>& values) { return kernel.with_scale_parameters(values); },
          nb::arg("values"))
      .def("tree", &tree)
      .def("column_uses", &uses_of)
      .def(
          "with_named_columns",
          [](const Kernel& kernel, const nb::sequence& columns) {
            const std::vector<std::string> names = bytes_of(columns);
            return with_named_columns(kernel, names, names);
          },
          nb::arg("columns"))
      .def(
          "seeing",
          [](const Kernel& kernel, const std::string& functions) {
            return seeing_functions(kernel, ParametricPart::parse(functions));
          },
          nb::arg("functions"))
      .def("gram", &gram, nb::arg("x"), nb::arg("y").none() = nb::none(), nb::arg("float32") = false,
           nb::arg("threads") = 0)
      .def("diagonal", &diagonal, nb::arg("x"), nb::arg("threads") = 0)
      .def("contract", &contracted, nb::arg("x"), nb::arg("q"), nb::arg("y").none() = nb::none(),
           nb::arg("threads") = 0)
      .def("input_gradient", &input_gradients, nb::arg("x"), nb::arg("y"), nb::arg("q"), nb::arg("threads") = 0);
}

}  // namespace mercer::python
