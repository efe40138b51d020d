// Pre-images: the point z of input space whose image Φ(z) is nearest to Ψ = Σ_i a_i Φ(x_i),
//
//   ρ(z) = ‖Ψ − βΦ(z)‖² = aᵀKa + β²k(z, z) − 2βh(z),   h(z) = Σ_i a_i k(x_i, z),   β = 1, or the best, h(z)/k(z, z)
//
// Exact pre-images exist for few Ψ, so that ρ is made small instead: kernels of a distance by the fixed point
// z ← Σ w_i x_i/Σ w_i, w_i = a_i k'(d_i²), which for the Gaussian and a ≥ 0 is mean shift and climbs with every step; any
// other differentiable kernel, and whatever does not settle (weights of both signs can cycle), by quasi-Newton steps.
// References: Schölkopf & Smola (2002), 18.1-18.2; Schölkopf et al. (1998), Kernel PCA pattern reconstruction via
// approximate pre-images; Comaniciu & Meer (2002).
#pragma once

#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/expansion/preimage_objective.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

/// automatic: the fixed point where the kernel has one, then the gradient where that has not settled.
enum class PreimageMethod { automatic, fixed_point, gradient };

struct PreimageOptions {
  PreimageMethod method = PreimageMethod::automatic;
  PreimageCriterion criterion = PreimageCriterion::distance;
  Index max_iterations = 50;    ///< steps of the fixed point
  Index max_evaluations = 200;  ///< of the gradient search, per start
  /// Of a step, in units of the kernel's width and of the spread of the centres; squared: of a decrease of ρ.
  double tolerance = 1e-6;
  Index starts = 2;  ///< where none are given: so many of the centres, the best by ρ

  void validate() const;
};

struct PreimageResult {
  Matrix<double> points;             ///< one row each
  std::vector<double> scales;        ///< β: 1 for the criterion distance
  std::vector<double> rho;           ///< ‖Ψ − βΦ(z)‖², clamped at 0
  std::vector<double> squared_norm;  ///< ‖Ψ‖²
  Index searched = 0;                ///< how many took quasi-Newton steps
};

/// One pre-image per column of `coefficients` (centres × count). `starts` is count × d; with no rows the starts are
/// chosen among the centres, at the cost of their kernel matrix. Columns are independent and in parallel, any number of
/// threads gives the same bits; about 4·m·d operations per column and step for m centres. A column of zeros gives its
/// start. InvalidArgument where the kernel has no derivative by its inputs or the samples are not numbers.
Matrix<double> preimages(const Kernel& kernel, const Samples& centers, ConstMatrixView<double> coefficients,
                         ConstMatrixView<double> starts, const PreimageOptions& options, const Run& run);

/// The same with ρ, which takes the kernel matrix of the centres.
PreimageResult find_preimages(const Kernel& kernel, const Samples& centers, ConstMatrixView<double> coefficients,
                              ConstMatrixView<double> starts, const PreimageOptions& options, const Run& run);

/// ρ of given points, one per column of the objective's coefficients.
PreimageResult measure_preimages(const PreimageObjective& objective, ConstMatrixView<double> coefficients,
                                 Matrix<double> points, const Run& run);

/// What a search from many starts found.
struct PreimageSearch {
  Matrix<double> points;
  std::vector<double> values;  ///< F of the objective
  Index searched = 0;
};

/// Every row of `starts` on its way downhill: the row that belongs to `outputs[row]`. Never worse than the start.
PreimageSearch descend(const PreimageObjective& objective, ConstMatrixView<double> starts,
                       std::span<const OutputRange> outputs, const PreimageOptions& options, const Run& run);

}  // namespace mercer
