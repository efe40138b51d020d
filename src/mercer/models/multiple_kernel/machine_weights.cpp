#include "mercer/models/multiple_kernel/machine_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"

namespace mercer {

namespace {

// So many machines at a time share the memory, whatever the number of threads.
constexpr Index weighted_machines_at_once = 16;

constexpr Index most_steps_of_an_evaluation = 1'000'000;

bool has_two_signs(const MachineTask& task) {
  return std::any_of(task.signs.begin(), task.signs.end(), [](double sign) { return sign > 0; }) &&
         std::any_of(task.signs.begin(), task.signs.end(), [](double sign) { return sign < 0; });
}

bool is_all(const MachineTask& task, Index size) { return static_cast<Index>(task.rows.size()) == size; }

// Where the slope of a loss, as a function of the offset, rises by `cost`.
struct LossKink {
  double place = 0;
  double cost = 0;
};

// The offset with the least loss, which starts to fall with slope −rising: the machine's own is right to its tolerance
// only, and rows of a high price would make that a large part of the objective.
double best_offset(std::vector<LossKink> kinks, double rising) {
  std::sort(kinks.begin(), kinks.end(), [](const LossKink& a, const LossKink& b) { return a.place < b.place; });
  double slope = -rising;
  for (const LossKink& kink : kinks) {
    slope += kink.cost;
    if (slope >= 0) {
      return kink.place;
    }
  }
  return kinks.empty() ? 0.0 : kinks.back().place;
}

// Where β is not 0.
struct SupportPart {
  std::vector<Index> rows;
  std::vector<double> beta;
};

SupportPart support_of(std::span<const Index> rows, std::span<const double> beta) {
  SupportPart part;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (beta[i] != 0) {
      part.rows.push_back(rows[i]);
      part.beta.push_back(beta[i]);
    }
  }
  return part;
}

// Rows whose coefficient can move both ways.
std::vector<Index> free_rows(std::span<const Index> rows, std::span<const double> beta,
                             std::span<const double> bounds) {
  constexpr double margin = 1e-8;
  std::vector<Index> chosen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double size = std::abs(beta[i]);
    if (size > margin * bounds[i] && size < (1 - margin) * bounds[i]) {
      chosen.push_back(rows[i]);
    }
  }
  return chosen;
}

// The factor of A + shift, with the least shift that has one; none where A is far from positive.
std::optional<Matrix<double>> shifted_factor(const Matrix<double>& a, const Run& run) {
  double mean = 0;
  for (Index i = 0; i < a.rows(); ++i) {
    mean += a(i, i) / static_cast<double>(a.rows());
  }
  for (double shift = 1e-10; shift <= 1; shift *= 100) {
    Matrix<double> factor = Matrix<double>::copy_of(a.view());
    for (Index i = 0; i < a.rows(); ++i) {
      factor(i, i) += shift * std::max(mean, 1e-300);
    }
    if (try_cholesky(factor.view(), run).ok) {
      return factor;
    }
  }
  return std::nullopt;
}

}  // namespace

SvmSolverOptions weight_solver_options(const SvmSolverOptions& given, double weight_tolerance, Index rows) {
  SvmSolverOptions options = given;
  options.tolerance = std::min({options.tolerance, 0.05 * weight_tolerance, 1e-5});
  options.verify = Precision::single_precision;
  // One of many solves, each from the solution before it: what it leaves undone the next one does.
  if (options.max_steps == 0) {
    options.max_steps = std::max(most_steps_of_an_evaluation, 100 * rows);
  }
  return options;
}

MachineWeights::MachineWeights(const SummandGrams& grams, std::span<const Kernel> kernels, const Samples& samples,
                               std::vector<MachineTask> tasks, const SvmSolverOptions& solver)
    : grams_(grams), kernels_(kernels), samples_(samples), solver_(solver) {
  for (MachineTask& task : tasks) {
    if (has_two_signs(task)) {
      machines_.push_back({.classes = std::move(task), .targets = {}});
    }
  }
  if (machines_.empty()) {
    throw InvalidArgument("no machine has rows of both its classes among the " + std::to_string(samples.size()) +
                          " rows that weights are learnt on; raise weight_rows, or set it to 0 for all rows");
  }
}

MachineWeights::MachineWeights(const SummandGrams& grams, std::span<const Kernel> kernels, const Samples& samples,
                               std::vector<TubeTask> tasks, const SvmSolverOptions& solver)
    : grams_(grams), kernels_(kernels), samples_(samples), solver_(solver) {
  for (TubeTask& task : tasks) {
    Machine machine{.classes = {}, .targets = std::move(task.targets), .epsilon = task.epsilon};
    machine.classes.bounds = std::move(task.bounds);
    machine.classes.rows.resize(machine.targets.size());
    std::iota(machine.classes.rows.begin(), machine.classes.rows.end(), Index{0});
    machines_.push_back(std::move(machine));
  }
}

SvmEngine MachineWeights::engine(std::span<const double> weights, const Run& run) const {
  if (grams_.storage() == SummandStorage::stored) {
    return {grams_.combined(weights, run), solver_, run};
  }
  std::vector<double> factors(weights.begin(), weights.end());
  for (std::size_t k = 0; k < factors.size(); ++k) {
    factors[k] *= grams_.scales()[k];
  }
  return {weighted_sum(kernels_, factors), samples_, solver_, run};
}

