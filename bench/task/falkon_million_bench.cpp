// A generated regression of 1 000 000 × 90 (the size of MillionSongs) by falkon with 10000 landmarks within a budget of
// 4 GB beyond the data: residual history, passes, peak memory, test error. Then, on a subset, the largest difference to the
// exact solution of the same normal equations.
//
// usage: falkon_million_bench [rows] [landmarks] [memory_mb]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "mercer/base/random.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/models/falkon/falkon.h"

namespace {

using namespace mercer;

constexpr Index columns = 90;

double status_mb(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(key)) {
      return std::strtod(line.c_str() + key.size() + 1, nullptr) / 1024;
    }
  }
  return 0;
}

// A smooth function of a few directions, and noise of a tenth of its size.
TrainingData generated(Index rows, std::uint64_t seed) {
  Matrix<float> x(rows, columns);
  RandomStream random(seed);
  fill_normal(random, std::span<float>(x.data(), static_cast<std::size_t>(rows * columns)));
  std::vector<double> y(rows);
  for (Index i = 0; i < rows; ++i) {
    double first = 0;
    double second = 0;
    for (Index j = 0; j < columns; ++j) {
      first += static_cast<double>(x(i, j)) / static_cast<double>(1 + j);
      second += (j % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(x(i, j)) / static_cast<double>(1 + j);
    }
    y[i] = std::sin(first) + 0.5 * std::cos(second) + 0.1 * random.normal();
  }
  return {make_dense(std::move(x)), Targets::numeric(std::move(y))};
}

double test_rmse(const FalkonModel& model, const Run& run) {
  const TrainingData test = generated(20000, 99);
  const Matrix<double> values = model.predict(test.samples, run);
  const Matrix<double> truth = test.targets.values();
  double sum = 0;
  for (Index i = 0; i < values.rows(); ++i) {
    sum += (values(i, 0) - truth(i, 0)) * (values(i, 0) - truth(i, 0));
  }
  return std::sqrt(sum / static_cast<double>(values.rows()));
}

void print_report(const FalkonModel& model) {
  const FitReport& report = model.report();
  std::printf("status %s, %lld iterations, relative residual %.2e\n", std::string(to_string(report.status)).c_str(),
              static_cast<long long>(report.iterations), report.objective);
  for (const FitReport::Phase& phase : report.phases) {
    std::printf("  %-24s %8.1f s\n", phase.name.c_str(), phase.seconds);
  }
  for (const FitReport::Measure& measure : report.measures) {
    std::printf("  %s: %g\n", measure.name.c_str(), measure.value);
  }
  for (const std::string& note : report.notes) {
    std::printf("  %s\n", note.c_str());
  }
}

// The normal equations of the same landmarks, in double, by Cholesky; constants as one more column.
double difference_to_exact(const Kernel& kernel, const Run& run) {
  const Index rows = 8000;
  const TrainingData data = generated(rows, 7);
  FalkonRegressionOptions options;
  options.landmarks = 500;
  options.tolerance = 1e-8;
  const auto model = fit_falkon(kernel, options, data, run);
  const Samples landmarks = model->expansion_form()->centers();
  const Index m = landmarks.size();
  double shift = 0;
  for (const FitReport::Measure& measure : model->report().measures) {
    shift = measure.name.starts_with("added to the diagonal") ? measure.value : shift;
  }
  const auto prepared = std::make_shared<const PreparedKernel>(kernel, landmarks, Precision::double_precision, run);
  Matrix<double> k(rows, m + 1);
  CrossGram<double>(prepared, data.samples, run).evaluate(k.view().block(0, 0, rows, m), run);
  for (Index i = 0; i < rows; ++i) {
    k(i, m) = 1;
  }
  Matrix<double> normal = Matrix<double>::filled(m + 1, m + 1, 0.0);
  CrossGram<double>(prepared, landmarks, run).evaluate(normal.view().block(0, 0, m, m), run);
  for (Index j = 0; j < m; ++j) {
    normal(j, j) += shift;
  }
  parallel_syrk<double>(1.0, k.view(), Transpose::yes, 1.0, normal.view(), run);
  const Matrix<double> y = data.targets.values();
  Matrix<double> solution(m + 1, 1);
  parallel_gemm<double>(1.0, k.view(), Transpose::yes, y.view(), Transpose::no, 0.0, solution.view(), run);
  cholesky<double>(normal.view(), run);
  cholesky_solve<double>(normal.view(), solution.view(), run);
  Matrix<double> exact(rows, 1);
  parallel_gemm<double>(1.0, k.view(), Transpose::no, solution.view(), Transpose::no, 0.0, exact.view(), run);
  const Matrix<double> values = model->predict(data.samples, run);
  double difference = 0;
  double size = 0;
  for (Index i = 0; i < rows; ++i) {
    difference = std::max(difference, std::abs(values(i, 0) - exact(i, 0)));
    size = std::max(size, std::abs(exact(i, 0)));
  }
  return difference / size;
}

}  // namespace

int main(int argc, char** argv) {
  const Index rows = argc > 1 ? std::atoll(argv[1]) : 1000000;
  FalkonRegressionOptions options;
  options.landmarks = argc > 2 ? std::atoll(argv[2]) : 10000;
  options.memory_mb = argc > 3 ? std::atof(argv[3]) : 4096;
  options.tolerance = 1e-5;
  const mercer::Run run;
  const Kernel kernel = parse_kernel("rbf(gamma=0.003)");
  std::printf("subset: largest difference to the exact solution %.2e of the largest value\n",
              difference_to_exact(kernel, run));
  const TrainingData data = generated(rows, 1);
  const double before = status_mb("VmRSS:");
  const auto model = fit_falkon(kernel, options, data, run);
  print_report(*model);
  std::printf("peak memory beyond the data: %.0f MB of %.0f allowed\n", status_mb("VmHWM:") - before,
              options.memory_mb);
  std::printf("test RMSE %.4f (noise 0.1)\n", test_rmse(*model, run));
}
