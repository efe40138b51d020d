// Uses the installed headers and links the installed library beside an OpenBLAS of its own, whose threads must stay as
// they are: text, a parallel sum that needs threads, a factorisation that needs BLAS.
#include <cblas.h>

#include <cstdio>
#include <filesystem>
#include <iterator>
#include <vector>

#include "mercer/base/parallel.h"
#include "mercer/base/run.h"
#include "mercer/base/text.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/matrix.h"

namespace {

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

bool multiplies() {
  mercer::Matrix<double> a(300, 300);
  mercer::Matrix<double> c(300, 300);
  for (mercer::Index i = 0; i < 300; ++i) {
    for (double& value : a.view().row(i)) {
      value = 2;
    }
  }
  mercer::gemm(1.0, a.view(), mercer::Transpose::no, a.view(), mercer::Transpose::no, 0.0, c.view());
  return c(299, 0) == 1200;
}

}  // namespace

int main() {
  // Nobody has set a number yet: it is that of the processors, unless the library took it away.
  if (openblas_get_num_threads() != openblas_get_num_procs()) {
    return wrong("linking the library has changed the threads of the program's own BLAS");
  }
  openblas_set_num_threads(3);
  multiply_by_own_blas();
  const long threads = threads_of_process();
  if (!multiplies()) {
    return wrong("wrong product");
  }
  if (openblas_get_num_threads() != 3 || threads != 3 || threads_of_process() != threads) {
    return wrong("a call into the library has changed the threads of the process");
  }
  const mercer::Run run{{.threads = 2, .seed = 1}};
  const double sum = mercer::sum_in_order(run, 100, [](mercer::Index block) { return static_cast<double>(block); });
  if (mercer::shortest(0.1) != "0.1" || sum != 4950) {
    return wrong("wrong result");
  }
  std::puts("consumer: all right");
  return 0;
}
