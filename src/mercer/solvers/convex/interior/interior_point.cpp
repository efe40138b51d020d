#include "mercer/solvers/convex/interior/interior_point.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/solvers/convex/interior/barrier_state.h"
#include "mercer/solvers/convex/interior/infeasibility.h"
#include "mercer/solvers/convex/program/diagonal_quadratic.h"
#include "mercer/solvers/convex/program/optimality.h"
#include "mercer/solvers/convex/program/program_proofs.h"

namespace mercer {

namespace {

constexpr double share_of_way = 0.995;  // to the nearest bound
constexpr double far_away = 1e5;        // of x, in units of the data: there it is asked whether there is an optimum
constexpr Index first_doubt = 7;        // steps without progress before the programme itself is doubted
constexpr Index patience = 25;          // and before nothing more is expected

constexpr const char* contradicting_constraints =
    "no point meets all constraints: the certificate combines them to one that contradicts the bounds";

class InteriorPointMethod {
 public:
  InteriorPointMethod(const ConvexProgram& program, const InteriorPointOptions& options, const Run& run)
      : program_(program),
        options_(options),
        run_(run),
        rows_(program),
        zero_(program.has_quadratic() ? nullptr : DiagonalQuadratic::zero(program.size())),
        quadratic_(program.has_quadratic() ? *program.quadratic : *zero_),
        couples_steps_(program.has_quadratic() || program.separable != nullptr) {}

  ConvexSolution solve();

 private:
  bool iterate(BarrierState& state, NewtonSystem& system);
  std::pair<double, double> steps(const BarrierState& state, double share) const;
  double next_mean(BarrierState& state, NewtonSystem& system, const BarrierResiduals& now);
  void centre(BarrierState& state, NewtonSystem& system, double mean, NewtonSystem::Refinement refinement);
  void advance(BarrierState& state, double primal, double dual, double slope);
  bool verify(const BarrierState& state);
  bool prove_infeasible(const FarkasCertificate& certificate);
  bool prove(const BarrierState& state);
  void end_without_optimum(const BarrierState& state, ProgramStatus status);
  void finish(ProgramStatus status, std::string message);
  void keep_best(const BarrierState& state, const BarrierResiduals& now);

