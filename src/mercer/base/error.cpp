#include "mercer/base/error.h"

#include "mercer/base/text.h"

namespace mercer {

std::string to_string(const FilePlace& place) {
  std::string text = place.file;
  if (place.line > 0) {
    text += ":" + std::to_string(place.line);
    if (place.column > 0) {
      text += ":" + std::to_string(place.column);
    }
  }
  return text;
}

namespace {

std::string with_place(const FilePlace& place, std::string_view message) {
  const std::string where = to_string(place);
  return where.empty() ? std::string(message) : where + ": " + std::string(message);
}

}  // namespace

DataError::DataError(FilePlace place, std::string_view message)
    : Error(with_place(place, message)), place_(std::move(place)) {}

void reject_argument(std::string_view argument, std::string_view value, std::string_view allowed) {
  throw InvalidArgument(std::string(argument) + " = " + std::string(value) + ": must be " + std::string(allowed));
}

void reject_argument(std::string_view argument, double value, std::string_view allowed) {
  reject_argument(argument, shortest(value), allowed);
}

}  // namespace mercer
