#include "mercer/solvers/glm/glm_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/glm/glm_newton.h"

namespace mercer {

namespace {

constexpr int most_net_halvings = 30;
constexpr double least_glm_curvature = 1e-9;
constexpr double level_objective = 1e-13;
constexpr Index group_passes = 50;
constexpr Index group_rounds = 10;
// Newton's method inside the features in use pays up to so many unknowns.
constexpr Index most_newton_unknowns = 1000;

}  // namespace

class GlmSearch::State {
 public:
  State(ConstMatrixView<double> features, const GlmTargets& targets, NetIntercept intercept, const Run& run)
      : features_(features),
        targets_(targets),
        intercept_(intercept),
        run_(run),
        m_(features.columns()),
        outputs_(targets.outputs()),
        point_{Matrix<double>::filled(m_, outputs_, 0.0), std::vector<double>(outputs_, 0.0)} {
    if (intercept == NetIntercept::fitted) {
      point_.intercepts = glm_null_offsets(targets);
    }
    accept(GlmPoint{Matrix<double>::copy_of(point_.coefficients.view()), point_.intercepts},
           glm_linear(features_, point_, run_));
    null_loss_ = loss_;
  }

  double null_loss() const { return null_loss_; }
  const Matrix<double>& dual_point() const { return weighted_; }
  const Matrix<double>& products() const { return products_; }

  void start_at(GlmPoint point) {
    Matrix<double> linear = glm_linear(features_, point, run_);
    accept(std::move(point), std::move(linear));
  }

  GlmNetSolution solve(const ElasticNetPenalty& penalty, const GlmNetOptions& options) {
    penalty_ = penalty;
    objective_ = objective_of(point_, loss_);
    GlmNetSolution result;
    // A step of the quadratic model need not be more accurate than the model.
    double inner = targets_.family == GlmFamily::gaussian ? 0.1 * options.tolerance : 1e-4;
    for (;; ++result.iterations) {
      run_.check_stop();
      result.gap = std::max(0.0, objective_ - dual(products_));
      if (result.gap <= options.tolerance * null_loss_) {
        break;
      }
      if (result.iterations == options.max_iterations) {
        result.status = SolveStatus::iteration_limit;
        break;
      }
      const bool moved = quadratic_step(inner);
      const bool polished = outputs_ > 1 && newton_step(0.01 * options.tolerance * options.tolerance);
      if (!moved && !polished) {
        if (inner < 1e-13) {
          result.status = SolveStatus::stalled;
          break;
        }
      }
      inner = std::max(1e-14, inner * (moved ? 0.2 : 0.01));
    }
    fill(result);
    return result;
  }

  double dual(const Matrix<double>& products) const {
    double largest = 0;
    for (Index j = 0; j < products.rows(); ++j) {
      largest = std::max(largest, nrm2(products.view().row(j)));
    }
    const double feasible = dual_at(largest > penalty_.l1 ? penalty_.l1 / largest : 1.0, products);
    return penalty_.l2 > 0 ? std::max(feasible, dual_at(1.0, products)) : feasible;
  }

 private:
  double objective_of(const GlmPoint& point, double loss) const {
    double sum = loss;
    for (Index j = 0; j < m_; ++j) {
      const double norm = nrm2(point.coefficients.view().row(j));
      sum += penalty_.l1 * norm + 0.5 * penalty_.l2 * norm * norm;
    }
    return sum;
  }

  // Makes a point the present one; `linear` belongs to it.
  void accept(GlmPoint point, Matrix<double> linear) {
    point_ = std::move(point);
    linear_ = std::move(linear);
    if (intercept_ == NetIntercept::fitted) {
      glm_fit_offsets(targets_, linear_.view(), point_.intercepts);
    }
    loss_ = glm_loss(targets_, linear_.view());
    means_ = Matrix<double>::copy_of(linear_.view());
    glm_means(targets_.family, means_.view());
    // The dual point: w(y − m) without its mean, which the offsets leave at the level of rounding.
    std::vector<double> mean(outputs_, 0.0);
    shifted_ = Matrix<double>(targets_.rows(), outputs_);
    for (Index i = 0; i < targets_.rows(); ++i) {
      for (Index c = 0; c < outputs_; ++c) {
        shifted_(i, c) = targets_.values(i, c) - means_(i, c);
        mean[c] += targets_.weight(i) * shifted_(i, c);
      }
    }
    const double total = targets_.total_weight();
    weighted_ = Matrix<double>(targets_.rows(), outputs_);
    for (Index i = 0; i < targets_.rows(); ++i) {
      for (Index c = 0; c < outputs_; ++c) {
        shifted_(i, c) -= intercept_ == NetIntercept::fitted ? mean[c] / total : 0.0;
        weighted_(i, c) = targets_.weight(i) * shifted_(i, c);
      }
    }
    products_ = Matrix<double>(m_, outputs_);
    parallel_gemm<double>(1.0, features_, Transpose::yes, weighted_.view(), Transpose::no, 0.0, products_.view(), run_);
  }

