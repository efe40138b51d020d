#include "mercer/features/projection_pursuit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/parallel.h"
#include "mercer/base/random.h"
#include "mercer/features/pivot_coordinates.h"
#include "mercer/linalg/blas.h"
#include "mercer/linalg/product.h"

namespace mercer {

namespace {

std::vector<double> pursuit_shares(std::span<const double> weights, Index n) {
  std::vector<double> shares(n, 1.0);
  std::copy(weights.begin(), weights.end(), shares.begin());
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  scale(1 / total, std::span<double>(shares));
  return shares;
}

// Takes the part along the columns of `found` away from every column, and scales to length 1. Columns of no length stay
// as they are. Twice, so that rounding leaves nothing behind.
void make_orthonormal_to(ConstMatrixView<double> found, MatrixView<double> columns) {
  for (int pass = 0; pass < 2; ++pass) {
    if (found.columns() > 0) {
      Matrix<double> along(found.columns(), columns.columns());
      gemm(1.0, found, Transpose::yes, columns, Transpose::no, 0.0, along.view());
      gemm(-1.0, found, Transpose::no, std::as_const(along).view(), Transpose::no, 1.0, columns);
    }
    for (Index c = 0; c < columns.columns(); ++c) {
      double square = 0;
      for (Index i = 0; i < columns.rows(); ++i) {
        square += columns(i, c) * columns(i, c);
      }
      for (Index i = 0; i < columns.rows() && square > 0; ++i) {
        columns(i, c) /= std::sqrt(square);
      }
    }
  }
}

// Climbs from all starts at once: the columns of B.
class PursuitClimb {
 public:
  PursuitClimb(ConstMatrixView<double> rows, std::span<const double> shares, const ProjectionPursuitOptions& options,
               const Run& run)
      : rows_(rows), shares_(shares), options_(options), run_(run) {}

  // Q of every column, and FᵀdQ where asked for.
  std::vector<double> contrasts(const Matrix<double>& b, Matrix<double>* gradient) const;
  // Both return the number of steps.
  Index fixed_point(ConstMatrixView<double> found, Matrix<double>& b, std::vector<double>& values) const;
  Index gradient_ascent(ConstMatrixView<double> found, Matrix<double>& b, std::vector<double>& values) const;

 private:
  static void add_steps(const Matrix<double>& b, std::span<const double> lengths, Matrix<double>& gradient);

  ConstMatrixView<double> rows_;
  std::span<const double> shares_;
  const ProjectionPursuitOptions& options_;
  const Run& run_;
};

std::vector<double> PursuitClimb::contrasts(const Matrix<double>& b, Matrix<double>* gradient) const {
  const Index n = rows_.rows();
  const Index starts = b.columns();
  // One start per row, so that its values stand together.
  Matrix<double> values(starts, n);
  parallel_gemm<double>(1, b.view(), Transpose::yes, rows_, Transpose::yes, 0, values.view(), run_);
  Matrix<double> slopes(gradient == nullptr ? 0 : starts, n);
  std::vector<double> results(starts);
  parallel_for(run_, starts, [&](Index s) {
    const std::span<double> slope = gradient == nullptr ? std::span<double>() : slopes.view().row(s);
    results[s] = contrast_of(options_.contrast, std::as_const(values).view().row(s), shares_, slope);
  });
  if (gradient != nullptr) {
    *gradient = Matrix<double>(rows_.columns(), starts);
    parallel_gemm<double>(1, rows_, Transpose::yes, std::as_const(slopes).view(), Transpose::yes, 0, gradient->view(),
                          run_);
  }
  return results;
}

double largest_step(const Matrix<double>& from, const Matrix<double>& to) {
  double largest = 0;
  for (Index c = 0; c < from.columns(); ++c) {
    double square = 0;
    for (Index i = 0; i < from.rows(); ++i) {
      square += (to(i, c) - from(i, c)) * (to(i, c) - from(i, c));
    }
    largest = std::max(largest, square);
  }
  return std::sqrt(largest);
}

// The columns of the better half of the values, in their order; the first of equal ones.
Matrix<double> better_half(const Matrix<double>& b, const std::vector<double>& values) {
  std::vector<Index> order(values.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return values[i] > values[j]; });
  order.resize((values.size() + 1) / 2);
  std::sort(order.begin(), order.end());
  Matrix<double> kept(b.rows(), static_cast<Index>(order.size()));
  for (Index i = 0; i < b.rows(); ++i) {
    for (Index c = 0; c < kept.columns(); ++c) {
      kept(i, c) = b(i, order[c]);
    }
  }
  return kept;
}

Index PursuitClimb::fixed_point(ConstMatrixView<double> found, Matrix<double>& b, std::vector<double>& values) const {
  // Starts that are behind after some steps seldom win: only the better half goes on, and one to the end.
  constexpr Index steps_per_round = 20;
  Index steps = 0;
  bool moving = true;
  while (moving && steps < options_.max_iterations) {
    run_.check_stop();
    Matrix<double> next;
    values = contrasts(b, &next);
    make_orthonormal_to(found, next.view());
    moving = largest_step(b, next) > options_.tolerance;
    b = std::move(next);
    ++steps;
    if (steps % steps_per_round == 0 && b.columns() > 1) {
      b = better_half(b, values);
    }
  }
  values = contrasts(b, nullptr);
  return moving ? -steps : steps;
}

// A trial step of every column along its gradient on the unit sphere.
void PursuitClimb::add_steps(const Matrix<double>& b, std::span<const double> lengths, Matrix<double>& gradient) {
  for (Index c = 0; c < b.columns(); ++c) {
    double along = 0;
    double square = 0;
    for (Index i = 0; i < b.rows(); ++i) {
      along += gradient(i, c) * b(i, c);
    }
    for (Index i = 0; i < b.rows(); ++i) {
      gradient(i, c) -= along * b(i, c);
      square += gradient(i, c) * gradient(i, c);
    }
    const double factor = square > 0 ? lengths[c] / std::sqrt(square) : 0.0;
    for (Index i = 0; i < b.rows(); ++i) {
      gradient(i, c) = b(i, c) + factor * gradient(i, c);
    }
  }
}

Index PursuitClimb::gradient_ascent(ConstMatrixView<double> found, Matrix<double>& b,
                                    std::vector<double>& values) const {
  constexpr double worthwhile = 1e-9;  // gain per step, relative to 1 + |Q|
  const auto starts = static_cast<std::size_t>(b.columns());
  std::vector<double> lengths(starts, 0.5);
  Index steps = 0;
  const auto moving = [&](double length) { return length > options_.tolerance; };
  values.assign(starts, 0.0);
  while (steps < options_.max_iterations && std::any_of(lengths.begin(), lengths.end(), moving)) {
    run_.check_stop();
    Matrix<double> next;
    values = contrasts(b, &next);
    add_steps(b, lengths, next);
    make_orthonormal_to(found, next.view());
    const std::vector<double> reached = contrasts(next, nullptr);
    for (Index c = 0; c < b.columns(); ++c) {
      const auto s = static_cast<std::size_t>(c);
      if (!moving(lengths[s]) || !(reached[s] > values[s])) {
        lengths[s] /= 4;
        continue;
      }
      for (Index i = 0; i < b.rows(); ++i) {
        b(i, c) = next(i, c);
      }
      const double gain = reached[s] - values[s];
      values[s] = reached[s];
      lengths[s] = gain > worthwhile * (1 + std::abs(values[s])) ? std::min(1.0, 2 * lengths[s]) : 0.0;
    }
    ++steps;
  }
  return steps == options_.max_iterations ? -steps : steps;
}

// Samples point where the data is, which in many dimensions few random directions do; every other start is one.
Matrix<double> pursuit_starts(ConstMatrixView<double> rows, const ProjectionPursuitOptions& options, Index component,
                              const Run& run) {
  RandomStream random(run.seed(), 0x9b00000u + static_cast<std::uint64_t>(component));
  Matrix<double> starts(rows.columns(), options.restarts);
  for (Index s = 0; s < options.restarts; ++s) {
    const auto row = static_cast<Index>(random.below(static_cast<std::uint64_t>(rows.rows())));
    for (Index i = 0; i < rows.columns(); ++i) {
      const double normal = random.normal();
      starts(i, s) = s % 2 == 0 ? normal : rows(row, i) + 1e-3 * normal * std::abs(rows(row, 0));
    }
  }
  return starts;
}

}  // namespace

