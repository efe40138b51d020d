#include "mercer/solvers/relevance/relevance_classification.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/relevance/relevance_actions.h"
#include "mercer/solvers/relevance/relevance_active.h"

namespace mercer {

namespace {

constexpr int most_relevance_newton_steps = 60;

struct LogisticState {
  WeightPosterior posterior;                                    // around the mode
  Matrix<double> factor;                                        // L of H = L Lᵀ
  std::vector<double> values;                                   // f at the rows
  std::vector<double> residuals;                                // w (t − p)
  std::vector<double> curvatures;                               // w p (1 − p)
  double objective = -std::numeric_limits<double>::infinity();  // ln p(t | f) − ½ Σ α μ²
  double evidence = -std::numeric_limits<double>::infinity();
  bool ok = false;
};

class LogisticAscent {
 public:
  LogisticAscent(const RelevanceBasis& basis, std::span<const double> positive, std::span<const double> weights,
                 const RelevanceOptions& options, const Run& run)
      : basis_(basis), options_(options), run_(run), active_(basis), positive_(positive.begin(), positive.end()) {
    weights_.assign(weights.begin(), weights.end());
    if (weights_.empty()) {
      weights_.assign(positive_.size(), 1.0);
    }
    state_ = mode_of({}, {});
  }

  RelevanceFit solve() {
    RelevanceFit fit;
    fit.status = SolveStatus::iteration_limit;
    fit.history.push_back(state_.evidence);
    while (fit.iterations < options_.max_iterations) {
      run_.check_stop();
      const double before = state_.evidence;
      const double added = add_best();
      ++fit.iterations;
      settle(std::max(options_.tolerance, 0.01 * added), 2);
      run_.progress("relevance vectors", static_cast<double>(active_.size()), 0);
      if (added <= options_.tolerance) {
        settle(1e-4 * options_.tolerance, 100);
      }
      fit.history.push_back(state_.evidence);
      if (added <= options_.tolerance && state_.evidence - before <= 2 * options_.tolerance) {
        fit.status = SolveStatus::converged;
        break;
      }
    }
    fit.evidence = state_.evidence;
    active_.store(state_.posterior.mean, std::as_const(state_.factor).view(), fit);
    return fit;
  }

 private:
  // f, p and what follows from them, for the functions in `values` (M × n).
  void evaluate(ConstMatrixView<double> functions, LogisticState& state) const {
    state.values.assign(positive_.size(), 0.0);
    if (functions.rows() > 0) {
      gemv(1.0, functions, Transpose::yes, state.posterior.mean, 0.0, state.values);
    }
    state.residuals.resize(positive_.size());
    state.curvatures.resize(positive_.size());
    state.objective = 0;
    for (std::size_t i = 0; i < positive_.size(); ++i) {
      const double f = state.values[i];
      const double tail = std::exp(-std::abs(f));
      const double less = tail / (1 + tail);  // the smaller of p and 1 − p
      const double p = f > 0 ? 1 - less : less;
      const double wrong = positive_[i] > 0.5 ? -f : f;
      state.objective -= weights_[i] * (std::max(wrong, 0.0) + std::log1p(tail));
      state.residuals[i] = weights_[i] * (positive_[i] > 0.5 ? (f > 0 ? less : 1 - less) : -p);
      state.curvatures[i] = weights_[i] * less * (1 - less);
    }
    for (std::size_t a = 0; a < state.posterior.mean.size(); ++a) {
      state.objective -= 0.5 * state.posterior.precisions[a] * state.posterior.mean[a] * state.posterior.mean[a];
    }
  }

