#include "mercer/solvers/fisher/fisher_greedy.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/linalg/cholesky_update.h"
#include "mercer/linalg/product.h"

namespace mercer {

void FisherGreedyOptions::validate() const {
  if (!(lambda >= 0 && std::isfinite(lambda))) {
    reject_argument("lambda", lambda, "finite and not negative");
  }
  if (size < 0) {
    reject_argument("size", static_cast<double>(size), "1 or more, or 0 for every row");
  }
  if (candidates < 1) {
    reject_argument("candidates", static_cast<double>(candidates), "1 or more");
  }
  if (!(tolerance >= 0)) {
    reject_argument("tolerance", tolerance, "0 or more");
  }
  if (!(dependence >= 0 && dependence < 1)) {
    reject_argument("dependence", dependence, "0 or more and less than 1");
  }
}

namespace {

constexpr std::uint64_t fisher_stream = 0x666973686572ULL;
constexpr int idle_steps = 3;

class GreedyDiscriminant {
 public:
  GreedyDiscriminant(const Gram<double>& gram, const ClassRows& rows, const FisherGreedyOptions& options,
                     const Run& run)
      : gram_(gram),
        rows_(rows),
        options_(options),
        run_(run),
        random_(run.seed(), fisher_stream),
        limit_(options.size > 0 ? std::min(options.size, rows.size()) : rows.size()),
        open_(static_cast<std::size_t>(rows.size())),
        chosen_(limit_, rows.size()),
        scores_(limit_, rows.class_count()),
        targets_(rows.indicators()) {
    std::iota(open_.begin(), open_.end(), Index{0});
    for (Index i = 0; i < rows.size(); ++i) {
      scale(std::sqrt(rows.weight(i)), targets_.view().row(i));
    }
  }

  FisherGreedy solve() {
    int idle = 0;
    while (size() < limit_ && idle < idle_steps) {
      if (run_.stop_requested()) {
        result_.status = SolveStatus::stopped;
        return std::move(result_);
      }
      run_.progress("functions", static_cast<double>(size()), static_cast<double>(limit_));
      if (!step()) {
        result_.status =
            size() < rows_.size() && options_.size > size() ? SolveStatus::stalled : SolveStatus::converged;
        break;
      }
      const auto last = result_.objectives.size() - 1;
      const bool small = last > 0 && result_.objectives[last - 1] - result_.objectives[last] <
                                         options_.tolerance * result_.objectives[last - 1];
      idle = small ? idle + 1 : 0;
    }
    run_.progress("functions", static_cast<double>(limit_), static_cast<double>(limit_));
    return std::move(result_);
  }

 private:
  Index size() const { return factor_.size(); }

  // Adds the best candidate; false where only dependent ones are left.
  bool step() {
    while (!open_.empty()) {
      const auto count = static_cast<Index>(open_.size());
      std::vector<Index> places = sample_without_replacement(random_, count, std::min(count, options_.candidates));
      std::sort(places.begin(), places.end());
      const Index best = measure(places);
      std::vector<Index> closed = dependent_;
      if (best >= 0) {
        closed.push_back(places[best]);
        accept(best, open_[closed.back()]);
      }
      std::sort(closed.begin(), closed.end(), std::greater<>());
      for (const Index place : closed) {
        open_.erase(open_.begin() + place);
      }
      if (best >= 0) {
        return true;
      }
    }
    return false;
  }

  // Fills candidates_, substituted_, pivots_ and gains_; returns the number of the candidate of the largest gain.
  Index measure(const std::vector<Index>& places) {
    const auto count = static_cast<Index>(places.size());
    std::vector<Index> list;
    for (const Index place : places) {
      list.push_back(open_[place]);
    }
    candidates_ = Matrix<double>(count, rows_.size());
    gram_.rows(list, candidates_.view(), run_);
    substituted_ = Matrix<double>::filled(count, size(), 0.0);
    std::vector<double> diagonal(count, options_.lambda);
    if (options_.penalty == FisherPenalty::norm) {
      for (Index c = 0; c < count; ++c) {
        diagonal[c] = options_.lambda * candidates_(c, list[c]);
        for (Index s = 0; s < size(); ++s) {
          substituted_(c, s) = options_.lambda * candidates_(c, result_.rows[s]);
        }
      }
    }
    center_candidates();
    const ConstMatrixView<double> basis = std::as_const(chosen_).view().block(0, 0, size(), rows_.size());
    parallel_gemm<double>(1.0, candidates_.view(), Transpose::no, basis, Transpose::yes, 1.0, substituted_.view(),
                          run_);
    trsm(Side::right, Uplo::lower, Transpose::yes, 1.0, factor_.factor(), substituted_.view());
    // Numerators of the new rows of Z.
    numerators_ = Matrix<double>(count, rows_.class_count());
    parallel_gemm<double>(1.0, candidates_.view(), Transpose::no, targets_.view(), Transpose::no, 0.0,
                          numerators_.view(), run_);
    const ConstMatrixView<double> known = std::as_const(scores_).view().block(0, 0, size(), rows_.class_count());
    gemm(-1.0, substituted_.view(), Transpose::no, known, Transpose::no, 1.0, numerators_.view());
    return largest_gain(places, diagonal);
  }

