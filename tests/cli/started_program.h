// The program as a shell or a service may start it: standard streams closed, on a full device or appended to a file,
// and a limit on the size of files.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/program.h"

namespace mercer::cli_test {

enum class Stream {
  kept,       ///< to a file, whose content is the outcome's
  discarded,  ///< /dev/null
  closed,
  full,  ///< /dev/full: a disk without room
};

struct Start {
  Stream out = Stream::kept;
  Stream err = Stream::kept;
  Stream in = Stream::discarded;        ///< or closed
  rlim_t largest_file = RLIM_INFINITY;  ///< bytes
  std::string append_out_to = {};       ///< in place of `out`: a file of the folder, as after >>
};

/// Runs it inside a folder, so that files are named without one.
Outcome run_started(const std::string& folder, const std::vector<std::string>& arguments, const Start& start = {});

}  // namespace mercer::cli_test
