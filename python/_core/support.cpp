// Margins of rows under a model, and support vectors that two models share.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "call.h"
#include "mercer/models/svm/support_overlap.h"
#include "mercer/select/estimates/geometric_margins.h"
#include "samples.h"
#include "stored_model.h"

namespace mercer::python {

namespace {

// (margins, ‖w‖ per machine).
nb::tuple margins(const StoredModel& stored, const Samples& samples, const std::vector<std::int32_t>& classes,
                  int threads) {
  GeometricMargins found = call({.threads = threads}, [&](const Run& run) {
    return geometric_margins(*stored.model, stored.preparation.apply(samples, run), classes, run);
  });
  return nb::make_tuple(to_array(std::move(found.margins)), found.norms);
}

nb::dict counts(const Overlap& overlap) {
  nb::dict result;
  result["own"] = overlap.own;
  result["other"] = overlap.other;
  result["both"] = overlap.both;
  result["share"] = overlap.share();
  return result;
}

nb::list list_of(const std::vector<Overlap>& overlaps) {
  nb::list result;
  for (const Overlap& overlap : overlaps) {
    result.append(nb::make_tuple(overlap.name, counts(overlap)));
  }
  return result;
}

nb::dict overlap_of(const StoredModel& model, const StoredModel& other) {
  const SupportOverlap found = support_overlap(*model.model, *other.model);
  nb::dict result;
  result["all"] = counts(found.all);
  result["machines"] = list_of(found.machines);
  result["classes"] = list_of(found.classes);
  return result;
}

}  // namespace

void bind_support(nb::module_& module) {
  module.def("margins", &margins, nb::arg("model"), nb::arg("x"), nb::arg("classes"), nb::arg("threads") = 0);
  module.def("support_overlap", &overlap_of, nb::arg("model"), nb::arg("other"));
}

}  // namespace mercer::python
