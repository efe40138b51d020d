#include "mercer/solvers/risk/risk_dual_program.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

}  // namespace

std::vector<double> RiskDualProgram::signed_multipliers(std::span<const double> x) const {
  const auto n = static_cast<std::size_t>(rows);
  std::vector<double> a(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n));
  for (std::size_t i = 0; x.size() > n && i < n; ++i) {
    a[i] -= x[n + i];
  }
  return a;
}

RiskDualProgram risk_dual_program(const RiskProblem& problem, const LossConjugate& form,
                                  std::shared_ptr<const QuadraticTerm> quadratic) {
  const Index n = problem.size();
  const Index q = problem.basis.columns();
  const bool has_sides = form.tube > 0;
  const Index size = has_sides ? 2 * n : n;
  RiskDualProgram dual{.rows = n, .program = {}, .equations = {}};
  ConvexProgram& program = dual.program;
  program.quadratic = std::move(quadratic);
  if (has_sides) {
    program.quadratic = std::make_shared<MirroredQuadratic>(program.quadratic);
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

double conjugate_sum(const RiskProblem& problem, std::span<const double> a) {
  const LossConjugate form = problem.loss.conjugate_form().value();
  double sum = 0;
  for (Index i = 0; i < problem.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double u = std::clamp(-problem.sign(i) * a[at] / problem.prices[at], form.lower, form.upper);
    sum += problem.prices[at] * problem.loss.conjugate(u);
    sum -= problem.is_residual() ? problem.targets[at] * a[at] : 0.0;
  }
  return sum;
}

}  // namespace mercer
