// Support vector machines against LIBSVM: whole commands, `mercer svm-train -m 2000` and `mercer svm-predict` beside
// /usr/bin/svm-train and svm-predict on the same files, C and gamma, best of three (the peer once where it takes more
// than ten seconds). The data sets are those of MERCER_DATA (default ../shared/data); what is absent is left out.
//
//   svm_bench [NAME …]    only the sets of these names
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "mercer/data/files/data_file.h"
#include "mercer/data/files/write_data.h"
#include "timing.h"

namespace mercer::bench {
namespace {

namespace fs = std::filesystem;

struct Task {
  const char* name;
  const char* train;
  const char* labels;  // of idx files
  const char* test;    // empty: training only
  double cost;
  double gamma;
  Index rows;  // 0: all
};

const std::vector<Task> tasks = {
    {"a9a", "a9a/a9a.gz", "", "a9a/a9a.t.gz", 1, 0.05, 0},
    {"a9a-C100", "a9a/a9a.gz", "", "", 100, 0.5, 0},
    {"w8a", "w8a/w8a.gz", "", "", 8, 0.05, 0},
    {"ijcnn1", "ijcnn1/ijcnn1.trn.bz2", "", "ijcnn1/ijcnn1.t.bz2", 32, 2, 0},
    {"usps", "libsvm/usps.gz", "", "", 10, 0.0078125, 0},
    {"letter", "libsvm/letter.scale.gz", "", "", 16, 2, 0},
    {"satimage", "libsvm/satimage.scale.gz", "", "", 16, 1, 0},
    {"mnist20000", "mnist/train-images-idx3-ubyte.gz", "mnist/train-labels-idx1-ubyte.gz", "", 10, 0.02, 20000},
};

fs::path data_folder() {
  const char* given = std::getenv("MERCER_DATA");
  return given != nullptr ? fs::path(given) : fs::path("../shared/data");
}

// The set as LIBSVM text, decompressed; pixels of idx files are divided by 255.
bool write_text(const Task& task, const char* source, const fs::path& to) {
  const fs::path from = data_folder() / source;
  if (!fs::exists(from)) {
    return false;
  }
  ReadOptions options;
  if (*task.labels != 0) {
    options.targets_file = (data_folder() / task.labels).string();
  }
  const DataFile file = read_data(from.string(), options, {});
  std::ofstream out(to);
  const Matrix<double> labels = file.targets->values();
  const Samples dense = to_dense<double>(file.samples);
  const auto& rows = dense.as<DenseRows<double>>();
  const double divisor = *task.labels != 0 ? 255.0 : 1.0;
  const Index count = task.rows > 0 ? std::min(task.rows, rows.rows) : rows.rows;
  char text[64];
  for (Index i = 0; i < count; ++i) {
    out << labels(i, 0);
    for (Index j = 0; j < rows.columns; ++j) {
      if (rows(i, j) != 0) {
        std::snprintf(text, sizeof text, " %lld:%.8g", static_cast<long long>(j + 1), rows(i, j) / divisor);
        out << text;
      }
    }
    out << '\n';
  }
  return true;
}

double timed(const std::string& command, int most) {
  double best = 1e300;
  for (int run = 0; run < most; ++run) {
    const double start = seconds_now();
    if (std::system((command + " >/dev/null 2>&1").c_str()) != 0) {
      std::fprintf(stderr, "failed: %s\n", command.c_str());
    }
    best = std::min(best, seconds_now() - start);
    if (best > 10) {
      break;
    }
  }
  return best;
}

void compare(const Task& task, const std::string& program, const fs::path& folder) {
  const std::string train = (folder / "train").string();
  if (!write_text(task, task.train, train)) {
    std::fprintf(stderr, "%s is not there: left out\n", task.train);
    return;
  }
  char flags[128];
  std::snprintf(flags, sizeof flags, " -q -m 2000 -c %.10g -g %.10g ", task.cost, task.gamma);
  const std::string model = (folder / "model").string();
  const double ours = timed(program + " svm-train" + flags + train + " " + model, 3);
  const double peer = timed("/usr/bin/svm-train" + std::string(flags) + train + " " + model, 3);
  print_result(std::string("svm_train_") + task.name, ours, peer);
  const std::string test = (folder / "test").string();
  if (*task.test != 0 && write_text(task, task.test, test)) {
    const std::string files = test + " " + model + " " + (folder / "out").string();
    print_result(std::string("svm_predict_") + task.name, timed(program + " svm-predict " + files, 3),
                 timed("/usr/bin/svm-predict " + files, 3));
  }
}

}  // namespace
}  // namespace mercer::bench

int main(int argc, char** argv) {
  using namespace mercer::bench;
  const fs::path program = fs::canonical("/proc/self/exe").parent_path().parent_path() / "mercer";
  if (access("/usr/bin/svm-train", X_OK) != 0 || access(program.c_str(), X_OK) != 0) {
    std::fprintf(stderr, "svm-train or %s is missing: nothing to compare\n", program.c_str());
    return 1;
  }
  const fs::path folder = fs::temp_directory_path() / ("mercer-svm-bench-" + std::to_string(getpid()));
  fs::create_directory(folder);
  for (const Task& task : tasks) {
    bool wanted = argc == 1;
    for (int a = 1; a < argc; ++a) {
      wanted = wanted || std::string(argv[a]) == task.name;
    }
    if (wanted) {
      compare(task, program.string(), folder);
    }
  }
  fs::remove_all(folder);
  return 0;
}
