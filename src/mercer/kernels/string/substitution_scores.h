// Scores of substitutions between amino acids.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace mercer {

inline constexpr std::string_view amino_acids = "ACDEFGHIKLMNPQRSTVWY";

/// BLOSUM62 in half bits, rows and columns in the order of `amino_acids` (Henikoff & Henikoff 1992). The matrix is
/// conditionally positive definite (Σα = 0: αᵀSα ≥ 0), so exp(βS) is positive for every β > 0.
const std::array<std::array<std::int8_t, 20>, 20>& blosum62();

}  // namespace mercer
