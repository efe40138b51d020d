// Kernel ridge regression: the function of the kernel's space, plus an unpenalised parametric part, that minimises
//
//   Σ_i w_i (y_i − f(x_i) − Σ_p β_p ψ_p(x_i))² + λ‖f‖²            ψ = 1 unless told otherwise
//
//   dual     (K + λW⁻¹) α + Ψβ = y,  Ψᵀα = 0      f(x) = Σ_i α_i k(x_i, x); one factorisation for all outputs
//   primal   (XᵀWX + λ/c I) w = XᵀW y             for k = c·xᵀx' and fewer columns than rows: the same predictions
//   leave-one-out residuals                       y_i − f^(−i)(x_i) − b^(−i) = α_i / H_ii, H the α-block of the inverse
//
// Conditionally positive kernels of order q are allowed with the polynomials of degree < q. λ = `lambda`
// (scikit-learn's alpha), or `mean_lambda` times the sum of the weights, or chosen on a path (ridge_path.h). Indefinite
// kernels are solved where `indefinite` says so (ridge_indefinite.cpp): then the equations hold at a stationary point.
// References: Schölkopf & Smola (2002), 4.6; Saunders, Gammerman & Vovk (1998); Wahba (1990), 1.3 and 4.2.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "mercer/expansion/expansion.h"
#include "mercer/models/closed_form_leave_one_out.h"
#include "mercer/models/feature_space_function.h"
#include "mercer/models/model.h"
#include "mercer/models/parametric_option.h"
#include "mercer/models/ridge/penalty_choice.h"
#include "mercer/models/ridge/ridge_solver_options.h"

namespace mercer {

struct RidgeOptions {
  std::optional<double> lambda = {};                     ///< K + λI; 1 where neither this nor mean_lambda is given
  std::optional<double> mean_lambda = {};                ///< K + nλI (n the sum of the weights); excludes lambda
  ParametricPart parametric = ParametricPart::constant;  ///< functions that are not penalised
  RidgeForm form = RidgeForm::automatic;
  /// leave_one_out or generalized_cross_validation: λ from a path (ridge_path.h); excludes lambda and mean_lambda.
  PenaltyChoice select = PenaltyChoice::none;
  Index select_rows = 3000;  ///< rows, drawn at random, that select looks at; 0: all
  IndefiniteKernels indefinite = IndefiniteKernels::refuse;
  bool loo = false;  ///< leave-one-out residuals: the inverse, three times the work of the factorisation
  Precision precision = Precision::double_precision;
  RidgeMethod method = RidgeMethod::automatic;
  double tolerance = 1e-6;  ///< of the iteration: on the relative residual
  Index max_iterations = 1000;
  double memory_mb = 0;  ///< 0: the machine's memory

  /// Throws InvalidArgument for values that the table does not allow, and for combinations that mean nothing.
  void validate() const;
};

std::span<const Option<RidgeOptions>> ridge_option_table();

class RidgeModel final : public FittedModel, public ClosedFormLeaveOneOut, public FeatureSpaceFunction {
 public:
  struct Parts {
    Expansion expansion;
    RidgeOptions options;
    /// n × outputs: y_i minus the prediction of the model fitted without row i at the same λ. Empty unless asked for.
    std::optional<Matrix<double>> leave_one_out_residuals = {};

    void fields(Fields& visit);
  };
  RidgeModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::regression; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;
  bool is_affine_in_feature_space() const override { return !parts_.options.parametric.uses_columns(); }
  std::optional<std::vector<OptionSetting>> leave_one_out_settings() const override;
  bool knows_left_out_predictions() const override { return true; }
  double relative_residual() const override { return parts_.options.tolerance; }
  std::optional<Matrix<double>> left_out_predictions(ConstMatrixView<double> truth) const override;

  const Parts& parts() const { return parts_; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

/// Dual: n²d + n³/3 operations and n² numbers; primal: nd² + d³/3 and d². Rows of weight 0 are left out. The model
/// refers to the samples: views of the caller's memory must outlive it. InvalidArgument for an indefinite kernel
/// (unless options.indefinite = solve),
/// DataError for targets or weights that are not usable, NumericalError where K + λI is numerically singular.
std::unique_ptr<RidgeModel> fit_ridge(const Kernel& kernel, const RidgeOptions& options, const TrainingData& data,
                                      const Run& run = {});

const ModelEntry& ridge_entry();

}  // namespace mercer
