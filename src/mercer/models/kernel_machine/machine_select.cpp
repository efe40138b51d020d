#include "mercer/models/kernel_machine/machine_select.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/data/split.h"

namespace mercer {

namespace {

constexpr Index rises_to_stop = 6;
// The first prototypes of a path may fit single rows: where the loss has not fallen to this share of that of the constant
// model, more rises are waited for.
constexpr double begun = 0.95;
constexpr Index rises_before_begun = 20;
constexpr int evidence_refinements = 4;

Folds machine_folds(const MachineRows& rows, Index folds, const Run& run) {
  const Index count = std::min(folds, rows.size());
  return rows.classes.empty() ? k_fold(rows.size(), count, run.seed())
                              : stratified_k_fold(rows.classes, count, run.seed());
}

double weight_of_rows(const MachineRows& rows, std::span<const Index> numbers) {
  double sum = 0;
  for (const Index i : numbers) {
    sum += rows.weights[i];
  }
  return sum;
}

// The held-out losses of one fold, per penalty.
std::vector<double> fold_losses(ConstMatrixView<double> features, const MachineRows& rows, const Split& split,
                                std::span<const double> lambdas, const PenaltyPath& path, const Run& run) {
  const MachineRows train = rows.select(split.train);
  const MachineRows test = rows.select(split.test);
  const Matrix<double> train_features = matrix_rows(features, split.train);
  const Matrix<double> test_features = matrix_rows(features, split.test);
  const double share = train.targets().total_weight() / rows.targets().total_weight();
  std::vector<double> scaled;
  for (const double lambda : lambdas) {
    scaled.push_back(share * lambda);
  }
  std::vector<double> losses(lambdas.size(), std::numeric_limits<double>::infinity());
  double least = std::numeric_limits<double>::infinity();
  Index rises = 0;
  path(
      train_features.view(), train.targets(), scaled,
      [&](std::size_t number, const GlmPoint& point) {
        losses[number] = glm_loss(test.targets(), glm_linear(test_features.view(), point, run).view());
        // Penalties that still hold all coefficients at 0 neither gain nor lose.
        rises = losses[number] > least ? rises + 1 : 0;
        least = std::min(least, losses[number]);
        return rises < (least < begun * losses[0] ? rises_to_stop : rises_before_begun);
      },
      run);
  return losses;
}

}  // namespace

HeldOutLosses held_out_losses(ConstMatrixView<double> features, const MachineRows& rows, Index folds,
                              std::span<const double> lambdas, const PenaltyPath& path, const Run& run) {
  const Folds plan = machine_folds(rows, folds, run);
  std::vector<std::vector<double>> losses(plan.count);
  std::vector<double> weights(losses.size());
  parallel_for(run, plan.count, "folds", [&](Index f) {
    const Split split = plan.split(f);
    weights[f] = weight_of_rows(rows, split.test);
    losses[f] = fold_losses(features, rows, split, lambdas, path, run.quiet());
  });
  HeldOutLosses result;
  for (std::size_t l = 0; l < lambdas.size(); ++l) {
    double sum = 0;
    double total = 0;
    for (std::size_t f = 0; f < losses.size(); ++f) {
      sum += losses[f][l];
      total += weights[f];
    }
    const double mean = sum / total;
    double square = 0;
    for (std::size_t f = 0; f < losses.size(); ++f) {
      square += weights[f] / total * std::pow(losses[f][l] / weights[f] - mean, 2);
    }
    result.means.push_back(mean);
    result.errors.push_back(std::sqrt(square / static_cast<double>(std::max<std::size_t>(1, losses.size() - 1))));
    if (mean < result.means[result.best]) {
      result.best = l;
    }
  }
  const double limit = result.means[result.best] + result.errors[result.best];
  while (result.sparsest < result.best && !(result.means[result.sparsest] <= limit)) {
    ++result.sparsest;
  }
  return result;
}

double largest_evidence(double largest, double least, const std::function<double(double lambda)>& evidence,
                        const Run& run) {
  const double none = -std::numeric_limits<double>::infinity();
  const auto value_at = [&](double lambda) {
    run.check_stop();
    try {
      const double value = evidence(lambda);
      return std::isnan(value) ? none : value;
    } catch (const NumericalError&) {
      return none;
    }
  };
  std::vector<double> values;
  double best = largest;
  double best_value = none;
  Index falls = 0;
  const auto decades = static_cast<double>(std::max<Index>(1, std::lround(std::log10(largest / least))));
  for (double lambda = largest, done = 0; lambda >= least * 0.99 && falls < 3; lambda /= 10, ++done) {
    run.progress("evidence", done, decades + evidence_refinements);
    const double value = value_at(lambda);
    falls = value > best_value ? 0 : falls + (best_value > none ? 1 : 0);
    if (value > best_value) {
      best_value = value;
      best = lambda;
    }
  }
  if (best_value == none) {
    throw NumericalError("no penalty between " + std::to_string(least) + " and " + std::to_string(largest) +
                         " has an evidence: give lambda");
  }
  double factor = std::sqrt(10.0);
  for (int step = 0; step < evidence_refinements; ++step, factor = std::sqrt(factor)) {
    const double center = best;
    for (const double lambda : {center * factor, center / factor}) {
      if (const double value = value_at(lambda); value > best_value) {
        best_value = value;
        best = lambda;
        break;
      }
    }
  }
  return best;
}

}  // namespace mercer
