// The discriminant functions of the training rows, by any of the forms of kfd.
#pragma once

#include <vector>

#include "mercer/models/discriminant/kfd.h"
#include "mercer/models/ridge/ridge_problem.h"
#include "mercer/solvers/fisher/fisher.h"

namespace mercer {

/// q_c(x) = Σ_i coefficients_ic k(center_i, x) + offset_c.
struct DiscriminantFunctions {
  Samples centers;
  Matrix<double> coefficients;  ///< centres × directions; 0 where a form left a row out
  std::vector<double> offsets;  ///< one per direction
  Matrix<double> values;        ///< rows × directions: q_c(x_i)
  /// The same by the functions fitted without row i (sparse: without its fold); empty where not asked for or not known.
  Matrix<double> left_out;
};

/// `form` is resolved, not automatic; problem.targets are the indicators of the classes, problem.lambda
/// is not used by sparse. Adds phases, status, objective and notes to the report.
DiscriminantFunctions discriminant_functions(const RidgeProblem& problem, const KfdOptions& options, KfdForm form,
                                             const ClassRows& rows, FitReport& report, const Run& run);

}  // namespace mercer
