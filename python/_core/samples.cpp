// Samples: arrays of the caller seen without a copy, and kept alive as long as a model refers to them.
#include "mercer/data/samples.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "mercer/base/error.h"
#include "samples.h"
#include "texts.h"

namespace mercer::python {

namespace {

using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
Samples dense_view(const AnyMatrix& array) {
  const DenseRows<T> rows{static_cast<const T*>(array.data()), static_cast<Index>(array.shape(0)),
                          static_cast<Index>(array.shape(1)), array.stride(0), array.stride(1)};
  return Samples(rows, keep_alive(array));
}

Samples dense(const AnyMatrix& array) {
  if (array.dtype() == nb::dtype<double>()) {
    return dense_view<double>(array);
  }
  if (array.dtype() == nb::dtype<float>()) {
    return dense_view<float>(array);
  }
  throw nb::type_error("dense: the array must hold float32 or float64");
}

// The wanted type of integer: the array itself where it has it, else a copy in `owned`.
template <class Wanted, class Other>
const Wanted* integers(const AnyVector& array, std::vector<Wanted>& owned, const char* name) {
  if (array.dtype() == nb::dtype<Wanted>()) {
    return static_cast<const Wanted*>(array.data());
  }
  if (array.dtype() != nb::dtype<Other>()) {
    throw nb::type_error((std::string("csr: ") + name + " must hold int32 or int64").c_str());
  }
  const auto* source = static_cast<const Other*>(array.data());
  owned.resize(array.shape(0));
  std::transform(source, source + array.shape(0), owned.begin(), [name](Other value) {
    if (!std::in_range<Wanted>(value)) {
      throw InvalidArgument(std::string("csr: ") + name + " holds " + std::to_string(value) +
                            ", which is no 32-bit column number");
    }
    return static_cast<Wanted>(value);
  });
  return owned.data();
}

struct CsrMemory {
  AnyVector data;
  AnyVector indices;
  AnyVector offsets;
  std::vector<std::int32_t> own_indices = {};
  std::vector<std::int64_t> own_offsets = {};
};

template <class T>
Samples csr_view(CsrMemory given, Index columns) {
  auto* memory = new CsrMemory(std::move(given));
  const std::shared_ptr<const void> owner(memory, [](const CsrMemory* kept) {
    if (nb::is_alive()) {
      const nb::gil_scoped_acquire gil;
      delete kept;
    }
  });
  const SparseRows<T> rows{
      .values = static_cast<const T*>(memory->data.data()),
      .column_numbers = integers<std::int32_t, std::int64_t>(memory->indices, memory->own_indices, "indices"),
      .offsets = integers<std::int64_t, std::int32_t>(memory->offsets, memory->own_offsets, "indptr"),
      .rows = static_cast<Index>(memory->offsets.shape(0)) - 1,
      .columns = columns};
  const Index stored = static_cast<Index>(std::min(memory->data.shape(0), memory->indices.shape(0)));
  if (rows.rows < 0 || rows.offsets[0] < 0 || rows.offsets[rows.rows] > stored) {
    throw InvalidArgument("csr: indptr must hold a first offset of at least 0 and a last one of at most the " +
                          std::to_string(stored) + " stored values");
  }
  require_valid(rows);
  return Samples(rows, owner);
}

Samples csr(const AnyVector& data, const AnyVector& indices, const AnyVector& indptr, Index columns) {
  CsrMemory memory{data, indices, indptr};
  if (data.dtype() == nb::dtype<double>()) {
    return csr_view<double>(std::move(memory), columns);
  }
  if (data.dtype() == nb::dtype<float>()) {
    return csr_view<float>(std::move(memory), columns);
  }
  throw nb::type_error("csr: data must hold float32 or float64");
}

Samples table(const std::optional<Samples>& numeric, std::vector<std::string> numeric_names,
              const std::vector<std::pair<std::string, Samples>>& columns) {
  std::vector<Table::Column> others;
  for (const auto& [name, values] : columns) {
    others.push_back({name, values});
  }
  const Index size = others.empty() ? 0 : others.front().values.size();
  Samples block = numeric.value_or(Samples(DenseRows<double>{nullptr, size, 0, 0, 1}));
  return make_table(Table(std::move(block), std::move(numeric_names), std::move(others)));
}

using Offsets = InputVector<std::int64_t>;

// offsets[i] … offsets[i+1]-1 are the parts of row i.
Index rows_between(const Offsets& offsets, std::size_t parts, const char* name) {
  const std::span<const std::int64_t> ends = span_of(offsets);
  if (ends.empty() || ends.front() != 0 || ends.back() != static_cast<std::int64_t>(parts) ||
      !std::is_sorted(ends.begin(), ends.end())) {
    throw InvalidArgument(std::string(name) + ": offsets must ascend from 0 to " + std::to_string(parts));
  }
  return static_cast<Index>(ends.size()) - 1;
}

template <class T>
std::vector<T> part_of(std::span<const T> all, const Offsets& offsets, Index i) {
  return {all.begin() + offsets.data()[i], all.begin() + offsets.data()[i + 1]};
}

Samples sets(const InputVector<std::int32_t>& members, const Offsets& offsets) {
  std::vector<std::vector<std::int32_t>> rows;
  const Index count = rows_between(offsets, members.shape(0), "sets");
  for (Index i = 0; i < count; ++i) {
    rows.push_back(part_of(span_of(members), offsets, i));
  }
  return make_sets(rows);
}

Samples bags(const InputMatrix<double>& points, const Offsets& offsets) {
  struct Memory {
    std::vector<double> points;
    std::vector<std::int64_t> offsets;
  };
  const Index count = rows_between(offsets, points.shape(0), "bags");
  const auto columns = static_cast<Index>(points.shape(1));
  const auto memory = std::make_shared<const Memory>(
      Memory{{points.data(), points.data() + points.shape(0) * points.shape(1)}, vector_of(offsets)});
  const DenseRows<double> rows{memory->points.data(), static_cast<Index>(points.shape(0)), columns, columns, 1};
  return Samples(BagRows{rows, memory->offsets.data(), count}, memory);
}

// Every edge of an undirected graph stands in `edges` in both directions.
Samples graphs(const Offsets& vertex_offsets, const InputMatrix<std::int32_t>& edges, const Offsets& edge_offsets,
               const std::optional<InputVector<std::int32_t>>& vertex_labels,
               const std::optional<InputVector<std::int32_t>>& edge_labels) {
  if (edges.shape(1) != 2 || vertex_offsets.shape(0) != edge_offsets.shape(0)) {
    throw InvalidArgument("graphs: an edge has two ends, and there are as many offsets of vertices as of edges");
  }
  const Index vertices = vertex_offsets.shape(0) == 0 ? 0 : vertex_offsets.data()[vertex_offsets.shape(0) - 1];
  const Index count = rows_between(
      vertex_offsets, vertex_labels ? vertex_labels->shape(0) : static_cast<std::size_t>(vertices), "graphs, vertices");
  rows_between(edge_offsets, edges.shape(0), "graphs, edges");
  if (edge_labels && edge_labels->shape(0) != edges.shape(0)) {
    throw InvalidArgument("graphs: as many edge labels as edges are wanted");
  }
  std::vector<Graph> rows(count);
  for (Index i = 0; i < count; ++i) {
    Graph& graph = rows[i];
    graph.vertices = vertex_offsets.data()[i + 1] - vertex_offsets.data()[i];
    for (Index e = edge_offsets.data()[i]; e < edge_offsets.data()[i + 1]; ++e) {
      graph.edges.push_back({edges.data()[2 * e], edges.data()[2 * e + 1]});
    }
    if (vertex_labels) {
      graph.vertex_labels = part_of(span_of(*vertex_labels), vertex_offsets, i);
    }
    if (edge_labels) {
      graph.edge_labels = part_of(span_of(*edge_labels), edge_offsets, i);
    }
  }
  return make_graphs(rows, EdgeDirection::directed);
}

template <class T>
nb::object dense_copy(const DenseRows<T>& rows) {
  Matrix<T> copy(rows.rows, rows.columns);
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index j = 0; j < rows.columns; ++j) {
      copy(i, j) = rows(i, j);
    }
  }
  return nb::cast(to_array(std::move(copy)));
}

