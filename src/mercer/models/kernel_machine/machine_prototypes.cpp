#include "mercer/models/kernel_machine/machine_prototypes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/low_rank.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/models/numeric_points.h"
#include "mercer/models/prototypes/training_gram.h"
#include "mercer/solvers/clusters/kernel_kmeans.h"

namespace mercer {

namespace {

constexpr Index default_prototypes = 100;
constexpr Index most_grid_columns = 3;
constexpr std::uint64_t prototype_stream = 0x70726f746fULL;

Samples rows_at_random(const Samples& samples, Index count, const Run& run) {
  RandomStream random(run.seed(), prototype_stream);
  std::vector<Index> rows = sample_without_replacement(random, samples.size(), count);
  std::ranges::sort(rows);
  return samples.select(rows);
}

Samples nearest_to_means(const char* model, const Kernel& kernel, const Samples& samples,
                         std::span<const double> weights, Index count, double memory_mb, const Run& run) {
  require_distances(model, kernel, samples, run);
  const auto gram = training_gram(kernel, samples, memory_mb, run);
  const KernelKmeansSolution clusters = kernel_kmeans(*gram, weights, {.clusters = count, .restarts = 3}, run);
  const Index n = samples.size();
  Matrix<double> indicators = Matrix<double>::filled(n, clusters.clusters, 0.0);
  for (Index i = 0; i < n; ++i) {
    const Index c = clusters.assignment[i];
    indicators(i, c) = (weights.empty() ? 1.0 : weights[i]) / clusters.cluster_weights[c];
  }
  Matrix<double> products(n, clusters.clusters);
  gram->multiply(indicators.view(), products.view(), run);
  std::vector<double> diagonal(n);
  gram->diagonal(diagonal);
  std::vector<Index> nearest(clusters.clusters, 0);
  std::vector<double> least(nearest.size(), std::numeric_limits<double>::infinity());
  for (Index i = 0; i < n; ++i) {
    const auto c = static_cast<std::size_t>(clusters.assignment[i]);
    const double distance = diagonal[i] - 2 * products(i, static_cast<Index>(c));
    if (distance < least[c]) {
      least[c] = distance;
      nearest[c] = i;
    }
  }
  std::ranges::sort(nearest);
  return samples.select(nearest);
}

Samples pivot_rows(const char* model, const Kernel& kernel, const Samples& samples, Index count, const Run& run) {
  const Definiteness definiteness = definiteness_on(kernel, samples, run);
  if (!definiteness.is_positive()) {
    throw InvalidArgument(std::string(model) + ": prototypes = pivoted needs a positive definite kernel, and " +
                          kernel.spec() + " is " + to_string(definiteness) + ": use prototypes=data, kmeans or grid");
  }
  const KernelGram<double> gram(
      std::make_shared<const PreparedKernel>(kernel, samples, Precision::double_precision, run));
  const auto factor = LowRankGram<double>::pivoted(gram, {.max_rank = count, .rule = PivotRule::greedy}, run);
  std::vector<Index> rows = factor.pivots();
  std::ranges::sort(rows);
  // A kernel matrix of zeros has no pivots.
  return samples.select(rows.empty() ? std::vector<Index>{0} : rows);
}

// Dense rows, or a table with no other columns, as files give them.
bool is_dense(const Samples& samples) {
  return samples.kind() == SampleKind::table
             ? samples.table().others().empty() && samples.table().numeric().kind() == SampleKind::dense
             : samples.kind() == SampleKind::dense;
}

Samples grid_points(const char* model, const Samples& samples, Index count) {
  if (!is_dense(samples) || samples.columns() > most_grid_columns || samples.columns() < 1) {
    throw InvalidArgument(std::string(model) + ": prototypes = grid is for dense samples of up to " +
                          std::to_string(most_grid_columns) + " columns: use prototypes=kmeans or pivoted");
  }
  const Matrix<double> points = numeric_points(samples, model);
  const Index d = points.columns();
  const Index steps = std::max<Index>(
      1, static_cast<Index>(std::ceil(std::pow(static_cast<double>(count), 1.0 / static_cast<double>(d)) - 1e-9)));
  Index total = 1;
  for (Index j = 0; j < d; ++j) {
    total *= steps;
  }
  Matrix<double> grid(total, d);
  for (Index j = 0, stride = 1; j < d; ++j, stride *= steps) {
    double low = points(0, j);
    double high = low;
    for (Index i = 0; i < points.rows(); ++i) {
      low = std::min(low, points(i, j));
      high = std::max(high, points(i, j));
    }
    for (Index g = 0; g < total; ++g) {
      const double share =
          steps == 1 ? 0.5 : static_cast<double>((g / stride) % steps) / static_cast<double>(steps - 1);
      grid(g, j) = low + share * (high - low);
    }
  }
  Samples result = make_dense(std::move(grid));
  if (samples.kind() != SampleKind::table) {
    return result;
  }
  const std::span<const std::string> names = samples.table().numeric_names();
  return make_table(Table(std::move(result), {names.begin(), names.end()}, {}));
}

}  // namespace

void PrototypeChoice::validate(const char* model) const {
  if (given && given->size() == 0) {
    throw InvalidArgument(std::string(model) + ": there are no rows among the prototypes that were given");
  }
}

Samples choose_prototypes(const char* model, const PrototypeChoice& choice, const Kernel& kernel,
                          const Samples& samples, std::span<const double> weights, double memory_mb, const Run& run) {
  choice.validate(model);
  if (choice.given) {
    if (choice.given->kind() != samples.kind() || choice.given->columns() != samples.columns()) {
      throw DataError(std::string(model) + ": prototypes of kind " + std::string(to_string(choice.given->kind())) +
                      " with " + std::to_string(choice.given->columns()) + " columns for samples of kind " +
                      std::string(to_string(samples.kind())) + " with " + std::to_string(samples.columns()));
    }
    return *choice.given;
  }
  const Index n = samples.size();
  const Index count = choice.count > 0 ? choice.count : default_prototypes;
  switch (choice.rule) {
    case PrototypeRule::data:
      break;
    case PrototypeRule::kmeans:
      return nearest_to_means(model, kernel, samples, weights, std::min(n, count), memory_mb, run);
    case PrototypeRule::pivoted:
      return pivot_rows(model, kernel, samples, std::min(n, count), run);
    case PrototypeRule::grid:
      return grid_points(model, samples, count);
  }
  return choice.count == 0 || choice.count >= n ? samples : rows_at_random(samples, choice.count, run);
}

}  // namespace mercer
