// Samples for a stored model: a data file read with the schema and the scaling of the training data.
#pragma once

#include "mercer/models/stored_model.h"
#include "session.h"

namespace mercer::program {

struct NewData {
  Samples samples;  ///< as the model takes them
  std::optional<Targets> targets;
  std::vector<double> weights = {};  ///< empty unless asked for
};

/// Reads `path` as the model's training file was read. Targets are looked for where the flags say, otherwise where the
/// training file had them. `weights`: the column of weights, for training data.
NewData read_for_model(const std::string& path, const DataFlags& flags, const StoredModel& stored, Presence targets,
                       Session& session, const std::string& weights = {});

/// UsageError where predictions cannot be right or wrong (features, clusters).
void require_scored(const FittedModel& model);

/// The targets that predictions are compared with: null where there are none and the model needs none. DataError naming
/// the flag that says where they are where some are missing.
const Targets* known_targets(const NewData& data, const FittedModel& model, const std::string& file);

/// The headings of a model's predictions: the names of its targets, "prediction" for one without a name.
std::vector<std::string> headings(const FittedModel& model);

/// The flags without those that only training data needs.
void add_new_data_flags(CLI::App& command, DataFlags& flags);

}  // namespace mercer::program
