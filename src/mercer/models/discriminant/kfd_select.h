// How λ of a discriminant is chosen: the squared leave-one-out error of the regression on the indicators of the classes,
// exactly, for a whole path of λ from one eigendecomposition (models/ridge/ridge_path.h). The directions and the left-out values
// of the discriminant are those of this regression.
#pragma once

#include "mercer/models/discriminant/kfd.h"
#include "mercer/models/ridge/ridge_path.h"

namespace mercer {

/// The spectrum of the penalty λ‖v‖² for f = Φv + b: with B = √W HΦ = Σ_j √s_j u_j v_j'. n r² + 9 r³ flops.
RidgeSpectrum spectrum_of_functions(ConstMatrixView<double> functions, const RidgeProblem& problem, const Run& run);

/// λ for all rows of the problem; says in the report what was chosen and how.
double choose_discriminant_penalty(const RidgeProblem& problem, const KfdOptions& options, FitReport& report,
                                   const Run& run);

}  // namespace mercer
