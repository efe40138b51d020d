#include "mercer/models/libsvm/libsvm_training.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/data/split.h"
#include "mercer/models/classes/platt.h"
#include "mercer/models/libsvm/libsvm_prediction.h"
#include "mercer/models/libsvm/noise_scale.h"
#include "mercer/models/svm/svc_training.h"
#include "mercer/models/svm/svm_engine.h"

namespace mercer {

namespace {

constexpr Index probability_folds = 5;

SvmSolverOptions solver_options(const LibsvmParameters& parameters) {
  SvmSolverOptions options;
  options.tolerance = parameters.tolerance;
  options.shrinking = parameters.shrinking;
  options.memory_mb = parameters.memory_mb;
  return options;
}

// Row a, column b: what row a says of its kernel value with the sample whose serial number row b gives.
Matrix<double> precomputed_gram(const Samples& samples) {
  const Samples dense_samples = to_dense<double>(samples);
  const auto& rows = dense_samples.as<DenseRows<double>>();
  Matrix<double> gram(rows.rows, rows.rows);
  for (Index b = 0; b < rows.rows; ++b) {
    const double serial = rows.columns > 0 ? rows(b, 0) : 0.0;
    if (!(serial >= 1 && serial < static_cast<double>(rows.columns)) || serial != std::floor(serial)) {
      throw DataError("Wrong input format: sample_serial_number out of range in row " + std::to_string(b + 1));
    }
    for (Index a = 0; a < rows.rows; ++a) {
      gram(a, b) = rows(a, static_cast<Index>(serial));
    }
  }
  return gram;
}

std::vector<Index> serial_numbers(const Samples& samples, std::span<const Index> rows) {
  const Samples dense_samples = to_dense<double>(samples);
  const auto& values = dense_samples.as<DenseRows<double>>();
  std::vector<Index> numbers;
  for (const Index row : rows) {
    numbers.push_back(static_cast<Index>(values(row, 0)));
  }
  return numbers;
}

SvmEngine make_engine(const LibsvmParameters& parameters, const Samples& samples, const Run& run) {
  if (parameters.kernel == LibsvmKernel::precomputed) {
    return {precomputed_gram(samples), solver_options(parameters), run};
  }
  // The kernel sigmoid is known to be indefinite and svm-train says nothing about it.
  return {libsvm_kernel(parameters.kernel, parameters.degree, parameters.gamma, parameters.coef0), samples,
          solver_options(parameters), run.quiet()};
}

// Labels in order of first appearance; {−1, +1} always as +1, −1.
struct Classes {
  std::vector<int> labels;
  std::vector<std::int32_t> codes;
};

Classes find_classes(std::span<const double> labels) {
  Classes classes;
  for (const double value : labels) {
    const int label = static_cast<int>(value);
    auto found = std::find(classes.labels.begin(), classes.labels.end(), label);
    if (found == classes.labels.end()) {
      classes.labels.push_back(label);
      found = classes.labels.end() - 1;
    }
    classes.codes.push_back(static_cast<std::int32_t>(found - classes.labels.begin()));
  }
  if (classes.labels == std::vector<int>{-1, 1}) {
    classes.labels = {1, -1};
    for (std::int32_t& code : classes.codes) {
      code = 1 - code;
    }
  }
  return classes;
}

std::vector<double> class_costs(const LibsvmParameters& parameters, const Classes& classes) {
  const double base = parameters.type == LibsvmType::nu_svc ? 1.0 : parameters.cost;
  std::vector<double> costs(classes.labels.size(), base);
  for (const LibsvmParameters::ClassWeight& entry : parameters.class_weights) {
    const auto found = std::find(classes.labels.begin(), classes.labels.end(), entry.label);
    if (found != classes.labels.end() && parameters.type == LibsvmType::c_svc) {
      costs[found - classes.labels.begin()] *= entry.weight;
    }
  }
  return costs;
}

Index count_nonzero(const std::vector<double>& values) {
  return static_cast<Index>(std::count_if(values.begin(), values.end(), [](double value) { return value != 0; }));
}

LibsvmSolve solve_facts(const SvmDual& dual) {
  return {.iterations = dual.steps,
          .equivalent = 0,
          .objective = dual.objective,
          .rho = -dual.offset,
          .support_count = count_nonzero(dual.coefficients),
          .bound_count = dual.bounded,
          .status = dual.status};
}

double absolute_sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0, [](double sum, double v) { return sum + std::abs(v); });
}

