// The functions of probability that likelihoods, quantiles and draws are made of, each without overflow and accurate in
// the tails.
#pragma once

namespace mercer {

/// ln Γ(x) for x > 0; unlike std::lgamma it touches no global variable.
double log_gamma(double x);

/// ln(e^a + e^b); −∞ is allowed.
double log_add_exp(double a, double b);

/// e^(x²) erfc(x) for x ≥ 0; relative error about 1e-15.
double scaled_erfc(double x);

/// ln Φ(x) of the standard normal distribution, for any x: −x²/2 − … far to the left.
double log_normal_cumulative(double x);
double normal_cumulative(double x);
/// Φ⁻¹(p), 0 < p < 1; relative error about 1e-15 of the probability.
double normal_quantile(double p);

/// φ(x)/Φ(x) and the sum φ(x)/Φ(x) + x, which tends to 0 for x → −∞ without loss of digits. Both are positive.
struct NormalHazard {
  double ratio = 0;
  double excess = 0;
};
NormalHazard normal_hazard(double x);

/// The regularised upper incomplete gamma function Q(a, x), a > 0, x ≥ 0: P(Poisson(x) < a) for whole a. Relative
/// error about 1e-13.
double upper_incomplete_gamma(double a, double x);

/// The regularised incomplete beta function I_x(a, b), a, b > 0, 0 ≤ x ≤ 1 (Lentz's continued fraction).
double incomplete_beta(double a, double b, double x);

/// P(T ≤ t) of Student's distribution with ν degrees of freedom.
double student_cumulative(double t, double degrees_of_freedom);

}  // namespace mercer
