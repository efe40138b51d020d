// What subcommands that fit models to a file share: their flags, what is known before the file is read, which columns it
// must have, and how the model is called.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common_flags.h"
#include "file_roles.h"
#include "mercer/data/embedding.h"
#include "mercer/data/files/data_file.h"
#include "mercer/data/preparation.h"
#include "mercer/models/model.h"
#include "session.h"

namespace mercer::program {

struct TrainingPlan;

struct TrainingFlags {
  RunFlags run;
  DataFlags data;
  std::string model;
  std::string file;
  std::string kernel;
  std::vector<std::string> settings;
  std::string scale = "auto";
  std::string weights;
  std::string noise;
  std::string embed;  ///< empty: rows are no series
  std::string prior;
  std::string tube;
  std::string output;
  Replacing replacing = Replacing::models_only;

  /// How the file is read for this model.
  ReadOptions read_options(const TrainingPlan& plan) const;
};

/// What is known before any data is read.
struct TrainingPlan {
  const ModelEntry* entry;
  std::optional<Kernel> kernel;  ///< empty for models without
  std::vector<OptionSetting> settings;
  std::optional<ScalingRule> scaling;       ///< empty: by the data
  CodingRule coding = {};                   ///< of tables; other files have numbers alone
  std::optional<Delays> delays = {};        ///< of rows that are a series
  std::optional<Embedding> embedding = {};  ///< known once the file is read
  std::shared_ptr<const KnownFunction> prior = {};

  /// For reading: the kernel, looking at the columns of functions beside it, too.
  std::optional<Kernel> seeing() const;
};

/// UsageError for unknown names and values.
TrainingPlan plan_training(const TrainingFlags& flags);
/// The same where settings are values, not ranges to search; UsageError for those that an option does not take.
TrainingPlan plan_training_at_values(const TrainingFlags& flags);

/// --embed.
void add_embed_flag(CLI::App& command, TrainingFlags& flags);
/// Where --embed says so, the file, read as a series, becomes rows with their past, and the plan knows which column it is.
/// UsageError where the column is none.
void embed_rows_of(TrainingPlan& plan, const TrainingFlags& flags, DataFile& data, Session& session);

/// A kernel whose subscripts have names for the numbers and ranges that count the columns of this file, where that is a
/// table; of other files it stays as it is.
Kernel kernel_for_file(const Kernel& kernel, const DataFile& data);
/// The plan with such a kernel, and with what follows from its names.
void know_columns(TrainingPlan& plan, const TrainingFlags& flags, const DataFile& data);

/// What the flags leave out is no column of the schema, also where it was read for the prior function, which sees the samples.
void leave_to_prior(const TrainingPlan& plan, const TrainingFlags& flags, DataFile& data);

/// The prior function that the flags name; the plan keeps it, and its columns are read beside those of the model.
void load_prior(TrainingPlan& plan, const TrainingFlags& flags, Session& session);
void add_prior_flag(CLI::App& command, TrainingFlags& flags, const std::string& group = {});
/// --tube.
void add_tube_flag(CLI::App& command, TrainingFlags& flags, const std::string& group = {});

struct PreparedTraining {
  Preparation preparation;
  TrainingData training;
};

/// Columns that reading has left out, among those that coding leaves out.
void add_empty_columns(Coding& coding, const DataFile& data);

/// How the columns of a file are coded: by the rule where it is a table, as they are else.
CodingRule coding_of(const CodingRule& rule, FileFormat format);

/// The rows of a file as a model takes them, coded and scaled as was asked for or is usual; those of the file are given
/// up. Throws as require_kernel().
PreparedTraining prepare_training(const TrainingFlags& flags, const TrainingPlan& plan, DataFile data,
                                  Session& session);

/// --output, or default_model_name().
std::string model_output(const TrainingFlags& flags);
/// What is read for training.
FileRoles training_files(const TrainingFlags& flags);

/// data/train.csv.gz gives train.mercer, in the current folder. UsageError for standard input.
std::string default_model_name(const std::string& input);

/// Whether targets say how sure a label is: numbers between the classes.
bool takes_degrees(const TrainingFlags& flags);

/// UsageError where the target or a column that a flag names is missing; DataError, with the model that would do, where the
/// target holds labels and the model predicts numbers, or a quantity and the model predicts classes.
void require_usable(const DataFile& data, const TrainingFlags& flags, const ModelEntry& entry);
/// Notes where a target that can be used looks like one for another model.
void tell_about_targets(const DataFile& data, const ModelEntry& entry, Console& console);

/// UsageError, with a kernel that would do for the raw samples, where none was chosen and the prepared ones are no vectors.
void require_kernel(const TrainingFlags& flags, const TrainingPlan& plan, const Samples& raw, const Samples& prepared);

/// Only tables have columns beside inputs and targets; a column that was asked for must not be passed over in silence.
enum class ColumnFound { yes, no };
void require_column(const char* flag, const std::string& column, ColumnFound found, const DataFile& data,
                    const std::string& file);

/// Columns of a file that are inputs.
Index input_columns(const Schema& schema);

}  // namespace mercer::program
