// Loss: what a prediction f costs where the truth is y, as a function c of one number: of the residual ξ = f − y, or of the
// margin t = y f with y = ±1. Everything that a machine, a listing or a test asks of a loss is here; which losses there
// are is in loss_list.h. A loss is immutable.
//
//   value, subdifferential [c'(ξ−), c'(ξ+)], second derivative
//   density of the noise that makes c its −ln p:    p(ξ) = exp(−c(ξ))/Z
//   influence of an observation on an estimate:     ψ(ξ) = c'(ξ)
//   convex conjugate, by which the dual of a machine prices its multipliers:
//
//     c*(u) = sup_ξ (uξ − c(ξ)) = tube·|u| + shift·u + s(u),   lower ≤ u ≤ upper        c(ξ) + c*(u) = uξ  ⇔  u ∈ ∂c(ξ)
//
// with s convex and smooth inside of its bounds: a kink of c* is a line on which c is flat, a bound the steepest slope of c.
// References: Schölkopf & Smola (2002), 3.1-3.3, table 3.1; 9.3, table 9.1; Rockafellar (1970), Convex analysis, 12 and 23.
#pragma once

#include <limits>
#include <memory>
#include <optional>

namespace mercer {

enum class LossArgument { residual, margin };

/// All slopes between a function's left and right derivative at a point; both are the same where it has a derivative.
struct SlopeRange {
  double left = 0;
  double right = 0;

  bool contains(double slope) const { return left <= slope && slope <= right; }
};

/// What of c*(u) = tube·|u| + shift·u + s(u) is numbers; s is Loss::conjugate_part().
struct LossConjugate {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double tube = 0;
  double shift = 0;
  bool has_smooth_part = false;  ///< s is not 0 everywhere
};

/// A convex function at a point.
struct SmoothPart {
  double value = 0;
  double slope = 0;
  double curvature = 0;
};

class Loss {
 public:
  Loss() = default;
  virtual ~Loss() = default;
  Loss(const Loss&) = delete;
  Loss& operator=(const Loss&) = delete;
  Loss(Loss&&) = delete;
  Loss& operator=(Loss&&) = delete;

  virtual LossArgument argument() const = 0;
  virtual bool is_convex() const { return true; }
  /// Whether c has a derivative everywhere.
  virtual bool is_smooth() const = 0;
  /// Whether c is as low as it gets somewhere. False where it falls for ever, however large the margin.
  virtual bool has_minimum() const { return true; }

  virtual double value(double x) const = 0;
  virtual SlopeRange slopes(double x) const = 0;
  /// The second derivative; where it jumps, the larger of its two sides; where it is infinite, infinity.
  virtual double curvature(double x) const = 0;
  /// ψ(x): the derivative, at a kink the middle of its sides.
  double influence(double x) const;

  /// Z = ∫ exp(−c); nothing for losses of margins, which are no density of y, and where the integral is infinite.
  virtual std::optional<double> normalizer() const { return std::nullopt; }
  /// exp(−c(ξ))/Z; nothing where there is no Z.
  std::optional<double> density(double residual) const;

  /// Nothing where c is not convex, or c* is not of the form above.
  virtual std::optional<LossConjugate> conjugate_form() const { return std::nullopt; }
  /// s at u within the bounds. InvalidArgument where there is no conjugate_form().
  virtual SmoothPart conjugate_part(double u) const;
  /// c*(u): infinity outside of the bounds. InvalidArgument likewise.
  double conjugate(double u) const;
};

using LossPointer = std::shared_ptr<const Loss>;

}  // namespace mercer
