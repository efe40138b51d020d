#include "mercer/models/svm/tube_machine.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/stored_copy.h"
#include "mercer/linalg/center.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/solvers/convex/huber_scale.h"
#include "mercer/solvers/convex/shaped_tube.h"

namespace mercer {

namespace {

void require_tube_memory(const char* model, const std::string& reason, Index rows, double memory_mb) {
  const auto n = static_cast<double>(rows);
  const double bytes = 2.1 * n * n * sizeof(double);
  const double allowed = allowed_memory(memory_mb);
  if (bytes > allowed) {
    throw InvalidArgument(
        std::string(model) + ": " + reason + " is solved with the whole matrix of " + std::to_string(rows) +
        " rows, which needs " + std::to_string(std::llround(bytes / bytes_per_megabyte)) + " MB, the fit may use " +
        std::to_string(std::llround(allowed / bytes_per_megabyte)) + " MB; try fewer rows or a larger memory_mb");
  }
}

// A power of two, which costs no digits, near the largest K_ii.
double unit_of(ConstMatrixView<double> kernel) {
  double largest = 0;
  for (Index i = 0; i < kernel.rows(); ++i) {
    largest = std::max(largest, kernel(i, i));
  }
  return largest > 0 ? std::exp2(std::round(std::log2(largest))) : 1.0;
}

std::vector<double> scaled(std::span<const double> values, double factor) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) {
    value *= factor;
  }
  return result;
}

// The functions that are neither 0 on all rows nor equal to one that costs less, or as much and is before them.
std::vector<Index> different_functions(ConstMatrixView<double> shapes, std::span<const double> prices) {
  std::vector<Index> order(static_cast<std::size_t>(shapes.columns()));
  std::iota(order.begin(), order.end(), Index{0});
  std::ranges::stable_sort(order, {}, [&](Index q) { return prices[q]; });
  std::vector<Index> kept;
  for (const Index q : order) {
    const auto equals = [&](auto other) {
      for (Index i = 0; i < shapes.rows(); ++i) {
        if (shapes(i, q) != other(i)) {
          return false;
        }
      }
      return true;
    };
    const bool is_known =
        std::ranges::any_of(kept, [&](Index before) { return equals([&](Index i) { return shapes(i, before); }); });
    if (!is_known && !equals([](Index) { return 0.0; })) {
      kept.push_back(q);
    }
  }
  std::ranges::sort(kept);
  return kept;
}

}  // namespace

TubeMachine::TubeMachine(const char* model, const Kernel& kernel, const Samples& samples, const std::string& reason,
                         const SvmSolverOptions& how, const Run& run)
    : model_(model), tolerance_(how.tolerance) {
  require_tube_memory(model, reason, samples.size(), how.memory_mb);
  require_definite(model, kernel, samples, ParametricPart::constant, NormRemedies::none, run);
  const KernelGram<double> gram(
      std::make_shared<const PreparedKernel>(kernel, samples, Precision::double_precision, run.quiet()));
  kernel_ = stored_copy(gram, run);
  means_ = center_symmetric(kernel_.view());
  // Again for what rounding left, which beside a large constant is no longer positive.
  std::ranges::transform(means_, center_symmetric(kernel_.view()), means_.begin(), std::plus<>());
  unit_ = unit_of(kernel_.view());
  for (double& value : std::span(kernel_.data(), static_cast<std::size_t>(size() * size()))) {
    value /= unit_;
  }
}

template <class Solution>
SvmDual TubeMachine::dual_of(const Solution& solution) const {
  SvmDual dual;
  dual.coefficients = scaled(solution.coefficients, 1 / unit_);
  dual.values = solution.values;
  // Kβ = K_cβ + meansᵀβ where Σβ = 0.
  const double moved = std::inner_product(means_.begin(), means_.end(), dual.coefficients.begin(), 0.0);
  for (double& value : dual.values) {
    value += moved;
  }
  dual.offset = solution.offset - moved;
  dual.objective = -solution.dual / unit_;
  dual.gap = solution.relative_gap;
  dual.steps = solution.iterations;
  dual.status = solution.status;
  dual.bounded = solution.bounded;
  dual.margin = 0;
  return dual;
}

