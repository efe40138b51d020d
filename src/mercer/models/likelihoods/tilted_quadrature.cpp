#include "mercer/models/likelihoods/tilted_quadrature.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "mercer/linalg/gauss_rule.h"

namespace mercer {

namespace {

constexpr double negligible = 50;  // in ln
constexpr double best_tolerance = 1e-14;
constexpr Index panel_limit = 3000;  // more are only ever asked for where rounding keeps the panels from agreeing
constexpr Index panel_nodes = 12;
// Steps of equidistant points, in widths of the strip and in standard deviations of N(f; m, v): both leave errors below
// 1e-14. More points than panels would need are not taken.
constexpr double strip_step = 0.17;
constexpr double normal_step = 0.7;
constexpr double most_points = 400;

const GaussRule& panel_rule() {
  static const GaussRule rule = legendre_rule(panel_nodes);
  return rule;
}

// In the coordinate x = f − m, so that a narrow N(f; m, v) far from 0 keeps its digits.
class Integrator {
 public:
  Integrator(const TiltedProblem& problem, std::size_t count, const TiltedValues& values)
      : problem_(problem), values_(values), sums_(count + 1, 0.0), sizes_(count + 1, 0.0), scratch_(count) {}

  TiltedAverages run() {
    find_window();
    const double step = std::min(strip_step * problem_.analytic_width, normal_step * std::sqrt(problem_.variance));
    if (step > 0 && right_ - left_ < most_points * step) {
      add_equidistant(step);
    } else {
      add_panels(make_edges());
    }
    TiltedAverages result{std::log(sums_[0]) + shift_ - 0.5 * std::log(2 * std::numbers::pi * problem_.variance),
                          mode_ + problem_.mean,
                          {}};
    for (std::size_t c = 1; c < sums_.size(); ++c) {
      result.averages.push_back(sums_[c] / sums_[0]);
    }
    return result;
  }

 private:
  struct Panel {
    double left = 0;
    double right = 0;
    std::vector<double> sums;
    std::vector<double> sizes;  // of absolute values
  };

  LogDensity density(double x) const { return problem_.density(problem_.mean + x); }
  double log_integrand(const LogDensity& at, double x) const { return at.value - x * x / (2 * problem_.variance); }
  double log_integrand(double x) const { return log_integrand(density(x), x); }

  // Uphill by Newton steps of positive curvature; near the top is near enough.
  double climb(double x) const {
    double height = log_integrand(x);
    for (int k = 0; k < 100; ++k) {
      const LogDensity at = density(x);
      const double slope = at.first - x / problem_.variance;
      double step = slope / (1 / problem_.variance + std::max(0.0, -at.second));
      double next = log_integrand(x + step);
      for (int halving = 0; halving < 60 && !(next > height); ++halving) {
        step /= 2;
        next = log_integrand(x + step);
      }
      if (!(next > height)) {
        break;
      }
      const double gain = next - height;
      x += step;
      height = next;
      if (gain < 1e-3) {
        break;
      }
    }
    return x;
  }

  double window_end(double mode, double direction) const {
    const double curvature = 1 / problem_.variance + std::max(0.0, -density(mode).second);
    double step = 2 / std::sqrt(curvature);
    double end = mode + direction * step;
    while (log_integrand(end) > shift_ - negligible) {
      step *= 1.3;
      end += direction * step;
    }
    return end;
  }

  void find_window() {
    for (const double landmark : problem_.landmarks) {
      places_.push_back(landmark - problem_.mean);
    }
    modes_ = {climb(0)};
    if (!places_.empty()) {
      modes_.push_back(climb(places_.front()));
    }
    shift_ = -std::numeric_limits<double>::infinity();
    for (const double mode : modes_) {
      if (const double height = log_integrand(mode); height > shift_) {
        shift_ = height;
        mode_ = mode;
      }
    }
    // Logarithms carry rounding errors of their own size, the panels cannot agree better than that.
    tolerance_ = std::max(best_tolerance, 4e-16 * (std::abs(density(mode_).value) + std::abs(shift_)));
    std::erase_if(modes_, [&](double mode) { return log_integrand(mode) < shift_ - negligible; });
    const auto [low, high] = std::minmax_element(modes_.begin(), modes_.end());
    left_ = window_end(*low, -1);
    right_ = window_end(*high, 1);
  }

  std::vector<double> make_edges() const {
    std::vector<double> edges = {left_, right_};
    edges.insert(edges.end(), modes_.begin(), modes_.end());
    edges.insert(edges.end(), places_.begin(), places_.end());
    // A likelihood far narrower than the window: panels that grow away from it see its flanks at every scale.
    for (double distance = places_.size() > 1 ? 4 * std::abs(places_[1] - places_[0]) : 0;
         distance > 0 && distance < right_ - left_; distance *= 4) {
      edges.push_back(places_[0] - distance);
      edges.push_back(places_[0] + distance);
    }
    std::erase_if(edges, [&](double edge) { return !(edge >= left_ && edge <= right_); });
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
  }

