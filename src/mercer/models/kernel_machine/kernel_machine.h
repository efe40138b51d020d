// KernelMachine: a generalized linear model on kernel features, f_o(x) = Σ_j a_jo κ(μ_j, x) + b_o, with the response
//
//   gaussian      f itself                      logistic      P(second class) = 1/(1 + e^−f)
//   poisson       e^f, the rate of a count      multinomial   P(class c) = e^(f_c)/Σ_d e^(f_d)
//
// What l1vmr, l1vmc, l2vmr, l2vmc and klr end in; they differ in how the coefficients are found.
// Reference: Murphy (2012), 14.3; Schölkopf & Smola (2002), (1.15).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/model.h"
#include "mercer/solvers/glm/glm_family.h"

namespace mercer {

class KernelMachine final : public FittedModel {
 public:
  struct Parts {
    /// A load of a classifier begins with any of its own: the number of its classes says which.
    GlmFamily response = GlmFamily::gaussian;
    Expansion expansion = {};

    void fields(Fields& visit);
  };
  /// InvalidArgument where the parts do not fit together.
  KernelMachine(ModelHead head, Parts parts);

  Task task() const override { return classes().empty() ? Task::regression : Task::classification; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  std::vector<std::string> decision_names() const override;
  bool has_probabilities() const override { return !classes().empty(); }
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  const Parts& parts() const { return parts_; }

 private:
  /// Predictions: the mean, or the most probable class. Decisions of classes: f, one function for two of them.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

/// The response of classification with so many classes.
constexpr GlmFamily class_response(Index classes) {
  return classes == 2 ? GlmFamily::logistic : GlmFamily::multinomial;
}

/// What a load of a classifier begins with.
inline KernelMachine::Parts class_machine_parts() { return {.response = GlmFamily::logistic}; }

}  // namespace mercer
