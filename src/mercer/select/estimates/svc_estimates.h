// Everything that a fitted support vector classifier says of its own test error without being fitted again: bounds and
// estimates of the leave-one-out error (leave_one_out_bounds.h, span.h), the bounds from margin and radius
// (margin_bounds.h, enclosing_ball.h), and how well kernel and labels agree (gram/alignment.h).
//
// A classifier of several classes is a set of two-class machines. Row i is classified rightly when every machine that
// knows its class is right, so that the rows which some such machine may get wrong, counted once each, bound the
// leave-one-out errors of the whole (pairs by votes or by a graph, one against the rest; codes without zeros).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mercer/models/svm/svc.h"
#include "mercer/select/estimates/leave_one_out_bounds.h"
#include "mercer/select/estimates/margin_bounds.h"
#include "mercer/select/estimates/span.h"

namespace mercer {

struct SvcEstimateOptions {
  double delta = 0.05;  ///< the margin bounds hold with probability 1 − δ
  double rho = 1;       ///< of the ξα estimates
  SpanOptions span = {};
  double memory_mb = 1000;  ///< a kernel matrix that fits into it is stored; otherwise it is computed as needed
};

/// Of one two-class machine.
struct MachineEstimates {
  Index rows = 0;
  Index support_vectors = 0;
  Index free = 0;
  Index bound = 0;
  Index training_errors = 0;
  HeldSums held_sums = HeldSums::all;  ///< each_sign: of ν-SVC
  /// With functions beside the kernel other than a constant: the rule, the counts and training errors are known, and no more.
  bool is_semiparametric = false;
  double squared_norm = 0;
  double squared_radius = 0;             ///< of a ball around its rows
  double kernel_range = 0;               ///< R²_Δ; squared slacks: of the machine's own kernel
  double alignment = 0;                  ///< centred, with yyᵀ; NaN where it is not defined
  std::optional<LeaveOneOutCount> rule;  ///< the span's rule, or of ν-SVC or functions the mean field's: an estimate
  std::optional<LeaveOneOutCount> lagrange;  ///< this and the following two: of machines with a given C, not of ν-SVC
  std::optional<XiAlphaEstimate> xi_alpha;
  std::optional<SpanEstimate> span;
  MarginBounds bounds;

  double support_fraction() const { return static_cast<double>(support_vectors) / static_cast<double>(rows); }
};

/// gram: of the machine's rows, of the kernel alone (machine.ridge is added here where slacks are squared). O(n²) kernel
/// values a few times, and what the spans cost.
MachineEstimates machine_estimates(const std::shared_ptr<const Gram<double>>& gram, const TwoClassMachine& machine,
                                   const SvcEstimateOptions& options, const Run& run);

/// Of a machine with functions beside the kernel, ψ_p(x_i) (rows × functions): what is known of it.
MachineEstimates semiparametric_estimates(const Gram<double>& gram, const TwoClassMachine& machine,
                                          ConstMatrixView<double> functions, const SvcEstimateOptions& options,
                                          const Run& run);

struct SvcEstimates {
  std::vector<std::string> names;  ///< of the machines: "a vs b"
  std::vector<MachineEstimates> machines;
  Index rows = 0;
  Index support_vectors = 0;  ///< of all machines together
  /// Of the whole classifier; none where a machine has none, or where right machines can still decode to a wrong class.
  std::optional<LeaveOneOutCount> lagrange;
  std::optional<LeaveOneOutCount> span_rule;
  std::optional<LeaveOneOutCount> span_bound;
  std::vector<std::string> notes;
};

/// data: what the model was fitted to, scaled as then, rows in the same order, the same weights. DataError where it is
/// not (other rows, other classes, coefficients that are not optimal for it). InvalidArgument for machines that are
/// solved jointly (multiclass = ww, cs): they are no two-class machines.
SvcEstimates svc_estimates(const SvcModel& model, const TrainingData& data, const SvcEstimateOptions& options,
                           const Run& run);

}  // namespace mercer
