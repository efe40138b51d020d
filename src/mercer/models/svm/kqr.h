// Quantile regression with kernels: for every level τ of a list the function with
//
//   min ½‖f_τ‖² + C Σ_i w_i ρ_τ(y_i − f_τ(x_i) − b_τ)        ρ_τ(r) = τ r for r > 0, (τ − 1) r for r < 0
//
// whose dual has the box −(1−τ)Cw_i ≤ β_i ≤ τCw_i and Σβ = 0 (solvers/svm/svm_dual.h). Of the weight of the training rows at
// most τ lies below f_τ, and at most 1 − τ above. All levels share one kernel matrix, and each starts from the one before. The
// prediction is the level nearest to a half; all of them make a distribution (quantile_predictions.h). Several outputs are
// machines of their own. Targets are standardised before the fit and predictions come back in their units; C is for
// standardised targets. riskr with loss=quantile is the machine of one level, solved by an interior point.
// References: Schölkopf & Smola (2002), 9.3; Takeuchi, Le, Sears & Smola (2006).
#pragma once

#include <memory>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/fitted_quantiles.h"
#include "mercer/models/model.h"
#include "mercer/models/svm/quantile_levels.h"
#include "mercer/models/svm/quantile_predictions.h"
#include "mercer/models/svm/svm_solver_options.h"

namespace mercer {

struct KqrOptions : SvmSolverOptions {
  QuantileLevels quantiles = {};
  double C = 1;
  bool standardize = true;  ///< targets to mean 0 and variance 1
  Crossing crossing = Crossing::rearranged;

  void validate() const;
};

std::span<const Option<KqrOptions>> kqr_option_table();

class KqrModel final : public FittedModel, public FittedQuantiles {
 public:
  struct Parts {
    KqrOptions options = {};
    Expansion expansion = {};  ///< outputs · levels functions, the levels of one output side by side
    std::vector<Index> support_rows = {};
    std::vector<double> losses =
        {};  ///< per output: the mean of ρ_τ over the training rows, τ the level of predictions

    void fields(Fields& visit);
  };
  KqrModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::regression; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  bool has_distribution() const override { return true; }
  /// Of observations alone.
  bool has_distribution_of(PredictionOf of) const override { return of == PredictionOf::observation; }
  std::unique_ptr<const PredictiveDistribution> distribution(const Samples& samples, const Run& run) const override;
  /// Each row by itself, given its distribution.
  Matrix<double> draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const override;

  const std::vector<double>& fitted_levels() const override { return parts_.options.quantiles.values(); }
  const std::vector<Index>& support_rows() const { return parts_.support_rows; }
  const Parts& parts() const { return parts_; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }
  QuantilePredictions::Parts quantile_parts(const Samples& samples, const Run& run) const;

  Parts parts_;
};

/// DataError for targets and weights that cannot be used, InvalidArgument for kernels that are conditionally positive of an
/// order above 1.
std::unique_ptr<KqrModel> fit_kqr(const Kernel& kernel, const KqrOptions& options, const TrainingData& data,
                                  const Run& run = {});

const ModelEntry& kqr_entry();

}  // namespace mercer
