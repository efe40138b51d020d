#include "mercer/solvers/risk/risk_newton.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/matrix.h"
#include "mercer/linalg/pivoted_cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/theory/losses/margin_losses.h"
#include "mercer/theory/losses/residual_losses.h"

namespace mercer {

namespace {

constexpr int patience = 20;
// Of every diagonal entry by itself: high prices make some of them 1e15 of others, and a share of all would hold back the rest.
constexpr double least_shift = 1e-13;

Matrix<double> side_by_side(ConstMatrixView<double> a, ConstMatrixView<double> b) {
  Matrix<double> joint(a.rows(), a.columns() + b.columns());
  for (Index i = 0; i < joint.rows(); ++i) {
    std::copy_n(a.row_data(i), a.columns(), joint.view().row_data(i));
    std::copy_n(b.row_data(i), b.columns(), joint.view().row_data(i) + a.columns());
  }
  return joint;
}

/// (L Q), L of as many columns as K has rank.
Matrix<double> joint_factor(const RiskProblem& problem, const Run& run) {
  if (problem.has_factor()) {
    return side_by_side(problem.factor, problem.basis);
  }
  const Index n = problem.size();
  std::vector<double> diagonal(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    diagonal[static_cast<std::size_t>(i)] = std::max(0.0, problem.kernel(i, i));
  }
  const ColumnOracle<double> oracle{.columns = [&](std::span<const Index> pivots, MatrixView<double> out) {
    for (Index i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < pivots.size(); ++j) {
        out(i, static_cast<Index>(j)) = problem.kernel(i, pivots[j]);
      }
    }
  }};
  const PivotedCholesky<double> low =
      pivoted_cholesky<double>(diagonal, oracle, {.max_rank = n, .tolerance = 1e-15, .rule = PivotRule::greedy}, run);
  return side_by_side(low.factor.view(), problem.basis);
}

class RiskNewton {
 public:
  RiskNewton(const RiskProblem& problem, const Loss& loss, std::span<const double> prices, const Matrix<double>& factor,
             const RiskNewtonOptions& options, const Run& run)
      : problem_{problem.kernel, problem.basis, problem.targets, prices, loss},
        factor_(factor.view()),
        penalized_(factor.columns() - problem.basis.columns()),
        options_(options),
        run_(run) {}

  struct Point {
    std::vector<double> z;  // θ, γ
    double objective = 0;
    double relative_gradient = 0;
    Index iterations = 0;
    SolveStatus status = SolveStatus::stalled;
    bool curves_up = false;
    bool is_drifting = false;

    /// What has come to its end is better than what has not: a bounded loss may fall for ever towards a function that
    /// is infinite.
    bool is_better_than(const Point& other) const {
      const bool ended = status == SolveStatus::converged;
      const bool other_ended = other.status == SolveStatus::converged;
      return ended == other_ended ? objective < other.objective : ended;
    }
  };

  Point minimize(std::vector<double> start);
  std::vector<double> values(std::span<const double> z) const;

 private:
  double objective(std::span<const double> z) const;
  void differentiate(std::span<const double> z);
  void set_hessian(std::span<const double> curvatures);
  bool factorize(double shift);
  double gradient_size() const;

