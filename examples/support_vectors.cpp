// Support vector machines: classify handwritten digits with probabilities, look at a machine, and find outliers.
//
//   example_support_vectors examples/data
#include <cstdio>
#include <string>

#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/data/split.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/svm/one_class.h"
#include "mercer/models/svm/svc.h"
#include "mercer/select/metrics.h"

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "examples/data";
  const mercer::Run run{{.seed = 1}};
  const mercer::DataFile file = mercer::read_data(folder + "/digits.csv", {.targets = {"label"}}, run);
  const mercer::Split split = mercer::train_test_split(file.samples.size(), 0.25, run.seed());
  const mercer::TrainingData train{file.samples.select(split.train), file.targets->select(split.train)};

  mercer::SvcOptions options;
  options.C = 10;
  options.probability = true;
  const auto model = mercer::fit_svc(mercer::parse_kernel("rbf(gamma=scale)"), options, train, run);
  std::printf("%zu classes, %zu machines, %zu support vectors of %lld rows\n", model->classes().size(),
              model->machine_facts().size(), model->support_rows().size(),
              static_cast<long long>(train.samples.size()));

  const mercer::Samples test = file.samples.select(split.test);
  const mercer::ClassLabels truth = file.targets->select(split.test).labels(0, model->classes());
  const mercer::Matrix<double> predicted = model->predict(test, run);
  std::vector<std::int32_t> codes;
  for (mercer::Index i = 0; i < predicted.rows(); ++i) {
    codes.push_back(static_cast<std::int32_t>(predicted(i, 0)));
  }
  const mercer::Metric accuracy = mercer::accuracy(mercer::confusion_matrix(truth.codes, codes, 10));
  std::printf("accuracy %.3f (%.3f .. %.3f)\n", accuracy.value, accuracy.lower, accuracy.upper);
  const mercer::Matrix<double> probabilities = model->probabilities(test.slice({0, 1}), run);
  std::printf("first test digit: predicted %s with probability %.3f\n", model->classes()[codes[0]].c_str(),
              probabilities(0, codes[0]));

  mercer::OneClassOptions novelty;
  novelty.nu = 0.05;
  const auto region = mercer::fit_one_class(mercer::parse_kernel("rbf(gamma=scale)"), novelty, train, run);
  for (const mercer::FitReport::Measure& measure : region->report().measures) {
    std::printf("one class: %s %.4g\n", measure.name.c_str(), measure.value);
  }
  return accuracy.value > 0.95 ? 0 : 1;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