  // Rows become √w (k − mean of k): the scatter is their product.
  void center_candidates() {
    for (Index c = 0; c < candidates_.rows(); ++c) {
      const std::span<double> row = candidates_.view().row(c);
      const double mean = dot(std::span<const double>(row), rows_.weights()) / rows_.total();
      for (Index i = 0; i < rows_.size(); ++i) {
        row[i] = std::sqrt(rows_.weight(i)) * (row[i] - mean);
      }
    }
  }

  Index largest_gain(const std::vector<Index>& places, const std::vector<double>& penalties) {
    Index best = -1;
    best_gain_ = -1;
    dependent_.clear();
    pivots_.assign(places.size(), 0.0);
    for (std::size_t c = 0; c < places.size(); ++c) {
      const auto at = static_cast<Index>(c);
      const std::span<const double> row = std::as_const(candidates_).view().row(at);
      const std::span<const double> part = std::as_const(substituted_).view().row(at);
      const double diagonal = dot(row, row) + penalties[c];
      pivots_[c] = diagonal - dot(part, part);
      if (!(pivots_[c] > options_.dependence * diagonal)) {
        dependent_.push_back(places[c]);
        continue;
      }
      double gain = 0;
      for (Index q = 0; q < rows_.class_count(); ++q) {
        gain += numerators_(at, q) * numerators_(at, q) / (pivots_[c] * rows_.total(q));
      }
      if (gain > best_gain_) {
        best = at;
        best_gain_ = gain;
      }
    }
    return best;
  }

  void accept(Index candidate, Index row) {
    const double root = std::sqrt(pivots_[candidate]);
    const Index at = size();
    std::ranges::copy(candidates_.view().row(candidate), chosen_.view().row_data(at));
    for (Index q = 0; q < rows_.class_count(); ++q) {
      scores_(at, q) = numerators_(candidate, q) / root;
    }
    factor_.append_factored(substituted_.view().row(candidate), root);
    result_.rows.push_back(row);
    share_ += best_gain_;
    const double share = std::min(share_, static_cast<double>(rows_.class_count() - 1));
    result_.shares.push_back(share);
    result_.objectives.push_back(rows_.class_count() == 2 ? fisher_objective(rows_, share)
                                                          : static_cast<double>(rows_.class_count() - 1) - share);
  }

  const Gram<double>& gram_;
  const ClassRows& rows_;
  const FisherGreedyOptions& options_;
  const Run& run_;
  RandomStream random_;
  Index limit_;
  std::vector<Index> open_;     // rows that may still enter
  Matrix<double> chosen_;       // centred, weighted rows of the functions
  Matrix<double> scores_;       // Z
  Matrix<double> targets_;      // √W Y
  GrowingCholesky factor_;      // L
  Matrix<double> candidates_;   // of this step
  Matrix<double> substituted_;  // rows of L that they would add
  Matrix<double> numerators_;
  std::vector<double> pivots_;
  std::vector<Index> dependent_;  // places in open_
  double best_gain_ = 0;
  double share_ = 0;
  FisherGreedy result_;
};

}  // namespace

FisherGreedy fisher_greedy(const Gram<double>& gram, const ClassRows& rows, const FisherGreedyOptions& options,
                           const Run& run) {
  options.validate();
  if (gram.size() != rows.size()) {
    throw InvalidArgument("a Gram matrix of " + std::to_string(gram.size()) + " rows for " +
                          std::to_string(rows.size()) + " classified rows");
  }
  return GreedyDiscriminant(gram, rows, options, run).solve();
}

}  // namespace mercer
