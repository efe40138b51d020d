#include "mercer/report/refit.h"

#include <algorithm>

#include "mercer/base/text.h"
#include "mercer/data/weighted_samples.h"

namespace mercer {

namespace {

// The learnt noise of a Gaussian process, as its option takes it: a variance in units of the target.
std::string learned_noise(const FitReport& report) {
  if (const auto variance = report.measured(Fact::noise_variance)) {
    return shortest(*variance) + "!";
  }
  if (const auto scale = report.measured(Fact::noise_scale)) {
    return shortest(*scale * *scale) + "!";
  }
  return {};
}

// Whether a penalty is chosen that must be kept from being chosen again; where there is no `none`, a given one decides.
bool select_can_be_none(const FittedModel& model) {
  return std::ranges::any_of(find_model(model.name()).options, [](const OptionDescription& option) {
    return option.name == "select" && std::ranges::find(option.words, "none") != option.words.end();
  });
}

std::vector<double> picked(const std::vector<double>& values, std::span<const Index> rows) {
  std::vector<double> result;
  for (const Index row : rows) {
    if (!values.empty()) {
      result.push_back(values[row]);
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
  std::vector<OptionSetting> settings = model.head().settings;
  if (!setting_of(settings, "optimize").empty()) {
    set_option(settings, "optimize", "no");
    const std::string noise = learned_noise(model.report());
    if (!noise.empty()) {
      set_option(settings, "noise", noise);
    }
  }
  const bool penalty_known = !setting_of(settings, "lambda").empty() || !setting_of(settings, "mean_lambda").empty() ||
                             !setting_of(settings, "C").empty();
  if (penalty_known && select_can_be_none(model)) {
    set_option(settings, "select", "none");
  }
  if (!setting_of(settings, "loo").empty()) {
    set_option(settings, "loo", "no");
  }
  for (const OptionSetting& setting : extra) {
    set_option(settings, setting.name, setting.value);
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
          .noise = picked(data.noise, rows),
          .groups = select_groups(data.groups, rows)};
}

}  // namespace mercer