void ProjectionPursuitOptions::validate() const {
  const auto positive = [](const char* name, Index value) {
    if (value < 1) {
      reject_argument(name, static_cast<double>(value), "1 or more");
    }
  };
  positive("components", components);
  positive("restarts", restarts);
  positive("max_iterations", max_iterations);
  positive("density_rows", density_rows);
  if (!(tolerance > 0 && tolerance < 1)) {
    reject_argument("tolerance", tolerance, "between 0 and 1");
  }
}

ProjectionPursuit projection_pursuit(ConstMatrixView<double> coordinates, std::span<const double> weights,
                                     const ProjectionPursuitOptions& options, const Run& run) {
  options.validate();
  const Index n = coordinates.rows();
  const Index r = coordinates.columns();
  if (!weights.empty() && static_cast<Index>(weights.size()) != n) {
    throw InvalidArgument(std::to_string(weights.size()) + " weights for " + std::to_string(n) +
                          " samples: one per sample, or none");
  }
  std::vector<double> shares = pursuit_shares(weights, n);
  Matrix<double> drawn;
  ConstMatrixView<double> rows = coordinates;
  if (uses_density(options.contrast) && n > options.density_rows) {
    RandomStream random(run.seed(), 0x9bffff0u);
    const std::vector<Index> list = sample_without_replacement(random, n, options.density_rows);
    drawn = Matrix<double>(options.density_rows, r);
    std::vector<double> kept;
    for (Index i = 0; i < drawn.rows(); ++i) {
      const Index from = list[i];
      std::copy_n(coordinates.row_data(from), r, drawn.view().row_data(i));
      kept.push_back(shares[from]);
    }
    shares = pursuit_shares(kept, drawn.rows());
    rows = std::as_const(drawn).view();
  }
  const Run quiet = run.quiet();
  const PursuitClimb climb(rows, shares, options, quiet);
  ProjectionPursuit result;
  const Index wanted = n == 0 ? 0 : std::min(options.components, r);
  result.directions = Matrix<double>(r, wanted);
  for (Index c = 0; c < wanted; ++c) {
    const ConstMatrixView<double> found = std::as_const(result.directions).view().block(0, 0, r, c);
    Matrix<double> b = pursuit_starts(rows, options, c, run);
    make_orthonormal_to(found, b.view());
    std::vector<double> values;
    const Index steps =
        is_convex(options.contrast) ? climb.fixed_point(found, b, values) : climb.gradient_ascent(found, b, values);
    result.iterations += std::abs(steps);
    if (steps < 0) {
      result.status = SolveStatus::iteration_limit;
    }
    const Index best = static_cast<Index>(std::max_element(values.begin(), values.end()) - values.begin());
    result.contrasts.push_back(values[best]);
    for (Index i = 0; i < r; ++i) {
      result.directions(i, c) = b(i, best);
    }
    run.progress("directions", static_cast<double>(c + 1), static_cast<double>(wanted));
  }
  fix_signs(result.directions.view());
  return result;
}

}  // namespace mercer
