#include "mercer/solvers/glm/glm_newton.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

constexpr int most_glm_halvings = 40;
constexpr double glm_jitter = 1e-14;

// ∂m_c/∂f_d.
double mean_slope(GlmFamily family, std::span<const double> mean, Index c, Index d) {
  const double m = mean[c];
  switch (family) {
    case GlmFamily::gaussian:
      return c == d ? 1.0 : 0.0;
    case GlmFamily::logistic:
      return c == d ? m * (1 - m) : 0.0;
    case GlmFamily::poisson:
      return c == d ? m : 0.0;
    case GlmFamily::multinomial:
      return m * ((c == d ? 1.0 : 0.0) - mean[d]);
  }
  return 0;
}

// Unknowns: coefficient j of output c is number c·M + j; the offsets are the last ones.
class GlmNewtonSearch {
 public:
  GlmNewtonSearch(ConstMatrixView<double> features, const GlmTargets& targets, NetIntercept intercept,
                  const ElasticNetPenalty& penalty, GlmPoint start, const Run& run)
      : features_(features),
        targets_(targets),
        penalty_(penalty),
        run_(run),
        m_(features.columns()),
        outputs_(targets.outputs()),
        offsets_(intercept == NetIntercept::fitted ? outputs_ : 0),
        // Least squares without groups: the outputs share one matrix.
        shared_(targets.family == GlmFamily::gaussian && penalty.l1 == 0),
        point_(std::move(start)) {
    place();
    // Targets of least squares have units.
    unit_ = targets.family == GlmFamily::gaussian ? objective_ : 1.0;
  }

  GlmNewtonSolution find(const GlmNewtonOptions& options) {
    GlmNewtonSolution result;
    result.status = SolveStatus::iteration_limit;
    for (;; ++result.iterations) {
      run_.check_stop();
      const Matrix<double> direction = newton_direction();
      result.decrement = decrement_;
      if (decrement_ <= options.tolerance * (unit_ + objective_)) {
        result.status = SolveStatus::converged;
        break;
      }
      if (result.iterations == options.max_iterations) {
        break;
      }
      if (!step(direction)) {
        result.status = SolveStatus::stalled;
        break;
      }
    }
    result.objective = objective_;
    result.half_log_determinant = half_log_determinant_;
    result.point = std::move(point_);
    return result;
  }

 private:
  void place() {
    linear_ = glm_linear(features_, point_, run_);
    objective_ = objective_at(point_, linear_);
    if (!std::isfinite(objective_)) {
      throw NumericalError("generalized linear model: the objective is not finite where the search begins");
    }
    means_ = Matrix<double>::copy_of(linear_.view());
    glm_means(targets_.family, means_.view());
  }

  double objective_at(const GlmPoint& point, const Matrix<double>& linear) const {
    double sum = glm_loss(targets_, linear.view());
    for (Index j = 0; j < m_; ++j) {
      const double norm = nrm2(point.coefficients.view().row(j));
      sum += penalty_.l1 * norm + 0.5 * penalty_.l2 * norm * norm;
    }
    return sum;
  }

  // Minus the gradient: (M + 1) × C, the offsets in the last row.
  Matrix<double> slopes() const {
    Matrix<double> misfit(targets_.rows(), outputs_);
    for (Index i = 0; i < misfit.rows(); ++i) {
      for (Index c = 0; c < outputs_; ++c) {
        misfit(i, c) = targets_.weight(i) * (targets_.values(i, c) - means_(i, c));
      }
    }
    Matrix<double> g = Matrix<double>::filled(m_ + 1, outputs_, 0.0);
    parallel_gemm<double>(1.0, features_, Transpose::yes, misfit.view(), Transpose::no, 0.0,
                          g.view().row_block({0, m_}), run_);
    for (Index c = 0; c < outputs_; ++c) {
      for (Index i = 0; i < misfit.rows() && offsets_ > 0; ++i) {
        g(m_, c) += misfit(i, c);
      }
      for (Index j = 0; j < m_; ++j) {
        const double norm = penalty_.l1 > 0 ? nrm2(point_.coefficients.view().row(j)) : 1.0;
        g(j, c) -= (penalty_.l2 + penalty_.l1 / norm) * point_.coefficients(j, c);
      }
    }
    return g;
  }

