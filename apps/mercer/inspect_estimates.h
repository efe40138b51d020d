// The numbers that `mercer inspect` prints where the training data are given, each with a sentence on what it means.
#pragma once

#include <string>
#include <vector>

#include "mercer/models/model.h"
#include "output.h"

namespace mercer::program {

struct Estimate {
  std::string name;
  double value = 0;  ///< NaN: cannot be said
  std::string text;  ///< the value for people: "7 of 150 (4.667 %)"
  std::string meaning;
};

struct Inspection {
  std::vector<Estimate> estimates;    ///< of the whole model
  std::vector<std::string> machines;  ///< names, where there are several two-class machines
  std::vector<std::vector<Estimate>> machine_estimates;
  std::vector<std::string> notes;
};

struct InspectionOptions {
  double delta = 0.05;      ///< margin bounds hold with probability 1 − delta
  double delta_rho = 0.1;   ///< one class: by how much of ρ a row has to be outside to count
  double memory_mb = 1000;  ///< for a kernel matrix
};

/// data: what the model was fitted to. DataError where it is not. Models that nothing is known of give a note.
Inspection inspect_with_data(const FittedModel& model, const TrainingData& data, const InspectionOptions& options,
                             const Run& run);

Json as_json(const Inspection& inspection);
std::string as_text(const Inspection& inspection);

}  // namespace mercer::program
