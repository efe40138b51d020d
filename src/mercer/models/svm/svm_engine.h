// SvmEngine: the training samples of a support vector machine as a Gram matrix in the precision that the tolerance asks
// for, and the solves on it or on parts of it. Every SVM model, and the LIBSVM commands, train through this.
//
// Kernel values are float unless the tolerance is 1e-5 or less, or float has no three digits of how they differ. A float
// solution stands where it has the gap g that the tolerance asks for and 8 δ √Σβ² ≤ 2 g, δ the error of one float value on
// these samples (gram/entry_error.h); elsewhere, and with `verify = double`, it is taken up by a double solve, which
// recomputes the gradient with double kernel values and goes on until the gap holds there. Predictions are made in float where 8 δ √Σβ² ≤ g.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "mercer/gram/entry_error.h"
#include "mercer/gram/gram.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/prepared.h"
#include "mercer/models/fit_report.h"
#include "mercer/models/svm/lazy_gram.h"
#include "mercer/models/svm/semiparametric_machine.h"
#include "mercer/models/svm/slack_groups.h"
#include "mercer/models/svm/svm_solver_options.h"
#include "mercer/solvers/convex/joint_nu.h"
#include "mercer/solvers/svm/joint_multiclass.h"
#include "mercer/solvers/svm/svm_dual.h"

namespace mercer {

class SvmEngine {
 public:
  /// The kernel's widths are numbers. Indefinite kernels are accepted with one warning, conditional ones of order 1
  /// silently; of a higher order: InvalidArgument.
  SvmEngine(const Kernel& kernel, const Samples& samples, const SvmSolverOptions& options, const Run& run);
  /// With functions beside the kernel: those other than the constant are solved for by an interior point, c_svc and
  /// epsilon_svr alone (semiparametric_machine.h).
  SvmEngine(const char* model, const Kernel& kernel, const Samples& samples, const SvmSolverOptions& options,
            const SemiparametricOptions& parametric, const Run& run);
  /// A precomputed matrix.
  SvmEngine(Matrix<double> gram, const SvmSolverOptions& options, const Run& run);

  Index size() const;
  /// Only the listed rows; `share` of the memory.
  SvmEngine subset(std::span<const Index> rows, double share, const Run& run) const;

  /// The same rows with the kernel matrix stored once, for several machines that would each compute much of it. Takes
  /// half of the memory; the engine itself where it does not fit, or is stored already.
  SvmEngine stored(const Run& run) const;
  /// The rows whose share is 0, in the feature space whose origin is Σ s_i Φ(x_i), of the others: in double. Shares sum to 1.
  SvmEngine about_mean(std::vector<double> shares, const Run& run) const;
  /// The same, `share` of the memory.
  SvmEngine with_share(double share) const;

