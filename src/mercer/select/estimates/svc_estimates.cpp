#include "mercer/select/estimates/svc_estimates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/weighted_samples.h"
#include "mercer/gram/alignment.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/wrappers.h"
#include "mercer/models/classes/labeled_rows.h"
#include "mercer/models/compress_support.h"
#include "mercer/models/parametric_basis.h"
#include "mercer/models/svm/svc_training.h"
#include "mercer/select/estimates/enclosing_ball.h"
#include "mercer/select/estimates/mean_field.h"
#include "mercer/select/estimates/semiparametric_mean_field.h"

namespace mercer {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double radius_accuracy = 1e-3;

double centered_alignment(const Gram<double>& gram, std::span<const double> signs, const Run& run) {
  try {
    return target_alignment(gram, signs, Centering::both, run);
  } catch (const NumericalError&) {
    return std::numeric_limits<double>::quiet_NaN();  // a kernel that is constant on these rows
  }
}

// What of a model's options decides its bounds, whichever of the two models it is.
struct Formulation {
  SvcSlack slack = SvcSlack::linear;
  double C = 1;
  std::optional<double> nu;
  std::optional<double> hull = {};  // in place of ν, which is 2/(μΣw) then
  ClassWeights class_weight;
  LabelReading labels = LabelReading::classes;
  double tolerance = 1e-3;
};

void require_a_slack_per_row(bool has_one) {
  if (!has_one) {
    throw InvalidArgument(
        "estimates without refitting: slack = group gives one slack to all rows of a group, and the estimates are for "
        "machines with a slack per row");
  }
}

void require_machines_of_two(const SvcModel& model, Multiclass way) {
  if (model.classes().size() > 2 && is_joint(way)) {
    throw InvalidArgument(
        "estimates without refitting: multiclass = " + std::string(word_of(way)) +
        " solves all classes in one problem, and the estimates are for two-class machines. Fit with " +
        "multiclass = ovo or ovr to have them");
  }
}

Formulation formulation_of(const SvcModel& model) {
  if (const auto* nu = std::get_if<NuSvcOptions>(&model.parts().options)) {
    require_a_slack_per_row(nu->slack == NuSvcSlack::linear);
    require_machines_of_two(model, nu->multiclass);
    return {.nu = nu->nu, .hull = nu->hull, .class_weight = nu->class_weight, .tolerance = nu->tolerance};
  }
  const auto& options = std::get<SvcOptions>(model.parts().options);
  require_a_slack_per_row(options.slack != SvcSlack::group);
  require_machines_of_two(model, options.multiclass);
  if (options.formulation == SvcFormulation::primal) {
    throw InvalidArgument(
        "estimates without refitting: they are for the coefficients of the dual problem, which formulation = primal "
        "does not have. Fit with formulation = dual, the same function, to have them");
  }
  return {.slack = options.slack,
          .C = options.C,
          .nu = {},
          .class_weight = options.class_weight,
          .labels = options.uncertain ? LabelReading::uncertain : LabelReading::classes,
          .tolerance = options.tolerance};
}

[[noreturn]] void reject_data(const std::string& why) {
  throw DataError("this is not what the model was fitted to: " + why +
                  ". Give the training file, with the same rows, targets and weights");
}

LabeledRows matching_rows(const SvcModel& model, const TrainingData& data, const Formulation& formulation) {
  LabeledRows labeled = read_labels("svc", data, formulation.labels, formulation.class_weight);
  if (labeled.levels != model.classes()) {
    reject_data("it has other classes");
  }
  std::vector<Index> number(data.samples.size(), -1);
  for (std::size_t i = 0; i < labeled.rows.size(); ++i) {
    number[labeled.rows[i]] = static_cast<Index>(i);
  }
  for (std::size_t s = 0; s < model.support_rows().size(); ++s) {
    const Index row = model.support_rows()[s];
    if (row == no_training_row) {
      throw InvalidArgument(
          "the model was compressed: its centres are no training rows; inspect the model before that");
    }
    const Index at = row < data.samples.size() ? number[row] : -1;
    if (at < 0 || labeled.classes[at] != model.support_classes()[s]) {
      reject_data("row " + std::to_string(row) + " is a support vector of another class, or not there");
    }
  }
  return labeled;
}

// β of every labelled row (rows) and machine (columns).
Matrix<double> spread_coefficients(const SvcModel& model, const LabeledRows& labeled) {
  const ConstMatrixView<double> given = model.expansion().coefficients();
  Matrix<double> beta = Matrix<double>::filled(static_cast<Index>(labeled.rows.size()), model.code().machines(), 0.0);
  for (std::size_t s = 0; s < model.support_rows().size(); ++s) {
    const auto at = std::lower_bound(labeled.rows.begin(), labeled.rows.end(), model.support_rows()[s]);
    std::copy_n(given.row_data(static_cast<Index>(s)), given.columns(),
                beta.view().row_data(static_cast<Index>(at - labeled.rows.begin())));
  }
  return beta;
}

struct Problem {
  TwoClassMachine machine;
  std::shared_ptr<const Gram<double>> gram;  // of the kernel itself
};

// Where the machine's coefficients are not optimal for these rows, they are other rows.
void require_optimal(const TwoClassMachine& machine, double tolerance) {
  for (Index i = 0; i < machine.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double margin = machine.signs[at] * machine.values[at];
    const double slip = 10 * tolerance + 1e-4 * (1 + std::abs(margin));
    const bool too_low = !machine.is_bound(i) && margin < 1 - slip;
    const bool too_high = machine.is_support(i) && margin > 1 + slip;
    if (too_low || too_high) {
      reject_data("the machine's coefficients are not optimal for row " + std::to_string(i));
    }
  }
}

Problem make_problem(const MachineTask& task, Index number, const Matrix<double>& beta, const Matrix<double>& values,
                     const Formulation& formulation, double gap, const std::shared_ptr<const Gram<double>>& gram,
                     const Run& run) {
  Problem problem;
  TwoClassMachine& machine = problem.machine;
  machine.signs = task.signs;
  machine.gap = gap;
  double sum = 0;
  double weights = 0;
  double scale = 1;  // 1/ρ: coefficients, values and the gap of ν-SVC are those of another machine, divided by ρ
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    machine.alpha.push_back(std::max(0.0, task.signs[i] * beta(task.rows[i], number)));
    machine.values.push_back(values(task.rows[i], number));
    sum += machine.alpha.back();
    weights += task.bounds[i];
  }
  machine.bounds = task.bounds;
  if (formulation.nu) {
    // Σα = νΣw/ρ
    scale = sum / (formulation.hull ? 2 / *formulation.hull : *formulation.nu * weights);
  }
  machine.held_sums = formulation.nu ? HeldSums::each_sign : HeldSums::all;
  for (std::size_t i = 0; i < task.rows.size(); ++i) {
    double& bound = machine.bounds[i];
    if (formulation.nu) {
      bound *= scale;
    } else if (formulation.slack == SvcSlack::squared) {
      machine.ridge.push_back(1 / (2 * formulation.C * bound));
      machine.values[i] += machine.signs[i] * machine.alpha[i] * machine.ridge.back();
      bound = infinite;
    } else {
      bound = formulation.slack == SvcSlack::none ? infinite : bound * formulation.C;
    }
    if (machine.alpha[i] > bound && machine.alpha[i] < bound * (1 + 1e-6)) {
      machine.alpha[i] = bound;
    }
    if (machine.alpha[i] > bound) {
      reject_data("a coefficient is above its bound");
    }
  }
  require_optimal(machine, std::max(formulation.tolerance, machine.gap));
  problem.gram = task.rows.size() == static_cast<std::size_t>(gram->size()) ? gram : gram->subset(task.rows, run);
  return problem;
}

