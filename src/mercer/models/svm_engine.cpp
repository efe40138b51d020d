#include "mercer/models/svm_engine.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/prepared.h"

namespace mercer {

namespace {

// Below this the rounding of float kernel values could hide a violation.
constexpr double float_tolerance = 1e-5;

double default_memory_mb() {
  const double bytes = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  return bytes / 2 / 1048576.0;
}

BoxQpOptions solver_options(const SvmSolverOptions& options) {
  return {.tolerance = options.tolerance,
          .max_steps = options.max_steps,
          .shrinking = options.shrinking ? Shrinking::on : Shrinking::off,
          .memory_mb = options.memory_mb > 0 ? options.memory_mb : default_memory_mb()};
}

void accept_definiteness(const Kernel& kernel, const Run& run) {
  const Definiteness definiteness = kernel.definiteness();
  if (definiteness.is_positive() || definiteness.is_conditional_up_to(1)) {
    return;
  }
  if (definiteness.kind == DefinitenessKind::conditional) {
    throw InvalidArgument("the kernel " + kernel.spec() + " is " + to_string(definiteness) +
                          ": a support vector machine has a constant beside it, which covers order 1. Use a kernel of "
                          "order 1 or a positive definite one");
  }
  run.warn("the kernel " + kernel.spec() +
           " is indefinite: the solution is a stationary point, which depends on the start, and not a minimum over all "
           "functions");
}

template <class T>
std::shared_ptr<const Gram<T>> kernel_gram(const Kernel& kernel, const Samples& samples, const Run& run) {
  return std::make_shared<KernelGram<T>>(
      std::make_shared<const PreparedKernel>(kernel, samples, precision_of<T>, run.quiet()));
}

double stored_part(const Samples& samples) {
  return std::visit(
      [](const auto& rows) -> double {
        if constexpr (requires { rows.column_numbers; }) {
          const double entries = static_cast<double>(rows.offsets[rows.rows] - rows.offsets[0]);
          return entries / std::max(1.0, static_cast<double>(rows.rows) * static_cast<double>(rows.columns));
        } else {
          return 1.0;
        }
      },
      samples.rows());
}

// Made for the first machine that asks for it, and kept for the others.
struct LateGram {
  std::once_flag once;
  std::shared_ptr<const Gram<double>> gram;
};

std::span<const double> variables_of(const SvmDual* found) {
  return found != nullptr ? std::span<const double>(found->variables) : std::span<const double>();
}

}  // namespace

void SvmSolverOptions::validate(const char* model) const {
  if (!(tolerance > 0) || !std::isfinite(tolerance)) {
    reject_argument(std::string(model) + ": tolerance", tolerance, "a positive number");
  }
}

Precision SvmSolverOptions::precision() const {
  return tolerance <= float_tolerance || verify == "double" ? Precision::double_precision : Precision::single_precision;
}

Samples packed_for_svm(const Samples& samples, const SvmSolverOptions& options) {
  constexpr double dense_part = 1.0 / 3;  // scattered products reach a third of the rate of dense ones
  constexpr Index widest = 4096;
  if (!samples.is_numeric() && samples.kind() != SampleKind::table) {
    return samples;
  }
  const bool in_float = options.precision() == Precision::single_precision;
  const bool to_be_dense =
      samples.kind() == SampleKind::sparse && samples.columns() <= widest && stored_part(samples) > dense_part;
  if (to_be_dense) {
    return in_float ? to_dense<float>(samples) : to_dense<double>(samples);
  }
  return in_float ? to_precision<float>(samples) : samples;
}

SvmEngine::SvmEngine(const Kernel& kernel, const Samples& samples, const SvmSolverOptions& options, const Run& run)
    : options_(solver_options(options)), verifies_in_double_(options.verify == "double") {
  accept_definiteness(kernel, run);
  is_conditional_ = kernel.definiteness().kind == DefinitenessKind::conditional;
  const Samples packed = packed_for_svm(samples, options);
  const bool in_float = options.tolerance > float_tolerance;
  if (in_float) {
    single_ = kernel_gram<float>(kernel, packed, run);
  }
  if (!in_float || verifies_in_double_) {
    full_ = kernel_gram<double>(kernel, packed, run);
  } else {
    SvmSolverOptions in_double = options;
    in_double.verify = "double";
    make_full_ = [kernel, samples, in_double, late = std::make_shared<LateGram>()](const Run& inner) {
      std::call_once(late->once,
                     [&] { late->gram = kernel_gram<double>(kernel, packed_for_svm(samples, in_double), inner); });
      return late->gram;
    };
  }
}

SvmEngine::SvmEngine(Matrix<double> gram, const SvmSolverOptions& options, const Run& /*run*/)
    : options_(solver_options(options)), full_(std::make_shared<DenseGram<double>>(std::move(gram))) {}

Index SvmEngine::size() const { return single_ ? single_->size() : full_->size(); }

SvmEngine SvmEngine::subset(std::span<const Index> rows, double share, const Run& run) const {
  SvmEngine part;
  part.options_ = options_;
  part.options_.memory_mb *= share;
  part.verifies_in_double_ = verifies_in_double_;
  part.is_conditional_ = is_conditional_;
  part.single_ = single_ ? single_->subset(rows, run) : nullptr;
  part.full_ = full_ ? full_->subset(rows, run) : nullptr;
  if (make_full_) {
    part.make_full_ = [make = make_full_, kept = std::vector<Index>(rows.begin(), rows.end())](const Run& inner) {
      return make(inner)->subset(kept, inner);
    };
  }
  return part;
}

SvmEngine SvmEngine::with_share(double share) const {
  SvmEngine part = *this;
  part.options_.memory_mb *= share;
  return part;
}

SvmEngine SvmEngine::stored(const Run& run) const {
  const double entries = static_cast<double>(size()) * static_cast<double>(size());
  const double bytes = entries * static_cast<double>((single_ ? sizeof(float) : 0) + (full_ ? sizeof(double) : 0));
  const bool is_stored = (single_ ? single_->work_per_entry() : full_->work_per_entry()) == 0;
  if (is_stored || bytes > options_.memory_mb * 1048576.0 / 2) {
    return *this;
  }
  SvmEngine engine = with_share(0.5);
  const auto store = [&]<class T>(std::shared_ptr<const Gram<T>>& gram) {
    if (gram) {
      std::vector<Index> rows(static_cast<std::size_t>(size()));
      std::iota(rows.begin(), rows.end(), Index{0});
      Matrix<T> matrix(size(), size());
      gram->gather(rows, rows, matrix.view(), run);
      gram = std::make_shared<DenseGram<T>>(std::move(matrix));
    }
  };
  store(engine.single_);
  store(engine.full_);
  return engine;
}

template <class Solve>
SvmDual SvmEngine::run_solve(Solve solve, FloatCheck check, const Run& run) const {
  if (!single_) {
    return solve(*full_, options_, nullptr);
  }
  const SvmDual found = solve(*single_, options_, nullptr);
  const bool hides_violations = check == FloatCheck::rounding && found.accuracy > options_.tolerance * found.unit;
  const std::shared_ptr<const Gram<double>> full = full_                            ? full_
                                                   : hides_violations && make_full_ ? make_full_(run)
                                                                                    : nullptr;
  if (!full) {
    return found;
  }
  SvmDual dual = solve(*full, options_, &found);
  dual.steps += found.steps;
  return dual;
}

SvmDual SvmEngine::c_svc(std::span<const double> signs, std::span<const double> bounds, const Run& run,
                         std::span<const double> start) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_c_svc(gram, signs, bounds, options, run, found != nullptr ? found->coefficients : start);
  };
  return run_solve(solve, FloatCheck::none, run);
}

