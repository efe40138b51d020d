#include "mercer/solvers/svm/joint_multiclass.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/row_cache.h"
#include "mercer/linalg/blas.h"
#include "mercer/solvers/svm/joint_working_set.h"

namespace mercer {

namespace {

constexpr Index largest_set = 160;  // twice as fast as 512 on satimage, dna and usps
constexpr Index scan_block = 1024;
constexpr Index column_block = 256;
constexpr double inner_accuracy = 0.1;       // a working set is solved to this part of its violation
constexpr double multiplier_accuracy = 0.3;  // offsets move once the gap is this part of μ|Σ_i B_i|
constexpr double slow_sums = 0.25;           // sums that shrink by less make μ grow …
constexpr double shift_growth = 4;           // … by this factor,
constexpr double largest_shift = 64;         // up to so many times the mean of K_ii, or
constexpr double largest_step = 16;          // until a coefficient at its mean bound moves the offsets by this

template <class T>
class Solver {
 public:
  Solver(const Gram<T>& gram, const JointProblem& problem, const JointOptions& options, const Run& run)
      : options_(options),
        run_(run),
        problem_(problem),
        n_(gram.size()),
        k_(problem.class_count),
        set_size_(affordable_rows(options.memory_mb)),
        cache_(borrowed(gram), options.memory_mb / 2),
        coefficients_(problem.start.empty() ? Matrix<double>::filled(n_, k_, 0.0)
                                            : Matrix<double>::copy_of(problem.start)),
        values_(n_, k_),
        violations_(static_cast<std::size_t>(n_)),
        offsets_(problem.start_offsets.begin(), problem.start_offsets.end()),
        sums_(static_cast<std::size_t>(k_), 0.0) {
    offsets_.resize(k_, 0.0);
    if (!problem.start.empty()) {
      clip_start();
    }
    if (options_.max_steps == 0) {
      options_.max_steps = std::max<Index>(10'000'000, 100 * n_);
    }
    set_scales(gram);
  }

  JointResult solve() {
    recompute();
    bool verified = true;
    while (true) {
      scan();
      report_progress();
      if (gap_ <= target()) {
        if (!sums_vanish()) {
          move_offsets();
        } else if (verified) {
          return result(SolveStatus::converged);
        } else {
          recompute();
          verified = true;
        }
        continue;
      }
      const bool exhausted = steps_ >= options_.max_steps;
      if (exhausted || !round()) {
        recompute();
        scan();
        return result(exhausted ? SolveStatus::iteration_limit : SolveStatus::stalled);
      }
      verified = false;
    }
  }

 private:
  bool has_offsets() const { return options_.offsets == JointOffsets::exact; }
  JointSample sample(Index i) const { return {problem_.classes[i], problem_.bounds[i]}; }

  // Sums round: a coefficient may start a digit beyond its bound.
  void clip_start() {
    for (Index i = 0; i < n_; ++i) {
      const JointSample one = sample(i);
      const bool shares_bound = options_.loss == JointLoss::crammer_singer;
      double sum = 0;
      for (Index c = 0; c < k_; ++c) {
        if (c != one.own) {
          coefficients_(i, c) = std::clamp(coefficients_(i, c), -one.bound, 0.0);
          sum -= coefficients_(i, c);
        }
      }
      coefficients_(i, one.own) = shares_bound ? std::min(sum, one.bound) : sum;
    }
  }

  // A set's rows are held twice for a moment, and the cache keeps half of the memory.
  Index affordable_rows(double memory_mb) const {
    const double row_bytes = static_cast<double>(n_) * static_cast<double>(sizeof(T));
    return static_cast<Index>(std::clamp(memory_mb * 1048576.0 / 4 / row_bytes, 2.0, double{largest_set}));
  }

  void set_scales(const Gram<T>& gram) {
    std::vector<double> diagonal(n_);
    gram.diagonal(diagonal);
    const double total = std::accumulate(diagonal.begin(), diagonal.end(), 0.0,
                                         [](double sum, double value) { return sum + std::abs(value); });
    if (!std::isfinite(total)) {
      throw NumericalError("a joint multi-class machine met kernel values that are not finite");
    }
    scale_ = total > 0 ? total / static_cast<double>(n_) : 1.0;
    const auto counted = static_cast<double>(
        std::count_if(problem_.bounds.begin(), problem_.bounds.end(), [](double bound) { return bound > 0; }));
    mean_bound_ = std::accumulate(problem_.bounds.begin(), problem_.bounds.end(), 0.0) / counted;
    shift_ = has_offsets() ? scale_ : 0.0;
  }

  // The logarithm of the gap falls about evenly.
  void report_progress() {
    first_gap_ = std::max(first_gap_, gap_);
    if (gap_ > options_.tolerance) {
      run_.progress("joint machine", std::log(first_gap_ / gap_), std::log(first_gap_ / options_.tolerance));
    }
  }