template <class T>
nb::object csr_copy(const SparseRows<T>& rows) {
  const Index first = rows.offsets[0];
  const Index last = rows.offsets[rows.rows];
  std::vector<std::int64_t> offsets(rows.offsets, rows.offsets + rows.rows + 1);
  for (std::int64_t& offset : offsets) {
    offset -= first;
  }
  return nb::make_tuple(to_array(std::vector<T>(rows.values + first, rows.values + last)),
                        to_array(std::vector<std::int32_t>(rows.column_numbers + first, rows.column_numbers + last)),
                        to_array(std::move(offsets)), nb::make_tuple(rows.rows, rows.columns));
}

// {"nodes": number or labels, "edges": [[from, to] or [from, to, label]], "directed": True}, the form of JSON lines.
nb::object graph_copy(const GraphRows& rows, Index i) {
  nb::list edges;
  nb::list labels;
  const Index first = rows.vertex_offsets[i];
  const Index last = rows.vertex_offsets[i + 1];
  for (Index v = first; v < last; ++v) {
    if (rows.vertex_labels != nullptr) {
      labels.append(rows.vertex_labels[v]);
    }
    for (Index e = rows.edge_offsets[v]; e < rows.edge_offsets[v + 1]; ++e) {
      nb::list edge;
      edge.append(v - first);
      edge.append(rows.neighbors[e]);
      if (rows.edge_labels != nullptr) {
        edge.append(rows.edge_labels[e]);
      }
      edges.append(edge);
    }
  }
  nb::dict graph;
  graph["nodes"] = rows.vertex_labels != nullptr ? nb::object(labels) : nb::cast(last - first);
  graph["edges"] = edges;
  graph["directed"] = true;
  return graph;
}

