#include "mercer/kernels/generative/point_bags.h"

#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/data/weighted_samples.h"
#include "mercer/kernels/generative/model_parameters.h"
#include "mercer/kernels/nodes/point_values.h"

namespace mercer {

namespace {

PointBags copied_bags(std::string_view kernel, const BagRows& rows) {
  PointBags result;
  const Index first = rows.rows > 0 ? rows.offsets[0] : 0;
  const Index count = rows.rows > 0 ? rows.offsets[rows.rows] - first : 0;
  result.points = Matrix<double>(count, rows.points.columns);
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index p = rows.offsets[i]; p < rows.offsets[i + 1]; ++p) {
      for (Index j = 0; j < rows.points.columns; ++j) {
        const double value = rows.points(p, j);
        if (!std::isfinite(value)) {
          throw DataError(std::string(kernel) + ": bag " + std::to_string(i) +
                          " (counted from 0) holds a number that is not finite");
        }
        result.points(p - first, j) = value;
      }
    }
    result.offsets.push_back(rows.offsets[i + 1] - first);
  }
  return result;
}

}  // namespace

PointBags point_bags(std::string_view kernel, const Samples& samples) {
  const bool is_bag = samples.kind() == SampleKind::bags;
  if (!is_bag && !samples.is_numeric()) {
    throw InvalidArgument(std::string(kernel) + " needs real vectors or bags of vectors, but the samples are " +
                          std::string(to_string(samples.kind())) + "; choose numeric columns with a subscript");
  }
  if (is_bag) {
    return copied_bags(kernel, samples.as<BagRows>());
  }
  if (samples.columns() > most_model_numbers) {
    throw InvalidArgument(std::string(kernel) + " models every column, but the samples have " +
                          std::to_string(samples.columns()) + " of them; choose some with a subscript");
  }
  require_finite(samples);
  PointBags result;
  result.points = Matrix<double>(samples.size(), samples.columns());
  for (Index i = 0; i < samples.size(); ++i) {
    numeric_row(samples, i, result.points.view().row(i));
    result.offsets.push_back(i + 1);
  }
  return result;
}

std::vector<double> point_weights(const PointBags& bags, std::span<const double> weights) {
  return repeated_weights(weights, bags.offsets);
}

void require_dimension(std::string_view kernel, const PointBags& bags, Index dimension) {
  if (bags.points.rows() > 0 && bags.dimension() != dimension) {
    throw DataError(std::string(kernel) + ": the model has " + std::to_string(dimension) +
                    " columns, but the samples have " + std::to_string(bags.dimension()));
  }
}

}  // namespace mercer
