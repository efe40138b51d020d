// An entry of the registry from a model's own parts: its table of options, its fit function, the parts that it describes.
#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/models/decisions.h"
#include "mercer/models/fields.h"
#include "mercer/models/model.h"
#include "mercer/models/option_table.h"
#include "mercer/models/prior.h"
#include "mercer/models/training_rows.h"

namespace mercer {

/// The model of a state: parts that describe themselves (fields.h), then the constructor with head and parts.
template <class Model>
std::unique_ptr<FittedModel> load_parts(ModelState& state, typename Model::Parts parts, const Run& run) {
  Fields visit(Fields::Direction::loading, state, run);
  parts.fields(visit);
  if constexpr (std::is_constructible_v<Model, ModelHead, typename Model::Parts, const Run&>) {
    return std::make_unique<Model>(std::move(state.head), std::move(parts), run);
  } else {
    return std::make_unique<Model>(std::move(state.head), std::move(parts));
  }
}

/// Parts that a file says all of.
template <class Model>
struct EmptyParts {
  typename Model::Parts operator()() const { return {}; }
};

/// Options of the settings, checked one by one and together.
template <class Options>
Options checked_options(const std::string& model, std::span<const Option<Options>> table,
                        std::span<const OptionSetting> settings) {
  Options options;
  apply_settings<Options>(model, table, settings, options);
  if constexpr (requires { options.validate(std::string_view()); }) {
    options.validate(model);
  } else if constexpr (requires { options.validate(); }) {
    options.validate();
  }
  return options;
}

/// DataError unless there are as many classes and outputs as models of the task have.
void require_head(const ModelHead& head, Task task);

/// `about` holds the name and what is said of the model; options, fit and load are filled in. `fit` takes a kernel,
/// options, data and a run, or the same without kernel. `initial`, of the options or of nothing, gives the parts that a load
/// fills, with what the file does not say. The table must live as long as the program.
template <class Model, class Options, class Fit, class Initial = EmptyParts<Model>>
ModelEntry make_entry(ModelEntry about, std::span<const Option<Options>> table, Fit fit, Initial initial = {}) {
  about.options = describe(table);
  about.check = [model = about.name, table](std::span<const OptionSetting> settings) {
    Options options;
    apply_settings<Options>(model, table, settings, options);
  };
  const auto fit_alone = [model = about.name, table, fit](
                             const std::optional<Kernel>& kernel, std::span<const OptionSetting> settings,
                             const TrainingData& data, const Run& run) -> std::unique_ptr<FittedModel> {
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
  about.fit =
      fit_with_shares(about.task, about.shares_of, fit_beyond_offsets(about.name, about.takes_prior, fit_alone));
  about.load = [table, initial, task = about.task](ModelState state, const Run& run) {
    require_head(state.head, task);
    const auto options = checked_options<Options>(state.head.name, table, state.head.settings);
    if (has_earlier_name<Options>(table, state.head.settings)) {
      state.head.settings = settings_of<Options>(table, options);
    }
    if constexpr (std::is_invocable_v<Initial, const Options&>) {
      return load_parts<Model>(state, initial(options), run);
    } else {
      return load_parts<Model>(state, initial(), run);
    }
  };
  return about;
}

}  // namespace mercer
