// OpenBLAS's threaded library, apart from the one that the engine is linked with and keeps single-threaded: the peer of the benchmarks.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>

namespace mercer::bench {

class ThreadedBlas {
 public:
  using Gemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a,
                        int lda, const float* b, int ldb, float beta, float* c, int ldc);
  using Syrk = void (*)(int order, int uplo, int transpose, int n, int k, double alpha, const double* a, int lda,
                        double beta, double* c, int ldc);

  using Potrf = void (*)(const char* uplo, const int* n, double* a, const int* lda, int* info, std::size_t length);

  /// Says on standard error where the library is missing; present() is false then.
  explicit ThreadedBlas(int threads) {
    for (const char* path : {"/usr/lib/x86_64-linux-gnu/openblas-pthread/libopenblas.so.0",
                             "/usr/lib/aarch64-linux-gnu/openblas-pthread/libopenblas.so.0"}) {
      if (void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)) {
        if (const auto set = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"))) {
          set(threads);
        }
        gemm_ = reinterpret_cast<Gemm>(dlsym(library, "cblas_sgemm"));
        syrk_ = reinterpret_cast<Syrk>(dlsym(library, "cblas_dsyrk"));
        potrf_ = reinterpret_cast<Potrf>(dlsym(library, "dpotrf_"));
        potri_ = reinterpret_cast<Potrf>(dlsym(library, "dpotri_"));
        break;
      }
    }
    if (!present()) {
      std::fprintf(stderr,
                   "threaded OpenBLAS (package libopenblas0-pthread) is not installed: nothing to compare with\n");
    }
  }
  bool present() const { return gemm_ != nullptr && syrk_ != nullptr && potrf_ != nullptr && potri_ != nullptr; }

  /// C = A B (m × k times k × n), or A B' with B stored n × k; row-major, leading dimensions of the caller.
  void gemm(int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c, int ldc) const {
    gemm_(row_major, plain, plain, m, n, k, 1.0F, a, lda, b, ldb, 0.0F, c, ldc);
  }
  void gemm_transposed(int m, int n, int k, const float* a, int lda, const float* b, int ldb, float* c, int ldc) const {
    gemm_(row_major, plain, transposed, m, n, k, 1.0F, a, lda, b, ldb, 0.0F, c, ldc);
  }
  /// Lower triangle of C = A A', A being n × k.
  void syrk(int n, int k, const double* a, double* c) const {
    syrk_(row_major, lower, plain, n, k, 1.0, a, k, 0.0, c, n);
  }

  /// Cholesky factor of a symmetric matrix, in place, lower triangle (row-major lower is column-major upper).
  void potrf(int n, double* a) const {
    int info = 0;
    potrf_("U", &n, a, &n, &info, 1);
  }
  /// The inverse from that factor, in place.
  void potri(int n, double* a) const {
    int info = 0;
    potri_("U", &n, a, &n, &info, 1);
  }

 private:
  static constexpr int row_major = 101;
  static constexpr int plain = 111;
  static constexpr int transposed = 112;
  static constexpr int lower = 122;
  Gemm gemm_ = nullptr;
  Syrk syrk_ = nullptr;
  Potrf potrf_ = nullptr;
  Potrf potri_ = nullptr;
};

}  // namespace mercer::bench
