// Descriptors of files: opened so that they are never taken for a standard stream, and written to the last byte or not
// without an error.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "mercer/base/error.h"

namespace mercer {

/// What was computed and could not be stored: a full disk, a limit on sizes, an output that is closed. Unlike other
/// errors of files it is nothing that the user named wrongly.
class WriteError : public IoError {
 public:
  using IoError::IoError;
};

/// As open(2) with O_CLOEXEC, but never 0, 1 or 2: a process that was started with one of those closed would otherwise
/// print into its own files. -1 and errno where that fails.
int open_descriptor(const std::string& path, int flags, mode_t mode = 0);

/// Writes all bytes, waiting where the other side is slow. 0, or the errno of the write that failed.
int write_all(int descriptor, std::string_view bytes);

}  // namespace mercer
