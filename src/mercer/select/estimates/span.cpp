#include "mercer/select/estimates/span.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/select/estimates/free_support.h"
#include "mercer/solvers/svm/box_qp.h"

namespace mercer {

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double not_computed = std::numeric_limits<double>::quiet_NaN();

// The programme of one free row, on all of them with β_l held at −1.
class BoxSpan {
 public:
  BoxSpan(const FreeSupport& part, const TwoClassMachine& machine)
      : part_(part), machine_(machine), gram_(Matrix<double>::copy_of(part.kernel.view())) {}

  /// S_l² with the box, given the relaxed one.
  double solve(Index l, double relaxed, const Run& run) const {
    BoxQp qp = box(l);
    if (relaxed_fits(l, qp)) {
      return relaxed;
    }
    if (!set_start(l, qp)) {
      return unlimited;
    }
    const BoxQpResult result =
        solve_box_qp(gram_, qp, {.tolerance = part_.scale > 0 ? 1e-7 * part_.scale : 1e-12, .memory_mb = 50}, run);
    return std::max(relaxed, 2 * result.objective);
  }

 private:
  BoxQp box(Index l) const {
    const auto f = static_cast<std::size_t>(part_.size());
    BoxQp qp{.linear = std::vector<double>(f, 0.0), .lower = {}, .upper = {}, .start = std::vector<double>(f, 0.0)};
    const std::size_t own = row(l);
    for (Index i = 0; i < part_.size(); ++i) {
      const std::size_t at = row(i);
      const double falls = machine_.alpha[at] / machine_.alpha[own];
      const double grows = (machine_.bounds[at] - machine_.alpha[at]) / machine_.alpha[own];
      const bool same = machine_.signs[at] == machine_.signs[own];
      qp.lower.push_back(i == l ? -1.0 : same ? -falls : -grows);
      qp.upper.push_back(i == l ? -1.0 : same ? grows : falls);
    }
    return qp;
  }

  bool relaxed_fits(Index l, const BoxQp& qp) const {
    const double pivot = part_.inverse(l, l);
    for (Index i = 0; i < part_.size(); ++i) {
      const double beta = -part_.inverse(i, l) / pivot;
      if (i != l && !(beta >= qp.lower[i] && beta <= qp.upper[i])) {
        return false;
      }
    }
    return pivot > 0;
  }

  // Every row takes a part of what is to be shared out, by the room it has.
  static bool set_start(Index l, BoxQp& qp) {
    double room = 0;
    for (std::size_t i = 0; i < qp.upper.size(); ++i) {
      room += static_cast<Index>(i) == l ? 0.0 : std::min(1.0, qp.upper[i]);
    }
    if (!(room >= 1)) {
      return false;
    }
    for (std::size_t i = 0; i < qp.upper.size(); ++i) {
      qp.start[i] = static_cast<Index>(i) == l ? -1.0 : std::min(qp.upper[i], std::min(1.0, qp.upper[i]) / room);
    }
    return true;
  }

  std::size_t row(Index i) const { return static_cast<std::size_t>(part_.rows[i]); }

  const FreeSupport& part_;
  const TwoClassMachine& machine_;
  DenseGram<double> gram_;
};

void mark(LeaveOneOutCount& count, Index row) {
  count.is_error[row] = 1;
  ++count.errors;
}

double least_bound(const TwoClassMachine& machine) {
  double least = unlimited;
  for (const double bound : machine.bounds) {
    least = bound > 0 ? std::min(least, bound) : least;
  }
  return least;
}

struct FreeSpans {
  std::vector<double> relaxed;
  std::vector<double> boxed;
};

// reach: max(D, 1/√C); a row counts where α_l S_l reach ≥ 1.
FreeSpans free_spans(const FreeSupport& part, const TwoClassMachine& machine, double reach, const SpanOptions& options,
                     const Run& run) {
  const Index f = part.size();
  FreeSpans spans{std::vector<double>(part.rows.size(), unlimited), std::vector<double>(part.rows.size(), unlimited)};
  if (f == 1) {
    return spans;
  }
  const BoxSpan box(part, machine);
  parallel_for(run, f, "span", [&](Index l) {
    const auto at = static_cast<std::size_t>(l);
    spans.relaxed[at] = unit_change_without(part, l);
    const double alpha = machine.alpha[part.rows[at]];
    const bool decided = alpha * std::sqrt(spans.relaxed[at]) * reach >= 1;
    spans.boxed[at] = decided && options.box_spans == BoxSpans::deciding ? not_computed
                                                                         : box.solve(l, spans.relaxed[at], run.quiet());
  });
  return spans;
}

}  // namespace

std::optional<SpanEstimate> span_estimate(const Gram<double>& gram, const TwoClassMachine& machine, double diameter,
                                          const SpanOptions& options, const Run& run) {
  machine.validate();
  if (gram.size() != machine.size()) {
    throw InvalidArgument("span: a Gram matrix of " + std::to_string(gram.size()) + " rows for a machine of " +
                          std::to_string(machine.size()) + ": must be the rows of the machine");
  }
  std::vector<Index> free = machine.free_rows();
  if (static_cast<Index>(free.size()) > options.max_free) {
    return std::nullopt;
  }
  const std::optional<FreeSupport> found = free_support(gram, std::move(free), machine.alpha, HeldSums::all, run);
  if (!found) {
    return std::nullopt;
  }
  const FreeSupport& part = *found;
  const double reach = options.reach.value_or(std::max(diameter, 1 / std::sqrt(least_bound(machine))));
  const FreeSpans spans = free_spans(part, machine, reach, options, run);
  const std::vector<Index> bound = machine.bound_rows();
  const std::vector<double> distances = unit_changes_without(gram, part, bound, machine.alpha, run);
  const LeaveOneOutCount none{
      .errors = 0, .rows = machine.size(), .is_error = std::vector<char>(machine.signs.size(), 0)};
  SpanEstimate estimate{.rows = {}, .squared_span = {}, .squared_box_span = {}, .rule = none, .bound = none};
  std::size_t next_free = 0;
  std::size_t next_bound = 0;
  for (Index i = 0; i < machine.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!machine.is_support(i)) {
      continue;
    }
    const bool is_bound = machine.is_bound(i);
    const double relaxed = is_bound ? std::max(0.0, distances[next_bound++]) : spans.relaxed[next_free];
    const double boxed = is_bound ? not_computed : spans.boxed[next_free++];
    estimate.rows.push_back(i);
    estimate.squared_span.push_back(relaxed);
    estimate.squared_box_span.push_back(boxed);
    if (machine.signs[at] * machine.values[at] <= machine.alpha[at] * relaxed) {
      mark(estimate.rule, i);
    }
    // A span that was not computed is that of a row whose smaller, relaxed one decides already.
    if (is_bound || std::isnan(boxed) || machine.alpha[at] * std::sqrt(boxed) * reach >= 1 - machine.gap) {
      mark(estimate.bound, i);
    }
  }
  return estimate;
}

}  // namespace mercer
