// How linearsvc and linearsvr are fitted (the models themselves: linear_svm_model.cpp).
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/power_of_two.h"
#include "mercer/base/text.h"
#include "mercer/data/columns.h"
#include "mercer/expansion/linear_weights.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/linear/linear_svm_model.h"
#include "mercer/models/phase_timer.h"
#include "mercer/models/svm/svc_training.h"
#include "mercer/models/svm/wide_tube.h"
#include "mercer/models/target_scaling.h"
#include "mercer/models/training_rows.h"

namespace mercer {

namespace {

// The rows that count, as the solver sees them; the map where they are features of a kernel.
struct LinearRows {
  Samples vectors;
  Samples samples;
  std::optional<ExplicitMap> map;
};

LinearRows linear_rows(const char* model, const Kernel& kernel, const TrainingData& data,
                       const std::vector<Index>& rows, const Run& run) {
  if (linear_factor(kernel) != 1.0) {
    Samples samples = counted_samples(data.samples, rows);
    const std::vector<double> weights = select_weights(data.weights, rows);
    MappedTraining mapped = map_training(model, kernel, {samples, weights}, run);
    return {std::move(mapped.rows), std::move(samples), std::move(mapped.map)};
  }
  const Samples numeric = default_columns(data.samples);
  if (!numeric.is_numeric()) {
    throw DataError(std::string(model) + ": linear() takes real vectors, but the samples are " +
                    std::string(to_string(numeric.kind())) +
                    "; take a kernel with explicit features for them, such as tfidf() for texts or spectrum(k=3) for "
                    "sequences");
  }
  return {counted_samples(numeric, rows), {}, std::nullopt};
}

ExplicitInput linear_input(LinearRows rows, LinearMachines& machines, const Run& run) {
  if (!rows.map) {
    return {};
  }
  return keep_weighted({*std::move(rows.map), std::move(rows.vectors)}, rows.samples, machines.weights, run);
}

struct SolvedMachines {
  LinearMachines machines;
  std::vector<LinearSvmResult> results;
};

// Every machine of its own, whichever thread solves it. solve(m) gives its weights.
template <class Solve>
SolvedMachines solve_all(Index count, Index columns, const Run& run, Solve solve) {
  SolvedMachines all{{Matrix<double>(columns, count), Matrix<double>(1, count)}, std::vector<LinearSvmResult>(count)};
  const Run inner = count == 1 ? run : run.quiet();
  parallel_for(run, count, "machines", [&](Index m) {
    LinearSvmResult result = solve(m, inner);
    for (Index j = 0; j < columns; ++j) {
      all.machines.weights(j, m) = result.weights[j];
    }
    all.machines.intercepts(0, m) = result.intercept;
    result.weights = {};
    result.dual_variables = {};
    all.results[m] = std::move(result);
  });
  run.check_stop();  // the solver returns what it has
  return all;
}

void report_weights(const LinearMachines& machines, FitReport& report) {
  const Matrix<double>& weights = machines.weights;
  const auto nonzero = std::count_if(weights.data(), weights.data() + weights.rows() * weights.columns(),
                                     [](double weight) { return weight != 0; });
  report.measures.push_back({"weights that are not 0", static_cast<double>(nonzero)});
}

void add_to_report(const SolvedMachines& all, FitReport& report) {
  double dual = 0;
  double worst = 0;
  for (const LinearSvmResult& result : all.results) {
    report.iterations += result.passes;
    report.objective += result.primal;
    dual += result.dual;
    worst = std::max(worst, result.relative_gap());
    if (result.status != SolveStatus::converged) {
      report.status = result.status;
      report.notes.push_back("a machine ended with a relative gap of " + shortest(result.relative_gap()) + " (" +
                             std::string(to_string(result.status)) + ")");
    }
  }
  report.objective_name = "primal objective";
  report.measures.push_back({"dual value", dual});
  report.measure(Fact::relative_gap, worst);
  report_weights(all.machines, report);
}

// Two-class machines, as the code has them.
LinearMachines solve_coded(const ClassCode& code, const Samples& samples, const LabeledRows& labeled,
                           std::span<const double> bounds, const LinearSvcOptions& options, FitReport& report,
                           const Run& run) {
  std::vector<Index> numbers(bounds.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});
  const std::vector<MachineTask> tasks = machine_tasks(code, numbers, labeled.classes, bounds);
  const LinearSvmOptions solver = options.solver(options.loss, 0);
  SolvedMachines all = solve_all(code.machines(), samples.columns(), run, [&](Index m, const Run& inner) {
    const MachineTask& task = tasks[m];
    const bool whole = static_cast<Index>(task.rows.size()) == samples.size();
    return solve_linear_svm({whole ? samples : samples.select(task.rows), task.signs, task.bounds}, solver, inner);
  });
  add_to_report(all, report);
  return std::move(all.machines);
}

// Targets as the solver sees them, and the way back: y = shift + scale · t.
struct ScaledTargets {
  std::vector<double> values;
  double shift = 0;
  double scale = 1;
};

// 1 where there is none to divide by.
double root_mean_square(std::span<const double> values, std::span<const double> weights) {
  double largest = 0;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
  }
  const double unit = power_of_two_near(largest);
  double total = 0;
  double squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    total += weights[i];
    squares += weights[i] * (values[i] / unit) * (values[i] / unit);
  }
  const double root = unit * std::sqrt(squares / total);
  return root > 0 && std::isfinite(root) ? root : 1.0;
}

