// ExplicitMap: the sparse features of a kernel as columns, learnt from samples.
#include "mercer/features/explicit_map.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "call.h"
#include "mercer/kernels/spec.h"
#include "texts.h"

namespace mercer::python {

namespace {

using LearnedList = std::vector<std::pair<std::uint64_t, double>>;

nb::tuple stored_of(const ExplicitMap& map) {
  const ExplicitMapParts parts = map.parts();
  nb::list learned;
  for (const std::vector<KeyedFeature>& leaf : parts.learned) {
    LearnedList list;
    for (const KeyedFeature& feature : leaf) {
      list.emplace_back(feature.key, feature.value);
    }
    learned.append(nb::cast(list));
  }
  return nb::make_tuple(map.kernel().spec(), nb::cast(parts.keys), learned);
}

void restore(ExplicitMap& map, const nb::tuple& stored) {
  ExplicitMapParts parts{nb::cast<std::vector<std::uint64_t>>(stored[1]), {}};
  for (const LearnedList& list : nb::cast<std::vector<LearnedList>>(stored[2])) {
    std::vector<KeyedFeature> leaf;
    for (const auto& [key, value] : list) {
      leaf.push_back({key, value});
    }
    parts.learned.push_back(std::move(leaf));
  }
  new (&map) ExplicitMap(parse_kernel(nb::cast<std::string>(stored[0])), std::move(parts));
}

// Names of the columns: of the first `count` what they count, of the others numbers. Rows: what features() made of the
// samples.
nb::list names_of(const ExplicitMap& map, Index count, const Samples& samples, const Samples& rows, int threads) {
  std::vector<std::string> names = call({.threads = threads}, [&](const Run& run) {
    std::vector<Index> columns(std::clamp<Index>(count, 0, map.columns()));
    std::iota(columns.begin(), columns.end(), Index{0});
    return map.names(columns, samples, rows, run);
  });
  for (auto column = static_cast<Index>(names.size()); column < map.columns(); ++column) {
    names.push_back("feature " + std::to_string(column));
  }
  return texts_of(names, OddBytes::readable);
}

}  // namespace

void bind_explicit_map(nb::module_& module) {
  nb::class_<ExplicitMap>(module, "ExplicitMap")
      .def(
          "__init__",
          [](ExplicitMap* self, const Kernel& kernel, const Samples& samples, int threads) {
            new (self) ExplicitMap(
                call({.threads = threads}, [&](const Run& run) { return ExplicitMap::learn(kernel, samples, run); }));
          },
          nb::arg("kernel"), nb::arg("samples"), nb::arg("threads") = 0)
      .def_prop_ro("columns", &ExplicitMap::columns)
      .def_prop_ro("kernel", [](const ExplicitMap& map) { return map.kernel().spec(); })
      .def(
          "features",
          [](const ExplicitMap& map, const Samples& samples, bool float32, int threads) {
            return call({.threads = threads}, [&](const Run& run) {
              return float32 ? map.features<float>(samples, run) : map.features<double>(samples, run);
            });
          },
          nb::arg("samples"), nb::arg("float32") = false, nb::arg("threads") = 0)
      .def("names", &names_of, nb::arg("count"), nb::arg("samples"), nb::arg("rows"), nb::arg("threads") = 0)
      .def("__getstate__", &stored_of)
      .def("__setstate__", &restore);
}

}  // namespace mercer::python
