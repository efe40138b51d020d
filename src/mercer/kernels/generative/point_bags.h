// Vectors and bags of vectors in one form: sample i owns the points offsets[i] … offsets[i + 1] − 1; a plain vector is a
// bag of one. A model of single points sees a bag as independent draws, whose log-likelihoods and scores add up.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

struct PointBags {
  Matrix<double> points;
  std::vector<Index> offsets = {0};

  Index size() const { return static_cast<Index>(offsets.size()) - 1; }
  Index dimension() const { return points.columns(); }
  std::span<const double> point(Index p) const {
    return {points.data() + p * points.columns(), static_cast<std::size_t>(points.columns())};
  }
};

/// A copy of the samples: InvalidArgument naming the kernel unless they are vectors or bags of at most 32768 columns,
/// DataError where a number is not finite.
PointBags point_bags(std::string_view kernel, const Samples& samples);
/// The weights of the points, each that of its bag; empty stays empty.
std::vector<double> point_weights(const PointBags& bags, std::span<const double> weights);

/// DataError unless the points, if there are any, have as many columns as the model.
void require_dimension(std::string_view kernel, const PointBags& bags, Index dimension);

}  // namespace mercer
