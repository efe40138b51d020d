#include "mercer/select/estimates/leave_one_out_bounds.h"

#include <limits>

#include "mercer/base/error.h"

namespace mercer {

namespace {

// Support vectors with reach(i) + ξ_i ≥ 1, the slacks those of the machine itself, less what the solver's tolerance may hide.
template <class Reach>
LeaveOneOutCount count_reachable(const TwoClassMachine& machine, double slip, Reach reach) {
  LeaveOneOutCount count{.errors = 0, .rows = machine.size(), .is_error = std::vector<char>(machine.signs.size(), 0)};
  for (Index i = 0; i < machine.size(); ++i) {
    if (machine.is_support(i) && reach(static_cast<std::size_t>(i)) + machine.own_slack(i) >= 1 - slip) {
      count.is_error[i] = 1;
      ++count.errors;
    }
  }
  return count;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN(); }

}  // namespace

std::optional<LeaveOneOutCount> lagrange_bound(const TwoClassMachine& machine, double kernel_range) {
  if (machine.free_rows().empty()) {
    return std::nullopt;
  }
  return count_reachable(machine, machine.gap, [&](std::size_t i) { return 2 * machine.alpha[i] * kernel_range; });
}

LeaveOneOutCount lagrange_bound_without_offset(const TwoClassMachine& machine, std::span<const double> diagonal) {
  if (diagonal.size() != machine.signs.size()) {
    throw InvalidArgument("leave-one-out bound: " + std::to_string(diagonal.size()) + " diagonal entries for " +
                          std::to_string(machine.size()) + " rows: must be one for each");
  }
  return count_reachable(machine, machine.gap, [&](std::size_t i) { return machine.alpha[i] * diagonal[i]; });
}

XiAlphaEstimate xi_alpha_estimate(const TwoClassMachine& machine, double kernel_range, double rho) {
  if (!(rho > 0)) {
    reject_argument("xi-alpha estimate: rho", rho, "positive (1, or 2 for a bound)");
  }
  XiAlphaEstimate estimate;
  estimate.count = count_reachable(machine, 0, [&](std::size_t i) { return rho * machine.alpha[i] * kernel_range; });
  double positive = 0;
  double lost = 0;  // positive rows that may be missed
  double false_alarms = 0;
  for (std::size_t i = 0; i < machine.signs.size(); ++i) {
    positive += machine.signs[i] > 0 ? 1 : 0;
    lost += machine.signs[i] > 0 && estimate.count.is_error[i] != 0 ? 1 : 0;
    false_alarms += machine.signs[i] < 0 && estimate.count.is_error[i] != 0 ? 1 : 0;
  }
  estimate.error = estimate.count.fraction();
  estimate.recall = ratio(positive - lost, positive);
  estimate.precision = ratio(positive - lost, positive - lost + false_alarms);
  estimate.f1 = ratio(2 * (positive - lost), 2 * positive - lost + false_alarms);
  return estimate;
}

}  // namespace mercer