  bool couples(Index c, Index d) const { return c == d || targets_.family == GlmFamily::multinomial; }

  // Lower triangle; `blocks` outputs.
  Matrix<double> hessian(Index blocks) const {
    const Index constants = offsets_ > 0 ? blocks : 0;
    const Index size = blocks * m_ + constants;
    Matrix<double> h = Matrix<double>::filled(size, size, 0.0);
    Matrix<double> scaled(features_.rows(), m_ + 1);
    for (Index c = 0; c < blocks; ++c) {
      for (Index d = 0; d <= c; ++d) {
        if (!couples(c, d)) {
          continue;
        }
        double sum = 0;
        for (Index i = 0; i < features_.rows(); ++i) {
          const double v = targets_.weight(i) * mean_slope(targets_.family, means_.view().row(i), c, d);
          sum += v;
          for (Index j = 0; j < m_; ++j) {
            scaled(i, j) = v * features_(i, j);
          }
          scaled(i, m_) = v;
        }
        parallel_gemm<double>(1.0, features_, Transpose::yes, scaled.view().block(0, 0, scaled.rows(), m_),
                              Transpose::no, 0.0, h.view().block(c * m_, d * m_, m_, m_), run_);
        if (constants > 0) {
          add_offset_rows(scaled, sum, c, d, blocks, h);
        }
      }
    }
    add_penalty(blocks, h);
    return h;
  }

  void add_offset_rows(const Matrix<double>& scaled, double sum, Index c, Index d, Index blocks,
                       Matrix<double>& h) const {
    std::vector<double> products(m_, 0.0);
    for (Index i = 0; i < scaled.rows(); ++i) {
      axpy(scaled(i, m_), features_.row(i), products);
    }
    std::ranges::copy(products, h.view().row_data(blocks * m_ + c) + d * m_);
    std::ranges::copy(products, h.view().row_data(blocks * m_ + d) + c * m_);
    h(blocks * m_ + c, blocks * m_ + d) = sum;
  }

  void add_penalty(Index blocks, Matrix<double>& h) const {
    for (Index j = 0; j < m_; ++j) {
      const double norm = penalty_.l1 > 0 ? nrm2(point_.coefficients.view().row(j)) : 1.0;
      for (Index c = 0; c < blocks; ++c) {
        h(c * m_ + j, c * m_ + j) += penalty_.l2 + penalty_.l1 / norm;
        for (Index d = 0; d <= c && penalty_.l1 > 0; ++d) {
          h(c * m_ + j, d * m_ + j) -=
              penalty_.l1 / norm * (point_.coefficients(j, c) / norm) * (point_.coefficients(j, d) / norm);
        }
      }
    }
    // The same number added to the offsets of all classes changes nothing: that direction gets a curvature of its own.
    if (targets_.family == GlmFamily::multinomial && offsets_ > 0) {
      for (Index c = 0; c < blocks; ++c) {
        for (Index d = 0; d <= c; ++d) {
          h(blocks * m_ + c, blocks * m_ + d) += targets_.total_weight() / static_cast<double>(blocks * blocks);
        }
      }
    }
  }

  // Every unknown has a jitter of its own size: coefficients and offsets have different units.
  void factor(Matrix<double>& h) const {
    double largest = 0;
    for (Index a = 0; a < h.rows(); ++a) {
      largest = std::max(largest, h(a, a));
    }
    double jitter = glm_jitter * static_cast<double>(h.rows());
    for (;; jitter *= 100) {
      Matrix<double> attempt = Matrix<double>::copy_of(h.view());
      for (Index a = 0; a < attempt.rows(); ++a) {
        attempt(a, a) += jitter * (attempt(a, a) > 0 ? attempt(a, a) : largest);
      }
      if (try_cholesky<double>(attempt.view(), run_).ok) {
        h = std::move(attempt);
        return;
      }
      if (!(jitter < 1)) {
        throw NumericalError("generalized linear model: the Hessian is not positive definite; a larger penalty helps");
      }
    }
  }

