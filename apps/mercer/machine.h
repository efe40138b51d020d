// What the operating system knows of this process: memory now, at its peak, and a bound on it.
#pragma once

#include <string>

namespace mercer::program {

/// The largest resident memory so far, in MB (2^20 bytes); 0 where the system does not say.
double peak_memory_mb();

/// Memory that the machine could still give, in MB: what is free and what caches would return, within the limits of the
/// control group; 0 where the system does not say.
double available_memory_mb();

/// From now on this process may allocate at most so many MB more; an allocation beyond fails as if the memory were not
/// there. The stacks of `threads` threads and their buffers for BLAS come on top.
void bound_further_memory(double mb, int threads);

/// The command that started this process, arguments quoted as a shell needs them; empty where the system does not say.
std::string command_text();

}  // namespace mercer::program
