// Quantile regression: the median and two bands of a wave whose noise grows, and how often the bands hold new observations.
//
//   example_quantile_regression
#include <cmath>
#include <cstdio>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/svm/kqr.h"

namespace {

double noise_at(double x) { return 0.1 + 0.3 * x; }

mercer::TrainingData noisy_wave(mercer::Index n, std::uint64_t seed) {
  mercer::RandomStream random(seed, 1);
  mercer::Matrix<double> x(n, 1);
  std::vector<double> y;
  for (mercer::Index i = 0; i < n; ++i) {
    x(i, 0) = 3 * random.uniform();
    y.push_back(std::sin(2 * x(i, 0)) + noise_at(x(i, 0)) * random.normal());
  }
  return {mercer::make_dense(std::move(x)), mercer::Targets::numeric(y, "y")};
}

}  // namespace

int main() try {
  const mercer::TrainingData train = noisy_wave(400, 1);
  mercer::KqrOptions options;
  options.quantiles = std::vector<double>{0.05, 0.25, 0.5, 0.75, 0.95};
  const auto model = mercer::fit_kqr(mercer::parse_kernel("rbf(gamma=scale)"), options, train);

  const mercer::TrainingData test = noisy_wave(2000, 2);
  const mercer::Matrix<double> truth = test.targets.values();
  const mercer::Matrix<double> quantiles =
      model->quantiles(test.samples, model->fitted_levels(), mercer::PredictionOf::observation, {});
  for (std::size_t l = 0; l < model->fitted_levels().size(); ++l) {
    double below = 0;
    for (mercer::Index i = 0; i < truth.rows(); ++i) {
      below += truth(i, 0) <= quantiles(i, static_cast<mercer::Index>(l)) ? 1 : 0;
    }
    std::printf("level %.2f: %.3f of new observations lie below it\n", model->fitted_levels()[l],
                below / static_cast<double>(truth.rows()));
  }

  // The interquartile range of a normal distribution is 1.35 deviations.
  mercer::Matrix<double> places(3, 1);
  places(0, 0) = 0.5;
  places(1, 0) = 1.5;
  places(2, 0) = 2.5;
  const std::vector<double> levels = {0.25, 0.5, 0.75};
  const mercer::Matrix<double> found =
      model->quantiles(mercer::make_dense(mercer::Matrix<double>::copy_of(places.view())), levels,
                       mercer::PredictionOf::observation, {});
  for (mercer::Index q = 0; q < 3; ++q) {
    std::printf("x=%.1f  median %6.3f (true %6.3f)  noise by the quartiles %.2f (true %.2f)\n", places(q, 0),
                found(q, 1), std::sin(2 * places(q, 0)), (found(q, 2) - found(q, 0)) / 1.349, noise_at(places(q, 0)));
  }
  return 0;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
