#include "mercer/select/path/svc_path.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"

namespace mercer {

namespace {

// What begin + (λ − λ_begin) slope is at λ = 0. Where only rounding is left it is 0: a machine that does not change
// with C any more, whose coefficients would otherwise grow with C times that rounding.
double at_zero(double begin, double slope, double lambda_begin) {
  const double value = begin - lambda_begin * slope;
  return std::abs(value) <= 1e-13 * (std::abs(begin) + std::abs(lambda_begin * slope)) ? 0.0 : value;
}

}  // namespace

std::string_view to_string(PathEventKind kind) {
  switch (kind) {
    case PathEventKind::to_margin:
      return "to margin";
    case PathEventKind::to_zero:
      return "to zero";
    case PathEventKind::to_bound:
      break;
  }
  return "to bound";
}

double SvcPath::end() const {
  return parts_.lambda_end > 0 ? 1 / parts_.lambda_end : std::numeric_limits<double>::infinity();
}

SvcPathSolution SvcPath::solution_at(double c) const {
  // The end itself is asked for as its inverse: one rounding is allowed for.
  if (!(c > 0) || !std::isfinite(c) || !(1 / c >= parts_.lambda_end * (1 - 1e-12))) {
    reject_argument("regularisation path: C", c, "above 0 and at most where the path ends, " + std::to_string(end()));
  }
  const double lambda = 1 / c;
  const auto after = std::find_if(parts_.segments.begin() + 1, parts_.segments.end(),
                                  [&](const SvcPathSegment& segment) { return segment.lambda_begin < lambda; });
  const SvcPathSegment& segment = *(after - 1);
  std::vector<double> alpha = parts_.start;
  for (std::size_t e = 0; e < segment.events_before; ++e) {
    const PathEvent& event = parts_.events[e];
    const auto row = static_cast<std::size_t>(event.row);
    if (event.kind == PathEventKind::to_zero) {
      alpha[row] = 0;
    } else if (event.kind == PathEventKind::to_bound) {
      alpha[row] = parts_.weights[row];
    }
  }
  for (double& value : alpha) {
    value *= c;
  }
  for (std::size_t i = 0; i < segment.rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(segment.rows[i]);
    alpha[row] = segment.slope[i] + c * at_zero(segment.alpha[i], segment.slope[i], segment.lambda_begin);
  }
  SvcPathSolution solution{
      .coefficients = std::move(alpha),
      .offset = segment.offset_slope + c * at_zero(segment.offset, segment.offset_slope, segment.lambda_begin)};
  for (std::size_t i = 0; i < solution.coefficients.size(); ++i) {
    solution.coefficients[i] = parts_.signs[i] * std::clamp(solution.coefficients[i], 0.0, c * parts_.weights[i]);
  }
  return solution;
}

}  // namespace mercer
