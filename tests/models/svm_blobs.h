// Generated classes for tests of classifiers: one cloud of points per class.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "models/random_problem.h"
#include "models/report_measure.h"

namespace mercer::testing {

struct Blobs {
  Matrix<double> x;
  std::vector<int> classes;
  TrainingData data;
};

/// `apart`: the radius of the circle of centres; the clouds have variance 1. Labels are "a", "b", …
inline Blobs blobs(Index rows, int classes, double apart, std::uint64_t seed) {
  RandomStream random(seed, 88);
  Blobs result{Matrix<double>(rows, 2), {}, {}};
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) {
    const int c = static_cast<int>(i % classes);
    const double angle = 2 * std::numbers::pi * c / classes;
    result.x(i, 0) = apart * std::cos(angle) + random.normal();
    result.x(i, 1) = apart * std::sin(angle) + random.normal();
    result.classes.push_back(c);
    labels.emplace_back(1, static_cast<char>('a' + c));
  }
  result.data = {make_dense(Matrix<double>::copy_of(result.x.view())), Targets::classes(labels, "kind"), {}};
  return result;
}

inline double accuracy(const Blobs& blobs, const Matrix<double>& predicted) {
  double right = 0;
  for (Index i = 0; i < predicted.rows(); ++i) {
    right += predicted(i, 0) == blobs.classes[i] ? 1 : 0;
  }
  return right / static_cast<double>(predicted.rows());
}

}  // namespace mercer::testing
