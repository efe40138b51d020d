// The Gram matrix as a picture: sorted by class or by target, so that what the kernel thinks of as alike forms blocks; its
// spectrum, condition number, and effective rank
//
//   exp(−Σ p_k ln p_k),  p_k = λ_k / Σ λ        (Roy & Vetterli 2007): how many directions the rows really fill
#pragma once

#include "mercer/report/report_input.h"

namespace mercer {

/// Rows in a picture, and rows whose spectrum is computed: drawn at random where there are more.
inline constexpr Index gram_picture_rows = 150;
inline constexpr Index gram_spectrum_rows = 1000;

/// Of the training rows where they are known, of the data otherwise. O(m²d + m³) for m ≤ 1000 rows. Nothing below two
/// rows.
std::optional<GramSection> gram_section(const ReportInput& input, const Run& run);

/// exp of the entropy of the eigenvalues, negative ones counted as 0; NaN where all are.
double effective_rank(std::span<const double> eigenvalues);
/// Largest over smallest; NaN where the smallest is not above the rounding of the largest, n ε λ_max.
double condition_number(std::span<const double> eigenvalues);

}  // namespace mercer
