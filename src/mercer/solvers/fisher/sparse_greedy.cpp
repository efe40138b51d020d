#include "mercer/solvers/fisher/sparse_greedy.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/linalg/cholesky_update.h"
#include "mercer/linalg/product.h"

namespace mercer {

Index greedy_candidate_count(double q, double eta) {
  for (const double probability : {q, eta}) {
    if (!(probability > 0 && probability < 1)) {
      reject_argument("probability", probability, "between 0 and 1, both excluded");
    }
  }
  return static_cast<Index>(std::ceil(std::log(eta) / std::log(q)));
}

void SparseGreedyOptions::validate() const {
  if (!(gap >= 0)) {
    reject_argument("gap", gap, "0 or more");
  }
  if (candidates < 1) {
    reject_argument("candidates", static_cast<double>(candidates), "1 or more");
  }
  if (max_size < 0) {
    reject_argument("max_size", static_cast<double>(max_size), "1 or more, or 0 for every sample");
  }
  if (!(dependence >= 0 && dependence < 1)) {
    reject_argument("dependence", dependence, "0 or more and less than 1");
  }
}

namespace {

constexpr std::uint64_t posterior_stream = 0x6772656564ULL;
constexpr std::uint64_t bound_stream = posterior_stream + 1;

double positive_dot(std::span<const double> x) { return dot(x, x); }

// What a candidate would bring: with w = L^-1 B_i the next row of the factor is (w, √pivot), the next entry of
// z = L^-1 c is numerator/√pivot, and the form falls by ½ numerator²/pivot.
struct Candidate {
  double numerator = 0;
  double pivot = 0;
  double scale = 0;  // what pivot is compared with
};

// A form minimised on a growing basis; the two forms differ in how candidates are measured.
class GreedyForm {
 public:
  GreedyForm(const Gram<double>& gram, std::span<const double> targets, double noise,
             const SparseGreedyOptions& options, std::uint64_t stream, const Run& run)
      : gram_(gram), y_(targets), noise_(noise), options_(options), run_(run), random_(run.seed(), stream) {
    open_.resize(targets.size());
    std::iota(open_.begin(), open_.end(), Index{0});
    diagonal_.resize(targets.size());
    gram.diagonal(diagonal_);
  }
  virtual ~GreedyForm() = default;
  GreedyForm(const GreedyForm&) = delete;
  GreedyForm& operator=(const GreedyForm&) = delete;
  GreedyForm(GreedyForm&&) = delete;
  GreedyForm& operator=(GreedyForm&&) = delete;

  Index size() const { return factor_.size(); }
  /// The smallest value on the basis: -½ z'z.
  double value() const { return -0.5 * positive_dot(z_); }

  /// Adds the best of the candidates. False where the limit is reached or only dependent candidates are left.
  bool step() {
    const auto limit = options_.max_size > 0 ? options_.max_size : gram_.size();
    while (size() < limit && !open_.empty()) {
      run_.check_stop();
      const std::vector<std::size_t> places = draw();
      std::vector<Index> rows;
      for (const std::size_t place : places) {
        rows.push_back(open_[place]);
      }
      Matrix<double> w(static_cast<Index>(rows.size()), size());
      const std::vector<Candidate> measured = measure(rows, w.view());
      const Index best = choose(measured);
      if (best >= 0) {
        const auto b = static_cast<std::size_t>(best);
        const double root = std::sqrt(measured[b].pivot);
        factor_.append_factored(w.view().row(best), root);
        z_.push_back(measured[b].numerator / root);
        basis_.push_back(rows[b]);
        accepted(best);
      }
      close(places, measured, best);
      if (best >= 0) {
        return true;
      }
    }
    return false;
  }

  GreedyExpansion take() {
    factor_.substitute(Transpose::yes, z_);
    return {.basis = std::move(basis_), .coefficients = std::move(z_), .factor = lower_triangle(factor_.factor())};
  }

 protected:
  /// Fills the rows of w with L^-1 B_i and returns what the candidates would bring.
  virtual std::vector<Candidate> measure(std::span<const Index> rows, MatrixView<double> w) = 0;
  /// The candidate of that number has joined the basis.
  virtual void accepted(Index /*candidate*/) {}

  void substitute(MatrixView<double> w) const {
    trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, factor_.factor(), w);
  }

  const Gram<double>& gram_;
  std::span<const double> y_;
  double noise_;
  const SparseGreedyOptions& options_;
  const Run& run_;
  std::vector<double> diagonal_;
  std::vector<Index> basis_;
  std::vector<double> z_;

 private:
  // Places in open_, ascending.
  std::vector<std::size_t> draw() {
    const auto count = static_cast<Index>(open_.size());
    std::vector<Index> drawn = sample_without_replacement(random_, count, std::min(count, options_.candidates));
    std::sort(drawn.begin(), drawn.end());
    return {drawn.begin(), drawn.end()};
  }

  bool dependent(const Candidate& candidate) const {
    return !(candidate.pivot > options_.dependence * candidate.scale);
  }

  Index choose(const std::vector<Candidate>& measured) const {
    Index best = -1;
    double largest = -1;
    for (std::size_t i = 0; i < measured.size(); ++i) {
      const Candidate& candidate = measured[i];
      const double gain = candidate.numerator * candidate.numerator / candidate.pivot;
      if (!dependent(candidate) && gain > largest) {
        best = static_cast<Index>(i);
        largest = gain;
      }
    }
    return best;
  }

  // What has joined, and what depends on the basis (and always will), is no candidate any more.
  void close(const std::vector<std::size_t>& places, const std::vector<Candidate>& measured, Index best) {
    for (std::size_t i = places.size(); i-- > 0;) {
      if (static_cast<Index>(i) == best || dependent(measured[i])) {
        open_[places[i]] = open_.back();
        open_.pop_back();
      }
    }
  }

