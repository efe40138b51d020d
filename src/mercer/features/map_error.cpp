#include "mercer/features/map_error.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

constexpr std::uint64_t error_sample_stream = 0x6d657272ULL;

}  // namespace

MapError estimate_map_error(const Kernel& kernel, const FeatureMap& map, const Samples& samples, Index count,
                            const Run& run) {
  Samples drawn = samples;
  if (samples.size() > count) {
    RandomStream random(run.seed(), error_sample_stream);
    std::vector<Index> rows = sample_without_replacement(random, samples.size(), count);
    std::sort(rows.begin(), rows.end());
    drawn = samples.select(rows);
  }
  const Index n = drawn.size();
  MapError error{.samples = n};
  Matrix<double> difference(n, n);
  const PreparedKernel prepared(kernel, drawn, Precision::double_precision, run.quiet());
  evaluate_gram<double>(prepared, Triangle::both, difference.view(), run.quiet());
  Matrix<double> features(n, map.columns());
  map.transform(drawn, features.view(), run.quiet());
  parallel_gemm<double>(-1.0, features.view(), Transpose::no, features.view(), Transpose::yes, 1.0, difference.view(),
                        run.quiet());
  double squares = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double size = std::abs(difference(i, j));
      error.largest = std::max(error.largest, size);
      squares += i == j ? 0.0 : size * size;
    }
  }
  error.rms = n > 1 ? std::sqrt(2 * squares / (static_cast<double>(n) * static_cast<double>(n - 1))) : 0.0;
  return error;
}

}  // namespace mercer
