// fit_lapr: the kernel functions, per output the price of coefficients, the mode, the noise and the spread around it.
#include <algorithm>
#include <cmath>

#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "mercer/models/laplacian_process/lapr.h"
#include "mercer/models/laplacian_process/price_selection.h"
#include "mercer/models/laplacian_process/process_features.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

struct WeightedTarget {
  std::vector<double> values;
  std::vector<double> weights;
  double total = 0;     // of the weights
  double variance = 0;  // around the mean
};

WeightedTarget weighted_target(const TrainingData& data, std::span<const Index> rows, Index output) {
  WeightedTarget y{.values = data.targets.columns()[output].finite_values(rows),
                   .weights = weights_or_ones(data.weights, rows)};
  double mean = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    y.total += y.weights[i];
    mean += y.weights[i] * y.values[i];
  }
  mean /= y.total;
  for (std::size_t i = 0; i < y.values.size(); ++i) {
    y.variance += y.weights[i] * (y.values[i] - mean) * (y.values[i] - mean) / y.total;
  }
  return y;
}

// What was decided for one output.
struct FittedProcess {
  LaplacianMap map;
  double noise = 0;
  double lambda = 0;
};

class ProcessFit {
 public:
  ProcessFit(const LaprOptions& options, ConstMatrixView<double> features, const WeightedTarget& y, FitReport& report)
      : options_(options), y_(y), report_(report) {
    problem_ = {.features = features,
                .targets = y.values,
                .weights = y.weights,
                .loss = options.likelihood,
                .tube = options.epsilon.value_or(0.1 * std::sqrt(y.variance)),
                .nu = options.nu.value_or(0.0),
                .offset = options.intercept ? ProcessOffset::fitted : ProcessOffset::none};
  }

  FittedProcess fit(const Run& run) {
    FittedProcess result;
    double noise = options_.noise;
    if (options_.lambda && noise == 0) {
      noise = matching_noise(*options_.lambda, run);
    }
    const double price = options_.lambda ? *options_.lambda * unit_of(noise) : chosen_price(run);
    result.map = options_.prior == ProcessPrior::concave ? concave_map(problem_, price, options_.concavity, run)
                                                         : laplacian_map(problem_, price, 0, run);
    result.noise = options_.noise > 0 ? options_.noise : estimated_noise(result.map);
    if (options_.lambda && options_.prior != ProcessPrior::concave && !agree(result.noise, noise)) {
      result.noise = noise;  // there the estimate jumps across it
    }
    result.lambda = options_.lambda.value_or(price / unit_of(result.noise));
    return result;
  }

 private:
  // What λ is multiplied with to give the price: s², or the scale of absolute errors.
  double unit_of(double noise) const { return problem_.loss == ProcessLoss::gaussian ? noise : std::sqrt(noise / 2); }

  double estimated_noise(const LaplacianMap& map) const {
    const auto used = static_cast<double>(std::ranges::count_if(map.coefficients, [](double a) { return a != 0; }));
    const double freedom = std::max(1.0, y_.total - used - (options_.intercept ? 1.0 : 0.0));
    double mean_square = 0;
    for (const double value : y_.values) {
      mean_square += value * value / static_cast<double>(y_.values.size());
    }
    // Where rows are met exactly, noise is that of the arithmetic.
    const double least = std::max(1e-24 * mean_square, 1e-280);
    if (problem_.loss == ProcessLoss::gaussian) {
      return std::max(least, 2 * map.loss / freedom);
    }
    // The most probable b of the density e^(−max(0, |ξ| − ε)/b) / (2(ε + b)).
    const double mean = map.loss / freedom;
    const double tube = problem_.loss == ProcessLoss::insensitive ? map.tube : 0.0;
    const double b = (mean + std::sqrt(mean * mean + 4 * mean * tube)) / 2;
    return std::max(least, 2 * b * b);
  }

  static bool agree(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(a, b); }