  double dual_at(double s, const Matrix<double>& products) const {
    double sum = 0;
    std::vector<double> mean(outputs_);
    for (Index i = 0; i < targets_.rows(); ++i) {
      for (Index c = 0; c < outputs_; ++c) {
        mean[c] = targets_.values(i, c) - s * shifted_(i, c);
      }
      sum += targets_.weight(i) *
             (glm_conjugate(targets_.family, targets_.values.row(i)) - glm_conjugate(targets_.family, mean));
    }
    for (Index j = 0; j < products.rows() && penalty_.l2 > 0; ++j) {
      const double excess = std::max(0.0, s * nrm2(products.view().row(j)) - penalty_.l1);
      sum -= excess * excess / (2 * penalty_.l2);
    }
    return sum;
  }

  // Several outputs: coordinates need only find the groups, Newton's method finishes.
  ElasticNetOptions inner_options(double inner) const {
    ElasticNetOptions options{.tolerance = std::clamp(inner, 1e-14, 0.1)};
    if (outputs_ > 1) {
      options.max_passes = group_passes;
      options.max_iterations = group_rounds;
    }
    return options;
  }

  // Towards the minimum of the weighted least squares problem; false where the objective does not fall.
  bool quadratic_step(double inner) {
    if (targets_.family == GlmFamily::gaussian) {
      return least_squares_step(inner);
    }
    Matrix<double> working(targets_.rows(), outputs_);
    std::vector<double> weights;
    for (Index i = 0; i < targets_.rows(); ++i) {
      const double h = std::max(glm_curvature(targets_.family, means_.view().row(i)), least_glm_curvature);
      weights.push_back(targets_.weight(i) * h);
      for (Index c = 0; c < outputs_; ++c) {
        working(i, c) = linear_(i, c) + (targets_.values(i, c) - means_(i, c)) / h;
      }
    }
    ElasticNet net({.features = features_, .targets = working.view(), .weights = weights, .intercept = intercept_},
                   point_.coefficients.view(), run_);
    ElasticNetSolution solution = net.solve(penalty_, inner_options(inner));
    return move_to({std::move(solution.coefficients), std::move(solution.intercepts)});
  }

  // The model is the problem itself, whose products of features serve all penalties.
  bool least_squares_step(double inner) {
    if (!squares_) {
      squares_ = std::make_unique<ElasticNet>(
          ElasticNetProblem{
              .features = features_, .targets = targets_.values, .weights = targets_.weights, .intercept = intercept_},
          run_);
    }
    if (outputs_ > 1) {
      squares_->start_at(point_.coefficients.view());
    }
    ElasticNetSolution solution = squares_->solve(penalty_, inner_options(inner));
    return move_to({std::move(solution.coefficients), std::move(solution.intercepts)});
  }

  bool move_to(const GlmPoint& target) {
    const Matrix<double> there = glm_linear(features_, target, run_);
    double length = 1;
    for (int halving = 0; halving < most_net_halvings; ++halving, length /= 2) {
      const auto between = [length](double from, double to) { return length == 1 ? to : from + length * (to - from); };
      GlmPoint next{Matrix<double>(m_, outputs_), target.intercepts};
      Matrix<double> linear(targets_.rows(), outputs_);
      for (Index c = 0; c < outputs_; ++c) {
        const auto at = static_cast<std::size_t>(c);
        next.intercepts[at] = between(point_.intercepts[at], target.intercepts[at]);
        for (Index j = 0; j < m_; ++j) {
          next.coefficients(j, c) = between(point_.coefficients(j, c), target.coefficients(j, c));
        }
        for (Index i = 0; i < targets_.rows(); ++i) {
          linear(i, c) = between(linear_(i, c), there(i, c));
        }
      }
      if (try_point(std::move(next), std::move(linear))) {
        return true;
      }
    }
    return false;
  }

