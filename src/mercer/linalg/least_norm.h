// Least squares of few unknowns and any rank. For a functional c of the solution,
//
//   cᵀ A⁺ b = gᵀ b   for every b,   g = (A⁺)ᵀ c
//
// A is tall and thin (rows × unknowns), given transposed so that its columns are contiguous. Householder's QR, then the singular values of R by one-sided Jacobi rotations
// (Golub & Van Loan 2013, 8.6.3), which find small ones to their last digits; those below tolerance · σ_max count as 0,
// so that the solution is the one of least norm.
#pragma once

#include <span>
#include <vector>

#include "mercer/linalg/view.h"

namespace mercer {

/// Memory that calls share.
struct LeastNormWorkspace {
  std::vector<double> reflectors;  ///< 1 / (vᵀv / 2) of every column
  std::vector<double> triangle;    ///< R, then U S
  std::vector<double> rotations;   ///< V
};

/// Writes g; Aᵀ (unknowns × rows) is overwritten. Returns the rank. Cost 2·rows·unknowns² and some ten times unknowns³.
/// Sizes: c has one entry per unknown, g one per row.
Index least_norm_functional(MatrixView<double> transposed, std::span<const double> c, double tolerance,
                            std::span<double> g, LeastNormWorkspace& workspace);

}  // namespace mercer
