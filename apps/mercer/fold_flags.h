// How rows are cut into folds: flags of the commands that hold rows back.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "mercer/data/files/data_file.h"
#include "mercer/data/split.h"
#include "mercer/models/model.h"
#include "mercer/select/folds/fold_plan.h"

namespace mercer::program {

struct FoldFlags {
  std::string folds = "5";
  Index repeats = 1;
  std::string groups;
  bool time_order = false;
  bool no_stratify = false;
};

/// --folds, --groups, --time-order, --no-stratify.
void add_fold_flags(CLI::App& command, FoldFlags& flags);

/// `usual`: rows that nothing is said of are drawn at random, or kept in the order of time. UsageError for what does not go
/// together.
FoldPlan fold_plan(const FoldFlags& flags, const ModelEntry& entry, SampleOrder usual);

/// UsageError where the file has no column of groups as --groups names it.
void require_groups(const FoldFlags& flags, const DataFile& data, const std::string& file);

}  // namespace mercer::program
