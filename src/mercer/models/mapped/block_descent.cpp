#include "mercer/models/mapped/block_descent.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mercer/base/parallel.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"
#include "mercer/solvers/smooth/quasi_newton.h"

namespace mercer {

namespace {

constexpr Index rows_per_loss_task = 256;

class BlockObjective {
 public:
  BlockObjective(MappedBlocks& blocks, std::span<const double> weights, const RowLoss& loss, double lambda,
                 const Run& run)
      : blocks_(blocks), weights_(weights), loss_(loss), lambda_(lambda), run_(run), size_(blocks.features() + 1) {}

  Index size() const { return size_; }
  Index passes() const { return passes_; }

  // L of M = LLᵀ.
  Matrix<double> bound_factor() {
    Matrix<double> m = Matrix<double>::filled(size_, size_, 0.0);
    for (Index b = 0; b < blocks_.count(); ++b) {
      Matrix<double> rows = Matrix<double>::copy_of(blocks_.load(b, run_));
      const IndexRange range = blocks_.range(b);
      for (Index i = 0; i < range.size(); ++i) {
        scale(std::sqrt(loss_.curvature * weight(range.begin + i)), rows.view().row(i));
      }
      parallel_syrk<double>(1.0, rows.view(), Transpose::yes, 1.0, m.view(), run_);
      run_.progress("curvature", static_cast<double>(range.end), static_cast<double>(blocks_.rows()));
    }
    for (Index a = 0; a + 1 < size_; ++a) {
      m(a, a) += lambda_;
    }
    cholesky<double>(m.view(), run_);
    return m;
  }

  // At W = 0, where no block is needed.
  double first_value() const {
    std::vector<double> none(loss_.functions, 0.0);
    std::vector<double> derivative(none.size());
    double sum = 0;
    for (Index i = 0; i < blocks_.rows(); ++i) {
      sum += weight(i) * loss_.evaluate(i, none, derivative);
    }
    return sum;
  }

  // At `solution` (size × functions); writes the gradient of the same shape.
  double operator()(ConstMatrixView<double> solution, MatrixView<double> gradient) {
    ++passes_;
    for (Index a = 0; a < size_; ++a) {
      for (Index f = 0; f < loss_.functions; ++f) {
        gradient(a, f) = a + 1 < size_ ? lambda_ * solution(a, f) : 0.0;
      }
    }
    double value = 0;
    for (Index a = 0; a + 1 < size_; ++a) {
      value += 0.5 * lambda_ * dot(solution.row(a), solution.row(a));
    }
    for (Index b = 0; b < blocks_.count(); ++b) {
      value += add_block(b, solution, gradient);
    }
    return value;
  }

 private:
  double weight(Index row) const { return weights_.empty() ? 1.0 : weights_[row]; }

  double add_block(Index b, ConstMatrixView<double> solution, MatrixView<double> gradient) {
    const ConstMatrixView<double> rows = blocks_.load(b, run_);
    const IndexRange range = blocks_.range(b);
    Matrix<double> values(range.size(), loss_.functions);
    parallel_gemm<double>(1.0, rows, Transpose::no, solution, Transpose::no, 0.0, values.view(), run_);
    const double sum = sum_in_order(run_, block_count(range.size(), rows_per_loss_task), [&](Index task) {
      std::vector<double> derivative(loss_.functions);
      double part = 0;
      const IndexRange own = block_range(range.size(), rows_per_loss_task, task);
      for (Index i = own.begin; i < own.end; ++i) {
        const std::span<double> row = values.view().row(i);
        const double w = weight(range.begin + i);
        part += w * loss_.evaluate(range.begin + i, row, derivative);
        std::transform(derivative.begin(), derivative.end(), row.begin(), [w](double slope) { return w * slope; });
      }
      return part;
    });
    parallel_gemm<double>(1.0, rows, Transpose::yes, values.view(), Transpose::no, 1.0, gradient, run_);
    return sum;
  }

  MappedBlocks& blocks_;
  std::span<const double> weights_;
  const RowLoss& loss_;
  double lambda_;
  Run run_;
  Index size_;
  Index passes_ = 0;
};

}  // namespace

DescentResult minimize_over_blocks(MappedBlocks& blocks, std::span<const double> weights, const RowLoss& loss,
                                   const DescentOptions& options, const Run& run) {
  BlockObjective objective(blocks, weights, loss, options.lambda, run);
  const Matrix<double> factor = objective.bound_factor();
  const Index size = objective.size();
  const auto count = static_cast<std::size_t>(size * loss.functions);
  Matrix<double> solution(size, loss.functions);
  double decrease = 0;
  double first_decrease = 0;
  // u ↦ the objective at W = L⁻ᵀu; the gradient by u is L⁻¹ that by W.
  const auto at = [&](std::span<const double> u, std::span<double> gradient) {
    std::copy(u.begin(), u.end(), solution.data());
    solve_lower<double>(factor.view(), Transpose::yes, solution.view(), run);
    const MatrixView<double> slopes(gradient.data(), size, loss.functions);
    const double value = objective(std::as_const(solution).view(), slopes);
    solve_lower<double>(factor.view(), Transpose::no, slopes, run);
    decrease = 0.5 * dot(gradient, gradient);
    first_decrease = objective.passes() == 1 ? decrease : first_decrease;
    run.progress("passes", static_cast<double>(objective.passes()), 0);
    return value;
  };
  const std::vector<double> start(count, 0.0);
  const std::vector<double> lower(count, -std::numeric_limits<double>::infinity());
  const std::vector<double> upper(count, std::numeric_limits<double>::infinity());
  // M bounds the curvature, so that the gradient by u is a step of the right length: lengths of √F(0) beside values of
  // F(0) keep it, and let neither the size of the weights nor that of λ count.
  const double first = objective.first_value();
  const double length = first > 0 && std::isfinite(first) ? std::exp2(std::round(0.5 * std::log2(first))) : 1.0;
  const std::vector<double> lengths(count, length);
  QuasiNewtonResult best = minimize_in_box(at, start, lower, upper,
                                           {.max_evaluations = options.max_passes,
                                            .tolerance = options.tolerance,
                                            .value_unit = length * length,
                                            .lengths = lengths},
                                           run);
  std::vector<double> gradient(count);
  DescentResult result;
  result.objective = at(best.x, gradient);
  result.status = best.status;
  result.passes = objective.passes();
  result.decrease = decrease;
  result.weights = Matrix<double>::copy_of(solution.view().row_block({0, size - 1}));
  result.offsets = Matrix<double>::copy_of(solution.view().row_block({size - 1, size}));
  return result;
}

}  // namespace mercer