std::shared_ptr<const Gram<double>> make_gram(const Kernel& kernel, const Samples& samples, double memory_mb,
                                              const Run& run) {
  const auto prepared = std::make_shared<const PreparedKernel>(kernel, samples, Precision::double_precision, run);
  const double n = static_cast<double>(samples.size());
  if (8 * n * n <= memory_mb * 1048576) {
    return std::make_shared<DenseGram<double>>(*prepared, run);
  }
  return std::make_shared<KernelGram<double>>(prepared);
}

// Whether a row that all its machines get right is right.
bool decodes_by_agreement(const ClassCode& code) {
  if (code.decoding() == Decoding::votes || code.decoding() == Decoding::graph ||
      code.decoding() == Decoding::largest) {
    return true;
  }
  for (Index m = 0; m < code.machines(); ++m) {
    for (Index c = 0; c < code.classes(); ++c) {
      if (code(m, c) == 0) {
        return false;
      }
    }
  }
  return true;
}

// Functions with a price hold no sum at 0, and the formula of the mean field asks for it.
void require_free_functions(const SvcModel& model) {
  const auto* const options = std::get_if<SvcOptions>(&model.parts().options);
  if (options != nullptr && options->parametric_l1 > 0) {
    throw InvalidArgument(
        "estimates without refitting are known of machines whose functions beside the kernel have no price, this one "
        "has "
        "parametric_l1 = " +
        shortest(options->parametric_l1) + ": score it by folds");
  }
}

