// Support vector machines as functions of the weights of a sum of kernels (solvers/convex/kernel_weights.h): all machines of a
// classifier, or one per output of a regression, share one set of weights, J(d) = Σ_m J_m(d).
//
//   C-SVC   L = Σ y_iβ_i            ε-SVR   L = yᵀβ − ε‖β‖₁            q_k = Σ_m β_mᵀK_kβ_m
//
//   ∂²J/∂d_k∂d_l = Σ_m (K_kβ)_Fᵀ P (K_lβ)_F     F: coefficients between their bounds,  P: (K_FF)⁻¹ on what sums to 0
#pragma once

#include <span>
#include <vector>

#include "mercer/models/multiple_kernel/summands.h"
#include "mercer/models/svm/svc_training.h"
#include "mercer/models/svm/svm_engine.h"
#include "mercer/solvers/convex/kernel_weights.h"

namespace mercer {

/// The output that one regression machine fits.
struct TubeTask {
  std::vector<double> targets;
  std::vector<double> bounds;
  double epsilon = 0;
};

/// The solver of machines whose weights are learnt to this tolerance: tight enough not to hide the gap of the weights, and
/// therefore with double kernel values.
SvmSolverOptions weight_solver_options(const SvmSolverOptions& given, double weight_tolerance, Index rows);

class MachineWeights final : public WeightProblem {
 public:
  /// The tasks number the rows of `grams`; tasks whose rows are all of one sign say nothing of the weights and are left
  /// out: InvalidArgument where none remains. `kernels` and `samples` are those of the grams: where their tiles are not stored, machines work on these.
  MachineWeights(const SummandGrams& grams, std::span<const Kernel> kernels, const Samples& samples,
                 std::vector<MachineTask> tasks, const SvmSolverOptions& solver);
  MachineWeights(const SummandGrams& grams, std::span<const Kernel> kernels, const Samples& samples,
                 std::vector<TubeTask> tasks, const SvmSolverOptions& solver);

  WeightEvaluation evaluate(std::span<const double> weights, const Run& run) override;
  /// One factorisation of |F|³/3 per machine.
  Matrix<double> curvature(const Run& run) override;

 private:
  struct Machine {
    MachineTask classes;          // rows and bounds are those of either kind
    std::vector<double> targets;  // of a regression
    double epsilon = 0;
    std::vector<double> beta = {};
  };
  struct MachineValue {
    double upper = 0;
    double linear = 0;
  };

  SvmEngine engine(std::span<const double> weights, const Run& run) const;
  MachineValue solve(const SvmEngine& all, Machine& machine, double share, const Run& run) const;
  void add_curvature(const Machine& machine, Matrix<double>& sum, const Run& run) const;

  const SummandGrams& grams_;
  std::span<const Kernel> kernels_;
  Samples samples_;
  SvmSolverOptions solver_;
  std::vector<Machine> machines_;
  std::vector<double> weights_;  // of the last evaluation
};

}  // namespace mercer