  RandomStream random_;
  std::vector<Index> open_;
  GrowingCholesky factor_;
};

// Q: matrix K_S'K_S + σ²K_SS, right-hand side K_S'y.
class PosteriorForm final : public GreedyForm {
 public:
  using GreedyForm::GreedyForm;

  Matrix<double> take_rows() { return Matrix<double>::copy_of(kept_.view().row_block({0, size()})); }

 protected:
  std::vector<Candidate> measure(std::span<const Index> rows, MatrixView<double> w) override {
    columns_ = Matrix<double>(static_cast<Index>(rows.size()), gram_.size());
    gram_.rows(rows, columns_.view(), run_.quiet());
    parallel_gemm<double>(1.0, columns_.view(), Transpose::no, kept_.view().row_block({0, size()}), Transpose::yes, 0.0,
                          w, run_);
    for (Index i = 0; i < w.rows(); ++i) {
      for (Index j = 0; j < w.columns(); ++j) {
        w(i, j) += noise_ * columns_(i, basis_[j]);
      }
    }
    substitute(w);
    std::vector<Candidate> measured;
    for (Index i = 0; i < w.rows(); ++i) {
      const std::span<const double> k = std::as_const(columns_).view().row(i);
      const double scale = positive_dot(k) + noise_ * diagonal_[rows[i]];
      measured.push_back(
          {.numerator = dot(k, y_) - dot(w.row(i), z_), .pivot = scale - positive_dot(w.row(i)), .scale = scale});
    }
    return measured;
  }

  void accepted(Index candidate) override {
    const Index last = size() - 1;
    if (last >= kept_.rows()) {
      Matrix<double> larger(std::min(gram_.size(), std::max<Index>(2 * kept_.rows(), 32)), gram_.size());
      std::copy_n(kept_.data(), last * gram_.size(), larger.data());
      kept_ = std::move(larger);
    }
    std::copy_n(columns_.view().row_data(candidate), gram_.size(), kept_.view().row_data(last));
  }

 private:
  Matrix<double> kept_ = Matrix<double>(0, gram_.size());  // K(S, :), with room at the end
  Matrix<double> columns_;                                 // of the candidates
};

// Q*: matrix K_SS + σ²1, right-hand side y_S.
class BoundForm final : public GreedyForm {
 public:
  using GreedyForm::GreedyForm;

 protected:
  std::vector<Candidate> measure(std::span<const Index> rows, MatrixView<double> w) override {
    if (size() > 0) {
      gram_.gather(rows, basis_, w, run_.quiet());
      substitute(w);
    }
    std::vector<Candidate> measured;
    for (Index i = 0; i < w.rows(); ++i) {
      const auto row = static_cast<std::size_t>(rows[i]);
      const double scale = diagonal_[row] + noise_;
      // The distance to the span can be no less than the noise; only rounding says otherwise.
      measured.push_back({.numerator = y_[row] - dot(w.row(i), z_),
                          .pivot = std::max(scale - positive_dot(w.row(i)), noise_),
                          .scale = noise_});
    }
    return measured;
  }
};

SparseGreedyStep state_of(const PosteriorForm& posterior, const BoundForm& bound, double squares, double noise) {
  SparseGreedyStep step{.size = posterior.size(), .bound_size = bound.size()};
  step.q = posterior.value();
  step.lower = -0.5 * squares - noise * bound.value();
  const double total = std::abs(step.q) + std::abs(step.lower);
  step.gap = total > 0 ? std::max(0.0, 2 * (step.q - step.lower) / total) : 0.0;
  return step;
}

void require_usable(const Gram<double>& gram, std::span<const double> targets, double noise) {
  if (static_cast<Index>(targets.size()) != gram.size()) {
    throw InvalidArgument(std::to_string(targets.size()) + " targets for " + std::to_string(gram.size()) + " samples");
  }
  if (!(noise > 0) || !std::isfinite(noise)) {
    reject_argument("noise", noise, "a positive variance: the bounds divide by it");
  }
  for (const double target : targets) {
    if (!std::isfinite(target)) {
      reject_argument("targets", target, "finite numbers");
    }
  }
}

}  // namespace

SparseGreedyResult sparse_greedy(const Gram<double>& gram, std::span<const double> targets, double noise,
                                 const SparseGreedyOptions& options, const Run& run) {
  options.validate();
  require_usable(gram, targets, noise);
  const double squares = positive_dot(targets);
  PosteriorForm posterior(gram, targets, noise, options, posterior_stream, run);
  BoundForm bound(gram, targets, noise, options, bound_stream, run);
  SparseGreedyResult result;
  result.history.push_back(state_of(posterior, bound, squares, noise));
  const Index limit = options.max_size > 0 ? std::min(options.max_size, gram.size()) : gram.size();
  try {
    while (result.last().gap > options.gap) {
      const bool moved = posterior.step();
      const bool raised = bound.step();
      if (!moved && !raised) {
        result.status = posterior.size() < limit ? SolveStatus::stalled : SolveStatus::iteration_limit;
        break;
      }
      result.history.push_back(state_of(posterior, bound, squares, noise));
      const double decades = std::log(2 / std::max(options.gap, 1e-12));
      run.progress("sparse greedy", std::clamp(std::log(2 / std::max(result.last().gap, 1e-12)), 0.0, decades),
                   decades);
    }
  } catch (const Stopped&) {
    result.status = SolveStatus::stopped;
  }
  result.basis_rows = posterior.take_rows();
  result.posterior = posterior.take();
  result.bound = bound.take();
  return result;
}

}  // namespace mercer