void warn_of_limits(const LibsvmSolveGroup& group, std::vector<std::string>& warnings) {
  for (const LibsvmSolve& solve : group.solves) {
    if (solve.status == SolveStatus::iteration_limit) {
      warnings.emplace_back("reaching max number of iterations");
    } else if (solve.status == SolveStatus::stalled) {
      warnings.emplace_back("optimality cannot be reached to -e: rounding of kernel values hides what is left");
    }
  }
}

// The pair code in LIBSVM's orientation: the first class of a pair is the positive one.
ClassCode pair_code(Index classes) {
  Matrix<double> code = Matrix<double>::filled(classes * (classes - 1) / 2, classes, 0.0);
  for (Index i = 0; i < classes; ++i) {
    for (Index j = i + 1; j < classes; ++j) {
      code(pair_position(i, j, classes), i) = 1;
      code(pair_position(i, j, classes), j) = -1;
    }
  }
  return {std::move(code), Decoding::votes};
}

MachineSolve machine_solve(const LibsvmParameters& parameters) {
  if (parameters.type == LibsvmType::c_svc) {
    return [](const SvmEngine& engine, const MachineTask& task, std::span<const double> start, const Run& run) {
      return engine.c_svc(task.signs, task.bounds, run, start);
    };
  }
  return [nu = parameters.nu](const SvmEngine& engine, const MachineTask& task, std::span<const double> start,
                              const Run& run) {
    const double feasible = start.empty() ? nu : std::min(nu, largest_nu(task.signs, task.bounds));
    return engine.nu_svc(task.signs, feasible, task.bounds, run);
  };
}

// Support vectors grouped by class, each with its coefficients in the k − 1 columns of the model file.
void store_support(const std::vector<TrainedMachine>& machines, const Classes& classes, const Samples& samples,
                   LibsvmModel& model) {
  const Index k = model.classes;
  std::vector<std::vector<double>> by_machine(machines.size(), std::vector<double>(classes.codes.size(), 0.0));
  std::vector<char> is_support(classes.codes.size(), 0);
  for (std::size_t m = 0; m < machines.size(); ++m) {
    for (std::size_t i = 0; i < machines[m].task.rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(machines[m].task.rows[i]);
      by_machine[m][row] = machines[m].dual.coefficients[i];
      is_support[row] = is_support[row] != 0 || by_machine[m][row] != 0 ? 1 : 0;
    }
  }
  std::vector<Index> rows;
  for (Index c = 0; c < k; ++c) {
    const std::size_t before = rows.size();
    for (std::size_t row = 0; row < classes.codes.size(); ++row) {
      if (classes.codes[row] == c && is_support[row] != 0) {
        rows.push_back(static_cast<Index>(row));
      }
    }
    model.class_sizes.push_back(static_cast<Index>(rows.size() - before));
  }
  model.coefficients = Matrix<double>::filled(static_cast<Index>(rows.size()), std::max<Index>(k - 1, 0), 0.0);
  for (std::size_t s = 0; s < rows.size(); ++s) {
    const auto row = static_cast<std::size_t>(rows[s]);
    const Index own = classes.codes[row];
    for (Index other = 0; other < k; ++other) {
      if (other != own) {
        const Index machine = pair_position(std::min(own, other), std::max(own, other), k);
        model.coefficients(static_cast<Index>(s), other > own ? other - 1 : other) = by_machine[machine][row];
      }
    }
  }
  if (model.kernel == LibsvmKernel::precomputed) {
    model.serial_numbers = serial_numbers(samples, rows);
  } else {
    model.support_vectors = samples.select(rows);
  }
}

