#include "mercer/solvers/svm/regression_dual.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mercer/solvers/svm/dual_program.h"
#include "mercer/solvers/svm/machine_box.h"

namespace mercer {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The deviation of the targets of the rows that count: what a gap in their units is small against.
double deviation(std::span<const double> targets, std::span<const double> bounds) {
  double total = 0;
  double mean = 0;
  double squares = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (bounds[i] > 0) {
      total += bounds[i];
      const double excess = targets[i] - mean;
      mean += bounds[i] / total * excess;
      squares += bounds[i] * excess * (targets[i] - mean);
    }
  }
  return total > 0 ? std::sqrt(squares / total) : 0.0;
}

double largest_size(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

template <class T>
SvmDual solve_tube(const Gram<T>& gram, std::span<const double> targets, MachineBox box, std::span<const double> bounds,
                   const BoxQpOptions& options, const Run& run, std::span<const double> start) {
  BoxQp qp = from_zero(std::move(box));
  use_start(qp, start);
  balance(qp.start);
  qp.unit = [unit = deviation(targets, bounds)](const BoxQpPoint&) { return unit; };
  qp.unit_kind = UnitKind::given;
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double level = solution.level[0];
  SvmDual dual = from_solution(std::move(solution), qp, targets.size());
  dual.offset = -level;
  return dual;
}

// A tube is no narrower than 0. The midpoints of two intervals (no coefficient is free) may say so, and levels that the
// gap leaves uncertain: then the tube has the width 0, at a level that is optimal for both sides.
void make_levels_meet(BoxQpResult& solution) {
  const double middle = (solution.level[0] + solution.level[1]) / 2;
  const double lowest = std::max(solution.lowest_level[0], solution.lowest_level[1]);
  const double highest = std::min(solution.highest_level[0], solution.highest_level[1]);
  solution.level.fill(lowest <= highest ? std::clamp(middle, lowest, highest) : middle);
}

// Targets of the rows that count are all equal: a constant, and a tube of no width.
SvmDual constant_dual(std::span<const double> targets, std::span<const double> weights) {
  SvmDual dual;
  dual.coefficients.assign(targets.size(), 0.0);
  dual.values.assign(targets.size(), 0.0);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    dual.offset = weights[i] > 0 ? targets[i] : dual.offset;
  }
  dual.margin = 0;
  return dual;
}

// Both sides of the tube have coefficients of the sum `half`, within these bounds.
template <class T>
SvmDual solve_halves(const Gram<T>& gram, std::span<const double> targets, double half, std::span<const double> bounds,
                     std::span<const double> weights, const BoxQpOptions& options, const Run& run,
                     std::span<const double> start) {
  const double unit = deviation(targets, weights);
  const std::size_t rows = targets.size();
  if (unit == 0) {
    return constant_dual(targets, weights);
  }
  BoxQp qp = from_zero(tube_box(targets, 0.0, bounds));
  qp.group.assign(2 * rows, 0);
  std::fill(qp.group.begin() + static_cast<Index>(rows), qp.group.end(), std::uint8_t{1});
  for (const std::uint8_t group : {std::uint8_t{0}, std::uint8_t{1}}) {
    fill_start(qp, half, [&](std::size_t t) { return qp.group[t] == group; });
  }
  go_on_from(qp, start);
  qp.unit = [unit](const BoxQpPoint&) { return unit; };
  qp.unit_kind = UnitKind::given;
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  if (solution.level[1] < solution.level[0]) {
    make_levels_meet(solution);
  }
  const double offset = -(solution.level[0] + solution.level[1]) / 2;
  const double epsilon = (solution.level[1] - solution.level[0]) / 2;
  SvmDual dual = from_solution(std::move(solution), qp, rows);
  dual.offset = offset;
  dual.margin = epsilon;
  return dual;
}

// None, of the rows that count.
std::vector<double> no_bounds(std::span<const double> weights) {
  std::vector<double> limits(weights.size());
  std::ranges::transform(weights, limits.begin(), [](double weight) { return weight > 0 ? infinity : 0.0; });
  return limits;
}

}  // namespace

template <class T>
SvmDual solve_epsilon_svr(const Gram<T>& gram, std::span<const double> targets, double epsilon,
                          std::span<const double> bounds, const BoxQpOptions& options, const Run& run,
                          std::span<const double> start) {
  require_rows(gram, targets, "targets");
  require_rows(gram, bounds, "bounds");
  SvmDual dual = solve_tube(gram, targets, tube_box(targets, epsilon, bounds), bounds, options, run, start);
  dual.margin = epsilon;
  return dual;
}

