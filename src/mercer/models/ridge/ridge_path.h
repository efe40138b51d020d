// How the penalty of a ridge problem is chosen: leave-one-out and generalised cross-validation over a whole path of λ,
// exactly, from one eigendecomposition (ridge_spectrum.h).
//
//   leave-one-out   Σ_i w_i (e_i / (1 − S_ii))²
//   GCV             (1/Σw) Σ_i w_i e_i² / ((1/n) tr(I − S))²      e the residuals, S the hat matrix; the mean of outputs
//   degrees of freedom   tr S
//   L-curve         the error Σ w_i e_i² against the size ‖f‖², and its corner (ridge_lcurve.h)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/models/ridge/ridge.h"
#include "mercer/models/ridge/ridge_lcurve.h"
#include "mercer/models/ridge/ridge_problem.h"
#include "mercer/models/ridge/ridge_spectrum.h"

namespace mercer {

struct RidgePathPoint {
  double lambda = 0;
  double loo_rmse = 0;  ///< weighted, over all outputs; NaN where a row cannot be left out
  double gcv = 0;
  double degrees_of_freedom = 0;  ///< of one output, the parametric part included
  double residual_squares = 0;    ///< Σ w_i e_i², of all outputs
  double squared_norm = 0;        ///< ‖f‖² of the penalised part, of all outputs
  double curvature = 0;           ///< of the L-curve; NaN where one of the two is 0
};

struct RidgePath {
  std::vector<RidgePathPoint> points;  ///< λ ascending
  std::size_t best_loo = 0;            ///< of several equally good the largest λ
  std::size_t best_gcv = 0;
  std::optional<RidgeLCurve::Point> corner =
      {};  ///< of the L-curve, between the penalties; none where it has no corner
};

/// Five values per decade from 1e-10 to 1000 times the largest eigenvalue of √W K √W beside the parametric part.
std::vector<double> penalty_path(const RidgeSpectrum& spectrum);

/// The given penalties, ascending. DataError where there are no more rows than parametric functions.
RidgePath path_of(const RidgeSpectrum& spectrum, std::span<const double> lambdas, const Run& run);

/// The path of all counted rows on penalty_path(), or at the given penalties (finite, positive). 9 n³ flops and 4 n²
/// numbers (in the primal n d² + 9 d³ and n d). lambda, mean_lambda, select, select_rows and precision of the options
/// are not used: numbers are double.
RidgePath ridge_path(const Kernel& kernel, const RidgeOptions& options, const TrainingData& data, const Run& run = {});
RidgePath ridge_path(const Kernel& kernel, const RidgeOptions& options, const TrainingData& data,
                     std::span<const double> lambdas, const Run& run = {});

/// What a penalty is chosen by: all rows, or `rows` of them (0: all) drawn by the seed of the run. All rows too where
/// the primal is solved and has no more columns than that.
struct SelectionRows {
  RidgeProblem problem;  ///< of these rows
  double factor = 1;     ///< λ of all rows / λ of these: the ratio of the sums of weights
  Index of = 0;          ///< 0: these are all rows
};
SelectionRows selection_rows(const RidgeProblem& problem, RidgeForm form, Index rows, const Run& run);
RidgeSpectrum selection_spectrum(const RidgeProblem& problem, RidgeForm form, PhaseTimer& timer, const Run& run);

/// The number of the least value, of equal ones (to 1e-6 relative) the last; NumericalError where the least is NaN.
std::size_t best_of_path(std::span<const double> values);

/// Says in the report that λ is that of the corner of the L-curve, which the path has.
void report_corner(const SelectionRows& selection, const RidgePath& path, FitReport& report);

/// Says in the report what was chosen and how: λ, its measures, whether it is at an end of the path.
void report_choice(const SelectionRows& selection, const RidgePath& path, std::size_t chosen,
                   const std::string& criterion, FitReport& report);

}  // namespace mercer
