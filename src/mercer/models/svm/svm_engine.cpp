#include "mercer/models/svm/svm_engine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/wrappers.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/prepared.h"
#include "mercer/kernels/sparse_products.h"
#include "mercer/solvers/convex/primal_svc.h"
#include "mercer/solvers/svm/one_class_dual.h"
#include "mercer/solvers/svm/regression_dual.h"

namespace mercer {

namespace {

// Below this the rounding of float kernel values could hide a violation.
constexpr double float_tolerance = 1e-5;
// Float values with a larger error than this, relative to the spread of the rows in feature space (an offset hides what
// values have in common), are not worth a start.
constexpr double useful_error = 1e-3;

BoxQpOptions solver_options(const SvmSolverOptions& options) {
  return {.tolerance = options.tolerance,
          .max_steps = options.max_steps,
          .shrinking = options.shrinking ? Shrinking::on : Shrinking::off,
          .memory_mb = allowed_memory(options.memory_mb) / bytes_per_megabyte};
}

// Warns of an indefinite kernel.
Definiteness accepted_definiteness(const Kernel& kernel, const Samples& samples, const Run& run) {
  Definiteness definiteness = definiteness_on(kernel, samples, run);
  if (definiteness.is_conditional_up_to(1)) {
    return definiteness;
  }
  if (definiteness.kind == DefinitenessKind::conditional) {
    throw InvalidArgument("the kernel " + kernel.spec() + " is " + to_string(definiteness) +
                          ": a support vector machine has a constant beside it, which covers order 1. Use a kernel of "
                          "order 1 or a positive definite one; svr and svc have functions that cover order 2 with "
                          "parametric=linear, order 3 with parametric=quadratic");
  }
  run.warn("the kernel " + kernel.spec() + " is " + to_string(definiteness) +
           ": the solution is a stationary point, which depends on the start, and not a minimum over all functions");
  return definiteness;
}

template <class T>
std::shared_ptr<const Gram<T>> kernel_gram(const Kernel& kernel, const Samples& samples, const Run& run) {
  return std::make_shared<KernelGram<T>>(
      std::make_shared<const PreparedKernel>(kernel, samples, precision_of<T>, run.quiet()));
}

// Whether data may be float before the kernel sees it, which is half as much to move.
bool rounding_is_harmless(const EntryErrors& errors) {
  constexpr double harmless = 1.5;
  return errors.rounded_before.typical <= harmless * errors.by_the_kernel.typical &&
         errors.rounded_before.worst <= harmless * errors.by_the_kernel.worst;
}

std::span<const double> variables_of(const SvmDual* found) {
  return found != nullptr ? std::span<const double>(found->variables) : std::span<const double>();
}

}  // namespace

Precision SvmSolverOptions::precision() const {
  return tolerance <= float_tolerance ? Precision::double_precision : verify;
}

Samples packed_for_svm(const Samples& samples) {
  if (!worth_densifying(samples)) {
    return samples;
  }
  return std::holds_alternative<SparseRows<float>>(samples.rows()) ? to_dense<float>(samples)
                                                                   : to_dense<double>(samples);
}

Samples packed_for_svm(const Samples& samples, std::span<const Index> rows) {
  Samples chosen = samples.select(rows);
  if (!worth_densifying(samples)) {
    return chosen;
  }
  return std::holds_alternative<SparseRows<float>>(chosen.rows()) ? to_dense<float>(chosen) : to_dense<double>(chosen);
}

namespace {

Samples packed_in_float(const Samples& samples) {
  return worth_densifying(samples) ? to_dense<float>(samples) : to_precision<float>(samples);
}

}  // namespace

SvmEngine::SvmEngine(const Kernel& kernel, const Samples& samples, const SvmSolverOptions& options, const Run& run)
    : options_(solver_options(options)), verifies_in_double_(options.verify == Precision::double_precision) {
  is_conditional_ = accepted_definiteness(kernel, samples, run).kind == DefinitenessKind::conditional;
  // Numbers in double that are written out as dense rows stay for as long as they are looked at.
  full_ = std::make_shared<const LazyGram>([=] { return kernel_gram<double>(kernel, packed_for_svm(samples), run); });
  if (options.tolerance > float_tolerance) {
    const EntryErrors errors = single_precision_errors(kernel, packed_for_svm(samples), run);
    const bool half_the_data = rounding_is_harmless(errors);
    error_ = half_the_data ? errors.rounded_before : errors.by_the_kernel;
    if (error_.worst <= useful_error * error_.spread) {
      single_ = kernel_gram<float>(kernel, half_the_data ? packed_in_float(samples) : packed_for_svm(samples), run);
    }
  }
}

SvmEngine::SvmEngine(const char* model, const Kernel& kernel, const Samples& samples, const SvmSolverOptions& options,
                     const SemiparametricOptions& parametric, const Run& run) {
  if (parametric.is_usual()) {
    *this = SvmEngine(kernel, samples, options, run);
    return;
  }
  semiparametric_ = std::make_shared<SemiparametricMachine>(model, kernel, samples, parametric, options, run);
}

SvmEngine::SvmEngine(Matrix<double> gram, const SvmSolverOptions& options, const Run& /*run*/)
    : options_(solver_options(options)) {
  std::shared_ptr<const Gram<double>> stored = std::make_shared<const DenseGram<double>>(std::move(gram));
  full_ = std::make_shared<const LazyGram>([stored = std::move(stored)] { return stored; });
}

Index SvmEngine::size() const {
  if (semiparametric_) {
    return semiparametric_->size();
  }
  return single_ ? single_->size() : full_->get()->size();
}

SvmEngine SvmEngine::subset(std::span<const Index> rows, double share, const Run& run) const {
  if (semiparametric_) {
    SvmEngine part;
    part.semiparametric_ = semiparametric_->subset(rows, share, run);
    return part;
  }
  SvmEngine part = with_share(share);
  part.single_ = single_ ? single_->subset(rows, run) : nullptr;
  part.full_ = std::make_shared<const LazyGram>([whole = full_, list = std::vector<Index>(rows.begin(), rows.end()),
                                                 run] { return whole->get()->subset(list, run); });
  return part;
}

SvmEngine SvmEngine::about_mean(std::vector<double> shares, const Run& run) const {
  SvmEngine engine = *this;
  engine.single_ = nullptr;
  engine.is_conditional_ = false;  // the centered matrix is positive where the kernel is so beside a constant
  std::vector<Index> rows;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (shares[i] == 0) {
      rows.push_back(static_cast<Index>(i));
    }
  }
  engine.full_ = std::make_shared<const LazyGram>([whole = full_, shares = std::move(shares), rows,
                                                   quiet = run.quiet()] {
    auto centered = std::make_shared<const CenteredGram<double>>(whole->get(), shares, quiet);
    return std::shared_ptr<const Gram<double>>(std::make_shared<const SubsetGram<double>>(std::move(centered), rows));
  });
  return engine;
}

