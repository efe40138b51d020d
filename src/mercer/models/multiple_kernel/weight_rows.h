// The rows that weights of a sum of kernels are learnt on: all, or some of them drawn at random. Every class has a part
// in them, however rare it is: a machine without one of its classes would say nothing of the weights.
//
//   m_c rows of class c: in proportion to its n_c rows, but at least min(n_c, 50) where there is room for that
//
// Rows of a class that is drawn more often than others count less, so that sums over the drawn rows, divided by their
// share, estimate the sums over all rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"

namespace mercer {

struct WeightRows {
  std::vector<Index> numbers;  ///< of the counted rows, ascending
  Samples samples;
  std::vector<double> weights;  ///< per row
  double share = 1;             ///< Σ weights over the weight of all rows
};

/// At most `most` of the rows (0: all), drawn by run.seed(). weights: per row, empty for all 1; classes: per row, empty
/// for none.
WeightRows choose_weight_rows(Index most, const Samples& samples, std::span<const double> weights,
                              std::span<const std::int32_t> classes, const Run& run);

}  // namespace mercer
