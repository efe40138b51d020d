// Newton's method on the active rows of a semiparametric machine: which rows are on the edge, the step of their coefficients
// with those of the functions, how far it goes, and the equalities to the last digits.
#include "mercer/linalg/blas.h"
#include "mercer/linalg/cholesky.h"
#include "mercer/linalg/least_norm.h"
#include "mercer/linalg/matrix.h"
#include "mercer/solvers/convex/semiparametric_dual.h"

namespace mercer::semiparametric {

// A row inside of the margin or tube has β = 0, one outside β = C: which of them is where shows in how far β is from the
// bound and the row from the edge, each in its own unit; the barrier keeps the product of the two small.
std::vector<RowState> Machine::states_of(std::vector<double>& beta, std::span<const double> values) const {
  std::vector<RowState> states;
  for (Index i = 0; i < size(); ++i) {
    double& value = beta[i];
    value = std::clamp(value, lowest(i), highest(i));
    const double way = outside(i, value, values[i]) / unit_;
    const double side = side_of(i, value, values[i]);
    if (bounds_[i] == 0 || std::abs(value) <= bounds_[i] * std::max(-way, 1e-13)) {
      states.push_back(RowState::zero);
      value = 0;
    } else if (bounds_[i] - std::abs(value) <= bounds_[i] * std::max(way, 1e-13)) {
      states.push_back(RowState::bound);
      value = side * bounds_[i];
    } else {
      states.push_back(RowState::free);
    }
  }
  return states;
}

// As far from the point to the target as the box allows: the row that ends the way stays at its bound. Whether it was reached.
bool Machine::walk(std::vector<RowState>& states, Point& point, const Point& target) const {
  double share = 1;
  Index stops = -1;
  for (Index i = 0; i < size(); ++i) {
    if (states[i] != RowState::free) {
      continue;
    }
    const double from = std::abs(point.beta[i]);
    const double to = std::copysign(1.0, point.beta[i]) * target.beta[i];
    const double reach = to < 0 ? from / (from - to) : to > bounds_[i] ? (bounds_[i] - from) / (to - from) : 1.0;
    if (reach < share) {
      share = reach;
      stops = i;
    }
  }
  const auto move = [share](std::vector<double>& from, const std::vector<double>& to) {
    for (std::size_t k = 0; k < from.size(); ++k) {
      from[k] += share * (to[k] - from[k]);
    }
  };
  move(point.beta, target.beta);
  move(point.free, target.free);
  move(point.priced, target.priced);
  if (stops < 0) {
    return true;
  }
  const bool at_zero = std::abs(point.beta[stops]) < 0.5 * bounds_[stops];
  states[stops] = at_zero ? RowState::zero : RowState::bound;
  point.beta[stops] = at_zero ? 0.0 : std::copysign(bounds_[stops], point.beta[stops]);
  return false;
}

// The row at a bound that is farthest on the wrong side of its edge becomes free; false where there is none.
bool Machine::release(std::vector<RowState>& states, std::vector<double>& beta, std::span<const double> values) const {
  double worst = 1e-11 * unit_;
  Index chosen = -1;
  for (Index i = 0; i < size(); ++i) {
    if (bounds_[i] == 0 || states[i] == RowState::free) {
      continue;
    }
    const double way = outside(i, beta[i], values[i]);
    const double wrong = states[i] == RowState::zero ? way : -way;
    if (wrong > worst) {
      worst = wrong;
      chosen = i;
    }
  }
  if (chosen < 0) {
    return false;
  }
  // A side to be on: how far, the next step finds.
  beta[chosen] = states[chosen] == RowState::zero ? side_of(chosen, 0, values[chosen]) * 1e-14 * bounds_[chosen]
                                                  : beta[chosen] * (1 - 1e-14);
  states[chosen] = RowState::free;
  return true;
}

// Rows and functions of Newton's step, its matrix factored: K_FF (in `kernel`), B_F, K_FF⁻¹B_F and B_FᵀK_FF⁻¹B_F (in
// `schur`). A shift of the diagonals, which the repetition of the step takes back, is for rows that are repeated.
struct Machine::ActiveSystem {
  std::vector<Index> rows;     // F
  std::vector<Index> columns;  // of (Φ, Ψ)
  Matrix<double> kernel;
  Matrix<double> functions;
  Matrix<double> solved_functions;
  Matrix<double> schur;
};

double Machine::function_at(Index i, Index column) const {
  const Index free = rows_.free.columns();
  return column < free ? rows_.free(i, column) : rows_.priced(i, column - free);
}

// None where a factorization does not work out.
std::optional<Machine::ActiveSystem> Machine::active_system(std::span<const RowState> states,
                                                            const Point& point) const {
  ActiveSystem system;
  for (Index i = 0; i < size(); ++i) {
    if (states[i] == RowState::free) {
      system.rows.push_back(i);
    }
  }
  for (Index p = 0; p < rows_.free.columns() + rows_.priced.columns(); ++p) {
    if (p < rows_.free.columns() || point.priced[p - rows_.free.columns()] != 0) {
      system.columns.push_back(p);
    }
  }
  const auto count = static_cast<Index>(system.rows.size());
  const auto functions = static_cast<Index>(system.columns.size());
  system.kernel = Matrix<double>(count, count);
  system.functions = Matrix<double>(count, functions);
  double largest = 0;
  for (Index k = 0; k < count; ++k) {
    for (Index l = 0; l <= k; ++l) {
      system.kernel(k, l) = rows_.gram(system.rows[k], system.rows[l]);
    }
    largest = std::max(largest, system.kernel(k, k));
    for (Index c = 0; c < functions; ++c) {
      system.functions(k, c) = function_at(system.rows[k], system.columns[c]);
    }
  }
  for (Index k = 0; k < count; ++k) {
    system.kernel(k, k) += 1e-11 * largest;
  }
  if (!try_cholesky<double>(system.kernel.view(), run_).ok) {
    return std::nullopt;
  }
  if (functions > 0 && !add_schur(system)) {
    return std::nullopt;
  }
  return system;
}

bool Machine::add_schur(ActiveSystem& system) const {
  const Index functions = system.functions.columns();
  system.solved_functions = Matrix<double>::copy_of(system.functions.view());
  system.schur = Matrix<double>::filled(functions, functions, 0.0);
  cholesky_solve<double>(system.kernel.view(), system.solved_functions.view(), run_);
  gemm(1.0, system.functions.view(), Transpose::yes, system.solved_functions.view(), Transpose::no, 0.0,
       system.schur.view());
  double trace = 0;
  for (Index c = 0; c < functions; ++c) {
    trace += system.schur(c, c);
  }
  for (Index c = 0; c < functions; ++c) {
    system.schur(c, c) += 1e-13 * trace;
  }
  return try_cholesky<double>(system.schur.view(), run_).ok;
}

// Newton's step for the free coefficients and the functions, the others where they are,
//
//   K_FF Δβ + B_F Δc = edge − f,   B_FᵀΔβ = −(Bᵀβ − b),     B: Φ and the functions Ψ whose coefficient is not 0
//
// three times. False where that does not work out.
bool Machine::polish(std::span<const RowState> states, Point& point, const DenseQuadratic& gram) const {
  if (std::ranges::count(states, RowState::free) == 0) {
    return true;
  }
  const std::optional<ActiveSystem> system = active_system(states, point);
  if (!system) {
    return false;
  }
  const auto count = static_cast<Index>(system->rows.size());
  const auto functions = static_cast<Index>(system->columns.size());
  std::vector<double> sides;
  for (const Index i : system->rows) {
    sides.push_back(side_of(i, point.beta[i], y_[i]));
  }
  for (int pass = 0; pass < 3; ++pass) {
    const std::vector<double> values = function_values(point, gram);
    const std::vector<double> sums = constraint_sums(point.beta, point.priced);
    Matrix<double> step(count, 1);
    for (Index k = 0; k < count; ++k) {
      step(k, 0) = edge(system->rows[k], sides[k]) - values[system->rows[k]];
    }
    cholesky_solve<double>(system->kernel.view(), step.view(), run_);
    if (functions > 0) {
      // S Δc = BᵀA⁻¹r + (Bᵀβ − b), Δβ = A⁻¹r − A⁻¹B Δc.
      Matrix<double> change(functions, 1);
      for (Index c = 0; c < functions; ++c) {
        change(c, 0) = sums[system->columns[c]];
      }
      gemm(1.0, system->functions.view(), Transpose::yes, step.view(), Transpose::no, 1.0, change.view());
      cholesky_solve<double>(system->schur.view(), change.view(), run_);
      gemm(-1.0, system->solved_functions.view(), Transpose::no, change.view(), Transpose::no, 1.0, step.view());
      for (Index c = 0; c < functions; ++c) {
        const Index p = system->columns[c];
        (p < rows_.free.columns() ? point.free[p] : point.priced[p - rows_.free.columns()]) += change(c, 0);
      }
    }
    for (Index k = 0; k < count; ++k) {
      point.beta[system->rows[k]] += step(k, 0);
    }
  }
  return true;
}

// Φᵀβ, and of the functions whose coefficient is not 0 what is missing to the end of their range.
std::vector<double> Machine::constraint_sums(std::span<const double> beta, std::span<const double> priced) const {
  std::vector<double> sums;
  for (Index p = 0; p < rows_.free.columns(); ++p) {
    double sum = 0;
    for (Index i = 0; i < size(); ++i) {
      sum += rows_.free(i, p) * beta[i];
    }
    sums.push_back(sum);
  }
  for (Index p = 0; p < rows_.priced.columns(); ++p) {
    double sum = 0;
    for (Index i = 0; i < size() && priced[p] != 0; ++i) {
      sum += rows_.priced(i, p) * beta[i];
    }
    sums.push_back(priced[p] == 0 ? 0.0 : sum - std::copysign(1.0, priced[p]));
  }
  return sums;
}

// The least change of free coefficients with which the equalities hold, twice for the last digits. Where the free ones
// are too few, all others are as they are at a solution, and so are the sums.
void Machine::meet_constraints(std::vector<double>& beta, std::span<const double> priced) const {
  std::vector<Index> free;
  for (Index i = 0; i < size(); ++i) {
    if (is_free(i, beta[i])) {
      free.push_back(i);
    }
  }
  const Index functions = rows_.free.columns() + rows_.priced.columns();
  if (free.empty() || functions == 0) {
    return;
  }
  LeastNormWorkspace workspace;
  const auto rows = static_cast<Index>(free.size());
  for (int pass = 0; pass < 3; ++pass) {
    const std::vector<double> missing = negative(constraint_sums(beta, priced));
    // Rows of zeros make it tall where there are more functions than free rows.
    Matrix<double> transposed = Matrix<double>::filled(functions, std::max(rows, functions), 0.0);
    for (Index k = 0; k < rows; ++k) {
      for (Index p = 0; p < rows_.free.columns(); ++p) {
        transposed(p, k) = rows_.free(free[k], p);
      }
      for (Index p = 0; p < rows_.priced.columns(); ++p) {
        transposed(rows_.free.columns() + p, k) = priced[p] == 0 ? 0.0 : rows_.priced(free[k], p);
      }
    }
    std::vector<double> change(static_cast<std::size_t>(transposed.columns()));
    least_norm_functional(transposed.view(), missing, 1e-12, change, workspace);
    for (Index k = 0; k < rows; ++k) {
      beta[free[k]] = std::clamp(beta[free[k]] + change[k], lowest(free[k]), highest(free[k]));
    }
  }
}

}  // namespace mercer::semiparametric
