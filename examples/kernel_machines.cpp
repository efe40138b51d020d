// Kernel machines on prototypes: the exclusive or with four of them, a noisy curve with all and with few, classes with
// probabilities.
//
//   example_kernel_machines
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/kernel_machine/klr.h"
#include "mercer/models/kernel_machine/l1vm.h"
#include "mercer/models/kernel_machine/l2vm.h"

namespace {

using mercer::Index;

mercer::TrainingData exclusive_or(Index rows, std::uint64_t seed) {
  mercer::RandomStream random(seed);
  mercer::Matrix<double> x(rows, 2);
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) {
    const bool left = random.uniform() < 0.5;
    const bool low = random.uniform() < 0.5;
    x(i, 0) = (left ? 0 : 1) + 0.25 * random.normal();
    x(i, 1) = (low ? 0 : 1) + 0.25 * random.normal();
    labels.emplace_back(left == low ? "same" : "different");
  }
  return {mercer::make_dense(std::move(x)), mercer::Targets::classes(labels)};
}

mercer::TrainingData noisy_sinc(Index rows, double noise, std::uint64_t seed) {
  mercer::RandomStream random(seed);
  mercer::Matrix<double> x(rows, 1);
  mercer::Matrix<double> y(rows, 1);
  for (Index i = 0; i < rows; ++i) {
    x(i, 0) = 20 * random.uniform() - 10;
    y(i, 0) = std::sin(x(i, 0)) / x(i, 0) + noise * random.normal();
  }
  return {mercer::make_dense(std::move(x)), mercer::Targets::numeric(std::as_const(y).view())};
}

void report_classes(const mercer::KernelMachine& model, const mercer::TrainingData& test, const mercer::Run& run) {
  const mercer::Matrix<double> probabilities = model.probabilities(test.samples, run);
  const mercer::ClassLabels truth = test.targets.labels(0, model.classes());
  double right = 0;
  double loss = 0;
  for (Index i = 0; i < probabilities.rows(); ++i) {
    const std::int32_t code = truth.codes[i];
    right += probabilities(i, code) > 0.5 ? 1 : 0;
    loss -= std::log(probabilities(i, code));
  }
  const auto n = static_cast<double>(probabilities.rows());
  std::printf("%-6s %4lld prototypes   accuracy %.3f   log-loss %.3f\n", std::string(model.name()).c_str(),
              static_cast<long long>(model.expansion_form()->centers().size()), right / n, loss / n);
}

void report_curve(const mercer::KernelMachine& model, const mercer::TrainingData& test, const mercer::Run& run) {
  const mercer::Matrix<double> predicted = model.predict(test.samples, run);
  const mercer::Matrix<double> truth = test.targets.values();
  double sum = 0;
  for (Index i = 0; i < truth.rows(); ++i) {
    sum += std::pow(predicted(i, 0) - truth(i, 0), 2);
  }
  std::printf("%-6s %4lld prototypes   distance from the curve %.4f\n", std::string(model.name()).c_str(),
              static_cast<long long>(model.expansion_form()->centers().size()),
              std::sqrt(sum / static_cast<double>(truth.rows())));
}

}  // namespace

int main() try {
  const mercer::Run run{{.seed = 1}};

  std::printf("the exclusive or\n");
  const mercer::Kernel bumps = mercer::parse_kernel("rbf(lengthscale=0.5)");
  const mercer::TrainingData train = exclusive_or(200, 1);
  const mercer::TrainingData test = exclusive_or(2000, 2);
  mercer::L2vmOptions corners;
  corners.prototypes = mercer::PrototypeRule::grid;
  corners.count = 4;
  report_classes(*mercer::fit_l2vmc(bumps, corners, train, run), test, run);
  report_classes(*mercer::fit_l1vmc(bumps, {}, train, run), test, run);
  report_classes(*mercer::fit_klr(bumps, {}, train, run), test, run);

  std::printf("a noisy curve\n");
  const mercer::Kernel wide = mercer::parse_kernel("rbf(lengthscale=1.5)");
  const mercer::TrainingData points = noisy_sinc(150, 0.1, 3);
  const mercer::TrainingData curve = noisy_sinc(500, 0, 4);
  report_curve(*mercer::fit_l2vmr(wide, {}, points, run), curve, run);
  report_curve(*mercer::fit_l1vmr(wide, {}, points, run), curve, run);
  return 0;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
