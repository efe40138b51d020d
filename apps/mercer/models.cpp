#include "models.h"

#include <fmt/format.h>

#include "mercer/base/text.h"
#include "mercer/models/model.h"
#include "mercer/models/svm/svr.h"
#include "output.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct ModelsFlags {
  std::string name;
  bool json = false;
};

Json as_json(const OptionDescription& option) {
  Json json = {
      {"name", option.name}, {"type", option.type}, {"default", option.default_value}, {"meaning", option.meaning}};
  if (!option.words.empty()) {
    json["words"] = option.words;
  }
  if (option.kind == OptionKind::number || option.kind == OptionKind::whole_number) {
    const bool whole = option.kind == OptionKind::whole_number;
    json["allowed"] = (whole ? whole_numbers(option.limits) : option.limits).text();
  }
  if (option.search) {
    json["search"] = option.search->range;
  }
  return json;
}

Json as_json(const ModelEntry& entry) {
  Json options = Json::array();
  for (const OptionDescription& option : entry.options) {
    options.push_back(as_json(option));
  }
  return {{"name", entry.name},
          {"aliases", entry.aliases},
          {"summary", entry.summary},
          {"task", to_string(entry.task)},
          {"default_kernel", entry.default_kernel},
          {"takes_noise", entry.noise == NoiseMeaning::variance},
          {"takes_tube", entry.noise == NoiseMeaning::tube_width},
          {"takes_groups", entry.takes_groups != nullptr},
          {"options", std::move(options)}};
}

std::string details(const ModelEntry& entry) {
  std::string text = fmt::format("{} ({}): {}\n", entry.name, to_string(entry.task), entry.summary);
  if (!entry.aliases.empty()) {
    text += fmt::format("also called {}\n", join(entry.aliases, ", "));
  }
  text += entry.default_kernel.empty() ? "no kernel\n" : fmt::format("default kernel: {}\n", entry.default_kernel);
  if (entry.noise == NoiseMeaning::variance) {
    text += "takes known noise variances: --noise COL\n";
  }
  if (entry.noise == NoiseMeaning::tube_width) {
    text += "takes a width of the tube per row: --tube COL\n";
  }
  if (entry.takes_groups) {
    text += "takes groups of rows, one slack each: --groups COL --set slack=group\n";
  }
  if (entry.options.empty()) {
    return text;
  }
  text += "\noptions, as in --set name=value:\n";
  TextTable table({"name", "type", "default", "meaning"});
  for (const OptionDescription& option : entry.options) {
    table.add({option.name, option.type, option.default_value.empty() ? "-" : option.default_value, option.meaning});
  }
  return text + table.text("  ");
}

std::string listing() {
  TextTable table({"model", "task", "default kernel", "what it is"});
  for (const ModelEntry* entry : model_registry()) {
    table.add({entry->name, std::string(to_string(entry->task)), entry->default_kernel, entry->summary});
  }
  return table.text() + "\n'mercer models NAME' shows a model's options\n";
}

void models(const ModelsFlags& flags) {
  if (!flags.name.empty()) {
    const ModelEntry& entry = reading("", [&]() -> const ModelEntry& { return find_model(flags.name); });
    flags.json ? print_json(as_json(entry)) : print(details(entry));
    return;
  }
  if (!flags.json) {
    print(listing());
    return;
  }
  Json list = Json::array();
  for (const ModelEntry* entry : model_registry()) {
    list.push_back(as_json(*entry));
  }
  print_json({{"models", std::move(list)}});
}

}  // namespace

Action add_models(CLI::App& command) {
  const auto flags = std::make_shared<ModelsFlags>();
  command.add_option("NAME", flags->name, "show this model with its options");
  command.add_flag("--json", flags->json, "print as JSON");
  add_examples(command, {"mercer models", "mercer models ridge", "mercer models --json"});
  return [flags](Interruption&) { models(*flags); };
}

}  // namespace mercer::program