MachineWeights::MachineValue MachineWeights::solve(const SvmEngine& all, Machine& machine, double share,
                                                   const Run& run) const {
  const MachineTask& task = machine.classes;
  const bool classifies = machine.targets.empty();
  const SvmEngine part = is_all(task, all.size()) ? all.with_share(share) : all.subset(task.rows, share, run);
  SvmDual dual = classifies ? part.c_svc(task.signs, task.bounds, run, machine.beta)
                            : part.epsilon_svr(machine.targets, machine.epsilon, task.bounds, run, machine.beta);
  double squared_norm = 0;
  std::vector<LossKink> kinks;
  double rising = 0;  // what of the loss falls with the offset, before the first kink
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    squared_norm += dual.coefficients[i] * dual.values[i];
    const double bound = task.bounds[i];
    if (classifies) {
      kinks.push_back({task.signs[i] - dual.values[i], bound});
      rising += task.signs[i] > 0 ? bound : 0.0;
    } else {
      kinks.push_back({machine.targets[i] - dual.values[i] - machine.epsilon, bound});
      kinks.push_back({machine.targets[i] - dual.values[i] + machine.epsilon, bound});
      rising += bound;
    }
  }
  const double offset = best_offset(std::move(kinks), rising);
  double loss = 0;
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    const double value = dual.values[i] + offset;
    loss += task.bounds[i] * std::max(0.0, classifies ? 1 - task.signs[i] * value
                                                      : std::abs(machine.targets[i] - value) - machine.epsilon);
  }
  machine.beta = std::move(dual.coefficients);
  return {0.5 * squared_norm + loss, 0.5 * squared_norm - dual.objective};
}

WeightEvaluation MachineWeights::evaluate(std::span<const double> weights, const Run& run) {
  weights_.assign(weights.begin(), weights.end());
  const SvmEngine all = engine(weights, run);
  const auto count = static_cast<Index>(machines_.size());
  std::vector<MachineValue> values(machines_.size());
  if (count == 1) {
    values[0] = solve(all, machines_[0], 1.0, run);
  } else {
    const double share = 1.0 / static_cast<double>(std::clamp<Index>(count, 1, weighted_machines_at_once));
    for (Index first = 0; first < count; first += weighted_machines_at_once) {
      parallel_for(run, std::min(weighted_machines_at_once, count - first), [&](Index m) {
        const auto number = static_cast<std::size_t>(first + m);
        values[number] = solve(all, machines_[number], share, run);
      });
    }
  }
  WeightEvaluation evaluation;
  for (const MachineValue& value : values) {
    evaluation.upper += value.upper;
    evaluation.linear += value.linear;
  }
  for (Index k = 0; k < grams_.count(); ++k) {
    double sum = 0;
    for (const Machine& machine : machines_) {
      const SupportPart support = support_of(machine.classes.rows, machine.beta);
      const std::vector<double> product = grams_.product(k, support.rows, support.beta, run);
      for (std::size_t i = 0; i < support.rows.size(); ++i) {
        sum += support.beta[i] * product[support.rows[i]];
      }
    }
    evaluation.norms.push_back(std::max(0.0, sum));
  }
  return evaluation;
}

// P V: solutions of the system with one more unknown, the offset.
void MachineWeights::add_curvature(const Machine& machine, Matrix<double>& sum, const Run& run) const {
  const std::vector<Index> rows = free_rows(machine.classes.rows, machine.beta, machine.classes.bounds);
  const auto size = static_cast<Index>(rows.size());
  if (size < 2) {
    return;
  }
  const SupportPart support = support_of(machine.classes.rows, machine.beta);
  const Index count = grams_.count();
  Matrix<double> values(size, count + 1);  // K_kβ on the free rows, and a column of ones
  for (Index k = 0; k < count; ++k) {
    const std::vector<double> product = grams_.product(k, support.rows, support.beta, run);
    for (Index i = 0; i < size; ++i) {
      values(i, k) = product[rows[i]];
    }
  }
  for (Index i = 0; i < size; ++i) {
    values(i, count) = 1;
  }
  const std::optional<Matrix<double>> factor = shifted_factor(grams_.combined(weights_, rows, run), run);
  if (!factor) {
    return;
  }
  Matrix<double> solved = Matrix<double>::copy_of(values.view());
  cholesky_solve<double>(factor->view(), solved.view(), run);
  Matrix<double> inner(count + 1, count + 1);
  gemm(1.0, values.view(), Transpose::yes, solved.view(), Transpose::no, 0.0, inner.view());
  for (Index k = 0; k < count; ++k) {
    for (Index l = 0; l < count; ++l) {
      sum(k, l) += 0.5 * (inner(k, l) + inner(l, k)) - inner(k, count) * inner(l, count) / inner(count, count);
    }
  }
}

Matrix<double> MachineWeights::curvature(const Run& run) {
  Matrix<double> sum = Matrix<double>::filled(grams_.count(), grams_.count(), 0.0);
  for (const Machine& machine : machines_) {
    add_curvature(machine, sum, run);
  }
  return sum;
}

}  // namespace mercer
