// Predictor and corrector in general: f(x + ξ) = 0 where f is a simple part, easy to invert, and a rest T that matters at
// second order. The predictor leaves T out, the corrector puts it in where the predictor ended,
//
//   simple(ξ_p) = −f(x),    simple(ξ_c) = −f(x) − T(ξ_p),    x ← x + ξ_c,
//
// two solves with one factor: what interior_point.h does with its complementarity. For f₀ + aξ + ½bξ² with T = ½bξ² the
// corrector leaves less than the predictor if −2 − 2√2 < b f₀/a² < 2√2 − 2 (and f₀, b are not 0).
// Reference: Schölkopf & Smola (2002), algorithm 6.5, (6.32)-(6.36).
#pragma once

namespace mercer {

template <class Value>
struct PredictorCorrector {
  Value predictor;
  Value corrector;
};

/// `solve(r)` gives ξ with simple(ξ) = r; values are added and negated.
template <class Value, class Solve, class Rest>
PredictorCorrector<Value> predict_and_correct(const Value& residual, Solve solve, Rest rest) {
  const Value predictor = solve(-residual);
  return PredictorCorrector<Value>{predictor, solve(-residual - rest(predictor))};
}

/// Whether the corrector's residual is smaller than the predictor's for f₀ + aξ + ½bξ² with the simple part f₀ + aξ.
constexpr bool corrector_helps(double f0, double a, double b) {
  const double share = b * f0 / (a * a);
  constexpr double root_of_two = 1.41421356237309504880;
  return share > -2 - 2 * root_of_two && share < 2 * root_of_two - 2 && share != 0;
}

}  // namespace mercer
