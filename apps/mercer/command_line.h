// CommandLine: the parser of the whole command line, with suggestions for names that nearly exist.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "subcommand.h"

namespace mercer::program {

class CommandLine {
 public:
  CommandLine();

  /// done: help or version was printed; wrong: a usage error was printed; ready: action() is what to do.
  enum class Outcome { done, wrong, ready };
  /// Errors of printing as print() throws them.
  Outcome parse(int count, char** arguments);
  const Action& action() const { return action_; }

 private:
  Outcome complain(const std::string& message) const;
  std::string complaint(const CLI::ParseError& error) const;
  std::string unknown_argument() const;
  const CLI::App* chosen() const;

  CLI::App app_;
  std::vector<Action> actions_;
  Action action_;
};

}  // namespace mercer::program
