// Regression with a Laplacian process: f(x) = Σ_j a_j k(x_j, x) + b, independent coefficients of density (λ/2)e^(−λ|a|),
// the most probable of which are mostly 0 (laplacian_map.h). Kernels of any kind: k need not be positive definite.
//
// With Gaussian noise of variance s² the posterior around its mode is taken as normal over the coefficients in use, M,
// whose signs s stay,
//
//   a_M = (BᵀWB)⁻¹(BᵀWy − s²λ s),   cov a_M = s²(BᵀWB)⁻¹,   var y(x) = s²(1 + β(x)ᵀ(BᵀWB)⁻¹β(x)),
//
// B = K_M with a column of ones where there is an offset (of sign 0), β(x) its row at x; a pseudo-inverse where BᵀWB is
// singular. Only ρ = s²λ decides on the mode. Of λ and s² what is not given is found: ρ by cross-validation
// (price_selection.h), s² from the residuals, Σ w r² over Σ w − |M| − 1, |M| being the degrees of freedom of the lasso.
// With likelihood=insensitive the width of the tube can be found by ν (solvers/convex/tube_program.h).
// References: Schölkopf & Smola (2002), 16.5, 9.4.2; Zou, Hastie & Tibshirani (2007), On the degrees of freedom of the lasso.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/laplacian_process/laplacian_map.h"
#include "mercer/models/model.h"

namespace mercer {

struct LaprOptions {
  ProcessLoss likelihood = ProcessLoss::gaussian;  ///< of the noise; not hinge, which is of classes
  std::optional<double> lambda = {};   ///< rate of the prior; chosen by cross-validation where it is not given
  double noise = 0;                    ///< variance of the noise (2b² where losses are divided by b); 0: estimated
  std::optional<double> epsilon = {};  ///< of likelihood=insensitive; a tenth of the deviation of y where not given
  std::optional<double> nu = {};  ///< of likelihood=insensitive: the tube is found, with at most this fraction outside
  ProcessPrior prior = ProcessPrior::laplacian;
  double concavity = 0;  ///< p of the concave prior; 0: 5 over the largest coefficient under the Laplacian prior
  bool intercept = true;
  Index folds = 5;
  Index select_rows = 500;  ///< rows, drawn at random, that cross-validation looks at; 0: all
  Index basis = 0;          ///< kernel functions, of rows drawn at random; 0: of all rows
  double memory_mb = 0;     ///< 0: the machine's memory

  void validate() const;
};

std::span<const Option<LaprOptions>> lapr_option_table();

class LaprModel final : public FittedModel {
 public:
  struct Parts {
    Expansion expansion;
    std::vector<double> noise;   ///< variance, per output
    std::vector<double> lambda;  ///< per output
    /// Gaussian noise: per output a block of centres + 1 rows (the last: the offset), F with F Fᵀ = (BᵀWB)⁻¹ on the
    /// coefficients in use and rows of 0 elsewhere. Empty: no distribution.
    Matrix<double> spread;

    void fields(Fields& visit);
  };
  LaprModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::regression; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  /// Gaussian noise, and functions that are the model's own.
  bool has_distribution() const override { return parts_.spread.rows() > 0; }
  std::unique_ptr<const PredictiveDistribution> distribution(const Samples& samples, const Run& run) const override;
  /// Linear in the number of samples: a draw is one of the coefficients in use.
  Matrix<double> draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const override;
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  /// Without a distribution: the variances belong to the centres that go.
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  const Parts& parts() const { return parts_; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  void require_distribution() const;

  Parts parts_;
};

/// n² numbers (n · basis), and the operations of the solvers. Every output is fitted by itself. Weights multiply the
/// losses: a row of weight 2 counts as two equal rows. InvalidArgument for options that mean nothing, DataError for
/// targets or weights that are not usable.
std::unique_ptr<LaprModel> fit_lapr(const Kernel& kernel, const LaprOptions& options, const TrainingData& data,
                                    const Run& run = {});

const ModelEntry& lapr_entry();

}  // namespace mercer
