#include "mercer/models/gp/inference/expectation_propagation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/models/gp/inference/curvature_factor.h"
#include "mercer/models/gp/inference/laplace.h"

namespace mercer {

namespace {

constexpr Index site_block = 32;
constexpr double least_damping = 0.05;
constexpr double rounding_of_variances = 1e-6;

class Sweeps {
 public:
  Sweeps(ConstMatrixView<double> kernel, std::span<const double> y, const Likelihood& likelihood, const Sites& start,
         const Run& run)
      : kernel_(kernel), y_(y), likelihood_(likelihood), factor_(kernel, run), run_(run), sites_(start) {
    if (sites_.precision.size() != y.size() || sites_.linear.size() != y.size()) {
      forget();
    }
    settled_ = sites_;
    proposed_ = sites_;
    log_z_.resize(y.size());
    mean_.resize(y.size());
    cavity_.resize(y.size());
    damping_ = likelihood.is_log_concave() ? 1.0 : 0.5;
  }

  ExpectationPropagation find(const ExpectationPropagationOptions& options) {
    ExpectationPropagation result;
    result.status = SolveStatus::iteration_limit;
    double last = std::numeric_limits<double>::infinity();
    for (;; ++result.iterations) {
      run_.check_stop();
      refresh();
      const double moved = propose();
      const bool waits = std::ranges::any_of(cavity_, &Cavity::waits);
      result.residual = waits ? std::numeric_limits<double>::infinity() : moved;
      if (moved <= options.tolerance) {
        result.status = waits ? SolveStatus::stalled : SolveStatus::converged;
        break;
      }
      if (result.iterations == options.max_sweeps) {
        break;
      }
      damping_ = result.residual > last ? std::max(least_damping, damping_ / 2) : std::min(1.0, damping_ * 1.1);
      last = result.residual;
      settled_ = sites_;
      move();
      factor_.recycle(std::move(inverse_.reduction));
    }
    for (Index i = 0; i < kernel_.rows(); ++i) {
      result.widened += inverse_.variances[i] > (1 + rounding_of_variances) * kernel_(i, i) ? 1 : 0;
    }
    result.log_evidence = log_evidence();
    result.alpha = alpha_;
    result.latent = mean_;
    result.precision = sites_.precision;
    if (options.goal == ApproximationGoal::gradient) {
      add_gradient(result);
    } else if (options.goal == ApproximationGoal::posterior) {
      factor_.recycle(std::move(inverse_.reduction));
      factor_.factor(sites_.precision);
      result.reduction = factor_.reduction();
    }
    result.sites = std::move(sites_);
    return result;
  }

 private:
  struct Cavity {
    double mean = 0;
    double variance = 0;
    bool usable = false;
    bool waits = false;
  };

  void forget() { sites_ = {std::vector<double>(y_.size(), 0.0), std::vector<double>(y_.size(), 0.0)}; }

  // The posterior under the sites. Negative precisions may leave none: then halfway back to sites that had one. Sites of
  // an earlier call may have none with this matrix.
  void refresh() {
    factor_.factor(sites_.precision);
    if (!factor_.is_proper() && !has_posterior_) {
      forget();
      factor_.factor(sites_.precision);
    }
    has_posterior_ = true;
    for (int k = 0; k < 60 && !factor_.is_proper(); ++k) {
      for (std::size_t i = 0; i < y_.size(); ++i) {
        sites_.precision[i] = (sites_.precision[i] + settled_.precision[i]) / 2;
        sites_.linear[i] = (sites_.linear[i] + settled_.linear[i]) / 2;
      }
      factor_.factor(sites_.precision);
    }
    log_determinant_ = factor_.log_determinant();
    alpha_ = factor_.project(sites_.linear);
    mean_ = factor_.multiply(alpha_);
    inverse_ = factor_.inverse();
  }

  // Cavities, tilted moments and the sites that would match them. The result is how far the moments are from those of
  // the posterior, for the sites that do not wait.
  double propose() {
    const auto n = static_cast<Index>(y_.size());
    std::vector<double> worst(block_count(n, site_block), 0.0);
    parallel_for(run_, block_count(n, site_block), [&](Index block) {
      const IndexRange range = block_range(n, site_block, block);
      for (Index i = range.begin; i < range.end; ++i) {
        double& largest = worst[block];
        largest = std::max(largest, propose_site(static_cast<std::size_t>(i)));
      }
    });
    return *std::max_element(worst.begin(), worst.end());
  }

