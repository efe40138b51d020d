// What the kernel machines share before they are fitted: the rows that count with their targets as means of a response,
// and the features κ(x_i, μ_j).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mercer/data/weighted_samples.h"
#include "mercer/expansion/expansion.h"
#include "mercer/models/classes/class_weights.h"
#include "mercer/models/kernel_machine/machine_prototypes.h"
#include "mercer/models/merged_rows.h"
#include "mercer/models/model.h"
#include "mercer/solvers/glm/glm_family.h"
#include "mercer/solvers/glm/glm_newton.h"

namespace mercer {

struct MachineRows {
  const char* model = "";
  Samples samples;
  std::vector<double> weights;  ///< n positive numbers, those of the classes included
  std::vector<double> counts;   ///< the weights without those of the classes; empty: all 1
  Matrix<double> values;        ///< n × outputs, as GlmTargets needs them
  GlmFamily family = GlmFamily::gaussian;
  std::vector<std::string> output_names;
  std::vector<std::string> levels;    ///< of the classes; empty for regression
  std::vector<std::int32_t> classes;  ///< per row; empty for regression
  Index left_out = 0;                 ///< rows of weight 0

  Index size() const { return samples.size(); }
  /// What widths are taken from.
  WeightedSamples weighted() const { return {samples, counts}; }
  GlmTargets targets() const { return {family, values.view(), weights}; }
  /// Some of the rows, without features.
  MachineRows select(std::span<const Index> numbers) const;
};

/// `response`: gaussian or poisson. Rows are merged_unless_in_folds(). Errors as in require_target_numbers() and
/// GlmTargets::validate().
MachineRows regression_rows(const char* model, const Kernel& kernel, const TrainingData& given, ChosenBy chosen,
                            GlmFamily response);
/// Errors as in read_labels().
MachineRows class_rows(const char* model, const TrainingData& data, const ClassWeights& class_weight);

/// At most `most` rows (0: all) drawn by the seed of the run, from every class in proportion and at least one.
std::vector<Index> drawn_rows(const MachineRows& rows, Index most, const Run& run);

struct MachineFeatures {
  Kernel kernel;  ///< resolved
  Samples prototypes;
  Matrix<double> values;  ///< Φ: n × M
};

/// Φ and `copies` more matrices of its size must fit into the memory allowed (0: half of the machine's): InvalidArgument.
MachineFeatures machine_features(const MachineRows& rows, const Kernel& kernel, const PrototypeChoice& choice,
                                 double memory_mb, double copies, const Run& run);

/// InvalidArgument where `bytes` are more than allowed_memory(memory_mb).
void require_machine_memory(const char* model, double bytes, double memory_mb, const std::string& advice);

/// The rows `numbers` of a matrix.
Matrix<double> matrix_rows(ConstMatrixView<double> matrix, std::span<const Index> numbers);

/// The expansion of the coefficients; prototypes whose coefficients are all 0 are left out, but one stays.
Expansion machine_expansion(const Kernel& kernel, const Samples& prototypes, const GlmPoint& point, const Run& run);

}  // namespace mercer
