#include "mercer/solvers/smooth/dense_quasi_newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/svm/box_step.h"

namespace mercer {

namespace {

constexpr double sufficient = 1e-4;    // the part of the promised decrease that a step must give
constexpr double largest_growth = 4;   // of the radius, over all steps
constexpr double least_radius = 1e-9;  // as a part of the first one: nothing is to be gained any more
constexpr double least_scaling = 0.6;  // of B before an update
constexpr double damping = 0.2;        // an update leaves at least this part of the curvature along the step
constexpr double least_curvature = 1e-8;

struct Place {
  std::vector<double> x;
  std::vector<double> gradient;
  double value = 0;

  bool usable() const {
    return std::isfinite(value) && std::ranges::all_of(gradient, [](double slope) { return std::isfinite(slope); });
  }
};

class TrustRegionSearch {
 public:
  TrustRegionSearch(const SmoothFunction& function, std::span<const double> lower, std::span<const double> upper,
                    const DenseQuasiNewtonOptions& options, const Run& run)
      : function_(function),
        lower_(lower),
        upper_(upper),
        options_(options),
        run_(run),
        b_(static_cast<Index>(lower.size()), static_cast<Index>(lower.size())),
        radius_(options.first_radius) {}

  QuasiNewtonResult from(std::vector<double> start) {
    here_ = evaluate(std::move(start));
    if (!here_.usable()) {
      throw NumericalError("the function to be minimised has no value, or no gradient, where the search starts");
    }
    start_model();
    const SolveStatus status = here_.x.empty() ? SolveStatus::converged : descend();
    return {.status = status, .x = std::move(here_.x), .value = here_.value, .evaluations = evaluations_};
  }

 private:
  Place evaluate(std::vector<double> x) {
    run_.check_stop();
    Place place{.x = std::move(x), .gradient = std::vector<double>(lower_.size(), 0.0)};
    place.value = function_(place.x, place.gradient);
    ++evaluations_;
    return place;
  }

  void start_model() {
    const Index n = b_.rows();
    knows_curvature_ = options_.curvature.rows() == n && n > 0;
    double steepest = least_curvature;
    for (const double slope : here_.gradient) {
      steepest = std::max(steepest, std::abs(slope));
    }
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        b_(i, j) = knows_curvature_ ? options_.curvature(i, j) : i == j ? steepest / options_.first_radius : 0.0;
      }
    }
  }

