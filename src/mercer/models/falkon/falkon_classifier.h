// falkonc: kernel classification on a subset of the rows as landmarks, for many rows (solvers/falkon/falkon.h).
//
//   loss      squared    ridge regression on codes ±1, one function per class (one for two classes), the largest answers
//             logistic   Σ_i w_i ln(1/p) + ½ λ Σ‖f‖², one function (two classes) or softmax of one per class; gives
//                        probabilities
//
// References: Rudi, Carratino & Rosasco (2017); Marteau-Ferey, Bach & Rudi (2019); Rifkin & Klautau (2004), In defense of
// one-vs-all classification.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/classes/class_weights.h"
#include "mercer/models/falkon/falkon_machine.h"
#include "mercer/models/model.h"

namespace mercer {

enum class FalkonLoss { squared, logistic };
constexpr auto words_of(FalkonLoss) {
  return std::array{Word{FalkonLoss::squared, "squared"}, Word{FalkonLoss::logistic, "logistic"}};
}

struct FalkonClassOptions : FalkonMachineOptions {
  FalkonLoss loss = FalkonLoss::squared;
  ClassWeights class_weight = {};

  /// Throws InvalidArgument.
  void validate() const;
};

std::span<const Option<FalkonClassOptions>> falkonc_option_table();

class FalkonClassifier final : public FittedModel {
 public:
  struct Parts {
    FalkonClassOptions options;
    Expansion expansion;  ///< over the landmarks: one output for two classes (positive: the second), else one per class

    void fields(Fields& visit);
  };
  FalkonClassifier(ModelHead head, Parts parts) : FittedModel(std::move(head)), parts_(std::move(parts)) {}

  Task task() const override { return Task::classification; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  std::vector<std::string> decision_names() const override;
  bool has_probabilities() const override { return parts_.options.loss == FalkonLoss::logistic; }
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  const Parts& parts() const { return parts_; }

 private:
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

/// Cost and memory of falkon (falkon.h) with one output per class; logistic: a Newton step costs as much as a short fit
/// of squared loss. Weights multiply the losses; rows of weight 0 are left out.
std::unique_ptr<FalkonClassifier> fit_falkonc(const Kernel& kernel, const FalkonClassOptions& options,
                                              const TrainingData& data, const Run& run = {});

const ModelEntry& falkonc_entry();

}  // namespace mercer
