#include "mercer/models/multiple_kernel/summands.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/text.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/wrappers.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/definiteness_on.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/prepared.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"
#include "mercer/models/svm/svm_engine.h"

namespace mercer {

namespace {

double number_in_front(const Kernel& kernel, const ScaledKernel& scale) {
  const double value = scale.factor.value_or(-1);
  if (!(value >= 0) || !std::isfinite(value)) {
    throw InvalidArgument("the summand " + kernel.spec() +
                          ": the number in front of a summand is its starting weight and must be 0 or more");
  }
  return value;
}

// A scalar or a subscript around a sum stands around each of its terms.
void append_summands(const Kernel& kernel, double factor, std::vector<Summand>& summands) {
  if (const auto terms = as_sum(kernel)) {
    for (const Kernel& term : *terms) {
      append_summands(term, factor, summands);
    }
    return;
  }
  if (const auto scale = as_scale(kernel)) {
    append_summands(scale->kernel, factor * number_in_front(kernel, *scale), summands);
    return;
  }
  if (const auto subscript = as_columns(kernel)) {
    std::vector<Summand> inner;
    append_summands(subscript->kernel, factor, inner);
    for (const Summand& term : inner) {
      summands.push_back({on_columns(term.kernel, subscript->columns), term.start});
    }
    return;
  }
  summands.push_back({kernel, factor});
}

void require_learnable(const Kernel& kernel, const Samples& samples, Centering centering, const Run& run) {
  const Definiteness definiteness = definiteness_on(kernel, samples, run);
  if (definiteness.is_positive() || (centering == Centering::both && definiteness.is_conditional_up_to(1))) {
    return;
  }
  throw InvalidArgument("the summand " + kernel.spec() + " is " + to_string(definiteness) +
                        ": weights are learnt for positive definite kernels" +
                        (centering == Centering::both ? ", or conditionally positive ones of order 1"
                                                      : "; conditionally positive ones of order 1 need intercept=yes"));
}

std::vector<double> row_shares(std::span<const double> row_weights, Index size) {
  std::vector<double> shares(size, 1.0 / static_cast<double>(size));
  if (!row_weights.empty()) {
    const double total = std::accumulate(row_weights.begin(), row_weights.end(), 0.0);
    std::transform(row_weights.begin(), row_weights.end(), shares.begin(), [&](double w) { return w / total; });
  }
  return shares;
}

// K ← (1 − ecᵀ) K (1 − ceᵀ) where it is asked for; gives cᵀKc of the given matrix.
double center_matrix(MatrixView<double> k, std::span<const double> shares, Centering centering, const Run& run) {
  const Index n = k.rows();
  std::vector<double> means(n);
  const Index blocks = block_count(n, tile_size);
  const auto for_rows = [&](const auto& work) {
    parallel_for(run, blocks, [&](Index b) {
      const IndexRange rows = block_range(n, tile_size, b);
      for (Index i = rows.begin; i < rows.end; ++i) {
        work(i);
      }
    });
  };
  for_rows([&](Index i) { means[i] = dot(k.row(i), shares); });
  const double total = dot(means, shares);
  if (centering == Centering::both) {
    for_rows([&](Index i) {
      for (Index j = 0; j < n; ++j) {
        // Symmetric to the last bit.
        k(i, j) += total - (means[i] + means[j]);
      }
    });
  }
  return total;
}

// One over the mean of the diagonal less `mean`: with cᵀKc, that of the centred matrix. What is 0 to rounding has none.
double scale_to_one(const Kernel& kernel, std::span<const double> diagonal, std::span<const double> shares,
                    double mean) {
  double total = 0;
  double weight = 0;
  double largest = 0;
  for (std::size_t i = 0; i < diagonal.size(); ++i) {
    total += shares[i] * diagonal[i];
    weight += shares[i];
    largest = std::max(largest, std::abs(diagonal[i]));
  }
  // The shares sum to 1 but for rounding, which would show in the kernel's text.
  const double size = total / weight - mean;
  if (!std::isfinite(size)) {
    throw NumericalError("the diagonal of the summand " + kernel.spec() + " has the mean " + shortest(size));
  }
  return size > 1e-13 * std::max(largest, std::abs(mean)) && size > 0 ? 1 / size : 0.0;
}

// Conditionally positive kernels have a size only beside a constant.
bool is_sized_by_variance(const Kernel& kernel, SummandSize size) {
  return size == SummandSize::variance || (size == SummandSize::trace && !kernel.definiteness().is_positive());
}

// total_mean: cᵀKc, where the size is a variance.
double summand_scale(const Kernel& kernel, SummandSize size, const Gram<double>& tiles, std::span<const double> shares,
                     double total_mean) {
  const bool by_variance = is_sized_by_variance(kernel, size);
  if (size != SummandSize::trace && !by_variance) {
    return 1.0;
  }
  std::vector<double> diagonal(shares.size());
  tiles.diagonal(diagonal);
  return scale_to_one(kernel, diagonal, shares, by_variance ? total_mean : 0.0);
}

std::shared_ptr<const PreparedKernel> prepared_summand(const Kernel& kernel, const Samples& packed, Centering centering,
                                                       const Run& run) {
  run.check_stop();
  require_learnable(kernel, packed, centering, run);
  return std::make_shared<const PreparedKernel>(kernel, packed, Precision::double_precision, run.quiet());
}

void require_some_size(std::span<const double> scales) {
  if (std::all_of(scales.begin(), scales.end(), [](double scale) { return scale == 0; })) {
    throw DataError("every summand of the kernel is 0 on the training rows: there is nothing to weigh");
  }
}

}  // namespace

std::vector<Summand> split_sum(const Kernel& kernel) {
  std::vector<Summand> summands;
  append_summands(kernel, 1.0, summands);
  // Equal summands are one.
  std::vector<Summand> different;
  for (Summand& summand : summands) {
    const auto same = std::find_if(different.begin(), different.end(),
                                   [&](const Summand& other) { return other.kernel == summand.kernel; });
    if (same == different.end()) {
      different.push_back(std::move(summand));
    } else {
      same->start += summand.start;
    }
  }
  return different;
}

Kernel weighted_sum(std::span<const Kernel> kernels, std::span<const double> factors) {
  std::vector<Kernel> terms;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (factors[k] > 0) {
      terms.push_back(factors[k] == 1 ? kernels[k] : factors[k] * kernels[k]);
    }
  }
  if (terms.empty()) {
    throw InvalidArgument("a sum of kernels whose weights are all 0");
  }
  return sum(std::move(terms));
}