SvmEngine SvmEngine::with_share(double share) const {
  SvmEngine part = *this;
  part.options_.memory_mb *= share;
  return part;
}

namespace {

template <class T>
std::shared_ptr<const Gram<T>> stored_gram(const Gram<T>& gram, const Run& run) {
  std::vector<Index> rows(gram.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  Matrix<T> matrix(gram.size(), gram.size());
  gram.gather(rows, rows, matrix.view(), run);
  return std::make_shared<DenseGram<T>>(std::move(matrix));
}

}  // namespace

SvmEngine SvmEngine::stored(const Run& run) const {
  if (semiparametric_) {
    return *this;
  }
  const double entries = static_cast<double>(size()) * static_cast<double>(size());
  const double allowed = options_.memory_mb * bytes_per_megabyte / 2;
  const double in_float = single_ ? entries * sizeof(float) : 0.0;
  const double in_double = entries * sizeof(double);
  const bool double_is_sure = !single_ || verifies_in_double_;
  const bool is_stored = (single_ ? single_->work_per_entry() : full_->get()->work_per_entry()) == 0;
  if (is_stored || in_float + (double_is_sure ? in_double : 0.0) > allowed) {
    return *this;
  }
  SvmEngine engine = with_share(0.5);
  if (single_) {
    engine.single_ = stored_gram(*single_, run);
  }
  if (in_float + in_double <= allowed) {
    engine.full_ =
        std::make_shared<const LazyGram>([whole = full_, run] { return stored_gram(*whole->get(), run.quiet()); });
  }
  return engine;
}

double SvmEngine::wanted_gap(double unit, GapScale scale) const {
  return options_.tolerance * (scale == GapScale::smaller ? std::min(1.0, unit) : unit);
}

// A solution in float stands where the solver reached the gap there (it may have ended where that was lost in rounding) and
// what rounding may hide of it is at most twice as much.
bool SvmEngine::stands_in_float(const SvmDual& found, double gap) const {
  return (ended_early(found.status) || found.gap <= gap) && float_suffices(found.coefficients, gap);
}

bool SvmEngine::float_suffices(std::span<const double> coefficients, double gap) const {
  return !verifies_in_double_ && single_precision_suffices(error_, coefficients, 2 * gap);
}

// Of predictions: their errors are at most the gap.
Precision SvmEngine::value_precision(std::span<const double> coefficients, double gap) const {
  return single_precision_suffices(error_, coefficients, gap) ? Precision::single_precision
                                                              : Precision::double_precision;
}

template <class Solve>
SvmDual SvmEngine::run_solve(Solve solve, GapScale scale) const {
  SvmDual found;
  if (single_) {
    found = solve(*single_, options_, nullptr);
    const double gap = wanted_gap(found.unit, scale);
    found.kernel_precision = value_precision(found.coefficients, gap);
    if (stands_in_float(found, gap)) {
      return found;
    }
  }
  SvmDual dual = solve(*full_->get(), options_, single_ ? &found : nullptr);
  dual.steps += found.steps;
  dual.kernel_precision = Precision::double_precision;
  if (dual.status == SolveStatus::converged && hides_gaps_in_double(dual)) {
    dual.status = SolveStatus::stalled;
  }
  return dual;
}

// Whether rounding of kernel values in double could hide a gap above the tolerance: the same bound as for float, each value
// good to half a unit in the last place of the largest. A unit of 0 is known as well as it can be.
bool SvmEngine::hides_gaps_in_double(const SvmDual& dual) const {
  const std::vector<double> values = diagonal();
  double largest = 0;
  for (const double value : values) {
    largest = std::max(largest, std::abs(value));
  }
  const double rounding = largest * std::numeric_limits<double>::epsilon() / 2;
  const double wanted = options_.tolerance * dual.unit;
  return dual.unit > dual.accuracy &&
         !single_precision_suffices({.typical = rounding, .worst = rounding}, dual.coefficients, wanted);
}

SvmDual SvmEngine::c_svc(std::span<const double> signs, std::span<const double> bounds, const Run& run,
                         std::span<const double> start) const {
  if (semiparametric_) {
    return semiparametric_->c_svc(signs, bounds, run);
  }
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_c_svc(gram, signs, bounds, options, run, found != nullptr ? found->coefficients : start);
  };
  return run_solve(solve);
}