  RiskProblem problem_;
  ConstMatrixView<double> factor_;
  Index penalized_;
  const RiskNewtonOptions& options_;
  const Run& run_;
  std::vector<double> gradient_;
  double gradient_unit_ = 0;
  Matrix<double> hessian_;
  Matrix<double> shifted_;
};

std::vector<double> RiskNewton::values(std::span<const double> z) const {
  std::vector<double> f(static_cast<std::size_t>(factor_.rows()));
  gemv(1.0, factor_, Transpose::no, z, 0.0, f);
  return f;
}

double RiskNewton::objective(std::span<const double> z) const {
  const std::vector<double> f = values(z);
  const std::span<const double> theta = z.first(static_cast<std::size_t>(penalized_));
  double sum = 0.5 * dot(theta, theta);
  for (Index i = 0; i < problem_.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    sum += problem_.prices[at] * problem_.loss.value(problem_.argument(i, f[at]));
  }
  return sum;
}

void RiskNewton::differentiate(std::span<const double> z) {
  const std::vector<double> f = values(z);
  std::vector<double> slopes(f.size());
  std::vector<double> curvatures(f.size());
  double sizes = 0;
  for (Index i = 0; i < problem_.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double x = problem_.argument(i, f[at]);
    slopes[at] = problem_.prices[at] * problem_.sign(i) * problem_.loss.influence(x);
    // Powers below 2 bend without limit at 0.
    curvatures[at] = problem_.prices[at] * std::min(problem_.loss.curvature(x), 1e12);
    sizes = std::max(sizes, std::abs(slopes[at]) * nrm2(factor_.row(i)));
  }
  set_hessian(curvatures);
  gradient_.assign(static_cast<std::size_t>(factor_.columns()), 0.0);
  gemv(1.0, factor_, Transpose::yes, slopes, 0.0, gradient_);
  gradient_unit_ = sizes;
  for (Index j = 0; j < penalized_; ++j) {
    const auto at = static_cast<std::size_t>(j);
    gradient_[at] += z[at];
    gradient_unit_ = std::max(gradient_unit_, std::abs(z[at]));
  }
}

// [1 0; 0 0] + (L Q)ᵀ diag(w) (L Q); by roots, with half of the work, where no curvature is negative.
void RiskNewton::set_hessian(std::span<const double> curvatures) {
  const bool has_roots = std::ranges::all_of(curvatures, [](double w) { return w >= 0; });
  Matrix<double> weighted = Matrix<double>::copy_of(factor_);
  for (Index i = 0; i < problem_.size(); ++i) {
    const double w = curvatures[static_cast<std::size_t>(i)];
    scale(has_roots ? std::sqrt(w) : w, weighted.view().row(i));
  }
  const Index m = factor_.columns();
  hessian_ = Matrix<double>(m, m);
  if (has_roots) {
    parallel_syrk<double>(1.0, weighted.view(), Transpose::yes, 0.0, hessian_.view(), run_);
    mirror_lower<double>(hessian_.view(), run_);
  } else {
    parallel_gemm<double>(1.0, factor_, Transpose::yes, weighted.view(), Transpose::no, 0.0, hessian_.view(), run_);
  }
  for (Index j = 0; j < penalized_; ++j) {
    hessian_(j, j) += 1;
  }
}

double RiskNewton::gradient_size() const {
  double largest = 0;
  for (const double g : gradient_) {
    largest = std::max(largest, std::abs(g));
  }
  return gradient_unit_ > 0 ? largest / gradient_unit_ : 0.0;
}

bool RiskNewton::factorize(double shift) {
  shifted_ = Matrix<double>::copy_of(hessian_.view());
  for (Index j = 0; j < shifted_.rows(); ++j) {
    shifted_(j, j) += shift * std::max(std::abs(hessian_(j, j)), 1.0);
  }
  return try_cholesky<double>(shifted_.view(), run_).ok;
}

RiskNewton::Point RiskNewton::minimize(std::vector<double> start) {
  Point point{.z = std::move(start)};
  point.objective = objective(point.z);
  double shift = 0;
  int idle = 0;  // steps that promised next to nothing
  for (;; ++point.iterations) {
    run_.check_stop();
    differentiate(point.z);
    point.relative_gradient = gradient_size();
    if (point.relative_gradient <= options_.tolerance) {
      point.status = SolveStatus::converged;
      point.curves_up = factorize(least_shift);
      return point;
    }
    if (point.iterations >= options_.max_iterations || idle >= patience) {
      point.status = idle >= patience ? SolveStatus::stalled : SolveStatus::iteration_limit;
      point.is_drifting = idle >= patience;
      return point;
    }
    bool moved = false;
    for (int attempt = 0; attempt < 60 && !moved; ++attempt) {
      if (!factorize(std::max(shift, least_shift))) {
        shift = std::max(4 * shift, 1e-6);
        continue;
      }
      std::vector<double> step(gradient_.size());
      std::ranges::transform(gradient_, step.begin(), std::negate<>());
      cholesky_solve<double>(shifted_.view(), std::span<double>(step), run_);
      std::vector<double> next = point.z;
      axpy(1.0, step, next);
      const double reached = objective(next);
      std::vector<double> bent(step.size());
      gemv(1.0, hessian_.view(), Transpose::no, step, 0.0, bent);
      const double promised = -dot(gradient_, step) - 0.5 * dot(step, bent);
      const double rounding = 1e-15 * std::abs(point.objective);
      if (std::isfinite(reached) && point.objective - reached >= 0.1 * promised - rounding && promised >= 0) {
        const bool kept_well = point.objective - reached >= 0.7 * promised;
        shift = kept_well ? (shift < 1e-4 ? 0 : shift / 8) : shift;
        moved = promised > rounding || point.relative_gradient > 1e3 * options_.tolerance;
        idle = promised < 1e-11 * std::abs(point.objective) ? idle + 1 : 0;
        point.z = std::move(next);
        point.objective = std::min(reached, point.objective);
        if (!moved) {
          break;
        }
      } else {
        shift = std::max(4 * shift, 1e-6);
      }
    }
    if (!moved) {
      // As far as rounding goes: a flat end has a small gradient.
      differentiate(point.z);
      point.relative_gradient = gradient_size();
      const bool is_small = point.relative_gradient <= 1e3 * options_.tolerance;
      point.status = is_small ? SolveStatus::converged : SolveStatus::stalled;
      point.curves_up = factorize(least_shift);
      return point;
    }
  }
}

/// A convex loss to start from.
struct Surrogate {
  LossPointer loss;
  double factor = 1;  // of the prices
};

Surrogate surrogate_of(const Loss& loss) {
  if (loss.argument() == LossArgument::margin) {
    return {std::make_shared<LogisticLoss>()};
  }
  const double curvature = loss.curvature(0);
  return {std::make_shared<PowerLoss>(2), curvature > 0 && std::isfinite(curvature) ? curvature : 1.0};
}

}  // namespace

