// Kernel expansions as the models of prototypes make, store and exchange them: several outputs, each with an offset,
// kernel values in double precision.
#pragma once

#include <span>
#include <string_view>

#include "mercer/expansion/expansion.h"
#include "mercer/models/model.h"

namespace mercer {

/// f_o(x) = Σ_i coefficients(i, o) k(z_i, x) + offsets[o], without centres whose coefficients are 0. Linear kernels of
/// dense columns: the sums Σ_i coefficients(i, o) z_i themselves are the centres, one per output.
Expansion compact_expansion(const Kernel& kernel, const Samples& samples, Matrix<double> coefficients,
                            std::span<const double> offsets, const Run& run);

/// An expansion as arrays of a state ("coefficients", "parametric", samples "centres"), and back. DataError where it is
/// not one of `outputs` outputs with an offset.
void store_expansion(const Expansion& expansion, ModelState& state);
Expansion stored_expansion(const ModelState& state, Index outputs, const Run& run);

/// InvalidArgument unless `next` can stand in the place of `present`: same kernel, same outputs, an offset.
void require_exchangeable(std::string_view model, const Expansion& present, const Expansion& next);

}  // namespace mercer
