#include "losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "common_flags.h"
#include "mercer/base/text.h"
#include "mercer/models/option_value.h"
#include "mercer/models/risk/noise_density.h"
#include "mercer/theory/losses/loss_list.h"
#include "output.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct LossesFlags {
  std::string name;
  std::vector<std::string> settings;
  bool json = false;
};

std::string argument_name(const LossEntry& entry) {
  return entry.argument == LossArgument::residual ? "residual r = f - y" : "margin t = y f";
}

std::vector<std::string> parameter_names(const LossEntry& entry) {
  std::vector<std::string> names;
  for (const LossParameter parameter : entry.parameters) {
    names.emplace_back(word_of(parameter));
  }
  if (entry.kind == LossKind::density) {
    names.emplace_back("density");
  }
  return names;
}

const LossEntry& find_loss(const std::string& name) {
  const std::optional<LossKind> kind = find_word<LossKind>(name);
  if (!kind) {
    throw UsageError(
        fmt::format("there is no loss '{}'.{} See mercer losses", name, did_you_mean(name, all_words<LossKind>())));
  }
  return loss_entry(*kind);
}

/// The loss with the parameters of --set, which must be its own; nothing for a density without a table.
LossPointer loss_of(const LossEntry& entry, const std::vector<std::string>& settings) {
  const std::vector<std::string> known = parameter_names(entry);
  LossParameters parameters;
  NoiseDensity density;
  for (const std::string& text : settings) {
    const OptionSetting setting = parse_setting(text);
    if (std::ranges::find(known, setting.name) == known.end()) {
      throw UsageError(fmt::format("--set {}: {} has {}", text, word_of(entry.kind),
                                   known.empty() ? "no parameters" : join(known, ", ")));
    }
    if (setting.name == "density") {
      density = NoiseDensity::parse(setting.value);
      continue;
    }
    double LossParameters::* const member = setting.name == word_of(LossParameter::epsilon) ? &LossParameters::epsilon
                                            : setting.name == word_of(LossParameter::sigma) ? &LossParameters::sigma
                                            : setting.name == word_of(LossParameter::exponent)
                                                ? &LossParameters::exponent
                                                : &LossParameters::quantile;
    parameters.*member = OptionValue<double>::parse({word_of(entry.kind), setting.name}, setting.value, {});
  }
  if (entry.kind == LossKind::density) {
    return density.is_given() ? density.loss(1) : nullptr;
  }
  return make_loss(entry.kind, parameters);
}

Json as_json(const LossEntry& entry) {
  return {{"name", word_of(entry.kind)},
          {"argument", entry.argument == LossArgument::residual ? "residual" : "margin"},
          {"formula", entry.formula},
          {"influence", entry.influence},
          {"density", entry.density},
          {"conjugate", entry.conjugate},
          {"parameters", parameter_names(entry)},
          {"note", entry.note}};
}

std::vector<double> shown_points() {
  std::vector<double> points;
  for (int i = -6; i <= 6; ++i) {
    points.push_back(0.5 * i);
  }
  return points;
}

Json numbers_as_json(const Loss& loss) {
  Json json = {{"convex", loss.is_convex()}, {"smooth", loss.is_smooth()}, {"values", Json::array()}};
  json["normalizer"] = loss.normalizer() ? Json(*loss.normalizer()) : Json();
  for (const double x : shown_points()) {
    const std::optional<double> density = loss.density(x);
    json["values"].push_back({{"at", x},
                              {"loss", loss.value(x)},
                              {"influence", loss.influence(x)},
                              {"density", density ? Json(*density) : Json()}});
  }
  return json;
}

std::string numbers_as_text(const Loss& loss) {
  std::string text = fmt::format("{}, {}\n", loss.is_convex() ? "convex" : "not convex",
                                 loss.is_smooth() ? "smooth" : "with a corner or a jump");
  if (loss.normalizer()) {
    text += fmt::format("Z = {}\n", readable(*loss.normalizer(), 8));
  }
  const bool is_residual = loss.argument() == LossArgument::residual;
  TextTable table(is_residual ? std::vector<std::string>{"r", "loss", "influence", "density"}
                              : std::vector<std::string>{"t", "loss", "influence"},
                  std::vector<Align>(is_residual ? 4 : 3, Align::right));
  for (const double x : shown_points()) {
    std::vector<std::string> cells{readable(x), readable(loss.value(x)), readable(loss.influence(x))};
    if (is_residual) {
      cells.push_back(loss.normalizer() ? readable(*loss.density(x)) : "-");
    }
    table.add(std::move(cells));
  }
  return text + "\n" + table.text("  ");
}

std::string details(const LossEntry& entry, const Loss* loss) {
  std::string text = fmt::format("{}: of the {}\n{}\n\n  loss       {}\n  influence  {}\n", word_of(entry.kind),
                                 argument_name(entry), entry.note, entry.formula, entry.influence);
  text += entry.density.empty() ? "" : fmt::format("  density    {}\n", entry.density);
  text += entry.conjugate.empty() ? "" : fmt::format("  conjugate  {}\n", entry.conjugate);
  const std::vector<std::string> names = parameter_names(entry);
  text += names.empty() ? "" : fmt::format("  parameters {}\n", join(names, ", "));
  return text + "\n" +
         (loss != nullptr ? numbers_as_text(*loss)
                          : "--set density=-1:0.24,0:0.4,1:0.24 shows the loss of a table of residual:density\n");
}

std::string listing() {
  std::string text;
  for (const LossArgument argument : {LossArgument::residual, LossArgument::margin}) {
    text += argument == LossArgument::residual ? "losses of the residual r = f - y (riskr)\n\n"
                                               : "\nlosses of the margin t = y f, y = +1 or -1 (riskc)\n\n";
    TextTable table({"loss", "formula", "influence", "density", "parameters"});
    for (const LossEntry& entry : loss_list()) {
      if (entry.argument == argument) {
        table.add({std::string(word_of(entry.kind)), entry.formula, entry.influence,
                   entry.density.empty() ? "-" : entry.density, join(parameter_names(entry), ", ")});
      }
    }
    text += table.text("  ");
  }
  return text + "\n'mercer losses NAME' shows one with its numbers\n";
}

void losses(const LossesFlags& flags) {
  if (flags.name.empty()) {
    if (!flags.settings.empty()) {
      throw UsageError("--set is for one loss: mercer losses NAME --set name=value");
    }
    if (!flags.json) {
      print(listing());
      return;
    }
    Json list = Json::array();
    for (const LossEntry& entry : loss_list()) {
      list.push_back(as_json(entry));
    }
    print_json({{"losses", std::move(list)}});
    return;
  }
  const LossEntry& entry = find_loss(flags.name);
  const LossPointer loss = reading("", [&] { return loss_of(entry, flags.settings); });
  if (!flags.json) {
    print(details(entry, loss.get()));
    return;
  }
  Json json = as_json(entry);
  if (loss != nullptr) {
    json.update(numbers_as_json(*loss));
  }
  print_json(json);
}

}  // namespace

Action add_losses(CLI::App& command) {
  const auto flags = std::make_shared<LossesFlags>();
  command.add_option("NAME", flags->name, "show this loss with its formulas and numbers");
  command.add_option("-s,--set", flags->settings, "name=value: a parameter of the loss")->type_name("NAME=VALUE");
  command.add_flag("--json", flags->json, "print as JSON");
  add_examples(command, {"mercer losses", "mercer losses huber --set sigma=0.7", "mercer losses --json"});
  return [flags](Interruption&) { losses(*flags); };
}

}  // namespace mercer::program
