// A program of its own on the installed library: reads a file, fits, stores the model, loads it and predicts. It has an
// OpenBLAS of its own, too, whose threads must stay as they are.
//
//   consumer FOLDER        for the files that it writes
#include <cblas.h>
#include <mercer/mercer.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr int row_count = 300;
double truth(int row) { return std::sin(0.05 * row) + 0.01 * row; }

bool wrong(const char* what) {
  std::printf("consumer: %s\n", what);
  return true;
}

long threads_of_process() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

// Large enough for OpenBLAS to start its threads.
void multiply_by_own_blas() {
  constexpr int n = 300;
  const std::vector<double> a(n * n, 1.0);
  std::vector<double> c(n * n);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a.data(), n, a.data(), n, 0, c.data(), n);
}

void write_table(const std::string& path) {
  std::ofstream file(path);
  file << "x,y\n";
  for (int row = 0; row < row_count; ++row) {
    file << 0.05 * row << ',' << truth(row) << '\n';
  }
}

// The largest error of a stored and loaded model on the rows that it was fitted to.
double largest_error(const std::string& folder, const mercer::Run& run) {
  write_table(folder + "/table.csv");
  const mercer::DataFile file = mercer::read_data(folder + "/table.csv", {.targets = {"y"}}, run);

  mercer::StoredModel stored;
  stored.preparation = mercer::fit_preparation(file.samples);
  stored.model = mercer::fit_ridge(mercer::parse_kernel("rbf(gamma=scale) + linear()[x]"), {.lambda = 1e-6},
                                   {stored.preparation.apply(file.samples, run), *file.targets}, run);
  mercer::save_model(folder + "/model.mercer", stored);

  const mercer::StoredModel loaded = mercer::load_model(folder + "/model.mercer", run);
  const mercer::Matrix<double> values = loaded.predict(file.samples, run);
  double largest = 0;
  for (int row = 0; row < row_count; ++row) {
    largest = std::fmax(largest, std::fabs(values(row, 0) - truth(row)));
  }
  return largest;
}

}  // namespace

int main(int /*argc*/, char** argv) {
  // Nobody has set a number yet: it is that of the processors, unless the library took it away.
  if (openblas_get_num_threads() != openblas_get_num_procs()) {
    return wrong("linking the library has changed the threads of the program's own BLAS");
  }
  openblas_set_num_threads(3);
  multiply_by_own_blas();
  const long threads = threads_of_process();
  const double error = largest_error(argv[1], mercer::Run{{.threads = 1}});
  // λ leaves less of the curve unexplained than this.
  if (!(error < 1e-2)) {
    return wrong("the predictions are not those of the curve that was fitted");
  }
  if (openblas_get_num_threads() != 3 || threads != 3 || threads_of_process() != threads) {
    return wrong("a call into the library has changed the threads of the process");
  }
  if (largest_error(argv[1], mercer::Run{{.threads = 2}}) != error) {
    return wrong("two threads give other bits than one");
  }
  std::puts("consumer: all right");
  return 0;
}
