// Relevance vector classification: a sparse kernel model of the log-odds,
//
//   ln p/(1 − p) = Σ_j μ_j k(x_j, x) + μ_0,   μ_j ~ N(0, 1/α_j)
//
// with precisions from the evidence (Laplace's approximation; solvers/relevance/relevance_classification.h says how far it is raised).
// Nothing is left to tune but the kernel, which may be any.
// More than two classes: one machine per class against the rest, whose probabilities are scaled to sum 1. Probabilities
// are moderated: the sigmoid is averaged over the posterior of the log-odds, p = σ(f/√(1 + π v/8)) for variance v, so
// that they tend to a half where the model knows little. References: Tipping (2001), Sparse Bayesian learning and the
// relevance vector machine; Tipping & Faul (2003); MacKay (1992), The evidence framework applied to classification
// networks (moderation); Schölkopf & Smola (2002), 16.6.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mercer/models/classes/class_weights.h"
#include "mercer/models/model.h"
#include "mercer/models/relevance/relevance_functions.h"
#include "mercer/models/relevance/relevance_setup.h"
#include "mercer/models/support_rows.h"

namespace mercer {

struct RvcOptions : RelevanceCommonOptions {
  ClassWeights class_weight = {};
  bool moderate = true;

  void validate() const;
};

std::span<const Option<RvcOptions>> rvc_option_table();

class RvcModel final : public FittedModel, public SupportRows {
 public:
  struct Parts {
    RvcOptions options;
    RelevanceFunctions functions;  ///< one for two classes (positive: the second), else one per class

    void fields(Fields& visit);
  };
  RvcModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::classification; }
  const Kernel& kernel() const override { return parts_.functions.mean().kernel(); }
  std::vector<std::string> decision_names() const override;
  bool has_probabilities() const override { return true; }
  const Expansion* expansion_form() const override { return &parts_.functions.mean(); }
  /// The variances belong to the relevance vectors that go: probabilities are not moderated any more.
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  const std::vector<Index>& support_rows() const override { return parts_.functions.rows(); }

  const Parts& parts() const { return parts_; }

 private:
  /// Predictions: the class of largest log-odds; of equal values the first. Decisions: the log-odds at the mode.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  /// Probabilities of the classes by the log-odds of each.
  Matrix<double> class_shares(ConstMatrixView<double> log_odds) const;

  Parts parts_;
};

/// Cost: relevance_classification.h, once per class (once for two); kernel values in double. DataError for one class
/// only, unusable weights or targets, NumericalError for kernel values that are not finite.
std::unique_ptr<RvcModel> fit_rvc(const Kernel& kernel, const RvcOptions& options, const TrainingData& data,
                                  const Run& run = {});

const ModelEntry& rvc_entry();

}  // namespace mercer
