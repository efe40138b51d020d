// What a fit needs of its kernel: a norm ‖f‖² = αᵀKα on what its parametric part leaves over. Whoever needs one asks here
// and refuses in one voice, naming only remedies that the model has.
#pragma once

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/expansion/parametric_functions.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

/// The options by which a user may change what the model needs: none, or those of ridge (intercept, linear_part,
/// indefinite).
enum class NormRemedies { none, ridge_options };

/// Throws InvalidArgument where the kernel is not positive, on these samples, on what is orthogonal to the parametric
/// part.
void require_definite(const char* model, const Kernel& kernel, const Samples& samples, ParametricPart part,
                      NormRemedies remedies, const Run& run);

/// For maps whose inner products stand for kernel values, and for walks without Σα = 0: throws InvalidArgument for
/// conditionally positive kernels, which are positive about another origin only.
void refuse_conditional(const char* model, const Kernel& kernel);

}  // namespace mercer
