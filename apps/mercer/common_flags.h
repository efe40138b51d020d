// Flags that several subcommands share: how to run, and how to read a data file.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mercer/data/files/data_file.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/kernels/kernel.h"
#include "mercer/models/option_table.h"

namespace mercer::program {

struct RunFlags {
  int threads = 0;
  std::uint64_t seed = 0;
  double memory_mb = 0;  ///< 0: what the machine has
  bool json = false;
  bool quiet = false;
  bool verbose = false;
};

/// --threads, --seed, --memory, --json, --quiet, --verbose.
void add_run_flags(CLI::App& command, RunFlags& flags);

struct DataFlags {
  std::string format = "auto";
  bool header = false;
  bool no_header = false;
  std::string separator;
  std::string missing = "auto";
  std::string precision = "double";
  std::string targets_file;
  std::vector<std::string> targets;
  std::vector<std::string> categorical;
  std::vector<std::string> text;
  std::vector<std::string> sets;
  std::vector<std::string> columns;
  std::vector<std::string> ignored;
  std::string dates = "numbers";

  /// How missing numbers are read for this rule. The kernel, where it is known, says which columns hold texts and which must
  /// be complete where it takes missing values itself.
  ReadOptions read_options(MissingRule missing, const Kernel* kernel = nullptr,
                           NumbersOf numbers = NumbersOf::file) const;
  /// What --missing says; nothing where it is left to what is fitted.
  std::optional<MissingRule> missing_rule() const;
  StoredPrecision stored_precision() const;
};

/// --format, --header, --no-header, --separator, --missing, --target, --targets-file, --columns, --ignore, --categorical,
/// --text, --sets, --dates, --precision.
void add_data_flags(CLI::App& command, DataFlags& flags);

/// "name=value" as a setting, "name=@FILE" with the text of the file as the value; UsageError otherwise, IoError for a file that
/// cannot be read.
OptionSetting parse_setting(const std::string& text);

/// Settings of a model: unknown names are usage errors with the nearest name.
std::vector<OptionSetting> parse_settings(const std::string& model, std::span<const OptionDescription> options,
                                          std::span<const std::string> texts);

}  // namespace mercer::program
