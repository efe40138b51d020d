// Fits that several laws ask for: of a model of the registry, its settings and a problem. Each is made once per process and
// never changed, so that a law costs what it asks and not what it fits.
#pragma once

#include <cmath>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "mercer/kernels/spec.h"
#include "mercer/models/stored_model.h"
#include "models/option_variants.h"
#include "models/random_problem.h"

namespace mercer::testing {

/// one: what targets_for() gives. several: two outputs, three classes or a second view of two columns. counts: whole
/// numbers from 0. degrees: numbers from -1 to 1.
enum class LawTargets { one, several, counts, degrees };

inline std::string_view to_string(LawTargets targets) {
  switch (targets) {
    case LawTargets::one:
      return "one";
    case LawTargets::several:
      return "several";
    case LawTargets::counts:
      return "counts";
    case LawTargets::degrees:
      return "degrees";
  }
  return "";
}

/// Random samples of three columns, targets, groups of three rows for models that take groups, and a kernel: the model's
/// own where none is named.
struct LawProblem {
  Index rows = 40;
  std::uint64_t seed = 71;
  LawTargets targets = LawTargets::one;
  std::string_view kernel = {};
};

inline Targets problem_targets(const ModelEntry& entry, const LawProblem& problem) {
  const std::uint64_t seed = problem.seed + 1;
  if (problem.targets == LawTargets::one) {
    return targets_for(entry, problem.rows, seed);
  }
  const bool several = problem.targets == LawTargets::several;
  Matrix<double> values = random_matrix(problem.rows, several ? 2 : 1, seed);
  std::vector<std::string> labels;
  for (Index i = 0; i < problem.rows; ++i) {
    const double value = values(i, 0);
    labels.emplace_back(value > 0.4 ? "high" : value > -0.4 ? "left" : "right");
    values(i, 0) = problem.targets == LawTargets::counts    ? std::round(std::abs(2 * value))
                   : problem.targets == LawTargets::degrees ? std::tanh(value)
                                                            : value;
  }
  return several && entry.task == Task::classification ? Targets::classes(labels) : Targets::numeric(values.view());
}

inline TrainingData problem_data(const ModelEntry& entry, const LawProblem& problem) {
  TrainingData data{random_samples(problem.rows, 3, problem.seed), problem_targets(entry, problem)};
  for (Index i = 0; entry.takes_groups && i < problem.rows; ++i) {
    data.groups.push_back(static_cast<std::int32_t>(i / 3));
  }
  return data;
}

/// A fit as a file keeps it.
inline StoredModel fit_stored(const ModelEntry& entry, const std::vector<OptionSetting>& settings,
                              const LawProblem& problem, const Run& run) {
  const TrainingData data = problem_data(entry, problem);
  StoredModel stored;
  stored.preparation.schema = schema_of(data.samples);
  stored.model = entry.fit(kernel_for(entry, problem.kernel), settings, data, run);
  return stored;
}

/// The same with one thread, from a store of the process. A fit that throws does so every time, with the same error.
inline const StoredModel& shared_fit(const ModelEntry& entry, const std::vector<OptionSetting>& settings,
                                     const LawProblem& problem) {
  struct Outcome {
    StoredModel stored;
    std::exception_ptr error;
  };
  using Name = std::tuple<std::string, std::string, Index, std::uint64_t, LawTargets, std::string>;
  static std::map<Name, Outcome> outcomes;
  const auto [place, is_new] = outcomes.try_emplace(
      Name(entry.name, text_of(settings), problem.rows, problem.seed, problem.targets, problem.kernel));
  Outcome& outcome = place->second;
  if (is_new) {
    try {
      outcome.stored = fit_stored(entry, settings, problem, Run{{.threads = 1}});
    } catch (...) {
      outcome.error = std::current_exception();
    }
  }
  if (outcome.error != nullptr) {
    std::rethrow_exception(outcome.error);
  }
  return outcome.stored;
}

}  // namespace mercer::testing
