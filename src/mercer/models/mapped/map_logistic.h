// maplogit: logistic regression on explicit features of a kernel, for two or more classes,
//
//   min_{W, b}  Σ_i w_i (−ln p(y_i | x_i)) + λ/2 ‖W‖²,      p = softmax(Wᵀz(x) + b)
//
// (one function and the logistic sigmoid for two classes), by passes over blocks of rows (block_descent.h): kernel
// logistic regression with z(x)·z(x') in place of k. λ = 1/C of scikit-learn. References: Rahimi & Recht (2007); Böhning (1992).
#pragma once

#include <memory>
#include <string>

#include "mercer/models/classes/class_weights.h"
#include "mercer/models/mapped/mapped_model.h"

namespace mercer {

struct MapLogisticOptions : MapOptions {
  MapKind map = MapKind::automatic;
  double lambda = 1;
  ClassWeights class_weight;
  double accuracy = 1e-10;
  Index max_passes = 500;
  void validate() const;
};

std::span<const Option<MapLogisticOptions>> maplogit_option_table();

/// A weight w is the row w times. Features are kept (as float) where they fit into memory, and computed anew in every
/// pass otherwise: the result is the same. DataError for one class only; Stopped.
std::unique_ptr<MappedModel> fit_maplogit(const Kernel& kernel, const MapLogisticOptions& options,
                                          const TrainingData& data, const Run& run = {});

const ModelEntry& maplogit_entry();

}  // namespace mercer
