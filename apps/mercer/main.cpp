// The program mercer: reads the command line, runs one subcommand, turns errors into a sentence and an exit code:
//
//   0 done   1 failed   2 wrong usage   3 bad data or file   130 interrupted (128 + signal)
#include <fmt/format.h>

#include <csignal>
#include <new>

#include "command_line.h"
#include "console.h"
#include "interruption.h"
#include "libsvm_command.h"
#include "mercer/base/error.h"
#include "mercer/base/unknown_column.h"
#include "mercer/data/files/file_descriptor.h"
#include "output.h"
#include "process_start.h"
#include "usage_error.h"

namespace mercer::program {
namespace {

int complain(int code, const std::string& message) {
  tell(fmt::format("{} {}\n", label("error:"), message));
  return code;
}

// As a tool that knows nothing of pipes: ended by the signal, silently.
int end_by_closed_pipe() {
  std::signal(SIGPIPE, SIG_DFL);
  std::raise(SIGPIPE);
  return 128 + SIGPIPE;
}

// Runs `work`, which gives an exit code, and turns its errors into a sentence and one.
template <class Work>
int run_guarded(const Work& work) {
  try {
    return work();
  } catch (const OutputClosed&) {
    return end_by_closed_pipe();
  } catch (const UsageError& error) {
    return complain(2, error.what());
  } catch (const WriteError& error) {
    return output_is_closed() ? end_by_closed_pipe() : complain(1, error.what());
  } catch (const DataError& error) {
    return complain(3, error.what());
  } catch (const IoError& error) {
    return complain(3, error.what());
  } catch (const UnknownColumn& error) {
    return complain(3, error.what());
  } catch (const Error& error) {
    return complain(1, error.what());
  } catch (const std::bad_alloc&) {
    return complain(1, "not enough memory; give more with --memory, or use fewer rows");
  } catch (const std::exception& error) {
    return complain(1, fmt::format("unexpected: {}", error.what()));
  }
}

int run_action(const Action& action) {
  Interruption interruption;
  return run_guarded([&] {
    try {
      action(interruption);
      return 0;
    } catch (const Stopped&) {
      tell("mercer: interrupted\n");
      return interruption.exit_code() != 0 ? interruption.exit_code() : 130;
    }
  });
}

int run_program(int count, char** arguments) {
  if (const auto code = run_libsvm_command(count, arguments)) {
    return *code;
  }
  CommandLine line;
  switch (line.parse(count, arguments)) {
    case CommandLine::Outcome::done:
      return 0;
    case CommandLine::Outcome::wrong:
      return 2;
    case CommandLine::Outcome::ready:
      break;
  }
  return run_action(line.action());
}

}  // namespace
}  // namespace mercer::program

int main(int count, char** arguments) {
  mercer::program::prepare_process();
  return mercer::program::run_guarded([&] { return mercer::program::run_program(count, arguments); });
}