  SolveStatus descend() {
    int small_steps = 0;
    while (evaluations_ < options_.max_evaluations) {
      const BoxStep model = next_step();
      const double enough = options_.tolerance * (1 + std::abs(here_.value));
      double length = 0;
      for (const double move : model.step) {
        length = std::max(length, std::abs(move));
      }
      if (!(model.decrease > 0.5 * enough) || length == 0) {
        return SolveStatus::converged;
      }
      std::vector<double> x = here_.x;
      for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = std::clamp(x[i] + model.step[i], lower_[i], upper_[i]);
      }
      Place there = evaluate(std::move(x));
      const bool usable = there.usable();
      const double gained = usable ? here_.value - there.value : -std::numeric_limits<double>::infinity();
      if (usable) {
        learn_curvature(there);
      }
      const bool accepted = gained > sufficient * model.decrease;
      adapt_radius(gained / model.decrease, length, accepted);
      if (accepted) {
        here_ = std::move(there);
        small_steps = gained < enough ? small_steps + 1 : 0;
        if (small_steps == 2) {
          return SolveStatus::converged;
        }
      } else if (radius_ < least_radius * options_.first_radius) {
        return SolveStatus::stalled;
      }
    }
    return SolveStatus::iteration_limit;
  }

  BoxStep next_step() const {
    const std::size_t n = here_.x.size();
    std::vector<double> lower(n);
    std::vector<double> upper(n);
    for (std::size_t i = 0; i < n; ++i) {
      lower[i] = std::max(lower_[i] - here_.x[i], -radius_);
      upper[i] = std::min(upper_[i] - here_.x[i], radius_);
    }
    return minimize_model_in_box(b_.view(), here_.gradient, lower, upper, run_);
  }

  void adapt_radius(double ratio, double length, bool accepted) {
    if (!accepted) {
      radius_ = (ratio > -1 ? 0.4 : 0.2) * length;
    } else if (ratio < 0.25) {
      radius_ = 0.5 * length;
    } else if (ratio > 0.75 && length > 0.8 * radius_) {
      radius_ = std::min(2 * radius_, largest_growth * options_.first_radius);
    }
  }

  // Also from a step that is not taken: it says most where the model is wrong.
  void learn_curvature(const Place& there) {
    const Index n = b_.rows();
    std::vector<double> s(there.x.size());
    std::vector<double> y(there.x.size());
    double sy = 0;
    double yy = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      s[i] = there.x[i] - here_.x[i];
      y[i] = there.gradient[i] - here_.gradient[i];
      sy += s[i] * y[i];
      yy += y[i] * y[i];
    }
    if (!knows_curvature_ && sy > 0) {
      scale_model(yy / sy / b_(0, 0));
      knows_curvature_ = true;
    }
    std::vector<double> bs(s.size(), 0.0);
    double sbs = 0;
    for (Index i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      for (Index j = 0; j < n; ++j) {
        bs[at] += b_(i, j) * s[j];
      }
      sbs += s[at] * bs[at];
    }
    if (!(sbs > 0)) {
      return;
    }
    if (sy < damping * sbs) {
      const double theta = (1 - damping) * sbs / (sbs - sy);
      for (std::size_t i = 0; i < y.size(); ++i) {
        y[i] = theta * y[i] + (1 - theta) * bs[i];
      }
      sy = damping * sbs;
    }
    const double scaling = std::clamp(sy / sbs, least_scaling, 1.0);
    for (Index i = 0; i < n; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (Index j = 0; j < n; ++j) {
        const auto column = static_cast<std::size_t>(j);
        b_(i, j) = scaling * (b_(i, j) - bs[row] * bs[column] / sbs) + y[row] * y[column] / sy;
      }
    }
  }

  void scale_model(double factor) {
    for (Index i = 0; i < b_.rows(); ++i) {
      for (Index j = 0; j < b_.rows(); ++j) {
        b_(i, j) *= factor;
      }
    }
  }

  const SmoothFunction& function_;
  std::span<const double> lower_;
  std::span<const double> upper_;
  const DenseQuasiNewtonOptions& options_;
  const Run& run_;
  Matrix<double> b_;
  bool knows_curvature_ = false;
  double radius_;
  Place here_;
  Index evaluations_ = 0;
};

}  // namespace

void DenseQuasiNewtonOptions::validate() const {
  if (max_evaluations < 1) {
    reject_argument("max_evaluations", static_cast<double>(max_evaluations), "1 or more");
  }
  if (!(tolerance >= 0) || !std::isfinite(tolerance)) {
    reject_argument("tolerance", tolerance, "0 or more");
  }
  if (!(first_radius > 0) || !std::isfinite(first_radius)) {
    reject_argument("first_radius", first_radius, "a positive number");
  }
}

QuasiNewtonResult minimize_few_in_box(const SmoothFunction& function, std::span<const double> start,
                                      std::span<const double> lower, std::span<const double> upper,
                                      const DenseQuasiNewtonOptions& options, const Run& run) {
  options.validate();
  if (start.size() != lower.size() || start.size() != upper.size()) {
    throw InvalidArgument("a start of " + std::to_string(start.size()) + " numbers in a box of " +
                          std::to_string(lower.size()) + " and " + std::to_string(upper.size()) + " bounds");
  }
  std::vector<double> x(start.begin(), start.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(lower[i] <= upper[i])) {
      throw InvalidArgument("bounds " + std::to_string(lower[i]) + " .. " + std::to_string(upper[i]) + " of unknown " +
                            std::to_string(i) + " are empty");
    }
    x[i] = std::clamp(x[i], lower[i], upper[i]);
  }
  return TrustRegionSearch(function, lower, upper, options, run).from(std::move(x));
}

}  // namespace mercer
