// Reading LIBSVM text: our reader on 2 threads against the reader of LIBSVM's svm-train, which reads a file completely
// before it refuses -c 0. The file is MNIST's 60000 training images written out with pixel values 0-255. Memory is
// the growth of the process's peak over the size of the stored rows.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "mercer/data/files/data_file.h"
#include "mercer/data/files/write_data.h"

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string data_folder() {
  const char* folder = std::getenv("MERCER_DATA");
  return folder != nullptr ? folder : "../shared/data";
}

// Peak memory of this process in bytes.
double peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

struct Reading {
  double seconds = 0;
  double memory_ratio = 0;
};

// In a process of its own, so that the peak is that of the reader alone.
Reading read_once(const std::string& path) {
  int ends[2];
  if (pipe(ends) != 0) {
    return {};
  }
  const pid_t child = fork();
  if (child == 0) {
    const mercer::Run run{{.threads = 2}};
    const double before = peak_bytes();
    const auto start = Clock::now();
    const mercer::DataFile file = mercer::read_data(path, {}, run);
    Reading reading{seconds_since(start), 0};
    const auto& rows = file.samples.as<mercer::SparseRows<double>>();
    const double stored = static_cast<double>(rows.offsets[rows.rows]) * 12 + static_cast<double>(rows.rows) * 16;
    reading.memory_ratio = (peak_bytes() - before) / stored;
    const bool written = write(ends[1], &reading, sizeof(reading)) == sizeof(reading);
    _exit(written ? 0 : 1);
  }
  Reading reading;
  const bool complete = read(ends[0], &reading, sizeof(reading)) == sizeof(reading);
  int status = 0;
  waitpid(child, &status, 0);
  close(ends[0]);
  close(ends[1]);
  return complete ? reading : Reading{};
}

double peer_seconds(const std::string& path) {
  const auto start = Clock::now();
  const int code = std::system(("/usr/bin/svm-train -c 0 '" + path + "' > /dev/null 2>&1").c_str());
  static_cast<void>(code);  // it refuses C = 0 once it has read the file
  return seconds_since(start);
}

}  // namespace

int main() {
  const std::string images = data_folder() + "/mnist/train-images-idx3-ubyte.gz";
  if (!std::filesystem::exists(images) || !std::filesystem::exists("/usr/bin/svm-train")) {
    std::fprintf(stderr, "libsvm text reading: skipped, needs %s and /usr/bin/svm-train\n", images.c_str());
    return 0;
  }
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("mercer-bench-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const std::string path = (folder / "mnist.libsvm").string();
  {
    mercer::ReadOptions options;
    options.targets_file = data_folder() + "/mnist/train-labels-idx1-ubyte.gz";
    options.precision = mercer::StoredPrecision::float32;
    const mercer::DataFile mnist = mercer::read_data(images, options);
    mercer::write_libsvm(path, mnist.samples, &*mnist.targets);
  }
  double ours = 1e30;
  double memory = 0;
  double peer = 1e30;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const Reading reading = read_once(path);
    ours = std::min(ours, reading.seconds);
    memory = std::max(memory, reading.memory_ratio);
    peer = std::min(peer, peer_seconds(path));
  }
  std::printf(
      "{\"bench\":\"libsvm text reading\",\"megabytes\":%.1f,\"ours_s\":%.4f,\"peer_s\":%.4f,\"ratio\":%.2f,"
      "\"memory_ratio\":%.3f}\n",
      static_cast<double>(std::filesystem::file_size(path)) / 1e6, ours, peer, peer / ours, memory);
  std::filesystem::remove_all(folder);
  return 0;
}