SvmDual SvmEngine::primal_svc(std::span<const double> signs, std::span<const double> bounds, const Run& run) const {
  if (is_conditional_) {
    throw InvalidArgument(
        "formulation = primal has coefficients that do not sum to 0 and needs a positive definite kernel; this one is "
        "so "
        "beside a constant only. Use formulation = dual");
  }
  const double n = static_cast<double>(size());
  const double needed = 8 * (2 * (2 * n + 1) * (2 * n + 1) + n * (4 * n + 1)) / bytes_per_megabyte;
  if (needed > options_.memory_mb) {
    throw InvalidArgument("formulation = primal stores " + shortest(std::ceil(needed)) + " MB for " +
                          std::to_string(size()) + " rows, and " + shortest(std::floor(options_.memory_mb)) +
                          " MB are allowed. Use formulation = dual, or raise memory_mb");
  }
  // Function values to the tolerance: the objective is quadratic in them.
  return solve_primal_svc(*full_->get(), signs, bounds, std::clamp(1e-3 * options_.tolerance, 1e-10, 1e-6), run);
}

SvmDual SvmEngine::l2_svc(std::span<const double> signs, std::span<const double> bounds, const Run& run) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_l2_svc(gram, signs, bounds, options, run,
                        found != nullptr ? found->coefficients : std::span<const double>());
  };
  return run_solve(solve);
}

SvmDual SvmEngine::nu_svc(std::span<const double> signs, double nu, std::span<const double> weights,
                          const Run& run) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_undivided_nu_svc(gram, signs, nu, weights, options, run, variables_of(found));
  };
  SvmDual dual = run_solve(solve);
  divide_by_margin(dual, nu, largest_nu(signs, weights));
  return dual;
}

SvmDual SvmEngine::hard_svc(std::span<const double> signs, std::span<const double> weights, const Run& run) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_hulls(gram, signs, weights, options, run, variables_of(found));
  };
  SvmDual dual = run_solve(solve);
  make_hard_margin(dual, signs);
  return dual;
}

SvmDual SvmEngine::epsilon_svr(std::span<const double> targets, double epsilon, std::span<const double> bounds,
                               const Run& run, std::span<const double> start) const {
  if (semiparametric_) {
    return semiparametric_->epsilon_svr(targets, epsilon, bounds, run);
  }
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_epsilon_svr(gram, targets, epsilon, bounds, options, run,
                             found != nullptr ? found->coefficients : start);
  };
  return run_solve(solve, GapScale::smaller);
}

