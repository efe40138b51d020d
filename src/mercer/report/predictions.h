// Predictions: what a model says about samples, and what is true of them; computed once for all metrics and sections.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mercer/models/model.h"

namespace mercer {

/// Levels of the central intervals whose coverage is scored.
inline constexpr std::array coverage_levels = {0.5, 0.9, 0.95};

/// Parts that do not apply have no columns or no entries.
struct Predictions {
  Matrix<double> values;              ///< predict()
  Matrix<double> decisions;           ///< decide(), n × decisions
  Matrix<double> probabilities;       ///< n × classes
  Matrix<double> truth;               ///< regression: n × outputs
  std::vector<std::int32_t> classes;  ///< classification: the true class, −1 for one unknown to the model;
                                      ///< clustering: the cluster
  std::vector<std::int32_t> labels;   ///< classification: the true label, numbered over those that occur
  Matrix<double> log_density;         ///< n × outputs
  std::vector<double> levels;         ///< of the quantiles, ascending
  Matrix<double> quantiles;           ///< n × (outputs · levels)
  std::vector<double> scored_levels;  ///< at which quantiles are scored (models/fitted_quantiles.h)
  Matrix<double> scored_quantiles;    ///< n × (outputs · scored levels)
  bool fits_quantiles = false;        ///< whether these are functions that were fitted
  std::vector<double> confidence;     ///< classification: how sure every answer is (confidence.h); empty: not known
  std::vector<char> normal;           ///< novelty: 1 for the larger of two labels; empty unless there are two
  std::vector<std::string> label_names = {};  ///< of the labels; novelty: the two

  Index rows() const { return values.rows(); }
};

/// Which decision values are wanted: all, or those that metrics use (two classes without probabilities, novelty).
enum class DecisionValues { all, for_metrics };

/// One pass per kind of prediction. `quantile_levels`: of observations, for models with a distribution. DataError where
/// a model with targets finds other targets than its own (other tasks need none).
Predictions predict_all(const FittedModel& model, const Samples& samples, const Targets* targets,
                        std::span<const double> quantile_levels, const Run& run,
                        DecisionValues decisions = DecisionValues::all);

/// Of all rows, by those of blocks of them. Novelty knows its two labels only of all rows at once: of one block.
Predictions joined(std::vector<Predictions> blocks);

/// For novelty: which rows are normal, where the targets have two labels.
void label_novelty(const Targets& targets, Predictions& predictions);

/// A column of a matrix.
std::vector<double> column_of(const Matrix<double>& matrix, Index column);

/// The headings of a model's predictions: the names of its targets, "prediction" for one without a name.
std::vector<std::string> output_headings(const FittedModel& model);

}  // namespace mercer
