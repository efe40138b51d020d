// Random features: how their error falls with their number, and two rings that thirty random cosines separate.
//
//   example_random_features
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/features/map_error.h"
#include "mercer/features/random_fourier.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/mapped/map_logistic.h"

namespace {

mercer::Samples normal_points(mercer::Index rows, mercer::Index columns) {
  mercer::Matrix<double> x(rows, columns);
  mercer::RandomStream random(1);
  mercer::fill_normal(random, {x.data(), static_cast<std::size_t>(rows * columns)});
  return mercer::make_dense(std::move(x));
}

/// Root mean square over ten seeds.
double kernel_error(const mercer::Kernel& kernel, const mercer::Samples& x, mercer::Index size,
                    mercer::FrequencyDraws draws, const mercer::Run& run) {
  double squares = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto map = mercer::fourier_map(kernel, x, {.size = size, .draws = draws}, seed);
    const double rms = mercer::estimate_map_error(kernel, *map, x, x.size(), run).rms;
    squares += rms * rms / 10;
  }
  return std::sqrt(squares);
}

/// 200 points: an inner disc and an outer ring.
mercer::TrainingData two_rings() {
  mercer::RandomStream random(2);
  mercer::Matrix<double> x(200, 2);
  std::vector<std::string> labels;
  for (mercer::Index i = 0; i < 200; ++i) {
    const double radius = i % 2 == 0 ? std::sqrt(random.uniform()) : 2 + 0.5 * random.uniform();
    const double angle = 2 * std::numbers::pi * random.uniform();
    x(i, 0) = radius * std::cos(angle);
    x(i, 1) = radius * std::sin(angle);
    labels.emplace_back(i % 2 == 0 ? "disc" : "ring");
  }
  return {mercer::make_dense(std::move(x)), mercer::Targets::classes(labels)};
}

mercer::Index wrong_answers(const mercer::FittedModel& model, const mercer::TrainingData& data,
                            const mercer::Run& run) {
  const mercer::Matrix<double> predicted = model.predict(data.samples, run);
  const std::vector<std::int32_t> truth = data.targets.labels(0, model.classes()).codes;
  mercer::Index wrong = 0;
  for (mercer::Index i = 0; i < predicted.rows(); ++i) {
    wrong += predicted(i, 0) == truth[i] ? 0 : 1;
  }
  return wrong;
}

}  // namespace

int main() try {
  const mercer::Run run;
  const mercer::Kernel kernel = mercer::parse_kernel("rbf(gamma=0.1)");
  const mercer::Samples x = normal_points(60, 5);
  std::printf("error of the Gaussian kernel on 60 points of 5 columns\n");
  std::printf("%8s %12s %12s %12s\n", "features", "independent", "orthogonal", "halton");
  std::vector<double> independent;
  bool orthogonal_below = true;
  for (const mercer::Index size : {50, 200, 800, 3200}) {
    independent.push_back(kernel_error(kernel, x, size, mercer::FrequencyDraws::independent, run));
    const double orthogonal = kernel_error(kernel, x, size, mercer::FrequencyDraws::orthogonal, run);
    const double halton = kernel_error(kernel, x, size, mercer::FrequencyDraws::halton, run);
    orthogonal_below = orthogonal_below && orthogonal < independent.back();
    std::printf("%8lld %12.5f %12.5f %12.5f\n", static_cast<long long>(size), independent.back(), orthogonal, halton);
  }
  const double slope = std::log(independent.back() / independent.front()) / std::log(64.0);
  std::printf("slope of the error in the number of features: %.2f\n", slope);

  const mercer::TrainingData rings = two_rings();
  mercer::MapLogisticOptions options;
  options.map = mercer::MapKind::sinks;
  options.size = 30;
  options.lambda = 0.01;
  const auto model = mercer::fit_maplogit(mercer::parse_kernel("rbf(gamma=scale)"), options, rings, run);
  const mercer::Index wrong = wrong_answers(*model, rings, run);
  std::printf("two rings, 200 points, 30 random cosines: %lld wrong\n", static_cast<long long>(wrong));
  return orthogonal_below && slope < -0.4 && slope > -0.6 && wrong == 0 ? 0 : 1;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
