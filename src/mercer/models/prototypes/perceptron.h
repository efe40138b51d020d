// Kernel perceptron as a model (solvers/online/kernel_perceptron.h): the last function of its walk over the samples (`plain`),
// the average of all of them (`averaged`), or the votes of all of them, each as heavy as the number of samples it
// survived (`voted`, voted_perceptron.h). Reference: Freund & Schapire (1999), Large margin classification using the
// perceptron algorithm.
#pragma once

#include <array>
#include <memory>

#include "mercer/models/model.h"
#include "mercer/solvers/online/kernel_perceptron.h"

namespace mercer {

/// What of the walk over the samples answers.
enum class PerceptronForm { averaged, plain, voted };
constexpr auto words_of(PerceptronForm) {
  return std::array{Word{PerceptronForm::averaged, "averaged"}, Word{PerceptronForm::plain, "plain"},
                    Word{PerceptronForm::voted, "voted"}};
}

struct PerceptronOptions {
  PerceptronForm form = PerceptronForm::averaged;
  Index epochs = 50;
  double margin = 0;
  bool offset = true;
  PerceptronClasses classes = PerceptronClasses::one_vs_rest;
  bool shuffle = true;
  Index budget = 0;
  BudgetPolicy policy = BudgetPolicy::project;
  double memory_mb = 0;  ///< of kernel rows; 0: half of the machine's memory

  void validate() const;
};

std::span<const Option<PerceptronOptions>> perceptron_option_table();

/// An ExpansionClassifier, or a VotedPerceptron where form = voted. Any kernel; the walk need not end for an indefinite
/// one. The status is iteration_limit where the last of `epochs` passes still made mistakes. Weights other than 1 are
/// refused: a sample that is repeated is not learnt with a larger weight.
std::unique_ptr<FittedModel> fit_perceptron(const Kernel& kernel, const PerceptronOptions& options,
                                            const TrainingData& data, const Run& run = {});

const ModelEntry& perceptron_entry();

}  // namespace mercer
