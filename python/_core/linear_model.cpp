// What a linear model on the explicit features of a kernel has learnt: names of its features, and what every place of a
// sequence adds to its values.
#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "call.h"
#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/models/linear/linear_svm_model.h"
#include "stored_model.h"
#include "texts.h"

namespace mercer::python {

namespace {

struct LinearParts {
  const LinearMachines* machines = nullptr;
  const ExplicitInput* input = nullptr;
};

LinearParts linear_parts(const StoredModel& stored) {
  if (const auto* svc = dynamic_cast<const LinearSvcModel*>(stored.model.get())) {
    return {&svc->machines(), &svc->input()};
  }
  if (const auto* svr = dynamic_cast<const LinearSvrModel*>(stored.model.get())) {
    return {&svr->machines(), &svr->input()};
  }
  throw InvalidArgument("a model " + std::string(stored.model->name()) +
                        " has no weights of features; linearsvc and linearsvr have");
}

nb::object vocabulary(const StoredModel& stored) {
  const ExplicitInput& input = *linear_parts(stored).input;
  return input.map() == nullptr ? nb::none() : nb::object(texts_of(input.names(), OddBytes::readable));
}

// Per sample a list of (column, bytes of the sequence, bytes × machines).
nb::list profiles(const StoredModel& stored, const Samples& samples, int threads) {
  const LinearParts parts = linear_parts(stored);
  if (parts.input->map() == nullptr) {
    throw InvalidArgument("profiles along sequences need a kernel on sequences, such as spectrum or weighted_degree");
  }
  std::vector<std::vector<SequenceProfile>> found = call({.threads = threads}, [&](const Run& run) {
    const Samples rows = as_at_the_fit(stored, samples, run);
    std::vector<std::vector<SequenceProfile>> all(static_cast<std::size_t>(rows.size()));
    parallel_for(run, rows.size(), "profiles", [&](Index i) {
      all[static_cast<std::size_t>(i)] = parts.input->map()->profile(rows, i, parts.machines->weights.view());
    });
    return all;
  });
  nb::list list;
  for (std::vector<SequenceProfile>& profiles : found) {
    nb::list row;
    for (SequenceProfile& profile : profiles) {
      row.append(nb::make_tuple(text_of(profile.column), nb::bytes(profile.sequence.data(), profile.sequence.size()),
                                to_array(std::move(profile.values))));
    }
    list.append(row);
  }
  return list;
}

}  // namespace

void bind_linear_model(nb::module_& module) {
  module.def("feature_vocabulary", &vocabulary, nb::arg("model"));
  module.def("feature_profiles", &profiles, nb::arg("model"), nb::arg("x"), nb::arg("threads") = 0);
}

}  // namespace mercer::python
