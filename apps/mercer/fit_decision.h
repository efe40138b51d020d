// The decision rule of a model that is being fitted: costs and priors as the flags have them, and where decision values part two
// classes a threshold, chosen on rows that models were not fitted to.
#pragma once

#include "decision_flags.h"
#include "fold_flags.h"
#include "fold_rows.h"
#include "mercer/models/stored_model.h"
#include "training_file.h"

namespace mercer::program {

struct FitDecisionFlags : DecisionFlags {
  FoldFlags folds;
};

void add_fit_decision_flags(CLI::App& command, FitDecisionFlags& flags);
/// UsageError for flags that do not go together or with the model.
void check(const FitDecisionFlags& flags, const ModelEntry& entry);

/// What folds are fitted to: the rows before they are coded.
struct DecisionRows {
  FoldRows rows;
  Schema schema;
  CodingRule coding;
};

/// The model decides by the flags from then on. UsageError where it cannot; what a fit throws.
void decide_by_folds(const FitDecisionFlags& flags, const TrainingPlan& plan, const DecisionRows& rows,
                     StoredModel& stored, Session& session);

}  // namespace mercer::program
