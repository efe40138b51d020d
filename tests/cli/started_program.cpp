#include "cli/started_program.h"

#include <cstdio>

namespace mercer::cli_test {

namespace {

// Called between fork and exec. What is opened is closed at exec, so that no number besides 0, 1 and 2 is inherited.
void redirect(int number, const char* path, int flags) {
  const int opened = open(path, flags | O_CLOEXEC, 0600);
  if (opened < 0 || dup2(opened, number) < 0) {
    _exit(126);
  }
}

void set_up(int number, Stream stream, const std::string& kept) {
  switch (stream) {
    case Stream::kept:
      redirect(number, kept.c_str(), O_WRONLY | O_CREAT);
      break;
    case Stream::discarded:
      redirect(number, "/dev/null", O_RDWR);
      break;
    case Stream::full:
      redirect(number, "/dev/full", O_WRONLY);
      break;
    case Stream::closed:
      close(number);
      break;
  }
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Outcome run_started(const std::string& folder, const std::vector<std::string>& arguments, const Start& start) {
  const std::string program = program_path();
  std::string streams = std::filesystem::temp_directory_path() / "mercer_streams_XXXXXX";
  streams = mkdtemp(streams.data());
  const std::string out = streams + "/out";
  const std::string err = streams + "/err";
  std::vector<char*> pointers = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.c_str()) != 0) {
      _exit(126);
    }
    // Standard error first: a closed lower number would be given to what is opened after it.
    set_up(STDERR_FILENO, start.err, err);
    if (start.append_out_to.empty()) {
      set_up(STDOUT_FILENO, start.out, out);
    } else {
      redirect(STDOUT_FILENO, start.append_out_to.c_str(), O_WRONLY | O_APPEND);
    }
    set_up(STDIN_FILENO, start.in, "");
    const rlimit limit{start.largest_file, start.largest_file};
    if (start.largest_file != RLIM_INFINITY && setrlimit(RLIMIT_FSIZE, &limit) != 0) {
      _exit(126);
    }
    execv(program.c_str(), pointers.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), content_of(out), content_of(err)};
  std::filesystem::remove_all(streams);
  return outcome;
}

}  // namespace mercer::cli_test
