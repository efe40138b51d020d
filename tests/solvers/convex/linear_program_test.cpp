// Linear programs with absolute, insensitive, hinge and quantile losses: optimal by their own certificates, equal to
// another solver's values and to brute force, sparse, and the same bits for any number of threads.
#include "mercer/solvers/convex/linear_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stop_token>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/linalg/matrix.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using Numbers = std::vector<double>;

double objective_of(const Matrix<double>& features, const CheckLosses& losses, const Numbers& prices, const Numbers& a,
                    double b) {
  double sum = 0;
  for (Index i = 0; i < features.rows(); ++i) {
    double f = b;
    for (Index j = 0; j < features.columns(); ++j) {
      f += features(i, j) * a[j];
    }
    const auto at = static_cast<std::size_t>(i);
    const double r = losses.targets[at] - f;
    sum += r > 0 ? losses.up[at] * std::max(0.0, r - losses.tube[at])
                 : losses.down[at] * std::max(0.0, -r - losses.tube[at]);
  }
  for (std::size_t j = 0; j < prices.size(); ++j) {
    sum += prices[j] * std::abs(a[j]);
  }
  return sum;
}

Index nonzeros(const LinearProgramSolution& solution) {
  return std::count_if(solution.coefficients.begin(), solution.coefficients.end(), [](double a) { return a != 0; });
}

// Weak duality proves optimality without another solver.
void expect_optimal(const Matrix<double>& features, const CheckLosses& losses, const Numbers& prices,
                    ProgramOffset offset, const LinearProgramSolution& solution) {
  const double value = objective_of(features, losses, prices, solution.coefficients, solution.offset);
  EXPECT_NEAR(solution.objective, value, 1e-11 * (1 + value));
  EXPECT_EQ(solution.status, SolveStatus::converged);
  double dual = 0;
  double sum = 0;
  double size = 1e-300;
  for (std::size_t i = 0; i < losses.targets.size(); ++i) {
    const double theta = solution.multipliers[i];
    EXPECT_LE(theta, losses.up[i]);
    EXPECT_GE(theta, -losses.down[i]);
    dual += losses.targets[i] * theta - losses.tube[i] * std::abs(theta);
    sum += theta;
    size += std::abs(theta);
  }
  for (Index j = 0; j < features.columns(); ++j) {
    double slope = 0;
    for (Index i = 0; i < features.rows(); ++i) {
      slope += features(i, j) * solution.multipliers[i];
    }
    EXPECT_LE(std::abs(slope), prices[j] * (1 + 1e-9));
  }
  if (offset == ProgramOffset::free) {
    EXPECT_LE(std::abs(sum), 1e-8 * size);
  } else {
    EXPECT_EQ(solution.offset, 0);
  }
  EXPECT_NEAR(dual, value, 1e-8 * value);
  EXPECT_NEAR(solution.gap, value - dual, 1e-10 * (1 + value));
  EXPECT_LE(nonzeros(solution), features.rows());
}

CheckLosses quantile_losses(const Numbers& targets, double level) {
  CheckLosses losses = absolute_losses(targets, {}, 0);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    losses.up[i] = level;
    losses.down[i] = 1 - level;
  }
  return losses;
}

// Points and targets by formula, so that other programs have the same numbers.
struct FormulaProblem {
  FormulaProblem() {
    for (int i = 0; i < 40; ++i) {
      x.push_back(10 * std::sin(i * i + 1.0));
      y.push_back((x.back() == 0 ? 1 : std::sin(x.back()) / x.back()) + 0.3 * std::sin(7.0 * i));
      labels.push_back(y.back() > 0.2 ? 1 : -1);
    }
  }
  template <class F>
  Matrix<double> features(Index columns, F value) const {
    Matrix<double> matrix(40, columns);
    for (Index i = 0; i < 40; ++i) {
      for (Index j = 0; j < columns; ++j) {
        matrix(i, j) = value(x[i], j);
      }
    }
    return matrix;
  }
  Numbers x, y, labels;
};

double bump(double x, double z) { return std::exp(-0.5 * (x - z) * (x - z)); }

