// Kernel PCA: coordinates of handwritten digits, a linear classifier on them, what does not look like a digit, and
// digits without their noise.
//
//   example_kernel_pca examples/data
#include <cstdio>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/data/columns.h"
#include "mercer/data/files/data_file.h"
#include "mercer/data/split.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/features/kpca.h"
#include "mercer/models/linear/linear_svm_model.h"

namespace {

double mean_squared_difference(mercer::ConstMatrixView<double> a, mercer::ConstMatrixView<double> b) {
  double sum = 0;
  for (mercer::Index i = 0; i < a.rows(); ++i) {
    for (mercer::Index j = 0; j < a.columns(); ++j) {
      sum += (a(i, j) - b(i, j)) * (a(i, j) - b(i, j));
    }
  }
  return sum / static_cast<double>(a.rows());
}

double mean_of(const mercer::Matrix<double>& values) {
  double sum = 0;
  for (mercer::Index i = 0; i < values.rows(); ++i) {
    sum += values(i, 0);
  }
  return sum / static_cast<double>(values.rows());
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "examples/data";
  const mercer::Run run{{.seed = 1}};
  const mercer::DataFile file = mercer::read_data(folder + "/digits.csv", {.targets = {"label"}}, run);
  const mercer::Split split = mercer::train_test_split(file.samples.size(), 0.25, run.seed());
  const mercer::Samples digits = mercer::to_dense<double>(mercer::default_columns(file.samples));
  const mercer::Samples train = digits.select(split.train);
  const mercer::Samples test = digits.select(split.test);

  mercer::KpcaOptions options;
  options.components = 40;
  const auto pca = mercer::fit_kpca(mercer::parse_kernel("rbf(gamma=0.0006)"), options, {train, {}}, run);
  std::printf("%zu components explain %.0f %% of the variance\n", pca->parts().values.size(),
              100 * pca->report().objective);

  // A linear machine on the features is a machine with the kernel on the digits.
  const mercer::Samples features = mercer::make_dense(pca->predict(train, run));
  mercer::LinearSvcOptions linear;
  linear.C = 10;
  const auto machine = mercer::fit_linearsvc(mercer::parse_kernel("linear()"), linear,
                                             {features, file.targets->select(split.train)}, run);
  const mercer::Matrix<double> predicted = machine->predict(mercer::make_dense(pca->predict(test, run)), run);
  const mercer::ClassLabels truth = file.targets->select(split.test).labels(0, machine->classes());
  double right = 0;
  for (mercer::Index i = 0; i < predicted.rows(); ++i) {
    right += predicted(i, 0) == static_cast<double>(truth.codes[i]) ? 1 : 0;
  }
  const double accuracy = right / static_cast<double>(predicted.rows());
  std::printf("linear machine on the features: accuracy %.3f\n", accuracy);

  // Noise is what the components leave out: the residual rises, and the way back to pixels takes it away.
  const auto& rows = test.as<mercer::DenseRows<double>>();
  mercer::RandomStream random(run.seed(), 1);
  mercer::Matrix<double> clean(rows.rows, rows.columns);
  mercer::Matrix<double> noisy(rows.rows, rows.columns);
  for (mercer::Index i = 0; i < rows.rows; ++i) {
    for (mercer::Index j = 0; j < rows.columns; ++j) {
      clean(i, j) = rows(i, j);
      noisy(i, j) = rows(i, j) + 4 * random.normal();
    }
  }
  const mercer::Samples spoiled = mercer::make_dense(mercer::Matrix<double>::copy_of(noisy.view()));
  const double usual = mean_of(pca->decide(test, run));
  const double unusual = mean_of(pca->decide(spoiled, run));
  std::printf("residual: %.3f of digits, %.3f of noisy ones\n", usual, unusual);
  const mercer::Matrix<double> back = pca->reconstruct(spoiled, run);
  const double before = mean_squared_difference(noisy.view(), clean.view());
  const double after = mean_squared_difference(back.view(), clean.view());
  std::printf("squared distance from the clean digits: %.0f with noise, %.0f without\n", before, after);
  return accuracy > 0.95 && unusual > usual && after < 0.8 * before ? 0 : 1;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
