// Random features on 2 threads: a Fourier map against its floor, the matrix product inside it; mapridge against its
// floor, the products of the normal equations; and how the rest of the trace falls with the rule of the landmarks.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/features/landmarks.h"
#include "mercer/features/nystroem_map.h"
#include "mercer/features/random_fourier.h"
#include "mercer/kernels/spec.h"
#include "mercer/linalg/product.h"
#include "mercer/models/mapped/map_ridge.h"
#include "timing.h"

namespace {

mercer::Matrix<double> normal_matrix(mercer::Index rows, mercer::Index columns, std::uint64_t seed) {
  mercer::Matrix<double> x(rows, columns);
  mercer::RandomStream random(seed);
  mercer::fill_normal(random, {x.data(), static_cast<std::size_t>(rows * columns)});
  return x;
}

void measure_map(int repeats, const mercer::Run& run) {
  using namespace mercer;
  using namespace mercer::bench;
  const Index n = 20000;
  const Index d = 100;
  const Index q = 2000;
  const Matrix<double> x = normal_matrix(n, d, 1);
  const Samples samples = make_dense(Matrix<double>::copy_of(x.view()));
  const auto map = fourier_map(parse_kernel("rbf(gamma=0.01)"), samples, {.size = q}, 1);
  Matrix<double> z(n, q);
  Matrix<double> products(n, q / 2);
  const double ours = best_seconds(repeats, 1, [&] { map->transform(samples, z.view(), run); });
  const double floor = best_seconds(repeats, 1, [&] {
    parallel_gemm<double>(1.0, x.view(), Transpose::no, map->frequencies().view(), Transpose::no, 0.0, products.view(),
                          run);
  });
  print_result("fourier n=20000 d=100 q=2000 / its product", ours, floor);
}

void measure_ridge(int repeats, const mercer::Run& run) {
  using namespace mercer;
  using namespace mercer::bench;
  const Index n = 100000;
  const Index q = 1000;
  const Matrix<double> x = normal_matrix(n, 10, 2);
  std::vector<double> y;
  for (Index i = 0; i < n; ++i) {
    y.push_back(x(i, 0) * x(i, 1));
  }
  const TrainingData data{make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y)};
  MapRidgeOptions options;
  options.size = q;
  const double ours =
      best_seconds(repeats, 1, [&] { fit_mapridge(parse_kernel("rbf(gamma=0.1)"), options, data, run); });
  const Matrix<double> block = normal_matrix(4000, q, 3);
  Matrix<double> sums = Matrix<double>::filled(q, q, 0.0);
  const double floor = best_seconds(repeats, 1, [&] {
    for (Index b = 0; b < n / 4000; ++b) {
      parallel_syrk<double>(1.0, block.view(), Transpose::yes, 1.0, sums.view(), run);
    }
  });
  print_result("mapridge n=100000 q=1000 / its normal equations", ours, floor);
}

void show_landmarks(const mercer::Run& run) {
  using namespace mercer;
  const Index n = 4000;
  // Clusters of falling size, where rules differ.
  Matrix<double> x = normal_matrix(n, 5, 4);
  RandomStream random(5);
  for (Index i = 0; i < n; ++i) {
    const double cluster = std::floor(-8 * std::log(random.uniform()));
    x(i, 0) += 4 * cluster;
  }
  const Samples samples = make_dense(std::move(x));
  const Kernel kernel = parse_kernel("rbf(gamma=0.1)");
  for (const LandmarkRule rule : {LandmarkRule::uniform, LandmarkRule::kmeans, LandmarkRule::leverage,
                                  LandmarkRule::pivots, LandmarkRule::greedy}) {
    const Landmarks landmarks = choose_landmarks(kernel, samples, {.count = 200, .rule = rule}, run);
    const auto map = nystroem_map(kernel, landmarks.samples, 1e-12, run).map;
    Matrix<double> z(n, map->columns());
    map->transform(samples, z.view(), run);
    double explained = 0;
    for (Index i = 0; i < n * z.columns(); ++i) {
      explained += z.data()[i] * z.data()[i];
    }
    std::printf("200 landmarks by %-8s leave %.4f of the trace\n", std::string(word_of(rule)).c_str(),
                1 - explained / static_cast<double>(n));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 ? std::atoi(argv[1]) : 3;
  const mercer::Run run{{.threads = 2}};
  measure_map(repeats, run);
  measure_ridge(repeats, run);
  show_landmarks(run);
}
