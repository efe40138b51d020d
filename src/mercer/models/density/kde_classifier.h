// Classification by densities: one kernel density per class, and Bayes' rule,
//
//   P(c | x) = π_c p(x | c) / Σ_b π_b p(x | b)
//
// with priors π_c the shares of the classes, or all alike. Where every density is 0 (bounded kernels, far away) the priors
// are the answer. Probabilities come from the model itself. References: Parzen (1962); Murphy (2012), 14.7.2-3.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "mercer/models/decisions.h"
#include "mercer/models/density/kde_options.h"
#include "mercer/models/model.h"

namespace mercer {

enum class DensityPriors { frequency, equal };
constexpr auto words_of(DensityPriors) {
  return std::array{Word{DensityPriors::frequency, "frequency"}, Word{DensityPriors::equal, "equal"}};
}

struct KdeClassifierOptions : KdeOptions {
  DensityPriors priors = DensityPriors::frequency;
  void validate() const;
};

std::span<const Option<KdeClassifierOptions>> kde_classifier_option_table();

class KdeClassifier final : public FittedModel, public StatedPriors {
 public:
  struct Parts {
    std::vector<KernelDensity> densities;  ///< per class
    std::vector<double> priors;            ///< per class, sum 1
    LeftOutColumns left_out;

    void fields(Fields& visit);
  };
  KdeClassifier(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::classification; }
  bool has_kernel() const override { return false; }
  bool has_probabilities() const override { return true; }

  /// n × classes: ln p(x | c).
  Matrix<double> log_densities(const Samples& samples, const Run& run) const;
  std::span<const double> priors() const { return parts_.priors; }
  std::vector<double> stated_priors() const override { return parts_.priors; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Matrix<double> shares(const Samples& samples, const Run& run) const;

  Parts parts_;
};

/// A weight counts as that many copies of a sample. A rule chooses a bandwidth per class; a column without spread inside a
/// class takes the width that the rule gives it over all rows, and one of one value in all rows is left out, as kde does.
std::unique_ptr<KdeClassifier> fit_kde_classifier(const KdeClassifierOptions& options, const TrainingData& data,
                                                  const Run& run = {});

const ModelEntry& kde_classifier_entry();

}  // namespace mercer
