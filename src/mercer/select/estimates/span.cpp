#include "mercer/select/estimates/span.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/solvers/box_qp.h"

namespace mercer {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double not_computed = std::numeric_limits<double>::quiet_NaN();

// The free support vectors: K, its centring and (PKP)⁺, a direction that is no longer there being kept with the
// smallest eigenvalue that rounding can tell from 0 (the span is then 0 to rounding).
struct FreePart {
  std::vector<Index> rows;
  Matrix<double> kernel;
  std::vector<double> means;  // of the rows of K
  double total_mean = 0;
  double scale = 0;        // mean of the diagonal of PKP
  Matrix<double> inverse;  // (PKP)⁺

  Index size() const { return static_cast<Index>(rows.size()); }
};

void center(FreePart& part) {
  const Index f = part.size();
  part.means.assign(part.rows.size(), 0.0);
  for (Index i = 0; i < f; ++i) {
    const std::span<const double> row = std::as_const(part.kernel).view().row(i);
    part.means[static_cast<std::size_t>(i)] = std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(f);
  }
  part.total_mean = std::accumulate(part.means.begin(), part.means.end(), 0.0) / static_cast<double>(f);
  for (Index i = 0; i < f; ++i) {
    part.scale += part.kernel(i, i) - 2 * part.means[static_cast<std::size_t>(i)] + part.total_mean;
  }
  part.scale = std::max(part.scale / static_cast<double>(f), 0.0);
}

// The inverse of PKP + t eeᵀ/f + ε1 less its part along e. False where no small ε makes it positive.
bool invert(FreePart& part, const Run& run) {
  const Index f = part.size();
  const double t = part.scale > 0 ? part.scale : 1;
  for (double jitter = 1e-13 * t; jitter <= 1e-6 * t; jitter *= 10) {
    part.inverse = Matrix<double>(f, f);
    for (Index i = 0; i < f; ++i) {
      for (Index j = 0; j < f; ++j) {
        part.inverse(i, j) = part.kernel(i, j) - part.means[static_cast<std::size_t>(i)] -
                             part.means[static_cast<std::size_t>(j)] + part.total_mean + t / static_cast<double>(f);
      }
      part.inverse(i, i) += jitter;
    }
    if (!try_cholesky(part.inverse.view(), run).ok) {
      continue;
    }
    cholesky_inverse(part.inverse.view(), run);
    const double along = 1 / ((t + jitter) * static_cast<double>(f));
    for (Index i = 0; i < f; ++i) {
      for (Index j = 0; j <= i; ++j) {
        part.inverse(i, j) -= along;
        part.inverse(j, i) = part.inverse(i, j);
      }
    }
    return true;
  }
  return false;
}

// ‖Φ(x_l) − affine hull of the free ones‖²: with p = e/f, (K_ll − 2pᵀk + pᵀKp) − k̃ᵀ(PKP)⁺k̃, k̃ = P(k − Kp).
std::vector<double> distances_to_hull(const Gram<double>& gram, const std::vector<Index>& rows, const FreePart& part,
                                      const Run& run) {
  const Index f = part.size();
  const auto count = static_cast<Index>(rows.size());
  std::vector<double> diagonal(static_cast<std::size_t>(gram.size()));
  gram.diagonal(diagonal);
  Matrix<double> cross(count, f);
  gram.gather(rows, part.rows, cross.view(), run);
  std::vector<double> squared(rows.size());
  for (Index a = 0; a < count; ++a) {
    const std::span<double> k = cross.view().row(a);
    const double mean = std::accumulate(k.begin(), k.end(), 0.0) / static_cast<double>(f);
    squared[static_cast<std::size_t>(a)] =
        diagonal[static_cast<std::size_t>(rows[static_cast<std::size_t>(a)])] - 2 * mean + part.total_mean;
    for (Index i = 0; i < f; ++i) {
      k[static_cast<std::size_t>(i)] -= mean + part.means[static_cast<std::size_t>(i)] - part.total_mean;
    }
  }
  constexpr Index rows_per_task = 16;
  parallel_for(run, block_count(count, rows_per_task), [&](Index task) {
    const IndexRange range = block_range(count, rows_per_task, task);
    for (Index a = range.begin; a < range.end; ++a) {
      const double* k = cross.view().row_data(a);
      double taken = 0;
      for (Index i = 0; i < f; ++i) {
        const double* inverse = std::as_const(part.inverse).view().row_data(i);
        taken += k[i] * std::inner_product(inverse, inverse + f, k, 0.0);
      }
      double& distance = squared[static_cast<std::size_t>(a)];
      distance = std::max(0.0, distance - taken);
    }
  });
  return squared;
}

// The programme of one free row, on all of them with β_l held at −1.
class BoxSpan {
 public:
  BoxSpan(const FreePart& part, const TwoClassMachine& machine)
      : part_(part), machine_(machine), gram_(Matrix<double>::copy_of(part.kernel.view())) {}

  /// S_l² with the box, given the relaxed one.
  double solve(Index l, double relaxed, const Run& run) const {
    BoxQp qp = box(l);
    if (relaxed_fits(l, qp)) {
      return relaxed;
    }
    if (!set_start(l, qp)) {
      return infinite;
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
      if (i != l && !(beta >= qp.lower[static_cast<std::size_t>(i)] && beta <= qp.upper[static_cast<std::size_t>(i)])) {
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

  std::size_t row(Index i) const { return static_cast<std::size_t>(part_.rows[static_cast<std::size_t>(i)]); }

  const FreePart& part_;
  const TwoClassMachine& machine_;
  DenseGram<double> gram_;
};

void mark(LeaveOneOutCount& count, Index row) {
  count.is_error[static_cast<std::size_t>(row)] = 1;
  ++count.errors;
}

double least_bound(const TwoClassMachine& machine) {
  double least = infinite;
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
FreeSpans free_spans(const FreePart& part, const TwoClassMachine& machine, double reach, const SpanOptions& options,
                     const Run& run) {
  const Index f = part.size();
  FreeSpans spans{std::vector<double>(part.rows.size(), infinite), std::vector<double>(part.rows.size(), infinite)};
  if (f == 1) {
    return spans;
  }
  const BoxSpan box(part, machine);
  parallel_for(run, f, "span", [&](Index l) {
    const auto at = static_cast<std::size_t>(l);
    spans.relaxed[at] = part.inverse(l, l) > 0 ? 1 / part.inverse(l, l) : infinite;
    const double alpha = machine.alpha[static_cast<std::size_t>(part.rows[at])];
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
  FreePart part;
  part.rows = machine.free_rows();
  if (part.rows.empty() || part.size() > options.max_free) {
    return std::nullopt;
  }
  part.kernel = Matrix<double>(part.size(), part.size());
  gram.gather(part.rows, part.rows, part.kernel.view(), run);
  center(part);
  if (!invert(part, run)) {
    return std::nullopt;
  }
  const double reach = std::max(diameter, 1 / std::sqrt(least_bound(machine)));
  const FreeSpans spans = free_spans(part, machine, reach, options, run);
  const std::vector<Index> bound = machine.bound_rows();
  const std::vector<double> distances = distances_to_hull(gram, bound, part, run);
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
    const double relaxed = is_bound ? distances[next_bound++] : spans.relaxed[next_free];
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
