// UsageError: the command line is wrong, not the data and not the computation. Exit code 2.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/unknown_column.h"

namespace mercer::program {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs `parse`, which reads a piece of the command line by the library (a kernel, a model's name): what the library
/// calls an invalid argument is then a usage error; columns that a file does not have stay errors of the data. `flag` names the piece, as in "--kernel".
template <class Parse>
auto reading(const std::string& flag, Parse&& parse) -> decltype(std::forward<Parse>(parse)()) {
  try {
    return std::forward<Parse>(parse)();
  } catch (const UnknownColumn& error) {
    throw UnknownColumn(flag.empty() ? std::string(error.what()) : flag + ": " + error.what());
  } catch (const InvalidArgument& error) {
    throw UsageError(flag.empty() ? std::string(error.what()) : flag + ": " + error.what());
  }
}

}  // namespace mercer::program
