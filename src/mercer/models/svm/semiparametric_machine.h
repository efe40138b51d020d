// The training samples of a support vector machine with functions beside the kernel, and the solves on them or on parts of
// them (solvers/convex/semiparametric.h): the matrix in double, n² numbers, and as many again for a solve.
//
// The functions that cost nothing are given to the solver as an orthonormal basis of what they are on the rows. A matrix that is
// positive only beside them is given without them, K → (I − QQᵀ) K (I − QQᵀ) + s QQᵀ, which changes γ by QᵀKβ. Functions
// with a price are centred, which changes the constant alone.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/models/svm/semiparametric_options.h"
#include "mercer/models/svm/svm_solver_options.h"
#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

class SemiparametricMachine {
 public:
  /// The kernel's widths are numbers. InvalidArgument where it is not positive beside the functions.
  SemiparametricMachine(const char* model, const Kernel& kernel, const Samples& samples,
                        const SemiparametricOptions& what, const SvmSolverOptions& how, const Run& run);

  Index size() const { return samples_.size(); }
  /// Only the listed rows; `share` of the memory.
  std::shared_ptr<const SemiparametricMachine> subset(std::span<const Index> rows, double share, const Run& run) const;

  /// `parametric` of what they give has one coefficient per function, and the offset is 0. InvalidArgument where the
  /// matrix and its factor do not fit into the memory.
  SvmDual c_svc(std::span<const double> signs, std::span<const double> bounds, const Run& run) const;
  SvmDual epsilon_svr(std::span<const double> targets, double epsilon, std::span<const double> bounds,
                      const Run& run) const;

 private:
  struct Rows;

  SemiparametricMachine() = default;
  const Rows& rows(const Run& run) const;
  void require_memory() const;
  template <class Solve>
  SvmDual solved(Solve solve, const Run& run) const;

  std::string model_;
  Samples samples_;
  SemiparametricOptions what_;
  double tolerance_ = 0;
  double memory_bytes_ = 0;
  bool is_conditional_ = false;
  std::shared_ptr<const Gram<double>> gram_;
  std::shared_ptr<const Gram<double>> whole_;  // what a subset refers to
  std::shared_ptr<Rows> rows_;                 // made when they are first asked for
};

}  // namespace mercer
