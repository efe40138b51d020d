// How often the two-sample tests reject, over many pairs of samples with a fixed seed: where both are from one normal
// distribution (the level, 5 % ± 1.5 is asked for), and where one is shifted (the power).
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"
#include "mercer/select/hypothesis/two_sample.h"

namespace {

mercer::Samples normal_sample(mercer::Index rows, double shift, std::uint64_t seed) {
  mercer::Matrix<double> x(rows, 2);
  mercer::RandomStream random(seed, 5);
  mercer::fill_normal(random, {x.data(), static_cast<std::size_t>(2 * rows)});
  for (mercer::Index i = 0; i < rows; ++i) {
    x(i, 0) += shift;
  }
  return mercer::make_dense(std::move(x));
}

void measure(const char* name, mercer::MmdStatistic statistic, mercer::Index rows, double shift, int runs) {
  mercer::TwoSampleOptions options;
  options.statistic = statistic;
  options.permutations = 199;
  const mercer::Kernel kernel = mercer::parse_kernel("rbf(gamma=median)");
  int rejected = 0;
  for (int r = 0; r < runs; ++r) {
    const auto seed = static_cast<std::uint64_t>(2 * r);
    const mercer::Run run(mercer::RunOptions{.threads = 1, .seed = seed});
    const mercer::Samples x = normal_sample(rows, 0, seed);
    const mercer::Samples y = normal_sample(rows, shift, seed + 1);
    rejected += two_sample_test(kernel, x, y, options, run).test.rejected ? 1 : 0;
  }
  std::printf("{\"bench\":\"mmd %s n=%d shift=%g\",\"runs\":%d,\"rejected\":%.4f}\n", name, static_cast<int>(rows),
              shift, runs, static_cast<double>(rejected) / runs);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 2000;
  for (const double shift : {0.0, 0.5, 1.0}) {
    measure("quadratic", mercer::MmdStatistic::quadratic, 50, shift, runs);
    measure("block", mercer::MmdStatistic::block, 400, shift, runs);
    measure("linear", mercer::MmdStatistic::linear, 400, shift, runs);
  }
}
