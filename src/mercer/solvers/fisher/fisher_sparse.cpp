#include "mercer/solvers/fisher/fisher_sparse.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/linalg/cholesky_update.h"
#include "mercer/linalg/product.h"

namespace mercer {

void FisherSparseOptions::validate() const {
  if (c && !(*c > 0 && std::isfinite(*c))) {
    reject_argument("c", *c, "finite and positive");
  }
  if (size < 0) {
    reject_argument("size", static_cast<double>(size), "1 or more, or 0 for no limit");
  }
  if (max_steps < 0) {
    reject_argument("max_steps", static_cast<double>(max_steps), "1 or more, or 0 for 8 per row");
  }
}

namespace {

constexpr double path_dependence = 1e-10;  // of a function on the others, relative and squared
constexpr double path_parallel = 1e-10;    // rates of two correlations that count as equal
constexpr Index path_refresh = 50;         // steps after which correlations are computed afresh
constexpr double path_charge = 2;          // degrees of freedom of a function that was chosen, not given
constexpr Index path_patience = 60;        // steps without a better cross-validation, besides as many as it took

class SparsePath {
 public:
  SparsePath(MatrixView<double> k, const ClassRows& rows, const FisherSparseOptions& options, const Run& run)
      : columns_(k), rows_(rows), options_(options), run_(run), n_(rows.size()) {
    center();
    const double mean = (rows.total(1) - rows.total(0)) / rows.total();
    for (Index i = 0; i < n_; ++i) {
      residual_.push_back(std::sqrt(rows.weight(i)) * ((rows.class_of(i) == 1 ? 1.0 : -1.0) - mean));
    }
    targets_ = residual_;
    correlations_ = products(residual_);
    contrast_ = correlations_;
    scale(1 / (2 * rows.contrast()), std::span(contrast_));  // μ_+ − μ_-
    active_number_.assign(n_, -1);
    excluded_.assign(n_, 0);
  }

  FisherSparse solve() {
    const Index limit = options_.max_steps > 0 ? options_.max_steps : 8 * n_;
    start();
    SolveStatus status = SolveStatus::iteration_limit;
    while (steps_ < limit) {
      if (run_.stop_requested()) {
        status = SolveStatus::stopped;
        break;
      }
      run_.progress("functions", static_cast<double>(active_.size()), 0);
      ++steps_;
      const Ending ending = piece();
      if (ending == Ending::done) {
        status = SolveStatus::converged;
        break;
      }
      if (ending == Ending::full) {
        // Without a wanted C, the limit is part of the question.
        status = options_.c ? SolveStatus::iteration_limit : SolveStatus::converged;
        break;
      }
    }
    if (!options_.c && status != SolveStatus::stopped) {
      restore_best();
    }
    return result(status);
  }

 private:
  enum class Ending { piece, done, full };

  // Row j becomes √w_i (K_ij − mean_j), a column of √W H K.
  void center() {
    means_.resize(n_);
    diagonal_.resize(n_);
    constexpr Index block = 64;
    std::vector<double> largest(n_);
    parallel_for(run_, block_count(n_, block), [&](Index b) {
      const IndexRange part = block_range(n_, block, b);
      for (Index j = part.begin; j < part.end; ++j) {
        const std::span<double> row = columns_.row(j);
        const auto at = static_cast<std::size_t>(j);
        means_[at] = dot(std::span<const double>(row), rows_.weights()) / rows_.total();
        for (Index i = 0; i < n_; ++i) {
          double& value = row[i];
          largest[at] = std::max(largest[at], std::abs(value));
          value = std::sqrt(rows_.weight(i)) * (value - means_[at]);
        }
        diagonal_[at] = dot(std::span<const double>(row), std::span<const double>(row));
      }
    });
    scale_ = *std::ranges::max_element(largest);
  }

  std::vector<double> products(const std::vector<double>& vector) const {
    std::vector<double> result(n_);
    parallel_gemm<double>(1.0, columns_, Transpose::no, ConstMatrixView<double>(vector.data(), n_, 1), Transpose::no,
                          0.0, MatrixView<double>(result.data(), n_, 1), run_);
    return result;
  }

  std::span<const double> column(Index j) const { return columns_.row(j); }

  void start() {
    const auto first =
        std::ranges::max_element(correlations_, {}, [](double c) { return std::abs(c); }) - correlations_.begin();
    lambda_ = std::abs(correlations_[first]);
    const double noise = 64 * std::numeric_limits<double>::epsilon() * scale_ * rows_.total();
    if (!(lambda_ > noise)) {
      throw NumericalError(
          "the classes have the same mean in the space of the kernel: there is no direction that tells them apart. Use "
          "other columns, or another kernel");
    }
    largest_lambda_ = lambda_;
    join(first);
  }

