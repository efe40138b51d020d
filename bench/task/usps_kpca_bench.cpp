// Kernel PCA features and a linear machine on the USPS digits, as table 14.1 of Schölkopf & Smola (2002): polynomial
// components of 3000 training images, one-against-rest linear support vector machines on the features of all 7291,
// errors on the 2007 test images (the book: 4.0 to 5 % for degree 5 with 2048 components or fewer).
//
// usage: usps_kpca_bench [COMPONENTS] [DEGREE] [C]    (data: usps/ under MERCER_DATA or ../shared/data)
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/features/kpca.h"
#include "mercer/models/linear/linear_svm_model.h"
#include "timing.h"
#include "usps_images.h"

int main(int argc, char** argv) {
  using namespace mercer;
  using namespace mercer::bench;
  const Index components = argc > 1 ? std::atol(argv[1]) : 2048;
  const std::string degree = argc > 2 ? argv[2] : "5";
  const double c = argc > 3 ? std::atof(argv[3]) : 100;
  const mercer::Run run(RunOptions{.threads = 2});
  UspsImages train = read_usps("zip.train.csv.gz", 0.75);
  UspsImages test = read_usps("zip.test.csv.gz", 0.75);
  const Samples images = make_dense(std::move(train.pixels));
  RandomStream random(1);
  const std::vector<Index> chosen = sample_without_replacement(random, images.size(), 3000);

  std::unique_ptr<FeatureModel> pca;
  const double fit_seconds = best_seconds(1, 1, [&] {
    pca = fit_kpca(parse_kernel("poly(degree=" + degree + ", gamma=0.00390625, coef0=0)"),
                   {.components = components, .method = KpcaMethod::exact}, {images.select(chosen), {}, {}, {}}, run);
  });
  const Samples features = make_dense(pca->predict(images, run));
  const Samples test_features = make_dense(pca->predict(make_dense(std::move(test.pixels)), run));

  std::unique_ptr<FittedModel> machine;
  LinearSvcOptions options;
  options.C = c;
  const double svm_seconds = best_seconds(
      1, 1, [&] { machine = fit_linearsvc(parse_kernel("linear()"), options, {features, train.labels, {}, {}}, run); });
  const Matrix<double> predicted = machine->predict(test_features, run);
  const ClassLabels truth = test.labels.labels(0, machine->classes());
  Index errors = 0;
  for (Index i = 0; i < predicted.rows(); ++i) {
    errors += predicted(i, 0) != static_cast<double>(truth.codes[i]) ? 1 : 0;
  }
  std::printf("{\"bench\":\"usps kpca degree %s, %ld components, linearsvc C=%g\",\"kpca_s\":%.3g,\"svm_s\":%.3g,",
              degree.c_str(), static_cast<long>(features.columns()), c, fit_seconds, svm_seconds);
  std::printf("\"errors\":%ld,\"error_percent\":%.3g}\n", static_cast<long>(errors),
              100.0 * static_cast<double>(errors) / static_cast<double>(predicted.rows()));
}
