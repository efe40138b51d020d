// The kernel functions that a Laplacian process is made of, at the rows that it is fitted to: K_ij = k(x_i, z_j), where z
// are all rows, or some of them drawn at random where there are too many.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/model.h"

namespace mercer {

struct ProcessFeatures {
  Kernel kernel;                  ///< with its widths resolved
  Samples samples;                ///< the rows
  Samples basis;                  ///< z
  std::vector<Index> basis_rows;  ///< which of the samples they are
  Matrix<double> matrix;          ///< rows × basis
};

/// `rows` of `samples` are fitted to. `basis`: how many rows are z, 0 for all, or for as many as the matrix and its copies may be
/// stored of (the report says so then). `copies`: matrices of its size that the solver makes beside it. `memory_mb` = 0:
/// half of the machine's memory. InvalidArgument where the memory
/// does not hold a matrix of the basis that was asked for.
ProcessFeatures process_features(const std::string& model, const Kernel& kernel, const TrainingData& data,
                                 std::span<const Index> rows, Index basis, double memory_mb, Index copies,
                                 FitReport& report, const Run& run);

/// A function of kernel functions of the basis, without those of coefficient 0; one stays where there is none, since it
/// tells what samples the function takes.
struct ProcessFunction {
  Expansion expansion;         ///< with an offset
  std::vector<Index> columns;  ///< per centre: of the matrix
};

/// `coefficients` is basis × outputs, `offsets` 1 × outputs.
ProcessFunction process_function(const ProcessFeatures& features, Matrix<double> coefficients, Matrix<double> offsets,
                                 const Run& run);

}  // namespace mercer
