#include "mercer/solvers/glm/dual_newton.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "mercer/base/error.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/glm/dual_curvature.h"

namespace mercer {

namespace {

constexpr int most_dual_halvings = 50;
constexpr double level_dual_objective = 1e-12;

double dual_product(const Matrix<double>& a, const Matrix<double>& b) {
  const auto count = static_cast<std::size_t>(a.rows() * a.columns());
  return dot({a.data(), count}, {b.data(), count});
}

// A point of the search and what follows from it. α̃ = λα throughout.
struct DualPoint {
  Matrix<double> alpha;
  std::vector<double> intercepts;
  Matrix<double> smooth;  // K̃α̃
  Matrix<double> linear;  // K̃α̃ + b
  Matrix<double> means;
  Matrix<double> slopes;  // w(y − m)
  double loss = 0;
  double objective = 0;

  DualPoint(const GlmTargets& targets, Matrix<double> coefficients, std::vector<double> offsets, Matrix<double> product)
      : alpha(std::move(coefficients)),
        intercepts(std::move(offsets)),
        smooth(std::move(product)),
        linear(Matrix<double>::copy_of(smooth.view())),
        slopes(alpha.rows(), alpha.columns()) {
    for (Index i = 0; i < linear.rows(); ++i) {
      axpy(1.0, intercepts, linear.view().row(i));
    }
    loss = glm_loss(targets, linear.view());
    objective = loss + 0.5 * dual_product(alpha, smooth);
    means = Matrix<double>::copy_of(linear.view());
    glm_means(targets.family, means.view());
    for (Index i = 0; i < slopes.rows(); ++i) {
      for (Index c = 0; c < slopes.columns(); ++c) {
        slopes(i, c) = targets.weight(i) * (targets.values(i, c) - means(i, c));
      }
    }
  }

  double residual() const {
    double worst = 0;
    for (Index i = 0; i < alpha.rows(); ++i) {
      for (Index c = 0; c < alpha.columns(); ++c) {
        worst = std::max(worst, std::abs(alpha(i, c) - slopes(i, c)));
      }
    }
    return worst;
  }
  double largest_slope() const {
    double largest = 0;
    for (Index i = 0; i < slopes.rows(); ++i) {
      for (Index c = 0; c < slopes.columns(); ++c) {
        largest = std::max(largest, std::abs(slopes(i, c)));
      }
    }
    return largest;
  }
};

// One output, or all classes of the multinomial.
class DualNewtonSearch {
 public:
  DualNewtonSearch(ConstMatrixView<double> kernel, const GlmTargets& targets, double lambda, NetIntercept intercept,
                   const Run& run)
      : targets_(targets), lambda_(lambda), intercept_(intercept), run_(run), curvature_(kernel, 1 / lambda, run) {}

  DualNewtonSolution find(const DualNewtonSolution* start, const DualNewtonOptions& options) {
    DualPoint point = first_point(start);
    DualNewtonSolution result;
    result.status = SolveStatus::iteration_limit;
    for (;; ++result.iterations) {
      run_.check_stop();
      result.residual = scale_ > 0 ? point.residual() / scale_ : 0.0;
      curvature_.factor(targets_, point.means.view());
      if (result.residual <= options.tolerance) {
        result.status = SolveStatus::converged;
        break;
      }
      if (result.iterations == options.max_iterations) {
        break;
      }
      if (!step(point)) {
        // The objective no longer tells better from worse: that will do where the residual is small, known to be so, and
        // worth little by the model of the last step.
        const double much = std::sqrt(options.tolerance);
        const double known = scale_ > 0 ? curvature_.rounding(point.alpha.view()) / scale_ : 0.0;
        const bool is_little = decrement_ <= std::max(level_, much * (unit_ + point.objective));
        const bool is_met = std::max(result.residual, known) < much && is_little;
        result.status = is_met ? SolveStatus::converged : SolveStatus::stalled;
        break;
      }
    }
    result.loss = point.loss;
    result.objective = point.objective;
    result.log_determinant = curvature_.log_determinant();
    result.log_evidence = -point.objective - 0.5 * result.log_determinant;
    for (Index i = 0; i < point.alpha.rows(); ++i) {
      scale(1 / lambda_, point.alpha.view().row(i));
    }
    result.alpha = std::move(point.alpha);
    result.intercepts = std::move(point.intercepts);
    result.linear = std::move(point.linear);
    return result;
  }

