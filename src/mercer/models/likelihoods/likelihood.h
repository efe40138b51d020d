// Likelihoods: how an observation y arises from the latent value f, p(y | f). What approximate inference needs of one:
// derivatives by f (Laplace), moments of p(y | f) N(f; m, v) (expectation propagation), derivatives by its own
// parameters (evidence gradients), and the distribution of an observation where f is only known to be N(m, v).
// References: Schölkopf & Smola (2002), 16.1; Rasmussen & Williams (2006), 3 and 5.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/kernels/parameter.h"

namespace mercer {

/// ln p(y | f) and its derivatives by f.
struct LogDensity {
  double value = 0;
  double first = 0;
  double second = 0;
  double third = 0;
};

/// The derivatives of LogDensity's value, first and second by one parameter.
struct ParameterSlope {
  double value = 0;
  double first = 0;
  double second = 0;
};

/// ln Z = ln ∫ p(y | f) N(f; m, v) df and its derivatives by m. The tilted density then has mean m + v first and
/// variance v + v² second.
struct TiltedMoments {
  double log_z = 0;
  double first = 0;
  double second = 0;
};

struct ObservationMoments {
  double mean = 0;
  double variance = 0;  ///< may be infinite (Student-t with ν ≤ 2)
};

/// Immutable. Every function is safe to call from several threads.
class Likelihood {
 public:
  Likelihood() = default;
  virtual ~Likelihood() = default;
  Likelihood(const Likelihood&) = delete;
  Likelihood& operator=(const Likelihood&) = delete;
  Likelihood(Likelihood&&) = delete;
  Likelihood& operator=(Likelihood&&) = delete;

  virtual std::string_view name() const = 0;  ///< "student_t"

  /// Whether y is an observation that this likelihood can produce; target_text() says which those are.
  virtual bool accepts(double y) const = 0;
  virtual std::string_view target_text() const = 0;  ///< "-1 or 1"

  /// Whether ln p is concave in f for every y: curvatures and site precisions are then never negative.
  virtual bool is_log_concave() const = 0;
  /// Whether ln p has a continuous first derivative by f. Newton's method, and so Laplace's approximation, needs it.
  virtual bool is_smooth() const { return true; }

  /// Finite, or −∞ with derivatives that are still finite, for |f| up to 1e4.
  virtual LogDensity log_density(double y, double f) const = 0;

  /// The continuous parameters, and the same family with other values for them (InvalidArgument where not allowed).
  virtual std::vector<ScaleParameter> parameters() const { return {}; }
  virtual std::shared_ptr<const Likelihood> with_parameters(std::span<const double> values) const;
  /// One entry per parameter.
  virtual void parameter_slopes(double y, double f, std::span<ParameterSlope> out) const;

  /// v ≥ 0. Closed form where there is one, otherwise adaptive quadrature to about 1e-12.
  virtual TiltedMoments tilted(double y, double mean, double variance) const;
  /// ∂ ln Z / ∂ parameter, one entry per parameter.
  virtual void tilted_slopes(double y, double mean, double variance, std::span<double> out) const;

  /// Of an observation y where f ~ N(mean, variance).
  virtual ObservationMoments observation_moments(double mean, double variance) const = 0;
  double observation_log_density(double y, double mean, double variance) const {
    return tilted(y, mean, variance).log_z;
  }
  /// P(observation ≤ y).
  virtual double observation_cumulative(double y, double mean, double variance) const;
  /// The smallest y with P(observation ≤ y) ≥ level, 0 < level < 1. Continuous families: to 1e-10 of the spread.
  virtual double observation_quantile(double level, double mean, double variance) const = 0;

 protected:
  /// P(observation ≤ y | f).
  virtual double cumulative(double y, double f) const = 0;
  /// Where the density as a function of f has its features: the maximum or a point beside it first, then one about a
  /// width away from it, then others, such as kinks of its derivatives. Quadrature begins its panels there.
  virtual std::vector<double> landmarks(double y) const = 0;
  /// Half the width of the strip around the real axis in which p(y | f) is analytic in f; 0: it has kinks, or none is
  /// known.
  virtual double analytic_width() const { return 0; }
};

using LikelihoodPtr = std::shared_ptr<const Likelihood>;

}  // namespace mercer
