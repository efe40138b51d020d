// One two-class machine of a support vector classifier, and what can be said of it after the fit: support vectors free
// and at their bound, margin, slacks, primal and dual value.
//
//   ‖w‖² = Σ β_i f_i (without offset),  ξ_i = max(0, 1 − y_i f(x_i)),  primal = ½‖w‖² + Σ C_i ξ_i (or C_i ξ_i²)
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mercer/base/index.h"

namespace mercer {

struct SvmDual;

/// nu: linear, in units of the margin: the row's weight times ξ, minus ν Σw for the margin itself.
enum class Slack { linear, squared, nu };

struct MachineFacts {
  double support_vectors = 0;
  double bounded = 0;  ///< with their coefficient at its upper bound
  double offset = 0;
  double squared_norm = 0;   ///< ‖w‖²; the margin is 1/‖w‖
  double slack = 0;          ///< Σ ξ_i
  double margin_errors = 0;  ///< training rows with ξ_i > 0, beyond the tolerance
  double primal = 0;
  double dual = 0;
  double kkt_gap = 0;
  double rows = 0;
  double rho = 0;  ///< ν-SVC: its margin ρ in units in which coefficients are at most the rows' weights; 0 elsewhere
  double largest_nu = 0;  ///< ν-SVC: the largest ν that is feasible, 2 min(Σ₊w, Σ₋w)/Σw; 0 elsewhere

  /// As a row of numbers for a model file, and back: 12, or 10 without the last two (files written before them).
  static constexpr Index count = 12;
  static constexpr Index count_before_nu = 10;
  std::vector<double> as_numbers() const;
  static MachineFacts from_numbers(std::span<const double> numbers);
};

/// bounds: C_i. O(n). `groups`: rows that share a slack (slack_groups.h); empty: none do. Then Σ ξ is that of groups,
/// margin errors are rows, and the coefficients at their bound are those of groups whose sum is.
MachineFacts machine_facts(const SvmDual& dual, std::span<const double> signs, std::span<const double> bounds,
                           Slack slack, std::span<const std::int32_t> groups = {});

}  // namespace mercer
