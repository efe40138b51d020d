#include "mercer/solvers/convex/joint_nu.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/solvers/convex/interior/interior_point.h"

namespace mercer {

namespace {

constexpr int most_solves = 80;
constexpr Index usual_steps = 10'000'000;
constexpr double inner_tolerance = 0.25;  // of the tolerance: what a solve may be wrong by
constexpr double widest = 1e10;           // from the first C, in its unit

template <class T>
class JointNuSearch {
 public:
  JointNuSearch(const Gram<T>& gram, const JointProblem& problem, double nu, const JointOptions& options,
                const Run& run)
      : gram_(gram), problem_(problem), nu_(nu), options_(options), run_(run) {
    options_.tolerance *= inner_tolerance;
    steps_allowed_ = options.max_steps > 0
                         ? options.max_steps
                         : std::max<Index>(usual_steps, 100 * static_cast<Index>(problem.classes.size()));
    total_ = std::accumulate(problem.bounds.begin(), problem.bounds.end(), 0.0) *
             static_cast<double>(problem.class_count - 1);
    std::vector<double> diagonal(problem.classes.size());
    gram.diagonal(diagonal);
    const double sum = std::accumulate(diagonal.begin(), diagonal.end(), 0.0);
    unit_ = sum > 0 ? static_cast<double>(diagonal.size()) / sum : 1.0;
  }

  JointNuResult solve(double tolerance) {
    try_factor(unit_);
    bracket(tolerance);
    while (!is_met(tolerance) && result_.solves < most_solves && may_go_on() &&
           high_.factor > low_.factor * (1 + 1e-12)) {
      try_factor(next_factor());
    }
    result_.rho = 2 / factor_;
    JointResult& machine = result_.machine;
    const double sum = result_.nu * factor_ * total_;
    machine.objective += 2 * sum;
    machine.primal -= 2 * sum;
    machine.steps = steps_;
    if (!is_met(tolerance) && (machine.status == SolveStatus::converged || !may_go_on())) {
      machine.status = may_go_on() ? SolveStatus::stalled : SolveStatus::iteration_limit;
    }
    return std::move(result_);
  }

 private:
  // C = factor · w, and by how much Σa is above what ν asks for.
  struct Point {
    double factor = 0;
    double excess = 0;
  };

  bool may_go_on() const { return steps_ < steps_allowed_; }
  bool is_met(double tolerance) const { return std::abs(result_.nu - nu_) <= tolerance * nu_; }

  void try_factor(double factor) {
    std::vector<double> bounds(problem_.bounds.begin(), problem_.bounds.end());
    for (double& bound : bounds) {
      bound *= factor;
    }
    JointProblem next = problem_;
    next.bounds = bounds;
    next.start = {};
    next.start_offsets = {};
    Matrix<double> start;
    const std::vector<double> offsets = result_.machine.offsets;
    if (result_.solves > 0) {
      start = scaled_start(factor / factor_, bounds);
      next.start = std::as_const(start).view();
      next.start_offsets = offsets;
    }
    options_.max_steps = steps_allowed_ - steps_;
    result_.machine = solve_joint_multiclass(gram_, next, options_, run_);
    steps_ += result_.machine.steps;
    ++result_.solves;
    factor_ = factor;
    double sum = 0;
    for (Index i = 0; i < result_.machine.coefficients.rows(); ++i) {
      sum += result_.machine.coefficients(i, problem_.classes[i]);
    }
    result_.nu = sum / (factor * total_);
    const Point point{factor, sum - nu_ * factor * total_};
    (point.excess >= 0 ? low_ : high_) = point;
  }

  // The other solution times the ratio, within its bounds in spite of rounding.
  Matrix<double> scaled_start(double ratio, const std::vector<double>& bounds) const {
    Matrix<double> start = Matrix<double>::copy_of(result_.machine.coefficients.view());
    for (Index i = 0; i < start.rows(); ++i) {
      const Index own = problem_.classes[i];
      double sum = 0;
      for (Index c = 0; c < start.columns(); ++c) {
        if (c != own) {
          start(i, c) = std::clamp(ratio * start(i, c), -bounds[i], 0.0);
          sum -= start(i, c);
        }
      }
      start(i, own) = sum;
    }
    return start;
  }