  Matrix<double> factor_of(ConstMatrixView<double> functions, const LogisticState& state, bool& ok) const {
    const Index m = functions.rows();
    Matrix<double> scaled(m, functions.columns());
    for (Index a = 0; a < m; ++a) {
      const double* from = functions.row_data(a);
      double* to = scaled.view().row_data(a);
      for (Index i = 0; i < functions.columns(); ++i) {
        to[i] = from[i] * roots_[i];
      }
    }
    Matrix<double> h(m, m);
    parallel_syrk<double>(1.0, std::as_const(scaled).view(), Transpose::no, 0.0, h.view(), run_);
    for (Index a = 0; a < m; ++a) {
      h(a, a) += state.posterior.precisions[a];
    }
    ok = try_cholesky<double>(h.view(), run_).ok;
    return h;
  }

  // The mode and the evidence for the functions of finite precision, from weights to start with.
  LogisticState mode_of(const std::vector<double>& precisions, const std::vector<double>& start) {
    const std::vector<Index> kept = finite_numbers(precisions);
    LogisticState state;
    GrowingRows chosen(basis_.rows());
    for (const Index i : kept) {
      const std::span<const double> row = active_.values().row(i);
      if (kept.size() != precisions.size()) {
        std::copy(row.begin(), row.end(), chosen.append().begin());
      }
      state.posterior.precisions.push_back(precisions[i]);
      state.posterior.mean.push_back(start[i]);
    }
    const ConstMatrixView<double> functions = kept.size() == precisions.size() ? active_.values() : chosen.view();
    evaluate(functions, state);
    for (int step = 0; step < most_relevance_newton_steps; ++step) {
      roots_ = state.curvatures;
      std::transform(roots_.begin(), roots_.end(), roots_.begin(), [](double b) { return std::sqrt(b); });
      bool ok = false;
      state.factor = factor_of(functions, state, ok);
      if (!ok) {
        return state;
      }
      std::vector<double> move(state.posterior.mean.size());
      if (!move.empty()) {
        gemv(1.0, functions, Transpose::no, state.residuals, 0.0, move);
      }
      for (std::size_t a = 0; a < move.size(); ++a) {
        move[a] -= state.posterior.precisions[a] * state.posterior.mean[a];
      }
      const std::vector<double> gradient = move;
      cholesky_solve<double>(std::as_const(state.factor).view(), std::span<double>(move), run_);
      const double decrement = dot(gradient, move);
      if (!(decrement > 1e-12 * (1 + std::abs(state.objective))) || !advance(functions, move, state)) {
        break;
      }
    }
    finish(state);
    return state;
  }

  // A step of Newton, halved until it climbs; false where rounding lets none.
  bool advance(ConstMatrixView<double> functions, const std::vector<double>& move, LogisticState& state) const {
    const std::vector<double> start = state.posterior.mean;
    const double before = state.objective;
    for (double size = 1; size > 1e-6; size /= 2) {
      state.posterior.mean = start;
      axpy(size, move, state.posterior.mean);
      evaluate(functions, state);
      if (state.objective > before) {
        return true;
      }
    }
    state.posterior.mean = start;
    evaluate(functions, state);
    return false;
  }

  void finish(LogisticState& state) const {
    double log_precisions = 0;
    for (const double alpha : state.posterior.precisions) {
      log_precisions += std::log(alpha);
    }
    state.evidence = state.objective + 0.5 * (log_precisions - log_determinant(std::as_const(state.factor).view()));
    state.posterior.covariance = inverse_from_factor(std::as_const(state.factor).view(), run_);
    state.ok = std::isfinite(state.evidence);
  }

  // Takes over precisions, some of them infinite, if the evidence does not fall.
  bool accept(const std::vector<double>& precisions, const std::vector<double>& start) {
    LogisticState next = mode_of(precisions, start);
    if (!next.ok || next.evidence < state_.evidence) {
      return false;
    }
    active_.keep(precisions);
    state_ = std::move(next);
    return true;
  }

