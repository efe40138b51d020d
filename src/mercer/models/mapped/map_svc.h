// mapsvc: support vector classification on explicit features of a kernel,
//
//   min_{w, b}  ½‖w‖² + Σ_i C_i loss(t_i (w·z(x_i) + b)),      C_i = C · class weight · sample weight
//
// with the hinge max(0, 1 − v) or its square: svc with z(x)·z(x') in place of k, one machine per class against the rest
// where there are more than two. Features that fit into memory (as float) are given to the solver of linearsvc, which ends
// on its duality gap; otherwise the squared hinge is solved by passes over blocks of rows (block_descent.h). References:
// Rahimi & Recht (2007); Fan, Chang, Hsieh, Wang & Lin (2008).
#pragma once

#include <memory>
#include <string>

#include "mercer/models/classes/class_weights.h"
#include "mercer/models/mapped/mapped_model.h"
#include "mercer/solvers/linear/linear_svm.h"

namespace mercer {

struct MapSvcOptions : MapOptions {
  MapKind map = MapKind::automatic;
  double C = 1;
  LinearLoss loss = LinearLoss::squared_hinge;
  ClassWeights class_weight;
  double gap = 1e-4;
  Index max_passes = 1000;
  void validate() const;
};

std::span<const Option<MapSvcOptions>> mapsvc_option_table();

/// InvalidArgument for the hinge where the features do not fit into memory. DataError for one class only; Stopped.
std::unique_ptr<MappedModel> fit_mapsvc(const Kernel& kernel, const MapSvcOptions& options, const TrainingData& data,
                                        const Run& run = {});

const ModelEntry& mapsvc_entry();

}  // namespace mercer
