// What `memory_mb` means where it is not set.
#pragma once

#include <unistd.h>

namespace mercer {

/// In bytes: the option, or half of the machine's memory for 0.
inline double allowed_memory(double memory_mb) {
  return memory_mb > 0
             ? memory_mb * 1048576.0
             : 0.5 * static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace mercer
