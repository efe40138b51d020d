// Clusters of the iris flowers, without their names: k-means, k-medoids and spectral clustering, each compared with the
// species; then two rings, which only spectral clustering takes apart.
//
//   example_clustering examples/data
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/data/files/data_file.h"
#include "mercer/data/scaling.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/prototypes/kmeans.h"
#include "mercer/models/prototypes/kmedoids.h"
#include "mercer/models/prototypes/spectral.h"

namespace {

/// The share of samples whose class is the most frequent one of their cluster.
double purity(const mercer::Matrix<double>& clusters, const std::vector<std::int32_t>& classes) {
  std::vector<std::vector<int>> counts;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const auto cluster = static_cast<std::size_t>(clusters(static_cast<mercer::Index>(i), 0));
    const auto own = static_cast<std::size_t>(classes[i]);
    counts.resize(std::max(counts.size(), cluster + 1));
    counts[cluster].resize(std::max(counts[cluster].size(), own + 1));
    ++counts[cluster][own];
  }
  int agreeing = 0;
  for (const std::vector<int>& row : counts) {
    agreeing += row.empty() ? 0 : *std::max_element(row.begin(), row.end());
  }
  return agreeing / static_cast<double>(classes.size());
}

void show(const mercer::FittedModel& model, const mercer::Samples& samples, const std::vector<std::int32_t>& classes,
          const mercer::Run& run) {
  std::printf("%-9s %-20s %-22s %8.2f   purity %.3f\n", std::string(model.name()).c_str(),
              model.kernel().spec().c_str(), model.report().objective_name.c_str(), model.report().objective,
              purity(model.predict(samples, run), classes));
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "examples/data";
  const mercer::Run run;
  const mercer::DataFile file = mercer::read_data(folder + "/iris.csv", {.targets = {"species"}}, run);
  const mercer::TrainingData iris{mercer::fit_preparation(file.samples).apply(file.samples, run), {}};
  const std::vector<std::int32_t> species = file.targets->labels().codes;

  const mercer::Kernel linear = mercer::parse_kernel("linear()");
  show(*mercer::fit_kmeans(linear, {.clusters = 3}, iris, run), iris.samples, species, run);
  const auto medoids = mercer::fit_kmedoids(linear, {.clusters = 3}, iris, run);
  show(*medoids, iris.samples, species, run);
  show(*mercer::fit_spectral(mercer::parse_kernel("rbf(gamma=0.25)"), {.clusters = 3}, iris, run), iris.samples,
       species, run);
  std::printf("medoids:");
  for (const mercer::Index row : medoids->parts().point_rows) {
    std::printf(" row %lld (%s)", static_cast<long long>(row), file.targets->labels().levels[species[row]].c_str());
  }
  std::printf("\n");

  mercer::RandomStream random(1);
  mercer::Matrix<double> points(300, 2);
  std::vector<std::int32_t> ring;
  for (mercer::Index i = 0; i < points.rows(); ++i) {
    ring.push_back(static_cast<std::int32_t>(i % 2));
    const double radius = (ring.back() == 0 ? 1.0 : 4.0) + 0.1 * random.normal();
    const double angle = 2 * std::numbers::pi * random.uniform();
    points(i, 0) = radius * std::cos(angle);
    points(i, 1) = radius * std::sin(angle);
  }
  const mercer::TrainingData rings{mercer::make_dense(std::move(points)), {}};
  show(*mercer::fit_kmeans(linear, {.clusters = 2}, rings, run), rings.samples, ring, run);
  show(*mercer::fit_spectral(mercer::parse_kernel("rbf(gamma=3)"), {.clusters = 2}, rings, run), rings.samples, ring,
       run);
  return 0;
} catch (const mercer::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
