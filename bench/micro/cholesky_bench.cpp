// Tiled Cholesky on 2 threads against OpenBLAS's own threaded dpotrf on 2 threads, n = 8000.
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/matrix.h"
#include "threaded_blas.h"
#include "timing.h"

namespace mercer::bench {
namespace {

void fill(MatrixView<double> a) {
  RandomStream random(1);
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < i; ++j) {
      a(i, j) = a(j, i) = random.uniform() - 0.5;
    }
    a(i, i) = static_cast<double>(a.rows());
  }
}

}  // namespace
}  // namespace mercer::bench

int main(int argc, char** argv) {
  using namespace mercer;
  using namespace mercer::bench;
  const int size = argc > 1 ? std::atoi(argv[1]) : 8000;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 3;
  const mercer::Run run(RunOptions{.threads = 2});
  Matrix<double> source(size, size);
  fill(source.view());
  Matrix<double> work(size, size);
  const auto reset = [&] { std::copy_n(source.data(), Index{size} * size, work.data()); };
  const ThreadedBlas blas(2);
  if (!blas.present()) {
    return 1;
  }
  double ours = 1e300;
  double floor = 1e300;
  for (int r = 0; r < repeats; ++r) {
    reset();
    ours = std::min(ours, best_seconds(1, 1, [&] { cholesky(work.view(), run); }));
    reset();
    floor = std::min(floor, best_seconds(1, 1, [&] { blas.potrf(size, work.data()); }));
  }
  print_result("cholesky double n=" + std::to_string(size) + " against threaded dpotrf, 2 threads", ours, floor);
}