  double propose_site(std::size_t i) {
    const double variance = inverse_.variances[i];
    const double precision = 1 / variance - sites_.precision[i];
    cavity_[i].usable = precision > 1e-10 / variance && std::isfinite(precision);
    // Without prior variance f is known; a cavity that negative sites leave improper waits for the others.
    cavity_[i].waits = !cavity_[i].usable && variance > 0;
    if (!cavity_[i].usable) {
      log_z_[i] = variance > 0 ? 0.0 : likelihood_.log_density(y_[i], mean_[i]).value;
      return 0;
    }
    cavity_[i].variance = 1 / precision;
    cavity_[i].mean = (mean_[i] / variance - sites_.linear[i]) / precision;
    const double v = cavity_[i].variance;
    const double m = cavity_[i].mean;
    const TiltedMoments tilted = likelihood_.tilted(y_[i], m, v);
    log_z_[i] = tilted.log_z;
    const double shrink = std::max(1 + v * tilted.second, 1e-14);  // tilted variance over v
    proposed_.precision[i] = -tilted.second / shrink;
    proposed_.linear[i] = (tilted.first - m * tilted.second) / shrink;
    if (likelihood_.is_log_concave()) {
      proposed_.precision[i] = std::max(proposed_.precision[i], 0.0);
    }
    return std::max(std::abs(m + v * tilted.first - mean_[i]) / std::sqrt(variance),
                    std::abs(v * shrink / variance - 1));
  }

  void move() {
    for (std::size_t i = 0; i < y_.size(); ++i) {
      if (cavity_[i].usable) {
        sites_.precision[i] += damping_ * (proposed_.precision[i] - sites_.precision[i]);
        sites_.linear[i] += damping_ * (proposed_.linear[i] - sites_.linear[i]);
      }
    }
  }

  // ln Z_EP in terms of cavities, in the form that does not divide by site precisions (Rasmussen & Williams, 3.73-3.74).
  double log_evidence() const {
    double sum = -0.5 * log_determinant_ + 0.5 * dot(sites_.linear, mean_);
    for (std::size_t i = 0; i < y_.size(); ++i) {
      sum += log_z_[i];
      if (!cavity_[i].usable) {
        continue;
      }
      const double site = sites_.precision[i];
      const double linear = sites_.linear[i];
      const double cavity_precision = 1 / cavity_[i].variance;
      const double cavity_linear = cavity_[i].mean / cavity_[i].variance;
      const double variance = inverse_.variances[i];
      sum += 0.5 * std::log1p(site / cavity_precision) - 0.5 * variance * linear * linear +
             0.5 * variance * cavity_linear * (site / cavity_precision * cavity_linear - 2 * linear);
    }
    return sum;
  }

  void add_gradient(ExpectationPropagation& result) {
    Matrix<double>& q = inverse_.reduction;
    parallel_for(run_, q.rows(), [&](Index i) {
      for (Index j = 0; j < q.columns(); ++j) {
        q(i, j) = 0.5 * (alpha_[i] * alpha_[j] - q(i, j));
      }
    });
    result.kernel_weights = std::move(q);
    result.likelihood_gradient.assign(likelihood_.parameters().size(), 0.0);
    std::vector<double> slopes(result.likelihood_gradient.size());
    for (std::size_t i = 0; i < y_.size() && !slopes.empty(); ++i) {
      if (cavity_[i].usable) {
        likelihood_.tilted_slopes(y_[i], cavity_[i].mean, cavity_[i].variance, slopes);
        for (std::size_t p = 0; p < slopes.size(); ++p) {
          result.likelihood_gradient[p] += slopes[p];
        }
      }
    }
  }

  ConstMatrixView<double> kernel_;
  std::span<const double> y_;
  const Likelihood& likelihood_;
  CurvatureFactor factor_;
  Run run_;
  Sites sites_;
  Sites settled_;  // the last ones with a posterior
  Sites proposed_;
  std::vector<Cavity> cavity_;
  std::vector<double> log_z_;
  std::vector<double> alpha_;
  std::vector<double> mean_;
  CurvatureFactor::Inverse inverse_;
  double log_determinant_ = 0;
  double damping_ = 1;
  bool has_posterior_ = false;
};

}  // namespace

ExpectationPropagation expectation_propagation(ConstMatrixView<double> kernel, std::span<const double> y,
                                               const Likelihood& likelihood, const Sites& start,
                                               const ExpectationPropagationOptions& options, const Run& run) {
  require_observations(kernel, y, likelihood);
  if (y.empty()) {
    throw InvalidArgument("expectation propagation needs at least one observation");
  }
  return Sweeps(kernel, y, likelihood, start, run).find(options);
}

}  // namespace mercer