// Objectives by HiGHS (scipy.optimize.linprog), prices 0.5. It meets constraints to 1e-7, which objectives feel.
TEST(LinearProgram, ObjectivesOfAnotherSolver) {
  const FormulaProblem p;
  const auto at = [&](Index j) { return p.x[j]; };
  const std::vector<Matrix<double>> matrices = [&] {
    std::vector<Matrix<double>> all;
    all.push_back(p.features(40, [&](double x, Index j) { return bump(x, at(j)); }));
    all.push_back(p.features(40, [&](double x, Index j) { return std::tanh(0.3 * x * at(j) + 1); }));
    all.push_back(p.features(7, [](double x, Index j) { return bump(x, static_cast<double>(j) * 3 - 9); }));
    all.push_back(p.features(90, [](double x, Index j) { return bump(x, static_cast<double>(j) * 0.25 - 11); }));
    return all;
  }();
  const double expected[4][2][4] = {{{6.05373342253415, 3.22265314807636, 17.4511728547663, 2.46855182728825},
                                     {6.02828655950763, 3.20267365538798, 14.6508216866355, 1.90005892183808}},
                                    {{6.02539817622986, 3.05123862325869, 18.8609679778434, 2.24202653293808},
                                     {5.9666249577991, 3.0502914615368, 15.3500847134837, 1.79192298437882}},
                                    {{5.84647559936875, 2.93104251625003, 19.5063740014277, 2.6384579430562},
                                     {5.84526104970164, 2.93087300631092, 15.0553166343637, 1.95718601820558}},
                                    {{5.42530173945098, 2.7097986572162, 17.2850739536858, 2.34674392702541},
                                     {5.42203769449177, 2.70225557988231, 14.6271628661758, 1.80994884887182}}};
  const std::vector<CheckLosses> losses = {absolute_losses(p.y, {}, 0), absolute_losses(p.y, {}, 0.1),
                                           hinge_losses(p.labels, {}), quantile_losses(p.y, 0.9)};
  for (std::size_t m = 0; m < matrices.size(); ++m) {
    const Numbers prices(static_cast<std::size_t>(matrices[m].columns()), 0.5);
    for (std::size_t o = 0; o < 2; ++o) {
      const ProgramOffset offset = o == 0 ? ProgramOffset::none : ProgramOffset::free;
      for (std::size_t l = 0; l < losses.size(); ++l) {
        const LinearProgramSolution solution =
            solve_linear_program(matrices[m].view(), losses[l], prices, {.offset = offset}, mercer::Run());
        EXPECT_NEAR(solution.objective, expected[m][o][l], 3e-7) << m << ' ' << o << ' ' << l;
        expect_optimal(matrices[m], losses[l], prices, offset, solution);
      }
    }
  }
}

struct RandomProgram {
  RandomProgram(Index n, Index m, std::uint64_t seed) : features(n, m) {
    RandomStream random(seed);
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < m; ++j) {
        features(i, j) = random.normal();
      }
      const double t = 2 * random.normal() + 1;
      losses.targets.push_back(t);
      const bool one_sided = random.uniform() < 0.3;
      losses.up.push_back(one_sided && t < 0 ? 0.0 : 0.2 + random.uniform());
      losses.down.push_back(one_sided && t >= 0 ? 0.0 : 0.2 + random.uniform());
      losses.tube.push_back(random.uniform() < 0.5 ? 0.0 : random.uniform());
    }
    for (Index j = 0; j < m; ++j) {
      prices.push_back(0.1 + random.uniform());
    }
  }
  Matrix<double> features;
  CheckLosses losses;
  Numbers prices;
};

TEST(LinearProgram, CertifiesItselfAtRandomSizes) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomStream random(seed, 5);
    const auto n = static_cast<Index>(1 + random.below(40));
    const auto m = static_cast<Index>(random.below(60));
    const RandomProgram p(n, m, seed);
    const ProgramOffset offset = random.uniform() < 0.5 ? ProgramOffset::none : ProgramOffset::free;
    const LinearProgramSolution solution =
        solve_linear_program(p.features.view(), p.losses, p.prices, {.offset = offset}, mercer::Run());
    SCOPED_TRACE(seed);
    expect_optimal(p.features, p.losses, p.prices, offset, solution);
  }
}