SvmDual TubeMachine::hard_svr(std::span<const double> targets, std::span<const double> epsilons, double unit,
                              const Run& run) const {
  const std::vector<double> bounds(targets.size(), std::numeric_limits<double>::infinity());
  const ShapedTubeSolution solution = solve_shaped_tube(
      {.gram = kernel_.view(), .targets = targets, .bounds = bounds, .fixed = epsilons}, tolerance_, run);
  if (solution.least_excess) {
    const auto [least, largest] = std::ranges::minmax(epsilons);
    const std::string width = "epsilon = " + shortest(least * unit);
    // Rounded up, so that a fit with what is named is possible.
    const double excess = *solution.least_excess * (1 + 1e-6);
    throw NumericalError(
        model_ + ": slack = none, but no function of this kernel is within " +
        (least == largest
             ? width + " of all targets: it would have to be at least " + shortest((least + excess) * unit)
             : "the widths of all rows: each would have to be larger by at least " + shortest(excess * unit)) +
        ". Use slack = linear with a C, a wider tube, or a narrower kernel");
  }
  return dual_of(solution);
}

SvmDual TubeMachine::shaped_nu_svr(std::span<const double> targets, ConstMatrixView<double> shapes,
                                   std::span<const double> prices, std::span<const double> bounds,
                                   std::span<const double> weights, const Run& run) const {
  const std::vector<Index> kept = different_functions(shapes, prices);
  Matrix<double> used(shapes.rows(), static_cast<Index>(kept.size()));
  for (Index i = 0; i < used.rows(); ++i) {
    for (Index q = 0; q < used.columns(); ++q) {
      used(i, q) = shapes(i, kept[q]);
    }
  }
  std::vector<double> used_prices;
  std::ranges::transform(kept, std::back_inserter(used_prices), [&](Index q) { return prices[q] * unit_; });
  const std::vector<double> used_bounds = scaled(bounds, unit_);
  const ShapedTubeSolution solution = solve_shaped_tube(
      {.gram = kernel_.view(), .targets = targets, .bounds = used_bounds, .shapes = used.view(), .prices = used_prices},
      tolerance_, run);
  if (solution.least_excess) {
    throw NumericalError(
        model_ +
        ": slack = none, but no function of this kernel goes through all rows at which the tube has no "
        "width. Use slack = linear, a narrower kernel, or a tube with a constant");
  }
  SvmDual dual = dual_of(solution);
  dual.tube.assign(static_cast<std::size_t>(shapes.columns()), 0.0);
  for (std::size_t q = 0; q < kept.size(); ++q) {
    dual.tube[kept[q]] = solution.widths[q];
  }
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (Index i = 0; i < shapes.rows(); ++i) {
    for (Index q = 0; q < shapes.columns(); ++q) {
      dual.margin += weights[i] / total * dual.tube[q] * shapes(i, q);
    }
  }
  if (const Index left = shapes.columns() - static_cast<Index>(kept.size()); left > 0) {
    dual.dependence = std::to_string(left) + " of the " + std::to_string(shapes.columns()) +
                      " functions of the tube are 0 on these rows or equal to another one: their coefficient is 0";
  }
  return dual;
}

SvmDual TubeMachine::huber_nu_svr(std::span<const double> targets, double price, std::span<const double> bounds,
                                  const Run& run) const {
  const std::vector<double> used_bounds = scaled(bounds, unit_);
  const HuberScaleSolution solution = solve_huber_scale(
      {.gram = kernel_.view(), .targets = targets, .bounds = used_bounds, .price = price * unit_}, tolerance_, run);
  SvmDual dual = dual_of(solution);
  dual.margin = solution.scale;
  return dual;
}

}  // namespace mercer
