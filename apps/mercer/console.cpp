#include "console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "output.h"

namespace mercer::program {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto first_shown_after = std::chrono::milliseconds(500);
constexpr auto redraw_interval = std::chrono::milliseconds(100);

bool is_terminal() {
  const char* const kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && (kind == nullptr || std::string_view(kind) != "dumb");
}

bool wants_color() {
  const char* const no_color = std::getenv("NO_COLOR");
  return is_terminal() && (no_color == nullptr || *no_color == '\0');
}

int terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string label(std::string_view word) {
  if (!wants_color()) {
    return std::string(word);
  }
  return fmt::format("\033[1;{}m{}\033[0m", word == "error:" ? 31 : 33, word);
}

double seconds_left(const ProgressEvent& event, double seconds) {
  const double fraction = event.total > 0 ? std::clamp(event.done / event.total, 0.0, 1.0) : 0;
  return fraction > 0.01 ? seconds * (1 - fraction) / fraction : std::numeric_limits<double>::infinity();
}

std::string progress_line(const ProgressEvent& event, double seconds, double left, int width) {
  if (event.total <= 0) {
    return fmt::format("{}: {:.0f}, {} so far", event.task, event.done, duration(seconds));
  }
  const double fraction = std::clamp(event.done / event.total, 0.0, 1.0);
  std::string line = fmt::format("{:<16} ", event.task);
  const std::string tail = std::isfinite(left) && fraction < 1
                               ? fmt::format(" {:3.0f} %  {} left", 100 * fraction, duration(left))
                               : fmt::format(" {:3.0f} %", 100 * fraction);
  const int cells = std::clamp(width - static_cast<int>(line.size()) - 22, 5, 40);
  const int full = static_cast<int>(std::lround(fraction * cells));
  line += fmt::format("[{}{}]{}", std::string(static_cast<std::size_t>(full), '#'),
                      std::string(static_cast<std::size_t>(cells - full), '.'), tail);
  return line.substr(0, static_cast<std::size_t>(std::max(width - 1, 1)));
}

Console::Console(Verbosity verbosity) : verbosity_(verbosity), terminal_(is_terminal()) {}

Console::~Console() { clear(); }

void Console::clear_line() {
  if (drawn_) {
    tell("\r\033[K");
    drawn_ = false;
  }
}

void Console::clear() {
  const std::scoped_lock lock(mutex_);
  clear_line();
  task_.clear();
}

void Console::print(std::string_view line) {
  const std::scoped_lock lock(mutex_);
  clear_line();
  tell(fmt::format("{}\n", line));
}

void Console::note(std::string_view message) {
  if (verbosity_ != Verbosity::quiet) {
    print(message);
  }
}

void Console::warn(std::string_view message) {
  if (verbosity_ != Verbosity::quiet) {
    print(fmt::format("{} {}", label("warning:"), message));
  }
}

void Console::log(LogLevel level, std::string_view message) {
  if (level == LogLevel::warning) {
    warn(message);
  } else if (verbosity_ == Verbosity::verbose) {
    print(message);
  }
}

void Console::progress(const ProgressEvent& event) {
  if (!terminal_ || verbosity_ == Verbosity::quiet) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  if (event.task != task_) {
    clear_line();
    task_ = event.task;
    task_start_ = now;
    least_left_ = std::numeric_limits<double>::infinity();
  }
  if (event.total > 0 && event.done >= event.total) {
    clear_line();
    task_.clear();
    return;
  }
  if (now - task_start_ < first_shown_after || now - last_drawn_ < redraw_interval) {
    return;
  }
  last_drawn_ = now;
  const double seconds = std::chrono::duration<double>(now - task_start_).count();
  least_left_ = std::min(least_left_, seconds_left(event, seconds));
  tell(fmt::format("\r\033[K{}", progress_line(event, seconds, least_left_, terminal_width())));
  drawn_ = true;
}

}  // namespace mercer::program
