#include "mercer/features/kernel_hebbian.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/features/kernel_pca_parts.h"
#include "mercer/features/pivot_coordinates.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/stored_copy.h"
#include "mercer/gram/wrappers.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/symmetric_eigen.h"

namespace mercer {

void KernelHebbianOptions::validate() const {
  if (epochs < 1) {
    reject_argument("epochs", static_cast<double>(epochs), "1 or more");
  }
  if (!(rate > 0 && rate <= 1)) {
    reject_argument("rate", rate, "above 0 and at most 1");
  }
  if (!(accuracy >= 0)) {
    reject_argument("accuracy", accuracy, "0 or more");
  }
  if (check_epochs < 1) {
    reject_argument("check_epochs", static_cast<double>(check_epochs), "1 or more");
  }
}

namespace {

constexpr std::uint64_t hebbian_stream = 0x6b6861ULL;
// Components far below the first share its gain times this, so that projections on the first ones do not upset them.
constexpr double largest_gain_ratio = 100;
constexpr double fewest_settling_steps = 500;
constexpr Index most_kept_rows = 5000;
// Ritz values below this share of the first are rounding.
constexpr double hebbian_tolerance = 1e-6;

class HebbianIteration {
 public:
  HebbianIteration(const Gram<double>& centered, const PcaWeights& weights, Index components,
                   const KernelHebbianOptions& options, const Run& run)
      : gram_(centered),
        weights_(weights),
        options_(options),
        random_(run.seed(), hebbian_stream),
        alpha_(centered.size(), components),
        variances_(static_cast<std::size_t>(components), 0.0),
        row_(static_cast<std::size_t>(centered.size())) {
    largest_weight_ = *std::max_element(weights_.values.begin(), weights_.values.end());
    std::vector<double> diagonal(row_.size());
    centered.diagonal(diagonal);
    double total = 0;
    for (std::size_t i = 0; i < row_.size(); ++i) {
      total += weights_.shares[i] * diagonal[i];
    }
    // Directions of about unit length to begin with.
    const double size = 1 / std::sqrt(static_cast<double>(centered.size()) * std::max(total, 1e-300));
    for (Index i = 0; i < alpha_.rows() * components; ++i) {
      alpha_.data()[i] = size * random_.normal();
    }
    std::fill(variances_.begin(), variances_.end(), total);
  }

  // Every row once, in a new order: the noise of independent draws would fall with the root of the gain only.
  void epoch(const Run& run) {
    const auto n = static_cast<Index>(row_.size());
    const double settling = std::max(2.0 * static_cast<double>(n), fewest_settling_steps);
    for (const Index row : random_permutation(random_, n)) {
      run.check_stop();
      ++steps_;
      const double share = weights_.values[row] / largest_weight_;
      visit(row, options_.rate * share * settling / (settling + static_cast<double>(steps_)));
    }
  }

  ConstMatrixView<double> coefficients() const { return alpha_.view(); }

 private:
  void visit(Index i, double rate) {
    const Index count = alpha_.columns();
    gram_.row(i, row_);
    std::vector<double> y(count, 0.0);
    gemv(1.0, alpha_.view(), Transpose::yes, std::span<const double>(row_), 0.0, std::span<double>(y));
    std::vector<double> pull(y.size());
    for (std::size_t c = 0; c < y.size(); ++c) {
      variances_[c] += (y[c] * y[c] - variances_[c]) / std::min(static_cast<double>(steps_) + 1, 1000.0);
      const double unit = std::max(variances_[c], variances_[0] / largest_gain_ratio);
      // At first a projection far outside of what was seen must not turn a direction round; later that would be a bias.
      const double size = steps_ <= alpha_.rows() ? std::max(unit, y[c] * y[c]) : unit;
      pull[c] = size > 0 ? rate * y[c] / size : 0.0;
    }
    for (Index j = 0; j < alpha_.rows(); ++j) {
      double* const alpha = alpha_.view().row_data(j);
      double before = 0;
      for (Index c = 0; c < count; ++c) {
        before += y[c] * alpha[c];
        alpha[c] -= pull[c] * before;
      }
    }
    for (Index c = 0; c < count; ++c) {
      alpha_(i, c) += pull[c];
    }
  }

