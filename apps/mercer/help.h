// HelpFormatter: help texts that fit 100 columns, flags on the left, what they do on the right.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace mercer::program {

class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* command, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_description(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* command) const override;
  std::string make_subcommands(const CLI::App* command, CLI::AppFormatMode mode) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_group(std::string group, bool is_positional, std::vector<const CLI::Option*> options) const override;
};

}  // namespace mercer::program
