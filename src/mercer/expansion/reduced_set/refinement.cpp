#include "mercer/expansion/reduced_set/refinement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/expansion/preimage_points.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/tile.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/solvers/smooth/quasi_newton.h"

namespace mercer {

namespace {

constexpr Index points_per_task = 32;
constexpr Index centers_per_tile = 1024;
// Relative to the largest k(z, z): points that meet share their coefficient instead of splitting it into ±∞.
constexpr double point_ridge = 1e-10;
// Of the quasi-Newton method: more of them cost more than an evaluation and lower the error no faster.
constexpr Index kept_steps = 20;

// Rows of K^zx and K^z of one task; the contexts keep the inner products for the derivatives.
struct PointBlock {
  IndexRange rows;
  Workspace workspace;
  std::vector<TileContext<double>> to_centers;
  std::vector<TileContext<double>> to_points;
};

class RefinementPass {
 public:
  RefinementPass(const ReductionTarget& target, ConstMatrixView<double> points, const Run& run)
      : target_(target),
        run_(run),
        n_(points.rows()),
        prepared_(target.prepared()->prepare(points_like(target.centers(), points), run)),
        cross_(n_, target.size()),
        own_(n_, n_),
        blocks_(static_cast<std::size_t>(block_count(n_, points_per_task))) {}

  double value(MatrixView<double> gradient) {
    parallel_for(run_, static_cast<Index>(blocks_.size()), [this](Index b) { fill(b); });
    double largest = 0;
    for (Index i = 0; i < n_; ++i) {
      largest = std::max(largest, own_(i, i));
    }
    Matrix<double> products(n_, target_.outputs());
    parallel_gemm<double>(1.0, cross_.view(), Transpose::no, target_.coefficients(), Transpose::no, 0.0,
                          products.view(), run_);
    Matrix<double> factor = Matrix<double>::copy_of(own_.view());
    for (Index i = 0; i < n_; ++i) {
      factor(i, i) += point_ridge * largest;
    }
    Matrix<double> beta = Matrix<double>::copy_of(products.view());
    if (!try_cholesky(factor.view(), run_).ok) {
      return std::numeric_limits<double>::infinity();
    }
    cholesky_solve<double>(factor.view(), beta.view(), run_);
    double error = target_.total_squared_norm();
    for (Index j = 0; j < n_; ++j) {
      error -= dot(products.view().row(j), beta.view().row(j));
    }
    if (!gradient.empty()) {
      parallel_for(run_, static_cast<Index>(blocks_.size()), [&](Index b) { differentiate(b, beta.view(), gradient); });
    }
    return error;
  }

 private:
  const KernelNode& node() const { return target_.kernel().node(); }

  void fill(Index b) {
    PointBlock& block = blocks_[b];
    block.rows = block_range(n_, points_per_task, b);
    const auto add = [&](const Prepared& other, std::vector<TileContext<double>>& contexts, MatrixView<double> out) {
      for (Index c = 0; c < block_count(other.size(), centers_per_tile); ++c) {
        const IndexRange columns = block_range(other.size(), centers_per_tile, c);
        contexts.emplace_back(*prepared_, block.rows, other, columns, block.workspace);
        node().tile(contexts.back(), out.block(block.rows, columns));
      }
    };
    add(target_.prepared()->reference(), block.to_centers, cross_.view());
    add(*prepared_, block.to_points, own_.view());
  }

  void differentiate(Index b, ConstMatrixView<double> beta, MatrixView<double> gradient) {
    PointBlock& block = blocks_[b];
    const MatrixView<double> out = gradient.row_block(block.rows);
    for (Index i = 0; i < out.rows(); ++i) {
      std::ranges::fill(out.row(i), 0.0);
    }
    const auto add = [&](std::vector<TileContext<double>>& contexts, ConstMatrixView<double> other, double sign) {
      for (TileContext<double>& context : contexts) {
        ScratchMatrix<double> weights = context.scratch();
        gemm(sign, beta.row_block(block.rows), Transpose::no, other.row_block(context.columns()), Transpose::yes, 0.0,
             weights.view());
        node().contract_inputs(context, weights.view(), out);
      }
    };
    // βᵀK^zβ holds every pair twice, and twice z_j on the diagonal: both are the factor 2 of ∂k(z_j, z_l)/∂z_j.
    add(block.to_points, beta, 2.0);
    add(block.to_centers, target_.coefficients(), -2.0);
  }