  const ConvexProgram& program_;
  const InteriorPointOptions& options_;
  const Run& run_;
  ProgramRows rows_;
  std::unique_ptr<DiagonalQuadratic> zero_;
  const QuadraticTerm& quadratic_;
  bool couples_steps_;  // the gradient depends on x: primal and dual steps are equal
  bool refines_ = false;
  bool doubted_ = false;
  double least_mean_ = std::numeric_limits<double>::infinity();
  Index cycles_ = 0;  ///< steps since the products were least
  double first_feasibility_ = 0;
  double first_mean_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
  double least_residual_ = best_;
  Index progress_at_ = 0;
  ConvexSolution solution_;
};

void InteriorPointMethod::finish(ProgramStatus status, std::string message) {
  solution_.status = status;
  solution_.message = std::move(message);
  const OptimalityReport report = check_optimality(program_, solution_.point, run_);
  solution_.primal = report.primal;
  solution_.dual = report.dual;
  solution_.relative_gap = report.relative_gap;
}

bool InteriorPointMethod::verify(const BarrierState& state) {
  ConvexPoint point = state.point();
  const OptimalityReport report = check_optimality(program_, point, run_);
  if (!(report.worst() <= options_.tolerance)) {
    return false;
  }
  solution_.point = std::move(point);
  return true;
}

bool InteriorPointMethod::prove_infeasible(const FarkasCertificate& certificate) {
  if (!proves_infeasible(program_, certificate, 1e-12, run_)) {
    return false;
  }
  solution_.certificate = certificate;
  solution_.certificate.margin = check_farkas(program_, certificate, run_).margin;
  return true;
}

void InteriorPointMethod::keep_best(const BarrierState& state, const BarrierResiduals& now) {
  const auto lower = [&](double value, double& least) {
    const bool better = value < 0.9 * least;
    least = better ? value : least;
    return better;
  };
  if (lower(std::max(now.feasibility, now.stationarity), least_residual_)) {
    progress_at_ = solution_.iterations;
  }
  if (lower(now.worst(), best_) || solution_.point.x.empty()) {
    progress_at_ = solution_.iterations;
    solution_.point = state.point();
  }
}

// With a separable term the model may be wrong over the whole step: half of it, again, until the slopes fall or are
// small beside the gap.
void InteriorPointMethod::advance(BarrierState& state, double primal, double dual, double slope) {
  state.advance(primal, dual, run_);
  if (program_.separable == nullptr) {
    return;
  }
  const auto good = [&] {
    const BarrierResiduals now = state.residuals();
    return now.slope <= (1 - 0.01 * primal) * slope ||
           now.stationarity <= std::max(0.3 * options_.tolerance, 0.1 * std::min(1.0, now.gap));
  };
  for (int half = 0; half < 50 && !good(); ++half) {
    primal /= 2;
    dual /= 2;
    state.advance(-primal, -dual, run_);
  }
}

std::pair<double, double> InteriorPointMethod::steps(const BarrierState& state, double share) const {
  auto [primal, dual] = state.reach(1 / share);
  primal *= share;
  dual *= share;
  // Two lengths that make the products grow are one length.
  const double products = state.mean_product() * static_cast<double>(state.pairs());
  if (couples_steps_ || state.products_after(primal, dual) > 2 * products) {
    primal = dual = std::min(primal, dual);
  }
  return {primal, dual};
}

// Mehrotra's aim: the cube of what the predictor leaves of the products. Not below what they are where the constraints
// are not met as much better as the products are smaller: near the bounds there would be no way back.
double InteriorPointMethod::next_mean(BarrierState& state, NewtonSystem& system, const BarrierResiduals& now) {
  const double mean = state.mean_product();
  state.aim_at(0, 0);
  state.find_step(system, NewtonSystem::Refinement::none, run_);
  const auto [primal, dual] = steps(state, 1.0);
  const double ratio = state.products_after(primal, dual) / (static_cast<double>(state.pairs()) * mean);
  double share = ratio * ratio * ratio;
  if (now.feasibility > options_.tolerance && now.feasibility * first_mean_ > 10 * first_feasibility_ * mean) {
    share = std::max(share, 0.5);
  }
  if (couples_steps_ && cycles_ > 2) {
    share = std::max(share, 0.3);
  }
  return std::min(share, 1.0) * mean;
}

// Products far from their mean shorten the steps to come: corrections of their own, as long as steps grow by them.
// J. Gondzio, Multiple centrality corrections in a primal-dual method for linear programming (1996).
void InteriorPointMethod::centre(BarrierState& state, NewtonSystem& system, double mean,
                                 NewtonSystem::Refinement refinement) {
  for (int correction = 0; correction < 2; ++correction) {
    const auto [primal, dual] = steps(state, share_of_way);
    const double shorter = std::min(primal, dual);
    if (shorter > 0.9) {
      return;
    }
    BarrierState::Step before = state.last_step();
    state.aim_at_centre(std::min(1.0, primal + 0.3), std::min(1.0, dual + 0.3), mean);
    state.find_step(system, refinement, run_);
    const auto [next_primal, next_dual] = steps(state, share_of_way);
    if (!(std::min(next_primal, next_dual) > shorter + 0.03)) {
      state.restore(std::move(before));
      return;
    }
  }
}

bool InteriorPointMethod::iterate(BarrierState& state, NewtonSystem& system) {
  const BarrierResiduals before = state.residuals();
  state.factorize(system, run_);
  const auto refinement = refines_ ? NewtonSystem::Refinement::three : NewtonSystem::Refinement::none;
  if (state.pairs() == 0) {
    state.find_step(system, refinement, run_);
  } else {
    const double mean = next_mean(state, system, before);
    state.aim_at(mean, couples_steps_ && cycles_ > 2 ? 0.0 : 1.0);
    state.find_step(system, refinement, run_);
    centre(state, system, mean, refinement);
  }
  const auto [primal, dual] = steps(state, share_of_way);
  if (!state.is_finite() || !(std::max(primal, dual) > 1e-12)) {
    return false;
  }
  advance(state, primal, dual, before.slope);
  // Steps that take turns at raising and lowering the products come to an end without the second-order term.
  cycles_ = state.mean_product() < least_mean_ ? 0 : cycles_ + 1;
  least_mean_ = std::min(least_mean_, state.mean_product());
  // Linear residuals fall by the step's length; where they do not, the steps are not accurate enough.
  const BarrierResiduals after = state.residuals();
  const double left = 1 - std::min(primal, dual);
  refines_ =
      refines_ || (program_.separable == nullptr && after.worst() > options_.tolerance &&
                   ((after.slope > 2 * left * before.slope && after.stationarity > 0.3 * options_.tolerance) ||
                    (after.violation > 2 * left * before.violation && after.feasibility > 0.3 * options_.tolerance)));
  return true;
}

// Whether the programme has no optimum: proved by programmes that have one. Asked once.
bool InteriorPointMethod::prove(const BarrierState& state) {
  if (options_.certificates == Certificates::off || doubted_) {
    return false;
  }
  doubted_ = true;
  if (std::optional<FarkasCertificate> farkas = find_farkas_certificate(program_, run_.quiet())) {
    solution_.certificate = std::move(*farkas);
    solution_.point = state.point();
    finish(ProgramStatus::infeasible, contradicting_constraints);
    return true;
  }
  if (std::optional<std::vector<double>> ray = find_ray(program_, run_.quiet())) {
    solution_.ray = std::move(*ray);
    finish(ProgramStatus::unbounded,
           "the objective has no lowest value: it falls for ever along the ray, which no "
           "constraint ends");
    return true;
  }
  return false;
}

void InteriorPointMethod::end_without_optimum(const BarrierState& state, ProgramStatus status) {
  if (!prove(state)) {
    finish(status, status == ProgramStatus::iteration_limit
                       ? "the iterations ran out before the tolerance was met: allow more of them"
                       : "rounding ended the progress before the tolerance was met: the point is the best one found; "
                         "scale the programme or ask for less accuracy");
  }
}

ConvexSolution InteriorPointMethod::solve() {
  if (rows_.contradiction() && prove_infeasible(*rows_.contradiction())) {
    solution_.point = BarrierState(program_, quadratic_, rows_).point();
    finish(ProgramStatus::infeasible, "no point meets all constraints: a row of zeros is asked to be another number");
    return std::move(solution_);
  }
  BarrierState state(program_, quadratic_, rows_);
  NewtonSystem system(quadratic_, rows_);
  state.start(system, run_);
  first_feasibility_ = state.residuals().feasibility;
  first_mean_ = state.mean_product();
  for (;; ++solution_.iterations) {
    run_.check_stop();
    const BarrierResiduals now = state.residuals();
    const double digits = std::max(0.0, -std::log10(options_.tolerance));
    run_.progress("interior point", std::min(digits, std::max(0.0, -std::log10(now.worst()))), digits);
    // Where a flat objective falls for ever, slopes are small beside a far enough point: no promise without a look.
    const bool far = state.relative_distance() > far_away;
    if (far && now.feasibility < 1e-3 && prove(state)) {
      return std::move(solution_);
    }
    if (now.worst() <= options_.tolerance && verify(state)) {
      finish(ProgramStatus::converged, "the point is optimal within the tolerance");
      return std::move(solution_);
    }
    keep_best(state, now);
    if (options_.certificates == Certificates::on && now.feasibility > options_.tolerance &&
        prove_infeasible(state.certificate())) {
      solution_.point = state.point();
      finish(ProgramStatus::infeasible, contradicting_constraints);
      return std::move(solution_);
    }
    if (solution_.iterations >= options_.max_iterations) {
      end_without_optimum(state, ProgramStatus::iteration_limit);
      return std::move(solution_);
    }
    const Index idle = solution_.iterations - progress_at_;
    if (idle >= first_doubt && !doubted_ && prove(state)) {
      return std::move(solution_);
    }
    if (idle >= patience || !iterate(state, system)) {
      end_without_optimum(state, ProgramStatus::stalled);
      return std::move(solution_);
    }
  }
}

}  // namespace

ConvexSolution solve_convex_program(const ConvexProgram& program, const InteriorPointOptions& options, const Run& run) {
  require_valid(program);
  if (!(options.tolerance > 0)) {
    reject_argument("interior point: tolerance", options.tolerance, "positive");
  }
  if (options.max_iterations < 1) {
    reject_argument("interior point: max_iterations", static_cast<double>(options.max_iterations), "at least 1");
  }
  return InteriorPointMethod(program, options, run).solve();
}

}  // namespace mercer
