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

// Samples by kind, copied.
struct ToPython {
  nb::object operator()(const DenseRows<float>& rows) const { return dense_copy(rows); }
  nb::object operator()(const DenseRows<double>& rows) const { return dense_copy(rows); }
  nb::object operator()(const SparseRows<float>& rows) const { return csr_copy(rows); }
  nb::object operator()(const SparseRows<double>& rows) const { return csr_copy(rows); }
  nb::object operator()(const StringRows& rows) const {
    nb::list list;
    for (Index i = 0; i < rows.rows; ++i) {
      list.append(nb::str(rows[i].data(), rows[i].size()));
    }
    return list;
  }
  nb::object operator()(const CategoryRows& rows) const {
    std::vector<std::string> levels(rows.levels.begin(), rows.levels.end());
    return nb::make_tuple(to_array(std::vector<std::int32_t>(rows.codes, rows.codes + rows.rows)), levels);
  }
  nb::object operator()(const std::shared_ptr<const Table>& rows) const {
    nb::list others;
    for (const Table::Column& column : rows->others()) {
      others.append(nb::make_tuple(column.name, to_python(column.values)));
    }
    const std::vector<std::string> names(rows->numeric_names().begin(), rows->numeric_names().end());
    return nb::make_tuple(to_python(rows->numeric()), names, others);
  }
  nb::object operator()(const auto& /*rows*/) const {
    throw nb::type_error("samples of this kind have no form in Python");
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
          "strings", [](const std::vector<std::string>& values) { return make_strings(values); }, nb::arg("values"))
      .def_static(
          "categories",
          [](const InputVector<std::int32_t>& codes, std::vector<std::string> levels) {
            return make_categories(vector_of(codes), std::move(levels));
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
