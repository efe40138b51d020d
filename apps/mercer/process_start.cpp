#include "process_start.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <initializer_list>

namespace mercer::program {

namespace {

// In rising order, so that open() returns the very number that is missing.
void open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1 || errno != EBADF) {
      continue;
    }
    if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream) {
      _exit(1);  // nothing can be said, and going on might destroy a file
    }
  }
}

}  // namespace

void prepare_process() {
  open_closed_streams();
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace mercer::program