  // (M + 1) × C. Sets the decrement and the determinant.
  Matrix<double> newton_direction() {
    const Matrix<double> g = slopes();
    const Index blocks = shared_ ? 1 : outputs_;
    Matrix<double> h = hessian(blocks);
    factor(h);
    half_log_determinant_ = 0;
    for (Index a = 0; a < blocks * m_; ++a) {
      half_log_determinant_ += std::log(h(a, a));
    }
    const Index columns = shared_ ? outputs_ : 1;
    const auto at = [&](Index j, Index c) {
      return std::pair{j < m_ ? (shared_ ? 0 : c) * m_ + j : blocks * m_ + (shared_ ? 0 : c), shared_ ? c : 0};
    };
    Matrix<double> right(h.rows(), columns);
    for (Index c = 0; c < outputs_; ++c) {
      for (Index j = 0; j < m_ + (offsets_ > 0 ? 1 : 0); ++j) {
        const auto [row, column] = at(j, c);
        right(row, column) = g(j, c);
      }
    }
    cholesky_solve<double>(std::as_const(h).view(), right.view(), run_);
    Matrix<double> direction = Matrix<double>::filled(m_ + 1, outputs_, 0.0);
    decrement_ = 0;
    for (Index c = 0; c < outputs_; ++c) {
      for (Index j = 0; j < m_ + (offsets_ > 0 ? 1 : 0); ++j) {
        const auto [row, column] = at(j, c);
        direction(j, c) = right(row, column);
        decrement_ += g(j, c) * direction(j, c);
      }
    }
    return direction;
  }

  bool step(const Matrix<double>& direction) {
    double length = 1;
    for (int halving = 0; halving < most_glm_halvings; ++halving, length /= 2) {
      GlmPoint next{Matrix<double>::copy_of(point_.coefficients.view()), point_.intercepts};
      for (Index c = 0; c < outputs_; ++c) {
        for (Index j = 0; j < m_; ++j) {
          next.coefficients(j, c) += length * direction(j, c);
        }
        next.intercepts[c] += length * direction(m_, c);
      }
      Matrix<double> linear = glm_linear(features_, next, run_);
      const double objective = objective_at(next, linear);
      // Close to the minimum the fall is below rounding: a step that does not climb is taken as it is.
      if (objective <= objective_ - 1e-4 * length * decrement_ ||
          (halving == 0 && decrement_ < 1e-7 * (unit_ + objective_) &&
           objective <= objective_ * (1 + 1e-13) + 1e-300)) {
        point_ = std::move(next);
        place();
        return true;
      }
    }
    return false;
  }

  ConstMatrixView<double> features_;
  GlmTargets targets_;
  ElasticNetPenalty penalty_;
  Run run_;
  Index m_;
  Index outputs_;
  Index offsets_;
  bool shared_;
  GlmPoint point_;
  Matrix<double> linear_;
  Matrix<double> means_;
  double objective_ = 0;
  double unit_ = 1;
  double decrement_ = 0;
  double half_log_determinant_ = 0;
};

