// What fits of feature models share: which rows count, and how directions of feature space become a FeatureModel.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/features/pivot_coordinates.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/models/features/feature_model.h"
#include "mercer/models/model.h"

namespace mercer {

/// Rows of positive weight, the kernel with its widths resolved on them, and its Gram matrix.
struct FeatureRows {
  std::string requested_kernel;
  std::vector<Index> rows;  ///< of the data
  Samples samples;
  std::vector<double> weights;  ///< per row; empty: all 1
  std::shared_ptr<const KernelGram<double>> gram;
  Precision precision = Precision::double_precision;  ///< of kernel values where features are evaluated

  const Kernel& kernel() const { return gram->kernel().kernel(); }
  Index size() const { return samples.size(); }
};
/// Whether rows that repeat are one of their summed weight (merged_rows.h): for searches that choose rows, or start at random.
enum class EqualRows { apart, merged };
/// DataError where no row counts.
FeatureRows feature_rows(const char* model, const Kernel& kernel, const TrainingData& data, const Run& run,
                         EqualRows equal = EqualRows::apart);

/// Functions of some of the rows: Σ_i coefficients(i, c) k(x_{centres[i]}, x) + offsets[c]. A kernel that depends on the
/// set of its reference samples (center) keeps all rows.
struct FeatureFunctions {
  Expansion expansion;
  std::vector<Index> center_rows;     ///< of the data
  std::vector<double> center_values;  ///< per centre: `values` where it is one of `centres`, 0 elsewhere
};
FeatureFunctions feature_functions(const FeatureRows& rows, std::span<const Index> centers,
                                   ConstMatrixView<double> coefficients, std::span<const double> offsets,
                                   std::span<const double> values, const Run& run);

/// Coordinates of all rows by pivoted Cholesky, `rank` of them at most (0: 1000, fewer where there are more than 20000
/// rows). A note says so where more than 1e-6 of the kernel's trace is left out. InvalidArgument for a kernel that is
/// not positive definite.
PivotCoordinates feature_coordinates(const char* model, const FeatureRows& rows, Index rank, FitReport& report,
                                     const Run& run);

enum class Directions { orthonormal, oblique };
/// The parts of a model of the functions ⟨d_c, Φ(x) − μ⟩, with d the columns of `directions` (in the basis of the
/// coordinates) and μ the mean; all but the values. Orthonormal directions have a residual.
FeatureModel::Parts projection_parts(const FeatureRows& rows, const PivotCoordinates& coordinates,
                                     std::span<const double> mean, ConstMatrixView<double> directions, Directions kind,
                                     const Run& run);

}  // namespace mercer
