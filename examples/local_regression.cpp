// Local regression: loess with bands, the same resistant to outliers, and a window average with bandwidths from
// cross-validation.
//
//   example_local_regression
#include <cmath>
#include <cstdio>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/models/smoothing/loess.h"
#include "mercer/models/smoothing/nadaraya_watson.h"

int main() try {
  // A wave with noise, and every twentieth value off by 5.
  const mercer::Index n = 200;
  mercer::Matrix<double> x(n, 1);
  std::vector<double> y;
  mercer::RandomStream random(1, 1);
  std::vector<double> noise(n);
  mercer::fill_normal(random, noise);
  for (mercer::Index i = 0; i < n; ++i) {
    x(i, 0) = 10.0 * static_cast<double>(i) / n;
    y.push_back(std::sin(x(i, 0)) + 0.2 * noise[i] + (i % 20 == 7 ? 5 : 0));
  }
  const mercer::TrainingData data{mercer::make_dense(std::move(x)), mercer::Targets::numeric(y, "y")};

  const auto plain = mercer::fit_loess_model({.span = 0.3}, data);
  const auto robust = mercer::fit_loess_model({.span = 0.3, .robust = 4}, data);
  const auto window = mercer::fit_nadaraya_watson({}, data);
  std::printf("residual standard error %.3f, robust %.3f; bandwidth of the window %.3f\n", plain->parts().scales[0],
              robust->parts().scales[0], window->parts().window.bandwidths[0]);

  mercer::Matrix<double> places(3, 1);
  places(0, 0) = 1.5;
  places(1, 0) = 5;
  places(2, 0) = 8;
  const mercer::Samples queries = mercer::make_dense(mercer::Matrix<double>::copy_of(places.view()));
  const mercer::Matrix<double> curve = plain->predict(queries, {});
  const mercer::PredictiveMoments resistant = robust->moments(queries, mercer::PredictionOf::function, {});
  for (mercer::Index q = 0; q < 3; ++q) {
    std::printf("x=%.1f  true %6.3f  loess %6.3f  robust %6.3f, standard error %.3f\n", places(q, 0),
                std::sin(places(q, 0)), curve(q, 0), resistant.mean(q, 0), std::sqrt(resistant.variance(q, 0)));
  }
  return 0;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
