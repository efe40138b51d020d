// The leading 10 components of kernel PCA on 2 threads with nothing stored: time, passes over the kernel matrix, peak
// memory, and what one pass costs. Data: a .npy file, or n = 20000 rows of 50 columns with 10 directions in them.
//
// usage: kpca_bench [DATA.npy] [GAMMA]
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "mercer/base/random.h"
#include "mercer/data/files/data_file.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/features/kpca.h"
#include "timing.h"

namespace {

mercer::Samples made_up_rows() {
  constexpr mercer::Index n = 20000;
  constexpr mercer::Index d = 50;
  constexpr mercer::Index directions = 10;
  mercer::RandomStream random(1);
  mercer::Matrix<double> mixture(directions, d);
  for (mercer::Index i = 0; i < directions * d; ++i) {
    mixture.data()[i] = std::pow(0.8, static_cast<double>(i / d)) * random.normal();
  }
  mercer::Matrix<double> x(n, d);
  for (mercer::Index i = 0; i < n; ++i) {
    for (mercer::Index j = 0; j < d; ++j) {
      x(i, j) = 0.3 * random.normal();
    }
    for (mercer::Index k = 0; k < directions; ++k) {
      const double z = random.normal();
      for (mercer::Index j = 0; j < d; ++j) {
        x(i, j) += z * mixture(k, j);
      }
    }
  }
  return mercer::make_dense(std::move(x));
}

double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace mercer;
  using namespace mercer::bench;
  const mercer::Run run(RunOptions{.threads = 2});
  const Samples samples = argc > 1 ? read_data(argv[1], {}, run).samples : made_up_rows();
  const std::string gamma = argc > 2 ? argv[2] : "0.02";
  const Kernel kernel = parse_kernel("rbf(gamma=" + gamma + ")");
  const auto n = samples.size();

  std::unique_ptr<FeatureModel> model;
  const double fit = best_seconds(1, 1, [&] {
    model = fit_kpca(kernel, {.components = 10, .method = KpcaMethod::leading}, {samples, {}, {}, {}}, run);
  });
  const double peak = peak_memory_mb();

  const KernelGram<float> gram(
      std::make_shared<const PreparedKernel>(kernel, samples, Precision::single_precision, run));
  Matrix<float> v = Matrix<float>::filled(n, 18, 1.0F);
  Matrix<float> product(n, 18);
  const double pass = best_seconds(1, 1, [&] { gram.multiply(v.view(), product.view(), run); });
  std::printf(
      "{\"bench\":\"kpca 10 components n=%ld\",\"ours_s\":%.4g,\"pass_s\":%.4g,\"passes\":%ld,\"peak_mb\":%.4g,",
      static_cast<long>(n), fit, pass, static_cast<long>(model->report().iterations), peak);
  std::printf("\"variances\":[");
  for (std::size_t c = 0; c < model->parts().values.size(); ++c) {
    std::printf("%s%.10g", c == 0 ? "" : ",", model->parts().values[c]);
  }
  std::printf("]}\n");
}
