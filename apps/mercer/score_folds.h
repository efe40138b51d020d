// mercer score MODEL-NAME DATA: models of that name are fitted to all folds but one and scored on that one, in turn. No model is
// kept.
#pragma once

#include <optional>

#include "decision_flags.h"
#include "fold_flags.h"
#include "interruption.h"
#include "mercer/report/predictions.h"
#include "training_file.h"

namespace mercer::program {

struct FoldScoreFlags : TrainingFlags {
  FoldFlags folds;
  bool margins = false;
  DecisionFlags decisions;
  std::optional<double> punt_error;

  DecisionValues decision_values() const { return punt_error ? DecisionValues::all : DecisionValues::for_metrics; }
};

void score_folds(const FoldScoreFlags& flags, Interruption& interruption);

}  // namespace mercer::program
