// Least-squares support vector classifier: ridge regression on class codes,
//
//   min ‖f‖² + C Σ_i w_i (y_io − f_o(x_i) − b_o)²        y = ±1; for k > 2 classes one output per class, +1 or −1
//
// which is one linear system (K + W⁻¹/C)α + b1 = y for all classes. Leave-one-out values y_i − α_i/H_ii come in closed
// form: they choose C over a whole path, and they are what Platt's sigmoids are fitted to. No folds, no refits.
// References: Suykens & Vandewalle (1999), Least squares support vector machine classifiers; Cawley (2006),
// Leave-one-out cross-validation based model selection criteria for weighted LS-SVMs; Rifkin & Lippert (2007), Notes on
// regularized least squares.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/classes/class_weights.h"
#include "mercer/models/classes/platt.h"
#include "mercer/models/closed_form_leave_one_out.h"
#include "mercer/models/feature_space_function.h"
#include "mercer/models/model.h"
#include "mercer/models/ridge/penalty_choice.h"
#include "mercer/models/ridge/ridge_solver_options.h"

namespace mercer {

struct LssvmOptions {
  std::optional<double> C = {};                ///< λ = 1/C; 1 where it is neither given nor chosen
  PenaltyChoice select = PenaltyChoice::none;  ///< how C is chosen; excludes C
  Index select_rows = 3000;                    ///< rows, drawn at random, that select looks at; 0: all
  ClassWeights class_weight = {};
  bool probability = false;
  RidgeForm form = RidgeForm::automatic;
  Precision precision = Precision::double_precision;
  RidgeMethod method = RidgeMethod::automatic;
  double tolerance = 1e-6;  ///< of the iteration: on the relative residual
  Index max_iterations = 1000;
  double memory_mb = 0;  ///< 0: the machine's memory

  void validate() const;
};

std::span<const Option<LssvmOptions>> lssvm_option_table();

class LssvmModel final : public FittedModel, public ClosedFormLeaveOneOut, public FeatureSpaceFunction {
 public:
  struct Parts {
    LssvmOptions options;
    Expansion expansion;                 ///< one output for two classes (positive: the second), else one per class
    std::vector<PlattSigmoid> sigmoids;  ///< one per output, or none

    void fields(Fields& visit);
  };
  LssvmModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::classification; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  std::vector<std::string> decision_names() const override;
  bool has_probabilities() const override { return !parts_.sigmoids.empty(); }
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;
  std::optional<std::vector<OptionSetting>> leave_one_out_settings() const override;
  bool knows_left_out_predictions() const override { return false; }
  double relative_residual() const override { return parts_.options.tolerance; }
  std::optional<Matrix<double>> left_out_predictions(ConstMatrixView<double> /*truth*/) const override { return {}; }

  const Parts& parts() const { return parts_; }

 private:
  /// Predictions: the most probable class where there are probabilities, the largest value otherwise. Probabilities of
  /// two classes: the sigmoid; of several: the sigmoids of the classes, scaled to sum 1.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Matrix<double> calibrated(ConstMatrixView<double> values) const;

  Parts parts_;
};

/// Cost and memory of ridge (ridge.h); probabilities take three times the factorisation. InvalidArgument for an
/// indefinite kernel, DataError for one class only, unusable weights or targets, NumericalError where the matrix is
/// numerically singular.
std::unique_ptr<LssvmModel> fit_lssvm(const Kernel& kernel, const LssvmOptions& options, const TrainingData& data,
                                      const Run& run = {});

const ModelEntry& lssvm_entry();

}  // namespace mercer