// The solution of a small dense system, NaN where it is singular.
Numbers solved(std::vector<Numbers> rows, Numbers right) {
  const std::size_t n = right.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      pivot = std::abs(rows[i][k]) > std::abs(rows[pivot][k]) ? i : pivot;
    }
    if (std::abs(rows[pivot][k]) < 1e-12) {
      return Numbers(n, std::numeric_limits<double>::quiet_NaN());
    }
    std::swap(rows[k], rows[pivot]);
    std::swap(right[k], right[pivot]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i != k) {
        const double factor = rows[i][k] / rows[k][k];
        for (std::size_t c = 0; c < n; ++c) {
          rows[i][c] -= factor * rows[k][c];
        }
        right[i] -= factor * right[k];
      }
    }
  }
  for (std::size_t k = 0; k < n; ++k) {
    right[k] /= rows[k][k];
  }
  return right;
}

// The least objective over all corners: points where as many kinks (a_j = 0, f_i = t_i ± ε_i) meet as there are numbers.
double least_corner(const RandomProgram& p, bool offset) {
  const auto m = static_cast<std::size_t>(p.features.columns());
  const std::size_t unknowns = m + (offset ? 1 : 0);
  std::vector<Numbers> planes;
  Numbers levels;
  for (std::size_t j = 0; j < m; ++j) {
    planes.emplace_back(unknowns, 0.0);
    planes.back()[j] = 1;
    levels.push_back(0);
  }
  for (Index i = 0; i < p.features.rows(); ++i) {
    for (const double sign : {-1.0, 1.0}) {
      Numbers plane(unknowns, 1.0);
      for (std::size_t j = 0; j < m; ++j) {
        plane[j] = p.features(i, static_cast<Index>(j));
      }
      planes.push_back(plane);
      const auto at = static_cast<std::size_t>(i);
      levels.push_back(p.losses.targets[at] + sign * p.losses.tube[at]);
    }
  }
  double least = std::numeric_limits<double>::infinity();
  std::vector<bool> chosen(planes.size(), false);
  std::fill_n(chosen.begin(), unknowns, true);
  do {
    std::vector<Numbers> rows;
    Numbers right;
    for (std::size_t k = 0; k < planes.size(); ++k) {
      if (chosen[k]) {
        rows.push_back(planes[k]);
        right.push_back(levels[k]);
      }
    }
    const Numbers point = solved(rows, right);
    if (std::isfinite(point.front())) {
      const Numbers a(point.begin(), point.begin() + static_cast<std::ptrdiff_t>(m));
      least = std::min(least, objective_of(p.features, p.losses, p.prices, a, offset ? point.back() : 0.0));
    }
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return least;
}

TEST(LinearProgram, NoCornerIsBetter) {
  for (std::uint64_t seed = 100; seed < 130; ++seed) {
    RandomStream random(seed, 6);
    const RandomProgram p(static_cast<Index>(1 + random.below(4)), static_cast<Index>(1 + random.below(3)), seed);
    for (const ProgramOffset offset : {ProgramOffset::none, ProgramOffset::free}) {
      const LinearProgramSolution solution =
          solve_linear_program(p.features.view(), p.losses, p.prices, {.offset = offset}, mercer::Run());
      const double least = least_corner(p, offset == ProgramOffset::free);
      EXPECT_NEAR(solution.objective, least, 1e-9 * (1 + least)) << seed;
    }
  }
}

// More columns than are taken at once, of a smooth kernel whose columns are nearly dependent.
TEST(LinearProgram, GeneratesColumnsAndThreadsDoNotMatter) {
  const Index n = 260;
  RandomStream random(3);
  Numbers x;
  Numbers y;
  for (Index i = 0; i < n; ++i) {
    x.push_back(20 * random.uniform() - 10);
    y.push_back(std::sin(x.back()) + 0.2 * random.normal());
  }
  Matrix<double> features(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      features(i, j) = bump(x[i], x[j]);
    }
  }
  const Numbers prices(static_cast<std::size_t>(n), 0.3);
  for (const double tube : {0.0, 0.2}) {
    const CheckLosses losses = absolute_losses(y, {}, tube);
    const LinearProgramOptions options{.offset = ProgramOffset::free};
    const LinearProgramSolution one =
        solve_linear_program(features.view(), losses, prices, options, mercer::Run{{.threads = 1}});
    expect_optimal(features, losses, prices, ProgramOffset::free, one);
    EXPECT_GT(one.rounds, 1);
    EXPECT_LT(nonzeros(one), 60);
    const LinearProgramSolution three =
        solve_linear_program(features.view(), losses, prices, options, mercer::Run{{.threads = 3}});
    EXPECT_EQ(one.coefficients, three.coefficients);
    EXPECT_EQ(one.offset, three.offset);
    EXPECT_EQ(one.multipliers, three.multipliers);
  }
}

