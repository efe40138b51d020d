// L2 vector machines: generalized linear models on kernel features with ridge on the coefficients,
//
//   min_{b,A}  Σ_i w_i loss(y_i, b + Σ_j κ(x_i, μ_j)a_j) + (λ/2) Σ_j ‖a_j‖²
//
// l2vmr: regression (Gaussian or Poisson response), l2vmc: classification (logistic, multinomial). The loss is half of
// the deviance; prototypes are the data unless said otherwise; the kernel need not be positive definite. Every prototype
// is kept. λ is the precision of the coefficients, chosen by the largest evidence (coefficient_ridge.h).
// References: Murphy (2012), 14.3; Schölkopf & Smola (2002), 4.4 (weight decay); MacKay (1992) for the evidence.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mercer/models/classes/class_weights.h"
#include "mercer/models/kernel_machine/kernel_machine.h"
#include "mercer/models/kernel_machine/machine_prototypes.h"
#include "mercer/models/model.h"
#include "mercer/models/option_table.h"
#include "mercer/solvers/glm/glm_family.h"

namespace mercer {

/// How λ is chosen: by the marginal likelihood, or by the loss on held-out folds.
enum class L2vmSelection { evidence, cross_validation };
constexpr auto words_of(L2vmSelection) {
  return std::array{Word{L2vmSelection::evidence, "evidence"}, Word{L2vmSelection::cross_validation, "cv"}};
}

struct L2vmOptions {
  std::optional<double> lambda = {};  ///< chosen by `select` where it is not given
  L2vmSelection select = L2vmSelection::evidence;
  Index folds = 5;
  Index select_rows = 500;  ///< rows, drawn at random, that λ is chosen by; 0: all
  PrototypeRule prototypes = PrototypeRule::data;
  Index count = 0;
  bool intercept = true;
  GlmFamily response = GlmFamily::gaussian;  ///< l2vmr: or poisson
  ClassWeights class_weight = {};            ///< of l2vmc
  double memory_mb = 0;                      ///< 0: half of the machine's memory
  std::optional<Samples> given = {};         ///< prototypes, of the kind of the samples; not stored beside the model

  /// `table`: the model's own, l2vmr's or l2vmc's.
  void validate(const char* model, std::span<const Option<L2vmOptions>> table) const;
};

std::span<const Option<L2vmOptions>> l2vmr_option_table();
std::span<const Option<L2vmOptions>> l2vmc_option_table();

/// n rows, M prototypes: nM numbers, and n² (M ≥ n) or M² more; n³ or nM² per Newton step. InvalidArgument for options,
/// DataError for targets and weights that cannot be used.
std::unique_ptr<KernelMachine> fit_l2vmr(const Kernel& kernel, const L2vmOptions& options, const TrainingData& data,
                                         const Run& run = {});
std::unique_ptr<KernelMachine> fit_l2vmc(const Kernel& kernel, const L2vmOptions& options, const TrainingData& data,
                                         const Run& run = {});

const ModelEntry& l2vmr_entry();
const ModelEntry& l2vmc_entry();

}  // namespace mercer
