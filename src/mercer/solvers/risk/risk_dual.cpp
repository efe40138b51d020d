#include "mercer/solvers/risk/risk_dual.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "mercer/solvers/convex/program/mirrored_quadratic.h"

namespace mercer {

namespace {

/// Σ p_i s(u_i), u_i = −s_iα_i/p_i; with a tube of the 2n sides, where u is −a⁺/p and a⁻/p and s is even.
class ConjugateTerm final : public SeparableTerm {
 public:
  ConjugateTerm(const RiskProblem& problem, Index size) : problem_(problem), size_(size) {}

  Index size() const override { return size_; }
  bool present(Index /*i*/) const override { return true; }
  double value(Index i, double x) const override { return price(i) * part(i, x).value; }
  double slope(Index i, double x) const override { return -sign(i) * part(i, x).slope; }
  double curvature(Index i, double x) const override {
    // Powers below 2 have no finite one at 0: as finite, which changes steps and no solution.
    return std::min(part(i, x).curvature, 1e100) / price(i);
  }

 private:
  Index row(Index i) const { return i % problem_.size(); }
  double price(Index i) const { return problem_.prices[static_cast<std::size_t>(row(i))]; }
  double sign(Index i) const { return i < problem_.size() ? problem_.sign(i) : -1.0; }
  SmoothPart part(Index i, double x) const { return problem_.loss.conjugate_part(-sign(i) * x / price(i)); }

  const RiskProblem& problem_;
  Index size_;
};

struct DualProgram {
  ConvexProgram program;
  Matrix<double> equations;
};

DualProgram make_program(const RiskProblem& problem, const LossConjugate& form) {
  const Index n = problem.size();
  const Index q = problem.basis.columns();
  const bool has_sides = form.tube > 0;
  const Index size = has_sides ? 2 * n : n;
  DualProgram dual;
  ConvexProgram& program = dual.program;
  const auto kernel = std::make_shared<DenseQuadratic>(problem.kernel);
  program.quadratic = kernel;
  if (has_sides) {
    program.quadratic = std::make_shared<MirroredQuadratic>(kernel);
  }
  if (form.has_smooth_part) {
    program.separable = std::make_shared<ConjugateTerm>(problem, size);
  }
  dual.equations = Matrix<double>(q, size);
  for (Index i = 0; i < size; ++i) {
    const Index row = i % n;
    const auto at = static_cast<std::size_t>(row);
    const double price = problem.prices[at];
    const double side = i < n ? 1.0 : -1.0;
    const double sign = side * problem.sign(row);
    program.linear.push_back((problem.is_residual() ? -side * problem.targets[at] : 0.0) - sign * form.shift +
                             form.tube);
    program.lower.push_back(has_sides ? 0.0 : price * (sign > 0 ? -form.upper : form.lower));
    program.upper.push_back(price * (sign > 0 ? -form.lower : form.upper));
    for (Index j = 0; j < q; ++j) {
      dual.equations(j, i) = side * problem.basis(row, j);
    }
  }
  program.equality = dual.equations.view();
  program.equality_values.assign(static_cast<std::size_t>(q), 0.0);
  return dual;
}

// Where the loss is flat at a row, its α is 0: what the method leaves there is its distance from the bound.
void drop_flat_rows(const RiskProblem& problem, RiskSolution& solution) {
  double largest = 0;
  for (const double a : solution.alpha) {
    largest = std::max(largest, std::abs(a));
  }
  for (Index i = 0; i < problem.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const SlopeRange slopes = problem.loss.slopes(problem.argument(i, solution.values[at]));
    if (slopes.left == 0 && slopes.right == 0 && std::abs(solution.alpha[at]) <= 1e-6 * largest) {
      solution.alpha[at] = 0;
    }
  }
}

}  // namespace

RiskSolution solve_risk_dual(const RiskProblem& problem, const RiskDualOptions& options, const Run& run) {
  require_valid(problem);
  const std::optional<LossConjugate> form = problem.loss.conjugate_form();
  if (!form) {
    throw InvalidArgument("regularized risk: the loss has no conjugate in closed form: take the primal");
  }
  const DualProgram dual = make_program(problem, *form);
  const ConvexSolution found = solve_convex_program(
      dual.program,
      {.tolerance = options.tolerance, .max_iterations = options.max_iterations, .certificates = Certificates::off},
      run);
  const auto n = static_cast<std::size_t>(problem.size());
  RiskSolution solution;
  solution.iterations = found.iterations;
  solution.alpha.assign(found.point.x.begin(), found.point.x.begin() + static_cast<std::ptrdiff_t>(n));
  if (form->tube > 0) {
    for (std::size_t i = 0; i < n; ++i) {
      solution.alpha[i] -= found.point.x[n + i];
    }
  }
  for (const double multiplier : found.point.equality_multipliers) {
    solution.gamma.push_back(-multiplier);
  }
  evaluate_risk(problem, solution);
  drop_flat_rows(problem, solution);
  evaluate_risk(problem, solution);
  set_gap(solution, -found.primal, plain_solution(problem).objective);
  const bool met = std::abs(solution.relative_gap) <= options.largest_gap;
  solution.status = found.status == ProgramStatus::iteration_limit ? SolveStatus::iteration_limit
                    : met                                          ? SolveStatus::converged
                                                                   : SolveStatus::stalled;
  solution.optimality = met ? Optimality::minimum : Optimality::none;
  if (!met) {
    const std::string why =
        found.status == ProgramStatus::converged
            ? "the dual is solved, but its multipliers are too large for this function to be told from "
              "a better one; try a smaller C"
            : found.message;
    solution.message = "the duality gap is " + shortest(solution.relative_gap) + " of the objective: " + why;
  }
  return solution;
}

}  // namespace mercer
