// Classification with a Laplacian process: labels through the soft margin loss, f(x) = Σ_j a_j k(x_j, x) + b,
//
//   min Σ_i w_i max(0, 1 − y_i f(x_i)) + λ Σ_j |a_j|          the linear programming machine
//
// one function for two classes, one per class against the rest for more, or all classes in one program. Kernels of any
// kind: k need not be positive definite. Few kernel functions are used; evaluation costs what they cost. The price can be
// found from the fraction ν of margin errors (solvers/convex/margin_program.h), the coefficients can bear the signs of
// labels, and rows can be judged by the others alone (margin_machine.h). References: Schölkopf & Smola (2002), 7.7, 12.2.2
// and 16.5; Bradley & Mangasarian (1998).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include "mercer/base/words.h"
#include "mercer/models/classes/class_weights.h"
#include "mercer/models/classes/multiclass.h"
#include "mercer/models/laplacian_process/laplacian_map.h"
#include "mercer/models/laplacian_process/margin_machine.h"
#include "mercer/models/model.h"
#include "mercer/models/prototypes/expansion_classifier.h"

namespace mercer {

/// Whether λ is the one that is given.
enum class LapcSelection { none, cross_validation };
constexpr auto words_of(LapcSelection) {
  return std::array{Word{LapcSelection::none, "none"}, Word{LapcSelection::cross_validation, "cv"}};
}

struct LapcOptions {
  double lambda = 1;  ///< price of coefficients, where a row on the boundary costs 1; 0: of leave_one_out alone
  LapcSelection select = LapcSelection::none;
  std::optional<double> nu = {};  ///< λ is found: at most this fraction of the weight is of margin errors
  MarginMachine machine = MarginMachine::l1;
  double own_share = 0;                             ///< of leave_one_out: of what a row says of itself
  Multiclass multiclass = Multiclass::one_vs_rest;  ///< or weston_watkins: all classes in one program
  ClassWeights class_weight = {};
  ProcessPrior prior = ProcessPrior::laplacian;
  double concavity = 0;  ///< p of the concave prior; 0: 5 over the largest coefficient under the Laplacian prior
  bool intercept = true;
  Index folds = 5;
  Index select_rows = 500;
  Index basis = 0;
  double memory_mb = 0;

  void validate() const;
};

std::span<const Option<LapcOptions>> lapc_option_table();

/// n² numbers (n · basis) and the operations of solvers/convex/linear_program.h per class; k (k − 1) times the numbers where
/// the k classes are in one program. Weights multiply the losses: a row of
/// weight 2 counts as two equal rows, but where rows are judged by the others. InvalidArgument for options that mean nothing
/// or a ν that is not feasible, NumericalError for a ν without a margin, DataError for labels or weights that
/// are not usable.
std::unique_ptr<ExpansionClassifier> fit_lapc(const Kernel& kernel, const LapcOptions& options,
                                              const TrainingData& data, const Run& run = {});

const ModelEntry& lapc_entry();

}  // namespace mercer
