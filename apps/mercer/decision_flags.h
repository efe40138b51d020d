// How classes are decided upon: costs of mistakes, prior probabilities, a wanted rate of false positives.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "file_roles.h"
#include "mercer/models/decisions.h"
#include "output.h"

namespace mercer::program {

struct DecisionFlags {
  std::string costs;  ///< the text itself, or the file of a table
  std::string priors;
  std::optional<double> false_positive_rate;
  std::string positive;

  bool any() const { return !costs.empty() || !priors.empty() || false_positive_rate.has_value(); }
  /// UsageError for flags that do not go together.
  void check() const;
  /// The file of costs, where that is what was given.
  void read_by(FileRoles& files) const;
};

/// --costs and --priors.
void add_cost_flags(CLI::App& command, DecisionFlags& flags, const std::string& group = {});
/// --false-positive-rate and --positive.
void add_rate_flags(CLI::App& command, DecisionFlags& flags);

/// Costs and priors as the flags have them, and where they say nothing as in `otherwise`. UsageError for labels that are no
/// classes and for what cannot be read; DataError where that stands in a file.
DecisionRule cost_rule(const DecisionFlags& flags, const std::vector<std::string>& classes,
                       const DecisionRule& otherwise = {});
/// The rate and which class is the positive one: the second, where the flags do not say it.
RateWanted wanted_rate(const DecisionFlags& flags, const std::vector<std::string>& classes);

/// UsageError where there are no classes to decide between.
void require_classes(const DecisionFlags& flags, const std::optional<double>& punt_error, Task task,
                     const std::string& model);

/// {"costs": [[0, 5], [1, 0]], "priors": [...], "threshold": 0.3, "rate": 0.01, "positive": "ill"}, what there is of it.
Json decision_as_json(const DecisionRule& rule, const std::vector<std::string>& classes);

/// "svc has no probabilities: its answers stay as they are": a note where a model cannot follow the flags and is only priced.
std::string answers_stay(const DecisionFlags& flags, const std::string& model);

/// The model decides by the flags' costs and priors. UsageError where it cannot.
void decide_by_flags(const DecisionFlags& flags, FittedModel& model);

}  // namespace mercer::program
