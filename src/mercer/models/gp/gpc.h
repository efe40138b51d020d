// Gaussian process classification: latent functions f ~ GP(0, k), classes by a link. Two classes have one function,
// P(second class | f) = s(f) or Φ(f), optionally with labels that are flipped at random; three or more have one function
// per class and the softmax. The posterior is approximated (Laplace, expectation propagation, or the variational bound),
// the kernel's parameters maximise the approximate evidence, and probabilities are averaged over the posterior:
//
//   P(y | x) = ∫ P(y | f) N(f; m(x), v(x)) df.
//
// References: Schölkopf & Smola (2002), 16.3.4 and 16.4; Rasmussen & Williams (2006), 3.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/models/classes/class_weights.h"
#include "mercer/models/feature_space_function.h"
#include "mercer/models/gp/function_covariance.h"
#include "mercer/models/gp/inference/hyper_prior.h"
#include "mercer/models/gp/inference/posterior.h"
#include "mercer/models/gp/softmax/softmax_posterior.h"
#include "mercer/models/likelihoods/likelihood.h"
#include "mercer/models/model.h"

namespace mercer {

enum class GpcLink { logistic, probit };
constexpr auto words_of(GpcLink) {
  return std::array{Word{GpcLink::logistic, "logistic"}, Word{GpcLink::probit, "probit"}};
}

enum class GpcInference { laplace, expectation_propagation, variational };
constexpr auto words_of(GpcInference) {
  return std::array{Word{GpcInference::laplace, "laplace"}, Word{GpcInference::expectation_propagation, "ep"},
                    Word{GpcInference::variational, "variational"}};
}

struct GpcOptions {
  GpcLink link = GpcLink::logistic;
  GpcInference inference = GpcInference::laplace;
  double label_noise = 0;
  bool optimize = true;
  Index restarts = 0;
  Index max_evaluations = 60;
  Index search_rows = 1000;
  HyperPriors priors = {};
  ClassWeights class_weight;
  double memory_mb = 0;  ///< 0: the machine's memory

  /// Throws InvalidArgument for values that are not allowed and combinations that mean nothing.
  void validate() const;
};

std::span<const Option<GpcOptions>> gpc_option_table();

class GpcModel final : public FittedModel, public LatentMean, public LatentVariance, public FeatureSpaceFunction {
 public:
  struct Parts {
    GpcOptions options;             ///< the label noise as it was learnt
    Expansion mean;                 ///< of the latent functions: one for two classes, else one per class
    std::vector<double> precision;  ///< two classes: W, of which the covariance is made
    SoftmaxPosterior::Rows rows;    ///< three classes or more

    void fields(Fields& visit);
  };
  GpcModel(ModelHead head, Parts parts, const Run& run);

  Task task() const override { return Task::classification; }
  const Kernel& kernel() const override { return parts_.mean.kernel(); }
  /// Two classes: the latent mean, positive for the second. Otherwise the latent mean of every class.
  std::vector<std::string> decision_names() const override;
  bool has_probabilities() const override { return true; }

  /// Latent variances, for two classes; InvalidArgument otherwise.
  std::vector<double> latent_variances(const Samples& samples, const Run& run) const override;
  const Expansion& latent_mean() const override { return parts_.mean; }

  const Parts& parts() const { return parts_; }

 private:
  /// Predictions: the most probable class.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Answers evaluate_two(const Samples& samples, AnswersWanted wanted, const Run& run) const;
  Answers evaluate_several(const Samples& samples, AnswersWanted wanted, const Run& run) const;
  /// Probabilities of two classes, over the normal distribution of the latent value.
  Matrix<double> averaged(ConstMatrixView<double> means, std::span<const double> variances, const Run& run) const;

  Parts parts_;
  LikelihoodPtr likelihood_;
  std::unique_ptr<const GaussianPosterior> binary_;
  std::unique_ptr<const SoftmaxPosterior> several_;
};

/// The likelihood of two classes that the options name.
LikelihoodPtr class_likelihood(const GpcOptions& options);

/// Rows of one class c are taken as two classes, of which the first, "not c", has no rows. InvalidArgument for options that
/// do not fit each other or the number of classes and for kernels that are not positive definite, DataError for unusable
/// weights or targets.
std::unique_ptr<GpcModel> fit_gpc(const Kernel& kernel, const GpcOptions& options, const TrainingData& data,
                                  const Run& run = {});

/// The log evidence (its lower bound for variational inference) of the labels with the kernel as it is, and its
/// derivatives by kernel.scale_parameters(); −infinity where the matrix is not positive. The label noise is that of the
/// options. Throws as fit_gpc does.
struct GpcEvidence {
  double value = 0;
  std::vector<double> gradient;
};
GpcEvidence gpc_evidence(const Kernel& kernel, const GpcOptions& options, const TrainingData& data,
                         const Run& run = {});

const ModelEntry& gpc_entry();

}  // namespace mercer