ScaledTargets scaled_targets(std::vector<double> targets, const std::vector<double>& weights,
                             const LinearSvrOptions& options) {
  ScaledTargets result{.values = std::move(targets)};
  if (!options.standardize) {
    // An intercept that costs nothing takes any shift; around their mean targets are no larger than they need be.
    if (options.intercept == LinearIntercept::exact) {
      const ConstMatrixView<double> column(result.values.data(), static_cast<Index>(result.values.size()), 1);
      result.shift = target_scaling(column, weights, Standardization::each).means.front();
      for (double& value : result.values) {
        value -= result.shift;
      }
    }
    return result;
  }
  if (options.intercept == LinearIntercept::none) {
    // The function passes through 0, and so must the targets' origin.
    result.scale = root_mean_square(result.values, weights);
  } else {
    const ConstMatrixView<double> column(result.values.data(), static_cast<Index>(result.values.size()), 1);
    const TargetScaling scaling = target_scaling(column, weights, Standardization::each);
    result.shift = scaling.means.front();
    result.scale = scaling.scales.front();
  }
  for (double& value : result.values) {
    value = (value - result.shift) / result.scale;
  }
  return result;
}

}  // namespace

std::unique_ptr<LinearSvcModel> fit_linearsvc(const Kernel& kernel, const LinearSvcOptions& options,
                                              const TrainingData& data, const Run& run) {
  options.validate();
  FitReport report;
  PhaseTimer timer(report);
  timer.start("data");
  const LabeledRows labeled = read_labels("linearsvc", data, LabelReading::classes, options.class_weight);
  LinearRows rows = linear_rows("linearsvc", kernel, data, labeled.rows, run);
  const Kernel resolved = rows.map ? rows.map->kernel() : kernel;
  const Samples& samples = rows.vectors;
  const auto classes = static_cast<Index>(labeled.levels.size());
  const bool joint = is_joint(options.multiclass);
  std::vector<double> bounds = labeled.weights;
  for (double& bound : bounds) {
    // Of two classes, the joint problem is that of one machine at twice the cost.
    bound *= joint && classes == 2 ? 2 * options.C : options.C;
  }
  const ClassCode code = linear_class_code(options, classes);
  timer.start("solve");
  LinearMachines machines;
  if (joint && classes > 2) {
    machines = solve_joint_linear({samples, labeled.classes, classes, bounds}, options, report, run);
    report_weights(machines, report);
  } else {
    machines = solve_coded(code, samples, labeled, bounds, options, report, run);
  }
  timer.start("vocabulary");
  ExplicitInput input = linear_input(std::move(rows), machines, run);
  timer.stop();
  return std::make_unique<LinearSvcModel>(
      ModelHead{.name = "linearsvc",
                .requested_kernel = kernel.spec(),
                .settings = settings_of(linearsvc_option_table(), options),
                .output_names = {data.targets.columns().front().name},
                .classes = labeled.levels,
                .report = std::move(report)},
      LinearSvcModel::Parts{{.kernel = resolved, .machines = std::move(machines), .input = std::move(input)}, code});
}

std::unique_ptr<LinearSvrModel> fit_linearsvr(const Kernel& kernel, const LinearSvrOptions& options,
                                              const TrainingData& data, const Run& run) {
  options.validate();
  require_targets(data);
  FitReport report;
  PhaseTimer timer(report);
  timer.start("data");
  const std::vector<Index> counted = weighted_rows(data, "linearsvr");
  LinearRows rows = linear_rows("linearsvr", kernel, data, counted, run);
  const Kernel resolved = rows.map ? rows.map->kernel() : kernel;
  const Samples& samples = rows.vectors;
  const std::vector<double> weights = weights_or_ones(data.weights, counted);
  std::vector<double> bounds;
  for (const double weight : weights) {
    bounds.push_back(options.C * weight);
  }
  timer.start("solve");
  std::vector<double> scales(data.targets.outputs());
  SolvedMachines all = solve_all(data.targets.outputs(), samples.columns(), run, [&](Index o, const Run& inner) {
    const TargetColumn& output = data.targets.columns()[o];
    const ScaledTargets y = scaled_targets(output.finite_values(counted), weights, options);
    LinearSvmResult result = solve_linear_svm(
        {samples, y.values, bounds}, options.solver(options.loss, scaled_tube(options.epsilon, y.scale)), inner);
    scales[o] = y.scale;
    for (double& weight : result.weights) {
      weight *= y.scale;
    }
    result.intercept = y.shift + y.scale * result.intercept;
    return result;
  });
  add_to_report(all, report);
  if (options.intercept == LinearIntercept::exact) {
    note_wide_tubes(data.targets, counted, options.epsilon, scales, report);
  }
  std::vector<std::string> names;
  for (const TargetColumn& column : data.targets.columns()) {
    names.push_back(column.name);
  }
  timer.start("vocabulary");
  ExplicitInput input = linear_input(std::move(rows), all.machines, run);
  timer.stop();
  return std::make_unique<LinearSvrModel>(
      ModelHead{.name = "linearsvr",
                .requested_kernel = kernel.spec(),
                .settings = settings_of(linearsvr_option_table(), options),
                .output_names = std::move(names),
                .report = std::move(report)},
      LinearSvrModel::Parts{{.kernel = resolved, .machines = std::move(all.machines), .input = std::move(input)}});
}

}  // namespace mercer