// Newton's direction of the offsets; the last entry is the decrement.
std::vector<double> offset_direction(const GlmTargets& targets, ConstMatrixView<double> linear) {
  const Index outputs = targets.outputs();
  Matrix<double> means = Matrix<double>::copy_of(linear);
  glm_means(targets.family, means.view());
  std::vector<double> slope(outputs, 0.0);
  Matrix<double> h = Matrix<double>::filled(outputs, outputs, 0.0);
  for (Index i = 0; i < targets.rows(); ++i) {
    for (Index c = 0; c < outputs; ++c) {
      slope[c] += targets.weight(i) * (targets.values(i, c) - means(i, c));
      for (Index d = 0; d <= c; ++d) {
        h(c, d) += targets.weight(i) * mean_slope(targets.family, means.view().row(i), c, d);
      }
    }
  }
  double largest = 0;
  for (Index c = 0; c < outputs; ++c) {
    largest = std::max(largest, h(c, c));
  }
  for (Index c = 0; c < outputs; ++c) {
    h(c, c) += 1e-12 * largest + 1e-300;
    for (Index d = 0; d <= c && targets.family == GlmFamily::multinomial; ++d) {
      h(c, d) += largest;
    }
  }
  cholesky<double>(h.view(), Run{{.threads = 1}});
  std::vector<double> direction = slope;
  trsv(Uplo::lower, Transpose::no, std::as_const(h).view(), direction);
  trsv(Uplo::lower, Transpose::yes, std::as_const(h).view(), direction);
  direction.push_back(dot(slope, std::span<const double>(direction).first(slope.size())));
  return direction;
}

}  // namespace

void glm_fit_offsets(const GlmTargets& targets, MatrixView<double> linear, std::span<double> intercepts) {
  constexpr int most_steps = 50;
  Matrix<double> trial(linear.rows(), linear.columns());
  double loss = glm_loss(targets, linear);
  const double unit = targets.family == GlmFamily::gaussian ? 0.0 : 1.0;  // log-likelihoods have none
  for (int step = 0; step < most_steps; ++step) {
    const std::vector<double> direction = offset_direction(targets, linear);
    if (!(direction.back() > 1e-26 * (unit + loss))) {
      return;
    }
    double length = 1;
    for (int halving = 0;; ++halving, length /= 2) {
      if (halving == most_glm_halvings) {
        return;
      }
      for (Index i = 0; i < linear.rows(); ++i) {
        for (Index c = 0; c < linear.columns(); ++c) {
          trial(i, c) = linear(i, c) + length * direction[c];
        }
      }
      const double next = glm_loss(targets, trial.view());
      if (next <= loss + 1e-14 * (unit + loss)) {
        loss = next;
        break;
      }
    }
    for (Index i = 0; i < linear.rows(); ++i) {
      std::ranges::copy(trial.view().row(i), linear.row(i).begin());
    }
    axpy(length, std::span<const double>(direction).first(intercepts.size()), intercepts);
  }
}

Matrix<double> glm_linear(ConstMatrixView<double> features, const GlmPoint& point, const Run& run) {
  Matrix<double> linear(features.rows(), point.coefficients.columns());
  for (Index i = 0; i < linear.rows(); ++i) {
    std::ranges::copy(point.intercepts, linear.view().row(i).begin());
  }
  parallel_gemm<double>(1.0, features, Transpose::no, point.coefficients.view(), Transpose::no, 1.0, linear.view(),
                        run);
  return linear;
}

GlmNewtonSolution glm_newton(ConstMatrixView<double> features, const GlmTargets& targets, NetIntercept intercept,
                             const ElasticNetPenalty& penalty, GlmPoint start, const GlmNewtonOptions& options,
                             const Run& run) {
  penalty.validate();
  if (start.coefficients.rows() != features.columns() || start.coefficients.columns() != targets.outputs() ||
      static_cast<Index>(start.intercepts.size()) != targets.outputs() || features.rows() != targets.rows()) {
    throw InvalidArgument("generalized linear model: features, targets and start do not fit together");
  }
  for (Index j = 0; j < features.columns() && penalty.l1 > 0; ++j) {
    if (nrm2(start.coefficients.view().row(j)) == 0) {
      throw InvalidArgument("generalized linear model: feature " + std::to_string(j) +
                            " has coefficients 0, where the penalty l1 has a kink: leave it out");
    }
  }
  return GlmNewtonSearch(features, targets, intercept, penalty, std::move(start), run).find(options);
}

}  // namespace mercer
