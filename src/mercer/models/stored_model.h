// StoredModel: a fitted model with what surrounds it in a file: how raw rows become its samples, how labels are read. It
// answers for raw rows; whoever fits or predicts by files, frames or arrays goes through it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mercer/data/label_kind.h"
#include "mercer/data/preparation.h"
#include "mercer/models/model.h"

namespace mercer {

struct StoredModel {
  std::unique_ptr<FittedModel> model;
  Preparation preparation = {};
  /// How labels of classes are read; nothing for models without classes, and where a file does not say (format 1).
  std::optional<LabelKind> label_kind = {};
  /// What a front keeps beside the model, by the front's name: nobody else looks at it.
  std::map<std::string, std::string> annotations = {};

  /// For raw rows, which are prepared first. Log-densities are those of raw columns, whatever their scaling.
  /// Rows of a series, in the order of time, are embedded: those whose past is not complete have NaN for an answer.
  Answers answer(const Samples& raw, AnswersWanted wanted, const Run& run = {}) const;
  Matrix<double> predict(const Samples& raw, const Run& run = {}) const;
  /// The same for rows that are prepared already.
  Answers answer_prepared(const Samples& prepared, AnswersWanted wanted, const Run& run = {}) const;
};

/// The scaling of columns that a model takes unless told otherwise: none for densities, which are per unit of the columns,
/// and for rows of a matrix of kernel values or weights; default_scaling() else.
ScalingRule usual_scaling(const ModelEntry& entry, const std::optional<Kernel>& kernel, const Samples& samples);

/// The coding of columns that a model takes unless told otherwise: densities, which are per unit of the columns, see numbers
/// alone and want them all; others as coding_for().
CodingRule usual_coding(const ModelEntry& entry, const std::optional<Kernel>& kernel,
                        std::optional<MissingRule> missing = {});

/// Fits a model of the registry to rows that this preparation has prepared, and keeps both.
StoredModel fit_stored_model(const ModelEntry& entry, const std::optional<Kernel>& kernel,
                             std::span<const OptionSetting> settings, const TrainingData& prepared,
                             Preparation preparation, const Run& run = {});

}  // namespace mercer
