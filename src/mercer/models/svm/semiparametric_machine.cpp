#include "mercer/models/svm/semiparametric_machine.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/once.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/product.h"
#include "mercer/models/centered_functions.h"
#include "mercer/models/parametric_basis.h"
#include "mercer/models/parametric_projection.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/solvers/convex/semiparametric.h"

namespace mercer {

void SemiparametricOptions::require_consistent(const char* model) const {
  if (parametric_l1 > 0 && !parametric.uses_columns()) {
    throw InvalidArgument(std::string(model) + ": parametric_l1 = " + shortest(parametric_l1) +
                          " is a price on functions beside the constant, and parametric = " + parametric.text() +
                          " has none: set parametric=linear or another, or leave out parametric_l1");
  }
}

struct SemiparametricMachine::Rows {
  Once made;
  Matrix<double> kernel;
  Matrix<double> kernel_times_basis;  // of kernels that are positive only beside the functions
  std::unique_ptr<ParametricBasis> basis;
  Matrix<double> priced;      // centred, over the price
  std::vector<double> means;  // of the functions with a price
};

namespace {

Matrix<double> whole_matrix(const Gram<double>& gram, const Run& run) {
  std::vector<Index> all(static_cast<std::size_t>(gram.size()));
  std::iota(all.begin(), all.end(), Index{0});
  Matrix<double> matrix(gram.size(), gram.size());
  gram.gather(all, all, matrix.view(), run);
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      matrix(j, i) = matrix(i, j);
    }
  }
  return matrix;
}

}  // namespace

SemiparametricMachine::SemiparametricMachine(const char* model, const Kernel& kernel, const Samples& samples,
                                             const SemiparametricOptions& what, const SvmSolverOptions& how,
                                             const Run& run)
    : model_(model),
      samples_(samples),
      what_(what),
      tolerance_(how.tolerance),
      memory_bytes_(allowed_memory(how.memory_mb)),
      is_conditional_(!kernel.definiteness().is_positive()),
      rows_(std::make_shared<Rows>()) {
  require_columns(model, kernel, what.parametric);
  if (what.parametric_l1 > 0 && is_conditional_ && !kernel.definiteness().is_conditional_up_to(1)) {
    throw InvalidArgument(
        std::string(model) + ": the kernel " + kernel.spec() +
        " needs functions that cost nothing beside it, and parametric_l1 = " + shortest(what.parametric_l1) +
        " prices those of parametric = " + what.parametric.text() + ": leave out parametric_l1");
  }
  require_definite(model, kernel, samples, what.free_part(), NormRemedies::parametric, run);
  gram_ = std::make_shared<KernelGram<double>>(
      std::make_shared<const PreparedKernel>(kernel, samples, Precision::double_precision, run.quiet()));
}

std::shared_ptr<const SemiparametricMachine> SemiparametricMachine::subset(std::span<const Index> rows, double share,
                                                                           const Run& run) const {
  auto part = std::shared_ptr<SemiparametricMachine>(new SemiparametricMachine(*this));
  part->whole_ = gram_;
  part->gram_ = gram_->subset(rows, run);
  part->samples_ = samples_.select(rows);
  part->memory_bytes_ *= share;
  part->rows_ = std::make_shared<Rows>();
  return part;
}

void SemiparametricMachine::require_memory() const {
  const auto n = static_cast<double>(size());
  const double bytes = 2.1 * n * n * sizeof(double);
  if (bytes > memory_bytes_) {
    throw InvalidArgument(model_ + ": parametric = " + what_.parametric.text() +
                          " is solved with the whole matrix of " + std::to_string(size()) + " rows, which needs " +
                          std::to_string(std::llround(bytes / bytes_per_megabyte)) + " MB, the fit may use " +
                          std::to_string(std::llround(memory_bytes_ / bytes_per_megabyte)) +
                          " MB; try fewer rows or a larger memory_mb");
  }
}

const SemiparametricMachine::Rows& SemiparametricMachine::rows(const Run& run) const {
  rows_->made([&] {
    require_memory();
    rows_->basis = std::make_unique<ParametricBasis>(samples_, what_.free_part());
    rows_->kernel = whole_matrix(*gram_, run);
    if (is_conditional_) {
      rows_->kernel_times_basis =
          project_out<double>(rows_->kernel.view(), rows_->basis->q(), PositionOfBasis::inside, run).kernel_times_basis;
      mirror_lower(rows_->kernel.view(), run);
    }
    if (what_.parametric_l1 > 0) {
      CenteredFunctions functions = centered_functions(what_.parametric, samples_, 1 / what_.parametric_l1);
      rows_->priced = std::move(functions.values);
      rows_->means = std::move(functions.means);
    }
  });
  return *rows_;
}

template <class Solve>
SvmDual SemiparametricMachine::solved(Solve solve, const Run& run) const {
  const Rows& rows = this->rows(run);
  const SemiparametricSolution solution =
      solve(SemiparametricRows{std::as_const(rows.kernel).view(), rows.basis->q(), std::as_const(rows.priced).view()});
  SvmDual dual;
  dual.coefficients = solution.coefficients;
  dual.values = solution.values;
  dual.objective = -solution.dual;
  dual.gap = solution.relative_gap;
  dual.steps = solution.iterations;
  dual.status = solution.status;
  dual.bounded = solution.bounded;
  Matrix<double> gamma(rows.basis->q().columns(), 1);
  for (Index p = 0; p < gamma.rows(); ++p) {
    gamma(p, 0) = solution.free[static_cast<std::size_t>(p)];
    for (Index i = 0; is_conditional_ && i < size(); ++i) {
      gamma(p, 0) -= rows.kernel_times_basis(i, p) * dual.coefficients[static_cast<std::size_t>(i)];
    }
  }
  const Matrix<double> free = rows.basis->parametric_coefficients(gamma.view());
  for (Index p = 0; p < free.rows(); ++p) {
    dual.parametric.push_back(free(p, 0));
  }
  for (std::size_t p = 0; p < rows.means.size(); ++p) {
    const double coefficient = solution.priced[p] / what_.parametric_l1;
    dual.parametric.push_back(coefficient);
    dual.parametric.front() -= coefficient * rows.means[p];
  }
  dual.dependence = rows.basis->dependence();
  return dual;
}

SvmDual SemiparametricMachine::c_svc(std::span<const double> signs, std::span<const double> bounds,
                                     const Run& run) const {
  return solved(
      [&](const SemiparametricRows& rows) { return solve_semiparametric_svc(rows, {signs, bounds}, tolerance_, run); },
      run);
}

SvmDual SemiparametricMachine::epsilon_svr(std::span<const double> targets, double epsilon,
                                           std::span<const double> bounds, const Run& run) const {
  SvmDual dual = solved(
      [&](const SemiparametricRows& rows) {
        return solve_semiparametric_svr(rows, {targets, bounds}, epsilon, tolerance_, run);
      },
      run);
  dual.margin = epsilon;
  return dual;
}

}  // namespace mercer
