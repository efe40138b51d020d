// FileRoles: which files a command reads and which it writes, declared before any work, so that nothing that somebody
// still needs is overwritten.
//
// Refused are an output that is one of the inputs, two outputs in one file, two streams through one standard stream, a
// model over a file that is no model, and a name that promises another format than the one that is written. Files are
// compared, not names: links of both kinds are seen through.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "common_flags.h"

namespace mercer::program {

/// What an output holds: it decides which names are right for it.
enum class OutputContent {
  model,
  table,    ///< CSV
  matrix,   ///< CSV or .npy
  page,     ///< HTML
  picture,  ///< SVG
  log,      ///< read again and appended to
  other,    ///< whatever it is called
};

/// Whether a model may take the place of a file that is none.
enum class Replacing { models_only, anything };

class FileRoles {
 public:
  /// `name` as in "the data". An empty path is a file that was not given.
  void reads(std::string name, const std::string& path);
  /// The data and what the flags for it name.
  void reads_data(const std::string& path, const DataFlags& flags);
  /// `flag` is what names it, as in "-o".
  void writes(std::string name, std::string flag, const std::string& path, OutputContent content);
  void writes_model(const std::string& path, Replacing replacing);
  /// A result on standard output, `name` as in "the summary": lost where that is one of the files.
  void prints(std::string name) { printed_ = std::move(name); }

  /// UsageError naming both roles and what to do; IoError where an output could not be made.
  void check() const;
  /// Only whether a file would be lost: for the LIBSVM commands, which name and open files in ways of their own.
  void check_identity() const;

 private:
  struct Input {
    std::string name;
    std::string path;
  };
  struct Output {
    std::string name;
    std::string flag;
    std::string path;
    OutputContent content;
  };

  static std::string named(const Output& output);
  void require_printing_harms_nothing() const;
  void require_one_user_of_streams() const;
  void require_inputs_are_kept() const;
  void require_different_outputs() const;
  void require_model_is_replaced(const Output& output) const;

  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::string printed_;  // empty: nothing that matters
  Replacing replacing_ = Replacing::models_only;
};

/// --force, of commands that write models.
void add_force_flag(CLI::App& command, Replacing& replacing);

}  // namespace mercer::program
