// Calibration: does a predicted probability of 0.8 come true in 80 of 100 cases? And margins: how far from the boundary
// rows stand, by their true class.
//
//   ten equal bins of [0, 1]: mean predicted probability against the observed frequency of the class
//
// Reference: Niculescu-Mizil & Caruana (2005), Predicting good probabilities with supervised learning.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/report/report_data.h"

namespace mercer {

/// One per class (two classes: the second alone), of ten bins; means of empty bins are NaN. probabilities: n × classes. O(n · classes).
std::vector<Calibration> calibration_curves(const std::vector<std::string>& classes,
                                            const std::vector<std::int32_t>& truth,
                                            const Matrix<double>& probabilities);

/// `bins` equal bins over the range of the finite values, one row of counts per class. Values that are not finite and
/// rows of class −1 are left out; nothing where none is left.
std::optional<MarginHistogram> margin_histogram(const std::vector<std::string>& classes,
                                                const std::vector<std::int32_t>& truth, std::span<const double> margins,
                                                Index bins = 40);

/// Edges of `bins` equal bins from the least to the largest value (a bin of width 1 around a single value), and the bin
/// of a value: the last one includes its upper edge.
std::vector<double> equal_bins(double least, double largest, Index bins);
Index bin_of(std::span<const double> edges, double value);

}  // namespace mercer
