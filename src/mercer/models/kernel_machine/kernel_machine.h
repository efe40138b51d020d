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
    std::string name;  ///< as in the registry
    std::string requested_kernel;
    std::vector<OptionSetting> settings;
    GlmFamily response = GlmFamily::gaussian;
    std::vector<std::string> output_names;
    std::vector<std::string> classes;  ///< empty for regression
    Expansion expansion;
    FitReport report;
  };
  /// InvalidArgument where the parts do not fit together.
  explicit KernelMachine(Parts parts);
  /// `response` is what the settings of the state say. DataError where the state is not one of a kernel machine.
  static std::unique_ptr<KernelMachine> from_state(const ModelState& state, GlmFamily response, const Run& run);

  std::string_view name() const override { return parts_.name; }
  Task task() const override { return parts_.classes.empty() ? Task::regression : Task::classification; }
  const FitReport& report() const override { return parts_.report; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  std::vector<std::string> output_names() const override { return parts_.output_names; }
  /// Regression: the mean. Classification: the most probable class.
  Matrix<double> predict(const Samples& samples, const Run& run) const override;
  std::vector<std::string> classes() const override { return parts_.classes; }
  std::vector<std::string> decision_names() const override;
  /// Classification: f, one function for two classes.
  Matrix<double> decide(const Samples& samples, const Run& run) const override;
  bool has_probabilities() const override { return !parts_.classes.empty(); }
  Matrix<double> probabilities(const Samples& samples, const Run& run) const override;
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;
  ModelState state() const override;

  const Parts& parts() const { return parts_; }

 private:
  Matrix<double> linear(const Samples& samples, const Run& run) const;

  Parts parts_;
};

/// The response of classification with so many classes.
constexpr GlmFamily class_response(Index classes) {
  return classes == 2 ? GlmFamily::logistic : GlmFamily::multinomial;
}

}  // namespace mercer
