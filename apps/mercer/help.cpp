#include "help.h"

#include <fmt/format.h>

#include "output.h"

namespace mercer::program {

namespace {

constexpr std::size_t text_column = 26;
constexpr std::size_t line_width = 100;

std::string entry(const std::string& left, const std::string& right) {
  std::string line = "  " + left;
  if (line.size() + 1 > text_column) {
    line += "\n" + std::string(text_column, ' ');
  } else {
    line.resize(text_column, ' ');
  }
  return line + wrapped(right, line_width, text_column) + "\n";
}

}  // namespace

std::string HelpFormatter::make_description(const CLI::App* command) const {
  return "mercer" + (command->get_parent() == nullptr ? "" : " " + command->get_name()) + ": " +
         command->get_description() + "\n\n";
}

std::string HelpFormatter::make_footer(const CLI::App* command) const { return command->get_footer() + "\n"; }

std::string HelpFormatter::make_subcommands(const CLI::App* command, CLI::AppFormatMode /*mode*/) const {
  std::string text;
  for (const CLI::App* subcommand : command->get_subcommands([](const CLI::App*) { return true; })) {
    text += make_subcommand(subcommand);
  }
  return text.empty() ? text : "\nCommands:\n" + text;
}

std::string HelpFormatter::make_usage(const CLI::App* command, std::string name) const {
  std::string line = "Usage: mercer" + (name.empty() || name == "mercer" ? "" : " " + command->get_name());
  for (const CLI::Option* option : command->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
    line += option->get_required() ? " " + option->get_name() : " [" + option->get_name() + "]";
  }
  if (!command->get_subcommands([](const CLI::App*) { return true; }).empty()) {
    line += " COMMAND";
  }
  return line + " [flags]\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  if (is_positional) {
    return entry(option->get_name(true), option->get_description());
  }
  std::string names;
  for (const std::string& name : option->get_snames()) {
    names += "-" + name + ", ";
  }
  for (const std::string& name : option->get_lnames()) {
    names += "--" + name + ", ";
  }
  names.resize(names.size() - 2);
  const bool takes_value = option->get_type_size() > 0 && !option->get_type_name().empty();
  // Type names of checks ("{a,b}") are said in the description.
  std::string value = takes_value ? option->get_type_name() : "";
  value = value.substr(0, value.find(':'));
  return entry(takes_value ? names + " " + value : names, option->get_description());
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> options) const {
  // The base class puts an empty line between groups of flags, but none before the first.
  std::string text = group == "Positionals" ? "\nArguments:\n" : group == "Options" ? "\nFlags:\n" : group + ":\n";
  for (const CLI::Option* option : options) {
    text += make_option(option, is_positional);
  }
  return text;
}

}  // namespace mercer::program
