#include "mercer/models/risk/risk_options.h"

#include <algorithm>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/text.h"

namespace mercer {

namespace {

std::vector<LossKind> fitted_losses(LossArgument argument) {
  std::vector<LossKind> kinds;
  for (const LossEntry& entry : loss_list()) {
    if (entry.argument == argument && entry.kind != LossKind::zero_one) {
      kinds.push_back(entry.kind);
    }
  }
  return kinds;
}

template <class Options>
std::vector<Option<Options>> machine_table(std::vector<Option<Options>> own) {
  own.insert(own.begin(), {"C", &Options::C,
                           "price of the losses beside half of the squared norm: 1/lambda of ridge with loss=squared",
                           Constraint::positive, SearchRange{"2^-5..2^15"}});
  own.push_back({"norm", &Options::norm,
                 "what is priced beside the losses: function (half of its squared norm), or coefficients (the sum of "
                 "their sizes, "
                 "so that few are not 0; of any kernel, with a convex loss)"});
  own.push_back({"parametric", &Options::parametric, parametric_meaning});
  own.push_back(
      {"parametric_price", &Options::parametric_price,
       "with norm=coefficients: half of it prices the sum of the squared coefficients of these functions, the "
       "constant left out; 0: they are free",
       Constraint::nonnegative});
  own.push_back({"tolerance", &Options::tolerance,
                 "of convex losses: the duality gap, relative to the objective, at which the fit has converged",
                 Limits::between(0, 1)});
  own.push_back({"max_iterations", &Options::max_iterations, "steps of the solver", Constraint::positive});
  own.push_back(
      {"rank", &Options::rank,
       "for many rows: take the kernel matrix as far as so many of its rows tell it (pivoted Cholesky), whose "
       "functions alone the model then has; 0: all of it",
       Constraint::nonnegative});
  own.push_back({"memory_mb", &Options::memory_mb, "what the matrices may take; 0: half of the machine's memory",
                 Constraint::nonnegative});
  return own;
}

struct GivenParameter {
  LossParameter parameter;
  bool is_given;
};

}  // namespace

void RiskMachineOptions::require_consistent(const char* model) const {
  if (parametric_price > 0 && (norm != RiskNorm::coefficients || !parametric.uses_columns())) {
    throw InvalidArgument(
        std::string(model) + ": parametric_price = " + shortest(parametric_price) +
        " is a price on functions beside the constant, and beside norm = coefficients: with norm = function the "
        "functions are free, or a part of the kernel. Set norm=coefficients and parametric=linear or another");
  }
  if (rank > 0 && norm == RiskNorm::coefficients) {
    throw InvalidArgument(
        std::string(model) + ": rank = " + std::to_string(rank) +
        " is of the kernel matrix as a norm, and norm = coefficients has none: leave out one of them");
  }
}

ParametricPart RiskMachineOptions::free_part() const {
  return parametric_price > 0 ? ParametricPart(ParametricPart::constant) : parametric;
}

void RiskrOptions::validate() const {
  check_options<RiskrOptions>("riskr", riskr_option_table(), *this);
  require_consistent("riskr");
  const LossEntry& entry = loss_entry(loss);
  for (const GivenParameter& given : {GivenParameter{LossParameter::epsilon, epsilon.has_value()},
                                      {LossParameter::sigma, sigma.has_value()},
                                      {LossParameter::exponent, exponent.has_value()},
                                      {LossParameter::quantile, quantile.has_value()}}) {
    if (given.is_given && std::ranges::find(entry.parameters, given.parameter) == entry.parameters.end()) {
      throw InvalidArgument("riskr: " + std::string(word_of(given.parameter)) + " is no part of loss = " +
                            std::string(word_of(loss)) + ": leave it out, or take a loss that has it (mercer losses)");
    }
  }
  if (density.is_given() != (loss == LossKind::density)) {
    throw InvalidArgument(
        density.is_given()
            ? "riskr: density is no part of loss = " + std::string(word_of(loss)) + ": set loss=density"
            : "riskr: loss = density needs a table of residuals and densities: density=-1:0.24,0:0.4,1:0.24");
  }
}

LossPointer RiskrOptions::make_loss(double unit, double usual_unit) const {
  if (loss == LossKind::density) {
    return density.loss(unit);
  }
  return mercer::make_loss(loss, {.epsilon = epsilon.value_or(usual.epsilon * usual_unit) / unit,
                                  .sigma = sigma.value_or(usual.sigma * usual_unit) / unit,
                                  .exponent = exponent.value_or(usual.exponent),
                                  .quantile = quantile.value_or(usual.quantile)});
}

double RiskrOptions::degree() const {
  switch (loss) {
    case LossKind::squared:
    case LossKind::squared_epsilon_insensitive:
      return 2;
    case LossKind::polynomial:
      return exponent.value_or(usual.exponent);
    case LossKind::density:
      return 0;
    default:
      return 1;
  }
}

void RiskcOptions::validate() const {
  check_options<RiskcOptions>("riskc", riskc_option_table(), *this);
  require_consistent("riskc");
}

std::span<const Option<RiskrOptions>> riskr_option_table() {
  static const std::vector<Option<RiskrOptions>> table = machine_table<RiskrOptions>({
      {"loss", &RiskrOptions::loss, "what a residual costs; mercer losses lists them with their formulas",
       fitted_losses(LossArgument::residual)},
      {"epsilon", &RiskrOptions::epsilon,
       "of losses with a tube: half its width, in target units; a tenth of the target's deviation if it is not given "
       "(0.1 with standardize=no)",
       Constraint::nonnegative},
      {"sigma", &RiskrOptions::sigma,
       "of huber and piecewise_polynomial: where the loss becomes a line, in target units; 0.3 of the target's "
       "deviation if it is not given (0.3 with standardize=no)",
       Constraint::positive},
      {"exponent", &RiskrOptions::exponent, "of polynomial and piecewise_polynomial, at least 1; 3 if it is not given",
       Limits::from(1)},
      {"quantile", &RiskrOptions::quantile, "of quantile: its level; 0.5 if it is not given", Limits::between(0, 1)},
      {"density", &RiskrOptions::density,
       "of loss=density: residuals and the density of the noise there, residual:density,residual:density, ascending, "
       "in "
       "target units"},
      {"standardize", &RiskrOptions::standardize,
       "bring targets to mean 0 and variance 1 before the fit; predictions are in their units"},
  });
  return table;
}

std::span<const Option<RiskcOptions>> riskc_option_table() {
  static const std::vector<Option<RiskcOptions>> table = machine_table<RiskcOptions>({
      {"loss", &RiskcOptions::loss, "what a margin costs; mercer losses lists them with their formulas",
       fitted_losses(LossArgument::margin)},
      {"class_weight", &RiskcOptions::class_weight,
       "balanced (the rarer the class, the heavier), or label:weight,label:weight; multiplies C"},
  });
  return table;
}

}  // namespace mercer
