// The columns that `predict` writes of a predictive distribution: std(NAME), lower(NAME) and upper(NAME),
// NAME_q0.05, samples.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "mercer/models/model.h"
#include "output.h"

namespace mercer::program {

struct DistributionFlags {
  bool deviations = false;
  std::optional<double> interval;
  std::vector<double> quantiles;
  std::optional<Index> samples;
  std::string of;  ///< empty: observation; for samples the function, where the model knows that

  bool any() const { return deviations || interval || !quantiles.empty() || samples; }
};

/// --std, --interval, --quantiles, --samples, --of.
void add_distribution_flags(CLI::App& command, DistributionFlags& flags);

/// UsageError for values that mean nothing.
void require_sensible(const DistributionFlags& flags);
/// UsageError where the model has no distribution.
void require_distribution(const DistributionFlags& flags, const FittedModel& model);

/// Per output: the mean, then what the flags ask for, and nothing else is computed. `names` are those of the outputs.
struct DistributionColumns {
  Matrix<double> numbers;
  std::vector<std::string> names;
};
DistributionColumns distribution_columns(const DistributionFlags& flags, const FittedModel& model,
                                         const std::vector<std::string>& names, const Samples& samples, const Run& run);

/// What was asked for, for `predict --json`.
Json as_json(const DistributionFlags& flags, const FittedModel& model);

}  // namespace mercer::program