std::vector<double> summand_scales(std::span<const Kernel> kernels, const Samples& samples,
                                   std::span<const double> row_weights, SummandSize size, Centering centering,
                                   const Run& run) {
  const std::vector<double> shares = row_shares(row_weights, samples.size());
  const Samples packed = packed_for_svm(samples);
  std::vector<double> scales;
  for (const Kernel& kernel : kernels) {
    const auto tiles = std::make_shared<const KernelGram<double>>(prepared_summand(kernel, packed, centering, run));
    const double total_mean =
        is_sized_by_variance(kernel, size) ? CenteredGram<double>(tiles, shares, run.quiet()).total_mean() : 0.0;
    scales.push_back(summand_scale(kernel, size, *tiles, shares, total_mean));
  }
  require_some_size(scales);
  return scales;
}

SummandGrams::SummandGrams(std::span<const Kernel> kernels, const Samples& samples, std::span<const double> row_weights,
                           SummandSize size, Centering centering, double memory_bytes, const Run& run)
    : size_(samples.size()) {
  const double one = 8.0 * static_cast<double>(size_) * static_cast<double>(size_);
  const bool fits = one * (static_cast<double>(kernels.size()) + 1) <= memory_bytes;
  storage_ = fits ? SummandStorage::stored : SummandStorage::tiles;
  const std::vector<double> shares = row_shares(row_weights, size_);
  const Samples packed = packed_for_svm(samples);
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    run.progress("kernel matrices", static_cast<double>(k), static_cast<double>(kernels.size()));
    const auto prepared = prepared_summand(kernels[k], packed, centering, run);
    const auto tiles = std::make_shared<const KernelGram<double>>(prepared);
    double total_mean = 0;
    if (fits) {
      Matrix<double> matrix(size_, size_);
      evaluate_gram<double>(*prepared, Triangle::both, matrix.view(), run.quiet());
      total_mean = center_matrix(matrix.view(), shares, centering, run.quiet());
      grams_.push_back(std::make_shared<const DenseGram<double>>(std::move(matrix)));
    } else {
      const auto centered = std::make_shared<const CenteredGram<double>>(tiles, shares, run.quiet());
      total_mean = centered->total_mean();
      grams_.push_back(centering == Centering::both ? std::shared_ptr<const Gram<double>>(centered) : tiles);
    }
    scales_.push_back(summand_scale(kernels[k], size, *tiles, shares, total_mean));
  }
  require_some_size(scales_);
}

Matrix<double> SummandGrams::combined(std::span<const double> weights, const Run& run) const {
  Matrix<double> out = Matrix<double>::filled(size_, size_, 0.0);
  const Index blocks = block_count(size_, tile_size);
  std::vector<Workspace> workspaces(run.threads());
  parallel_for_workers(run, blocks, [&](Index task, int worker) {
    Workspace& workspace = workspaces[worker];
    const IndexRange rows = block_range(size_, tile_size, blocks - 1 - task);
    Matrix<double> tile(tile_size, tile_size);
    for (Index c = 0; c < blocks - task; ++c) {
      run.check_stop();
      const IndexRange columns = block_range(size_, tile_size, c);
      const MatrixView<double> term(tile.data(), rows.size(), columns.size());
      for (std::size_t k = 0; k < grams_.size(); ++k) {
        const double factor = weights[k] * scales_[k];
        if (factor == 0) {
          continue;
        }
        grams_[k]->fill(rows, columns, term, workspace);
        for (Index i = 0; i < rows.size(); ++i) {
          double* sums = out.view().row_data(rows.begin + i) + columns.begin;
          const double* values = term.row_data(i);
          for (Index j = 0; j < columns.size(); ++j) {
            sums[j] += factor * values[j];
          }
        }
      }
    }
  });
  mirror_lower(out.view(), run);
  return out;
}

Matrix<double> SummandGrams::combined(std::span<const double> weights, std::span<const Index> rows,
                                      const Run& run) const {
  const auto size = static_cast<Index>(rows.size());
  Matrix<double> out = Matrix<double>::filled(size, size, 0.0);
  Matrix<double> term(size, size);
  for (std::size_t k = 0; k < grams_.size(); ++k) {
    const double factor = weights[k] * scales_[k];
    if (factor != 0) {
      grams_[k]->gather(rows, rows, term.view(), run);
      for (Index e = 0; e < size * size; ++e) {
        out.data()[e] += factor * term.data()[e];
      }
    }
  }
  return out;
}

std::vector<double> SummandGrams::product(Index k, std::span<const Index> rows, std::span<const double> beta,
                                          const Run& run) const {
  std::vector<double> out(size_, 0.0);
  const double scale = scales_[k];
  if (scale != 0) {
    gram(k).accumulate(rows, beta, out, run);
    for (double& value : out) {
      value *= scale;
    }
  }
  return out;
}

}  // namespace mercer