  const Gram<double>& gram_;
  const PcaWeights& weights_;
  const KernelHebbianOptions& options_;
  RandomStream random_;
  Matrix<double> alpha_;
  std::vector<double> variances_;
  std::vector<double> row_;
  double largest_weight_ = 1;
  Index steps_ = 0;
};

// Rayleigh-Ritz for the covariance operator in the span of the directions Σ_i α_i Φ̃(x_i): maximises bᵀCb/bᵀGb with
// G = αᵀK̃α and C = αᵀK̃WK̃α, and u = √W K̃αb/√κ are orthonormal. The residual is ‖√W K̃ √W u − κu‖/κ_1, the largest.
struct RitzPairs {
  std::vector<double> values;
  Matrix<double> vectors;
  double residual = 0;
};

Matrix<double> weighed_product(const Gram<double>& centered, const PcaWeights& weights, ConstMatrixView<double> v,
                               const Run& run) {
  Matrix<double> image(v.rows(), v.columns());
  centered.multiply(v, image.view(), run);
  for (Index i = 0; i < v.rows(); ++i) {
    scale(weights.roots[i], image.view().row(i));
  }
  return image;
}

// Replaces the values by uᵀ√W K̃ √W u.
void measure_ritz(const Gram<double>& centered, const PcaWeights& weights, RitzPairs& pairs, const Run& run) {
  Matrix<double> weighed = Matrix<double>::copy_of(pairs.vectors.view());
  for (Index i = 0; i < weighed.rows(); ++i) {
    scale(weights.roots[i], weighed.view().row(i));
  }
  const Matrix<double> image = weighed_product(centered, weights, weighed.view(), run);
  for (Index c = 0; c < image.columns(); ++c) {
    double value = 0;
    double square = 0;
    for (Index i = 0; i < image.rows(); ++i) {
      value += image(i, c) * pairs.vectors(i, c);
    }
    for (Index i = 0; i < image.rows(); ++i) {
      const double gap = image(i, c) - value * pairs.vectors(i, c);
      square += gap * gap;
    }
    pairs.values[c] = value;
    pairs.residual = std::max(pairs.residual, std::sqrt(square) / std::max(pairs.values[0], 1e-300));
  }
}

RitzPairs ritz_pairs(const Gram<double>& centered, const PcaWeights& weights, ConstMatrixView<double> alpha,
                     const Run& run) {
  const Index n = alpha.rows();
  const Index count = alpha.columns();
  const Matrix<double> image = weighed_product(centered, weights, alpha, run);
  Matrix<double> unweighed = Matrix<double>::copy_of(alpha);
  for (Index i = 0; i < n; ++i) {
    scale(1 / weights.roots[i], unweighed.view().row(i));
  }
  Matrix<double> norms = cross_product(unweighed.view(), image.view(), run);
  double trace = 0;
  for (Index c = 0; c < count; ++c) {
    trace += norms(c, c);
  }
  // More directions than the samples span: those beyond have no length, and their values come out as 0.
  for (Index c = 0; c < count; ++c) {
    norms(c, c) += 0.1 * hebbian_tolerance * trace / static_cast<double>(count);
  }
  const GeneralizedEigen eigen = generalized_eigen(cross_product(image.view(), run).view(), norms.view(), count, run);
  RitzPairs pairs{eigen.values, Matrix<double>(n, count), 0};
  parallel_gemm<double>(1, image.view(), Transpose::no, eigen.vectors.view(), Transpose::no, 0, pairs.vectors.view(),
                        run);
  for (Index i = 0; i < n; ++i) {
    for (Index c = 0; c < count; ++c) {
      pairs.vectors(i, c) /= std::sqrt(std::max(pairs.values[c], 1e-300));
    }
  }
  measure_ritz(centered, weights, pairs, run);
  return pairs;
}

}  // namespace

KernelPca kernel_hebbian(const Gram<double>& gram, std::span<const double> weights, const KernelPcaOptions& pca,
                         const KernelHebbianOptions& options, const Run& run) {
  pca.validate();
  options.validate();
  const Index n = gram.size();
  const PcaWeights used(weights, n);
  if (pca.components < 1) {
    reject_argument("components", static_cast<double>(pca.components), "1 or more for the Hebbian algorithm");
  }
  const bool is_centered = pca.origin == FeatureOrigin::mean;
  const auto centered =
      is_centered ? std::make_shared<CenteredGram<double>>(borrowed(gram), used.shares, run) : nullptr;
  const Gram<double>& problem = is_centered ? static_cast<const Gram<double>&>(*centered) : gram;
  PcaMeans means;
  means.diagonal.resize(n);
  gram.diagonal(means.diagonal);
  if (is_centered) {
    means.means.assign(centered->means().begin(), centered->means().end());
    means.total_mean = centered->total_mean();
  }
  KernelPca result;
  const double floor = rounding_floor(means, used, std::numeric_limits<double>::epsilon());
  if (!(total_variance(means, used) * used.total > floor * static_cast<double>(n))) {
    set_components({}, Matrix<double>(n, 0).view(), means, used, result);
    return result;
  }
  // Rows come back every epoch: where they are few, they are kept.
  const std::optional<DenseGram<double>> kept =
      n <= most_kept_rows ? std::optional<DenseGram<double>>(std::in_place, stored_copy(problem, run)) : std::nullopt;
  HebbianIteration iteration(kept ? static_cast<const Gram<double>&>(*kept) : problem, used,
                             std::min(pca.components, n), options, run);
  RitzPairs pairs;
  result.status = SolveStatus::iteration_limit;
  while (result.iterations < options.epochs && result.status == SolveStatus::iteration_limit) {
    iteration.epoch(run);
    ++result.iterations;
    run.progress("Hebbian epochs", static_cast<double>(result.iterations), static_cast<double>(options.epochs));
    if (result.iterations % options.check_epochs == 0 || result.iterations == options.epochs) {
      pairs = ritz_pairs(problem, used, iteration.coefficients(), run);
      result.status = pairs.residual <= options.accuracy ? SolveStatus::converged : SolveStatus::iteration_limit;
    }
  }
  result.residual = pairs.residual;
  const Index count = kept_components(pairs.values, pca.components, std::max(pca.tolerance, hebbian_tolerance), floor);
  const Matrix<double> vectors = Matrix<double>::copy_of(pairs.vectors.view().block({0, n}, {0, count}));
  set_components(std::span(pairs.values).first(static_cast<std::size_t>(count)), vectors.view(), means, used, result);
  return result;
}

}  // namespace mercer
