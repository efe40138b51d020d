#include "mercer/models/gp/inducing/inducing_evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/parallel.h"
#include "mercer/gram/contraction.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/product.h"
#include "mercer/linalg/triangular.h"

namespace mercer {

namespace {

constexpr Index evidence_block_rows = 4096;
constexpr Index evidence_strip = 128;  // rows per task

// The derivatives by the entries of K_fu, K_uu and diag K, in one walk over blocks of rows of V'.
class Derivatives {
 public:
  Derivatives(InducingSystem& system, InducingMethod method, const Run& run)
      : system_(system),
        method_(method),
        run_(run),
        outputs_(static_cast<double>(system.outputs())),
        beta_(system.unwhitened(system.whitened(), run)),
        inverse_(Matrix<double>::copy_of(system.factor())),
        uu_(system.inducing(), system.inducing()),
        mixed_(std::min(system.size(), evidence_block_rows), system.inducing()),
        fu_(system.stored_v()) {
    const auto n = static_cast<std::size_t>(system.size());
    noise.assign(n, 0.0);
    diagonal.assign(n, 0.0);
    extra_.assign(n, 0.0);
    cholesky_inverse<double>(inverse_.view(), run);
    mirror_lower<double>(inverse_.view(), run);
    start_inducing();
    for (Index b = 0; b < block_count(system.size(), evidence_block_rows); ++b) {
      walk(block_range(system.size(), evidence_block_rows, b));
    }
    finish_inducing();
  }

  ConstMatrixView<double> fu() const { return fu_; }         // ∂F/∂K_fu, in the place of V'
  ConstMatrixView<double> uu() const { return uu_.view(); }  // ∂F/∂K_uu
  std::vector<double> noise, diagonal;

 private:
  // b b' - p (1 - B^-1), and V diag(e) V' where it is known without V: p (B - 1) for the variational method.
  void start_inducing() {
    const Index m = system_.inducing();
    const ConstMatrixView<double> b = system_.whitened();
    parallel_gemm<double>(1.0, b, Transpose::no, b, Transpose::yes, 0.0, uu_.view(), run_);
    const bool variational = method_ == InducingMethod::variational;
    for (Index i = 0; i < m; ++i) {
      axpy(outputs_, inverse_.view().row(i), uu_.view().row(i));
      uu_(i, i) -= variational ? 2 * outputs_ : outputs_;
    }
    if (variational) {
      Matrix<double> lower = Matrix<double>::filled(m, m, 0.0);
      for (Index i = 0; i < m; ++i) {
        std::copy_n(system_.factor().row_data(i), i + 1, lower.view().row_data(i));
      }
      parallel_gemm<double>(outputs_, lower.view(), Transpose::no, lower.view(), Transpose::yes, 1.0, uu_.view(), run_);
    }
  }

  // Row i of V' becomes β α_i + (e_i - p/λ_i B^-1) v_i, the latter times L^-1.
  void walk(IndexRange rows) {
    const MatrixView<double> v = fu_.row_block(rows);
    const MatrixView<double> mixed = mixed_.view().row_block({0, rows.size()});
    parallel_gemm<double>(1.0, v, Transpose::no, inverse_.view(), Transpose::no, 0.0, mixed, run_);
    Matrix<double> alpha(rows.size(), system_.outputs());
    parallel_gemm<double>(-1.0, v, Transpose::no, system_.whitened(), Transpose::no, 0.0, alpha.view(), run_);
    for (Index i = 0; i < rows.size(); ++i) {
      const auto row = static_cast<std::size_t>(rows.begin + i);
      const double lambda = system_.lambda()[row];
      axpy(1.0, system_.targets().row(rows.begin + i), alpha.view().row(i));
      scale(1 / lambda, alpha.view().row(i));
      // 1 - v'B^-1 v/λ is the share of λ that the inducing points leave: between 0 and 1.
      const double left = 1 - dot(v.row(i), mixed.row(i)) / lambda;
      set_diagonals(row, dot(alpha.view().row(i), alpha.view().row(i)) - outputs_ * left / lambda);
    }
    if (method_ == InducingMethod::fitc) {
      Matrix<double> scaled = Matrix<double>::copy_of(v);
      for (Index i = 0; i < rows.size(); ++i) {
        scale(extra_[rows.begin + i], scaled.view().row(i));
      }
      parallel_gemm<double>(1.0, scaled.view(), Transpose::yes, v, Transpose::no, 1.0, uu_.view(), run_);
    }
    parallel_for(run_, block_count(rows.size(), evidence_strip), [&](Index s) {
      const IndexRange part = block_range(rows.size(), evidence_strip, s);
      for (Index i = part.begin; i < part.end; ++i) {
        const auto row = static_cast<std::size_t>(rows.begin + i);
        scale(extra_[row], v.row(i));
        axpy(-outputs_ / system_.lambda()[row], mixed.row(i), v.row(i));
      }
      trsm(Side::right, Uplo::lower, Transpose::no, 1.0, system_.kernel_factor(), v.row_block(part));
      gemm(1.0, alpha.view().row_block(part), Transpose::no, beta_.view(), Transpose::yes, 1.0, v.row_block(part));
    });
  }

