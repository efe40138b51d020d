#include "mercer/models/risk/risk_ground.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/power_of_two.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/low_rank.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"
#include "mercer/models/kernel_machine/machine_problem.h"
#include "mercer/models/parametric_projection.h"
#include "mercer/models/required_definiteness.h"
#include "mercer/solvers/risk/risk_solver.h"

namespace mercer {

namespace {

// A power of four, whose root is no rounding either.
double power_of_four_near(double value) {
  const double power = power_of_two_near(value);
  const int exponent = std::ilogb(power);
  return std::ldexp(1.0, exponent - (exponent % 2 != 0 ? 1 : 0));
}

}  // namespace

RiskGround::RiskGround(const char* model, const Kernel& kernel, Samples samples, const RiskMachineOptions& options,
                       const Run& run)
    : kernel_(kernel),
      samples_(std::move(samples)),
      options_(options),
      run_(run),
      basis_(samples_, options.free_part()) {
  const auto n = static_cast<double>(samples_.size());
  const double columns = options.rank > 0 ? 1.25 * std::min(n, static_cast<double>(options.rank)) : n;
  const double matrices = options.norm == RiskNorm::coefficients ? 8 : 4;
  require_machine_memory(model, 8 * matrices * n * columns, options.memory_mb,
                         options.rank > 0 ? "a smaller rank" : "fewer rows, or a rank");
  if (options.norm == RiskNorm::function) {
    require_definite(model, kernel_, samples_, options.parametric, NormRemedies::parametric, run);
  }
  if (options.parametric_price > 0) {
    priced_ = centered_functions(options.parametric, samples_, 1 / std::sqrt(options.parametric_price));
  }
  if (options.rank > 0) {
    take_factor(model);
  } else {
    take_whole_matrix();
  }
}

void RiskGround::take_whole_matrix() {
  const PreparedKernel prepared(kernel_, samples_, Precision::double_precision, run_);
  k_ = Matrix<double>(samples_.size(), samples_.size());
  evaluate_gram<double>(prepared, Triangle::both, k_.view(), run_);
  if (options_.norm == RiskNorm::function && !kernel_.definiteness().is_positive()) {
    kernel_times_basis_ = project_out<double>(k_.view(), basis_.q(), PositionOfBasis::inside, run_).kernel_times_basis;
    mirror_lower<double>(k_.view(), run_);
  }
  double mean = 0;
  for (Index i = 0; i < k_.rows(); ++i) {
    mean += std::abs(k_(i, i)) / static_cast<double>(k_.rows());
  }
  kernel_unit_ = power_of_two_near(mean);
  for (Index i = 0; i < k_.rows(); ++i) {
    scale(1 / kernel_unit_, k_.view().row(i));
  }
}

void RiskGround::take_factor(const char* model) {
  if (!kernel_.definiteness().is_positive()) {
    throw InvalidArgument(std::string(model) + ": rank = " + std::to_string(options_.rank) + ": the kernel " +
                          kernel_.spec() +
                          " is positive definite only beside functions, and a matrix of few rows stands for it only "
                          "where it is so by itself: leave out rank, or take another kernel");
  }
  const KernelGram<double> gram(
      std::make_shared<const PreparedKernel>(kernel_, samples_, Precision::double_precision, run_));
  const LowRankGram<double> low =
      LowRankGram<double>::pivoted(gram, {.max_rank = std::min(options_.rank, samples_.size())}, run_);
  factor_ = Matrix<double>::copy_of(low.factor());
  pivots_ = low.pivots();
  const std::vector<double>& errors = low.trace_errors();
  left_out_ = errors.empty() || !(errors.front() > 0) ? 0.0 : std::max(0.0, errors.back() / errors.front());
  kernel_unit_ = power_of_four_near(errors.empty() ? 1.0 : errors.front() / static_cast<double>(samples_.size()));
  for (Index i = 0; i < factor_.rows(); ++i) {
    scale(1 / std::sqrt(kernel_unit_), factor_.view().row(i));
  }
}

// A price μ on coefficients of target units is one of μ·unit on those of divided targets: with Σ|α| beside it the objective is divided
// by the unit, not by its square.
SparseRiskSolution RiskGround::solve_scaled(const RiskProblem& problem, double unit) const {
  const RiskSolverOptions how{.largest_gap = options_.tolerance, .max_iterations = options_.max_iterations};
  if (options_.norm == RiskNorm::function) {
    return {.risk = solve_risk(problem, how, run_), .priced = {}};
  }
  Matrix<double> priced = Matrix<double>::copy_of(priced_.values.view());
  const double factor = 1 / std::sqrt(kernel_unit_ * unit);
  for (Index i = 0; i < priced.rows(); ++i) {
    scale(factor, priced.view().row(i));
  }
  SparseRiskSolution solution =
      solve_sparse_risk({.risk = problem, .priced = priced.view()}, how.largest_gap, how.max_iterations, run_);
  scale(factor, solution.priced);
  return solution;
}

SparseRiskSolution RiskGround::solve(const Loss& loss, std::span<const double> targets, std::span<const double> prices,
                                     double unit) const {
  std::vector<double> scaled(prices.begin(), prices.end());
  scale(kernel_unit_, scaled);
  SparseRiskSolution solution = solve_scaled({.kernel = k_.view(),
                                              .basis = basis_.q(),
                                              .targets = targets,
                                              .prices = scaled,
                                              .loss = loss,
                                              .factor = factor_.view()},
                                             unit);
  RiskSolution& risk = solution.risk;
  scale(1 / kernel_unit_, risk.alpha);
  for (double* const value :
       {&risk.squared_norm, &risk.risk, &risk.objective, &risk.lower_bound, &solution.absolute_sum}) {
    *value /= kernel_unit_;
  }
  return solution;
}

Matrix<double> RiskGround::of_pivots(ConstMatrixView<double> alpha) const {
  const Index rank = factor_.columns();
  Matrix<double> coefficients(rank, alpha.columns());
  parallel_gemm<double>(1.0, factor_.view(), Transpose::yes, alpha, Transpose::no, 0.0, coefficients.view(), run_);
  Matrix<double> own(rank, rank);  // R_P: lower triangular, in the order of the pivots
  for (Index p = 0; p < rank; ++p) {
    std::copy_n(factor_.view().row_data(pivots_[static_cast<std::size_t>(p)]), rank, own.view().row_data(p));
  }
  solve_lower<double>(own.view(), Transpose::yes, coefficients.view(), run_);
  return coefficients;
}

// The constant, and below it the functions with a price, whose means it takes back.
Matrix<double> RiskGround::with_priced(Matrix<double> free, const std::vector<SparseRiskSolution>& solutions,
                                       std::span<const double> units) const {
  const auto count = static_cast<Index>(priced_.means.size());
  if (count == 0) {
    return free;
  }
  Matrix<double> all = Matrix<double>::filled(1 + count, free.columns(), 0.0);
  for (Index o = 0; o < all.columns(); ++o) {
    const auto at = static_cast<std::size_t>(o);
    all(0, o) = free(0, o);
    for (Index p = 0; p < count; ++p) {
      const auto number = static_cast<std::size_t>(p);
      all(1 + p, o) = units[at] * solutions[at].priced[number] / std::sqrt(options_.parametric_price);
      all(0, o) -= all(1 + p, o) * priced_.means[number];
    }
  }
  return all;
}

Expansion RiskGround::expansion(const std::vector<SparseRiskSolution>& solutions, std::span<const double> offsets,
                                std::span<const double> units) const {
  const auto outputs = static_cast<Index>(solutions.size());
  const Index n = samples_.size();
  Matrix<double> alpha(n, outputs);
  Matrix<double> gamma(basis_.q().columns(), outputs);
  for (Index o = 0; o < outputs; ++o) {
    const RiskSolution& solution = solutions[static_cast<std::size_t>(o)].risk;
    const double unit = units[static_cast<std::size_t>(o)];
    for (Index i = 0; i < n; ++i) {
      alpha(i, o) = unit * solution.alpha[static_cast<std::size_t>(i)];
    }
    for (Index j = 0; j < gamma.rows(); ++j) {
      gamma(j, o) = unit * solution.gamma[static_cast<std::size_t>(j)];
    }
  }
  if (kernel_times_basis_.rows() > 0) {
    gemm(-1.0, kernel_times_basis_.view(), Transpose::yes, alpha.view(), Transpose::no, 1.0, gamma.view());
  }
  Matrix<double> parametric = with_priced(basis_.parametric_coefficients(gamma.view()), solutions, units);
  for (Index o = 0; o < outputs && parametric.rows() > 0; ++o) {
    parametric(0, o) += offsets[static_cast<std::size_t>(o)];
  }
  Samples centers = is_factored() ? samples_.select(pivots_) : samples_;
  Matrix<double> coefficients = is_factored() ? of_pivots(alpha.view()) : std::move(alpha);
  return Expansion(kernel_, std::move(centers), std::move(coefficients), options_.parametric, std::move(parametric),
                   Precision::double_precision, run_)
      .pruned(run_);
}

void RiskGround::add_to_report(FitReport& report) const {
  if (is_factored()) {
    report.measures.push_back({"rank of the kernel matrix", static_cast<double>(factor_.columns())});
    report.measures.push_back({"share of the kernel left out", left_out_});
  }
  if (!basis_.dependence().empty()) {
    report.notes.push_back(basis_.dependence());
  }
}

}  // namespace mercer
