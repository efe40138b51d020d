#include "kernels.h"

#include <fmt/format.h>

#include <optional>

#include "mercer/base/text.h"
#include "mercer/kernels/registry.h"
#include "output.h"
#include "usage_error.h"

namespace mercer::program {

namespace {

struct KernelsFlags {
  std::string name;
  bool json = false;
};

// Kernels are listed by what they compare; those made of kernels come last.
struct GroupTitle {
  std::optional<KernelInput> input;  // none: constructions
  const char* key = nullptr;
  const char* title = nullptr;
};
constexpr GroupTitle groups[] = {
    {KernelInput::vectors, "vectors", "Kernels on vectors"},
    {KernelInput::nonnegative_vectors, "nonnegative vectors", "Kernels on vectors without negative entries"},
    {KernelInput::categories, "categories", "Kernels on categories"},
    {KernelInput::strings, "strings", "Kernels on strings and texts"},
    {KernelInput::aligned_strings, "aligned strings", "Kernels on strings of one length"},
    {KernelInput::sets, "sets", "Kernels on sets"},
    {KernelInput::bags, "bags", "Kernels on bags of vectors"},
    {KernelInput::graphs, "graphs", "Kernels on graphs"},
    {KernelInput::trees, "trees", "Kernels on trees"},
    {KernelInput::adjacency, "adjacency", "Kernels on the nodes of one graph"},
    {KernelInput::any, "any", "Kernels on samples of any kind"},
    {std::nullopt, "constructions", "Kernels made of kernels k"},
};

const GroupTitle& title_of(const KernelEntry& entry) {
  const std::optional<KernelInput> input = entry.fewest_children > 0 ? std::nullopt : std::optional(entry.input);
  for (const GroupTitle& title : groups) {
    if (title.input == input) {
      return title;
    }
  }
  return groups[0];
}

std::string_view role_name(ParameterRole role) {
  switch (role) {
    case ParameterRole::scale:
      return "continuous";
    case ParameterRole::number:
      return "number";
    case ParameterRole::word:
      return "word";
  }
  return "unknown";
}

std::string constraint_name(const ParameterSpec& parameter) {
  std::string text;
  switch (parameter.constraint) {
    case Constraint::any:
      text = "any number";
      break;
    case Constraint::positive:
      text = "> 0";
      break;
    case Constraint::nonnegative:
      text = ">= 0";
      break;
    case Constraint::positive_integer:
      text = "1, 2, 3, ...";
      break;
    case Constraint::nonnegative_integer:
      text = "0, 1, 2, ...";
      break;
  }
  if (parameter.role == ParameterRole::word) {
    text = parameter.words.empty() ? "text" : join(parameter.words, " | ");
  }
  const char* const list = parameter.role == ParameterRole::scale ? ", one per column" : ", a list";
  return text + (parameter.may_be_infinite ? ", inf" : "") + (parameter.may_be_list ? list : "");
}

// "gamma=scale, coef0=1": as one would write them; parameters without a default stand bare.
std::string signature(const KernelEntry& entry) {
  std::vector<std::string> parts;
  for (const ParameterSpec& parameter : entry.parameters) {
    parts.push_back(parameter.default_text.empty() ? parameter.name : parameter.name + "=" + parameter.default_text);
  }
  return join(parts, ", ");
}

Json as_json(const KernelEntry& entry) {
  Json parameters = Json::array();
  for (const ParameterSpec& parameter : entry.parameters) {
    parameters.push_back({{"name", parameter.name},
                          {"aliases", parameter.aliases},
                          {"role", role_name(parameter.role)},
                          {"allowed", constraint_name(parameter)},
                          {"default", parameter.default_text.empty() ? Json(nullptr) : Json(parameter.default_text)},
                          {"meaning", parameter.meaning}});
  }
  return {{"name", entry.name},
          {"aliases", entry.aliases},
          {"group", title_of(entry).key},
          {"formula", entry.formula},
          {"summary", entry.summary},
          {"definiteness", entry.definiteness},
          {"kernel_arguments", {entry.fewest_children, entry.most_children}},
          {"parameters", std::move(parameters)},
          {"examples", entry.examples}};
}

std::string details(const KernelEntry& entry) {
  std::string text = fmt::format("{}: {}\n\n  formula       {}\n  definiteness  {}\n", entry.name, entry.summary,
                                 entry.formula, entry.definiteness);
  if (!entry.aliases.empty()) {
    text += fmt::format("  also called   {}\n", join(entry.aliases, ", "));
  }
  if (!entry.parameters.empty()) {
    text += "\nparameters:\n";
    TextTable table({"name", "default", "allowed", "meaning"});
    for (const ParameterSpec& parameter : entry.parameters) {
      std::vector<std::string> names = {parameter.name};
      names.insert(names.end(), parameter.aliases.begin(), parameter.aliases.end());
      table.add({join(names, ", "), parameter.default_text.empty() ? "-" : parameter.default_text,
                 constraint_name(parameter), parameter.meaning});
    }
    text += table.text("  ");
  }
  if (!entry.examples.empty()) {
    text += "\nexamples:\n";
    for (const std::string& example : entry.examples) {
      text += "  " + example + "\n";
    }
  }
  return text;
}

std::string listing() {
  std::string text;
  for (const GroupTitle& title : groups) {
    std::string entries;
    for (const KernelEntry* entry : kernel_registry()) {
      if (&title_of(*entry) != &title) {
        continue;
      }
      constexpr std::size_t indent = 24;
      std::string name = "  " + entry->name;
      name.resize(std::max(name.size() + 1, indent), ' ');
      entries += name + wrapped(entry->formula, 100, indent) + "\n";
      const std::string blanks(indent, ' ');
      if (!entry->parameters.empty()) {
        entries += blanks + wrapped(signature(*entry), 100, indent) + "\n";
      }
      entries += blanks + wrapped(entry->definiteness, 100, indent) + "\n";
    }
    if (!entries.empty()) {
      text += fmt::format("{}{}\n{}", text.empty() ? "" : "\n", title.title, entries);
    }
  }
  return text +
         "\nEach: name, formula, parameters with defaults, definiteness. 'mercer kernels NAME' shows more.\n"
         "Combine them: 0.5*rbf(gamma=0.1) + linear()[age, bmi] * poly(degree=2)^2\n";
}

void kernels(const KernelsFlags& flags) {
  if (!flags.name.empty()) {
    const KernelEntry* const entry = find_kernel(flags.name);
    if (entry == nullptr) {
      throw UsageError(fmt::format("there is no kernel '{}'.{} 'mercer kernels' lists them all.", flags.name,
                                   did_you_mean(flags.name, kernel_names())));
    }
    flags.json ? print_json(as_json(*entry)) : print(details(*entry));
    return;
  }
  if (!flags.json) {
    print(listing());
    return;
  }
  Json list = Json::array();
  for (const KernelEntry* entry : kernel_registry()) {
    list.push_back(as_json(*entry));
  }
  print_json({{"kernels", std::move(list)}});
}

}  // namespace

Action add_kernels(CLI::App& command) {
  const auto flags = std::make_shared<KernelsFlags>();
  command.add_option("NAME", flags->name, "show this kernel with its parameters and examples");
  command.add_flag("--json", flags->json, "print as JSON");
  add_examples(command, {"mercer kernels", "mercer kernels rbf", "mercer kernels --json"});
  return [flags](Interruption&) { kernels(*flags); };
}

}  // namespace mercer::program
