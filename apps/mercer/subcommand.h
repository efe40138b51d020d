// Subcommands: each is one file pair and one line in the table of subcommand.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <span>
#include <string>

#include "interruption.h"

namespace mercer::program {

/// What a subcommand does once its flags are read; errors are exceptions (see main.cpp for exit codes).
using Action = std::function<void(Interruption&)>;

struct Subcommand {
  const char* name;
  const char* summary;
  /// Adds flags, help and examples to the parser, and gives back the action that reads them.
  Action (*add)(CLI::App& command);
};

std::span<const Subcommand> subcommands();

/// Examples below the list of flags.
void add_examples(CLI::App& command, std::initializer_list<const char*> lines);

}  // namespace mercer::program