  SvmDual c_svc(std::span<const double> signs, std::span<const double> bounds, const Run& run,
                std::span<const double> start = {}) const;
  /// The same in the coefficients, with double kernel values. InvalidArgument for a kernel that is positive only
  /// conditionally, and where the memory does not hold what solvers/convex/primal_svc.h stores.
  SvmDual primal_svc(std::span<const double> signs, std::span<const double> bounds, const Run& run) const;
  SvmDual l2_svc(std::span<const double> signs, std::span<const double> bounds, const Run& run) const;
  /// One slack per group of rows (solvers/convex/grouped_slack.h), of C_g, and of w_g with ν.
  SvmDual grouped_svc(std::span<const double> signs, const SlackGroups& groups, const Run& run) const;
  SvmDual grouped_nu_svc(std::span<const double> signs, double nu, const SlackGroups& groups, const Run& run) const;
  SvmDual nu_svc(std::span<const double> signs, double nu, std::span<const double> weights, const Run& run) const;
  /// No slack; weights of 0 take a row out. NumericalError where the classes cannot be separated.
  SvmDual hard_svc(std::span<const double> signs, std::span<const double> weights, const Run& run) const;
  SvmDual epsilon_svr(std::span<const double> targets, double epsilon, std::span<const double> bounds, const Run& run,
                      std::span<const double> start = {}) const;
  SvmDual nu_svr(std::span<const double> targets, double nu, std::span<const double> bounds, const Run& run) const;
  /// Not with functions beside the kernel.
  SvmDual quantile_svr(std::span<const double> targets, double level, std::span<const double> bounds, const Run& run,
                       std::span<const double> start = {}) const;
  /// A width ε_i per row.
  SvmDual epsilon_svr(std::span<const double> targets, std::span<const double> epsilons, std::span<const double> bounds,
                      const Run& run) const;
  SvmDual hard_nu_svr(std::span<const double> targets, double price, std::span<const double> weights,
                      const Run& run) const;
  /// f above the targets (svm_dual.h). InvalidArgument for a kernel that is positive only conditionally.
  SvmDual one_sided_svr(std::span<const double> targets, double price, std::span<const double> bounds,
                        std::span<const double> weights, const Run& run) const;
  /// `signs`: y_i = ±1, of known outliers −1; empty: all +1. InvalidArgument for signs with a conditional kernel.
  SvmDual one_class(double nu, std::span<const double> weights, const Run& run,
                    std::span<const double> signs = {}) const;
  SvmDual svdd(double nu, std::span<const double> weights, const Run& run) const;
  /// All classes in one problem; a start in `problem` is not looked at. Without offsets a kernel that is positive only
  /// conditionally is refused: InvalidArgument.
  JointResult joint(const JointProblem& problem, JointLoss loss, JointOffsets offsets, const Run& run) const;
  /// The same of the ν kind, with offsets; bounds are weights.
  JointNuResult joint_nu(const JointProblem& problem, double nu, const Run& run) const;
  std::vector<double> diagonal() const;

 private:
  SvmEngine() = default;

  // Calls solve(gram, options, found) with a Gram<float>, a Gram<double> or one after the other; `found` is the solution
  // to go on from, or null. `scale`: whether a gap in float is to be small in units of the problem, or (regression without
  // standardising, LIBSVM's meaning) never above the tolerance itself either.
  template <class Solve>
  SvmDual run_solve(Solve solve, GapScale scale = GapScale::relative) const;
  // The gap that the tolerance asks for; `unit`: what it is to be small against (solvers/svm/svm_dual.h).
  double wanted_gap(double unit, GapScale scale) const;
  JointOptions joint_options(JointLoss loss, JointOffsets offsets) const;
  bool stands_in_float(const SvmDual& found, double gap) const;
  // Whether rounding of float values leaves a solution with these coefficients one.
  bool float_suffices(std::span<const double> coefficients, double gap) const;
  bool hides_gaps_in_double(const SvmDual& dual) const;
  Precision value_precision(std::span<const double> coefficients, double gap) const;

  BoxQpOptions options_;
  bool verifies_in_double_ = false;
  bool is_conditional_ = false;                // the kernel is positive only beside a constant
  EntryError error_;                           // of float values
  std::shared_ptr<const Gram<float>> single_;  // null: double only
  std::shared_ptr<const LazyGram> full_;
  std::shared_ptr<const SemiparametricMachine> semiparametric_;  // null: the constant is all
};

/// Samples as the tiles want them: dense where that is worth_densifying(). Numbers are as they were given.
Samples packed_for_svm(const Samples& samples);
/// Some of the rows, in the form that is best for all.
Samples packed_for_svm(const Samples& samples, std::span<const Index> rows);

/// The union of the rows with a coefficient that is not 0, and the coefficients of every machine on it.
struct SupportSet {
  std::vector<Index> rows;      ///< ascending
  Matrix<double> coefficients;  ///< rows × machines
};
struct MachineCoefficients {
  std::vector<Index> rows;  ///< of the training set
  std::span<const double> coefficients;
};
/// All training rows where values of the kernel depend on them as a set (center, tfidf): none may be dropped then.
SupportSet support_set(const Kernel& kernel, std::span<const MachineCoefficients> machines, Index training_rows);

/// The worst status, the sum of steps, the largest gap.
void add_to_report(const SvmDual& dual, FitReport& report);
/// Once, that functions beside the kernel depend on each other, where they do.
void note_dependence(const SvmDual& dual, FitReport& report);

}  // namespace mercer
