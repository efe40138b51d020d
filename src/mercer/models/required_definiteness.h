// What a fit needs of its kernel: a norm ‖f‖² = αᵀKα on what its parametric part leaves over. Whoever needs one asks here
// and refuses in one voice, naming only remedies that the model has.
#pragma once

#include "mercer/base/run.h"
#include "mercer/data/samples.h"
#include "mercer/expansion/parametric_part.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

/// The options by which a user may change what the model needs: none, `parametric`, or those of ridge (parametric,
/// indefinite).
enum class NormRemedies { none, parametric, ridge_options };

/// Whether the kernel is positive on what is orthogonal to the parametric part, as its definiteness says it: it is
/// positive, or conditionally so of an order q whose polynomials, of degree below q in the columns that the kernel looks
/// at, are in the part. Of a sum every term has to be.
bool covers(const ParametricPart& part, const Kernel& kernel, const Samples& samples);

/// InvalidArgument where functions of columns are asked for beside a kernel whose samples have none: rows of a matrix of
/// kernel values.
void require_columns(const char* model, const Kernel& kernel, const ParametricPart& part);

/// Throws InvalidArgument where the kernel is not positive, on these samples, on what is orthogonal to the parametric
/// part.
void require_definite(const char* model, const Kernel& kernel, const Samples& samples, const ParametricPart& part,
                      NormRemedies remedies, const Run& run);

/// For maps whose inner products stand for kernel values, and for walks without Σα = 0: throws InvalidArgument for
/// conditionally positive kernels, which are positive about another origin only.
void refuse_conditional(const char* model, const Kernel& kernel);

}  // namespace mercer
