// vector_exp against Eigen's array exp: 4096 elements in L1, arguments in [-20, 0].
#include <string>
#include <vector>

#include "eigen_exp.h"
#include "mercer/base/vector_math.h"
#include "timing.h"

namespace mercer::bench {
namespace {

template <class T>
void run(const std::string& type) {
  constexpr int size = 4096;
  std::vector<T> in(size);
  std::vector<T> out(size);
  for (int i = 0; i < size; ++i) {
    in[i] = static_cast<T>(-20.0 * ((i * 2654435761U) % size) / size);
  }
  // Interleaved rounds, so that a change of the clock meets all three alike.
  double ours = 1e300;
  double baseline = 1e300;
  double avx2 = 1e300;
  for (int round = 0; round < 10; ++round) {
    ours = std::min(ours, best_seconds(50, 20, [&] { vector_exp(in, out); }));
    baseline = std::min(baseline, best_seconds(10, 20, [&] { eigen_exp_baseline(in.data(), out.data(), size); }));
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      avx2 = std::min(avx2, best_seconds(50, 20, [&] { eigen_exp_avx2(in.data(), out.data(), size); }));
    }
  }
  print_result("exp " + type + " against Eigen baseline, 4096 elements", ours, baseline);
  if (avx2 < 1e300) {
    print_result("exp " + type + " against Eigen AVX2, 4096 elements", ours, avx2);
  }
}

}  // namespace
}  // namespace mercer::bench

int main() {
  mercer::bench::run<double>("double");
  mercer::bench::run<float>("float");
}
