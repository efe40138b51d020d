// Runs the program as a user would: arguments and standard input in, exit code, standard output and error out.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace mercer::cli_test {

struct Outcome {
  int code = -1;  ///< exit code; 128 + signal where a signal ended it
  std::string out;
  std::string err;
};

inline std::string example(const std::string& name) { return std::string(MERCER_EXAMPLE_DATA_DIR "/") + name; }

std::string program_path();

/// The program, begun; its output goes to files, so that it never blocks on a pipe.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments, const std::string& input = "");
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void send(int signal) const { kill(pid_, signal); }
  bool is_running();
  Outcome wait();
  /// The processor time it has used so far: how far it has come, whatever else the machine has to do.
  double cpu_seconds() const;
  /// Returns once it has used that much of the processor, or has ended.
  void work_for(double cpu_seconds);

 private:
  std::string read(const std::string& name) const;

  std::string folder_;
  pid_t pid_ = -1;
  int status_ = 0;
  rusage used_{};  // of an ended one
  bool ended_ = false;
};

inline Outcome run(const std::vector<std::string>& arguments, const std::string& input = "") {
  return Process(arguments, input).wait();
}

nlohmann::json parse(const std::string& text);

/// A folder of its own for every test, removed at its end.
class CliTest : public testing::Test {
 protected:
  CliTest() {
    folder_ = std::filesystem::temp_directory_path() / "mercer_test_XXXXXX";
    folder_ = mkdtemp(folder_.data());
  }
  ~CliTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  /// The data inside a report page.
  nlohmann::json page_data(const std::string& name) const {
    const std::string page = read(name);
    const std::string opening = "id=\"report-data\">";
    const std::size_t begin = page.find(opening) + opening.size();
    return parse(page.substr(begin, page.find("</script>", begin) - begin));
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(path(name)); }
  /// Names of everything in the folder: what a failed command must not add to.
  std::vector<std::string> listing() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  /// y = x0 + 2 x1 on a grid of 5 × 5 points, as CSV.
  std::string write_plane(const std::string& name) const {
    std::string text = "a,b,y\n";
    for (int i = 0; i < 25; ++i) {
      text += std::to_string(i % 5) + "," + std::to_string(i / 5) + "," + std::to_string(i % 5 + 2 * (i / 5)) + "\n";
    }
    return write(name, text);
  }

  std::string folder_;
};

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace mercer::cli_test