  double largest_sum() const {
    double largest = 0;
    for (const double sum : sums_) {
      largest = std::max(largest, std::abs(sum));
    }
    return largest;
  }
  bool sums_vanish() const {
    return !has_offsets() || largest_sum() <= options_.tolerance * std::min(1 / scale_, mean_bound_);
  }
  // Offsets that will still move need no better solution.
  double target() const {
    return std::max(options_.tolerance, sums_vanish() ? 0.0 : multiplier_accuracy * shift_ * largest_sum());
  }
  double offset(Index c) const { return offsets_[c] + shift_ * sums_[c]; }

  void move_offsets() {
    const double largest = largest_sum();
    for (Index c = 0; c < k_; ++c) {
      offsets_[c] = offset(c);
    }
    const double limit = std::max(largest_shift * scale_, largest_step / mean_bound_);
    if (largest > slow_sums * last_largest_sum_ && shift_ < limit) {
      shift_ = std::min(limit, shift_growth * shift_);
    }
    last_largest_sum_ = largest;
  }

  void scan() {
    parallel_for(run_, block_count(n_, scan_block), [&](Index block) {
      std::vector<double> f(k_);
      const IndexRange range = block_range(n_, scan_block, block);
      for (Index i = range.begin; i < range.end; ++i) {
        double& violation = violations_[i];
        violation = 0;
        if (sample(i).bound > 0) {
          for (Index c = 0; c < k_; ++c) {
            f[c] = values_(i, c) + offset(c);
          }
          violation = joint_violation(options_.loss, sample(i), f, coefficients_.view().row(i));
        }
      }
    });
    gap_ = *std::max_element(violations_.begin(), violations_.end());
    if (!std::isfinite(gap_)) {
      throw NumericalError("a joint multi-class machine met kernel values that are not finite");
    }
  }

  bool is_free(Index i) const {
    bool inside = false;
    const double bound = sample(i).bound;
    for (Index c = 0; c < k_; ++c) {
      const double size = std::abs(coefficients_(i, c));
      inside = inside || (size > 0 && size < bound);
    }
    return inside;
  }

