// ExpansionClassifier: a classifier that is nothing but a kernel expansion: one function for two classes (positive: the
// second), one per class for more, and the largest answers. Class means and perceptrons end in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/models/model.h"

namespace mercer {

class ExpansionClassifier final : public FittedModel {
 public:
  struct Parts {
    Expansion expansion;

    void fields(Fields& visit);
  };
  /// InvalidArgument where the expansion has not the outputs of these classes.
  ExpansionClassifier(ModelHead head, Parts parts);

  Task task() const override { return Task::classification; }
  const Kernel& kernel() const override { return parts_.expansion.kernel(); }
  std::vector<std::string> decision_names() const override;
  const Expansion* expansion_form() const override { return &parts_.expansion; }
  std::unique_ptr<FittedModel> with_expansion(Expansion expansion, const Run& run) const override;

  const Parts& parts() const { return parts_; }

 private:
  /// Predictions: of equal values the first class.
  Answers evaluate(const Samples& samples, AnswersWanted wanted, const Run& run) const override;
  void fields(Fields& visit) override { parts_.fields(visit); }

  Parts parts_;
};

/// How many functions tell so many classes apart: 1 for two.
constexpr Index functions_for_classes(Index classes) { return classes == 2 ? 1 : classes; }

}  // namespace mercer