  void add_equidistant(double step) {
    const auto first = static_cast<Index>(std::ceil((left_ - mode_) / step));
    const auto last = static_cast<Index>(std::floor((right_ - mode_) / step));
    for (Index k = first; k <= last; ++k) {
      const double x = mode_ + static_cast<double>(k) * step;
      const LogDensity at = density(x);
      const double weight = step * std::exp(log_integrand(at, x) - shift_);
      values_({problem_.mean + x, x - mode_, at}, scratch_);
      sums_[0] += weight;
      for (std::size_t c = 0; c < scratch_.size() && weight > 0; ++c) {
        sums_[c + 1] += weight * scratch_[c];
      }
    }
  }

  void add_panels(const std::vector<double>& edges) {
    std::vector<Panel> panels;
    for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
      panels.push_back(panel(edges[e], edges[e + 1]));
      add_sizes(panels.back());
    }
    for (const Panel& first : panels) {
      refine(first);
    }
  }

  Panel panel(double left, double right) {
    const GaussRule& rule = panel_rule();
    ++panels_;
    Panel result{left, right, std::vector<double>(sums_.size(), 0.0), std::vector<double>(sums_.size(), 0.0)};
    const double middle = (left + right) / 2;
    const double half = (right - left) / 2;
    for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
      const double x = middle + half * rule.nodes[k];
      const LogDensity at = density(x);
      const double weight = (right - left) * rule.weights[k] * std::exp(log_integrand(at, x) - shift_);
      if (weight == 0) {
        continue;
      }
      values_({problem_.mean + x, x - mode_, at}, scratch_);
      result.sums[0] += weight;
      for (std::size_t c = 0; c < scratch_.size(); ++c) {
        result.sums[c + 1] += weight * scratch_[c];
        result.sizes[c + 1] += weight * std::abs(scratch_[c]);
      }
    }
    result.sizes[0] = result.sums[0];
    return result;
  }

  void add_sizes(const Panel& from) {
    for (std::size_t c = 0; c < sizes_.size(); ++c) {
      sizes_[c] += from.sizes[c];
    }
  }

  void refine(const Panel& whole) {
    const double middle = (whole.left + whole.right) / 2;
    const Panel low = panel(whole.left, middle);
    const Panel high = panel(middle, whole.right);
    bool settled = true;
    for (std::size_t c = 0; c < sums_.size(); ++c) {
      // Halves that hold more than the whole did were missed before: the size is brought up to date.
      sizes_[c] += std::max(0.0, low.sizes[c] + high.sizes[c] - whole.sizes[c]);
      settled = settled && std::abs(low.sums[c] + high.sums[c] - whole.sums[c]) <= tolerance_ * sizes_[c];
    }
    if (settled || panels_ > panel_limit) {
      for (std::size_t c = 0; c < sums_.size(); ++c) {
        sums_[c] += low.sums[c] + high.sums[c];
      }
      return;
    }
    refine(low);
    refine(high);
  }

  const TiltedProblem& problem_;
  const TiltedValues& values_;
  std::vector<double> sums_;
  std::vector<double> sizes_;
  std::vector<double> scratch_;
  std::vector<double> places_;  // landmarks
  std::vector<double> modes_;
  double left_ = 0;
  double right_ = 0;
  double shift_ = 0;
  double mode_ = 0;
  double tolerance_ = best_tolerance;
  Index panels_ = 0;
};

}  // namespace

TiltedAverages tilted_averages(const TiltedProblem& problem, std::size_t count, const TiltedValues& values) {
  return Integrator(problem, count, values).run();
}

TiltedMoments tilted_moments(const TiltedProblem& problem) {
  const double spread = std::sqrt(problem.variance);
  const TiltedAverages averages = tilted_averages(problem, 4, [&](const TiltedPoint& point, std::span<double> out) {
    const double t = point.from_mode / spread;
    out[0] = t;
    out[1] = t * t;
    out[2] = point.density.first;
    out[3] = point.density.second + point.density.first * point.density.first;
  });
  const double t_mean = (averages.mode - problem.mean) / spread + averages.averages[0];
  const double t_variance = averages.averages[1] - averages.averages[0] * averages.averages[0];
  // Two forms of the same derivatives. The moments of f lose digits where the likelihood says little against N(m, v),
  // the moments of its slope where it says much.
  if (t_variance < 0.5) {
    return {averages.log_z, t_mean / spread, (t_variance - 1) / problem.variance};
  }
  const double slope = averages.averages[2];
  return {averages.log_z, slope, averages.averages[3] - slope * slope};
}

}  // namespace mercer
