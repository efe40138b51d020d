// Relevance vector regression: a sparse kernel model whose weights have a normal prior each, of a precision of its own,
//
//   y = Σ_j μ_j k(x_j, x) + μ_0 + noise,   μ_j ~ N(0, 1/α_j),   noise ~ N(0, σ²)
//
// Precisions and noise are learnt from the evidence, and there is nothing left to tune but the kernel, which may be any,
// positive definite or not. prior = ard leaves the precisions free (most end at infinity: few relevance vectors);
// gamma gives each a Gamma(a, b) prior, student integrates it out. The offset's prior is centred at the mean of the
// targets. References: Tipping (2001), Sparse Bayesian learning and the relevance vector machine; Tipping & Faul (2003);
// Schölkopf & Smola (2002), 16.6.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/models/model.h"
#include "mercer/models/relevance/relevance_functions.h"
#include "mercer/models/relevance/relevance_setup.h"
#include "mercer/models/support_rows.h"

namespace mercer {

/// Of the weights' precisions: each free (automatic relevance determination), with a Gamma prior, or with that prior
/// integrated out.
enum class RelevancePrior { automatic_relevance, gamma, student };
constexpr auto words_of(RelevancePrior) {
  return std::array{Word{RelevancePrior::automatic_relevance, "ard"}, Word{RelevancePrior::gamma, "gamma"},
                    Word{RelevancePrior::student, "student"}};
}

struct RvrOptions : RelevanceCommonOptions {
  RelevancePrior prior = RelevancePrior::automatic_relevance;
  double weight_shape = 1e-4;  ///< a and b of the Gamma prior of every precision, unless prior = ard
  double weight_rate = 1e-4;
  std::optional<double> noise = {};  ///< variance of y; learnt where it is not given
  double noise_shape = 0;            ///< c and d of a Gamma prior of 1/σ²
  double noise_rate = 0;

  void validate() const;
};

std::span<const Option<RvrOptions>> rvr_option_table();

class RvrModel final : public FittedModel, public SupportRows {
 public:
  struct Parts {
    RelevanceFunctions functions;
    std::vector<double> noise;  ///< variance, per output

    void fields(Fields& visit);
  };
  RvrModel(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::regression; }
  const Kernel& kernel() const override { return parts_.functions.mean().kernel(); }
  bool has_distribution() const override { return true; }
  /// Normal: σ² + kᵀΣk for an observation.
  std::unique_ptr<const PredictiveDistribution> distribution(const Samples& samples, const Run& run) const override;
  /// Draws of the weights: no matrix between all samples is needed.
  Matrix<double> draws(const Samples& samples, Index count, PredictionOf of, const Run& run) const override;
  const Expansion* expansion_form() const override { return &parts_.functions.mean(); }
  /// A ridge model of the mean: the variances belong to the relevance vectors that go.
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  const std::vector<Index>& support_rows() const override { return parts_.functions.rows(); }

  const Parts& parts() const { return parts_; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

/// Cost: relevance_regression.h, once per output; kernel values in double. DataError for targets or weights that are
/// not usable, NumericalError for kernel values that are not finite.
std::unique_ptr<RvrModel> fit_rvr(const Kernel& kernel, const RvrOptions& options, const TrainingData& data,
                                  const Run& run = {});

const ModelEntry& rvr_entry();

}  // namespace mercer
