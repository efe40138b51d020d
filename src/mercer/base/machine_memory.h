// What `memory_mb`, an option of many fits, means in bytes, also where it is not set.
#pragma once

#include <unistd.h>

namespace mercer {

constexpr double bytes_per_megabyte = 1024.0 * 1024.0;
constexpr double whole_machine = 1.0;

/// In bytes: the option, or for 0 this share of the machine's memory.
inline double allowed_memory(double memory_mb, double share_of_machine = 0.5) {
  return memory_mb > 0 ? memory_mb * bytes_per_megabyte
                       : share_of_machine * static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                             static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace mercer
