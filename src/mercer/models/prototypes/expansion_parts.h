// Kernel expansions as the models of prototypes make and exchange them: several outputs, each with an offset, kernel values
// in double precision.
#pragma once

#include <span>
#include <string_view>

#include "mercer/expansion/expansion.h"

namespace mercer {

/// f_o(x) = Σ_i coefficients(i, o) k(z_i, x) + offsets[o], without centres whose coefficients are 0. Linear kernels of
/// dense columns: the sums Σ_i coefficients(i, o) z_i themselves are the centres, one per output.
Expansion compact_expansion(const Kernel& kernel, const Samples& samples, Matrix<double> coefficients,
                            std::span<const double> offsets, const Run& run);

/// f_c(x) = k(m_c, m_c) − 2k(m_c, x), one per sample m_c: the squared distance to it in feature space less k(x, x).
Expansion row_points(const Kernel& kernel, const Samples& rows, const Run& run);

/// InvalidArgument unless `next` can stand in the place of `present`: same kernel, same outputs, an offset.
void require_exchangeable(std::string_view model, const Expansion& present, const Expansion& next);

}  // namespace mercer
