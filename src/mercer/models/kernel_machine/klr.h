// Kernel logistic regression: the functions of the kernel's space, plus offsets that are not penalised, that minimise
//
//   Σ_i w_i (−ln P(y_i | f(x_i))) + (λ/2) Σ_c ‖f_c‖²      P: logistic for two classes (one f), softmax for more
//
// Convex, with f(x) = Σ_i α_i k(x_i, x) + b, λα_ic = w_i(1[y_i = c] − P(c | x_i)): every row has a coefficient, and
// probabilities come with the fit. λ is chosen by Laplace's evidence of the Gaussian process with covariance k/λ, of
// which f is the mode. Newton's method in the dual (solvers/glm/dual_newton.h).
// References: Zhu & Hastie (2005), Kernel logistic regression and the import vector machine; Schölkopf & Smola (2002),
// 16.5; Wahba (1999), Support vector machines, reproducing kernel Hilbert spaces and the randomized GACV.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "mercer/models/classes/class_weights.h"
#include "mercer/models/kernel_machine/kernel_machine.h"
#include "mercer/models/model.h"

namespace mercer {

struct KlrOptions {
  std::optional<double> lambda = {};  ///< by the largest evidence where it is not given
  Index select_rows = 500;            ///< rows, drawn at random, that λ is chosen by; 0: all
  bool intercept = true;
  ClassWeights class_weight = {};
  double memory_mb = 0;  ///< 0: half of the machine's memory

  void validate() const;
};

std::span<const Option<KlrOptions>> klr_option_table();

/// 16n² bytes and n³/3 flops per step (about 6 steps); k > 2 classes: 8(k + 3)n² and kn³. InvalidArgument for kernels
/// that are not positive definite, DataError for one class only and weights that cannot be used.
std::unique_ptr<KernelMachine> fit_klr(const Kernel& kernel, const KlrOptions& options, const TrainingData& data,
                                       const Run& run = {});

const ModelEntry& klr_entry();

}  // namespace mercer
