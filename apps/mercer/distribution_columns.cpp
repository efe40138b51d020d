#include "distribution_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/text.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

PredictionOf chosen(const DistributionFlags& flags, PredictionOf usual) {
  return flags.of.empty() ? usual : flags.of == "function" ? PredictionOf::function : PredictionOf::observation;
}

const char* to_word(PredictionOf of) { return of == PredictionOf::function ? "function" : "observation"; }

const char* flag_of(const DistributionFlags& flags) {
  return flags.deviations           ? "--std"
         : flags.interval           ? "--interval"
         : !flags.quantiles.empty() ? "--quantiles"
                                    : "--samples";
}

PredictionOf usual_draws(const FittedModel& model) {
  return model.has_distribution_of(PredictionOf::function) ? PredictionOf::function : PredictionOf::observation;
}

// Column `from` of the source, as column `to`.
void copy_column(const Matrix<double>& source, Index from, Matrix<double>& target, Index to) {
  for (Index i = 0; i < source.rows(); ++i) {
    target(i, to) = source(i, from);
  }
}

}  // namespace

void add_distribution_flags(CLI::App& command, DistributionFlags& flags) {
  command.add_flag("--std", flags.deviations, "standard deviations, where the model has a predictive distribution");
  command
      .add_option("--interval", flags.interval,
                  "limits of the central interval that holds this probability, as in 0.95; likewise")
      ->type_name("P");
  command
      .add_option("--quantiles", flags.quantiles,
                  "quantiles at these levels between 0 and 1, by commas, as in 0.05,0.5,0.95; likewise")
      ->delimiter(',')
      ->type_name("P,...");
  command.add_option("--samples", flags.samples, "this many draws, each joint over all rows, by --seed; likewise")
      ->type_name("N");
  command
      .add_option("--of", flags.of,
                  "what --std, --interval, --quantiles and --samples are about: the function, or an observation of it "
                  "with its noise (default: observation; for --samples function, where the model knows that)")
      ->check(CLI::IsMember({"function", "observation"}))
      ->type_name("WHAT");
}

void require_sensible(const DistributionFlags& flags) {
  if (flags.interval && !(*flags.interval > 0 && *flags.interval < 1)) {
    const bool percent = *flags.interval > 1 && *flags.interval < 100;
    throw UsageError(fmt::format("--interval: {} is no probability between 0 and 1{}", shortest(*flags.interval),
                                 percent ? fmt::format("; did you mean {}?", shortest(*flags.interval / 100)) : ""));
  }
  for (const double level : flags.quantiles) {
    if (!(level > 0 && level < 1)) {
      throw UsageError(fmt::format("--quantiles: {} is no level between 0 and 1", shortest(level)));
    }
    if (std::ranges::count(flags.quantiles, level) > 1) {
      throw UsageError(fmt::format("--quantiles: {} stands there twice", shortest(level)));
    }
  }
  if (flags.samples && *flags.samples < 1) {
    throw UsageError(fmt::format("--samples: {} draws; give 1 or more", *flags.samples));
  }
  if (!flags.of.empty() && !flags.any()) {
    throw UsageError("--of: says what --std, --interval, --quantiles and --samples are about; give one of them");
  }
}

void require_distribution(const DistributionFlags& flags, const FittedModel& model) {
  if (flags.any() && !model.has_distribution()) {
    throw UsageError(fmt::format(
        "{}: {} is a model of {} and has no {}; gp has one, unless it is fitted with inference=map", flag_of(flags),
        model.name(), to_string(model.task()),
        flags.deviations ? "predictive distribution, hence no standard deviations" : "predictive distribution"));
  }
  if (flags.any() && !flags.of.empty() && !model.has_distribution_of(chosen(flags, PredictionOf::observation))) {
    throw UsageError(fmt::format("--of {}: {} has a distribution of {} alone", flags.of, model.name(),
                                 flags.of == "function" ? "observations" : "the function"));
  }
}

DistributionColumns distribution_columns(const DistributionFlags& flags, const FittedModel& model,
                                         const std::vector<std::string>& names, const Samples& samples,
                                         const Run& run) {
  const auto outputs = static_cast<Index>(names.size());
  const Index draws_per_output = flags.samples.value_or(0);
  const Index per_output = 1 + (flags.deviations ? 1 : 0) + (flags.interval ? 2 : 0) +
                           static_cast<Index>(flags.quantiles.size()) + draws_per_output;
  DistributionColumns result{Matrix<double>(samples.size(), outputs * per_output), {}};
  const auto distribution =
      flags.deviations || flags.interval || !flags.quantiles.empty() ? model.distribution(samples, run) : nullptr;
  PredictiveMoments moments;
  Matrix<double> predictions;
  if (flags.deviations) {
    moments = distribution->moments(chosen(flags, PredictionOf::observation));
    predictions = distribution->predictions(chosen(flags, PredictionOf::observation));
  } else {
    predictions = model.predict(samples, run);
  }
  Matrix<double> limits;
  if (flags.interval) {
    const std::array levels = {(1 - *flags.interval) / 2, (1 + *flags.interval) / 2};
    limits = distribution->quantiles(levels, chosen(flags, PredictionOf::observation));
  }
  Matrix<double> quantiles;
  const auto levels = static_cast<Index>(flags.quantiles.size());
  if (levels > 0) {
    quantiles = distribution->quantiles(flags.quantiles, chosen(flags, PredictionOf::observation));
  }
  Matrix<double> draws;
  if (flags.samples) {
    draws = model.draws(samples, draws_per_output, chosen(flags, usual_draws(model)), run);
  }
  for (Index o = 0; o < outputs; ++o) {
    const std::string& name = names[o];
    const auto add = [&](const Matrix<double>& source, Index column, std::string heading) {
      copy_column(source, column, result.numbers, static_cast<Index>(result.names.size()));
      result.names.push_back(std::move(heading));
    };
    add(predictions, o, name);
    if (flags.deviations) {
      add(moments.variance, o, "std(" + name + ")");
      const auto column = static_cast<Index>(result.names.size()) - 1;
      for (Index i = 0; i < samples.size(); ++i) {
        result.numbers(i, column) = std::sqrt(result.numbers(i, column));
      }
    }
    if (flags.interval) {
      add(limits, 2 * o, "lower(" + name + ")");
      add(limits, 2 * o + 1, "upper(" + name + ")");
    }
    for (Index l = 0; l < levels; ++l) {
      add(quantiles, o * levels + l, name + "_q" + shortest(flags.quantiles[l]));
    }
    for (Index s = 0; s < draws_per_output; ++s) {
      add(draws, o * draws_per_output + s, fmt::format("sample{}({})", s + 1, name));
    }
  }
  return result;
}

Json as_json(const DistributionFlags& flags, const FittedModel& model) {
  Json json = Json::object();
  if (flags.deviations) {
    json["std"] = to_word(chosen(flags, PredictionOf::observation));
  }
  if (flags.interval) {
    json["interval"] = {{"level", *flags.interval}, {"of", to_word(chosen(flags, PredictionOf::observation))}};
  }
  if (!flags.quantiles.empty()) {
    json["quantiles"] = {{"levels", flags.quantiles}, {"of", to_word(chosen(flags, PredictionOf::observation))}};
  }
  if (flags.samples) {
    json["samples"] = {{"count", *flags.samples}, {"of", to_word(chosen(flags, usual_draws(model)))}};
  }
  return json;
}

}  // namespace mercer::program
