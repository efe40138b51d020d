#include "machine.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace mercer::program {

namespace {

// "VmHWM:    1234 kB" in /proc/self/status and /proc/meminfo.
std::optional<double> entry_mb(const char* file, const std::string& name) {
  std::ifstream stream(file);
  std::string line;
  while (std::getline(stream, line)) {
    if (line.starts_with(name + ":")) {
      return std::stod(line.substr(name.size() + 1)) / 1024;
    }
  }
  return std::nullopt;
}

std::optional<double> number_mb(const char* file) {
  std::ifstream stream(file);
  double bytes = 0;
  if (stream >> bytes) {
    return bytes / (1024 * 1024);
  }
  return std::nullopt;  // "max": no limit
}

// As it is where a shell takes it for one word, in single quotes otherwise.
std::string shell_word(const std::string& word) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,%@";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
    return word;
  }
  std::string text = "'";
  for (const char c : word) {
    text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return text + "'";
}

}  // namespace

double peak_memory_mb() { return entry_mb("/proc/self/status", "VmHWM").value_or(0); }

double available_memory_mb() {
  double available = entry_mb("/proc/meminfo", "MemAvailable").value_or(0);
  const auto group_limit = number_mb("/sys/fs/cgroup/memory.max");
  const auto group_used = number_mb("/sys/fs/cgroup/memory.current");
  if (group_limit && group_used) {
    available = std::min(available, std::max(*group_limit - *group_used, 0.0));
  }
  return available;
}

void bound_further_memory(double mb, int threads) {
  const auto used = entry_mb("/proc/self/status", "VmData");
  rlimit limit{};
  if (!used || getrlimit(RLIMIT_DATA, &limit) != 0) {
    return;
  }
  // The limit counts what is hardly ever touched: a stack of 8 MB and a buffer of 128 MB for BLAS per thread (OpenBLAS
  // asks for its buffer again and again until it gets it), and the allocator's own slack.
  const double untouched_mb = 16 + (9.0 + 129.0) * threads;
  const auto bytes = static_cast<rlim_t>((*used + mb + untouched_mb) * 1024 * 1024);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  setrlimit(RLIMIT_DATA, &limit);
}

std::string command_text() {
  std::ifstream stream("/proc/self/cmdline", std::ios::binary);
  std::string text;
  std::string word;
  while (std::getline(stream, word, '\0')) {
    if (text.empty()) {
      text = shell_word(word.substr(word.find_last_of('/') + 1));
    } else {
      text += " " + shell_word(word);
    }
  }
  return text;
}

}  // namespace mercer::program