 private:
  Index outputs() const { return targets_.outputs(); }

  // The start that was given, or the offsets alone where these are better.
  DualPoint first_point(const DualNewtonSolution* start) {
    const Index n = targets_.rows();
    DualPoint null(
        targets_, Matrix<double>::filled(n, outputs(), 0.0),
        intercept_ == NetIntercept::fitted ? glm_null_offsets(targets_) : std::vector<double>(outputs(), 0.0),
        Matrix<double>::filled(n, outputs(), 0.0));
    // Targets of least squares have units.
    unit_ = targets_.family == GlmFamily::gaussian ? 0.0 : 1.0;
    scale_ = unit_ + null.largest_slope();
    level_ = level_dual_objective * (unit_ + null.objective);
    if (start == nullptr || start->alpha.rows() != n || start->alpha.columns() != outputs()) {
      return null;
    }
    Matrix<double> alpha = Matrix<double>::copy_of(start->alpha.view());
    for (Index i = 0; i < n; ++i) {
      scale(lambda_, alpha.view().row(i));
    }
    Matrix<double> smooth = curvature_.multiply(alpha.view());
    DualPoint given(targets_, std::move(alpha), start->intercepts, std::move(smooth));
    return given.objective < null.objective ? std::move(given) : std::move(null);
  }

  // The α̃ and b that the quadratic model asks for, as corrections of the present ones: what a factor of bad condition
  // loses of the residual is regained by the next step.
  std::pair<Matrix<double>, std::vector<double>> newton_target(const DualPoint& point) const {
    const Index n = targets_.rows();
    Matrix<double> v = Matrix<double>::copy_of(point.slopes.view());
    for (Index i = 0; i < n; ++i) {
      axpy(-1.0, point.alpha.view().row(i), v.view().row(i));
    }
    Matrix<double> reduced = curvature_.multiply(v.view());
    curvature_.apply(reduced.view());
    for (Index i = 0; i < n; ++i) {
      axpy(-1.0, reduced.view().row(i), v.view().row(i));
      axpy(1.0, point.alpha.view().row(i), v.view().row(i));
    }
    std::vector<double> offsets(outputs(), 0.0);
    if (intercept_ == NetIntercept::fitted) {
      take_off_offsets(v, offsets);
    }
    axpy(1.0, std::span<const double>(point.intercepts), std::span<double>(offsets));
    return {std::move(v), std::move(offsets)};
  }

  // Δb from 1ᵀ(v − R1Δb) = 0, and v ← v − R1Δb.
  void take_off_offsets(Matrix<double>& v, std::vector<double>& offsets) const {
    const Index n = targets_.rows();
    Matrix<double> system = Matrix<double>::filled(outputs(), outputs(), 0.0);
    std::vector<Matrix<double>> carried;
    for (Index d = 0; d < outputs(); ++d) {
      Matrix<double>& one = carried.emplace_back(Matrix<double>::filled(n, outputs(), 0.0));
      for (Index i = 0; i < n; ++i) {
        one(i, d) = 1;
      }
      curvature_.apply(one.view());
      for (Index i = 0; i < n; ++i) {
        offsets[d] += v(i, d);
        for (Index c = 0; c < outputs(); ++c) {
          system(c, d) += one(i, c);
        }
      }
    }
    double largest = 0;
    for (Index c = 0; c < outputs(); ++c) {
      largest = std::max(largest, system(c, c));
    }
    // The same number added to all classes changes nothing: of these solutions the one with sum 0.
    for (Index c = 0; c < outputs(); ++c) {
      for (Index d = 0; d < outputs() && outputs() > 1; ++d) {
        system(c, d) += largest;
      }
      system(c, c) += 1e-14 * largest + 1e-300;
    }
    cholesky<double>(system.view(), run_);
    cholesky_solve<double>(std::as_const(system).view(), std::span<double>(offsets), run_);
    for (std::size_t d = 0; d < offsets.size(); ++d) {
      for (Index i = 0; i < n; ++i) {
        axpy(-offsets[d], carried[d].view().row(i), v.view().row(i));
      }
    }
  }

