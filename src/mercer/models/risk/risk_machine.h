// The regularised risk with a loss of the user's choice, for regression (`riskr`) and classes (`riskc`),
//
//   min ½‖f‖² + C Σ_i w_i c(f(x_i) + Σ_p β_pψ_p(x_i), y_i)       c: theory/losses; ψ: what `parametric` says, not penalised
//
// C = 1/λ of an unaveraged sum of losses beside (λ/2)‖f‖². Convex losses are solved by the dual with an interior point
// method, and `converged` is the duality gap; others by Newton's method to a stationary point, which a note says. Several
// outputs, and k > 2 classes one against the rest, are machines of their own on one kernel matrix. Targets of regression are
// standardised before the fit; parameters of losses are in target units, C is for standardised targets. Special cases:
// loss=squared is ridge with λ = 1/C, epsilon_insensitive svr, hinge svc, squared_hinge svc with slack=squared, logistic klr
// with λ = 1/C. References: Schölkopf & Smola (2002), 3.1-3.3, 4.1-4.2, 9.3.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/feature_space_function.h"
#include "mercer/models/fitted_loss.h"
#include "mercer/models/model.h"
#include "mercer/models/risk/risk_options.h"

namespace mercer {

using AnyRiskOptions = std::variant<RiskrOptions, RiskcOptions>;
inline const RiskMachineOptions& shared_options(const AnyRiskOptions& options) {
  if (const auto* const classes = std::get_if<RiskcOptions>(&options)) {
    return *classes;
  }
  return std::get<RiskrOptions>(options);
}

class RiskMachine final : public FittedModel, public FittedLoss, public FeatureSpaceFunction {
 public:
  struct Parts {
    AnyRiskOptions options;
    Expansion expansion = {};
    std::vector<double> units =
        {};  ///< per output: the targets' deviation; 1 where they were not standardised, and of classes

    void fields(Fields& visit);
  };
  RiskMachine(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return classes().empty() ? Task::regression : Task::classification; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  std::vector<std::string> decision_names() const override;
  /// Of the losses that are a −ln P: logistic, and exponential up to the scale of f.
  bool has_probabilities() const override;
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;
  bool is_affine_in_feature_space() const override { return !shared_options(parts_.options).parametric.uses_columns(); }

  LossKind loss_kind() const override;
  LossPointer loss(Index output) const override;
  const Parts& parts() const { return parts_; }

 private:
  /// Predictions of classes: the sign, or the largest value.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

/// 3n² numbers, n³/3 operations per step (Newton: 4n³/3). InvalidArgument for kernels that are not positive definite beside
/// the parametric part, DataError for targets and weights that cannot be used, and one class only.
std::unique_ptr<RiskMachine> fit_riskr(const Kernel& kernel, const RiskrOptions& options, const TrainingData& data,
                                       const Run& run = {});
std::unique_ptr<RiskMachine> fit_riskc(const Kernel& kernel, const RiskcOptions& options, const TrainingData& data,
                                       const Run& run = {});

const ModelEntry& riskr_entry();
const ModelEntry& riskc_entry();

}  // namespace mercer