  // From W_ii. By one copy's share of Λ, w Λ_ii, the derivative is half of W_ii/w and of what the other copies add.
  void set_diagonals(std::size_t row, double wii) {
    const double w = system_.weights()[row];
    const double slope = wii / w - outputs_ * (w - 1) / (w * system_.lambda()[row]);
    noise[row] = 0.5 * slope;
    if (method_ == InducingMethod::fitc) {
      diagonal[row] = 0.5 * slope;
      extra_[row] = -slope;
    } else if (method_ == InducingMethod::variational) {
      const double s = system_.noise()[row];
      diagonal[row] = -0.5 * outputs_ * w / s;
      noise[row] += 0.5 * outputs_ * w * system_.residual()[row] / (s * s);
      extra_[row] = outputs_ * w / s;
    }
  }

  // X -> -½ L^-T X L^-1 for the symmetric X that has been summed up.
  void finish_inducing() {
    const Index m = system_.inducing();
    solve_lower<double>(system_.kernel_factor(), Transpose::yes, uu_.view(), run_);
    Matrix<double> turned(m, m);
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < m; ++j) {
        turned(j, i) = -0.5 * uu_(i, j);
      }
    }
    solve_lower<double>(system_.kernel_factor(), Transpose::yes, turned.view(), run_);
    double trace = 0;
    for (Index i = 0; i < m; ++i) {
      trace += turned(i, i);
      for (Index j = 0; j <= i; ++j) {
        uu_(i, j) = uu_(j, i) = 0.5 * (turned(i, j) + turned(j, i));
      }
    }
    // Jitter is a share of the mean of the diagonal, and moves with it.
    for (Index i = 0; i < m; ++i) {
      uu_(i, i) += system_.relative_jitter() * trace / static_cast<double>(m);
    }
  }

  InducingSystem& system_;
  InducingMethod method_;
  const Run& run_;
  double outputs_;
  Matrix<double> beta_;     // the expansion's coefficients
  Matrix<double> inverse_;  // B^-1
  Matrix<double> uu_;
  Matrix<double> mixed_;       // a block of V' B^-1
  std::vector<double> extra_;  // e
  MatrixView<double> fu_;
};

}  // namespace

InducingEvidence inducing_evidence(const InducingProblem& problem, const Run& run) {
  InducingSystem system(problem, InducingSystem::Keep::v, run);
  InducingEvidence evidence;
  evidence.value = system.log_evidence();
  evidence.jitter = system.jitter();
  const Derivatives derivatives(system, problem.method, run);
  evidence.kernel_gradient = contract(system.cross(), derivatives.fu(), run);
  const std::vector<double> square = contract(system.cross().kernel(), derivatives.uu(), run);
  const std::vector<double> diagonal = contract_diagonal(system.cross(), derivatives.diagonal, run);
  for (std::size_t p = 0; p < square.size(); ++p) {
    evidence.kernel_gradient[p] += square[p] + diagonal[p];
  }
  if (problem.noise.size() == 1) {
    evidence.noise_gradient = {std::accumulate(derivatives.noise.begin(), derivatives.noise.end(), 0.0)};
  } else {
    evidence.noise_gradient = derivatives.noise;
  }
  return evidence;
}

}  // namespace mercer
