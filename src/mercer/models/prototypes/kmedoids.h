// k-medoids in a kernel's feature space (solvers/clusters/kernel_kmedoids.h) as models: `kmedoids` sorts samples into clusters
// around samples, `medoidc` finds a few medoids of every class and answers with the class of the nearest. Distances are
// all they need, so that they work on whatever a kernel compares: strings, sets, tables.
// Reference: Murphy (2012), Machine learning: a probabilistic perspective, section 14.4.2.
#pragma once

#include <memory>

#include "mercer/gram/kernel_distances.h"
#include "mercer/models/model.h"
#include "mercer/models/prototypes/prototype_model.h"

namespace mercer {

struct KmedoidsOptions {
  Index clusters = 8;
  Index restarts = 10;
  Index max_iterations = 300;
  bool swaps = true;
  DistancePower distance = DistancePower::plain;
  double memory_mb = 0;  ///< 0: half of the machine's memory

  void validate() const;
};

struct MedoidClassifierOptions {
  Index medoids = 5;  ///< per class
  Index restarts = 10;
  Index max_iterations = 300;
  bool swaps = true;
  DistancePower distance = DistancePower::plain;
  double memory_mb = 0;

  void validate() const;
};

std::span<const Option<KmedoidsOptions>> kmedoids_option_table();
std::span<const Option<MedoidClassifierOptions>> medoid_classifier_option_table();

/// Targets are not used. Weights count as repetitions. Clusters are numbered by the rows of their medoids.
std::unique_ptr<PrototypeModel> fit_kmedoids(const Kernel& kernel, const KmedoidsOptions& options,
                                             const TrainingData& data, const Run& run = {});

/// Medoids of every class by itself; a class of fewer distinct samples has fewer.
std::unique_ptr<PrototypeModel> fit_medoid_classifier(const Kernel& kernel, const MedoidClassifierOptions& options,
                                                      const TrainingData& data, const Run& run = {});

const ModelEntry& kmedoids_entry();
const ModelEntry& medoid_classifier_entry();

}  // namespace mercer