SvmDual SvmEngine::l2_svc(std::span<const double> signs, std::span<const double> bounds, const Run& run) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* /*found*/) {
    return solve_l2_svc(gram, signs, bounds, options, run);
  };
  return run_solve(solve, FloatCheck::none, run);
}

SvmDual SvmEngine::nu_svc(std::span<const double> signs, double nu, std::span<const double> weights,
                          const Run& run) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_undivided_nu_svc(gram, signs, nu, weights, options, run, variables_of(found));
  };
  SvmDual dual = run_solve(solve, FloatCheck::rounding, run);
  divide_by_margin(dual, nu, largest_nu(signs, weights));
  return dual;
}

SvmDual SvmEngine::hard_svc(std::span<const double> signs, std::span<const double> weights, const Run& run) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_hulls(gram, signs, weights, options, run, variables_of(found));
  };
  SvmDual dual = run_solve(solve, FloatCheck::rounding, run);
  make_hard_margin(dual, signs);
  return dual;
}

SvmDual SvmEngine::epsilon_svr(std::span<const double> targets, double epsilon, std::span<const double> bounds,
                               const Run& run, std::span<const double> start) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_epsilon_svr(gram, targets, epsilon, bounds, options, run,
                             found != nullptr ? found->coefficients : start);
  };
  return run_solve(solve, FloatCheck::rounding, run);
}

