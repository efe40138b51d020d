#include "mercer/models/prototypes/training_gram.h"

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/data/columns.h"
#include "mercer/expansion/linear_weights.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/low_rank.h"
#include "mercer/gram/stored_copy.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/kernels/widths.h"
#include "mercer/models/training_rows.h"

namespace mercer {

DistanceRows distance_rows(const char* model, const Kernel& kernel, const TrainingData& data, const Run& run) {
  CountedRows counted = counted_rows(model, data);
  require_distances(model, kernel, counted.samples, run);
  if (counted.weights.empty()) {
    counted.weights.assign(counted.rows.size(), 1.0);
  }
  Kernel resolved = resolve_widths(kernel, counted.weighted(), run);
  return {std::move(counted.rows), std::move(counted.samples), std::move(counted.weights), std::move(resolved)};
}

void require_distances(const char* model, const Kernel& kernel, const Samples& samples, const Run& run) {
  const Definiteness definiteness = definiteness_on(kernel, samples, run);
  if (definiteness.kind == DefinitenessKind::conditional && definiteness.order > 1) {
    throw InvalidArgument(std::string(model) + ": the kernel " + kernel.spec() + " is " + to_string(definiteness) +
                          ", so that k(x,x) + k(z,z) - 2k(x,z) is no squared distance. Use a positive definite kernel, "
                          "or one of order 1 such as negative_distance");
  }
  if (definiteness.kind == DefinitenessKind::indefinite) {
    run.warn(std::string(model) + ": the kernel " + kernel.spec() + " is " + to_string(definiteness) +
             ": squared distances below 0 count as 0");
  }
}

std::shared_ptr<const Gram<double>> training_gram(const Kernel& kernel, const Samples& samples, double memory_mb,
                                                  const Run& run) {
  const auto n = static_cast<double>(samples.size());
  const double allowed = allowed_memory(memory_mb);
  const Samples numeric = default_columns(samples);
  const std::optional<double> factor = linear_factor(kernel);
  if (factor && *factor > 0 && numeric.is_numeric() && numeric.columns() < samples.size() &&
      8 * n * static_cast<double>(numeric.columns()) <= allowed) {
    require_finite(numeric);
    Matrix<double> rows(samples.size(), numeric.columns());
    copy_rows(numeric, {0, samples.size()}, rows.view());
    const double root = std::sqrt(*factor);
    for (Index i = 0; i < rows.rows() * rows.columns(); ++i) {
      rows.data()[i] *= root;
    }
    return std::make_shared<const LowRankGram<double>>(std::move(rows));
  }
  auto prepared = std::make_shared<const PreparedKernel>(kernel, samples, Precision::double_precision, run);
  if (8 * n * n <= allowed) {
    return std::make_shared<const DenseGram<double>>(*prepared, run);
  }
  return std::make_shared<const KernelGram<double>>(std::move(prepared));
}

std::shared_ptr<const Gram<double>> training_distances(const Kernel& kernel, const Samples& samples,
                                                       DistancePower power, double memory_mb, const Run& run) {
  const auto n = static_cast<double>(samples.size());
  if (8 * n * n > allowed_memory(memory_mb)) {
    return std::make_shared<const DistanceGram<double>>(training_gram(kernel, samples, memory_mb, run), power);
  }
  auto prepared = std::make_shared<const PreparedKernel>(kernel, samples, Precision::double_precision, run);
  const DistanceGram<double> distances(std::make_shared<const KernelGram<double>>(std::move(prepared)), power);
  return std::make_shared<const DenseGram<double>>(stored_copy(distances, run));
}

}  // namespace mercer
