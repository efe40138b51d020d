#include "mercer/linalg/conjugate_gradient.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/buffer.h"
#include "mercer/base/error.h"

namespace mercer {

void ConjugateGradientOptions::validate() const {
  if (!(tolerance >= 0)) {
    reject_argument("tolerance", tolerance, "0 or more");
  }
  if (max_iterations < 0) {
    reject_argument("max_iterations", max_iterations, "0 or more");
  }
  if (refresh_every < 1) {
    reject_argument("refresh_every", refresh_every, "1 or more");
  }
}

namespace {

// Inner products of the columns of two blocks, summed in double in the order of the rows.
template <class T>
std::vector<double> column_dots(ConstMatrixView<T> a, ConstMatrixView<T> b) {
  std::vector<double> sums(a.columns());
  for (Index i = 0; i < a.rows(); ++i) {
    for (Index j = 0; j < a.columns(); ++j) {
      sums[j] += static_cast<double>(a(i, j)) * static_cast<double>(b(i, j));
    }
  }
  return sums;
}

// The columns that still iterate stand side by side at the front of each block, packed.
template <class T>
class Iteration {
 public:
  Iteration(const BlockOperator<T>& multiply, const BlockOperator<T>& precondition, ConstMatrixView<T> b,
            MatrixView<T> x, const ConjugateGradientOptions& options)
      : multiply_(multiply),
        precondition_(precondition),
        b_(b),
        x_(x),
        options_(options),
        r_(b.rows() * b.columns()),
        z_(b.rows() * b.columns()),
        p_(b.rows() * b.columns()),
        product_(b.rows() * b.columns()) {
    std::fill_n(r_.data(), r_.size(), T{0});
    norms_ = column_dots(b, b);
    for (std::size_t j = 0; j < norms_.size(); ++j) {
      norms_[j] = std::sqrt(norms_[j]);
      columns_.push_back(static_cast<Index>(j));
    }
    residuals_.assign(columns_.size(), std::numeric_limits<double>::infinity());
    checked_ = residuals_;
    suspect_.assign(columns_.size(), Suspicion::none);
  }

  bool done() const { return columns_.empty(); }
  bool stalled() const { return stalled_; }
  const std::vector<double>& relative_residuals() const { return residuals_; }

  void start() {
    refresh_residual();
    if (!done()) {
      apply_preconditioner();
      rho_ = column_dots<T>(active(r_), active(z_));
      std::copy_n(z_.data(), b_.rows() * count(), p_.data());
    }
  }

  // One step of every active column; true if a recurrence says that a column is done or cannot go on.
  bool step() {
    const MatrixView<T> p = active(p_);
    const MatrixView<T> ap = active(product_);
    const MatrixView<T> r = active(r_);
    multiply_(p, ap);
    const auto curvature = column_dots<T>(p, ap);
    std::vector<T> alpha(columns_.size());
    for (std::size_t j = 0; j < alpha.size(); ++j) {
      const bool usable = curvature[j] > 0 && std::isfinite(rho_[j] / curvature[j]);
      alpha[j] = usable ? static_cast<T>(rho_[j] / curvature[j]) : T{0};
      suspect_[j] = usable ? Suspicion::none : Suspicion::broken;
    }
    for (Index i = 0; i < b_.rows(); ++i) {
      for (Index j = 0; j < count(); ++j) {
        const auto k = static_cast<std::size_t>(j);
        x_(i, columns_[k]) += alpha[k] * p(i, j);
        r(i, j) -= alpha[k] * ap(i, j);
      }
    }
    const auto squares = column_dots<T>(r, r);
    const double smallest = std::max(options_.tolerance, 0.01 * static_cast<double>(std::numeric_limits<T>::epsilon()));
    bool finished = false;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      residuals_[columns_[j]] = relative(squares[j], columns_[j]);
      if (suspect_[j] == Suspicion::none && !(residuals_[columns_[j]] > smallest)) {
        suspect_[j] = Suspicion::small;
      }
      finished = finished || suspect_[j] != Suspicion::none;
    }
    return finished;
  }

  // r = b - A x by definition. Columns leave whose residual is small enough, or whose recurrence has ended without
  // making it so: once because A is not positive along p, or twice in a row because of rounding.
  void refresh_residual() {
    const MatrixView<T> work = active(product_);
    for (Index i = 0; i < b_.rows(); ++i) {
      for (Index j = 0; j < count(); ++j) {
        work(i, j) = x_(i, columns_[j]);
      }
    }
    const MatrixView<T> product = active(z_);
    multiply_(work, product);
    const MatrixView<T> r = active(r_);
    std::vector<double> drift(columns_.size());
    for (Index i = 0; i < b_.rows(); ++i) {
      for (Index j = 0; j < count(); ++j) {
        const auto k = static_cast<std::size_t>(j);
        const T residual = b_(i, columns_[k]) - product(i, j);
        const double moved = static_cast<double>(residual) - static_cast<double>(r(i, j));
        drift[k] += moved * moved;
        r(i, j) = residual;
      }
    }
    const auto squares = column_dots<T>(r, r);
    std::vector<std::size_t> kept;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const auto column = static_cast<std::size_t>(columns_[j]);
      const double residual = relative(squares[j], columns_[j]);
      // Where the recurrence has drifted off, the old direction is no longer conjugate: the column begins a new one.
      if (!rho_.empty() && !(drift[j] <= 1e-4 * squares[j])) {
        rho_[j] = 0;
      }
      residuals_[column] = residual;
      const bool converged = residual <= options_.tolerance;
      bool hopeless = !std::isfinite(residual) || suspect_[j] == Suspicion::broken;
      // A residual that is mostly drift is at the level of rounding, as is one whose recurrence went on to nothing.
      if (suspect_[j] == Suspicion::small || (!rho_.empty() && drift[j] > 0.1 * squares[j])) {
        hopeless = hopeless || !(residual < 0.5 * checked_[column]);
        checked_[column] = residual;
      }
      stalled_ = stalled_ || (!converged && hopeless);
      if (!converged && !hopeless) {
        kept.push_back(j);
      }
    }
    keep(kept);
  }