  // Takes the point where it is better. The gap falls with the distance from the minimum, the objective with its square:
  // where the objective is level to rounding, the gap decides.
  bool try_point(GlmPoint next, Matrix<double> linear) {
    const double objective = objective_of(next, glm_loss(targets_, linear.view()));
    if (!(objective <= objective_ * (1 + level_objective))) {
      return false;
    }
    const double before = objective_;
    const double gap_before = before - dual(products_);
    GlmPoint old_point{Matrix<double>::copy_of(point_.coefficients.view()), point_.intercepts};
    Matrix<double> old_linear = Matrix<double>::copy_of(linear_.view());
    accept(std::move(next), std::move(linear));
    objective_ = objective_of(point_, loss_);
    if (objective_ < before * (1 - level_objective) || objective_ - dual(products_) < 0.9 * gap_before) {
      return true;
    }
    accept(std::move(old_point), std::move(old_linear));
    objective_ = before;
    return false;
  }

  // Newton's method within the groups that are not 0.
  bool newton_step(double decrement) {
    const std::vector<Index> active = active_features();
    const auto k = static_cast<Index>(active.size());
    if (k == 0 || (k + 1) * outputs_ > most_newton_unknowns) {
      return false;
    }
    Matrix<double> columns(targets_.rows(), k);
    GlmPoint start{Matrix<double>(k, outputs_), point_.intercepts};
    for (Index a = 0; a < k; ++a) {
      const Index j = active[a];
      for (Index i = 0; i < columns.rows(); ++i) {
        columns(i, a) = features_(i, j);
      }
      std::ranges::copy(point_.coefficients.view().row(j), start.coefficients.view().row(a).begin());
    }
    const GlmNewtonSolution solution =
        glm_newton(columns.view(), targets_, intercept_, penalty_, std::move(start), {decrement, 5}, run_);
    GlmPoint next{Matrix<double>::filled(m_, outputs_, 0.0), solution.point.intercepts};
    for (Index a = 0; a < k; ++a) {
      std::ranges::copy(solution.point.coefficients.view().row(a), next.coefficients.view().row(active[a]).begin());
    }
    Matrix<double> linear = glm_linear(features_, next, run_);
    return try_point(std::move(next), std::move(linear));
  }

  std::vector<Index> active_features() const {
    std::vector<Index> active;
    for (Index j = 0; j < m_; ++j) {
      if (nrm2(point_.coefficients.view().row(j)) > 0) {
        active.push_back(j);
      }
    }
    return active;
  }

  void fill(GlmNetSolution& result) const {
    result.coefficients = Matrix<double>::copy_of(point_.coefficients.view());
    result.intercepts = point_.intercepts;
    result.active = active_features();
    result.loss = loss_;
    result.objective = objective_;
    std::vector<double> rest(outputs_);
    for (Index j = 0; j < m_; ++j) {
      const double norm = nrm2(point_.coefficients.view().row(j));
      for (Index c = 0; c < outputs_; ++c) {
        rest[c] = products_(j, c) - (norm > 0 ? (penalty_.l2 + penalty_.l1 / norm) * point_.coefficients(j, c) : 0.0);
      }
      result.violation = std::max(result.violation, nrm2(rest) - (norm > 0 ? 0.0 : penalty_.l1));
    }
  }

  ConstMatrixView<double> features_;
  GlmTargets targets_;
  NetIntercept intercept_;
  Run run_;
  Index m_;
  Index outputs_;
  GlmPoint point_;
  ElasticNetPenalty penalty_;
  std::unique_ptr<ElasticNet> squares_;
  Matrix<double> linear_;
  Matrix<double> means_;
  Matrix<double> shifted_;   // y − m without its mean
  Matrix<double> weighted_;  // w times that
  Matrix<double> products_;  // Φᵀ w shifted
  double loss_ = 0;
  double objective_ = 0;
  double null_loss_ = 0;
};

GlmSearch::GlmSearch(ConstMatrixView<double> features, const GlmTargets& targets, NetIntercept intercept,
                     const Run& run)
    : state_(std::make_unique<State>(features, targets, intercept, run)) {}

GlmSearch::~GlmSearch() = default;

double GlmSearch::null_loss() const { return state_->null_loss(); }

ConstMatrixView<double> GlmSearch::dual_point() const { return state_->dual_point().view(); }

const Matrix<double>& GlmSearch::products() const { return state_->products(); }

double GlmSearch::dual_value(const Matrix<double>& products) const { return state_->dual(products); }

void GlmSearch::start_at(GlmPoint point) { state_->start_at(std::move(point)); }

GlmNetSolution GlmSearch::solve(const ElasticNetPenalty& penalty, const GlmNetOptions& options) {
  return state_->solve(penalty, options);
}

}  // namespace mercer
