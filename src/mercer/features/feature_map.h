// FeatureMap: samples as vectors z(x) of a fixed length whose inner products stand for a kernel,
//
//   z(x)·z(x') ≈ k(x, x')
//
// so that linear methods on z(x) do the work of kernel methods at a cost that grows with the number of rows, not with
// its square. A map is immutable; everything random in it was drawn when it was made, from a seed, and is kept: a map
// that is stored and read again gives the same features.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// A map as plain data, as a file keeps it.
struct MapParts {
  std::map<std::string, Matrix<double>> arrays;
  std::map<std::string, Samples> samples;

  /// An array of this shape that holds finite numbers only; DataError where there is none.
  Matrix<double> finite(const std::string& name, Index rows, Index columns) const;
  const Matrix<double>& array(const std::string& name) const;
};

class FeatureMap {
 public:
  FeatureMap() = default;
  virtual ~FeatureMap() = default;
  FeatureMap(const FeatureMap&) = delete;
  FeatureMap& operator=(const FeatureMap&) = delete;
  FeatureMap(FeatureMap&&) = delete;
  FeatureMap& operator=(FeatureMap&&) = delete;

  /// "fourier", "sinks", "sketch", "chi2", "nystroem".
  virtual std::string_view name() const = 0;
  /// The number of features.
  virtual Index columns() const = 0;
  /// Writes z(x_i) to row i of `out`, samples × columns(). The same bits for any number of threads. DataError for
  /// samples of other columns than those the map was made for, or with values that are not finite.
  virtual void transform(const Samples& samples, MatrixView<double> out, const Run& run) const = 0;
  virtual void transform(const Samples& samples, MatrixView<float> out, const Run& run) const = 0;
  virtual MapParts parts() const = 0;
};

}  // namespace mercer
