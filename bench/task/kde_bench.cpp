// Kernel densities at the sizes of bench/task/kde_peers_bench.py, which times scikit-learn and KDEpy on data of the same
// kind: standard normal samples, Silverman's bandwidth. `grid`: a million samples in one dimension on 1024 nodes. `tree`:
// 100000 samples in two dimensions at 10000 queries, relative error 1e-4. `cross-validation`: 20000 samples in three
// dimensions. One JSON line each; fits are included. With a number as argument on that many threads.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "mercer/base/random.h"
#include "mercer/models/density/kde.h"
#include "timing.h"

namespace mercer::bench {
namespace {

Matrix<double> normal_rows(Index rows, Index columns, std::uint64_t seed) {
  Matrix<double> x(rows, columns);
  RandomStream random(seed);
  fill_normal(random, {x.data(), static_cast<std::size_t>(rows * columns)});
  return x;
}

void print(const char* name, double seconds, double error) {
  std::printf("{\"bench\":\"%s\",\"ours_s\":%.4g,\"relative_error\":%.3g}\n", name, seconds, error);
  std::fflush(stdout);
}

void grid(const Run& run) {
  const Samples samples = make_dense(normal_rows(1000000, 1, 1));
  const GridAxis axis{-6, 12.0 / 1023, 1024};
  GridDensity values;
  const auto fit_and_evaluate = [&](const KdeOptions& options) {
    return best_seconds(5, 1, [&] {
      values = fit_kde(options, {samples, {}}, run)->density().on_grid({&axis, 1}, GridMethod::automatic, run);
    });
  };
  KdeOptions given;
  given.bandwidth = 0.0669;
  print("kde grid, bandwidth given", fit_and_evaluate(given), 0);
  const double seconds = fit_and_evaluate({});
  const GridDensity exact = fit_kde({}, {samples, {}}, run)->density().on_grid({&axis, 1}, GridMethod::direct, run);
  double error = 0;
  for (std::size_t k = 0; k < values.values.size(); ++k) {
    error = std::max(error, std::abs(values.values[k] - exact.values[k]) / 0.4);
  }
  print("kde grid", seconds, error);
}

void tree(const Run& run) {
  const Samples samples = make_dense(normal_rows(100000, 2, 2));
  const Samples queries = make_dense(normal_rows(10000, 2, 3));
  KdeOptions options;
  options.relative_error = 1e-4;
  Matrix<double> values;
  const double seconds =
      best_seconds(3, 1, [&] { values = fit_kde(options, {samples, {}}, run)->predict(queries, run); });
  options.method = SumMethod::exact;
  const Matrix<double> exact = fit_kde(options, {samples, {}}, run)->predict(queries, run);
  double error = 0;
  for (Index i = 0; i < values.rows(); ++i) {
    error = std::max(error, std::abs(std::expm1(values(i, 0) - exact(i, 0))));
  }
  print("kde tree", seconds, error);
}

void cross_validation(const Run& run) {
  const Samples samples = make_dense(normal_rows(20000, 3, 4));
  for (const BandwidthRule rule : {BandwidthRule::likelihood, BandwidthRule::least_squares}) {
    KdeOptions options;
    options.bandwidth = rule;
    const double seconds = best_seconds(1, 1, [&] { fit_kde(options, {samples, {}}, run); });
    print(std::string(word_of(rule)).c_str(), seconds, 0);
  }
}

}  // namespace
}  // namespace mercer::bench

int main(int argc, char** argv) {
  const mercer::Run run{{.threads = argc > 1 ? std::atoi(argv[1]) : 0}};
  mercer::bench::grid(run);
  mercer::bench::tree(run);
  mercer::bench::cross_validation(run);
  return 0;
}