template <class T>
SvmDual solve_epsilon_svr(const Gram<T>& gram, std::span<const double> targets, std::span<const double> epsilons,
                          std::span<const double> bounds, const BoxQpOptions& options, const Run& run,
                          std::span<const double> start) {
  require_rows(gram, targets, "targets");
  require_rows(gram, epsilons, "widths of the tube");
  require_rows(gram, bounds, "bounds");
  SvmDual dual = solve_tube(gram, targets, tube_box(targets, epsilons, bounds), bounds, options, run, start);
  const double total = sum_of(bounds);
  dual.margin = 0;
  for (std::size_t i = 0; i < epsilons.size() && total > 0; ++i) {
    dual.margin += bounds[i] / total * epsilons[i];
  }
  return dual;
}

template <class T>
SvmDual solve_nu_svr(const Gram<T>& gram, std::span<const double> targets, double nu, std::span<const double> bounds,
                     const BoxQpOptions& options, const Run& run, std::span<const double> start) {
  require_rows(gram, targets, "targets");
  require_rows(gram, bounds, "bounds");
  const double half = std::min(nu, 1.0) * sum_of(bounds) / 2;
  return solve_halves(gram, targets, half, bounds, bounds, options, run, start);
}

template <class T>
SvmDual solve_hard_nu_svr(const Gram<T>& gram, std::span<const double> targets, double price,
                          std::span<const double> weights, const BoxQpOptions& options, const Run& run,
                          std::span<const double> start) {
  require_rows(gram, targets, "targets");
  require_rows(gram, weights, "weights");
  return solve_halves(gram, targets, price / 2, no_bounds(weights), weights, options, run, start);
}

template <class T>
SvmDual solve_one_sided(const Gram<T>& gram, std::span<const double> targets, double price,
                        std::span<const double> bounds, std::span<const double> weights, const BoxQpOptions& options,
                        const Run& run, std::span<const double> start) {
  require_rows(gram, targets, "targets");
  require_rows(gram, bounds, "bounds");
  require_rows(gram, weights, "weights");
  BoxQp qp;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    qp.linear.push_back(-targets[i]);
    qp.lower.push_back(0.0);
    qp.upper.push_back(bounds[i]);
  }
  qp.start.assign(targets.size(), 0.0);
  fill_start(qp, price, [](std::size_t) { return true; });
  go_on_from(qp, start);
  const double unit = deviation(targets, weights);
  if (unit > 0) {
    qp.unit = [unit](const BoxQpPoint&) { return unit; };
    qp.unit_kind = UnitKind::given;
  } else {  // equal targets: by how much the function rises to them
    qp.unit = [](const BoxQpPoint& point) { return largest_size(point.values); };
    qp.unit_kind = UnitKind::found;
  }
  BoxQpResult solution = solve_box_qp(gram, qp, options, run);
  const double level = solution.level[0];
  SvmDual dual = from_solution(std::move(solution), qp, targets.size());
  dual.offset = -level;
  dual.margin = 0;
  return dual;
}

template <class T>
SvmDual solve_quantile_svr(const Gram<T>& gram, std::span<const double> targets, double level,
                           std::span<const double> bounds, const BoxQpOptions& options, const Run& run,
                           std::span<const double> start) {
  require_rows(gram, targets, "targets");
  require_rows(gram, bounds, "bounds");
  MachineBox box;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    box.linear.push_back(-targets[i]);
    box.lower.push_back((level - 1) * bounds[i]);
    box.upper.push_back(level * bounds[i]);
  }
  return solve_tube(gram, targets, std::move(box), bounds, options, run, start);
}

#define MERCER_INSTANTIATE(T)                                                                                          \
  template SvmDual solve_epsilon_svr(const Gram<T>&, std::span<const double>, double, std::span<const double>,         \
                                     const BoxQpOptions&, const Run&, std::span<const double>);                        \
  template SvmDual solve_epsilon_svr(const Gram<T>&, std::span<const double>, std::span<const double>,                 \
                                     std::span<const double>, const BoxQpOptions&, const Run&,                         \
                                     std::span<const double>);                                                         \
  template SvmDual solve_hard_nu_svr(const Gram<T>&, std::span<const double>, double, std::span<const double>,         \
                                     const BoxQpOptions&, const Run&, std::span<const double>);                        \
  template SvmDual solve_one_sided(const Gram<T>&, std::span<const double>, double, std::span<const double>,           \
                                   std::span<const double>, const BoxQpOptions&, const Run&, std::span<const double>); \
  template SvmDual solve_nu_svr(const Gram<T>&, std::span<const double>, double, std::span<const double>,              \
                                const BoxQpOptions&, const Run&, std::span<const double>);                             \
  template SvmDual solve_quantile_svr(const Gram<T>&, std::span<const double>, double, std::span<const double>,        \
                                      const BoxQpOptions&, const Run&, std::span<const double>)
MERCER_INSTANTIATE(float);
MERCER_INSTANTIATE(double);
#undef MERCER_INSTANTIATE

}  // namespace mercer