RiskSolution solve_risk_newton(const RiskProblem& problem, const RiskNewtonOptions& options, const Run& run) {
  require_valid(problem);
  if (!problem.loss.is_smooth()) {
    throw InvalidArgument("regularized risk: Newton's method needs a smooth loss");
  }
  const Matrix<double> factor = joint_factor(problem, run);
  std::vector<double> plain(static_cast<std::size_t>(factor.columns()), 0.0);
  if (problem.is_residual()) {
    gemv(1.0, problem.basis, Transpose::yes, problem.targets, 0.0,
         std::span(plain).last(static_cast<std::size_t>(problem.basis.columns())));
  }
  RiskNewton method(problem, problem.loss, problem.prices, factor, options, run);
  RiskNewton::Point best = method.minimize(plain);
  if (!problem.loss.is_convex()) {
    const Surrogate surrogate = surrogate_of(problem.loss);
    std::vector<double> prices(problem.prices.begin(), problem.prices.end());
    scale(surrogate.factor, prices);
    RiskNewton convex(problem, *surrogate.loss, prices, factor, options, run);
    RiskNewton::Point other = method.minimize(convex.minimize(plain).z);
    other.iterations += best.iterations;
    if (other.is_better_than(best)) {
      best = std::move(other);
    } else {
      best.iterations = other.iterations;
    }
  }
  RiskSolution solution;
  solution.status = best.status;
  solution.iterations = best.iterations;
  solution.relative_gradient = best.relative_gradient;
  // At a stationary point θ = Lᵀα with α = −g.
  const std::vector<double> f = method.values(best.z);
  for (Index i = 0; i < problem.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double slope = problem.loss.influence(problem.argument(i, f[at]));
    solution.alpha.push_back(slope == 0 ? 0.0 : -problem.prices[at] * problem.sign(i) * slope);
  }
  solution.gamma.assign(best.z.end() - problem.basis.columns(), best.z.end());
  evaluate_risk(problem, solution);
  if (best.status == SolveStatus::converged) {
    solution.optimality = problem.loss.is_convex() ? Optimality::minimum
                          : best.curves_up         ? Optimality::local_minimum
                                                   : Optimality::stationary_point;
  } else if (best.is_drifting && problem.basis.columns() > 0) {
    solution.message =
        "the objective falls by less and less along functions beside the kernel, whose size nothing limits: it may "
        "have "
        "no minimum; take fewer of them (parametric), or a convex loss";
  } else {
    solution.message = "the gradient was not brought to 0: its largest entry is " +
                       std::to_string(best.relative_gradient) + " of what it is the sum of";
  }
  return solution;
}

}  // namespace mercer
