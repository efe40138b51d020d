// An entry of the registry from a model's own parts: its table of options, its fit function, its from_state().
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "mercer/models/model.h"
#include "mercer/models/option_table.h"

namespace mercer {

/// `about` holds the name and what is said of the model; options, fit and load are filled in. The table must live as
/// long as the program.
template <class Model, class Options, class Fit>
ModelEntry make_entry(ModelEntry about, std::span<const Option<Options>> table, Fit fit) {
  about.options = describe(table);
  about.fit = [model = about.name, table, fit](const Kernel& kernel, std::span<const OptionSetting> settings,
                                               const TrainingData& data,
                                               const Run& run) -> std::unique_ptr<FittedModel> {
    Options options;
    apply_settings<Options>(model, table, settings, options);
    return fit(kernel, options, data, run);
  };
  about.load = [](const ModelState& state, const Run& run) -> std::unique_ptr<FittedModel> {
    return Model::from_state(state, run);
  };
  return about;
}

}  // namespace mercer
