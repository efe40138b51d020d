#include "mercer/theory/losses/loss_list.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/theory/losses/margin_losses.h"
#include "mercer/theory/losses/residual_losses.h"

namespace mercer {

namespace {

std::array<LossEntry, 9> residual_entries() {
  using enum LossParameter;
  constexpr LossArgument residual = LossArgument::residual;
  return {{
      {LossKind::epsilon_insensitive,
       residual,
       "max(|r| - epsilon, 0)",
       "sgn r outside the tube, 0 inside",
       "exp(-c)/(2(1 + epsilon))",
       "epsilon |u|, |u| <= 1",
       {epsilon},
       "flat near 0: rows inside the tube drop out"},
      {LossKind::laplace, residual, "|r|", "sgn r", "exp(-c)/2", "0, |u| <= 1", {}, "its minimum is the median"},
      {LossKind::squared, residual, "r^2/2", "r", "exp(-c)/sqrt(2 pi)", "u^2/2", {}, "its minimum is the mean"},
      {LossKind::squared_epsilon_insensitive,
       residual,
       "max(|r| - epsilon, 0)^2/2",
       "r -+ epsilon outside the tube, 0 inside",
       "exp(-c)/(2 epsilon + sqrt(2 pi))",
       "epsilon |u| + u^2/2",
       {epsilon},
       "smooth, with a tube"},
      {LossKind::huber,
       residual,
       "r^2/(2 sigma) up to |r| = sigma, then |r| - sigma/2",
       "r/sigma, at most 1 in size",
       "exp(-c)/(sqrt(2 pi sigma) erf(sqrt(sigma/2)) + 2 exp(-sigma/2))",
       "sigma u^2/2, |u| <= 1",
       {sigma},
       "slope at most 1, curvature 1/sigma: textbooks' is sigma times this one"},
      {LossKind::polynomial,
       residual,
       "|r|^p/p",
       "|r|^(p-1) sgn r",
       "exp(-c)/(2 p^(1/p - 1) Gamma(1/p))",
       "|u|^q/q, 1/p + 1/q = 1",
       {exponent},
       "exponent 1 is laplace, 2 squared"},
      {LossKind::piecewise_polynomial,
       residual,
       "|r|^p/(p sigma^(p-1)) up to |r| = sigma, then |r| - sigma (p-1)/p",
       "(|r|/sigma)^(p-1) sgn r, at most 1 in size",
       "exp(-c)/((2/p) (p sigma^(p-1))^(1/p) gamma(1/p, sigma/p) + 2 exp(-sigma/p))",
       "sigma |u|^q/q, |u| <= 1, 1/p + 1/q = 1",
       {exponent, sigma},
       "exponent 2 is huber"},
      {LossKind::quantile,
       residual,
       "(1 - q) r above 0, -q r below",
       "1 - q above 0, -q below",
       "q (1 - q) exp(-c)",
       "0, -q <= u <= 1 - q",
       {quantile},
       "its minimum is the quantile of level q; r = f - y, so that q is the price of "
       "a prediction that is too low"},
      {LossKind::density,
       residual,
       "-ln p(r) + ln p(0), by a cubic spline through the table, lines beyond its ends",
       "its slope",
       "p/integral of p",
       "",
       {},
       "of a table of residuals and densities; need not be convex"},
  }};
}

std::array<LossEntry, 6> margin_entries() {
  constexpr LossArgument margin = LossArgument::margin;
  return {{
      {LossKind::hinge,
       margin,
       "max(0, 1 - t)",
       "-1 below 1, 0 above",
       "",
       "u, -1 <= u <= 0",
       {},
       "support vector machines; no density has it as its -ln P"},
      {LossKind::squared_hinge,
       margin,
       "max(0, 1 - t)^2",
       "-2 max(0, 1 - t)",
       "",
       "u + u^2/4, u <= 0",
       {},
       "support vector machines with squared slacks"},
      {LossKind::logistic,
       margin,
       "ln(1 + exp(-t))",
       "-1/(1 + exp(t))",
       "P(y|f) = exp(-c) = 1/(1 + exp(-t))",
       "v ln v + (1 - v) ln(1 - v), v = -u in [0, 1]",
       {},
       "kernel logistic regression"},
      {LossKind::exponential,
       margin,
       "exp(-t)",
       "-exp(-t)",
       "",
       "v ln v - v, v = -u >= 0",
       {},
       "boosting; a wrong label has unbounded influence"},
      {LossKind::inverse_complementary_log_log,
       margin,
       "1 - exp(-exp(-t))",
       "-exp(-t - exp(-t))",
       "",
       "",
       {},
       "bounded, so that mistakes far from the border stop to matter; not convex"},
      {LossKind::zero_one, margin, "1 of a negative t, else 0", "0", "", "", {}, "what is counted; no machine fits it"},
  }};
}

std::vector<LossEntry> all_entries() {
  std::vector<LossEntry> list;
  std::ranges::copy(residual_entries(), std::back_inserter(list));
  std::ranges::copy(margin_entries(), std::back_inserter(list));
  return list;
}

}  // namespace

std::span<const LossEntry> loss_list() {
  static const std::vector<LossEntry> list = all_entries();
  return list;
}

const LossEntry& loss_entry(LossKind kind) { return loss_list()[static_cast<std::size_t>(kind)]; }

LossPointer make_loss(LossKind kind, const LossParameters& parameters) {
  switch (kind) {
    case LossKind::epsilon_insensitive:
      return std::make_shared<TubeLoss>(std::make_shared<PowerLoss>(1), parameters.epsilon);
    case LossKind::laplace:
      return std::make_shared<PowerLoss>(1);
    case LossKind::squared:
      return std::make_shared<PowerLoss>(2);
    case LossKind::squared_epsilon_insensitive:
      return std::make_shared<TubeLoss>(std::make_shared<PowerLoss>(2), parameters.epsilon);
    case LossKind::huber:
      return std::make_shared<CappedPowerLoss>(2, parameters.sigma);
    case LossKind::polynomial:
      return std::make_shared<PowerLoss>(parameters.exponent);
    case LossKind::piecewise_polynomial:
      // Of exponent 1 both pieces are |ξ|.
      if (parameters.exponent == 1) {
        return std::make_shared<PowerLoss>(1);
      }
      return std::make_shared<CappedPowerLoss>(parameters.exponent, parameters.sigma);
    case LossKind::quantile:
      return std::make_shared<PinballLoss>(parameters.quantile);
    case LossKind::hinge:
      return std::make_shared<HingeLoss>();
    case LossKind::squared_hinge:
      return std::make_shared<SquaredHingeLoss>();
    case LossKind::logistic:
      return std::make_shared<LogisticLoss>();
    case LossKind::exponential:
      return std::make_shared<ExponentialLoss>();
    case LossKind::inverse_complementary_log_log:
      return std::make_shared<ComplementaryLogLogLoss>();
    case LossKind::zero_one:
      return std::make_shared<ZeroOneLoss>();
    case LossKind::density:
      break;
  }
  throw InvalidArgument("loss: density is made of a table of residuals and densities, not of parameters");
}

}  // namespace mercer
