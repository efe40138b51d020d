#include "mercer/models/gp/inference/laplace.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/gp/inference/curvature_factor.h"

namespace mercer {

namespace {

constexpr int most_halvings = 60;
constexpr double rounding = 1e-12;  // relative changes of ψ below it say nothing
constexpr double most_fall = 5;     // of ψ, one standard deviation away from the mode

// The terms of the log likelihood at f, weights included.
struct Terms {
  double value = 0;
  std::vector<double> first;
  std::vector<double> curvature;  // W = −second
  std::vector<double> third;
};

class LaplaceSearch {
 public:
  LaplaceSearch(ConstMatrixView<double> kernel, const Observations& observations, const Likelihood& likelihood,
                const Run& run)
      : observations_(observations), likelihood_(likelihood), factor_(kernel, run), run_(run) {}

  LatentApproximation find(std::span<const double> start, const LaplaceOptions& options) {
    place(start);
    LatentApproximation result;
    for (;; ++result.iterations) {
      run_.check_stop();
      result.residual = residual(alpha_, terms_);
      factor_.factor(terms_.curvature);
      const bool level = result.residual <= options.tolerance;
      if (level && factor_.is_proper()) {
        result.status = SolveStatus::converged;
        break;
      }
      if (result.iterations == options.max_iterations) {
        result.status = SolveStatus::iteration_limit;
        break;
      }
      const bool moved = level ? leave_saddle() : step() || (!factor_.is_proper() && leave_saddle());
      if (!moved) {
        // ψ no longer tells better from worse: nearly there is as far as numbers of this size go.
        result.status = result.residual < std::sqrt(options.tolerance) ? SolveStatus::converged : SolveStatus::stalled;
        break;
      }
    }
    require_maximum();
    result.is_flat = is_flat();
    result.log_evidence = objective_ - 0.5 * factor_.log_determinant();
    result.precision = factor_.curvature();
    if (options.goal == ApproximationGoal::gradient) {
      add_gradient(result);
    } else if (options.goal == ApproximationGoal::posterior) {
      result.reduction = factor_.reduction();
    }
    result.alpha = std::move(alpha_);
    result.latent = std::move(latent_);
    return result;
  }

 private:
  Terms terms_at(std::span<const double> f) const {
    const std::size_t n = f.size();
    Terms terms{0, std::vector<double>(n), std::vector<double>(n), std::vector<double>(n)};
    for (std::size_t i = 0; i < n; ++i) {
      const LogDensity density = likelihood_.log_density(observations_.y[i], f[i]);
      const double weight = observations_.weights.empty() ? 1.0 : observations_.weights[i];
      terms.value += weight * density.value;
      terms.first[i] = weight * density.first;
      terms.curvature[i] = -weight * density.second;
      terms.third[i] = weight * density.third;
    }
    return terms;
  }

  static double residual(std::span<const double> alpha, const Terms& terms) {
    double worst = 0;
    double largest = 0;
    for (std::size_t i = 0; i < alpha.size(); ++i) {
      worst = std::max(worst, std::abs(alpha[i] - terms.first[i]));
      largest = std::max(largest, std::abs(terms.first[i]));
    }
    return worst / (1 + largest);
  }

  // ψ; −∞ where it is not a number.
  static double objective_of(const Terms& terms, std::span<const double> alpha, std::span<const double> f) {
    const double value = terms.value - 0.5 * dot(alpha, f);
    return std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
  }

  // At the start that was given, or at 0 where that is better.
  void place(std::span<const double> start) {
    alpha_.assign(observations_.y.size(), 0.0);
    latent_ = alpha_;
    terms_ = terms_at(latent_);
    objective_ = objective_of(terms_, alpha_, latent_);
    if (start.size() == alpha_.size()) {
      const std::vector<double> f = factor_.multiply(start);
      Terms there = terms_at(f);
      if (const double objective = objective_of(there, start, f); objective > objective_) {
        alpha_.assign(start.begin(), start.end());
        latent_ = f;
        terms_ = std::move(there);
        objective_ = objective;
      }
    }
  }

  void require_maximum() const {
    if (!factor_.is_proper()) {
      throw NumericalError(
          "the posterior has no proper curvature where the search for its mode ended, so that Laplace's approximation "
          "has no variance there: observations contradict each other (likelihood " +
          std::string(likelihood_.name()) +
          " gives up some of them, and which is not settled). More noise, a smaller variance of the kernel, "
          "expectation "
          "propagation, or a likelihood with one mode (huber) helps");
    }
  }

  // One standard deviation away from the mode ψ is lower by ½ where the posterior is normal, and by 1/(2c) where the
  // curvature is a small c at the mode only, because an observation that is given up pulls away from it.
  bool is_flat() const {
    const CurvatureFactor::Softest softest = factor_.softest();
    double least_fall = std::numeric_limits<double>::infinity();
    for (const double side : {-1.0, 1.0}) {
      if (softest.direction.empty()) {
        return false;
      }
      std::vector<double> alpha = alpha_;
      axpy(side / std::sqrt(softest.curvature), softest.direction, std::span<double>(alpha));
      const std::vector<double> f = factor_.multiply(alpha);
      least_fall = std::min(least_fall, objective_ - objective_of(terms_at(f), alpha, f));
    }
    return least_fall > most_fall;
  }

  // One Newton step; false where ψ does not rise.
  bool step() {
    const std::size_t n = alpha_.size();
    std::vector<double> linear(n);
    for (std::size_t i = 0; i < n; ++i) {
      linear[i] = factor_.curvature()[i] * latent_[i] + terms_.first[i];
    }
    std::vector<double> direction = factor_.project(linear);
    axpy(-1.0, alpha_, std::span<double>(direction));
    return climb(direction);
  }