// The union over the machines; `count` gives a machine's own, or null.
template <class Count>
std::optional<LeaveOneOutCount> combined(const SvcEstimates& estimates, const std::vector<MachineTask>& tasks,
                                         Count count) {
  LeaveOneOutCount all{.errors = 0, .rows = estimates.rows, .is_error = std::vector<char>(estimates.rows, 0)};
  for (std::size_t m = 0; m < tasks.size(); ++m) {
    const LeaveOneOutCount* const own = count(estimates.machines[m]);
    if (own == nullptr) {
      return std::nullopt;
    }
    for (std::size_t i = 0; i < tasks[m].rows.size(); ++i) {
      char& is_error = all.is_error[tasks[m].rows[i]];
      is_error = is_error != 0 || own->is_error[i] != 0 ? 1 : 0;
    }
  }
  all.errors = std::accumulate(all.is_error.begin(), all.is_error.end(), Index{0});
  return all;
}

void combine(const ClassCode& code, const std::vector<MachineTask>& tasks, SvcEstimates& estimates) {
  if (!decodes_by_agreement(code)) {
    estimates.notes.emplace_back(
        "the code has zeros: machines that are all right may still decode to a wrong class, "
        "so that nothing follows for the whole");
    return;
  }
  estimates.lagrange = combined(estimates, tasks, [](const MachineEstimates& machine) {
    return machine.lagrange ? &*machine.lagrange : nullptr;
  });
  estimates.span_rule = combined(
      estimates, tasks, [](const MachineEstimates& machine) { return machine.rule ? &*machine.rule : nullptr; });
  estimates.span_bound = combined(
      estimates, tasks, [](const MachineEstimates& machine) { return machine.span ? &machine.span->bound : nullptr; });
}

}  // namespace

MachineEstimates semiparametric_estimates(const Gram<double>& gram, const TwoClassMachine& machine,
                                          ConstMatrixView<double> functions, const SvcEstimateOptions& options,
                                          const Run& run) {
  machine.validate();
  MachineEstimates estimates;
  estimates.is_semiparametric = true;
  estimates.rows = machine.size();
  estimates.free = static_cast<Index>(machine.free_rows().size());
  estimates.bound = static_cast<Index>(machine.bound_rows().size());
  estimates.support_vectors = estimates.free + estimates.bound;
  estimates.training_errors = machine.training_errors();
  estimates.alignment = std::numeric_limits<double>::quiet_NaN();
  const std::optional<MeanField> field =
      mean_field(gram, machine.coefficients(), machine.bounds, functions, options.span.max_free, run);
  if (field) {
    estimates.rule = errors_without(*field, machine);
  }
  return estimates;
}

