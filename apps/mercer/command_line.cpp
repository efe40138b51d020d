#include "command_line.h"

#include <fmt/format.h>

#include "console.h"
#include "help.h"
#include "mercer/base/text.h"
#include "mercer/data/files/atomic_file.h"
#include "output.h"

namespace mercer::program {

namespace {

// Of flags that name files: a name, and "-" for every name of standard output.
CLI::Validator file_name() {
  return {[](std::string& name) {
            if (names_standard_output(name)) {
              name = "-";
            }
            return name.empty() ? std::string("the name of the file is empty") : std::string();
          },
          ""};
}

}  // namespace

CommandLine::CommandLine()
    : app_("Learning with kernels: fit, predict, score, and look at kernels on your data.", "mercer") {
  app_.formatter(std::make_shared<HelpFormatter>());
  app_.set_help_flag("-h,--help", "print this help and exit");
  app_.set_version_flag("--version", "mercer " MERCER_VERSION, "print the version and exit");
  app_.allow_extras();
  add_examples(app_, {"mercer fit ridge train.csv --target price --kernel \"rbf(gamma=scale)\" -o m.mercer",
                      "mercer score m.mercer test.csv", "mercer predict m.mercer new.csv -o out.csv", "",
                      "mercer COMMAND --help explains a command. Exit codes: 0 done, 1 failed, 2 wrong usage,",
                      "3 bad data, 130 interrupted."});
  for (const Subcommand& subcommand : subcommands()) {
    CLI::App* const command = app_.add_subcommand(subcommand.name, subcommand.summary);
    command->allow_extras();
    actions_.push_back(subcommand.add(*command));
    for (CLI::Option* const option : command->get_options()) {
      if (option->get_type_name() == "FILE") {
        option->transform(file_name());
      }
    }
  }
}

const CLI::App* CommandLine::chosen() const {
  const auto parsed = app_.get_subcommands();
  return parsed.empty() ? nullptr : parsed.front();
}

CommandLine::Outcome CommandLine::parse(int count, char** arguments) {
  try {
    app_.parse(count, arguments);
  } catch (const CLI::CallForHelp&) {
    print((chosen() != nullptr ? *chosen() : app_).help());
    return Outcome::done;
  } catch (const CLI::CallForVersion&) {
    print("mercer " MERCER_VERSION "\n");
    return Outcome::done;
  } catch (const CLI::ParseError& error) {
    return complain(complaint(error));
  }
  const std::string unknown = unknown_argument();
  if (!unknown.empty()) {
    return complain(unknown);
  }
  if (chosen() == nullptr) {
    tell(app_.help());
    return Outcome::wrong;
  }
  for (std::size_t i = 0; i < actions_.size(); ++i) {
    if (chosen()->get_name() == subcommands()[i].name) {
      action_ = actions_[i];
    }
  }
  return Outcome::ready;
}

CommandLine::Outcome CommandLine::complain(const std::string& message) const {
  const CLI::App* const command = chosen();
  tell(fmt::format("{} {}\nTry 'mercer{}{} --help'.\n", label("error:"), message, command != nullptr ? " " : "",
                   command != nullptr ? command->get_name() : ""));
  return Outcome::wrong;
}

namespace {

bool is_flag(const std::string& argument) {
  return argument.size() > 1 && argument.front() == '-' && !parse_double(argument);
}

std::vector<std::string> flag_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

}  // namespace

// A flag that does not exist explains more than what went missing because of it, so this is asked first.
std::string CommandLine::unknown_argument() const {
  const CLI::App* const command = chosen();
  if (command == nullptr) {
    const std::vector<std::string> rest = app_.remaining();
    if (rest.empty()) {
      return {};
    }
    if (is_flag(rest.front())) {
      return fmt::format("there is no flag '{}' before a command.{}", rest.front(),
                         did_you_mean(rest.front(), flag_names(app_)));
    }
    std::vector<std::string> names;
    for (const Subcommand& subcommand : subcommands()) {
      names.emplace_back(subcommand.name);
    }
    return fmt::format("there is no command '{}'.{} The commands are {}.", rest.front(),
                       did_you_mean(rest.front(), names), join(names, ", "));
  }
  const std::vector<std::string> rest = command->remaining();
  for (const std::string& argument : rest) {
    if (is_flag(argument)) {
      const std::string name = argument.substr(0, argument.find('='));
      return fmt::format("{} has no flag '{}'.{}", command->get_name(), name, did_you_mean(name, flag_names(*command)));
    }
  }
  if (rest.empty()) {
    return {};
  }
  return fmt::format("'{}' is one argument too many for {}", rest.front(), command->get_name());
}

std::string CommandLine::complaint(const CLI::ParseError& error) const {
  std::string unknown = unknown_argument();
  if (!unknown.empty()) {
    return unknown;
  }
  std::string message = error.what();
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const auto end = message.find(" is required");
    return message.substr(0, end) + " is missing";
  }
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return message.substr(0, message.find(':')) + " needs a value";
  }
  return message;
}

}  // namespace mercer::program
