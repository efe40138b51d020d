// Tiled Cholesky on 2 threads against OpenBLAS's own threaded dpotrf on 2 threads, n = 8000.
#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/matrix.h"
#include "timing.h"

namespace mercer::bench {
namespace {

using Potrf = void (*)(const char*, const int*, double*, const int*, int*, std::size_t);

// The threaded library, apart from the one this program is linked with; null where it is not installed.
Potrf threaded_potrf(int threads) {
  for (const char* path : {"/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
                           "/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0"}) {
    if (void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)) {
      if (const auto set = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"))) {
        set(threads);
      }
      return reinterpret_cast<Potrf>(dlsym(library, "dpotrf_"));
    }
  }
  return nullptr;
}

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
  const Potrf potrf = threaded_potrf(2);
  double ours = 1e300;
  double floor = 1e300;
  for (int r = 0; r < repeats; ++r) {
    reset();
    ours = std::min(ours, best_seconds(1, 1, [&] { cholesky(work.view(), run); }));
    if (potrf != nullptr) {
      reset();
      int info = 0;
      floor = std::min(floor, best_seconds(1, 1, [&] { potrf("U", &size, work.data(), &size, &info, 1); }));
    }
  }
  if (potrf != nullptr) {
    print_result("cholesky double n=" + std::to_string(size) + " against threaded dpotrf, 2 threads", ours, floor);
  }
}
