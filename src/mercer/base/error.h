// Errors: one exception type per kind of failure.
//
// A message says which argument or place, what was found, what is allowed, and what to try. The program maps the
// types to exit codes: InvalidArgument and NumericalError 1 (usage errors of the command line 2), DataError and
// IoError 3, Stopped 130.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace mercer {

/// Root of every exception that the library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option, parameter or shape that the caller chose and that is not allowed.
class InvalidArgument : public Error {
 public:
  using Error::Error;
};

/// Arithmetic that cannot go on: a matrix that is not positive definite, an overflow, a NaN from a kernel.
class NumericalError : public Error {
 public:
  using Error::Error;
};

/// The run's stop token was set; nothing half-done is left behind.
class Stopped : public Error {
 public:
  Stopped() : Error("stopped on request") {}
};

/// A file that cannot be opened, read, written or renamed.
class IoError : public Error {
 public:
  using Error::Error;
};

/// Where in a file something is wrong; line and column count from 1, 0 means unknown.
struct FilePlace {
  std::string file;
  std::int64_t line = 0;
  std::int64_t column = 0;
};

/// Prints as "train.csv:12:5" (only the parts that are known).
std::string to_string(const FilePlace& place);

/// Input data that is malformed or outside a kernel's domain.
class DataError : public Error {
 public:
  explicit DataError(const std::string& message) : Error(message) {}
  DataError(FilePlace place, std::string_view message);

  const FilePlace& place() const { return place_; }

 private:
  FilePlace place_;
};

/// Throws InvalidArgument with "argument = value: must be allowed".
[[noreturn]] void reject_argument(std::string_view argument, std::string_view value, std::string_view allowed);
[[noreturn]] void reject_argument(std::string_view argument, double value, std::string_view allowed);

}  // namespace mercer
