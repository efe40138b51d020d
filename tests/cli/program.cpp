#include <gtest/gtest.h>

#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {

std::string program_path() {
  const char* const chosen = std::getenv("MERCER_PROGRAM");
  return chosen != nullptr ? chosen : MERCER_PROGRAM;
}

Process::Process(const std::vector<std::string>& arguments, const std::string& input) {
  const std::string program = program_path();
  folder_ = std::filesystem::temp_directory_path() / "mercer_cli_XXXXXX";
  folder_ = mkdtemp(folder_.data());
  std::ofstream(folder_ + "/in", std::ios::binary) << input;
  std::vector<char*> pointers = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) {
    pointers.push_back(const_cast<char*>(argument.c_str()));
  }
  pointers.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(open((folder_ + "/in").c_str(), O_RDONLY), 0);
    dup2(open((folder_ + "/out").c_str(), O_WRONLY | O_CREAT, 0600), 1);
    dup2(open((folder_ + "/err").c_str(), O_WRONLY | O_CREAT, 0600), 2);
    execv(program.c_str(), pointers.data());
    _exit(127);
  }
}

Process::~Process() { std::filesystem::remove_all(folder_); }

bool Process::is_running() {
  if (!ended_) {
    ended_ = wait4(pid_, &status_, WNOHANG, &used_) == pid_;
  }
  return !ended_;
}

Outcome Process::wait() {
  if (!ended_) {
    wait4(pid_, &status_, 0, &used_);
    ended_ = true;
  }
  return {WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_), read("out"), read("err")};
}

double Process::cpu_seconds() const {
  if (ended_) {
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(used_.ru_utime) + seconds(used_.ru_stime);
  }
  // "pid (name) state …": the 12th and 13th field after the name are ticks in the program and in the system for it.
  std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string passed_over;
  for (int field = 0; field < 11; ++field) {
    fields >> passed_over;
  }
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void Process::work_for(double cpu_seconds) {
  while (is_running() && this->cpu_seconds() < cpu_seconds) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::string Process::read(const std::string& name) const {
  std::ifstream file(folder_ + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

nlohmann::json parse(const std::string& text) { return nlohmann::json::parse(text); }

}  // namespace mercer::cli_test
