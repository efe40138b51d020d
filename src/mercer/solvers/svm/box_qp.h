// The quadratic programme of the support vector machines, on a Gram operator:
//
//   min ½ βᵀ(K + diag(ridge))β + qᵀβ,   lower ≤ β ≤ upper,   Σ_{t in group} β_t = what it is at the start
//
// in signed coefficients β (those of the expansion), with one or two groups. There is one block of n variables, or two
// that share the n rows of K (the two sides of a regression tube): variable t belongs to row t mod n. C-SVC, ν-SVC,
// ε-SVR, ν-SVR, one-class, SVDD and ℓ2-slack machines are this programme with different vectors.
//
// The solver works on sets of variables that fit in cache: those that violate the KKT conditions most and those that
// are free, by second-order pair steps (local_smo.h); then the gradient of all active variables is brought up to date
// in one fused pass over kernel tiles. Variables that rest at a bound are left out (shrinking). Before it stops, the
// gradient of all variables is recomputed from the coefficients, in double sums, and the gap checked: verify, then
// stop.
//
// A gap is small or not against something. Where a programme names its unit (the margin of ν-SVC, by which everything is
// divided afterwards; the radius of a ball), the tolerance is relative to that unit, which is known better and better as
// the gap falls: the solve goes on until the two agree. It ends before that where the gap is as small as the rounding of
// kernel values, and says `stalled` then. References: Joachims (1999); Fan, Chen & Lin (2005); Schölkopf & Smola (2002), 10.4-10.5.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/gram/gram.h"
#include "mercer/linalg/solve_status.h"

namespace mercer {

/// A point of the search, as the unit of its gap sees it.
struct BoxQpPoint {
  std::array<double, 2> level{};         ///< per group
  std::span<const double> coefficients;  ///< β, per variable
  std::span<const double> values;        ///< Kβ, per row
};

enum class UnitKind { given, found };

struct BoxQp {
  std::vector<double> linear;  ///< q; as long as the number of variables: n or 2n
  std::vector<double> lower;
  std::vector<double> upper;             ///< may be infinite, as may −lower
  std::vector<double> start;             ///< feasible; fixes the sums of the groups
  std::vector<double> ridge = {};        ///< empty: 0
  std::vector<std::uint8_t> group = {};  ///< 0 or 1 per variable; empty: all 0
  /// What a gap is to be small against, ≥ 0; empty: 1.
  std::function<double(const BoxQpPoint&)> unit = {};
  /// given: known beforehand (the deviation of targets). found: a part of the answer (a margin), which may be 0.
  UnitKind unit_kind = UnitKind::found;
};

enum class Shrinking { off, on };

/// What the tolerance of the KKT gap counts in: the units of the gradient (LIBSVM's -e), those of the programme, or
/// whichever gives the smaller gap.
enum class GapScale { absolute, relative, smaller };

struct BoxQpOptions {
  double tolerance = 1e-3;  ///< of the KKT gap
  Index max_steps = 0;      ///< pair steps; 0: max(10⁷, 100 n)
  Shrinking shrinking = Shrinking::on;
  double memory_mb = 1000;  ///< for kernel values, whatever the number of rows
  GapScale scale = GapScale::smaller;
};

struct BoxQpResult {
  std::vector<double> coefficients;  ///< β, per variable
  std::vector<double> values;        ///< Kβ per row: the expansion without offset, in double sums
  std::array<double, 2> level{};  ///< per group: the gradient of its free variables (the midpoint where there are none)
  std::array<double, 2> lowest_level{};   ///< per group: where none is free, the ends of the interval
  std::array<double, 2> highest_level{};  ///< in which every level is optimal; may be infinite
  double objective = 0;
  double gap = 0;       ///< recomputed
  double unit = 1;      ///< of the gap
  double accuracy = 0;  ///< what rounding of kernel values may do to a gradient: no gap below it means anything
  Index steps = 0;
  Index rounds = 0;
  SolveStatus status = SolveStatus::converged;  ///< `stalled`: rounding allows no smaller gap
};

/// Throws InvalidArgument for vectors that do not fit together or a start outside the box, Stopped.
template <class T>
BoxQpResult solve_box_qp(const Gram<T>& gram, const BoxQp& problem, const BoxQpOptions& options, const Run& run);

}  // namespace mercer