TEST(LinearProgram, WeightsAreRepetitions) {
  const RandomProgram p(12, 5, 7);
  CheckLosses weighted = p.losses;
  Matrix<double> repeated(24, 5);
  CheckLosses rows;
  for (Index i = 0; i < 24; ++i) {
    const auto at = static_cast<std::size_t>(i / 2);
    for (Index j = 0; j < 5; ++j) {
      repeated(i, j) = p.features(i / 2, j);
    }
    rows.targets.push_back(p.losses.targets[at]);
    rows.up.push_back(p.losses.up[at]);
    rows.down.push_back(p.losses.down[at]);
    rows.tube.push_back(p.losses.tube[at]);
    weighted.up[at] = 2 * p.losses.up[at];
    weighted.down[at] = 2 * p.losses.down[at];
  }
  const LinearProgramSolution once = solve_linear_program(p.features.view(), weighted, p.prices, {}, mercer::Run());
  const LinearProgramSolution twice = solve_linear_program(repeated.view(), rows, p.prices, {}, mercer::Run());
  EXPECT_NEAR(once.objective, twice.objective, 1e-9 * once.objective);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(once.coefficients[j], twice.coefficients[j], 1e-8);
  }
}

TEST(LinearProgram, EqualColumnsAreOneAndZeroColumnsNone) {
  RandomProgram p(15, 4, 8);
  const LinearProgramSolution plain = solve_linear_program(p.features.view(), p.losses, p.prices, {}, mercer::Run());
  Matrix<double> more(15, 10);
  Numbers prices;
  for (Index j = 0; j < 10; ++j) {
    for (Index i = 0; i < 15; ++i) {
      more(i, j) = j < 8 ? p.features(i, j / 2) : 0.0;
    }
    prices.push_back(j < 8 ? p.prices[j / 2] + (j == 0 ? 0.5 : 0.0) : 1.0);
  }
  const LinearProgramSolution solution = solve_linear_program(more.view(), p.losses, prices, {}, mercer::Run());
  EXPECT_NEAR(solution.objective, plain.objective, 1e-9 * plain.objective);
  EXPECT_EQ(solution.coefficients[0], 0) << "the dearer of two equal columns";
  for (const std::size_t j : {3, 5, 7, 8, 9}) {
    EXPECT_EQ(solution.coefficients[j], 0) << j;
  }
}

TEST(LinearProgram, PricesBeyondTheSlopesGiveZeros) {
  const RandomProgram p(10, 6, 9);
  CheckLosses losses = absolute_losses(p.losses.targets, {}, 0);
  double largest = 0;
  for (Index j = 0; j < 6; ++j) {
    double slope = 0;
    for (Index i = 0; i < 10; ++i) {
      slope += p.features(i, j) * (losses.targets[i] > 0 ? 1 : -1);
    }
    largest = std::max(largest, std::abs(slope));
  }
  EXPECT_EQ(nonzeros(solve_linear_program(p.features.view(), losses, Numbers(6, 1.001 * largest), {}, mercer::Run())),
            0);
  EXPECT_GT(nonzeros(solve_linear_program(p.features.view(), losses, Numbers(6, 0.999 * largest), {}, mercer::Run())),
            0);
}

