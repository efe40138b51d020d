// Densities on the positive unknowns of a Gaussian process; maximising evidence times prior is MAP-II. As text:
//
//   priors := [NAME ":" prior] (";" [NAME ":" prior])*               lengthscale: lognormal(0, 1); noise: gamma(2, 10)
//   prior  := family "(" number "," number ")"
//   family := "lognormal" mean and deviation of ln θ | "gamma" shape and rate | "normal" mean and deviation
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/words.h"

namespace mercer {

enum class PriorFamily { lognormal, gamma, normal };
constexpr auto words_of(PriorFamily) {
  return std::array{Word{PriorFamily::lognormal, "lognormal"}, Word{PriorFamily::gamma, "gamma"},
                    Word{PriorFamily::normal, "normal"}};
}

/// Normalised, over the parameter itself.
class HyperPrior {
 public:
  /// InvalidArgument for numbers that are not finite, and deviations, shapes and rates that are not positive.
  static HyperPrior lognormal(double mean, double deviation);
  static HyperPrior gamma(double shape, double rate);
  static HyperPrior normal(double mean, double deviation);
  /// InvalidArgument where the text is none of these.
  static HyperPrior parse(std::string_view text);

  std::string text() const;

  /// ln p(θ).
  double log_density(double value) const;
  /// d ln p(θ)/dθ.
  double slope(double value) const;

 private:
  HyperPrior(PriorFamily family, double first, double second) : family_(family), first_(first), second_(second) {}
  void require_allowed(std::string_view whole) const;

  PriorFamily family_;
  double first_;
  double second_;
};

struct NamedPrior {
  std::string name;  ///< of an unknown, or how its name ends, with or without its index
  HyperPrior prior;
};

/// An option of models: priors as the user wrote them.
class HyperPriors {
 public:
  HyperPriors() = default;
  explicit HyperPriors(std::vector<NamedPrior> priors);
  static HyperPriors parse(std::string_view text);

  const std::string& text() const { return text_; }
  std::span<const NamedPrior> all() const { return priors_; }

 private:
  std::vector<NamedPrior> priors_;
  std::string text_;
};

}  // namespace mercer