  // False where the function depends on those that are there.
  bool join(Index j) {
    std::vector<double> part;
    for (const Index a : active_) {
      part.push_back(dot(column(a), column(j)));
    }
    factor_.substitute(Transpose::no, part);
    const double diagonal = diagonal_[j];
    const double pivot = diagonal - dot(std::span<const double>(part), std::span<const double>(part));
    if (!(pivot > path_dependence * diagonal)) {
      excluded_[j] = 1;
      return false;
    }
    factor_.append_factored(part, std::sqrt(pivot));
    active_number_[j] = static_cast<Index>(active_.size());
    active_.push_back(j);
    coefficients_.push_back(0.0);
    signs_.push_back(correlations_[j] > 0 ? 1.0 : -1.0);
    return true;
  }

  void drop(std::size_t place) {
    active_number_[active_[place]] = -1;
    factor_.remove(static_cast<Index>(place));
    const auto at = static_cast<std::ptrdiff_t>(place);
    active_.erase(active_.begin() + at);
    coefficients_.erase(coefficients_.begin() + at);
    signs_.erase(signs_.begin() + at);
    for (std::size_t a = place; a < active_.size(); ++a) {
      active_number_[active_[a]] = static_cast<Index>(a);
    }
    std::ranges::fill(excluded_, 0);
  }

  double along_contrast(const std::vector<double>& values) const {
    double sum = 0;
    for (std::size_t a = 0; a < active_.size(); ++a) {
      sum += contrast_[active_[a]] * values[a];
    }
    return sum;
  }

  struct Join {
    double step = std::numeric_limits<double>::infinity();
    Index function = -1;
  };
  // Where the correlation of a function outside meets λ.
  Join next_join(const std::vector<double>& rates) const {
    Join result;
    for (Index j = 0; j < n_; ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (active_number_[at] >= 0 || excluded_[at] != 0) {
        continue;
      }
      for (const double sign : {1.0, -1.0}) {
        const double speed = 1 - sign * rates[at];
        const double step = std::max(0.0, (lambda_ - sign * correlations_[at]) / speed);
        if (speed > path_parallel && step < result.step) {
          result = {step, j};
        }
      }
    }
    return result;
  }

  // Follows one linear piece of the path: λ falls until a function joins or leaves, or C is met.
  Ending piece() {
    std::vector<double> direction = signs_;
    factor_.substitute(Transpose::no, direction);
    factor_.substitute(Transpose::yes, direction);
    std::vector<double> change(n_, 0.0);
    for (std::size_t a = 0; a < active_.size(); ++a) {
      axpy(direction[a], column(active_[a]), std::span(change));
    }
    const std::vector<double> rates = products(change);
    const Join joins = next_join(rates);
    double step = std::min(joins.step, lambda_);
    std::size_t leaves = active_.size();
    for (std::size_t a = 0; a < active_.size(); ++a) {
      if (coefficients_[a] * direction[a] < 0 && -coefficients_[a] / direction[a] < step) {
        step = -coefficients_[a] / direction[a];
        leaves = a;
      }
    }
    if (options_.c) {
      const double speed = along_contrast(direction);
      const double wanted = *options_.c * (along_contrast(coefficients_) + lambda_ * speed) / (4 + *options_.c * speed);
      if (lambda_ - wanted <= step) {
        advance(std::max(lambda_ - wanted, 0.0), direction, change, rates);
        return Ending::done;
      }
    }
    advance(step, direction, change, rates);
    const bool at_end = lambda_ <= 1e-12 * largest_lambda_;
    remember();
    if (at_end || !std::isfinite(step) || is_past_best()) {
      return Ending::done;
    }
    if (leaves < active_.size()) {
      drop(leaves);
    } else if (options_.size > 0 && static_cast<Index>(active_.size()) >= options_.size) {
      return Ending::full;
    } else {
      join(joins.function);
    }
    return Ending::piece;
  }

  void advance(double step, const std::vector<double>& direction, const std::vector<double>& change,
               const std::vector<double>& rates) {
    axpy(step, std::span<const double>(direction), std::span(coefficients_));
    axpy(-step, std::span<const double>(change), std::span(residual_));
    axpy(-step, std::span<const double>(rates), std::span(correlations_));
    lambda_ = std::max(lambda_ - step, 0.0);
    if (steps_ % path_refresh == 0) {
      correlations_ = products(residual_);
    }
  }