TEST(LinearProgram, SmallAndDegenerateProblems) {
  const Matrix<double> ones = Matrix<double>::filled(3, 1, 1.0);
  // One row: the price decides.
  const Matrix<double> single = Matrix<double>::filled(1, 1, 2.0);
  EXPECT_NEAR(solve_linear_program(single.view(), absolute_losses(Numbers{3}, {}, 0), Numbers{1}, {}, mercer::Run())
                  .coefficients[0],
              1.5, 1e-12);
  EXPECT_EQ(solve_linear_program(single.view(), absolute_losses(Numbers{3}, {}, 0), Numbers{2.5}, {}, mercer::Run())
                .coefficients[0],
            0);
  // A constant target needs nothing but the offset; one class only likewise.
  const LinearProgramOptions free{.offset = ProgramOffset::free};
  const LinearProgramSolution constant =
      solve_linear_program(ones.view(), absolute_losses(Numbers{4, 4, 4}, {}, 0), Numbers{1}, free, mercer::Run());
  EXPECT_EQ(constant.offset, 4);
  EXPECT_EQ(constant.objective, 0);
  const LinearProgramSolution one_class =
      solve_linear_program(ones.view(), hinge_losses(Numbers{-1, -1, -1}, {}), Numbers{1}, free, mercer::Run());
  EXPECT_EQ(one_class.offset, -1);
  EXPECT_EQ(one_class.objective, 0);
  // The median, from a program without columns.
  const LinearProgramSolution median = solve_linear_program(
      Matrix<double>(3, 0).view(), absolute_losses(Numbers{1, 9, 2}, {}, 0), {}, free, mercer::Run());
  EXPECT_NEAR(median.offset, 2, 1e-9);
  EXPECT_NEAR(median.objective, 8, 1e-9);
}

TEST(LinearProgram, RefusesWhatMeansNothing) {
  const Matrix<double> features = Matrix<double>::filled(2, 1, 1.0);
  const auto solve = [&](const Matrix<double>& matrix, const CheckLosses& losses, const Numbers& prices) {
    return solve_linear_program(matrix.view(), losses, prices, {}, mercer::Run());
  };
  const CheckLosses good = absolute_losses(Numbers{1, 2}, {}, 0);
  EXPECT_ERROR(solve(Matrix<double>(0, 1), absolute_losses({}, {}, 0), {1}), InvalidArgument,
               "linear program: no rows");
  EXPECT_ERROR(solve(features, good, {0}), InvalidArgument, "linear program: price of a column = 0");
  EXPECT_ERROR(solve(features, good, {1, 1}), InvalidArgument,
               "linear program: losses and prices must have one entry per row and per column");
  EXPECT_ERROR(solve(features, absolute_losses(Numbers{1}, {}, 0), {1}), InvalidArgument,
               "linear program: losses and prices must have one entry per row and per column");
  EXPECT_ERROR(solve(features, absolute_losses(Numbers{1, NAN}, {}, 0), {1}), InvalidArgument,
               "linear program: the loss of row 1 must have a finite target");
  EXPECT_ERROR(solve(features, absolute_losses(Numbers{1, 2}, Numbers{1, 0}, 0), {1}), InvalidArgument,
               "linear program: the loss of row 1 must have a finite target");
  EXPECT_ERROR(solve(features, absolute_losses(Numbers{1, 2}, {}, -1), {1}), InvalidArgument,
               "linear program: the loss of row 0 must have a finite target");
  EXPECT_ERROR(hinge_losses(Numbers{1, 0}, {}), InvalidArgument, "label = 0");
  Matrix<double> bad = Matrix<double>::filled(2, 1, 1.0);
  bad(1, 0) = NAN;
  EXPECT_ERROR(solve(bad, good, {1}), DataError, "linear program: a feature of row 1 is not finite");
}

TEST(LinearProgram, Stops) {
  std::stop_source source;
  source.request_stop();
  const RandomProgram p(30, 30, 4);
  EXPECT_ERROR(
      solve_linear_program(p.features.view(), p.losses, p.prices, {}, mercer::Run{{.stop = source.get_token()}}),
      Stopped, "stopped on request");
}

}  // namespace
}  // namespace mercer
