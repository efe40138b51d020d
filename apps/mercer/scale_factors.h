// The limits by which svm-scale scales, and the file that holds them:
//
//   y                         only where targets are scaled
//   y_lower y_upper
//   y_min y_max
//   x
//   lower upper
//   index min max             a line per feature from index 1; features of a single value have none
#pragma once

#include <string>
#include <vector>

#include "mercer/data/files/data_file.h"

namespace mercer::program {

struct ScaleRange {
  double lower = 0;  ///< limits of what comes out
  double upper = 0;
  double smallest = 0;  ///< limits of what goes in
  double largest = 0;

  bool is_constant() const { return smallest == largest; }
  double apply(double value) const {
    if (value == smallest) {
      return lower;
    }
    if (value == largest) {
      return upper;
    }
    return lower + (upper - lower) * (value - smallest) / (largest - smallest);
  }
};

struct ScaleFactors {
  double lower = -1;
  double upper = 1;
  struct Feature {
    double smallest = 0;
    double largest = 0;
    bool is_known = false;  ///< stands in the scale file, or in the data that the limits come from
  };
  std::vector<Feature> features;  ///< by index
  bool scales_targets = false;
  ScaleRange targets;

  ScaleRange range_of(std::size_t index) const {
    return {lower, upper, features[index].smallest, features[index].largest};
  }
};

/// Smallest and largest value of every column and of the targets; what is not stored is 0, but for index 0: LIBSVM
/// counts from 1 and looks at index 0 only where it is written.
void measure_limits(const DataFile& data, ScaleFactors& factors);

/// Reads a scale file over `factors`: limits of targets stay where it has none, features are known only where it has
/// them. IoError, DataError with file and line.
void restore_factors(const std::string& path, ScaleFactors& factors);
/// The file appears complete or not at all; IoError.
void save_factors(const std::string& path, const ScaleFactors& factors);

}  // namespace mercer::program
