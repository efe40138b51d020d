// Kernel ridge regression on the diabetes data: read, scale, choose lambda by leave-one-out, save, load, predict.
//
//   example_ridge_regression examples/data
#include <cstdio>
#include <filesystem>
#include <string>

#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/io/model_file.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/ridge/ridge.h"

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "examples/data";
  const mercer::Run run;
  const mercer::DataFile file = mercer::read_data(folder + "/diabetes.csv", {.targets = {"progression"}}, run);

  mercer::StoredModel best;
  best.preparation = mercer::fit_preparation(file.samples);
  const mercer::TrainingData data{best.preparation.apply(file.samples, run), *file.targets};

  double smallest = 0;
  for (const double lambda : {0.1, 1.0, 10.0}) {
    auto model = mercer::fit_ridge(mercer::parse_kernel("rbf(gamma=scale) + 0.1*linear()"),
                                   {.lambda = lambda, .loo = true}, data, run);
    const double error = model->report().measures.front().value;
    std::printf("lambda %-4g leave-one-out RMSE %.2f\n", lambda, error);
    if (!best.model || error < smallest) {
      smallest = error;
      best.model = std::move(model);
    }
  }

  const std::string path = std::filesystem::temp_directory_path() / "diabetes.mercer";
  mercer::save_model(path, best);
  const mercer::StoredModel loaded = mercer::load_model(path, run);
  std::filesystem::remove(path);

  const mercer::Matrix<double> values = loaded.predict(file.samples.slice({0, 3}), run);
  std::printf("%s\n", loaded.model->kernel().spec().c_str());
  for (mercer::Index i = 0; i < values.rows(); ++i) {
    std::printf("predicted %6.1f  observed %6.1f\n", values(i, 0), data.targets.columns()[0].values[i]);
  }
  return 0;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