LibsvmTraining train_classes(const LibsvmParameters& parameters, const Samples& samples, std::span<const double> labels,
                             LibsvmTraining training, const Run& run) {
  const Classes classes = find_classes(labels);
  LibsvmModel& model = training.model;
  model.classes = static_cast<Index>(classes.labels.size());
  model.labels = classes.labels;
  const std::vector<double> costs = class_costs(parameters, classes);
  std::vector<TrainedMachine> machines;
  LibsvmSolveGroup group;
  if (model.classes > 1) {
    std::vector<double> bounds;
    for (const std::int32_t code : classes.codes) {
      bounds.push_back(costs[code]);
    }
    std::vector<Index> rows(classes.codes.size());
    std::iota(rows.begin(), rows.end(), Index{0});
    const SvmEngine engine = make_engine(parameters, samples, run);
    machines = train_machines(engine, machine_tasks(pair_code(model.classes), rows, classes.codes, bounds),
                              machine_solve(parameters), {parameters.probabilities ? probability_folds : 0}, run);
  }
  for (const TrainedMachine& machine : machines) {
    LibsvmSolve solve = solve_facts(machine.dual);
    const double size = static_cast<double>(machine.task.rows.size());
    solve.equivalent = parameters.type == LibsvmType::nu_svc
                           ? 1 / machine.dual.margin
                           : absolute_sum(machine.dual.coefficients) / (parameters.cost * size);
    group.solves.push_back(solve);
    model.rho.push_back(solve.rho);
    if (parameters.probabilities) {
      const PlattSigmoid sigmoid = fit_platt(machine.held_out, machine.task.signs).sigmoid;
      model.probability_a.push_back(sigmoid.a);
      model.probability_b.push_back(sigmoid.b);
    }
  }
  model.has_probabilities = parameters.probabilities;
  store_support(machines, classes, samples, model);
  group.support_count = model.support_count();
  training.groups.push_back(std::move(group));
  return training;
}

SvmDual solve_single(const LibsvmParameters& parameters, const SvmEngine& engine, std::span<const double> targets,
                     std::span<const double> weights, const Run& run) {
  std::vector<double> bounds(weights.begin(), weights.end());
  for (double& bound : bounds) {
    bound *= parameters.cost;
  }
  switch (parameters.type) {
    case LibsvmType::epsilon_svr:
      return engine.epsilon_svr(targets, parameters.epsilon, bounds, run);
    case LibsvmType::nu_svr:
      return engine.nu_svr(targets, parameters.nu, bounds, run);
    default:
      return engine.one_class(parameters.nu, weights, run);
  }
}

// Residuals of held-out folds, all on one kernel matrix: a fold is left out by bounds of 0.
std::vector<double> held_out_residuals(const LibsvmParameters& parameters, const SvmEngine& engine,
                                       std::span<const double> targets, const Run& run) {
  const auto n = static_cast<Index>(targets.size());
  const Folds folds = k_fold(n, std::min(probability_folds, std::max<Index>(2, n)), run.seed());
  std::vector<double> residuals(targets.size(), 0.0);
  for (Index fold = 0; fold < folds.count; ++fold) {
    std::vector<double> weights(targets.size());
    std::transform(folds.number.begin(), folds.number.end(), weights.begin(),
                   [&](Index number) { return number == fold ? 0.0 : 1.0; });
    const SvmDual dual = solve_single(parameters, engine, targets, weights, run);
    for (std::size_t i = 0; i < residuals.size(); ++i) {
      if (folds.number[i] == fold) {
        residuals[i] = targets[i] - (dual.values[i] + dual.offset);
      }
    }
  }
  return residuals;
}

void add_probabilities(const LibsvmParameters& parameters, const SvmEngine& engine, std::span<const double> labels,
                       const SvmDual& dual, LibsvmTraining& training, const Run& run) {
  LibsvmModel& model = training.model;
  if (is_regression(parameters.type)) {
    model.probability_a = {laplace_scale(held_out_residuals(parameters, engine, labels, run))};
    model.has_probabilities = true;
    return;
  }
  std::vector<double> decisions(dual.values.size());
  std::transform(dual.values.begin(), dual.values.end(), decisions.begin(),
                 [&](double value) { return value + dual.offset; });
  if (std::optional<std::vector<double>> marks = one_class_marks(decisions)) {
    model.density_marks = std::move(*marks);
    model.has_probabilities = true;
  } else {
    training.warnings.emplace_back(
        "number of positive or negative decision values <5; too few to do a probability estimation.");
  }
}

