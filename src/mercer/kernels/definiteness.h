// Definiteness: what is known about the Gram matrices of a kernel before any data is seen.
//
//   positive           αᵀKα ≥ 0 for all α (the book's "positive definite" = semidefinite)
//   conditional(q)     αᵀKα ≥ 0 where Σ_i α_i p(x_i) = 0 for every polynomial p of degree < q; order 1: Σα = 0
//   indefinite         no such promise
//
// The algebra of kernels propagates it; where it holds only on part of the input space, `domain` says where, and the
// samples are checked against that when they are prepared. Reference: Schölkopf & Smola (2002), sections 2.2, 2.4.
#pragma once

#include <string>

#include "mercer/base/index.h"

namespace mercer {

enum class DefinitenessKind { positive, conditional, indefinite };

/// Where the definiteness holds: an intersection of conditions on the inputs.
struct Domain {
  bool nonnegative = false;       ///< x_j ≥ 0
  bool inside_unit_ball = false;  ///< ‖x‖ < 1
  Index largest_dimension = 0;    ///< at most so many columns; 0: any number

  bool operator==(const Domain&) const = default;
};

struct Definiteness {
  DefinitenessKind kind = DefinitenessKind::positive;
  int order = 0;  ///< of a conditional kernel; 0 for positive ones
  Domain domain = {};
  bool nonpositive = false;           ///< every value is ≤ 0: −(−k)^a and −ln(1−k) of a conditional kernel need it
  bool infinitely_divisible = false;  ///< k^t is positive for every t > 0
  bool constant = false;              ///< the same value for every pair; of either sign it is conditional of order 1
  std::string off_domain = {};        ///< for people: which sample lies off the domain, where one was looked for

  static Definiteness positive() { return {}; }
  static Definiteness conditional(int order);
  static Definiteness indefinite();

  bool is_positive() const { return kind == DefinitenessKind::positive; }
  /// Positive, or conditional of an order ≤ q.
  bool is_conditional_up_to(int q) const;
  bool operator==(const Definiteness&) const = default;
};

/// (γk + c)^d, γ > 0: positive if k is and c ≥ 0. The terms of its expansion make a sum, which is infinitely divisible
/// only for c = 0.
Definiteness definiteness_of_polynomial(const Definiteness& a, double coef0);

/// "positive definite", "conditionally positive definite of order 2", "indefinite", with the domain after it.
std::string to_string(const Definiteness& definiteness);

Domain intersect(const Domain& a, const Domain& b);

/// k₁ + k₂: the weaker of the two, conditional orders by their maximum.
Definiteness definiteness_of_sum(const Definiteness& a, const Definiteness& b);
/// k₁·k₂: positive if both are (Schur); a factor that is a positive constant keeps the other's; otherwise nothing is
/// known.
Definiteness definiteness_of_product(const Definiteness& a, const Definiteness& b);
/// c·k: kept for c ≥ 0; for c < 0 conditional of order 1 where k is constant (cΣα_iΣα_j = 0), else indefinite.
Definiteness definiteness_of_scaled(double factor, const Definiteness& a);
/// k^p: kept for whole p ≥ 0 of a positive kernel, for all p > 0 of an infinitely divisible one.
Definiteness definiteness_of_power(const Definiteness& a, double exponent);
/// exp(k): positive if k is positive or conditional of order 1 (then infinitely divisible).
Definiteness definiteness_of_exponential(const Definiteness& a);
/// k about another origin of its feature space (a point, a mean): positive if k is positive or conditional of order 1.
Definiteness definiteness_of_shifted_origin(const Definiteness& a);

}  // namespace mercer