SvmDual SvmEngine::nu_svr(std::span<const double> targets, double nu, std::span<const double> bounds,
                          const Run& run) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_nu_svr(gram, targets, nu, bounds, options, run, variables_of(found));
  };
  return run_solve(solve, GapScale::smaller);
}

SvmDual SvmEngine::quantile_svr(std::span<const double> targets, double level, std::span<const double> bounds,
                                const Run& run, std::span<const double> start) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_quantile_svr(gram, targets, level, bounds, options, run,
                              found != nullptr ? found->coefficients : start);
  };
  return run_solve(solve, GapScale::smaller);
}

SvmDual SvmEngine::epsilon_svr(std::span<const double> targets, std::span<const double> epsilons,
                               std::span<const double> bounds, const Run& run) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_epsilon_svr(gram, targets, epsilons, bounds, options, run,
                             found != nullptr ? found->coefficients : std::span<const double>());
  };
  return run_solve(solve, GapScale::smaller);
}

SvmDual SvmEngine::hard_nu_svr(std::span<const double> targets, double price, std::span<const double> weights,
                               const Run& run) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_hard_nu_svr(gram, targets, price, weights, options, run, variables_of(found));
  };
  return run_solve(solve, GapScale::smaller);
}

SvmDual SvmEngine::one_sided_svr(std::span<const double> targets, double price, std::span<const double> bounds,
                                 std::span<const double> weights, const Run& run) const {
  if (is_conditional_) {
    throw InvalidArgument(
        "a one-sided regression (sides = above or below) has coefficients that do not sum to 0 and needs a positive "
        "definite kernel; this one is so beside a constant only. Use sides = both");
  }
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_one_sided(gram, targets, price, bounds, weights, options, run, variables_of(found));
  };
  return run_solve(solve, GapScale::smaller);
}

SvmDual SvmEngine::one_class(double nu, std::span<const double> weights, const Run& run,
                             std::span<const double> signs) const {
  if (signs.empty()) {
    const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
      return solve_one_class(gram, nu, weights, options, run, variables_of(found));
    };
    return run_solve(solve);
  }
  if (is_conditional_) {
    throw InvalidArgument(
        "known outliers have coefficients of their own sign, whose sum is not given, and need a positive definite "
        "kernel; "
        "this one is so beside a constant only. Give an origin as well, or no outliers");
  }
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_labeled_one_class(gram, signs, nu, weights, options, run, variables_of(found));
  };
  return run_solve(solve);
}

SvmDual SvmEngine::svdd(double nu, std::span<const double> weights, const Run& run) const {
  const auto solve = [&](const auto& gram, const BoxQpOptions& options, const SvmDual* found) {
    return solve_svdd(gram, nu, weights, options, run, variables_of(found));
  };
  return run_solve(solve);
}

std::vector<double> SvmEngine::diagonal() const {
  std::vector<double> values(size());
  if (single_) {
    single_->diagonal(values);
  } else {
    full_->get()->diagonal(values);
  }
  return values;
}

SupportSet support_set(const Kernel& kernel, std::span<const MachineCoefficients> machines, Index training_rows) {
  std::vector<Index> position(training_rows, kernel.node().depends_on_reference() ? 0 : -1);
  for (const MachineCoefficients& machine : machines) {
    for (std::size_t i = 0; i < machine.rows.size(); ++i) {
      if (machine.coefficients[i] != 0) {
        position[machine.rows[i]] = 0;
      }
    }
  }
  SupportSet set;
  for (Index row = 0; row < training_rows; ++row) {
    if (position[row] == 0) {
      position[row] = static_cast<Index>(set.rows.size());
      set.rows.push_back(row);
    }
  }
  set.coefficients =
      Matrix<double>::filled(static_cast<Index>(set.rows.size()), static_cast<Index>(machines.size()), 0.0);
  for (std::size_t m = 0; m < machines.size(); ++m) {
    for (std::size_t i = 0; i < machines[m].rows.size(); ++i) {
      if (machines[m].coefficients[i] != 0) {
        set.coefficients(position[machines[m].rows[i]], static_cast<Index>(m)) = machines[m].coefficients[i];
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

void note_dependence(const SvmDual& dual, FitReport& report) {
  const std::vector<std::string> notes = report.note_texts();
  if (!dual.dependence.empty() && std::ranges::find(notes, dual.dependence) == notes.end()) {
    report.notes.push_back(dual.dependence);
  }
}

}  // namespace mercer
