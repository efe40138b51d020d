// SupportVectors: which rows a model is made of: their row in the training data, their
// coefficients, and whether they are at their bound.
//
// A model file keeps no flags for the bound. The machines of svc and nusvc know how many there are; these are the ones
// whose side of the margin is worst, y f(x) least, whatever weights the rows had. Regression: rows outside the tube;
// novelty: rows outside the boundary.
#pragma once

#include <optional>
#include <vector>

#include "mercer/expansion/expansion.h"
#include "mercer/report/report_data.h"

namespace mercer {

struct SupportVectors {
  Samples centers;
  std::vector<Index> rows;           ///< of the training samples, one per centre
  std::vector<SupportState> states;  ///< likewise
  std::vector<Index> classes;        ///< likewise; of machines between classes, else empty
  Matrix<double> coefficients;       ///< centres × machines
};

/// Empty for models without support vectors (ridge, gp: every row is one; linear models keep none). Evaluates the model
/// on its own centres. `targets`: of the training rows, which regression needs for the bound (all are free without).
std::optional<SupportVectors> support_vectors(const FittedModel& model, const Targets* training_targets,
                                              const Run& run);

/// The machine that the k-th vector belongs to, where every vector belongs to one: that of its largest coefficient.
Index machine_of(const SupportVectors& support, Index k);

/// The kernel expansions that the model's answers are made of, as they are before links and units; null where there are
/// none.
const Expansion* kernel_functions(const FittedModel& model);

/// The samples that the model's functions or its windows stand on, and the rows of the training data that they are:
/// support vectors, or all rows in order. Empty where it keeps none.
struct ModelCenters {
  Samples samples;
  std::vector<Index> rows;
  bool named = false;  ///< whether the model says which rows they are; otherwise 0, 1, …
};
std::optional<ModelCenters> model_centers(const FittedModel& model);

/// Whether samples are those that the model was fitted to, by its centres: equal numeric columns, to single precision.
/// `unknown`: the model keeps none of its training rows, or they have no numeric columns.
enum class RowMatch { equal, different, unknown };
RowMatch match_training_rows(const FittedModel& model, const Samples& samples);

}  // namespace mercer
