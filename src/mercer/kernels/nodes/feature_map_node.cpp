#include "mercer/kernels/nodes/feature_map_node.h"

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/kernels/nodes/point_values.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

constexpr double most_kept_features = 2.5e8;  // two gigabytes
constexpr Index rows_per_map_block = 64;

}  // namespace

Matrix<double> FeatureMapNode::features(const KernelPreparation& preparation) const {
  const Samples& samples = preparation.target().samples();
  const Run& run = preparation.run();
  const Index count = feature_count(samples.columns());
  if (static_cast<double>(samples.size()) * static_cast<double>(count) > most_kept_features) {
    throw InvalidArgument(entry().name + ": " + std::to_string(count) + " features of " +
                          std::to_string(samples.size()) +
                          " samples are more than 250 million numbers; take fewer features, or a kernel that computes "
                          "their products without them, such as poly");
  }
  if (samples.is_numeric()) {
    require_finite(samples);
  }
  const auto map = feature_map(samples.columns());
  Matrix<double> features(samples.size(), count);
  parallel_for(run, block_count(samples.size(), rows_per_map_block), [&](Index b) {
    const IndexRange range = block_range(samples.size(), rows_per_map_block, b);
    std::vector<double> x(samples.columns());
    for (Index i = range.begin; i < range.end; ++i) {
      run.check_stop();
      numeric_row(samples, i, x);
      map(x, features.view().row(i));
    }
  });
  return features;
}

}  // namespace mercer