  // Half of the set are the rows that violate most, the rest are free rows of the last set, which would be disturbed.
  std::vector<Index> choose_rows() const {
    std::vector<Index> order;
    for (Index i = 0; i < n_; ++i) {
      if (n_ <= set_size_ ? sample(i).bound > 0 : violations_[i] > 0) {
        order.push_back(i);
      }
    }
    const auto size = static_cast<std::size_t>(set_size_);
    if (order.size() <= size) {
      return order;
    }
    std::partial_sort(order.begin(), order.begin() + set_size_, order.end(), [&](Index a, Index b) {
      const double left = violations_[a];
      const double right = violations_[b];
      return left != right ? left > right : a < b;
    });
    std::vector<char> chosen(n_, 0);
    std::vector<Index> rows;
    const auto take = [&](Index i) {
      if (rows.size() < size && chosen[i] == 0) {
        chosen[i] = 1;
        rows.push_back(i);
      }
    };
    std::for_each(order.begin(), order.begin() + std::max<Index>(1, set_size_ / 2), take);
    for (const Index i : last_rows_) {
      if (is_free(i)) {
        take(i);
      }
    }
    std::for_each(order.begin(), order.begin() + set_size_, take);
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  JointWorkingSet working_set(std::vector<Index> rows, const std::vector<CachedRow<T>>& kernel) const {
    const auto size = static_cast<Index>(rows.size());
    JointWorkingSet set{
        std::move(rows), {}, Matrix<double>(size, size), Matrix<double>(size, k_), Matrix<double>(size, k_)};
    for (Index a = 0; a < size; ++a) {
      const Index i = set.rows[a];
      set.samples.push_back(sample(i));
      for (Index b = 0; b < size; ++b) {
        set.kernel(a, b) = static_cast<double>(kernel[a][set.rows[b]]) + shift_;
      }
      for (Index c = 0; c < k_; ++c) {
        set.coefficients(a, c) = coefficients_(i, c);
        set.values(a, c) = values_(i, c) + offset(c);
      }
    }
    return set;
  }

  // One working set; false where no row of it moves.
  bool round() {
    constexpr Index steps_per_row = 20;
    constexpr double least_curvature = 1e-12;
    run_.check_stop();
    const std::vector<Index> rows = choose_rows();
    const std::vector<CachedRow<T>> kernel = cache_.fetch(rows, run_);
    JointWorkingSet set = working_set(rows, kernel);
    const Index limit = std::min(options_.max_steps - steps_, steps_per_row * set.size());
    const double wanted = std::max(target() / 2, inner_accuracy * gap_);
    const JointProgress progress =
        improve(set, options_.loss, wanted, least_curvature * scale_, std::max<Index>(1, limit));
    ++rounds_;
    steps_ += progress.steps;
    last_rows_ = rows;
    if (progress.steps == 0) {
      return false;
    }
    Matrix<double> change(set.size(), k_);
    for (Index a = 0; a < set.size(); ++a) {
      const Index i = rows[a];
      for (Index c = 0; c < k_; ++c) {
        change(a, c) = set.coefficients(a, c) - coefficients_(i, c);
        coefficients_(i, c) = set.coefficients(a, c);
      }
    }
    add_products(kernel, change.view());
    add_up();
    return true;
  }

  // values += K(:, rows) · change
  void add_products(const std::vector<CachedRow<T>>& kernel, ConstMatrixView<double> change) {
    parallel_for(run_, block_count(n_, column_block), [&](Index block) {
      const IndexRange range = block_range(n_, column_block, block);
      Matrix<double> part(change.rows(), range.size());
      for (Index a = 0; a < change.rows(); ++a) {
        const T* const from = kernel[a].values().data() + range.begin;
        std::copy_n(from, range.size(), part.view().row_data(a));
      }
      gemm(1.0, part.view(), Transpose::yes, change, Transpose::no, 1.0, values_.view().row_block(range));
    });
  }

  void add_up() {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (Index i = 0; i < n_; ++i) {
      for (Index c = 0; c < k_; ++c) {
        sums_[c] += coefficients_(i, c);
      }
    }
  }

  // Values and sums from the coefficients alone.
  void recompute() {
    std::fill_n(values_.data(), n_ * k_, 0.0);
    std::vector<Index> support;
    for (Index i = 0; i < n_; ++i) {
      const std::span<const double> row = coefficients_.view().row(i);
      if (std::any_of(row.begin(), row.end(), [](double value) { return value != 0; })) {
        support.push_back(i);
      }
    }
    const auto count = static_cast<Index>(support.size());
    for (Index block = 0; block < block_count(count, set_size_); ++block) {
      run_.check_stop();
      const IndexRange range = block_range(count, set_size_, block);
      const std::span<const Index> rows(support.data() + range.begin, static_cast<std::size_t>(range.size()));
      Matrix<double> part(range.size(), k_);
      for (Index a = 0; a < range.size(); ++a) {
        std::ranges::copy(coefficients_.view().row(rows[a]), part.view().row_data(a));
      }
      add_products(cache_.fetch(rows, run_), part.view());
    }
    add_up();
  }

  JointResult result(SolveStatus status) {
    JointResult result;
    result.status = status;
    result.gap = gap_;
    result.largest_sum = largest_sum();
    result.steps = steps_;
    result.rounds = rounds_;
    double mean = 0;
    for (Index c = 0; c < k_; ++c) {
      result.offsets.push_back(has_offsets() ? offset(c) : 0.0);
      mean += result.offsets.back() / static_cast<double>(k_);
    }
    for (double& offset : result.offsets) {
      offset -= mean;
    }
    std::vector<double> f(k_);
    double squared_norm = 0;
    double loss = 0;
    double gain = 0;
    for (Index i = 0; i < n_; ++i) {
      const JointSample one = sample(i);
      double largest = 0;
      for (Index c = 0; c < k_; ++c) {
        squared_norm += coefficients_(i, c) * values_(i, c);
        largest = std::max(largest, std::abs(coefficients_(i, c)));
        f[c] = values_(i, c) + result.offsets[c];
      }
      gain += joint_margin * coefficients_(i, one.own);
      const double slack = one.bound > 0 ? joint_slack(options_.loss, one, f) : 0.0;
      loss += one.bound * slack;
      result.slack += slack;
      result.margin_errors += slack > gap_ ? 1 : 0;
      result.bounded += one.bound > 0 && largest >= one.bound ? 1 : 0;
    }
    result.objective = squared_norm / 2 - gain;
    result.primal = squared_norm / 2 + loss;
    result.coefficients = std::move(coefficients_);
    result.values = std::move(values_);
    return result;
  }

  JointOptions options_;
  const Run& run_;
  const JointProblem& problem_;
  Index n_;
  Index k_;
  Index set_size_;
  RowCacheGram<T> cache_;
  Matrix<double> coefficients_;
  Matrix<double> values_;  // without offsets
  std::vector<double> violations_;
  std::vector<double> offsets_;  // the multipliers; with μ times the sums, the offsets
  std::vector<double> sums_;     // of the coefficients of every class
  std::vector<Index> last_rows_;
  double scale_ = 1;       // mean of K_ii
  double mean_bound_ = 1;  // of the samples that count
  double shift_ = 0;       // μ
  double last_largest_sum_ = std::numeric_limits<double>::infinity();
  double gap_ = 0;
  double first_gap_ = 0;
  Index steps_ = 0;
  Index rounds_ = 0;
};

}  // namespace

template <class T>
JointResult solve_joint_multiclass(const Gram<T>& gram, const JointProblem& problem, const JointOptions& options,
                                   const Run& run) {
  require_valid(problem, options, gram.size());
  return Solver<T>(gram, problem, options, run).solve();
}

template JointResult solve_joint_multiclass(const Gram<float>&, const JointProblem&, const JointOptions&, const Run&);
template JointResult solve_joint_multiclass(const Gram<double>&, const JointProblem&, const JointOptions&, const Run&);

}  // namespace mercer
