// A training problem whose answer is smooth in the samples, for laws that compare fits: of the registry's models, with
// their decision values where they have any.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/data/targets.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model.h"
#include "models/random_problem.h"

namespace mercer::testing {

/// Coordinates are multiples of 2⁻²⁰ below 8, so that offsets up to 2³⁰ and factors that are powers of two are exact.
inline Matrix<double> exact_coordinates(Index rows, Index columns, std::uint64_t seed) {
  Matrix<double> x = random_matrix(rows, columns, seed);
  for (Index i = 0; i < rows * columns; ++i) {
    x.data()[i] = std::ldexp(std::round(std::ldexp(x.data()[i], 20)), -20);
  }
  return x;
}

inline double smooth_function(std::span<const double> x) { return std::sin(1.3 * x[0]) + 0.5 * x[1] - 0.2 * x[2]; }

/// Values of smooth_function, or its sign, or its third.
inline Targets smooth_targets(const ModelEntry& entry, const Matrix<double>& x) {
  Matrix<double> values(x.rows(), 1);
  std::vector<std::string> labels;
  for (Index i = 0; i < x.rows(); ++i) {
    values(i, 0) = smooth_function(x.view().row(i));
    labels.push_back(values(i, 0) > 0.1 ? "yes" : "no");
  }
  if (entry.task == Task::regression) {
    return Targets::numeric(values.view());
  }
  for (Index i = 0; i < x.rows(); ++i) {
    values(i, 0) = values(i, 0) > 0.5 ? 2 : values(i, 0) > -0.5 ? 1 : 0;
  }
  return entry.takes_second_view ? Targets::numeric(values.view()) : Targets::classes(labels);
}

/// Decision values where there are any, predictions elsewhere.
inline Matrix<double> answers(const FittedModel& model, const Samples& x) {
  return model.decision_names().empty() ? model.predict(x, {}) : model.decide(x, {});
}

/// The largest difference, relative to the root mean square of `expected`, column by column.
inline double relative_difference(const Matrix<double>& values, const Matrix<double>& expected) {
  double largest = 0;
  for (Index o = 0; o < expected.columns(); ++o) {
    double squares = 0;
    double difference = 0;
    for (Index i = 0; i < expected.rows(); ++i) {
      squares += expected(i, o) * expected(i, o);
      difference = std::max(difference, std::abs(values(i, o) - expected(i, o)));
    }
    largest = std::max(largest, difference / std::sqrt(squares / static_cast<double>(expected.rows())));
  }
  return largest;
}

}  // namespace mercer::testing
