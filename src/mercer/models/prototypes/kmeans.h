// Kernel k-means as a model: clusters of samples around means in the kernel's feature space (solvers/clusters/kernel_kmeans.h);
// new samples belong to the nearest mean. With a linear kernel it is ordinary k-means, and the means are kept as points
// of input space. Reference: Schölkopf & Smola (2002), section 17.1; Dhillon, Guan & Kulis (2004).
#pragma once

#include <memory>

#include "mercer/models/model.h"
#include "mercer/models/prototypes/prototype_model.h"

namespace mercer {

struct KmeansOptions {
  Index clusters = 8;
  Index restarts = 10;
  Index max_iterations = 300;
  double tolerance = 0;
  double memory_mb = 0;  ///< 0: half of the machine's memory

  void validate() const;
};

std::span<const Option<KmeansOptions>> kmeans_option_table();

/// Targets are not used. Weights count as repetitions. Clusters are numbered by their first samples; where there are
/// fewer distinct samples than clusters, each has its own and a note says so.
std::unique_ptr<PrototypeModel> fit_kmeans(const Kernel& kernel, const KmeansOptions& options, const TrainingData& data,
                                           const Run& run = {});

const ModelEntry& kmeans_entry();

}  // namespace mercer