  // Σa/C is above ν at low_ and below it at high_.
  void bracket(double tolerance) {
    constexpr double step = 4;
    while (!is_met(tolerance) && may_go_on() && (low_.factor == 0 || high_.factor == 0)) {
      if (factor_ > widest * unit_ || factor_ < unit_ / widest) {
        throw NumericalError("nu = " + shortest(nu_) + " leaves no margin: rho is 0 within what is known of it, and " +
                             shortest(result_.nu) +
                             " of the pairs of rows and classes are support vectors whatever C is. It is below the "
                             "share of errors that these data force: raise it");
      }
      try_factor(high_.factor == 0 ? factor_ * step : factor_ / step);
    }
  }

  // Σa − νCW is piecewise linear in C: where the line through both ends is 0, but well within them.
  double next_factor() {
    const double share = low_.excess / (low_.excess - high_.excess);
    const double at = std::clamp(share, 0.02, 0.98);
    const bool halves = ++since_halved_ % 4 == 0;  // ends that stay where they are would make the line a slow one
    return halves ? std::sqrt(low_.factor * high_.factor) : low_.factor + at * (high_.factor - low_.factor);
  }

  const Gram<T>& gram_;
  const JointProblem& problem_;
  double nu_;
  JointOptions options_;
  const Run& run_;
  double total_ = 0;
  double unit_ = 1;
  double factor_ = 0;
  Point low_;
  Point high_;
  int since_halved_ = 0;
  Index steps_ = 0;
  Index steps_allowed_ = 0;  // of all solves together
  JointNuResult result_;
};

}  // namespace

double largest_joint_nu(std::span<const std::int32_t> classes, Index class_count, std::span<const double> weights,
                        const Run& run) {
  std::vector<double> of_class(static_cast<std::size_t>(class_count), 0.0);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    of_class[classes[i]] += weights[i];
  }
  const double total = std::accumulate(of_class.begin(), of_class.end(), 0.0);
  if (class_count == 2) {
    return 2 * std::min(of_class[0], of_class[1]) / total;
  }
  // The flow F_cr from class c to class r.
  Matrix<double> balance = Matrix<double>::filled(class_count, class_count * (class_count - 1), 0.0);
  ConvexProgram program;
  for (Index c = 0; c < class_count; ++c) {
    for (Index r = 0; r < class_count; ++r) {
      if (r == c) {
        continue;
      }
      const auto flow = static_cast<Index>(program.linear.size());
      balance(c, flow) = 1;
      balance(r, flow) = -1;
      program.linear.push_back(-1);
      program.lower.push_back(0);
      program.upper.push_back(of_class[c] / total);
    }
  }
  program.equality = balance.view();
  program.equality_values.assign(static_cast<std::size_t>(class_count), 0.0);
  const ConvexSolution found = solve_convex_program(program, {.tolerance = 1e-10, .max_iterations = 200}, run);
  const double largest = -found.primal / static_cast<double>(class_count - 1);
  return largest > 1 - 1e-9 ? 1.0 : largest;
}

template <class T>
JointNuResult solve_joint_nu(const Gram<T>& gram, const JointProblem& problem, double nu, const JointOptions& options,
                             const Run& run) {
  require_valid(problem, options, gram.size());
  const double largest = largest_joint_nu(problem.classes, problem.class_count, problem.bounds, run);
  if (!(nu > 0) || nu > largest * (1 + 1e-9)) {
    throw InvalidArgument("nu = " + shortest(nu) + " is infeasible: " + shortest(largest) +
                          " is the largest for these classes in one machine, 1 where all weigh the same");
  }
  JointOptions used = options;
  used.loss = JointLoss::weston_watkins;
  used.offsets = JointOffsets::exact;
  return JointNuSearch<T>(gram, problem, nu, used, run).solve(options.tolerance);
}

template JointNuResult solve_joint_nu<float>(const Gram<float>&, const JointProblem&, double, const JointOptions&,
                                             const Run&);
template JointNuResult solve_joint_nu<double>(const Gram<double>&, const JointProblem&, double, const JointOptions&,
                                              const Run&);

}  // namespace mercer