  const ReductionTarget& target_;
  const Run& run_;
  Index n_;
  std::shared_ptr<const Prepared> prepared_;
  Matrix<double> cross_;
  Matrix<double> own_;
  std::vector<PointBlock> blocks_;
};

void require_movable(const ReductionTarget& target, ConstMatrixView<double> points) {
  require_numeric_points(target.centers());
  if (!target.kernel().node().has_input_derivatives()) {
    no_input_derivatives(target.kernel().node());
  }
  if (points.rows() > 0 && points.columns() != target.prepared()->reference().samples().columns()) {
    throw InvalidArgument("points of " + std::to_string(points.columns()) + " columns for samples of " +
                          std::to_string(target.prepared()->reference().samples().columns()));
  }
}

}  // namespace

void RefinementOptions::validate() const {
  if (max_evaluations < 1) {
    reject_argument("max_evaluations", static_cast<double>(max_evaluations), "1 or more");
  }
  if (!(tolerance > 0) || !(tolerance < 1)) {
    reject_argument("tolerance", tolerance, "between 0 and 1");
  }
}

double refinement_objective(const ReductionTarget& target, ConstMatrixView<double> points, MatrixView<double> gradient,
                            const Run& run) {
  require_movable(target, points);
  return RefinementPass(target, points, run).value(gradient);
}

RefinedSet refine(const ReductionTarget& target, ConstMatrixView<double> points, const RefinementOptions& options,
                  const Run& run) {
  options.validate();
  require_movable(target, points);
  RefinedSet result;
  result.set = fit_coefficients(target, points_like(target.centers(), points), run);
  result.first_squared_error = result.set.total_squared_error();
  const double unit = target.total_squared_norm();
  if (points.rows() == 0 || !(unit > 0)) {
    return result;
  }
  const Run inner = run.quiet();
  Index done = 0;
  const SmoothFunction function = [&](std::span<const double> x, std::span<double> gradient) {
    const ConstMatrixView<double> z(x.data(), points.rows(), points.columns());
    const double value =
        RefinementPass(target, z, inner).value(MatrixView<double>(gradient.data(), z.rows(), z.columns()));
    run.progress("refining", static_cast<double>(++done), static_cast<double>(options.max_evaluations));
    return value;
  };
  const Matrix<double> start = Matrix<double>::copy_of(points);
  const auto count = static_cast<std::size_t>(points.rows() * points.columns());
  const std::vector<double> lower(count, -std::numeric_limits<double>::infinity());
  const std::vector<double> upper(count, std::numeric_limits<double>::infinity());
  std::vector<double> lengths;
  const std::vector<double> of_columns = column_lengths(points_of(target.centers()).view());
  for (Index j = 0; j < points.rows(); ++j) {
    lengths.insert(lengths.end(), of_columns.begin(), of_columns.end());
  }
  const QuasiNewtonResult found = minimize_in_box(function, {start.data(), count}, lower, upper,
                                                  {.max_evaluations = options.max_evaluations,
                                                   .tolerance = options.tolerance,
                                                   .memory = kept_steps,
                                                   .value_unit = unit,
                                                   .lengths = lengths},
                                                  inner);
  result.evaluations = found.evaluations;
  const ConstMatrixView<double> moved(found.x.data(), points.rows(), points.columns());
  ReducedSet refined = fit_coefficients(target, points_like(target.centers(), moved), run);
  if (refined.total_squared_error() <= result.first_squared_error) {
    result.set = std::move(refined);
  }
  return result;
}

}  // namespace mercer
