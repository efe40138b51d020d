// Densities: where are irises usual? A kernel density with its marginal, draws and values on a grid, a histogram beside it,
// and a classifier made of one density per species.
//
//   example_density examples/data
#include <cmath>
#include <cstdio>
#include <string>

#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/models/density/histogram.h"
#include "mercer/models/density/kde.h"
#include "mercer/models/density/kde_classifier.h"

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "examples/data";
  const mercer::Run run{{.seed = 1}};
  const mercer::DataFile file = mercer::read_data(folder + "/iris.csv", {.targets = {"species"}}, run);
  const mercer::TrainingData data{file.samples, *file.targets};

  mercer::KdeOptions options;
  options.bandwidth = mercer::BandwidthRule::likelihood;
  const auto model = mercer::fit_kde(options, data, run);
  const mercer::Matrix<double> values = model->predict(file.samples, run);
  mercer::Index rarest = 0;
  for (mercer::Index i = 1; i < values.rows(); ++i) {
    rarest = values(i, 0) < values(rarest, 0) ? i : rarest;
  }
  std::printf("leave-one-out log-likelihood %.3f; the most unusual flower is row %lld, ln p = %.2f\n",
              model->report().objective, static_cast<long long>(rarest), values(rarest, 0));

  // The density of petal length alone, on 8 nodes, and what it integrates to on 200.
  const mercer::KernelDensity& density = model->density();
  const mercer::Index petal_length[] = {2};
  mercer::Matrix<double> nodes(200, 1);
  for (mercer::Index i = 0; i < 200; ++i) {
    nodes(i, 0) = 0.05 * static_cast<double>(i) - 0.5;
  }
  double mass = 0;
  const std::vector<double> marginal = density.marginal_log_density(petal_length, nodes.view(), run);
  for (std::size_t i = 0; i < marginal.size(); ++i) {
    mass += 0.05 * std::exp(marginal[i]);
    if (i % 25 == 0) {
      std::printf("petal length %.2f: p = %.3f\n", nodes(static_cast<mercer::Index>(i), 0), std::exp(marginal[i]));
    }
  }
  std::printf("integral %.4f\n", mass);
  const mercer::Matrix<double> drawn = density.draw(2, run);
  for (mercer::Index i = 0; i < 2; ++i) {
    std::printf("a new flower: %.1f %.1f %.1f %.1f\n", drawn(i, 0), drawn(i, 1), drawn(i, 2), drawn(i, 3));
  }

  mercer::HistogramOptions bins;
  bins.bins = 3;
  const auto histogram = mercer::fit_histogram(bins, data, run);
  std::printf("a histogram of 3 bins per column has %zu of 81 cells filled\n", histogram->density().cells().size());

  const auto classifier = mercer::fit_kde_classifier({}, data, run);
  const mercer::Matrix<double> predicted = classifier->predict(file.samples, run);
  const mercer::ClassLabels truth = file.targets->labels(0, classifier->classes());
  double right = 0;
  for (mercer::Index i = 0; i < predicted.rows(); ++i) {
    right += predicted(i, 0) == truth.codes[i] ? 1 : 0;
  }
  std::printf("species by densities: %.3f right on the training flowers\n", right / static_cast<double>(values.rows()));
  return std::abs(mass - 1) < 1e-3 && right > 0.95 * static_cast<double>(values.rows()) ? 0 : 1;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
