#include "mercer/solvers/svm/dual_program.h"

#include <cmath>
#include <utility>

namespace mercer {

BoxQp from_zero(MachineBox box) {
  BoxQp qp;
  qp.start.assign(box.linear.size(), 0.0);
  qp.linear = std::move(box.linear);
  qp.lower = std::move(box.lower);
  qp.upper = std::move(box.upper);
  return qp;
}

BoxQp signed_box(std::span<const double> signs, std::span<const double> bounds) {
  BoxQp qp = from_zero(classifier_box(signs, bounds));
  std::fill(qp.linear.begin(), qp.linear.end(), 0.0);
  return qp;
}

void balance(std::vector<double>& start) {
  double positive = 0;
  double negative = 0;
  for (const double beta : start) {
    (beta > 0 ? positive : negative) += beta;
  }
  // Within rounding it is left alone: scaling would move every coefficient off its bound.
  if (std::abs(positive + negative) <= 1e-12 * std::max(positive, -negative)) {
    return;
  }
  for (double& beta : start) {
    if (beta > 0 && positive > -negative) {
      beta *= -negative / positive;
    } else if (beta < 0 && -negative > positive) {
      beta *= positive / -negative;
    }
  }
}

void go_on_from(BoxQp& qp, std::span<const double> variables) {
  for (std::size_t t = 0; t < variables.size(); ++t) {
    qp.start[t] = std::clamp(variables[t], qp.lower[t], qp.upper[t]);
  }
}

void use_start(BoxQp& qp, std::span<const double> start) {
  const std::size_t rows = start.size();
  for (std::size_t i = 0; i < rows; ++i) {
    if (qp.start.size() == rows) {
      qp.start[i] = std::clamp(start[i], qp.lower[i], qp.upper[i]);
    } else {
      qp.start[i] = std::clamp(start[i], 0.0, qp.upper[i]);
      qp.start[rows + i] = std::clamp(start[i], qp.lower[rows + i], 0.0);
    }
  }
}

SvmDual from_solution(BoxQpResult&& solution, const BoxQp& qp, std::size_t rows) {
  SvmDual dual;
  dual.coefficients.assign(solution.coefficients.begin(), solution.coefficients.begin() + static_cast<Index>(rows));
  for (std::size_t t = rows; t < solution.coefficients.size(); ++t) {
    dual.coefficients[t - rows] += solution.coefficients[t];
  }
  for (std::size_t t = 0; t < solution.coefficients.size(); ++t) {
    const double beta = solution.coefficients[t];
    dual.bounded += beta != 0 && (beta == qp.lower[t] || beta == qp.upper[t]) ? 1 : 0;
  }
  dual.values = std::move(solution.values);
  dual.objective = solution.objective;
  dual.gap = solution.gap;
  dual.unit = solution.unit;
  dual.accuracy = solution.accuracy;
  dual.steps = solution.steps;
  dual.rounds = solution.rounds;
  dual.status = solution.status;
  dual.variables = std::move(solution.coefficients);
  return dual;
}

}  // namespace mercer
