#include "mercer/models/classes/platt.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "mercer/base/error.h"

namespace mercer {

double PlattSigmoid::probability(double decision) const {
  const double z = a * decision + b;
  if (z >= 0) {
    const double e = std::exp(-z);
    return e / (1 + e);
  }
  return 1 / (1 + std::exp(z));
}

namespace {

constexpr Index iteration_limit = 100;
// Relative to the sum of the weights; near the rounding error of the sums, which Newton's method reaches.
constexpr double gradient_tolerance = 1e-11;
constexpr double shortest_step = 1e-10;
constexpr double curvature_floor = 1e-12;

struct PlattProblem {
  std::span<const double> decisions;
  std::vector<double> targets;  // t of every sample
  std::vector<double> weights;
  double weight_sum = 0;
  double positive_weight = 0;

  PlattProblem(std::span<const double> f, std::span<const double> y, std::span<const double> w);
  double loss(const PlattSigmoid& sigmoid) const;
};

PlattProblem::PlattProblem(std::span<const double> f, std::span<const double> y, std::span<const double> w)
    : decisions(f), weights(w.begin(), w.end()) {
  if (f.empty() || f.size() != y.size() || (!w.empty() && w.size() != f.size())) {
    throw InvalidArgument("Platt's sigmoid needs one label, and one weight or none at all, for each of its " +
                          std::to_string(f.size()) + " decision values, and at least one");
  }
  if (weights.empty()) {
    weights.assign(f.size(), 1.0);
  }
  for (std::size_t i = 0; i < f.size(); ++i) {
    if (!std::isfinite(f[i]) || (y[i] != 1 && y[i] != -1) || !(weights[i] >= 0) || !std::isfinite(weights[i])) {
      throw InvalidArgument("Platt's sigmoid: sample " + std::to_string(i) +
                            " (counted from 0) needs a finite decision value, a label 1 or -1, a weight of 0 or more");
    }
    weight_sum += weights[i];
    positive_weight += y[i] > 0 ? weights[i] : 0.0;
  }
  if (!(weight_sum > 0)) {
    throw InvalidArgument("Platt's sigmoid: all weights are 0");
  }
  const double high = (positive_weight + 1) / (positive_weight + 2);
  const double low = 1 / (weight_sum - positive_weight + 2);
  targets.resize(f.size());
  std::transform(y.begin(), y.end(), targets.begin(), [&](double label) { return label > 0 ? high : low; });
}

double PlattProblem::loss(const PlattSigmoid& sigmoid) const {
  double sum = 0;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const double z = decisions[i] * sigmoid.a + sigmoid.b;
    // The two forms are equal; each takes the exponential of what is not positive.
    const double term =
        z >= 0 ? targets[i] * z + std::log1p(std::exp(-z)) : (targets[i] - 1) * z + std::log1p(std::exp(z));
    sum += weights[i] * term;
  }
  return sum;
}

struct Derivatives {
  double gradient_a = 0;
  double gradient_b = 0;
  double aa = curvature_floor;
  double bb = curvature_floor;
  double ab = 0;
};

Derivatives derivatives(const PlattProblem& problem, const PlattSigmoid& sigmoid) {
  Derivatives d;
  for (std::size_t i = 0; i < problem.decisions.size(); ++i) {
    const double f = problem.decisions[i];
    const double p = sigmoid.probability(f);
    const double q = PlattSigmoid{-sigmoid.a, -sigmoid.b}.probability(f);  // 1 − p without cancellation
    const double slope = problem.weights[i] * (problem.targets[i] - p);
    const double curvature = problem.weights[i] * p * q;
    d.gradient_a += f * slope;
    d.gradient_b += slope;
    d.aa += f * f * curvature;
    d.ab += f * curvature;
    d.bb += curvature;
  }
  return d;
}

}  // namespace

double platt_loss(const PlattSigmoid& sigmoid, std::span<const double> decisions, std::span<const double> labels,
                  std::span<const double> weights) {
  return PlattProblem(decisions, labels, weights).loss(sigmoid);
}

PlattFit fit_platt(std::span<const double> decisions, std::span<const double> labels, std::span<const double> weights) {
  const PlattProblem problem(decisions, labels, weights);
  const double negative_weight = problem.weight_sum - problem.positive_weight;
  PlattFit fit{.sigmoid = {0, std::log((negative_weight + 1) / (problem.positive_weight + 1))}};
  double loss = problem.loss(fit.sigmoid);
  double scale = 1;
  for (const double f : decisions) {
    scale = std::max(scale, std::abs(f));
  }
  for (;; ++fit.iterations) {
    const Derivatives d = derivatives(problem, fit.sigmoid);
    fit.gradient = std::max(std::abs(d.gradient_a) / scale, std::abs(d.gradient_b)) / problem.weight_sum;
    if (fit.gradient < gradient_tolerance || fit.iterations == iteration_limit) {
      break;
    }
    const double determinant = d.aa * d.bb - d.ab * d.ab;
    const double step_a = -(d.bb * d.gradient_a - d.ab * d.gradient_b) / determinant;
    const double step_b = -(d.aa * d.gradient_b - d.ab * d.gradient_a) / determinant;
    const double descent = d.gradient_a * step_a + d.gradient_b * step_b;
    // Near the minimum the gain of a step is below the rounding error of the loss, but the step is still right.
    const double rounding = 1e-14 * std::abs(loss);
    double length = 1;
    bool improved = false;
    for (; length >= shortest_step && !improved; length /= 2) {
      const PlattSigmoid trial{fit.sigmoid.a + length * step_a, fit.sigmoid.b + length * step_b};
      const double trial_loss = problem.loss(trial);
      if (trial_loss <= loss + 1e-4 * length * descent + rounding) {
        fit.sigmoid = trial;
        loss = trial_loss;
        improved = true;
      }
    }
    if (!improved) {
      break;
    }
  }
  return fit;
}

}  // namespace mercer