  double add_best() {
    if (options_.max_functions > 0 && active_.size() >= options_.max_functions) {
      return 0;
    }
    const Index m = active_.size();
    Matrix<double> weighted(m + 1, basis_.rows());
    for (Index a = 0; a < m; ++a) {
      const double* from = active_.values().row_data(a);
      double* to = weighted.view().row_data(a);
      for (std::size_t i = 0; i < state_.curvatures.size(); ++i) {
        to[i] = from[i] * state_.curvatures[i];
      }
    }
    std::copy(state_.residuals.begin(), state_.residuals.end(), weighted.view().row_data(m));
    Matrix<double> products(m + 1, basis_.columns());
    std::vector<double> norms(basis_.columns());
    basis_.project(std::as_const(weighted).view(), products.view(), state_.curvatures, norms, run_);
    const ColumnProducts columns{std::as_const(products).view().block(0, 0, m, basis_.columns()), 1, norms};
    const std::vector<double> s = unexplained_norms(columns, std::as_const(state_.factor).view(), active_, run_);
    const std::span<const double> q = std::as_const(products).view().row(m);
    std::vector<double> gains(s.size());
    for (std::size_t j = 0; j < s.size(); ++j) {
      gains[j] = gain_of_adding(s[j], q[j]);
    }
    return add_first_that_gains(gains, s, q);
  }

  double add_first_that_gains(std::vector<double>& gains, const std::vector<double>& s, std::span<const double> q) {
    for (int tries = 0; tries < 5; ++tries) {
      const auto best = std::max_element(gains.begin(), gains.end());
      if (best == gains.end() || *best <= options_.tolerance) {
        break;
      }
      const auto j = static_cast<std::size_t>(best - gains.begin());
      const double before = state_.evidence;
      std::vector<double> start = state_.posterior.mean;
      start.push_back(0);
      // Away from the present mode the approximation is another: a tighter prior stays nearer to it.
      for (double tightness = 1; tightness < 1e3; tightness *= 8) {
        active_.add(static_cast<Index>(j), tightness * best_precision(s[j], q[j]), run_);
        if (accept(active_.precisions(), start)) {
          return std::max(state_.evidence - before, options_.tolerance * 1.001);
        }
        active_.drop_last();
      }
      *best = 0;
    }
    return 0;
  }

  // The precisions, with the curvatures of the mode held, then the mode again; shorter steps where that lowers the
  // evidence.
  void settle(double tolerance, int rounds) {
    for (int round = 0; round < rounds; ++round) {
      const double before = state_.evidence;
      const ImprovedPrecisions better =
          improved_precisions(state_.posterior, tolerance, 20 * (active_.size() + 10), run_);
      if (better.gain <= 0) {
        return;
      }
      bool accepted = accept(better.precisions, state_.posterior.mean);
      for (double size = 0.5; !accepted && size > 0.1; size /= 2) {
        std::vector<double> shorter = active_.precisions();
        for (std::size_t a = 0; a < shorter.size(); ++a) {
          const double ratio = better.precisions[a] / shorter[a];
          shorter[a] *= std::isfinite(ratio) ? std::pow(ratio, size) : std::exp(4 * size);
        }
        accepted = accept(shorter, state_.posterior.mean);
      }
      if (!accepted || state_.evidence - before <= tolerance) {
        return;
      }
    }
  }

  const RelevanceBasis& basis_;
  const RelevanceOptions& options_;
  const Run& run_;
  RelevanceActive active_;
  std::vector<double> positive_;
  std::vector<double> weights_;
  std::vector<double> roots_;  // of the curvatures: scratch
  LogisticState state_;
};

}  // namespace

RelevanceFit relevance_classification(const RelevanceBasis& basis, std::span<const double> positive,
                                      std::span<const double> weights, const RelevanceOptions& options,
                                      const Run& run) {
  if (static_cast<Index>(positive.size()) != basis.rows() || (!weights.empty() && weights.size() != positive.size())) {
    throw InvalidArgument(std::to_string(positive.size()) + " labels and " + std::to_string(weights.size()) +
                          " weights for " + std::to_string(basis.rows()) + " rows");
  }
  return LogisticAscent(basis, positive, weights, options, run).solve();
}

}  // namespace mercer
