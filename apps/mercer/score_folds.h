// mercer score MODEL-NAME DATA: models of that name are fitted to all folds but one and scored on that one, in turn. No model is
// kept.
#pragma once

#include "fold_flags.h"
#include "interruption.h"
#include "training_file.h"

namespace mercer::program {

struct FoldScoreFlags : TrainingFlags {
  FoldFlags folds;
  bool margins = false;
};

void score_folds(const FoldScoreFlags& flags, Interruption& interruption);

}  // namespace mercer::program
