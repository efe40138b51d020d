// The LIBSVM commands svm-train, svm-predict and svm-scale: same flags, lines, files and exit codes. They are
// subcommands (mercer svm-train …), and the program acts as one of them when it is started under that name, so that
// links work. Their arguments are LIBSVM's own and no flags of the other subcommands: they are read before those.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "console.h"
#include "interruption.h"
#include "mercer/base/run.h"
#include "mercer/data/files/data_file.h"

namespace mercer::program {

/// What follows the name of the command.
using LibsvmArguments = std::span<const std::string>;

struct LibsvmCommand {
  const char* name;
  void (*execute)(LibsvmArguments arguments, Interruption& interruption);
  const char* usage;
};

std::span<const LibsvmCommand> libsvm_commands();

/// Runs the command that the program's name or its first argument names, and gives its exit code; empty where they name
/// none: 0 done, 1 anything else, 130 interrupted.
std::optional<int> run_libsvm_command(int count, char** arguments);

/// Ends a command with exit code 1 and a line on standard error.
class CommandFailure {
 public:
  explicit CommandFailure(std::string message) : message_(std::move(message)) {}
  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

/// Ends a command with exit code 1: the usage on standard output, after a line on standard error if there is one.
class WrongUsage {
 public:
  explicit WrongUsage(std::string message = {}) : message_(std::move(message)) {}
  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

/// A run that can be interrupted and draws its bar on a terminal.
class LibsvmRun {
 public:
  explicit LibsvmRun(Interruption& interruption);
  operator const Run&() const { return run_; }  // NOLINT(google-explicit-constructor)

 private:
  Console console_;
  Run run_;
};

/// The value of a flag; WrongUsage where it is no number.
int integer_argument(const std::string& text);
double number_argument(const std::string& text);
/// As printf("%.17g") and printf("%g") would; appended.
void append_exact(std::string& text, double value);
void append_short(std::string& text, double value);
std::string short_number(double value);

/// LIBSVM text whose columns are its indices; a message "can't open <what> <path>" where it cannot be read, and
/// "Wrong input format at line N" where it is wrong.
DataFile read_libsvm_data(const std::string& path, const char* what, Index columns, const Run& run);

/// Sums over pairs of a prediction and a target, and the lines that svm-predict and svm-train print of them.
class RegressionSums {
 public:
  void add(double prediction, double target);
  double mean_squared_error() const;
  double squared_correlation() const;

 private:
  double count_ = 0, error_ = 0, p_ = 0, t_ = 0, pp_ = 0, tt_ = 0, pt_ = 0;
};

}  // namespace mercer::program
