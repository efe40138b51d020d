// What the models of distances and prototypes share before they are fitted: the rows that count, a kernel whose
// squared distances mean something, and its Gram matrix or its distances in the form that fits into memory.
#pragma once

#include <memory>
#include <vector>

#include "mercer/gram/gram.h"
#include "mercer/gram/kernel_distances.h"
#include "mercer/models/model.h"

namespace mercer {

/// The rows of positive weight, and the kernel with its widths resolved on them.
struct DistanceRows {
  std::vector<Index> rows;
  Samples samples;
  std::vector<double> weights;  ///< one for every row
  Kernel kernel;
};

/// Errors as in weighted_rows() (training_rows.h); require_distances() too.
DistanceRows distance_rows(const char* model, const Kernel& kernel, const TrainingData& data, const Run& run);

/// InvalidArgument for conditionally positive kernels of order 2 and more, whose k(x,x) + k(z,z) − 2k(x,z) is no
/// squared distance; an indefinite kernel gets a warning.
void require_distances(const char* model, const Kernel& kernel, const Samples& samples, const Run& run);

/// K of the samples in double precision: the factor itself for linear kernels of fewer columns than rows, stored where
/// 8n² bytes are allowed, else evaluated at every use. `memory_mb` = 0: half of the machine's memory.
std::shared_ptr<const Gram<double>> training_gram(const Kernel& kernel, const Samples& samples, double memory_mb,
                                                  const Run& run);

/// The distances of the samples in the kernel's feature space, stored where 8n² bytes are allowed.
std::shared_ptr<const Gram<double>> training_distances(const Kernel& kernel, const Samples& samples,
                                                       DistancePower power, double memory_mb, const Run& run);

}  // namespace mercer
