#include "output.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>

#include "mercer/data/files/file_descriptor.h"

namespace mercer::program {

void tell(std::string_view text, Destination destination) {
  write_all(destination == Destination::standard_output ? STDOUT_FILENO : STDERR_FILENO, text);
}

void print(std::string_view text, Destination destination) {
  if (destination == Destination::standard_error) {
    tell(text);
    return;
  }
  const int error = write_all(STDOUT_FILENO, text);
  if (error == EPIPE) {
    throw OutputClosed();
  }
  if (error != 0) {
    throw WriteError(std::string("standard output cannot be written: ") + std::strerror(error));
  }
}

void print_json(const Json& json, Destination destination) {
  // Names come from files that may hold any bytes: those that are not UTF-8 are replaced.
  print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", destination);
}

bool output_is_closed() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLNVAL)) != 0;
}

namespace {

// Letters, not bytes: UTF-8 continuation bytes take no place.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

TextTable::TextTable(std::vector<std::string> headings, std::vector<Align> alignment)
    : alignment_(std::move(alignment)) {
  alignment_.resize(headings.size(), Align::left);
  rows_.push_back(std::move(headings));
}

void TextTable::add(std::vector<std::string> cells) {
  cells.resize(alignment_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(std::string_view indent) const {
  std::vector<std::size_t> widths(alignment_.size());
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      widths[c] = std::max(widths[c], width_of(row[c]));
    }
  }
  std::string result;
  for (const auto& row : rows_) {
    std::string line(indent);
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - width_of(row[c]), ' ');
      line += c > 0 ? "  " : "";
      line += alignment_[c] == Align::left ? row[c] + padding : padding + row[c];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  }
  return result;
}

std::string readable(double value, int digits) {
  return std::isnan(value) ? "-" : fmt::format("{:.{}g}", value, digits);
}

std::string readable_seconds(double seconds) {
  if (seconds < 0.0995) {
    return fmt::format("{:.1f} ms", 1000 * seconds);
  }
  return fmt::format("{:.{}f} s", seconds, seconds < 10 ? 2 : 0);
}

std::string readable_bytes(double bytes) {
  const char* unit = "B";
  for (const char* larger : {"KB", "MB", "GB", "TB"}) {
    if (bytes < 1024) {
      break;
    }
    bytes /= 1024;
    unit = larger;
  }
  return fmt::format("{:.3g} {}", bytes, unit);
}

std::string counted(std::int64_t count, std::string_view singular, std::string_view plural) {
  std::string digits = std::to_string(count);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > (count < 0 ? 1 : 0); place -= 3) {
    digits.insert(static_cast<std::size_t>(place), ",");
  }
  if (count == 1) {
    return fmt::format("{} {}", digits, singular);
  }
  return plural.empty() ? fmt::format("{} {}s", digits, singular) : fmt::format("{} {}", digits, plural);
}

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column + 1 + width_of(word) > width && column > indent) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += word;
    column += width_of(word);
  }
  return result;
}

}  // namespace mercer::program
