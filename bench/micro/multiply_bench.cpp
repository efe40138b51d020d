// K V on the fly, RBF kernel, float, d = 9, 10 columns, on 2 threads: against our exp over the n² pairs plus threaded
// sgemm's time for the same products, X Xᵀ by tiles and K V.
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

constexpr Index dimension = 9;
constexpr Index outputs = 10;

Matrix<float> normal_rows(Index rows, Index columns, std::uint64_t stream) {
  Matrix<float> x(rows, columns);
  RandomStream random(1, stream);
  fill_normal(random, std::span<float>(x.data(), static_cast<std::size_t>(rows * columns)));
  return x;
}

// exp over n² numbers, a tile at a time in cache.
void exp_over_pairs(Index n, const mercer::Run& run) {
  constexpr Index tile = Index{1} << 16;
  const std::vector<float> in(tile, -1.5F);
  std::vector<std::vector<float>> out(run.threads(), in);
  parallel_for_workers(run, block_count(n * n, tile), [&](Index, int worker) {
    vector_exp_scaled(std::span<const float>(in), 0.5F, std::span<float>(out[worker]));
  });
}

// X Xᵀ in tiles large enough for the threads to share, and each tile times its rows of V.
void products_by_gemm(const Matrix<float>& x, const Matrix<float>& v, Matrix<float>& out, Index tile,
                      const ThreadedBlas& blas, double& inner_seconds, double& outer_seconds) {
  const Index n = x.rows();
  std::vector<float> k(tile * tile);
  inner_seconds = 0;
  outer_seconds = 0;
  for (Index i = 0; i < n; i += tile) {
    const int rows = static_cast<int>(std::min(tile, n - i));
    for (Index j = 0; j < n; j += tile) {
      const int columns = static_cast<int>(std::min(tile, n - j));
      double start = seconds_now();
      blas.gemm_transposed(rows, columns, dimension, x.data() + i * dimension, dimension, x.data() + j * dimension,
                           dimension, k.data(), columns);
      inner_seconds += seconds_now() - start;
      start = seconds_now();
      blas.gemm(rows, outputs, columns, k.data(), columns, v.data() + j * outputs, outputs, out.data() + i * outputs,
                outputs);
      outer_seconds += seconds_now() - start;
    }
  }
}

void against_exp_and_gemm(Index n, int repeats, const ThreadedBlas& blas, const mercer::Run& run) {
  const Matrix<float> x = normal_rows(n, dimension, 0);
  const Matrix<float> v = normal_rows(n, outputs, 1);
  Matrix<float> out(n, outputs);
  const auto kernel = std::make_shared<const PreparedKernel>(
      parse_kernel("rbf(gamma=0.1)"), make_dense(Matrix<float>::copy_of(x.view())), Precision::single_precision, run);
  const KernelGram<float> gram(kernel);
  double ours = 1e300;
  double exponentials = 1e300;
  double inner = 1e300;
  double outer = 1e300;
  for (int r = 0; r < repeats; ++r) {
    ours = std::min(ours, best_seconds(1, 1, [&] { gram.multiply(v.view(), out.view(), run); }));
    exponentials = std::min(exponentials, best_seconds(1, 1, [&] { exp_over_pairs(n, run); }));
    // The tile that suits sgemm best is the floor.
    for (const Index tile : {512, 1024, 2048}) {
      double xx = 0;
      double kv = 0;
      products_by_gemm(x, v, out, tile, blas, xx, kv);
      inner = std::min(inner, xx);
      outer = std::min(outer, kv);
    }
  }
  std::fprintf(stderr, "exp %.3f s, sgemm X X' %.3f s, sgemm K V %.3f s\n", exponentials, inner, outer);
  print_result(
      "K V on the fly, rbf float n=" + std::to_string(n) + " d=9, 10 columns, against exp + threaded sgemm, 2 threads",
      ours, exponentials + inner + outer);
}

}  // namespace
}  // namespace mercer::bench

int main(int argc, char** argv) {
  const long n = argc > 1 ? std::atol(argv[1]) : 50000;
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 3;
  const mercer::Run run(mercer::RunOptions{.threads = 2});
  const mercer::bench::ThreadedBlas blas(2);
  if (!blas.present()) {
    return 0;
  }
  mercer::bench::against_exp_and_gemm(n, repeats, blas, run);
}
