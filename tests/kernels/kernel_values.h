// Values of a kernel at given points, for the tests of single kernels.
#pragma once

#include <string>
#include <vector>

#include "mercer/kernels/definiteness_on.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/prepared.h"
#include "mercer/kernels/spec.h"
#include "mercer/kernels/tile.h"
#include "mercer/kernels/widths.h"
#include "mercer/linalg/matrix.h"

namespace mercer::testing {

using Points = std::vector<std::vector<double>>;

inline Samples points(const Points& rows) {
  std::vector<double> values;
  for (const auto& row : rows) {
    values.insert(values.end(), row.begin(), row.end());
  }
  return make_dense(std::move(values), static_cast<Index>(rows.size()),
                    rows.empty() ? 1 : static_cast<Index>(rows[0].size()));
}

/// k(x_i, y_j); widths are resolved on y.
template <class T = double>
Matrix<T> kernel_values(const std::string& spec, const Points& x, const Points& y) {
  const Samples reference = points(y);
  const Kernel kernel = resolve_widths(parse_kernel(spec), reference, mercer::Run());
  const PreparedKernel prepared(kernel, reference, precision_of<T>, mercer::Run());
  const auto rows = prepared.prepare(points(x), mercer::Run());
  Workspace workspace;
  TileContext<T> context(*rows, {0, rows->size()}, prepared.reference(), {0, reference.size()}, workspace);
  Matrix<T> k(rows->size(), reference.size());
  kernel.node().tile(context, k.view());
  return k;
}

template <class T = double>
double kernel_value(const std::string& spec, const std::vector<double>& x, const std::vector<double>& y) {
  return static_cast<double>(kernel_values<T>(spec, {x}, {y})(0, 0));
}

/// K of the points with themselves; equal samples are the same samples.
inline Matrix<double> kernel_gram(const std::string& spec, const Points& x) {
  const Samples samples = points(x);
  const Kernel kernel = resolve_widths(parse_kernel(spec), samples, mercer::Run());
  const PreparedKernel prepared(kernel, samples, Precision::double_precision, mercer::Run());
  Workspace workspace;
  TileContext<double> context(prepared.reference(), {0, samples.size()}, prepared.reference(), {0, samples.size()},
                              workspace);
  Matrix<double> k(samples.size(), samples.size());
  kernel.node().tile(context, k.view());
  return k;
}

/// Whether the kernel keeps its definiteness where this point is a sample.
inline bool is_definite_on(const std::string& spec, const std::vector<double>& x) {
  return definiteness_on(parse_kernel(spec), points({x}), mercer::Run()).is_positive();
}

inline PairDerivatives pair_derivatives(const std::string& spec, const std::vector<double>& x,
                                        const std::vector<double>& y) {
  const PreparedKernel prepared(parse_kernel(spec), points({y}), Precision::double_precision, mercer::Run());
  const auto row = prepared.prepare(points({x}), mercer::Run());
  Workspace workspace;
  TileContext<double> context(*row, {0, 1}, prepared.reference(), {0, 1}, workspace);
  PairDerivatives out(static_cast<Index>(x.size()));
  prepared.kernel().node().pair_derivatives(context, out);
  return out;
}

}  // namespace mercer::testing
