#include "mercer/report/refit.h"

#include <algorithm>

#include "mercer/base/text.h"
#include "mercer/models/model_state.h"

namespace mercer {

namespace {

void set(std::vector<OptionSetting>& settings, const std::string& name, std::string value) {
  const auto at = std::ranges::find(settings, name, &OptionSetting::name);
  if (at == settings.end()) {
    settings.push_back({name, std::move(value)});
  } else {
    at->value = std::move(value);
  }
}

// The learnt noise of a Gaussian process, as its option takes it: a variance in units of the target.
std::string learnt_noise(const FitReport& report) {
  for (const FitReport::Measure& measure : report.measures) {
    if (measure.name.starts_with("noise variance")) {
      return shortest(measure.value) + "!";
    }
    if (measure.name.starts_with("noise scale")) {
      return shortest(measure.value * measure.value) + "!";
    }
  }
  return {};
}

// Whether a penalty is chosen that must be kept from being chosen again; where there is no `none`, a given one decides.
bool select_can_be_none(const FittedModel& model) {
  return std::ranges::any_of(find_model(model.name()).options, [](const OptionDescription& option) {
    return option.name == "select" && option.type.find("none") != std::string::npos;
  });
}

std::vector<double> picked(const std::vector<double>& values, std::span<const Index> rows) {
  std::vector<double> result;
  for (const Index row : rows) {
    if (!values.empty()) {
      result.push_back(values[static_cast<std::size_t>(row)]);
    }
  }
  return result;
}

}  // namespace

std::string setting_of(std::span<const OptionSetting> settings, std::string_view name) {
  const auto at = std::ranges::find(settings, name, &OptionSetting::name);
  return at == settings.end() ? "" : at->value;
}

std::vector<OptionSetting> refit_settings(const FittedModel& model, std::span<const OptionSetting> extra) {
  std::vector<OptionSetting> settings = model.state().settings;
  if (!setting_of(settings, "optimize").empty()) {
    set(settings, "optimize", "no");
    const std::string noise = learnt_noise(model.report());
    if (!noise.empty()) {
      set(settings, "noise", noise);
    }
  }
  const bool penalty_known = !setting_of(settings, "lambda").empty() || !setting_of(settings, "mean_lambda").empty() ||
                             !setting_of(settings, "C").empty();
  if (penalty_known && select_can_be_none(model)) {
    set(settings, "select", "none");
  }
  if (!setting_of(settings, "loo").empty()) {
    set(settings, "loo", "no");
  }
  for (const OptionSetting& setting : extra) {
    set(settings, setting.name, setting.value);
  }
  std::erase_if(settings, [](const OptionSetting& setting) { return setting.value.empty(); });
  return settings;
}

std::unique_ptr<FittedModel> refit(const FittedModel& model, const TrainingData& data, const Run& run,
                                   std::span<const OptionSetting> extra) {
  const std::optional<Kernel> kernel = model.has_kernel() ? std::optional(model.kernel()) : std::nullopt;
  return find_model(model.name()).fit(kernel, refit_settings(model, extra), data, run);
}

TrainingData select_training(const TrainingData& data, std::span<const Index> rows) {
  return {.samples = data.samples.select(rows),
          .targets = data.targets.outputs() > 0 ? data.targets.select(rows) : Targets(),
          .weights = picked(data.weights, rows),
          .noise = picked(data.noise, rows)};
}

}  // namespace mercer
