// What densities give beside their values: draws, marginals, the distribution function; and lowess().
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "bind.h"
#include "call.h"
#include "mercer/base/error.h"
#include "mercer/models/density/density_parts.h"
#include "mercer/models/density/density_units.h"
#include "mercer/models/density/model_draws.h"
#include "mercer/smoothing/lowess.h"

namespace mercer::python {

namespace {

using Places = InputMatrix<double>;
using Numbers = InputVector<double>;

const SmoothDensity& kernel_density_of(const StoredModel& stored, const char* what) {
  const auto* kde = offered<SmoothDensity>(*stored.model);
  if (kde == nullptr) {
    throw InvalidArgument("a model " + stored.model->name() + " has no " + what + "; kde has");
  }
  return *kde;
}

Matrix<double> as_the_model_sees(const StoredModel& stored, std::span<const Index> columns, const Places& x) {
  Matrix<double> values = Matrix<double>::copy_of(view_of(x));
  if (values.columns() != static_cast<Index>(columns.size())) {
    throw DataError("rows of " + std::to_string(values.columns()) + " columns, where " +
                    std::to_string(columns.size()) + " are named");
  }
  scale_as_at_the_fit(stored, columns, values.view());
  return values;
}

OutputMatrix<double> density_draws(const StoredModel& stored, Index count, std::vector<Index> columns,
                                   std::vector<double> values, std::uint64_t seed) {
  return to_array(call({.seed = seed}, [&](const Run& run) {
    return draw_samples(stored, {std::move(columns), std::move(values)}, count, run);
  }));
}

OutputVector<double> marginal(const StoredModel& stored, const std::vector<Index>& columns, const Places& x,
                              int threads) {
  const SmoothDensity& kde = kernel_density_of(stored, "marginal densities");
  const Matrix<double> places = as_the_model_sees(stored, columns, x);
  std::vector<Index> kept;
  for (const Index column : columns) {
    kept.push_back(kde.left_out().place(column));
  }
  const double shift = log_density_factor(stored, columns);
  return to_array(call({.threads = threads}, [&](const Run& run) {
    std::vector<double> values = kde.density().marginal_log_density(kept, places.view(), run);
    for (double& value : values) {
      value += shift;
    }
    return values;
  }));
}

OutputVector<double> cumulative(const StoredModel& stored, const Places& x, int threads) {
  const KernelDensity& density = kernel_density_of(stored, "distribution function").density();
  const Matrix<double> places = as_the_model_sees(stored, std::vector<Index>{0}, x);
  return to_array(call({.threads = threads}, [&](const Run& run) {
    return density.cumulative({places.data(), static_cast<std::size_t>(places.rows())}, run);
  }));
}

// (fitted values of the points as given, values at the places).
nb::tuple lowess(const Numbers& x, const Numbers& y, double span, Index robust_iterations,
                 std::optional<Numbers> places, int threads) {
  const LowessOptions options{.span = span, .robust_iterations = robust_iterations};
  const std::vector<double> queries = places ? vector_of(*places) : std::vector<double>{};
  std::vector<double> fitted(x.shape(0));
  std::vector<double> values;
  run_call({.threads = threads}, [&](const Run& run) {
    const LowessFit fit = fit_lowess(span_of(x), span_of(y), options, run);
    for (std::size_t k = 0; k < fit.order.size(); ++k) {
      fitted[fit.order[k]] = fit.fitted[k];
    }
    for (const double query : queries) {
      run.check_stop();
      values.push_back(fit.value(query));
    }
  });
  return nb::make_tuple(to_array(std::move(fitted)), to_array(std::move(values)));
}

}  // namespace

void bind_density(nb::module_& module) {
  module.def("density_draws", &density_draws, nb::arg("model"), nb::arg("count"),
             nb::arg("columns") = std::vector<Index>{}, nb::arg("values") = std::vector<double>{}, nb::arg("seed") = 0);
  module.def("marginal_log_density", &marginal, nb::arg("model"), nb::arg("columns"), nb::arg("x"),
             nb::arg("threads") = 0);
  module.def("cumulative_density", &cumulative, nb::arg("model"), nb::arg("x"), nb::arg("threads") = 0);
  module.def("lowess", &lowess, nb::arg("x"), nb::arg("y"), nb::arg("span") = LowessOptions{}.span,
             nb::arg("robust_iterations") = LowessOptions{}.robust_iterations, nb::arg("places").none() = nb::none(),
             nb::arg("threads") = 0);
}

}  // namespace mercer::python