  // Generalised cross-validation at the end of a piece.
  void remember() {
    if (options_.c || !(along_contrast(coefficients_) > 0)) {
      return;
    }
    const double left = 1 - (1 + path_charge * static_cast<double>(active_.size())) / static_cast<double>(n_);
    const double squares = dot(std::span<const double>(residual_), std::span<const double>(residual_));
    const double value = left > 0.1 ? squares / (left * left) : std::numeric_limits<double>::infinity();
    if (best_.step == 0 || value < best_.value) {
      best_ = {value, steps_, lambda_, active_, coefficients_, signs_};
    }
  }
  bool is_past_best() const { return !options_.c && steps_ > 2 * best_.step + path_patience; }

  void restore_best() {
    active_ = best_.active;
    coefficients_ = best_.coefficients;
    signs_ = best_.signs;
    lambda_ = best_.lambda;
    residual_ = targets_;
    for (std::size_t a = 0; a < active_.size(); ++a) {
      axpy(-coefficients_[a], column(active_[a]), std::span(residual_));
    }
  }

  double violation() const {
    const std::vector<double> correlations = products(residual_);
    double worst = 0;
    for (const double c : correlations) {
      worst = std::max(worst, std::abs(c) - lambda_);
    }
    for (std::size_t a = 0; a < active_.size(); ++a) {
      worst = std::max(worst, std::abs(correlations[active_[a]] - signs_[a] * lambda_));
    }
    return worst / largest_lambda_;
  }

  FisherSparse result(SolveStatus status) const {
    const double spread = along_contrast(coefficients_);
    if (!(spread > 0)) {
      throw NumericalError("the path of sparse discriminants was stopped before its first function");
    }
    FisherSparse result;
    result.status = status;
    result.c = 4 * lambda_ / spread;
    result.violation = violation();
    result.steps = steps_;
    result.values = Matrix<double>(n_, 1);
    double second = 0;  // mean of the second class
    double kernel_mean = 0;
    double absolute = 0;
    for (Index i = 0; i < n_; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double root = std::sqrt(rows_.weight(i));
      result.values(i, 0) = 2 / spread * (targets_[at] - residual_[at]) / root;
      second += rows_.class_of(i) == 1 ? rows_.weight(i) / rows_.total(1) * result.values(i, 0) : 0.0;
    }
    for (std::size_t a = 0; a < active_.size(); ++a) {
      result.rows.push_back(active_[a]);
      result.coefficients.push_back(2 / spread * coefficients_[a]);
      kernel_mean += result.coefficients.back() * means_[active_[a]];
      absolute += std::abs(result.coefficients.back());
    }
    result.objective = result.c * absolute;
    for (Index i = 0; i < n_; ++i) {
      result.values(i, 0) += 1 - second;
      const double error = result.values(i, 0) - (rows_.class_of(i) == 1 ? 1.0 : -1.0);
      result.objective += rows_.weight(i) * error * error;
    }
    result.offset = 1 - second - kernel_mean;
    return result;
  }

  struct Best {
    double value = 0;
    Index step = 0;
    double lambda = 0;
    std::vector<Index> active = {};
    std::vector<double> coefficients = {};
    std::vector<double> signs = {};
  };

  MatrixView<double> columns_;
  const ClassRows& rows_;
  const FisherSparseOptions& options_;
  const Run& run_;
  Index n_;
  double scale_ = 0;              // the largest |K_ij|
  std::vector<double> means_;     // of the columns of K
  std::vector<double> diagonal_;  // squared norms of the centred columns
  std::vector<double> targets_;   // √W H y
  std::vector<double> residual_;  // √W H (y − Ka)
  std::vector<double> contrast_;  // μ_+ − μ_-
  std::vector<double> correlations_;
  double lambda_ = 0;
  double largest_lambda_ = 0;
  Index steps_ = 0;
  GrowingCholesky factor_;
  std::vector<Index> active_;
  std::vector<double> coefficients_;
  std::vector<double> signs_;
  std::vector<Index> active_number_;  // place in active_, or −1
  std::vector<char> excluded_;
  Best best_;
};

}  // namespace

FisherSparse fisher_sparse(MatrixView<double> k, const ClassRows& rows, const FisherSparseOptions& options,
                           const Run& run) {
  options.validate();
  if (rows.class_count() != 2) {
    throw InvalidArgument("a sparse discriminant of " + std::to_string(rows.class_count()) +
                          " classes: it tells two classes apart");
  }
  if (k.rows() != rows.size() || k.columns() != rows.size()) {
    throw InvalidArgument("a matrix of " + std::to_string(k.rows()) + " by " + std::to_string(k.columns()) + " for " +
                          std::to_string(rows.size()) + " classified rows");
  }
  return SparsePath(k, rows, options, run).solve();
}

}  // namespace mercer
