// The training samples of a support vector regression that box_qp has no form for, and its solves
// (solvers/convex): a tube of a given shape, one that holds all rows, or Huber's loss with a scale that is found. The matrix in double, n² numbers, and
// as many again for a solve; centred, so that a kernel that is positive only beside a constant is positive.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/kernels/kernel.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/svm/svm_solver_options.h"
#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

class TubeMachine {
 public:
  /// The kernel's widths are numbers; `reason`: the option that needs the whole matrix, for messages. InvalidArgument where
  /// the kernel is not positive beside a constant, or the matrix and its factor do not fit into the memory.
  TubeMachine(const char* model, const Kernel& kernel, const Samples& samples, const std::string& reason,
              const SvmSolverOptions& how, const Run& run);

  Index size() const { return kernel_.rows(); }
  /// ε-SVR without slack, a width per row. NumericalError where no function of the kernel is so near to all targets;
  /// `unit`: that of the targets, for the message.
  SvmDual hard_svr(std::span<const double> targets, std::span<const double> epsilons, double unit,
                   const Run& run) const;
  /// ν-SVR with a tube of this shape (rows × functions, none negative): ε_q costs `prices`[q]. Bounds may be infinite.
  /// `margin` of what it gives is the mean width, rows counted by `weights`. A
  /// function that is 0 on all rows, or equal to one that costs no more, has ε_q = 0; `dependence` of what this gives says so.
  SvmDual shaped_nu_svr(std::span<const double> targets, ConstMatrixView<double> shapes, std::span<const double> prices,
                        std::span<const double> bounds, std::span<const double> weights, const Run& run) const;
  /// Huber's loss whose scale σ costs `price`/2 (solvers/convex/huber_scale.h): `margin` of what it gives.
  SvmDual huber_nu_svr(std::span<const double> targets, double price, std::span<const double> bounds,
                       const Run& run) const;

 private:
  /// Of a solution with the matrix as it is kept.
  template <class Solution>
  SvmDual dual_of(const Solution& solution) const;

  std::string model_;
  double tolerance_ = 0;
  // Centered and in its own unit s: bounds and prices are times s for it, and coefficients and objective 1/s of what it gives.
  Matrix<double> kernel_;
  std::vector<double> means_;  // of the rows of the matrix before
  double unit_ = 1;
};

}  // namespace mercer
