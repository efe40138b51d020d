// Kernel ridge, n = 8000, d = 20, on 2 threads: the whole fit against its floor, threaded dsyrk plus threaded dpotrf.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/ridge/ridge.h"
#include "threaded_blas.h"
#include "timing.h"

int main(int argc, char** argv) {
  using namespace mercer;
  using namespace mercer::bench;
  const int n = argc > 1 ? std::atoi(argv[1]) : 8000;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 3;
  constexpr int d = 20;
  const mercer::Run run(RunOptions{.threads = 2});
  Matrix<double> x(n, d);
  RandomStream random(1);
  fill_normal(random, std::span<double>(x.data(), static_cast<std::size_t>(n) * d));
  std::vector<double> y(n);
  for (int i = 0; i < n; ++i) {
    y[i] = x(i, 0) + 0.1 * random.normal();
  }
  const Kernel kernel = parse_kernel("rbf(gamma=0.025)");
  const TrainingData data{make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y)};

  const ThreadedBlas blas(2);
  if (!blas.present()) {
    return 1;
  }
  Matrix<double> a = Matrix<double>::filled(n, n, 0.0);
  double ours = 1e300;
  double floor = 1e300;
  for (int r = 0; r < repeats; ++r) {
    ours = std::min(ours, best_seconds(1, 1, [&] { fit_ridge(kernel, {.lambda = 0.1}, data, run); }));
    double syrk = best_seconds(1, 1, [&] { blas.syrk(n, d, x.data(), a.data()); });
    for (int i = 0; i < n; ++i) {
      std::fill_n(&a(i, 0), n, 0.5);
      a(i, i) = n;
    }
    floor = std::min(floor, syrk + best_seconds(1, 1, [&] { blas.potrf(n, a.data()); }));
  }
  print_result("ridge fit n=" + std::to_string(n) + " d=20 / (dsyrk + dpotrf)", ours, floor);
}
