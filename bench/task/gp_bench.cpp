// Gaussian process regression, ARD Gaussian kernel with an amplitude and noise, on 2 threads: one log evidence with its
// gradient against its floor, threaded dpotrf plus dpotri of the same size in the same run.
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/gp/inference/exact.h"
#include "threaded_blas.h"
#include "timing.h"

namespace {

mercer::GpData random_data(mercer::Index n, mercer::Index d) {
  mercer::Matrix<double> x(n, d);
  mercer::RandomStream random(1);
  mercer::fill_normal(random, {x.data(), static_cast<std::size_t>(n * d)});
  mercer::GpData data{.samples = {},
                      .targets = mercer::Matrix<double>(n, 1),
                      .noise = {},
                      .weights = {},
                      .basis = mercer::Matrix<double>(n, 0)};
  for (mercer::Index i = 0; i < n; ++i) {
    data.targets(i, 0) = x(i, 0) + 0.1 * random.normal();
  }
  data.samples = mercer::make_dense(std::move(x));
  return data;
}

void measure(int n, int repeats, const mercer::bench::ThreadedBlas& blas) {
  using namespace mercer;
  using namespace mercer::bench;
  const mercer::Run run(RunOptions{.threads = 2});
  const GpData data = random_data(n, 8);
  const Kernel kernel = parse_kernel("1.3*rbf(lengthscale=[2, 2, 2, 2, 3, 3, 3, 3])");
  auto a = Matrix<double>::filled(n, n, 0.0);
  double ours = 1e300;
  double floor = 1e300;
  for (int r = 0; r < repeats; ++r) {
    ours = std::min(ours, best_seconds(1, 1, [&] { exact_objective(GpObjective::evidence, kernel, data, 0.1, run); }));
    for (int i = 0; i < n; ++i) {
      std::fill_n(&a(i, 0), n, 0.5);
      a(i, i) = n;
    }
    const double potrf = best_seconds(1, 1, [&] { blas.potrf(n, a.data()); });
    floor = std::min(floor, potrf + best_seconds(1, 1, [&] { blas.potri(n, a.data()); }));
  }
  print_result("evidence and gradient n=" + std::to_string(n) + " d=8 / (dpotrf + dpotri)", ours, floor);
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 3;
  const mercer::bench::ThreadedBlas blas(2);
  if (!blas.present()) {
    return 1;
  }
  for (const int n : {2000, 5000}) {
    measure(n, repeats, blas);
  }
}
