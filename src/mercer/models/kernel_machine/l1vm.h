// L1 vector machines: generalized linear models on kernel features with a penalty that keeps few prototypes,
//
//   min_{b,A}  Σ_i w_i loss(y_i, b + Σ_j κ(x_i, μ_j)a_j) + λ Σ_j (mix ‖a_j‖ + ½(1 − mix)‖a_j‖²)
//
// l1vmr: regression (Gaussian or Poisson response), l1vmc: classification (logistic, or multinomial, where the weights of
// one prototype for all classes are one group, so that a prototype is left out for all classes together). The loss is
// half of the deviance. Prototypes are the data unless said otherwise; the kernel need not be positive definite. mix = 1
// is the lasso, below it the elastic net. The problem is convex: the duality gap is reported.
// References: Krishnapuram, Carin, Figueiredo & Hartemink (2005), Sparse multinomial logistic regression; Murphy (2012),
// 14.3.2; Roth (2004), The generalized LASSO.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/models/classes/class_weights.h"
#include "mercer/models/kernel_machine/kernel_machine.h"
#include "mercer/models/kernel_machine/machine_prototypes.h"
#include "mercer/models/model.h"
#include "mercer/models/option_table.h"
#include "mercer/solvers/glm/glm_family.h"

namespace mercer {

/// How λ is chosen along the path: by the loss on held-out folds, the largest within one standard error of that, or by
/// Schwarz's criterion.
enum class L1vmSelection { cross_validation, one_standard_error, bayes_criterion };
constexpr auto words_of(L1vmSelection) {
  return std::array{Word{L1vmSelection::cross_validation, "cv"}, Word{L1vmSelection::one_standard_error, "cv1se"},
                    Word{L1vmSelection::bayes_criterion, "bic"}};
}

struct L1vmOptions {
  std::optional<double> lambda = {};  ///< chosen by `select` where it is not given
  double mix = 1;                     ///< in (0, 1]: share of the ℓ1 part
  L1vmSelection select = L1vmSelection::cross_validation;
  Index folds = 5;
  Index select_rows = 1000;  ///< rows, drawn at random, that the folds are made of; 0: all
  Index points = 50;         ///< of the path
  PrototypeRule prototypes = PrototypeRule::data;
  Index count = 0;  ///< of prototypes; 0: the rule's default
  bool intercept = true;
  GlmFamily response = GlmFamily::gaussian;  ///< l1vmr: or poisson
  ClassWeights class_weight = {};            ///< of l1vmc
  double memory_mb = 0;                      ///< 0: half of the machine's memory
  std::optional<Samples> given = {};         ///< prototypes, of the kind of the samples; not stored beside the model

  /// `table`: the model's own, l1vmr's or l1vmc's.
  void validate(const char* model, std::span<const Option<L1vmOptions>> table) const;
};

std::span<const Option<L1vmOptions>> l1vmr_option_table();
std::span<const Option<L1vmOptions>> l1vmc_option_table();

/// A point of the path.
struct L1vmPathPoint {
  double lambda = 0;
  Index active = 0;          ///< prototypes in use
  double loss = 0;           ///< Σ_i w_i loss(y_i, f_i) on the training rows
  double held_out_loss = 0;  ///< per unit of weight; NaN where select = bic, infinite where no fold went so far
  double criterion = 0;      ///< BIC
};
/// The whole path, from the λ at which all coefficients are 0 down to 1/10000 of it. Fold losses as in the fit.
std::vector<L1vmPathPoint> l1vmr_path(const Kernel& kernel, const L1vmOptions& options, const TrainingData& data,
                                      const Run& run = {});
std::vector<L1vmPathPoint> l1vmc_path(const Kernel& kernel, const L1vmOptions& options, const TrainingData& data,
                                      const Run& run = {});

/// nM numbers of memory, `folds` times that while λ is chosen; per point of the path a few products with Φ.
/// InvalidArgument for options, DataError for targets and weights that cannot be used.
std::unique_ptr<KernelMachine> fit_l1vmr(const Kernel& kernel, const L1vmOptions& options, const TrainingData& data,
                                         const Run& run = {});
std::unique_ptr<KernelMachine> fit_l1vmc(const Kernel& kernel, const L1vmOptions& options, const TrainingData& data,
                                         const Run& run = {});

const ModelEntry& l1vmr_entry();
const ModelEntry& l1vmc_entry();

}  // namespace mercer
