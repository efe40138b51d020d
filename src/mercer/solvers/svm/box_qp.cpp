#include "mercer/solvers/svm/box_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/random.h"
#include "mercer/solvers/svm/active_gram.h"
#include "mercer/solvers/svm/box_qp_state.h"
#include "mercer/solvers/svm/resident_set.h"
#include "mercer/solvers/svm/working_set.h"

namespace mercer {

namespace {

// How the solver divides its work. Measured on a9a, ijcnn1 and w8a (docs/internals/svm-solver.md): all are flat within
// a factor of two around these values.
constexpr double inner_accuracy = 0.1;    // a working set is solved to this part of the gap at its start
constexpr double active_margin = 0.2;     // rows that keep their bound by more than this part of the gap are left out
constexpr double cycle_accuracy = 0.3;    // times the part of rows that is active: the gap that ends a cycle
constexpr double almost_all = 0.7;        // with more than this part active, all are
constexpr double sampled_part = 0.125;    // of the rows of a large problem, to start with
constexpr double sampled_accuracy = 0.1;  // of their first gap
constexpr Index large_problem = 8192;     // rows
constexpr Index all_resident = 128;       // variables: small problems are one working set
constexpr Index smallest_set = 64;
constexpr Index largest_first_set = 1024;
constexpr Index largest_set = 8192;  // 256 MB of float kernel values
constexpr Index rows_per_variable = 32;
constexpr double set_memory = 0.25;  // of the memory for kernel values, at most; kept rows have the rest
// A gap below the tolerance itself that is still large against its unit (a margin of a millionth, say) is worth so many
// steps per halving; pairs of variables do not get on with problems that take more.
constexpr Index least_patience = 1'000'000;
constexpr Index patience_per_row = 100;
constexpr Index steps_per_newton_step = 50;  // and variable of the working set
// Small problems are solved to the end in every round: where so many of them do not halve a gap of about the size of what
// is lost in the kernel's sums, rounding is what is left of it.
constexpr Index resident_patience = 50;  // rounds
constexpr double gap_of_rounding = 16;   // in units of accuracy()

// Errors of a sum Σ_j β_j k_ij, in units of the largest kernel value: entries are rounded, each by itself, to type T, so
// that their errors add up as √Σβ² (times 8 roundings: the largest of many rows); the sum in double adds Σ|β| times few.
template <class T>
constexpr double entry_error = 4 * static_cast<double>(std::numeric_limits<T>::epsilon());
constexpr double sum_error = 16 * std::numeric_limits<double>::epsilon();

void require(bool condition, const char* what) {
  if (!condition) {
    throw InvalidArgument(std::string("a quadratic programme with ") + what);
  }
}

void check(const BoxQp& problem, const BoxQpOptions& options, Index rows) {
  const std::size_t size = problem.linear.size();
  const auto n = static_cast<std::size_t>(rows);
  require(n > 0, "no rows");
  require(size == n || size == 2 * n, "neither one nor two variables per row");
  require(problem.lower.size() == size && problem.upper.size() == size && problem.start.size() == size,
          "vectors of different lengths");
  require(problem.ridge.empty() || problem.ridge.size() == size, "a ridge of another length");
  require(problem.group.empty() || problem.group.size() == size, "groups of another length");
  require(options.tolerance > 0 && options.memory_mb > 0, "a tolerance or memory that is not positive");
  for (std::size_t t = 0; t < size; ++t) {
    require(std::isfinite(problem.linear[t]) && std::isfinite(problem.start[t]), "a number that is not finite");
    require(problem.lower[t] <= problem.upper[t], "an upper bound below the lower one");
    require(problem.lower[t] <= problem.start[t] && problem.start[t] <= problem.upper[t], "a start outside its box");
    require(problem.group.empty() || problem.group[t] < 2, "more than two groups");
  }
}

std::vector<Index> all_rows(Index n) {
  std::vector<Index> rows(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

std::vector<Index> sample_rows(Index n, std::uint64_t seed) {
  constexpr std::uint64_t stream = 0x53564d;
  RandomStream random(seed, stream);
  std::vector<Index> rows;
  for (Index row = 0; row < n; ++row) {
    if (random.uniform() < sampled_part) {
      rows.push_back(row);
    }
  }
  return rows;
}

// Cycles: all rows are looked at, those that may still move are made active, and rounds of working sets bring the gap
// of the active rows down; then the others' gradients are brought up to date.
template <class T>
class Solver {
 public:
  Solver(const Gram<T>& gram, const BoxQp& problem, const BoxQpOptions& options, const Run& run)
      : problem_(problem),
        options_(options),
        run_(run),
        tolerance_(options.tolerance),
        whole_(gram),
        all_(all_rows(gram.size())),
        state_(problem, gram.size()),
        active_(gram, (1 - set_memory) * options.memory_mb, run) {
    if (options_.max_steps <= 0) {
      options_.max_steps = std::max<Index>(10'000'000, 100 * gram.size());
    }
  }

  BoxQpResult solve() {
    if (state_.variables() <= all_resident && memory_for_all() <= options_.memory_mb) {
      solve_resident();
      return result();
    }
    start();
    do {
      while (!is_settled() && !is_exhausted()) {
        round();
      }
    } while (next_cycle());
    return result();
  }

 private:
  double memory_for_all() const {
    const auto size = static_cast<double>(state_.variables());
    return size * size * static_cast<double>(sizeof(T)) / bytes_per_megabyte;
  }

  // All variables at once; the gradient is recomputed in double sums over the same kernel values before the end.
  void solve_resident() {
    resident_.assign_all(state_, active_);
    while (true) {
      resident_.recompute(state_, state_.values(), run_);
      look_at_all();
      report_progress();
      if (extremes_.gap <= tolerance_) {
        return;
      }
      is_stuck_ = is_stuck_ || (result_.rounds - halved_in_ >= resident_patience &&
                                extremes_.gap <= gap_of_rounding * accuracy(here()));
      if (is_exhausted()) {
        result_.status = is_stuck_ ? SolveStatus::stalled : SolveStatus::iteration_limit;
        return;
      }
      resident_.assign_all(state_, active_);
      // A little below what is asked for: rounding must not bring a variable back over the line.
      minimize_resident(tolerance_ * 0.9);
      ++result_.rounds;
      is_stuck_ = true;
      for (const Index t : resident_.variables()) {
        is_stuck_ = is_stuck_ && resident_.coefficient(t) == state_.coefficient(t);
        state_.set_coefficient(t, resident_.coefficient(t));
      }
    }
  }

  // Large problems begin with a part of the rows: the rest then starts near its solution.
  void start() {
    if (static_cast<Index>(all_.size()) >= large_problem && state_.row_coefficients().rows.empty()) {
      known_sums_ = state_.row_sums();
      look_at_all();
      active_.activate(sample_rows(whole_.size(), run_.seed()));
      target_ = std::max(tolerance_, sampled_accuracy * state_.extremes(active_.active()).gap);
      return;
    }
    recompute();
    look_at_all();
    plan();
  }

  bool is_settled() {
    extremes_ = state_.extremes(active_.active());
    if (active_.is_whole()) {
      note_progress();
    }
    report_progress();
    return extremes_.gap <= target_;
  }

  bool is_exhausted() const { return is_stuck_ || steps_left() <= 0; }

  bool is_near_the_end() const { return problem_.unit && halved_gap_ <= options_.tolerance; }

  // Pair steps on the working set; where the gap is small already, but not against its unit, with Newton's between them:
  // these problems are badly conditioned.
  void minimize_resident(double tolerance) {
    constexpr int most_newton_steps = 8;
    LocalSmo<T>& smo = resident_.smo();
    const auto size = static_cast<Index>(resident_.variables().size());
    for (int newton_steps = 0; newton_steps <= most_newton_steps; ++newton_steps) {
      const Index steps = is_near_the_end() ? std::min(steps_left(), steps_per_newton_step * size) : steps_left();
      const auto inner = smo.minimize(tolerance, steps, run_);
      result_.steps += inner.steps;
      if (inner.gap <= tolerance || !is_near_the_end() || steps_left() <= 0) {
        return;
      }
      smo.newton_step(run_);
    }
  }

  // Of all, and until the gap must be half of what it was.
  Index steps_left() const {
    const Index left = options_.max_steps - result_.steps;
    if (!problem_.unit) {
      return left;
    }
    const Index patience = std::max(least_patience, patience_per_row * whole_.size());
    return std::min(left, is_near_the_end() ? halved_at_ + patience - result_.steps : patience);
  }

  // By the gap over all rows.
  void note_progress() {
    if (extremes_.gap <= 0.5 * halved_gap_) {
      halved_gap_ = extremes_.gap;
      halved_at_ = result_.steps;
      halved_in_ = result_.rounds;
    }
  }

  // One working set: chosen, solved, and the gradient of the active rows brought up to date.
  void round() {
    run_.check_stop();
    ++result_.rounds;
    const std::vector<Index> set = choose_working_set(state_, active_.active(), extremes_, free_, set_size());
    resident_.assign(set, state_, active_, run_);
    minimize_resident(std::max(tolerance_ / 2, inner_accuracy * extremes_.gap));
    apply();
  }

  // Rounds are cheap once the kernel values of a set are there: it grows with the number of free variables, so that all
  // of them fit together with as many violators.
  Index set_size() const {
    const Index least = std::clamp(whole_.size() / rows_per_variable, smallest_set, largest_first_set);
    const auto free = static_cast<Index>(free_.size());
    Index size = std::clamp(free + free / 2 + smallest_set, least, largest_set);
    if (active_.keeps_rows()) {
      // A pair for each of two groups; four variables never need more rows than there are places.
      size = std::min(size, std::max<Index>(4, active_.most_rows() / 2));
    }
    const auto budget = std::sqrt(set_memory * options_.memory_mb * bytes_per_megabyte / sizeof(T));
    return std::min({size, state_.variables(), std::max<Index>(16, static_cast<Index>(budget))});
  }

  void apply() {
    std::vector<Index> rows;
    std::vector<double> changes;
    free_.clear();
    for (const Index t : resident_.variables()) {
      const double moved = resident_.coefficient(t);
      const double change = moved - state_.coefficient(t);
      if (change != 0) {
        state_.set_coefficient(t, moved);
        rows.push_back(state_.row_of(t));
        changes.push_back(change);
      }
      if (state_.can_rise(t) && state_.can_fall(t)) {
        free_.push_back(t);
      }
    }
    // The worst violators are in every set: where none of them moves, double precision has no smaller steps.
    is_stuck_ = rows.empty();
    active_.accumulate(rows, changes, state_.values());
    is_exact_ = false;
  }

  // Looks at all rows again; false: the gap is small enough, verified, or there is no going on.
  bool next_cycle() {
    synchronize();
    look_at_all();
    if ((extremes_.gap <= tolerance_ || is_exhausted()) && !is_exact_) {
      recompute();
      look_at_all();
    }
    if (extremes_.gap <= tolerance_) {
      return false;
    }
    if (is_exhausted() && active_.is_whole()) {
      result_.status = is_stuck_ ? SolveStatus::stalled : SolveStatus::iteration_limit;
      return false;
    }
    // With all rows active there may be pairs that move; without them the same rows would get stuck again.
    leaves_none_out_ = leaves_none_out_ || is_stuck_;
    is_stuck_ = false;
    if (steps_left() <= 0) {
      result_.status = SolveStatus::iteration_limit;
      return false;
    }
    plan();
    return true;
  }

  // Which rows are active, and how far their gap is to fall. Where rows are kept and there is room, leaving some out
  // would save nothing.
  void plan() {
    std::vector<Index> rows = all_;
    if (options_.shrinking == Shrinking::on && !leaves_none_out_ && (!active_.keeps_rows() || active_.is_full())) {
      rows = state_.unsettled(active_margin * extremes_.gap);
      if (static_cast<double>(rows.size()) > almost_all * static_cast<double>(all_.size())) {
        rows = all_;
      }
    }
    if (!std::ranges::equal(rows, active_.active())) {
      active_.activate(std::move(rows));
    }
    const double part = static_cast<double>(active_.active().size()) / static_cast<double>(all_.size());
    const double last = active_.is_whole() ? tolerance_ : tolerance_ / 2;
    target_ = std::max(last, cycle_accuracy * part * extremes_.gap);
  }

  // Brings the gradient of the rows that were not active up to date with what changed meanwhile.
  void synchronize() {
    std::vector<double> sums = state_.row_sums();
    if (!active_.is_whole()) {
      std::vector<Index> rows;
      std::vector<double> changes;
      for (const Index row : all_) {
        const double change = sums[row] - known_sums_[row];
        if (change != 0) {
          rows.push_back(row);
          changes.push_back(change);
        }
      }
      std::vector<double> update(all_.size(), 0.0);
      whole_.accumulate(rows, changes, update, run_);
      for (const Index row : active_.active()) {
        update[row] = 0;
      }
      std::transform(update.begin(), update.end(), state_.values().begin(), state_.values().begin(), std::plus<>());
    }
    known_sums_ = std::move(sums);
  }

  // The gradient of all rows, in double sums from the coefficients alone.
  void recompute() {
    const BoxQpState::RowCoefficients rows = state_.row_coefficients();
    active_.recompute(rows.rows, rows.coefficients, state_.values());
    known_sums_ = state_.row_sums();
    is_exact_ = true;
  }

  // The gap over all rows, and the one that ends the solve.
  void look_at_all() {
    extremes_ = state_.extremes(all_);
    note_progress();
    if (!problem_.unit) {
      return;
    }
    const BoxQpPoint point = here();
    result_.unit = std::max(0.0, problem_.unit(point));
    result_.accuracy = accuracy(point);
    if (options_.scale != GapScale::absolute) {
      const double unit = options_.scale == GapScale::relative ? result_.unit : std::min(1.0, result_.unit);
      tolerance_ = std::max(options_.tolerance * unit, result_.accuracy);
    }
  }

  BoxQpPoint here() { return {{state_.level(0), state_.level(1)}, state_.coefficients(), state_.values()}; }

  double accuracy(const BoxQpPoint& point) {
    if (largest_kernel_ < 0) {
      std::vector<double> diagonal(all_.size());
      whole_.diagonal(diagonal);
      largest_kernel_ = largest_size(diagonal);
    }
    // Of the rows: two variables of one may cancel, and then the row has no part in the sums.
    double sum = 0;
    double squares = 0;
    const auto rows = static_cast<std::size_t>(whole_.size());
    for (std::size_t row = 0; row < rows; ++row) {
      double beta = 0;
      for (std::size_t t = row; t < point.coefficients.size(); t += rows) {
        beta += point.coefficients[t];
      }
      sum += std::abs(beta);
      squares += beta * beta;
    }
    // The diagonal of kernels that are positive only conditionally may be 0; no value exceeds Σ|β| times the largest.
    const double kernel = std::max(largest_kernel_, sum > 0 ? largest_size(point.values) / sum : 0.0);
    return kernel * std::max(entry_error<T> * std::sqrt(squares), sum_error * sum);
  }

  static double largest_size(std::span<const double> values) {
    double largest = 0;
    for (const double value : values) {
      largest = std::max(largest, std::abs(value));
    }
    return largest;
  }

  // What `converged` promises, however the solve ended. A unit that is 0 within the accuracy (samples that surround the
  // origin of a one-class machine, a ball around equal samples) is known as well as it can be.
  SolveStatus status() const {
    if (!problem_.unit || options_.scale == GapScale::absolute) {
      return result_.status;
    }
    const bool is_zero =
        problem_.unit_kind == UnitKind::found && result_.unit <= result_.accuracy && extremes_.gap <= result_.accuracy;
    const bool is_kept = is_zero || extremes_.gap <= options_.tolerance * result_.unit;
    if (result_.status == SolveStatus::converged || result_.status == SolveStatus::stalled) {
      return is_kept ? SolveStatus::converged : SolveStatus::stalled;
    }
    return result_.status;
  }

  // The gap falls about geometrically: its logarithm is the measure of what is done.
  void report_progress() {
    first_gap_ = std::max(first_gap_, extremes_.gap);
    const double end = std::max(tolerance_, std::numeric_limits<double>::min());
    const double whole = std::log(std::max(first_gap_ / end, 1.0));
    const double left = std::log(std::max(extremes_.gap / end, 1.0));
    run_.progress("support vectors", whole - left, std::max(whole, 1e-9));
  }

  BoxQpResult result() {
    result_.gap = extremes_.gap;
    result_.status = status();
    result_.level = here().level;
    for (const int group : {0, 1}) {
      const auto [lowest, highest] = state_.level_range(group);
      result_.lowest_level[group] = lowest;
      result_.highest_level[group] = highest;
    }
    result_.accuracy = accuracy(here());
    result_.objective = state_.objective();
    result_.values = std::move(state_.values());
    result_.coefficients = state_.take_coefficients();
    return std::move(result_);
  }

  const BoxQp& problem_;
  BoxQpOptions options_;
  Run run_;
  double tolerance_;            // the gap that ends the solve
  double largest_kernel_ = -1;  // on the diagonal; negative: not looked at
  const Gram<T>& whole_;
  std::vector<Index> all_;
  BoxQpState state_;
  ActiveGram<T> active_;
  ResidentSet<T> resident_;
  BoxQpState::Extremes extremes_;
  std::vector<double> known_sums_;  // per row: the coefficients that the gradient of inactive rows knows
  std::vector<Index> free_;         // variables of the last working set
  double target_ = 0;               // of the gap of the active rows
  double first_gap_ = 0;
  double halved_gap_ = std::numeric_limits<double>::infinity();  // the least so far, when it was last halved
  Index halved_at_ = 0;                                          // in steps
  Index halved_in_ = 0;                                          // in rounds
  bool is_exact_ = false;  // the gradient was computed from the coefficients, with no update since
  bool is_stuck_ = false;
  bool leaves_none_out_ = false;
  BoxQpResult result_;
};

}  // namespace

template <class T>
BoxQpResult solve_box_qp(const Gram<T>& gram, const BoxQp& problem, const BoxQpOptions& options, const Run& run) {
  check(problem, options, gram.size());
  return Solver<T>(gram, problem, options, run).solve();
}

template BoxQpResult solve_box_qp(const Gram<float>&, const BoxQp&, const BoxQpOptions&, const Run&);
template BoxQpResult solve_box_qp(const Gram<double>&, const BoxQp&, const BoxQpOptions&, const Run&);

}  // namespace mercer
