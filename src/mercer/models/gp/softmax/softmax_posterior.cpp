#include "mercer/models/gp/softmax/softmax_posterior.h"

#include <algorithm>

#include "mercer/base/parallel.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/models/gp/softmax/softmax_average.h"

namespace mercer {

namespace {

// Kernel values of one batch: 64 MB, but at least as many rows as keep the matrix products efficient.
constexpr Index batch_numbers = Index{1} << 23;
constexpr Index least_batch = 64;
constexpr Index average_rows = 32;

}  // namespace

SoftmaxPosterior::SoftmaxPosterior(Expansion mean, const Rows& rows, const Run& run)
    : mean_(std::move(mean)),
      rows_(rows),
      kernel_(std::make_shared<const PreparedKernel>(mean_.kernel(), mean_.centers(), Precision::double_precision,
                                                     run.quiet())) {}

const SoftmaxReduction& SoftmaxPosterior::reduction(const Run& run) const {
  const std::scoped_lock lock(mutex_);
  if (!reduction_) {
    Matrix<double> k(mean_.centers().size(), mean_.centers().size());
    evaluate_gram<double>(*kernel_, Triangle::lower, k.view(), run);
    const SoftmaxTargets targets{rows_.classes, mean_.outputs(), rows_.weights};
    reduction_ = std::make_unique<const SoftmaxReduction>(k.view(), targets, rows_.latent.view(), run);
  }
  return *reduction_;
}

Matrix<double> SoftmaxPosterior::probabilities(const Samples& samples, const Run& run) const {
  const Index count = mean_.outputs();
  Matrix<double> result(samples.size(), count);
  mean_.evaluate(samples, result.view(), run);
  if (samples.size() == 0) {
    return result;
  }
  const SoftmaxReduction& known = reduction(run);
  const SoftmaxAverage average(count);
  const Index centers = mean_.centers().size();
  const Index step = std::max(least_batch, batch_numbers / centers);
  for (Index b = 0; b < block_count(samples.size(), step); ++b) {
    const IndexRange range = block_range(samples.size(), step, b);
    const CrossGram<double> gram(kernel_, samples.slice(range), run);
    require_on_domain(kernel_->kernel(), gram.samples());
    Matrix<double> k(range.size(), centers);
    gram.evaluate(k.view(), run);
    std::vector<double> prior(range.size());
    gram.diagonal(prior);
    Matrix<double> covariances(range.size(), count * count);
    known.covariances(k.view(), prior, covariances.view(), run);
    parallel_for(run, block_count(range.size(), average_rows), [&](Index block) {
      const IndexRange rows = block_range(range.size(), average_rows, block);
      SoftmaxAverage::Workspace workspace;
      for (Index i = rows.begin; i < rows.end; ++i) {
        const std::span<double> out = result.view().row(range.begin + i);
        const std::vector<double> mean(out.begin(), out.end());
        average.probabilities(mean, {covariances.view().row_data(i), count, count}, out, workspace);
      }
    });
    run.progress("probabilities", static_cast<double>(range.end), static_cast<double>(samples.size()));
  }
  return result;
}

}  // namespace mercer