  // λ is given and the noise is not: ρ = λ·unit(noise at ρ), the first noise from below at which its estimate is no longer
  // above it. Where a coefficient leaves, the estimate falls by a step (a degree of freedom more): the noise may then lie
  // within the step, above one estimate and below the other.
  double matching_noise(double lambda, const Run& run) const {
    const auto estimate = [&](double noise) {
      run.check_stop();
      return estimated_noise(laplacian_map(problem_, lambda * unit_of(noise), 0, run));
    };
    constexpr int steps_by_estimate = 30;
    double low = 0;
    double noise = std::max(1e-6 * y_.variance, 1e-280);
    for (int step = 0;; ++step) {
      const double next = estimate(noise);
      if (agree(next, noise)) {
        return next;
      }
      if (next < noise) {
        break;
      }
      low = noise;
      noise = step < steps_by_estimate ? next : 2 * noise;  // slow where the estimate stays just above
    }
    if (low == 0) {
      return estimate(noise);  // no noise at all: that of the arithmetic
    }
    for (double high = noise; !agree(low, high);) {
      noise = std::sqrt(low) * std::sqrt(high);
      const double next = estimate(noise);
      if (agree(next, noise)) {
        return next;
      }
      (next < noise ? high : low) = noise;
    }
    return noise;
  }

  double chosen_price(const Run& run) {
    const PriceChoice choice = choose_price(problem_, {options_.folds, options_.select_rows}, run);
    if (choice.candidates > 1) {
      report_.measures.push_back({"cross-validated loss", choice.held_out});
    }
    return choice.price;
  }

  const LaprOptions& options_;
  const WeightedTarget& y_;
  FitReport& report_;
  LaplacianMapProblem problem_;
};

// F with F Fᵀ = (BᵀWB)⁺ over the centres in use; a row per centre and one for the offset, rows of 0 for the others.
Matrix<double> spread_of(ConstMatrixView<double> features, std::span<const Index> columns,
                         std::span<const double> coefficients, const WeightedTarget& y, ProcessOffset offset,
                         const Run& run) {
  std::vector<Index> used;  // positions among the centres
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (coefficients[columns[c]] != 0) {
      used.push_back(static_cast<Index>(c));
    }
  }
  const auto k = static_cast<Index>(used.size());
  const auto all = static_cast<Index>(columns.size());
  const Index order = k + (offset == ProcessOffset::fitted ? 1 : 0);
  if (order == 0) {
    return Matrix<double>::filled(all + 1, 1, 0.0);
  }
  Matrix<double> b(features.rows(), order);
  std::vector<double> lengths(order, 0.0);
  for (Index i = 0; i < features.rows(); ++i) {
    const double root = std::sqrt(y.weights[i]);
    for (Index j = 0; j < order; ++j) {
      b(i, j) = root * (j < k ? features(i, columns[used[j]]) : 1.0);
      lengths[j] += b(i, j) * b(i, j);
    }
  }
  // Columns of length 1: what is singular does not depend on units.
  for (Index i = 0; i < features.rows(); ++i) {
    for (Index j = 0; j < order; ++j) {
      b(i, j) /= std::sqrt(lengths[j]);
    }
  }
  Matrix<double> products(order, order);
  parallel_syrk<double>(1.0, b.view(), Transpose::yes, 0.0, products.view(), run);
  const SymmetricEigen<double> eigen = symmetric_eigen(products.view(), run);
  const double least = 1e-14 * static_cast<double>(order) * eigen.values.back();
  Matrix<double> spread = Matrix<double>::filled(all + 1, order, 0.0);
  for (Index j = 0; j < order; ++j) {
    const Index row = j < k ? used[j] : all;
    for (Index e = 0; e < order; ++e) {
      const double value = eigen.values[e];
      spread(row, e) = value > least ? eigen.vectors(j, e) / std::sqrt(value * lengths[j]) : 0;
    }
  }
  return spread;
}