  // One step, halved until the objective falls; false where it does not.
  bool step(DualPoint& point) {
    const auto [target, offsets] = newton_target(point);
    const Matrix<double> smooth = curvature_.multiply(target.view());
    decrement_ = 0;
    for (Index i = 0; i < smooth.rows(); ++i) {
      for (Index c = 0; c < smooth.columns(); ++c) {
        const double change = smooth(i, c) + offsets[c] - point.linear(i, c);
        decrement_ += (point.slopes(i, c) - point.alpha(i, c)) * change / 2;
      }
    }
    const double before = point.residual();
    double length = 1;
    for (int halving = 0; halving < most_dual_halvings; ++halving, length /= 2) {
      const auto between = [length](const Matrix<double>& from, const Matrix<double>& to) {
        Matrix<double> result = Matrix<double>::copy_of(from.view());
        for (Index i = 0; i < from.rows(); ++i) {
          for (Index c = 0; c < from.columns(); ++c) {
            result(i, c) += length * (to(i, c) - from(i, c));
          }
        }
        return result;
      };
      std::vector<double> intercepts = point.intercepts;
      for (std::size_t c = 0; c < intercepts.size(); ++c) {
        intercepts[c] += length * (offsets[c] - intercepts[c]);
      }
      DualPoint next(targets_, between(point.alpha, target), std::move(intercepts), between(point.smooth, smooth));
      if (next.objective < point.objective - level_ ||
          (next.objective < point.objective + level_ && next.residual() < 0.9 * before)) {
        point = std::move(next);
        return true;
      }
    }
    return false;
  }

  GlmTargets targets_;
  double lambda_;
  NetIntercept intercept_;
  Run run_;
  DualCurvature curvature_;
  double unit_ = 0;       // of the objective, where targets have none
  double scale_ = 1;      // of residuals
  double level_ = 0;      // changes of the objective below it say nothing
  double decrement_ = 0;  // what the last step gains by its quadratic model
};

// Families that treat outputs one by one: the solutions side by side.
DualNewtonSolution side_by_side(const std::vector<DualNewtonSolution>& parts) {
  DualNewtonSolution all;
  const Index n = parts.front().alpha.rows();
  all.alpha = Matrix<double>(n, static_cast<Index>(parts.size()));
  all.linear = Matrix<double>(n, static_cast<Index>(parts.size()));
  for (std::size_t c = 0; c < parts.size(); ++c) {
    const DualNewtonSolution& part = parts[c];
    all.status = part.status == SolveStatus::converged ? all.status : part.status;
    all.iterations = std::max(all.iterations, part.iterations);
    all.residual = std::max(all.residual, part.residual);
    all.loss += part.loss;
    all.objective += part.objective;
    all.log_determinant += part.log_determinant;
    all.log_evidence += part.log_evidence;
    all.intercepts.push_back(part.intercepts.front());
    for (Index i = 0; i < n; ++i) {
      all.alpha(i, static_cast<Index>(c)) = part.alpha(i, 0);
      all.linear(i, static_cast<Index>(c)) = part.linear(i, 0);
    }
  }
  return all;
}

}  // namespace

DualNewtonSolution dual_newton(ConstMatrixView<double> kernel, const GlmTargets& targets, double lambda,
                               NetIntercept intercept, const DualNewtonSolution* start,
                               const DualNewtonOptions& options, const Run& run) {
  if (kernel.rows() != kernel.columns() || kernel.rows() != targets.rows() || targets.outputs() < 1) {
    throw InvalidArgument("a kernel matrix of " + std::to_string(kernel.rows()) + " by " +
                          std::to_string(kernel.columns()) + " with targets of " + std::to_string(targets.rows()) +
                          " by " + std::to_string(targets.outputs()));
  }
  if (!(lambda > 0 && std::isfinite(lambda))) {
    reject_argument("lambda", lambda, "finite and positive");
  }
  targets.validate();
  if (targets.outputs() == 1 || targets.family == GlmFamily::multinomial) {
    return DualNewtonSearch(kernel, targets, lambda, intercept, run).find(start, options);
  }
  std::vector<DualNewtonSolution> parts;
  for (Index c = 0; c < targets.outputs(); ++c) {
    Matrix<double> values(targets.rows(), 1);
    for (Index i = 0; i < targets.rows(); ++i) {
      values(i, 0) = targets.values(i, c);
    }
    parts.push_back(DualNewtonSearch(kernel, {targets.family, values.view(), targets.weights}, lambda, intercept, run)
                        .find(nullptr, options));
  }
  return side_by_side(parts);
}

}  // namespace mercer
