// Options of the machines with any loss, riskr and riskc, and the losses that they make.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "mercer/base/words.h"
#include "mercer/models/classes/class_weights.h"
#include "mercer/models/option_table.h"
#include "mercer/models/parametric_option.h"
#include "mercer/models/risk/noise_density.h"
#include "mercer/theory/losses/loss_list.h"

namespace mercer {

/// What is priced beside the losses: ½‖f‖² in the kernel's space, or Σ|α_i| of coefficients of any kernel.
enum class RiskNorm { function, coefficients };
constexpr auto words_of(RiskNorm) {
  return std::array{Word{RiskNorm::function, "function"}, Word{RiskNorm::coefficients, "coefficients"}};
}

/// Of riskr and riskc.
struct RiskMachineOptions {
  double C = 2;
  RiskNorm norm = RiskNorm::function;
  ParametricPart parametric = ParametricPart::constant;  ///< functions beside the kernel that are not penalised
  double parametric_price = 0;  ///< μ of ½μ Σβ_p², the constant left out, beside norm = coefficients; 0: they are free
  double tolerance = 1e-6;      ///< of the duality gap, relative to the objective
  Index max_iterations = 200;
  Index rank = 0;        ///< of the kernel matrix, from so many rows; 0: all of it
  double memory_mb = 0;  ///< 0: half of the machine's memory

  /// InvalidArgument for options that mean nothing together.
  void require_consistent(const char* model) const;
  /// The functions that cost nothing: all, or the constant beside those with a price.
  ParametricPart free_part() const;
};

struct RiskrOptions : RiskMachineOptions {
  /// Where nothing is said: in units of the targets' deviation.
  static constexpr LossParameters usual{.epsilon = 0.1, .sigma = 0.3};

  LossKind loss = LossKind::huber;
  std::optional<double> epsilon = {};   ///< in target units; a tenth of the targets' deviation where not given
  std::optional<double> sigma = {};     ///< in target units; three tenths of it where not given
  std::optional<double> exponent = {};  ///< 3 where not given
  std::optional<double> quantile = {};  ///< 0.5 where not given
  NoiseDensity density = {};
  bool standardize = true;  ///< targets to mean 0 and variance 1

  /// InvalidArgument for values that the table does not allow, and parameters that the loss does not have.
  void validate() const;
  /// The loss of targets that were divided by `unit`; what is not given is in units of `usual_unit`.
  LossPointer make_loss(double unit, double usual_unit) const;
  /// h with c(unit·r) = unit^h c'(r), c' the loss of divided targets.
  double degree() const;
};

struct RiskcOptions : RiskMachineOptions {
  LossKind loss = LossKind::logistic;
  ClassWeights class_weight = {};

  void validate() const;
  LossPointer make_loss() const { return mercer::make_loss(loss); }
};

std::span<const Option<RiskrOptions>> riskr_option_table();
std::span<const Option<RiskcOptions>> riskc_option_table();

}  // namespace mercer
