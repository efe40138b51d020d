// Class means: a sample belongs to the class that it is nearest to in the kernel's feature space. Every class c has a
// function ⟨μ_c, Φ(x)⟩ + b_c, μ_c = Σ_{i∈c} w_i Φ(x_i) / W_c, with
//
//   rule      b_c                               the class whose …
//   mean      −½‖μ_c‖²                          … mean is nearest              Schölkopf & Smola (2002), (1.7)-(1.12)
//   distance  −½ Σ_{i∈c} w_i k(x_i, x_i) / W_c  … mean squared distance is least                      (2.89)-(2.91)
//   parzen    0                                 … Parzen estimate p(x | c) is largest, for kernels that are densities
//
// Two classes: the difference of the second and the first. The rules mean and distance differ where the classes differ
// in spread: 2(b_mean − b_distance) is the variance of the class. No solver, no option to tune but the kernel.
#pragma once

#include <array>
#include <memory>

#include "mercer/models/model.h"
#include "mercer/models/prototypes/expansion_classifier.h"

namespace mercer {

enum class ClassMeanRule { mean, distance, parzen };
constexpr auto words_of(ClassMeanRule) {
  return std::array{Word{ClassMeanRule::mean, "mean"}, Word{ClassMeanRule::distance, "distance"},
                    Word{ClassMeanRule::parzen, "parzen"}};
}

struct ClassMeanOptions {
  ClassMeanRule rule = ClassMeanRule::mean;

  void validate() const;
};

std::span<const Option<ClassMeanOptions>> class_mean_option_table();

/// Weights count as repetitions. One product of K with one column per class (rule mean), nothing stored.
std::unique_ptr<ExpansionClassifier> fit_class_mean(const Kernel& kernel, const ClassMeanOptions& options,
                                                    const TrainingData& data, const Run& run = {});

const ModelEntry& class_mean_entry();

}  // namespace mercer