LibsvmTraining train_single(const LibsvmParameters& parameters, const Samples& samples, std::span<const double> labels,
                            LibsvmTraining training, const Run& run) {
  const SvmEngine engine = make_engine(parameters, samples, run);
  const std::vector<double> weights(labels.size(), 1.0);
  const SvmDual dual = solve_single(parameters, engine, labels, weights, run);
  LibsvmModel& model = training.model;
  LibsvmSolve solve = solve_facts(dual);
  solve.equivalent = parameters.type == LibsvmType::nu_svr
                         ? dual.margin
                         : absolute_sum(dual.coefficients) / (parameters.cost * static_cast<double>(labels.size()));
  model.rho = {solve.rho};
  std::vector<Index> rows;
  for (std::size_t i = 0; i < dual.coefficients.size(); ++i) {
    if (dual.coefficients[i] != 0) {
      rows.push_back(static_cast<Index>(i));
    }
  }
  model.coefficients = Matrix<double>(static_cast<Index>(rows.size()), 1);
  for (std::size_t s = 0; s < rows.size(); ++s) {
    model.coefficients(static_cast<Index>(s), 0) = dual.coefficients[rows[s]];
  }
  if (model.kernel == LibsvmKernel::precomputed) {
    model.serial_numbers = serial_numbers(samples, rows);
  } else {
    model.support_vectors = samples.select(rows);
  }
  if (parameters.probabilities) {
    add_probabilities(parameters, engine, labels, dual, training, run);
  }
  training.groups.push_back({.solves = {solve}, .support_count = model.support_count()});
  return training;
}

}  // namespace

LibsvmTraining train_libsvm(const LibsvmParameters& parameters, const Samples& samples, std::span<const double> labels,
                            const Run& run) {
  if (const std::string error = libsvm_parameter_error(parameters, labels); !error.empty()) {
    throw InvalidArgument(error);
  }
  LibsvmTraining training;
  training.model.type = parameters.type;
  training.model.kernel = parameters.kernel;
  training.model.degree = parameters.degree;
  training.model.gamma = parameters.gamma;
  training.model.coef0 = parameters.coef0;
  training = is_classification(parameters.type) ? train_classes(parameters, samples, labels, std::move(training), run)
                                                : train_single(parameters, samples, labels, std::move(training), run);
  for (const LibsvmSolveGroup& group : training.groups) {
    warn_of_limits(group, training.warnings);
  }
  return training;
}

LibsvmValidation cross_validate_libsvm(const LibsvmParameters& parameters, const Samples& samples,
                                       std::span<const double> labels, Index folds, const Run& run) {
  if (const std::string error = libsvm_parameter_error(parameters, labels); !error.empty()) {
    throw InvalidArgument(error);
  }
  const auto n = static_cast<Index>(labels.size());
  const Folds split = is_classification(parameters.type) && folds < n
                          ? stratified_k_fold(find_classes(labels).codes, folds, run.seed())
                          : k_fold(n, std::min(folds, n), run.seed());
  LibsvmValidation validation;
  validation.predictions.resize(labels.size());
  for (Index fold = 0; fold < split.count; ++fold) {
    const Split parts = split.split(fold);
    std::vector<double> train_labels;
    for (const Index row : parts.train) {
      train_labels.push_back(labels[row]);
    }
    LibsvmTraining training = train_libsvm(parameters, samples.select(parts.train), train_labels, run);
    const Samples test = samples.select(parts.test);
    const Matrix<double> decisions = libsvm_decision_values(training.model, test, run);
    const std::vector<double> predicted =
        training.model.has_probabilities && is_classification(parameters.type)
            ? most_probable_labels(training.model, libsvm_probabilities(training.model, decisions.view(), run).view())
            : libsvm_predictions(training.model, decisions.view());
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      validation.predictions[parts.test[i]] = predicted[i];
    }
    std::ranges::move(training.groups, std::back_inserter(validation.groups));
    std::ranges::move(training.warnings, std::back_inserter(validation.warnings));
  }
  return validation;
}

}  // namespace mercer
