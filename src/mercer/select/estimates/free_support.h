// The free support vectors of a machine, and what leaving a support vector out does where no other row changes its kind:
// the free ones take its coefficient over so that they stay on their margin.
//
//   M = [K  E; Eᵀ 0] over the free rows, E the indicators of the sums that are held (held_sums.h)
//   row l is free    f(x_l) − f^l(x_l) = β_l / [M⁻¹]_ll                            and what the multipliers add
//   row l is bound   f(x_l) − f^l(x_l) = β_l (K_ll − v_lᵀM⁻¹v_l), v_l = [k(x_free, x_l); E_l]        likewise
//
// With P the centring within each held sum, [M⁻¹] restricted to the rows is (PKP)⁺. One held sum moves b by the level of
// the free rows, and nothing is added; two move b by the mean of their levels L₊, L₋, which leaves ½(L_other − L_own) of
// b and ρ (or ε) together. Reference: Schölkopf & Smola (2002), (12.83)-(12.92); Opper & Winther (2000).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/matrix.h"
#include "mercer/select/estimates/held_sums.h"

namespace mercer {

struct FreeSupport {
  HeldSums held = HeldSums::all;
  std::vector<Index> rows;         ///< of the Gram matrix, ascending
  std::vector<std::size_t> group;  ///< of each of them: the number of its held sum
  std::vector<Index> counts;       ///< rows per held sum; none is empty
  Matrix<double> kernel;
  Matrix<double> means;        ///< held sums × rows: the mean of the group's rows of K
  Matrix<double> total_means;  ///< held sums × held sums: of their blocks of K
  double scale = 0;            ///< mean of the diagonal of PKP
  Matrix<double>
      inverse;  ///< (PKP)⁺; a direction that is not there is kept with the smallest eigenvalue above rounding

  Index size() const { return static_cast<Index>(rows.size()); }
};

/// coefficients: β of every row of the Gram matrix; free: the rows with 0 < |β| < bound. None where there are no free
/// rows, a sum has none (its multiplier is not unique), or PKP is not positive. About f³ operations, f² numbers.
std::optional<FreeSupport> free_support(const Gram<double>& gram, std::vector<Index> free,
                                        std::span<const double> coefficients, HeldSums held, const Run& run);

/// (f(x_l) − f^l(x_l))/β_l of the free row number l of `part`; infinite where no other row can take over. O(f).
double unit_change_without(const FreeSupport& part, Index l);

/// The same of rows at their bound, f² operations for each.
std::vector<double> unit_changes_without(const Gram<double>& gram, const FreeSupport& part,
                                         const std::vector<Index>& bound, std::span<const double> coefficients,
                                         const Run& run);

}  // namespace mercer
