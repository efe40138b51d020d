// What the duals of the support vector machines (svm_dual.h) share: their programmes, feasible starts, and what becomes of
// a solution. For their sources alone.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/solvers/svm/machine_box.h"
#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

/// The programme of this box, from β = 0.
BoxQp from_zero(MachineBox box);
/// Without the linear term.
BoxQp signed_box(std::span<const double> signs, std::span<const double> bounds);

/// Fills the start of a group up to the sum `total`, first rows first, each to its bound.
template <class InGroup>
void fill_start(BoxQp& qp, double total, InGroup in_group) {
  constexpr double rounding = 1e-12;
  double left = total;
  for (std::size_t t = 0; t < qp.start.size() && left > 0; ++t) {
    if (!in_group(t)) {
      continue;
    }
    const double room = std::max(qp.upper[t], -qp.lower[t]);
    // What rounding leaves of the sum, or of the room, is nothing: a coefficient of 1e-15 would count as free.
    const double amount = left > room * (1 - rounding) ? room : left;
    qp.start[t] = qp.upper[t] > 0 ? amount : -amount;
    left -= amount;
    left = left > rounding * total ? left : 0.0;
  }
}

inline double sum_of(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

/// Σβ = 0: the heavier side is scaled down to the other. A start whose rows were partly taken away (a fold) is feasible
/// again by it.
void balance(std::vector<double>& start);
/// A start per variable that has the sums of its groups.
void go_on_from(BoxQp& qp, std::span<const double> variables);
/// What lies outside the box (bounds may have become smaller) is pulled back.
void use_start(BoxQp& qp, std::span<const double> start);

/// Coefficients per row, and what the solver says of them; offset and margin are the machine's.
SvmDual from_solution(BoxQpResult&& solution, const BoxQp& qp, std::size_t rows);

template <class T>
void require_rows(const Gram<T>& gram, std::span<const double> values, const char* what) {
  if (static_cast<Index>(values.size()) != gram.size()) {
    throw InvalidArgument(std::to_string(values.size()) + " " + what + " for " + std::to_string(gram.size()) +
                          " samples");
  }
}

}  // namespace mercer
