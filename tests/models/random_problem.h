// Random training problems and the naive arithmetic that the tests compare with.
#pragma once

#include <algorithm>
#include <vector>

#include "mercer/base/random.h"
#include "mercer/data/samples.h"
#include "mercer/data/targets.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/model.h"
#include "support/dense.h"
#include "support/random_matrix.h"
#include "support/same_bits.h"

namespace mercer::testing {

using oracle::Dense;

inline Samples random_samples(Index rows, Index columns, std::uint64_t seed) {
  return make_dense(random_matrix(rows, columns, seed));
}

/// The same values with about `share` of the entries kept, as sparse samples.
inline Samples random_sparse(Index rows, Index columns, double share, std::uint64_t seed) {
  const Matrix<double> all = random_matrix(rows, columns, seed);
  RandomStream random(seed, 78);
  std::vector<double> values;
  std::vector<std::int32_t> numbers;
  std::vector<std::int64_t> offsets = {0};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      if (random.uniform() < share) {
        values.push_back(all(i, j));
        numbers.push_back(static_cast<std::int32_t>(j));
      }
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return make_sparse(std::move(values), std::move(numbers), std::move(offsets), columns);
}

inline std::vector<double> random_weights(Index count, std::uint64_t seed) {
  RandomStream random(seed, 79);
  std::vector<double> weights(count);
  for (double& weight : weights) {
    weight = 0.1 + 2 * random.uniform();
  }
  return weights;
}

/// Targets that a model of the registry can be fitted to: numbers, two labels, or, as a second view of the samples,
/// whole numbers that can be read as both.
inline Targets targets_for(const ModelEntry& entry, Index rows, std::uint64_t seed) {
  Matrix<double> values = random_matrix(rows, 1, seed);
  if (entry.task == Task::regression) {
    return Targets::numeric(values.view());
  }
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) {
    labels.push_back(values(i, 0) > 0 ? "yes" : "no");
    values(i, 0) = values(i, 0) > 0.5 ? 2 : values(i, 0) > -0.5 ? 1 : 0;
  }
  return entry.takes_second_view ? Targets::numeric(values.view()) : Targets::classes(labels);
}

inline TrainingData random_problem(Index rows, Index columns, Index outputs, std::uint64_t seed) {
  return {random_samples(rows, columns, seed), Targets::numeric(random_matrix(rows, outputs, seed + 1).view())};
}

/// k(x_i, z_j), all of it.
inline Dense kernel_matrix(const Kernel& kernel, const Samples& x, const Samples& z) {
  const auto prepared = std::make_shared<const PreparedKernel>(kernel, z, Precision::double_precision, mercer::Run());
  Matrix<double> k(x.size(), z.size());
  CrossGram<double>(prepared, x, mercer::Run()).evaluate(k.view(), mercer::Run());
  return k;
}

}  // namespace mercer::testing