  void new_direction() {
    apply_preconditioner();
    const MatrixView<T> p = active(p_);
    const MatrixView<T> z = active(z_);
    const auto next = column_dots<T>(active(r_), z);
    std::vector<T> beta(columns_.size());
    for (std::size_t j = 0; j < beta.size(); ++j) {
      beta[j] = rho_[j] > 0 ? static_cast<T>(next[j] / rho_[j]) : T{0};
    }
    for (Index i = 0; i < b_.rows(); ++i) {
      for (Index j = 0; j < count(); ++j) {
        p(i, j) = z(i, j) + beta[j] * p(i, j);
      }
    }
    rho_ = next;
  }

 private:
  enum class Suspicion { none, small, broken };

  Index count() const { return static_cast<Index>(columns_.size()); }
  MatrixView<T> active(Buffer<T>& block) { return {block.data(), b_.rows(), count()}; }

  double relative(double square, Index column) const {
    const double norm = norms_[column];
    const double residual = std::sqrt(square);
    return norm > 0 ? residual / norm : residual;
  }

  void apply_preconditioner() {
    if (precondition_) {
      precondition_(active(r_), active(z_));
    } else {
      std::copy_n(r_.data(), b_.rows() * count(), z_.data());
    }
  }

  void keep(const std::vector<std::size_t>& kept) {
    const std::size_t before = columns_.size();
    if (kept.size() == before) {
      return;
    }
    // Rows move towards the front, so reading ahead of the writes is safe.
    for (Buffer<T>* block : {&r_, &p_}) {
      T* target = block->data();
      for (Index i = 0; i < b_.rows(); ++i) {
        for (const std::size_t j : kept) {
          *target++ = block->data()[static_cast<std::size_t>(i) * before + j];
        }
      }
    }
    const auto shrink = [&](auto& values) {
      for (std::size_t k = 0; k < kept.size() && !values.empty(); ++k) {
        values[k] = values[kept[k]];
      }
      values.resize(std::min(values.size(), kept.size()));
    };
    shrink(columns_);
    shrink(rho_);
    shrink(suspect_);
  }

  const BlockOperator<T>& multiply_;
  const BlockOperator<T>& precondition_;
  ConstMatrixView<T> b_;
  MatrixView<T> x_;
  const ConjugateGradientOptions& options_;
  Buffer<T> r_, z_, p_, product_;
  std::vector<Index> columns_;      // the columns of B that are still active, in order
  std::vector<double> norms_;       // of every column of B
  std::vector<double> residuals_;   // of every column of B, relative
  std::vector<double> checked_;     // true residual when the recurrence last claimed convergence
  std::vector<double> rho_;         // r'z of the active columns
  std::vector<Suspicion> suspect_;  // of the active columns
  bool stalled_ = false;
};

}  // namespace

template <class T>
ConjugateGradientResult conjugate_gradient(const BlockOperator<std::type_identity_t<T>>& multiply,
                                           ConstMatrixViewOf<T> b, MatrixView<T> x,
                                           const ConjugateGradientOptions& options, const Run& run,
                                           const BlockOperator<std::type_identity_t<T>>& precondition) {
  options.validate();
  ConjugateGradientResult result;
  if (b.empty()) {
    result.relative_residuals.assign(b.columns(), 0.0);
    return result;
  }
  bool interrupted = false;
  Iteration<T> iteration(multiply, precondition, b, x, options);
  try {
    run.check_stop();
    iteration.start();
    int since_refresh = 0;
    while (!iteration.done() && result.iterations < options.max_iterations) {
      run.check_stop();
      const bool finished = iteration.step();
      ++result.iterations;
      ++since_refresh;
      if (finished || since_refresh >= options.refresh_every || result.iterations == options.max_iterations) {
        iteration.refresh_residual();
        since_refresh = 0;
      }
      if (!iteration.done()) {
        iteration.new_direction();
      }
    }
  } catch (const Stopped&) {
    interrupted = true;
  }
  result.status = interrupted           ? SolveStatus::stopped
                  : !iteration.done()   ? SolveStatus::iteration_limit
                  : iteration.stalled() ? SolveStatus::stalled
                                        : SolveStatus::converged;
  result.relative_residuals = iteration.relative_residuals();
  return result;
}

template ConjugateGradientResult conjugate_gradient<double>(const BlockOperator<double>&, ConstMatrixView<double>,
                                                            MatrixView<double>, const ConjugateGradientOptions&,
                                                            const Run&, const BlockOperator<double>&);
template ConjugateGradientResult conjugate_gradient<float>(const BlockOperator<float>&, ConstMatrixView<float>,
                                                           MatrixView<float>, const ConjugateGradientOptions&,
                                                           const Run&, const BlockOperator<float>&);

}  // namespace mercer
