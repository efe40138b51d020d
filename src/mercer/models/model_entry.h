// An entry of the registry from a model's own parts: its table of options, its fit function, its from_state().
#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/models/model.h"
#include "mercer/models/option_table.h"
#include "mercer/models/training_rows.h"

namespace mercer {

/// `about` holds the name and what is said of the model; options, fit and load are filled in. `fit` takes a kernel,
/// options, data and a run, or the same without kernel. The table must live as long as the program.
template <class Model, class Options, class Fit>
ModelEntry make_entry(ModelEntry about, std::span<const Option<Options>> table, Fit fit) {
  about.options = describe(table);
  about.check = [model = about.name, table](std::span<const OptionSetting> settings) {
    Options options;
    apply_settings<Options>(model, table, settings, options);
  };
  about.fit = [model = about.name, table, fit](const std::optional<Kernel>& kernel,
                                               std::span<const OptionSetting> settings, const TrainingData& data,
                                               const Run& run) -> std::unique_ptr<FittedModel> {
    Options options;
    apply_settings<Options>(model, table, settings, options);
    require_sample_range(data, model.c_str());
    constexpr bool takes_kernel =
        std::is_invocable_v<Fit, const Kernel&, const Options&, const TrainingData&, const Run&>;
    if (kernel.has_value() != takes_kernel) {
      throw InvalidArgument(model + (takes_kernel ? " needs a kernel" : " has no kernel: its windows are options"));
    }
    if constexpr (takes_kernel) {
      return fit(*kernel, options, data, run);
    } else {
      return fit(options, data, run);
    }
  };
  about.load = [](const ModelState& state, const Run& run) -> std::unique_ptr<FittedModel> {
    return Model::from_state(state, run);
  };
  return about;
}

}  // namespace mercer