// Samples by kind, copied.
struct ToPython {
  nb::object operator()(const DenseRows<float>& rows) const { return dense_copy(rows); }
  nb::object operator()(const DenseRows<double>& rows) const { return dense_copy(rows); }
  nb::object operator()(const SparseRows<float>& rows) const { return csr_copy(rows); }
  nb::object operator()(const SparseRows<double>& rows) const { return csr_copy(rows); }
  nb::object operator()(const StringRows& rows) const {
    nb::list list;
    for (Index i = 0; i < rows.rows; ++i) {
      list.append(text_of(rows[i]));
    }
    return list;
  }
  nb::object operator()(const SetRows& rows) const {
    nb::list list;
    for (Index i = 0; i < rows.rows; ++i) {
      nb::list members;
      for (const std::int32_t member : rows[i]) {
        members.append(member);
      }
      list.append(nb::frozenset(members));
    }
    return list;
  }
  nb::object operator()(const BagRows& rows) const {
    nb::list list;
    for (Index i = 0; i < rows.rows; ++i) {
      DenseRows<double> bag = rows.points;
      bag.data += rows.offsets[i] * bag.row_stride;
      bag.rows = rows.offsets[i + 1] - rows.offsets[i];
      list.append(dense_copy(bag));
    }
    return list;
  }
  nb::object operator()(const GraphRows& rows) const {
    nb::list list;
    for (Index i = 0; i < rows.rows; ++i) {
      list.append(graph_copy(rows, i));
    }
    return list;
  }
  nb::object operator()(const CategoryRows& rows) const {
    return nb::make_tuple(to_array(std::vector<std::int32_t>(rows.codes, rows.codes + rows.rows)),
                          texts_of(rows.levels));
  }
  nb::object operator()(const std::shared_ptr<const Table>& rows) const {
    nb::list others;
    for (const Table::Column& column : rows->others()) {
      others.append(nb::make_tuple(column.name, to_python(column.values)));
    }
    const std::vector<std::string> names(rows->numeric_names().begin(), rows->numeric_names().end());
    return nb::make_tuple(to_python(rows->numeric()), names, others);
  }
};

}  // namespace

nb::object to_python(const Samples& samples) { return std::visit(ToPython{}, samples.rows()); }

void bind_samples(nb::module_& module) {
  nb::class_<Samples>(module, "Samples", "Rows of any kind, seen without a copy.")
      .def_static("dense", &dense, nb::arg("array").noconvert())
      .def_static("csr", &csr, nb::arg("data").noconvert(), nb::arg("indices").noconvert(),
                  nb::arg("indptr").noconvert(), nb::arg("columns"))
      .def_static(
          "strings", [](const nb::sequence& values) { return make_strings(bytes_of(values)); }, nb::arg("values"))
      .def_static("sets", &sets, nb::arg("members"), nb::arg("offsets"))
      .def_static("bags", &bags, nb::arg("points"), nb::arg("offsets"))
      .def_static("graphs", &graphs, nb::arg("vertex_offsets"), nb::arg("edges"), nb::arg("edge_offsets"),
                  nb::arg("vertex_labels").none(), nb::arg("edge_labels").none())
      .def_static(
          "categories",
          [](const InputVector<std::int32_t>& codes, const nb::sequence& levels) {
            return make_categories(vector_of(codes), bytes_of(levels));
          },
          nb::arg("codes"), nb::arg("levels"))
      .def_static("table", &table, nb::arg("numeric").none(), nb::arg("numeric_names"), nb::arg("columns"))
      .def_prop_ro("size", &Samples::size)
      .def_prop_ro("columns", &Samples::columns)
      .def_prop_ro("kind", [](const Samples& samples) { return std::string(to_string(samples.kind())); })
      .def("__len__", &Samples::size)
      .def(
          "select",
          [](const Samples& samples, const InputVector<std::int64_t>& indices) {
            return samples.select(span_of(indices));
          },
          nb::arg("indices"))
      .def("require_finite", [](const Samples& samples) { require_finite(samples); })
      .def("to_python", &to_python);
}

}  // namespace mercer::python
