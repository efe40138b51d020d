// The Gram matrix of an RBF kernel, one triangle into touched memory, on 2 threads.
//
//   double, d = 32: against threaded dsyrk plus our exp over half of the entries
//   float, d = 784: against threaded sgemm at its own rate, n²d flops being counted for us and 2n²d for sgemm
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/base/vector_math.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "threaded_blas.h"
#include "timing.h"

namespace mercer::bench {
namespace {

template <class T>
Matrix<T> normal_rows(Index rows, Index columns) {
  Matrix<T> x(rows, columns);
  RandomStream random(1);
  fill_normal(random, std::span<T>(x.data(), static_cast<std::size_t>(rows * columns)));
  return x;
}

template <class T>
PreparedKernel prepared(const Matrix<T>& x, const mercer::Run& run) {
  const Kernel kernel = parse_kernel("rbf(gamma=" + std::to_string(0.5 / static_cast<double>(x.columns())) + ")");
  return PreparedKernel(kernel, make_dense(Matrix<T>::copy_of(x.view())), precision_of<T>, run);
}

// exp over `count` numbers, in pieces of a tile's row that stay in cache, on all threads.
void exp_pass(double* values, Index count, const mercer::Run& run) {
  constexpr Index piece = 1 << 16;
  parallel_for(run, block_count(count, piece), [&](Index b) {
    const IndexRange range = block_range(count, piece, b);
    const std::span<double> part(values + range.begin, static_cast<std::size_t>(range.size()));
    vector_exp_scaled(part, -1e-3, part);
  });
}

void against_syrk(Index n, Index d, int repeats, const ThreadedBlas& blas, const mercer::Run& run) {
  const Matrix<double> x = normal_rows<double>(n, d);
  const PreparedKernel kernel = prepared(x, run);
  Matrix<double> k = Matrix<double>::filled(n, n, 0.0);
  double ours = 1e300;
  double syrk = 1e300;
  double exponentials = 1e300;
  for (int r = 0; r < repeats; ++r) {
    ours = std::min(ours, best_seconds(1, 1, [&] { evaluate_gram<double>(kernel, Triangle::lower, k.view(), run); }));
    syrk = std::min(
        syrk, best_seconds(1, 1, [&] { blas.syrk(static_cast<int>(n), static_cast<int>(d), x.data(), k.data()); }));
    exponentials = std::min(exponentials, best_seconds(1, 1, [&] { exp_pass(k.data(), n * n / 2, run); }));
  }
  std::fprintf(stderr, "dsyrk %.3f s, exp %.3f s\n", syrk, exponentials);
  print_result("rbf Gram double n=" + std::to_string(n) + " d=" + std::to_string(d) +
                   ", one triangle, against threaded dsyrk + exp, 2 threads",
               ours, syrk + exponentials);
}

void against_gemm(Index n, Index d, int repeats, const ThreadedBlas& blas, const mercer::Run& run) {
  const Matrix<float> x = normal_rows<float>(n, d);
  const PreparedKernel kernel = prepared(x, run);
  Matrix<float> k = Matrix<float>::filled(n, n, 0.0F);
  double ours = 1e300;
  double gemm = 1e300;
  for (int r = 0; r < repeats; ++r) {
    ours = std::min(ours, best_seconds(1, 1, [&] { evaluate_gram<float>(kernel, Triangle::lower, k.view(), run); }));
    gemm = std::min(gemm, best_seconds(1, 1, [&] {
                      blas.gemm_transposed(static_cast<int>(n), static_cast<int>(n), static_cast<int>(d), x.data(),
                                           static_cast<int>(d), x.data(), static_cast<int>(d), k.data(),
                                           static_cast<int>(n));
                    }));
  }
  // sgemm's rate is 2n²d / gemm; n²d flops at 100 % of it take half of its time.
  print_result("rbf Gram float n=" + std::to_string(n) + " d=" + std::to_string(d) +
                   ", one triangle, against n^2 d flops at threaded sgemm's rate, 2 threads",
               ours, gemm / 2);
}

}  // namespace
}  // namespace mercer::bench

int main(int argc, char** argv) {
  using namespace mercer::bench;
  const long n = argc > 1 ? std::atol(argv[1]) : 10000;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
  const mercer::Run run(mercer::RunOptions{.threads = 2});
  const ThreadedBlas blas(2);
  if (!blas.present()) {
    return 0;
  }
  against_syrk(n, 32, repeats, blas, run);
  against_gemm(n, 784, repeats, blas, run);
}
