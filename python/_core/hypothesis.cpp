// Tests of hypotheses: two samples of one distribution, two views that know nothing of each other.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <utility>

#include "bind.h"
#include "call.h"
#include "mercer/base/error.h"
#include "mercer/select/hypothesis/independence.h"
#include "mercer/select/hypothesis/two_sample.h"

namespace mercer::python {

namespace {

nb::dict result_of(const TestResult& test) {
  nb::dict null;
  null["kind"] = test.null.kind;
  null["count"] = test.null.count;
  null["mean"] = test.null.mean;
  null["deviation"] = test.null.deviation;
  nb::dict result;
  result["statistic"] = test.statistic;
  result["p_value"] = test.p_value;
  result["threshold"] = test.threshold;
  result["rejected"] = test.rejected;
  result["null"] = null;
  result["left_out"] = test.left_out;
  result["notes"] = test.notes;
  return result;
}

MmdStatistic statistic_named(const std::string& name) {
  if (name == "quadratic") {
    return MmdStatistic::quadratic;
  }
  if (name == "block") {
    return MmdStatistic::block;
  }
  if (name == "linear") {
    return MmdStatistic::linear;
  }
  reject_argument("statistic", name, "'quadratic', 'block' or 'linear'");
}

nb::dict two_samples(const Kernel& kernel, const Samples& x, const Samples& y, const std::string& statistic,
                     Index permutations, double level, Index block_size, double memory_mb, int threads,
                     std::uint64_t seed) {
  const TwoSampleOptions options{.statistic = statistic_named(statistic),
                                 .permutations = permutations,
                                 .level = level,
                                 .block_size = block_size,
                                 .memory_mb = memory_mb};
  const TwoSampleResult done = call({.threads = threads, .seed = seed},
                                    [&](const Run& run) { return two_sample_test(kernel, x, y, options, run); });
  nb::dict result = result_of(done.test);
  result["kernel"] = done.kernel.spec();
  return result;
}

nb::dict independence(const Kernel& kernel, const Samples& x, const Kernel& target_kernel, const Samples& y,
                      Index permutations, double level, double memory_mb, Index rank, int threads, std::uint64_t seed) {
  const IndependenceOptions options{.permutations = permutations, .level = level, .memory_mb = memory_mb, .rank = rank};
  const IndependenceResult done = call({.threads = threads, .seed = seed}, [&](const Run& run) {
    return independence_test(kernel, x, target_kernel, y, options, run);
  });
  nb::dict result = result_of(done.test);
  result["kernel"] = done.first_kernel.spec();
  result["target_kernel"] = done.second_kernel.spec();
  return result;
}

}  // namespace

void bind_hypothesis(nb::module_& module) {
  module.def("two_sample_test", &two_samples, nb::arg("kernel"), nb::arg("x"), nb::arg("y"),
             nb::arg("statistic") = "quadratic", nb::arg("permutations") = 1000, nb::arg("level") = 0.05,
             nb::arg("block_size") = 0, nb::arg("memory_mb") = 512.0, nb::arg("threads") = 0, nb::arg("seed") = 0);
  module.def("independence_test", &independence, nb::arg("kernel"), nb::arg("x"), nb::arg("target_kernel"),
             nb::arg("y"), nb::arg("permutations") = 1000, nb::arg("level") = 0.05, nb::arg("memory_mb") = 2048.0,
             nb::arg("rank") = 200, nb::arg("threads") = 0, nb::arg("seed") = 0);
}

}  // namespace mercer::python
