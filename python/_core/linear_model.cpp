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
#include "mercer/models/linear/feature_weights.h"
#include "stored_model.h"
#include "texts.h"

namespace mercer::python {

namespace {

const FeatureWeights& feature_weights(const StoredModel& stored) {
  if (const auto* weights = offered<FeatureWeights>(*stored.model)) {
    return *weights;
  }
  throw InvalidArgument("a model " + std::string(stored.model->name()) +
                        " has no weights of features; linearsvc and linearsvr have");
}

nb::object vocabulary(const StoredModel& stored) {
  const ExplicitInput& input = feature_weights(stored).input();
  return input.map() == nullptr ? nb::none() : nb::object(texts_of(input.names(), OddBytes::readable));
}

// Per sample a list of (column, bytes of the sequence, bytes × machines).
nb::list profiles(const StoredModel& stored, const Samples& samples, int threads) {
  const FeatureWeights& weights = feature_weights(stored);
  if (weights.input().map() == nullptr) {
    throw InvalidArgument("profiles along sequences need a kernel on sequences, such as spectrum or weighted_degree");
  }
  std::vector<std::vector<SequenceProfile>> found = call({.threads = threads}, [&](const Run& run) {
    const Samples rows = stored.preparation.apply(samples, run);
    std::vector<std::vector<SequenceProfile>> all(rows.size());
    parallel_for(run, rows.size(), "profiles",
                 [&](Index i) { all[i] = weights.input().map()->profile(rows, i, weights.machines().weights.view()); });
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
