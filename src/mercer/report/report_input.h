// ReportInput: what a report is made of: a model, data with known answers, and, where they are at hand, the rows that
// the model was fitted to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "mercer/models/model.h"
#include "mercer/models/stored_model.h"
#include "mercer/report/report_data.h"

namespace mercer {

/// Learning curves refit the model several times: `automatic` draws them up to 2000 rows and within half a minute.
enum class LearningCurve { automatic, wanted, left_out };

struct ReportInput {
  const StoredModel* stored = nullptr;
  Samples samples;                            ///< as the model takes them: scaled
  std::optional<Targets> targets = {};        ///< of these samples; novelty needs none
  std::optional<TrainingData> training = {};  ///< what the model was fitted to, scaled; may be the very same rows
  DataPart part = DataPart::test;             ///< whether `samples` are those of the training
  std::string file = {};
  std::string data_hash = {};
  std::vector<std::string> axes = {};  ///< names or numbers of two columns for the regions; empty: chosen
  LearningCurve learning = LearningCurve::automatic;

  const FittedModel& model() const { return *stored->model; }
  Index rows() const { return samples.size(); }
  /// The samples that the model was fitted to, where they are known.
  const TrainingData* training_rows() const { return training ? &*training : nullptr; }
};

}  // namespace mercer
