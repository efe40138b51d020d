#include "mercer/kernels/definiteness.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mercer {

Definiteness Definiteness::conditional(int order) {
  Definiteness result;
  result.kind = order > 0 ? DefinitenessKind::conditional : DefinitenessKind::positive;
  result.order = order;
  return result;
}

Definiteness Definiteness::indefinite() {
  Definiteness result;
  result.kind = DefinitenessKind::indefinite;
  return result;
}

bool Definiteness::is_conditional_up_to(int q) const {
  return kind == DefinitenessKind::positive || (kind == DefinitenessKind::conditional && order <= q);
}

std::string to_string(const Definiteness& definiteness) {
  std::string text;
  switch (definiteness.kind) {
    case DefinitenessKind::positive:
      text = "positive definite";
      break;
    case DefinitenessKind::conditional:
      text = "conditionally positive definite of order " + std::to_string(definiteness.order);
      break;
    case DefinitenessKind::indefinite:
      return definiteness.off_domain.empty() ? "indefinite"
                                             : "indefinite on these samples (" + definiteness.off_domain + ")";
  }
  if (definiteness.domain.nonnegative) {
    text += ", for x >= 0";
  }
  if (definiteness.domain.inside_unit_ball) {
    text += ", for |x| < 1";
  }
  if (definiteness.domain.largest_dimension > 0) {
    text += ", in up to " + std::to_string(definiteness.domain.largest_dimension) +
            (definiteness.domain.largest_dimension == 1 ? " dimension" : " dimensions");
  }
  return text;
}

Domain intersect(const Domain& a, const Domain& b) {
  Domain both;
  both.nonnegative = a.nonnegative || b.nonnegative;
  both.inside_unit_ball = a.inside_unit_ball || b.inside_unit_ball;
  both.largest_dimension = std::max(a.largest_dimension, b.largest_dimension);
  if (a.largest_dimension > 0 && b.largest_dimension > 0) {
    both.largest_dimension = std::min(a.largest_dimension, b.largest_dimension);
  }
  return both;
}

Definiteness definiteness_of_sum(const Definiteness& a, const Definiteness& b) {
  if (a.kind == DefinitenessKind::indefinite || b.kind == DefinitenessKind::indefinite) {
    return Definiteness::indefinite();
  }
  Definiteness sum = Definiteness::conditional(std::max(a.order, b.order));
  sum.domain = intersect(a.domain, b.domain);
  sum.nonpositive = a.nonpositive && b.nonpositive;
  sum.constant = a.constant && b.constant;
  return sum;
}

Definiteness definiteness_of_product(const Definiteness& a, const Definiteness& b) {
  for (const auto& [factor, other] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
    if (factor->constant && factor->is_positive()) {
      Definiteness scaled = *other;
      scaled.domain = intersect(a.domain, b.domain);
      return scaled;
    }
  }
  if (!a.is_positive() || !b.is_positive()) {
    return Definiteness::indefinite();
  }
  Definiteness product;
  product.domain = intersect(a.domain, b.domain);
  product.infinitely_divisible = a.infinitely_divisible && b.infinitely_divisible;
  return product;
}

Definiteness definiteness_of_scaled(double factor, const Definiteness& a) {
  if (factor >= 0) {
    return a;
  }
  if (!a.constant || !a.is_positive()) {
    return Definiteness::indefinite();
  }
  Definiteness result = Definiteness::conditional(1);
  result.domain = a.domain;
  result.nonpositive = true;
  result.constant = true;
  return result;
}

Definiteness definiteness_of_polynomial(const Definiteness& a, double coef0) {
  if (!a.is_positive() || !(coef0 >= 0)) {
    return Definiteness::indefinite();
  }
  Definiteness result;
  result.domain = a.domain;
  result.infinitely_divisible = a.infinitely_divisible && coef0 == 0;
  result.constant = a.constant;
  return result;
}

Definiteness definiteness_of_power(const Definiteness& a, double exponent) {
  const bool whole = exponent >= 0 && exponent == std::floor(exponent);
  if (a.is_positive() && (whole || (exponent > 0 && a.infinitely_divisible))) {
    return a;
  }
  return Definiteness::indefinite();
}

Definiteness definiteness_of_exponential(const Definiteness& a) {
  if (!a.is_conditional_up_to(1)) {
    return Definiteness::indefinite();
  }
  Definiteness result;
  result.domain = a.domain;
  result.infinitely_divisible = true;
  return result;
}

Definiteness definiteness_of_shifted_origin(const Definiteness& a) {
  Definiteness result = a.is_conditional_up_to(1) ? Definiteness::positive() : Definiteness::indefinite();
  if (result.is_positive()) {
    result.domain = a.domain;
  }
  return result;
}

}  // namespace mercer