  // Without slope and with curvature of the wrong sign somewhere: away from there, along that direction.
  bool leave_saddle() {
    std::vector<double> direction = factor_.softest().direction;
    const std::vector<double> f = factor_.multiply(direction);
    if (dot(terms_.first, f) < dot(alpha_, f)) {
      scale(-1.0, std::span<double>(direction));
    }
    return climb(direction);
  }

  // A step along the direction, halved until ψ rises; false where it does not.
  bool climb(std::span<const double> direction) {
    const std::size_t n = alpha_.size();
    std::vector<double> alpha(n);
    const double before = residual(alpha_, terms_);
    double length = 1;
    for (int halving = 0; halving < most_halvings; ++halving, length /= 2) {
      for (std::size_t i = 0; i < n; ++i) {
        alpha[i] = alpha_[i] + length * direction[i];
      }
      const std::vector<double> f = factor_.multiply(alpha);
      Terms terms = terms_at(f);
      const double objective = objective_of(terms, alpha, f);
      const bool level = objective > objective_ - rounding * (1 + std::abs(objective_));
      if (objective > objective_ + rounding * (1 + std::abs(objective_)) ||
          (level && residual(alpha, terms) < 0.9 * before)) {
        alpha_ = alpha;
        latent_ = f;
        terms_ = std::move(terms);
        objective_ = objective;
        return true;
      }
    }
    return false;
  }

  // Explicitly, ½ αᵀK̇α − ½ tr(RK̇); through the mode, uᵀK̇α with u = (I + WK)⁻¹s, s_i = ½ Σ_ii ∂³ ln p: the mode moves
  // by (I + KW)⁻¹K̇α, and −½ ln det(I + KW) with it. Parameters of the likelihood likewise.
  void add_gradient(LatentApproximation& result) {
    const std::size_t n = alpha_.size();
    auto [q, variances] = factor_.inverse();
    std::vector<double> s(n);
    for (std::size_t i = 0; i < n; ++i) {
      s[i] = 0.5 * variances[i] * terms_.third[i];
    }
    const std::vector<double> carried = factor_.multiply(s);
    std::vector<double> u = s;
    symv(-1.0, q.view(), carried, 1.0, u);
    add_parameter_gradient(variances, factor_.multiply(u), result);
    parallel_for(run_, q.rows(), [&](Index i) {
      const auto row = static_cast<std::size_t>(i);
      for (std::size_t j = 0; j < n; ++j) {
        double& entry = q(i, static_cast<Index>(j));
        entry = 0.5 * (alpha_[row] * alpha_[j] - entry + u[row] * alpha_[j] + alpha_[row] * u[j]);
      }
    });
    result.kernel_weights = std::move(q);
  }

  void add_parameter_gradient(std::span<const double> variances, std::span<const double> shift,
                              LatentApproximation& result) const {
    const std::size_t count = likelihood_.parameters().size();
    result.likelihood_gradient.assign(count, 0.0);
    std::vector<ParameterSlope> slopes(count);
    for (std::size_t i = 0; i < latent_.size() && count > 0; ++i) {
      likelihood_.parameter_slopes(observations_.y[i], latent_[i], slopes);
      const double weight = observations_.weights.empty() ? 1.0 : observations_.weights[i];
      for (std::size_t p = 0; p < count; ++p) {
        result.likelihood_gradient[p] +=
            weight * (slopes[p].value + 0.5 * variances[i] * slopes[p].second + shift[i] * slopes[p].first);
      }
    }
  }

  Observations observations_;
  const Likelihood& likelihood_;
  CurvatureFactor factor_;
  Run run_;
  std::vector<double> alpha_;
  std::vector<double> latent_;
  Terms terms_;
  double objective_ = 0;
};

}  // namespace

void require_observations(ConstMatrixView<double> kernel, std::span<const double> y, const Likelihood& likelihood) {
  if (kernel.rows() != kernel.columns() || kernel.rows() != static_cast<Index>(y.size())) {
    throw InvalidArgument("a kernel matrix of " + std::to_string(kernel.rows()) + " by " +
                          std::to_string(kernel.columns()) + " with " + std::to_string(y.size()) + " targets");
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!likelihood.accepts(y[i])) {
      throw InvalidArgument("the target of row " + std::to_string(i) + " (counted from 0) is " + shortest(y[i]) +
                            ": the likelihood " + std::string(likelihood.name()) + " needs " +
                            std::string(likelihood.target_text()));
    }
  }
}

LatentApproximation laplace(ConstMatrixView<double> kernel, const Observations& observations,
                            const Likelihood& likelihood, std::span<const double> start, const LaplaceOptions& options,
                            const Run& run) {
  require_observations(kernel, observations.y, likelihood);
  if (!observations.weights.empty() && observations.weights.size() != observations.y.size()) {
    throw InvalidArgument(std::to_string(observations.weights.size()) + " weights for " +
                          std::to_string(observations.y.size()) + " targets");
  }
  if (!likelihood.is_smooth()) {
    throw InvalidArgument("the likelihood " + std::string(likelihood.name()) +
                          " has a kink, where Laplace's approximation has no curvature: use expectation propagation or "
                          "the maximum a posteriori estimate");
  }
  return LaplaceSearch(kernel, observations, likelihood, run).find(start, options);
}

std::shared_ptr<const CovarianceReduction> posterior_reduction(Matrix<double> kernel, std::span<const double> precision,
                                                               const Run& run) {
  CurvatureFactor factor(kernel.view(), run);
  factor.factor(precision);
  if (!factor.is_proper()) {
    throw NumericalError("the stored curvatures belong to no posterior of this kernel matrix: fit the model again");
  }
  return factor.reduction();
}

}  // namespace mercer
