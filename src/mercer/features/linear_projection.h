// LinearProjection: X W for numeric samples and a fixed matrix W (columns × projections), the first step of random
// features. Dense rows go through matrix products, sparse ones add a row of W per value and are never written out.
#pragma once

#include <functional>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// The numeric columns of the samples. DataError where there are none, or not `columns` of them (−1: any number).
Samples numeric_columns(const Samples& samples, Index columns, const char* map);

/// Rows of dense or sparse numeric samples as numbers of type T; DataError where one is not finite.
template <class T>
Matrix<T> dense_rows(const Samples& numeric, IndexRange range);

/// What is done with projections afterwards: `angles` go into sines and cosines, and may lose whole turns.
enum class ProjectionUse { numbers, angles };

class LinearProjection {
 public:
  explicit LinearProjection(Matrix<double> weights);

  Index inputs() const { return weights_.rows(); }
  Index outputs() const { return weights_.columns(); }
  const Matrix<double>& weights() const { return weights_; }

  /// For blocks of rows, in parallel: the projections of the block (rows × outputs(), free to be overwritten) and the
  /// rows' range. 2 n d outputs operations, or two per stored value and output for sparse rows. Angles keep
  /// their digits in float, too: what dense rows close together far from the origin share is projected once, in double,
  /// and blocks of rows many widths apart are projected a second time, in double.
  template <class T>
  void for_blocks(const Samples& samples, const char* map, ProjectionUse use,
                  const std::function<void(IndexRange rows, MatrixView<T> projections)>& consume, const Run& run) const;

 private:
  template <class T>
  ConstMatrixView<T> weights_as() const;
  template <class T>
  void project(const Samples& numeric, IndexRange range, ProjectionUse use, MatrixView<T> out) const;
  template <class T>
  void project_dense(const Samples& numeric, IndexRange range, ProjectionUse use, MatrixView<T> out) const;
  /// In double, less whole turns, where an angle is too large for float.
  void restore_angles(const Samples& numeric, IndexRange range, MatrixView<float> out) const;

  Matrix<double> weights_;
  Matrix<float> single_;
};

}  // namespace mercer