SvmDual SvmEngine::nu_svr(std::span<const double> targets, double nu, std::span<const double> bounds,
                          const Run& run) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_nu_svr(gram, targets, nu, bounds, options, run, variables_of(found));
  };
  return run_solve(solve, FloatCheck::rounding, run);
}

SvmDual SvmEngine::one_class(double nu, std::span<const double> weights, const Run& run) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_one_class(gram, nu, weights, options, run, variables_of(found));
  };
  return run_solve(solve, FloatCheck::rounding, run);
}

SvmDual SvmEngine::svdd(double nu, std::span<const double> weights, const Run& run) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_svdd(gram, nu, weights, options, run, variables_of(found));
  };
  return run_solve(solve, FloatCheck::rounding, run);
}

JointResult SvmEngine::joint(const JointProblem& problem, JointLoss loss, JointOffsets offsets, const Run& run) const {
  if (offsets == JointOffsets::none && is_conditional_) {
    throw InvalidArgument(
        "a joint machine without offsets needs a positive definite kernel; this one is so beside a constant only. Use "
        "multiclass = ww, ovo or ovr");
  }
  const JointOptions options{.loss = loss,
                             .offsets = offsets,
                             .tolerance = options_.tolerance,
                             .max_steps = options_.max_steps,
                             .memory_mb = options_.memory_mb};
  if (!single_) {
    return solve_joint_multiclass(*full_, problem, options, run);
  }
  JointResult found = solve_joint_multiclass(*single_, problem, options, run);
  if (!full_) {
    return found;
  }
  JointProblem again = problem;
  again.start = found.coefficients.view();
  again.start_offsets = found.offsets;
  JointResult verified = solve_joint_multiclass(*full_, again, options, run);
  verified.steps += found.steps;
  return verified;
}

std::vector<double> SvmEngine::diagonal() const {
  std::vector<double> values(static_cast<std::size_t>(size()));
  if (full_) {
    full_->diagonal(values);
  } else {
    single_->diagonal(values);
  }
  return values;
}

SupportSet support_set(const Kernel& kernel, std::span<const MachineCoefficients> machines, Index training_rows) {
  std::vector<Index> position(static_cast<std::size_t>(training_rows), kernel.node().depends_on_reference() ? 0 : -1);
  for (const MachineCoefficients& machine : machines) {
    for (std::size_t i = 0; i < machine.rows.size(); ++i) {
      if (machine.coefficients[i] != 0) {
        position[static_cast<std::size_t>(machine.rows[i])] = 0;
      }
    }
  }
  SupportSet set;
  for (Index row = 0; row < training_rows; ++row) {
    if (position[static_cast<std::size_t>(row)] == 0) {
      position[static_cast<std::size_t>(row)] = static_cast<Index>(set.rows.size());
      set.rows.push_back(row);
    }
  }
  set.coefficients =
      Matrix<double>::filled(static_cast<Index>(set.rows.size()), static_cast<Index>(machines.size()), 0.0);
  for (std::size_t m = 0; m < machines.size(); ++m) {
    for (std::size_t i = 0; i < machines[m].rows.size(); ++i) {
      if (machines[m].coefficients[i] != 0) {
        set.coefficients(position[static_cast<std::size_t>(machines[m].rows[i])], static_cast<Index>(m)) =
            machines[m].coefficients[i];
      }
    }
  }
  return set;
}

void add_to_report(const SvmDual& dual, FitReport& report) {
  report.iterations += dual.steps;
  if (dual.status != SolveStatus::converged) {
    report.status = dual.status;
    report.notes.push_back("a machine ended with a KKT gap of " + shortest(dual.gap) + " (" +
                           std::string(to_string(dual.status)) + ")");
  }
}

}  // namespace mercer