Matrix<double> stacked_spreads(const std::vector<Matrix<double>>& parts) {
  Index rank = 0;
  Index rows = 0;
  for (const Matrix<double>& part : parts) {
    rank = std::max(rank, part.columns());
    rows += part.rows();
  }
  Matrix<double> stacked = Matrix<double>::filled(rows, rank, 0.0);
  Index begin = 0;
  for (const Matrix<double>& part : parts) {
    for (Index i = 0; i < part.rows(); ++i) {
      std::ranges::copy(part.view().row(i), stacked.view().row_data(begin + i));
    }
    begin += part.rows();
  }
  return stacked;
}

// Parts of the features; where the tube is found, rows for its upper and its lower side, and parts of these.
Index solver_copies(const LaprOptions& options) { return options.nu ? 4 : 1; }

void report_process(const FittedProcess& process, const LaprOptions& options, FitReport& report) {
  const LaplacianMap& map = process.map;
  if (map.status != SolveStatus::converged) {
    report.status = map.status;
  }
  report.iterations += map.iterations;
  report.objective += map.objective;
  report.measures.push_back({"noise", process.noise});
  report.measure(Fact::lambda, process.lambda);
  if (options.nu) {
    report.measures.push_back({"epsilon", map.tube});
  }
  report.measures.push_back({"duality gap", map.gap});
  if (map.objectives.size() > 1) {
    report.measures.push_back({"linearizations", static_cast<double>(map.objectives.size())});
  }
}

}  // namespace

std::unique_ptr<LaprModel> fit_lapr(const Kernel& kernel, const LaprOptions& options, const TrainingData& given,
                                    const Run& run) {
  options.validate();
  require_target_numbers(given, "lapr");
  const TrainingData data =
      merged_unless_in_folds("lapr", kernel, given, options.lambda ? ChosenBy::itself : ChosenBy::folds);
  const std::vector<Index> rows = weighted_rows(data, "lapr");
  const Index outputs = data.targets.outputs();
  FitReport report;
  report.objective_name = "loss and prior";
  PhaseTimer timer(report);
  timer.start("kernel");
  const ProcessFeatures features = process_features("lapr", kernel, data, rows, options.basis, options.memory_mb,
                                                    solver_copies(options), report, run);
  timer.start("solve");
  const Index m = features.matrix.columns();
  Matrix<double> coefficients(m, outputs);
  Matrix<double> offsets(1, outputs);
  std::vector<WeightedTarget> ys;
  std::vector<FittedProcess> processes;
  for (Index o = 0; o < outputs; ++o) {
    ys.push_back(weighted_target(data, rows, o));
    processes.push_back(ProcessFit(options, features.matrix.view(), ys.back(), report).fit(run));
    for (Index j = 0; j < m; ++j) {
      coefficients(j, o) = processes.back().map.coefficients[j];
    }
    offsets(0, o) = processes.back().map.offset;
    report_process(processes.back(), options, report);
  }
  timer.start("model");
  ProcessFunction function = process_function(features, std::move(coefficients), std::move(offsets), run);
  report.measures.push_back({"kernel functions", static_cast<double>(function.columns.size())});
  std::vector<Matrix<double>> spreads;
  std::vector<std::string> names;
  LaprModel::Parts parts;
  parts.expansion = std::move(function.expansion);
  for (std::size_t o = 0; o < processes.size(); ++o) {
    names.push_back(data.targets.columns()[o].name);
    parts.noise.push_back(processes[o].noise);
    parts.lambda.push_back(processes[o].lambda);
    if (options.likelihood == ProcessLoss::gaussian) {
      spreads.push_back(spread_of(features.matrix.view(), function.columns, processes[o].map.coefficients, ys[o],
                                  options.intercept ? ProcessOffset::fitted : ProcessOffset::none, run));
    }
  }
  if (!spreads.empty()) {
    parts.spread = stacked_spreads(spreads);
  }
  timer.stop();
  ModelHead head{.name = "lapr",
                 .requested_kernel = kernel.spec(),
                 .settings = settings_of(lapr_option_table(), options),
                 .output_names = std::move(names),
                 .report = std::move(report)};
  return std::make_unique<LaprModel>(std::move(head), std::move(parts));
}

}  // namespace mercer
