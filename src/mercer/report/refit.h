// Refits of a stored model: the same model with the kernel, penalty and noise that it ended with, on other rows.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/models/model.h"

namespace mercer {

/// The settings of a model for a refit: nothing is searched for again where the model knows what it found (kernel
/// parameters, noise, λ). `extra` settings override.
std::vector<OptionSetting> refit_settings(const FittedModel& model, std::span<const OptionSetting> extra = {});

/// Fits the model anew, at its kernel with the widths resolved. Cost of a fit.
std::unique_ptr<FittedModel> refit(const FittedModel& model, const TrainingData& data, const Run& run,
                                   std::span<const OptionSetting> extra = {});

/// Rows of training data, with what belongs to them.
TrainingData select_training(const TrainingData& data, std::span<const Index> rows);

/// The value of a setting, empty where there is none.
std::string setting_of(std::span<const OptionSetting> settings, std::string_view name);

}  // namespace mercer