MachineEstimates machine_estimates(const std::shared_ptr<const Gram<double>>& gram, const TwoClassMachine& machine,
                                   const SvcEstimateOptions& options, const Run& run) {
  machine.validate();
  // Of leaving rows out the machine tells on the kernel that it was solved on, of everything else the function f.
  const std::shared_ptr<const Gram<double>> own =
      machine.ridge.empty() ? gram : std::make_shared<ShiftedGram<double>>(gram, machine.ridge);
  MachineEstimates estimates;
  estimates.rows = machine.size();
  estimates.held_sums = machine.held_sums;
  estimates.free = static_cast<Index>(machine.free_rows().size());
  estimates.bound = static_cast<Index>(machine.bound_rows().size());
  estimates.support_vectors = estimates.free + estimates.bound;
  estimates.training_errors = machine.training_errors();
  estimates.squared_norm = machine.squared_norm();
  estimates.squared_radius = enclosing_ball(*gram, radius_accuracy, run, options.memory_mb).squared_radius;
  const double own_squared_radius = machine.ridge.empty()
                                        ? estimates.squared_radius
                                        : enclosing_ball(*own, radius_accuracy, run, options.memory_mb).squared_radius;
  estimates.kernel_range = kernel_range(*own, run);
  estimates.alignment = centered_alignment(*gram, machine.signs, run);
  estimates.bounds = margin_bounds(machine, estimates.squared_radius, options.delta, own_squared_radius);
  if (machine.held_sums == HeldSums::each_sign) {
    // A machine fitted with ν again has another ρ, that is another C: the bounds for a given C say nothing of it.
    estimates.rule = mean_field_errors(*own, machine, options.span.max_free, run);
    return estimates;
  }
  estimates.lagrange = lagrange_bound(machine, estimates.kernel_range);
  estimates.xi_alpha = xi_alpha_estimate(machine, estimates.kernel_range, options.rho);
  estimates.span = span_estimate(*own, machine, 2 * std::sqrt(own_squared_radius), options.span, run);
  if (estimates.span) {
    estimates.rule = estimates.span->rule;
  }
  return estimates;
}

SvcEstimates svc_estimates(const SvcModel& model, const TrainingData& data, const SvcEstimateOptions& options,
                           const Run& run) {
  const ParametricPart part = model.expansion().parametric_part();
  require_free_functions(model);
  const Formulation formulation = formulation_of(model);
  const LabeledRows labeled = matching_rows(model, data, formulation);
  const Samples samples = counted_samples(data.samples, labeled.rows);
  std::vector<Index> numbers(labeled.rows.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});
  const std::vector<MachineTask> tasks = machine_tasks(model.code(), numbers, labeled.classes, labeled.weights);
  const std::shared_ptr<const Gram<double>> gram = make_gram(model.kernel(), samples, options.memory_mb, run);
  const Matrix<double> beta = spread_coefficients(model, labeled);
  const Matrix<double> values = model.decide(samples, run);
  SvcEstimates estimates;
  estimates.rows = samples.size();
  estimates.support_vectors = static_cast<Index>(model.support_rows().size());
  estimates.names = model.decision_names();
  for (std::size_t m = 0; m < tasks.size(); ++m) {
    run.progress("estimates", static_cast<double>(m), static_cast<double>(tasks.size()));
    const Problem problem = make_problem(tasks[m], static_cast<Index>(m), beta, values, formulation,
                                         model.machine_facts()[m].kkt_gap, gram, run);
    estimates.machines.push_back(
        part.is_constant()
            ? machine_estimates(problem.gram, problem.machine, options, run.quiet())
            : semiparametric_estimates(*problem.gram, problem.machine,
                                       ParametricBasis(samples.select(tasks[m].rows), part).q(), options, run.quiet()));
  }
  combine(model.code(), tasks, estimates);
  return estimates;
}

}  // namespace mercer
