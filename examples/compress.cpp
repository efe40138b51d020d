// Reduced sets: a classifier of handwritten digits with a tenth of its support vectors, and what that costs.
//
//   example_compress examples/data
#include <cstdio>
#include <string>

#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/data/split.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/compress/compress.h"
#include "mercer/models/svm/svc.h"

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "examples/data";
  const mercer::Run run{{.seed = 1}};
  const mercer::DataFile file = mercer::read_data(folder + "/digits.csv", {.targets = {"label"}}, run);
  const mercer::Split split = mercer::train_test_split(file.samples.size(), 0.25, run.seed());
  const mercer::TrainingData train{file.samples.select(split.train), file.targets->select(split.train)};
  const mercer::TrainingData test{file.samples.select(split.test), file.targets->select(split.test)};

  mercer::SvcOptions options;
  options.C = 10;
  options.multiclass = mercer::Multiclass::one_vs_rest;
  const auto model = mercer::fit_svc(mercer::parse_kernel("rbf(gamma=scale)"), options, train, run);

  mercer::CompressOptions few;
  few.size = static_cast<mercer::Index>(model->support_rows().size()) / 10;
  const mercer::CompressedModel small = mercer::compress(*model, few, &train, run);
  std::printf("%lld centres in place of %lld, ||f - f'|| / ||f|| = %.3f (%.3f before the refinement)\n",
              static_cast<long long>(small.report.centers_after), static_cast<long long>(small.report.centers_before),
              small.report.error() / small.report.norm(), small.report.first_error / small.report.norm());

  const mercer::CompressAgreement same = mercer::agreement(*model, *small.model, test.samples, &test.targets, run);
  std::printf("test digits: %.1f %% of the answers are the same; errors %.1f %% before, %.1f %% after\n",
              100 * *same.same_labels, 100 * *same.errors_before, 100 * *same.errors_after);
  return *same.errors_after < *same.errors_before + 0.03 ? 0 : 1;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
