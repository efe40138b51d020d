#include "mercer/select/estimates/margin_bounds.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "mercer/base/error.h"

namespace mercer {

namespace {

void require_confidence(double delta) {
  if (!(delta > 0 && delta < 1)) {
    reject_argument("margin bounds: delta", delta, "between 0 and 1");
  }
}

}  // namespace

std::optional<double> compression_bound(Index support_vectors, Index rows, double delta) {
  require_confidence(delta);
  if (rows <= 0 || support_vectors >= rows) {
    return std::nullopt;
  }
  const auto m = static_cast<double>(support_vectors);
  const auto n = static_cast<double>(rows);
  const double choices = support_vectors > 0 ? m * std::log(std::numbers::e * n / m) : 0.0;
  return (choices + std::log(n / delta)) / (n - m);
}

std::optional<double> margin_bound(double radius_margin, Index rows, double delta) {
  require_confidence(delta);
  const auto n = static_cast<double>(rows);
  const double inside = std::numbers::e * n / (8 * radius_margin);
  if (rows <= 0 || !(inside > 1)) {
    return std::nullopt;
  }
  const double complexity = radius_margin > 0 ? 64 * radius_margin * std::log2(inside) * std::log2(32 * n) : 0.0;
  return 2 / n * (complexity + std::log2(4 / delta));
}

MarginBounds margin_bounds(const TwoClassMachine& machine, double squared_radius, double delta,
                           std::optional<double> own_squared_radius) {
  require_confidence(delta);
  const double squared_norm = machine.squared_norm();
  MarginBounds bounds;
  bounds.margin = squared_norm > 0 ? 1 / std::sqrt(squared_norm) : std::numeric_limits<double>::infinity();
  bounds.radius_margin = squared_radius * squared_norm;
  double squared_slack = 0;
  Index support = 0;
  bool has_margin = true;
  bool is_hard = machine.bound_rows().empty() && machine.held_sums == HeldSums::all;
  for (Index i = 0; i < machine.size(); ++i) {
    const double slack = machine.slack(i);
    squared_slack += slack * slack;
    has_margin = has_margin && slack <= machine.gap + 1e-9;
    is_hard = is_hard && machine.own_slack(i) <= machine.gap + 1e-9;
    support += machine.is_support(i) ? 1 : 0;
  }
  bounds.soft_margin_ratio = bounds.radius_margin + squared_slack;
  if (machine.training_errors() == 0) {
    bounds.compression = compression_bound(support, machine.size(), delta);
  }
  if (has_margin && squared_norm > 0) {
    bounds.margin_bound = margin_bound(bounds.radius_margin, machine.size(), delta);
  }
  if (is_hard && squared_norm > 0) {
    bounds.leave_one_out_errors = 4 * own_squared_radius.value_or(squared_radius) * machine.own_squared_norm();
  }
  return bounds;
}

}  // namespace mercer
