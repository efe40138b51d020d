// Gram matrices, cross matrices and diagonals of kernels on given samples, for tests of constructions and of kernels on
// other samples than points.
#pragma once

#include <string_view>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/prepared.h"
#include "mercer/kernels/spec.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/matrix.h"
#include "support/dense.h"

namespace mercer::testing {

using Points = std::vector<std::vector<double>>;

inline Samples dense(const Points& points) {
  std::vector<double> values;
  for (const auto& point : points) {
    values.insert(values.end(), point.begin(), point.end());
  }
  const auto columns = points.empty() ? 0 : static_cast<Index>(points[0].size());
  return make_dense(values, static_cast<Index>(points.size()), columns);
}

inline Matrix<double> gram(const Kernel& kernel, const Samples& samples) {
  const PreparedKernel prepared(kernel, samples, Precision::double_precision, mercer::Run());
  const Index n = samples.size();
  Workspace workspace;
  TileContext<double> context(prepared.reference(), {0, n}, prepared.reference(), {0, n}, workspace);
  Matrix<double> k(n, n);
  kernel.node().tile(context, k.view());
  return k;
}
inline Matrix<double> gram(std::string_view spec, const Samples& samples) { return gram(parse_kernel(spec), samples); }

inline Matrix<double> cross(const Kernel& kernel, const Samples& x, const Samples& reference) {
  const PreparedKernel prepared(kernel, reference, Precision::double_precision, mercer::Run());
  const auto rows = prepared.prepare(x, mercer::Run());
  Workspace workspace;
  TileContext<double> context(*rows, {0, x.size()}, prepared.reference(), {0, reference.size()}, workspace);
  Matrix<double> k(x.size(), reference.size());
  kernel.node().tile(context, k.view());
  return k;
}

inline std::vector<double> diagonal(const Kernel& kernel, const Samples& samples) {
  const PreparedKernel prepared(kernel, samples, Precision::double_precision, mercer::Run());
  std::vector<double> k(samples.size());
  kernel.node().diagonal(prepared.reference(), {0, samples.size()}, k);
  return k;
}

/// k(x, y) of two points.
inline double value(std::string_view spec, const std::vector<double>& x, const std::vector<double>& y) {
  return gram(spec, dense({x, y}))(0, 1);
}

inline double smallest_eigenvalue(const Matrix<double>& k) {
  const oracle::Dense m(k);
  return ((m + m.transpose()) / 2).eigenvalues()(0);
}

}  // namespace mercer::testing
