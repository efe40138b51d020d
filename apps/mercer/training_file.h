// What subcommands that fit models to a file share: which columns it must have, and how the model is called.
#pragma once

#include <string>
#include <vector>

#include "common_flags.h"
#include "mercer/data/data_file.h"
#include "mercer/models/model.h"

namespace mercer::program {

/// data/train.csv.gz gives train.mercer, in the current folder. UsageError for standard input.
std::string default_model_name(const std::string& input);

/// --precision and --memory as options of models that have such, unless they are set.
void pass_on_flags(const ModelEntry& entry, const RunFlags& run, const DataFlags& data,
                   std::vector<OptionSetting>& settings);

/// UsageError for --noise COL with a model that makes no use of it.
void require_noise_is_used(const std::string& noise, const ModelEntry& entry);

/// UsageError where the target is missing, DataError where it holds labels and the model predicts numbers.
void require_usable_targets(const DataFile& data, const ModelEntry& entry, const std::string& file);

/// Only tables have columns beside inputs and targets; a column that was asked for must not be passed over in silence.
enum class ColumnFound { yes, no };
void require_column(const char* flag, const std::string& column, ColumnFound found, const DataFile& data,
                    const std::string& file);

/// Columns of a file that are inputs.
Index input_columns(const Schema& schema);

}  // namespace mercer::program
