// Gaussian process regression on the diabetes data: learn the kernel from the evidence, predict with intervals, look at
// which columns matter.
//
//   example_gaussian_process examples/data
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/data/scaling.h"
#include "mercer/data/split.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/gp/gp.h"

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "examples/data";
  const mercer::Run run;
  const mercer::DataFile file = mercer::read_data(folder + "/diabetes.csv", {.targets = {"progression"}}, run);
  const mercer::Samples samples = mercer::fit_preparation(file.samples).apply(file.samples, run);
  const auto fold = mercer::train_test_split(samples.size(), 0.25, run.seed());

  const auto model = mercer::fit_gp(mercer::parse_kernel("1*rbf(lengthscale=ard) + 0.1*linear()"), {},
                                    {samples.select(fold.train), file.targets->select(fold.train)}, run);
  std::printf("log evidence %.1f\nkernel %s\n", model->report().objective, model->kernel().spec().c_str());

  const mercer::Samples test = samples.select(fold.test);
  const mercer::Matrix<double> truth = file.targets->select(fold.test).values();
  const std::vector<double> levels = {0.025, 0.975};
  const auto predicted = model->distribution(test, run);
  const auto moments = predicted->moments(mercer::PredictionOf::observation);
  const auto bounds = predicted->quantiles(levels, mercer::PredictionOf::observation);
  double squares = 0;
  int inside = 0;
  for (mercer::Index i = 0; i < test.size(); ++i) {
    squares += std::pow(truth(i, 0) - moments.mean(i, 0), 2);
    inside += truth(i, 0) >= bounds(i, 0) && truth(i, 0) <= bounds(i, 1) ? 1 : 0;
  }
  const auto rows = static_cast<double>(test.size());
  std::printf("RMSE %.1f on %.0f held-out rows, %.0f %% of them inside the 95 %% interval\n", std::sqrt(squares / rows),
              rows, 100.0 * inside / rows);
  return 0;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
