#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/expansion/expansion.h"
#include "mercer/expansion/preimage_points.h"
#include "mercer/expansion/reduced_set/clustering.h"
#include "mercer/expansion/reduced_set/construction.h"
#include "mercer/expansion/reduced_set/kpca_selection.h"
#include "mercer/expansion/reduced_set/l1_selection.h"
#include "mercer/expansion/reduced_set/quadratic.h"
#include "mercer/expansion/reduced_set/refinement.h"
#include "mercer/expansion/reduced_set/regression_selection.h"
#include "mercer/expansion/reduced_set/selection.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/spec.h"
#include "support/dense.h"
#include "support/expect_error.h"
#include "support/random_matrix.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::random_matrix;

const mercer::Run run;

Matrix<double> uniform_matrix(Index rows, Index columns, std::uint64_t seed) {
  Matrix<double> values(rows, columns);
  RandomStream random(seed, 3);
  for (Index i = 0; i < rows * columns; ++i) {
    values.data()[i] = 2 * random.uniform() - 1;
  }
  return values;
}

Samples samples_of(const Matrix<double>& values) { return make_dense(Matrix<double>::copy_of(values.view())); }

// exp(−‖x−z‖²/(2ℓ²)), pair by pair.
Dense gaussian(const Matrix<double>& x, const Matrix<double>& z, double lengthscale) {
  Dense k(x.rows(), z.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < z.rows(); ++j) {
      double sum = 0;
      for (Index c = 0; c < x.columns(); ++c) {
        sum += (x(i, c) - z(j, c)) * (x(i, c) - z(j, c));
      }
      k(i, j) = std::exp(-sum / (2 * lengthscale * lengthscale));
    }
  }
  return k;
}

// A random signed expansion in the plane.
struct Toy {
  Matrix<double> x;
  Matrix<double> a;
  Dense k;
  ReductionTarget target;

  explicit Toy(std::uint64_t seed, Index m = 31, Index outputs = 1, double width = 0.5)
      : x(uniform_matrix(m, 2, seed)),
        a(random_matrix(m, outputs, seed)),
        k(gaussian(x, x, width)),
        target(parse_kernel("rbf(lengthscale=" + std::to_string(width) + ")"), samples_of(x), a.view(), run) {}

  // The least Σ_o ‖Ψ_o − Ψ'_o‖² on these centres.
  double best_error(const std::vector<Index>& chosen) const {
    const Dense all(a);
    double error = 0;
    for (Index o = 0; o < all.columns(); ++o) {
      const Dense column = all.column(o);
      const Dense b = (k * column).picked_rows(chosen);
      error += column.dot(k * column) - b.dot(k.picked(chosen, chosen).solve_positive(b));
    }
    return error;
  }
};

TEST(ReducedSetCoefficients, ErrorIsTheDistanceAndBestCoefficientsLeaveItOrthogonal) {
  const Toy toy(1, 12, 2);
  const Matrix<double> z = uniform_matrix(5, 2, 77);
  const ReducedSet set = fit_coefficients(toy.target, samples_of(z), run);
  const Dense kz = gaussian(z, z, 0.5);
  const Dense kzx = gaussian(z, toy.x, 0.5);
  const Dense a(toy.a);
  const Dense beta(set.coefficients);
  EXPECT_LT((kz * beta - kzx * a).max_abs(), 1e-10);
  for (Index o = 0; o < 2; ++o) {
    const double direct = a.column(o).dot(toy.k * a.column(o)) + beta.column(o).dot(kz * beta.column(o)) -
                          2 * beta.column(o).dot(kzx * a.column(o));
    EXPECT_NEAR(set.squared_errors[o], direct, 1e-10);
  }
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Dense other = beta + 0.01 * Dense(random_matrix(5, 2, seed));
    const std::vector<double> errors = reduction_errors(toy.target, samples_of(z), other.matrix().view(), run);
    EXPECT_GE(errors[0], set.squared_errors[0]);
    EXPECT_GE(errors[1], set.squared_errors[1]);
  }
  const std::vector<double> same = reduction_errors(toy.target, samples_of(toy.x), toy.a.view(), run);
  EXPECT_LT(same[0] + same[1], 1e-12 * toy.target.total_squared_norm());
}

TEST(ReducedSetCoefficients, PointsThatMeetShareTheirCoefficient) {
  const Toy toy(2, 8);
  Matrix<double> twice(6, 2);
  for (Index i = 0; i < 6; ++i) {
    twice(i, 0) = toy.x(i / 2, 0);
    twice(i, 1) = toy.x(i / 2, 1);
  }
  const ReducedSet set = fit_coefficients(toy.target, samples_of(twice), run);
  EXPECT_NEAR(set.squared_errors[0], toy.best_error({0, 1, 2}), 1e-8 * toy.target.total_squared_norm());
}

TEST(ReducedSetCoefficients, ValuesAreLeastSquares) {
  const Toy toy(3, 15, 2);
  const Matrix<double> z = uniform_matrix(4, 2, 5);
  const ReducedSet set = fit_values(toy.target, samples_of(z), run);
  const Dense kxz = gaussian(toy.x, z, 0.5);
  const Dense left = toy.k * Dense(toy.a) - kxz * Dense(set.coefficients);
  EXPECT_LT((kxz.transpose() * left).max_abs(), 1e-8);
  EXPECT_GE(set.total_squared_error(), fit_coefficients(toy.target, samples_of(z), run).total_squared_error());
}

TEST(ReducedSetTarget, LeavesOutZerosAndRefusesWhatHasNoNorm) {
  const Matrix<double> x = uniform_matrix(4, 2, 1);
  Matrix<double> a = random_matrix(4, 1, 1);
  a(2, 0) = 0;
  const ReductionTarget target(parse_kernel("rbf(gamma=1)"), samples_of(x), a.view(), run);
  EXPECT_EQ(target.kept(), (std::vector<Index>{0, 1, 3}));
  EXPECT_ERROR(ReductionTarget(parse_kernel("sigmoid(gamma=1)"), samples_of(x), a.view(), run), InvalidArgument,
               "reduced sets measure their error by the norm of the kernel's space");
  EXPECT_ERROR(ReductionTarget(parse_kernel("negative_distance()"), samples_of(x), a.view(), run), InvalidArgument,
               "reduced sets measure their error by the norm of the kernel's space");
  EXPECT_ERROR(ReductionTarget(parse_kernel("center(rbf(gamma=1))"), samples_of(x), a.view(), run), InvalidArgument,
               "the kernel center(rbf(gamma=1)) depends on all of its centres");
  EXPECT_ERROR(ReductionTarget(parse_kernel("rbf(gamma=1)"), samples_of(uniform_matrix(3, 2, 1)), a.view(), run),
               InvalidArgument, "4 rows of coefficients for 3 centres");
  a(1, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(ReductionTarget(parse_kernel("rbf(gamma=1)"), samples_of(x), a.view(), run), InvalidArgument,
               "coefficient 1 (counted from 0) is not a finite number");
  // Nothing to represent.
  const Matrix<double> zero = Matrix<double>::filled(4, 1, 0.0);
  const ReductionTarget nothing(parse_kernel("rbf(gamma=1)"), samples_of(x), zero.view(), run);
  EXPECT_EQ(nothing.size(), 0);
  EXPECT_TRUE(select_greedy(nothing, 3, run).chosen.empty());
  EXPECT_TRUE(select_by_deletion(nothing, 3, run).chosen.empty());
  EXPECT_EQ(construct(nothing, {.size = 2}, run).set.size(), 0);
}

// Functions stay the same: a linear kernel in R³ needs three centres, duplicates are one.
TEST(ReducedSetSelection, IndependentCentersAreTheWholeFunction) {
  const Matrix<double> x = random_matrix(20, 3, 8);
  const Matrix<double> a = random_matrix(20, 2, 9);
  const ReductionTarget linear(parse_kernel("linear()"), samples_of(x), a.view(), run);
  const Selection chosen = select_independent(linear, 0, run);
  ASSERT_EQ(chosen.chosen.size(), 3U);
  const ReducedSet set = fit_coefficients(linear, chosen.chosen, run);
  EXPECT_LT(set.total_squared_error(), 1e-12 * linear.total_squared_norm());
  const Dense before = Dense(x).transpose() * Dense(a);
  const Dense after = Dense(points_of(set.centers)).transpose() * Dense(set.coefficients);
  EXPECT_LT((before - after).max_abs(), 1e-9);

  Matrix<double> doubled(10, 2);
  const Matrix<double> five = uniform_matrix(5, 2, 3);
  for (Index i = 0; i < 10; ++i) {
    doubled(i, 0) = five(i % 5, 0);
    doubled(i, 1) = five(i % 5, 1);
  }
  const ReductionTarget twice(parse_kernel("rbf(gamma=1)"), samples_of(doubled), random_matrix(10, 1, 4).view(), run);
  EXPECT_EQ(select_independent(twice, 0, run).chosen.size(), 5U);
}

TEST(ReducedSetSelection, GreedyTakesTheBestCenterAtEveryStep) {
  for (const Index outputs : {1, 3}) {
    const Toy toy(5, 14, outputs);
    const Selection selection = select_greedy(toy.target, 6, run);
    ASSERT_EQ(selection.chosen.size(), 6U);
    std::vector<Index> so_far;
    for (std::size_t step = 0; step < 6; ++step) {
      double least = std::numeric_limits<double>::infinity();
      for (Index j = 0; j < 14; ++j) {
        std::vector<Index> with = so_far;
        with.push_back(j);
        if (std::ranges::find(so_far, j) == so_far.end()) {
          least = std::min(least, toy.best_error(with));
        }
      }
      so_far.push_back(selection.chosen[step]);
      EXPECT_NEAR(toy.best_error(so_far), least, 1e-8 * toy.target.total_squared_norm());
      EXPECT_NEAR(selection.history[step + 1], toy.best_error(so_far), 1e-8 * toy.target.total_squared_norm());
      EXPECT_LE(selection.history[step + 1], selection.history[step]);
    }
  }
}

// Points that stand twice (or nearly) make K^z singular; the factorisation may pass all the same.
TEST(ReducedSet, PointsThatStandTwiceLoseNothing) {
  constexpr Index half = 60;
  for (const double apart : {0.0, 1e-9, 1e-6}) {
    Matrix<double> x = uniform_matrix(2 * half, 2, 31);
    for (Index i = 0; i < half; ++i) {
      for (Index c = 0; c < 2; ++c) {
        x(half + i, c) = x(i, c) + apart;
      }
    }
    const Matrix<double> a = random_matrix(2 * half, 1, 32);
    const Kernel kernel = parse_kernel("rbf(lengthscale=0.3)");
    const ReductionTarget target(kernel, samples_of(x), a.view(), run);
    const ReducedSet set = fit_coefficients(target, samples_of(x), run);
    // The same function, evaluated at other places.
    const Matrix<double> z = uniform_matrix(50, 2, 33);
    const Dense before = gaussian(z, x, 0.3) * Dense(a);
    const Dense after = gaussian(z, x, 0.3) * Dense(set.coefficients);
    const double norm = std::sqrt(target.total_squared_norm());
    const double error = std::sqrt(set.total_squared_error());
    EXPECT_LE(error, 1e-5 * norm) << apart;
    double largest = 0;
    for (Index i = 0; i < set.size(); ++i) {
      largest = std::max(largest, std::abs(set.coefficients(i, 0)));
    }
    EXPECT_LT(largest, 1e3 * norm) << apart;
    for (Index i = 0; i < 50; ++i) {
      EXPECT_NEAR(after(i), before(i), 1e-5 * norm) << apart;
    }
  }
}

// A small penalty gives rows that stand twice huge coefficients of opposite signs: the function is their sum.
TEST(ReducedSet, HugeCoefficientsOfEqualCentersAreTheirSum) {
  constexpr Index half = 12;
  Matrix<double> x(2 * half, 2);
  const Matrix<double> z = uniform_matrix(half, 2, 41);
  const Matrix<double> sum = random_matrix(half, 1, 42);
  Matrix<double> a(2 * half, 1);
  for (Index i = 0; i < half; ++i) {
    for (const Index row : {i, half + i}) {
      x(row, 0) = z(i, 0);
      x(row, 1) = z(i, 1);
    }
    const double huge = std::ldexp(static_cast<double>(i + 1), 32);
    a(i, 0) = huge;
    a(half + i, 0) = sum(i, 0) - huge;
  }
  const ReductionTarget target(parse_kernel("rbf(lengthscale=0.4)"), samples_of(x), a.view(), run);
  EXPECT_EQ(target.size(), half);
  const Dense k = gaussian(z, z, 0.4);
  const double squared_norm = Dense(sum).dot(k * Dense(sum));
  EXPECT_NEAR(target.total_squared_norm(), squared_norm, 1e-5 * squared_norm);
  const std::vector<Index> chosen = select_by_deletion(target, 5, run).chosen;
  ASSERT_EQ(chosen.size(), 5U);
  const Dense b = (k * Dense(sum)).picked_rows(chosen);
  const double expected = squared_norm - b.dot(k.picked(chosen, chosen).solve_positive(b));
  EXPECT_NEAR(fit_coefficients(target, chosen, run).total_squared_error(), expected, 1e-5 * squared_norm);
  EXPECT_GT(expected, 1e-3 * squared_norm);
  // `white` tells equal rows apart.
  const ReductionTarget apart(parse_kernel("rbf(lengthscale=0.4) + white()"), samples_of(x), a.view(), run);
  EXPECT_EQ(apart.size(), 2 * half);
}

TEST(ReducedSetSelection, DeletionTakesTheCheapestCenterAtEveryStep) {
  for (const Index outputs : {1, 3}) {
    const Toy toy(6, 9, outputs, 0.3);
    std::vector<Index> left = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    for (Index size = 8; size >= 2; --size) {
      const Selection selection = select_by_deletion(toy.target, size, run);
      double least = std::numeric_limits<double>::infinity();
      std::vector<Index> best;
      for (std::size_t out = 0; out < left.size(); ++out) {
        std::vector<Index> without = left;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(out));
        const double error = toy.best_error(without);
        if (error < least) {
          least = error;
          best = without;
        }
      }
      EXPECT_EQ(selection.chosen, best);
      EXPECT_NEAR(selection.history.back(), least, 1e-8 * toy.target.total_squared_norm());
      left = best;
    }
  }
}

TEST(ReducedSetSelection, OneKpcaStepCostsWhatItSays) {
  const Toy toy(7, 10, 2, 0.3);
  const KpcaSelection selection = select_by_kpca(toy.target, 9, run);
  ASSERT_EQ(selection.costs.size(), 1U);
  const oracle::EigenDecomposition eigen = toy.k.eigen();
  const Dense inverse = toy.k.inverse();
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < 10; ++i) {
    for (Index n = 0; n < 10; ++n) {
      const double size = toy.a(n, 0) * toy.a(n, 0) + toy.a(n, 1) * toy.a(n, 1);
      const double cost = size / std::pow(eigen.vectors(n, i), 2) * eigen.values(i);
      EXPECT_GE(cost, size / inverse(n, n) * (1 - 1e-6));  // the optimal deletion is never worse
      // The cost is the squared norm of what the step changes, (a_n/g_n) Σ_j g_j Φ(x_j).
      const Dense g = eigen.vectors.column(i);
      EXPECT_NEAR(size / std::pow(g(n), 2) * g.dot(toy.k * g), cost, 1e-9 * (1 + cost));
      least = std::min(least, cost);
    }
  }
  EXPECT_NEAR(selection.costs[0], least, 1e-8 * (1 + least));
  const KpcaSelection fewer = select_by_kpca(toy.target, 4, run);
  EXPECT_EQ(fewer.chosen.size(), 4U);
  EXPECT_EQ(fewer.costs.size(), 6U);
}

TEST(ReducedSetSelection, KpcaServesManyCentersWithFewDecompositions) {
  const Toy toy(8, 330, 1, 0.4);
  const KpcaSelection selection = select_by_kpca(toy.target, 320, run);
  EXPECT_EQ(selection.chosen.size(), 320U);
  EXPECT_TRUE(std::ranges::is_sorted(selection.chosen));
  EXPECT_LT(fit_coefficients(toy.target, selection.chosen, run).total_squared_error(),
            1e-6 * toy.target.total_squared_norm());
}

TEST(ReducedSetL1, SatisfiesTheConditionsOfTheMinimum) {
  const Toy toy(9, 15, 1, 0.3);
  for (const PenaltyWeights weights : {PenaltyWeights::equal, PenaltyWeights::inverse}) {
    double mean = 0;
    for (Index i = 0; i < 15; ++i) {
      mean += std::abs(toy.a(i, 0)) / 15;
    }
    EXPECT_LT(l1_reduction(toy.target, 2.0, weights, run).chosen.size(),
              l1_reduction(toy.target, 0.01, weights, run).chosen.size());
    for (const double penalty : {0.01, 0.1, 0.5, 1.0, 2.0}) {
      const L1Result found = l1_reduction(toy.target, penalty, weights, run);
      const Dense slope = 2.0 * (toy.k * (Dense(toy.a) - Dense(found.coefficients)));
      for (Index i = 0; i < 15; ++i) {
        const double c = weights == PenaltyWeights::equal ? 1.0 : mean / std::abs(toy.a(i, 0));
        const double b = found.coefficients(i, 0);
        if (b != 0) {
          EXPECT_NEAR(slope(i), std::copysign(penalty * c, b), 1e-5);
        } else {
          EXPECT_LE(std::abs(slope(i)), penalty * c + 1e-5);
        }
      }
      const double raw = reduction_errors(toy.target, toy.target.centers(), found.coefficients.view(), run)[0];
      EXPECT_LE(fit_coefficients(toy.target, found.chosen, run).squared_errors[0], raw + 1e-9);
    }
  }
  const L1Result none = l1_reduction(toy.target, 0, PenaltyWeights::equal, run);
  EXPECT_LT((Dense(none.coefficients) - Dense(toy.a)).max_abs(), 1e-12);
}

TEST(ReducedSetL1, SeveralOutputsShareTheirZeros) {
  const Toy toy(10, 12, 3, 0.3);
  const double penalty = 4.0;
  const L1Result found = l1_reduction(toy.target, penalty, PenaltyWeights::equal, run);
  const auto objective = [&](const Dense& b) {
    const Dense gap = Dense(toy.a) - b;
    double value = 0;
    for (Index o = 0; o < 3; ++o) {
      value += gap.column(o).dot(toy.k * gap.column(o));
    }
    for (Index i = 0; i < 12; ++i) {
      value += penalty * b.row(i).max_abs();
    }
    return value;
  };
  const Dense b(found.coefficients);
  const double least = objective(b);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const double size = seed % 2 == 0 ? 1e-2 : 1e-4;
    EXPECT_GE(objective(b + size * Dense(random_matrix(12, 3, seed))), least - 1e-12);
  }
  EXPECT_LT(found.chosen.size(), 12U);
  EXPECT_GT(found.chosen.size(), 0U);
  // All of one output twice: the penalty is that of one, the data term doubles.
  Matrix<double> twice(12, 2);
  for (Index i = 0; i < 12; ++i) {
    twice(i, 0) = toy.a(i, 0);
    twice(i, 1) = toy.a(i, 0);
  }
  const ReductionTarget pair(toy.target.kernel(), samples_of(toy.x), twice.view(), run);
  Matrix<double> single(12, 1);
  for (Index i = 0; i < 12; ++i) {
    single(i, 0) = toy.a(i, 0);
  }
  const ReductionTarget one(toy.target.kernel(), samples_of(toy.x), single.view(), run);
  const L1Result both = l1_reduction(pair, 2.0, PenaltyWeights::equal, run);
  const L1Result alone = l1_reduction(one, 1.0, PenaltyWeights::equal, run);
  for (Index i = 0; i < 12; ++i) {
    EXPECT_NEAR(both.coefficients(i, 0), alone.coefficients(i, 0), 1e-5);
    EXPECT_NEAR(both.coefficients(i, 1), alone.coefficients(i, 0), 1e-5);
  }
}

TEST(ReducedSetL1, FindsThePenaltyForASize) {
  const Toy toy(11, 25, 1, 0.4);
  for (const Index size : {3, 8, 15}) {
    const L1Result found = select_by_l1(toy.target, size, PenaltyWeights::inverse, run);
    EXPECT_LE(static_cast<Index>(found.chosen.size()), size);
    EXPECT_GE(static_cast<Index>(found.chosen.size()), size - 2);
  }
  EXPECT_EQ(select_by_l1(toy.target, 25, PenaltyWeights::equal, run).chosen.size(), 25U);
}

TEST(ReducedSetRegression, StaysInsideItsTubeAtTheCenters) {
  const Toy toy(12, 30, 2, 0.4);
  const TubeReduction tube = tube_reduction(toy.target, 0.1, run);
  const Dense values = toy.k * Dense(tube.coefficients);
  for (Index o = 0; o < 2; ++o) {
    for (Index i = 0; i < 30; ++i) {
      EXPECT_LE(std::abs(values(i, o) + tube.offsets[o] - toy.target.values()(i, o)), 0.1 * 1.02);
    }
  }
  EXPECT_LT(tube.chosen.size(), 30U);
  const TubeReduction sized = select_by_regression(toy.target, 12, run);
  EXPECT_LE(sized.chosen.size(), 12U);
  EXPECT_GE(sized.chosen.size(), 8U);
}

// 31 terms of both signs, width ½: relative squared errors with 1, 2, 4, 9 and 13 points are of the order of
// .577, .353, .111, .021, .017, whatever the draw.
TEST(ReducedSetConstruction, ErrorFallsAsOnSignedToys) {
  double mean[5] = {};
  const Index sizes[5] = {1, 2, 4, 9, 13};
  constexpr int toys = 8;
  for (std::uint64_t seed = 0; seed < toys; ++seed) {
    const Toy toy(seed);
    const ConstructedSet built = construct(toy.target, {.size = 13}, run);
    ASSERT_EQ(built.history.size(), 14U);
    for (std::size_t r = 1; r < built.history.size(); ++r) {
      EXPECT_LE(built.history[r], built.history[r - 1]);
    }
    EXPECT_NEAR(built.history.back(), built.set.total_squared_error(), 1e-7 * built.history.front());
    for (int s = 0; s < 5; ++s) {
      mean[s] += built.history[sizes[s]] / built.history.front() / toys;
    }
  }
  const double printed[5] = {.577, .353, .111, .021, .017};
  for (int s = 0; s < 5; ++s) {
    EXPECT_LT(mean[s], 1.5 * printed[s]);
    EXPECT_GT(mean[s], printed[s] / 3);
  }
}

TEST(ReducedSetConstruction, FirstPointIsTheBestOfTheWholePlane) {
  for (const Index outputs : {1, 2}) {
    const Toy toy(21, 15, outputs);
    const ConstructedSet built = construct(toy.target, {.size = 1, .starts = 15}, run);
    double best = 0;
    Matrix<double> z(1, 2);
    for (int i = -60; i <= 60; ++i) {
      for (int j = -60; j <= 60; ++j) {
        z(0, 0) = i / 40.0;
        z(0, 1) = j / 40.0;
        const Dense h = gaussian(z, toy.x, 0.5) * Dense(toy.a);
        best = std::max(best, h.squared_norm());
      }
    }
    EXPECT_LE(built.history[1], toy.target.total_squared_norm() - best + 1e-4 * toy.target.total_squared_norm());
  }
}

TEST(ReducedSetConstruction, StopsWhereNothingIsMissing) {
  const Matrix<double> x = uniform_matrix(3, 2, 5);
  const ReductionTarget target(parse_kernel("rbf(gamma=2)"), samples_of(x), random_matrix(3, 1, 6).view(), run);
  const ConstructedSet built = construct(target, {.size = 20, .tolerance = 1e-6}, run);
  EXPECT_LE(built.set.total_squared_error(), 1e-6 * target.total_squared_norm());
  EXPECT_LT(built.set.size(), 20);
  // A polynomial in the plane has a space of six dimensions.
  const Toy toy(5, 12);
  const ReductionTarget poly(parse_kernel("poly(degree=2, gamma=1, coef0=1)"), samples_of(toy.x), toy.a.view(), run);
  const ConstructedSet all = construct(poly, {.size = 12}, run);
  EXPECT_LE(all.set.size(), 7);
  EXPECT_LT(all.set.total_squared_error(), 1e-4 * poly.total_squared_norm());
}

TEST(ReducedSetRefinement, GradientIsTheFiniteDifference) {
  for (const char* spec :
       {"rbf(lengthscale=0.5)", "poly(degree=3, gamma=0.7, coef0=1)", "matern(nu=2.5, lengthscale=1)"}) {
    const Matrix<double> x = uniform_matrix(10, 2, 31);
    const ReductionTarget target(parse_kernel(spec), samples_of(x), random_matrix(10, 2, 32).view(), run);
    Matrix<double> z = uniform_matrix(3, 2, 33);
    Matrix<double> gradient(3, 2);
    refinement_objective(target, z.view(), gradient.view(), run);
    for (Index i = 0; i < 3; ++i) {
      for (Index c = 0; c < 2; ++c) {
        const double kept = z(i, c);
        const double step = 1e-5;
        z(i, c) = kept + step;
        const double ahead = refinement_objective(target, z.view(), {}, run);
        z(i, c) = kept - step;
        const double behind = refinement_objective(target, z.view(), {}, run);
        z(i, c) = kept;
        EXPECT_NEAR(gradient(i, c), (ahead - behind) / (2 * step), 1e-5 * (1 + target.total_squared_norm())) << spec;
      }
    }
  }
}

TEST(ReducedSetRefinement, IsNeverWorseAndMuchBetterOnToys) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Toy toy(seed);
    const ConstructedSet built = construct(toy.target, {.size = 9}, run);
    const RefinedSet refined = refine(toy.target, built.points.view(), {}, run);
    EXPECT_NEAR(refined.first_squared_error, built.set.total_squared_error(), 1e-9 * built.history.front());
    EXPECT_LT(refined.set.total_squared_error(), refined.first_squared_error / 2);
    EXPECT_NEAR(reduction_errors(toy.target, refined.set.centers, refined.set.coefficients.view(), run)[0],
                refined.set.squared_errors[0], 1e-9 * built.history.front());
  }
  const Toy toy(3, 10);
  const RefinedSet stays = refine(toy.target, toy.x.view(), {}, run);
  EXPECT_LT(stays.set.total_squared_error(), 1e-9 * toy.target.total_squared_norm());
  EXPECT_EQ(refine(toy.target, Matrix<double>(0, 2).view(), {}, run).set.size(), 0);
  EXPECT_ERROR(refine(toy.target, Matrix<double>::filled(1, 3, 0.0).view(), {}, run), InvalidArgument,
               "points of 3 columns for samples of 2");
  EXPECT_ERROR(refine(toy.target, toy.x.view(), {.max_evaluations = 0}, run), InvalidArgument, "max_evaluations = 0");
}

TEST(ReducedSetQuadratic, EigenvectorsAreTheWholeFunction) {
  const Matrix<double> x = random_matrix(25, 4, 41);
  const Matrix<double> a = random_matrix(25, 1, 42);
  const ReductionTarget target(parse_kernel("2*poly(degree=2, gamma=0.5, coef0=0)"), samples_of(x), a.view(), run);
  Dense s(4, 4);
  for (Index i = 0; i < 25; ++i) {
    const Dense row = Dense(x).row(i);
    s += a(i, 0) * (row.transpose() * row);
  }
  const Dense values = s.eigenvalues();
  std::vector<double> squares;
  for (Index r = 0; r < 4; ++r) {
    squares.push_back(values(r) * values(r));
  }
  std::ranges::sort(squares);
  double left = 0;
  for (Index size = 4; size >= 0; --size) {
    const ReducedSet set = reduce_quadratic(target, size, run);
    EXPECT_EQ(set.size(), size);
    // k = 2·(½ xᵀy)², so that errors carry the factor 2·¼.
    EXPECT_NEAR(set.squared_errors[0], 0.5 * left, 1e-9 * target.total_squared_norm());
    left += size > 0 ? squares[4 - size] : 0.0;
  }
  const ReducedSet exact = reduce_quadratic(target, 10, run);
  EXPECT_EQ(exact.size(), 4);
  const Dense z = points_of(exact.centers);
  Dense again(4, 4);
  for (Index r = 0; r < 4; ++r) {
    again += exact.coefficients(r, 0) * (z.row(r).transpose() * z.row(r));
  }
  EXPECT_LT((again - s).max_abs(), 1e-10);
  EXPECT_ERROR(reduce_quadratic(Toy(1).target, 3, run), InvalidArgument,
               "the exact reduced set is for one function of poly(degree=2, coef0=0)");
}

TEST(ReducedSetClustering, FindsSeparateGroups) {
  Matrix<double> x(30, 2);
  RandomStream random(5);
  for (Index i = 0; i < 30; ++i) {
    x(i, 0) = 10.0 * static_cast<double>(i % 3) + 0.1 * random.normal();
    x(i, 1) = 0.1 * random.normal();
  }
  const ReductionTarget target(parse_kernel("rbf(gamma=0.1)"), samples_of(x), random_matrix(30, 1, 6).view(), run);
  const Matrix<double> z = cluster_points(target, 3, run);
  std::vector<double> found = {z(0, 0), z(1, 0), z(2, 0)};
  std::ranges::sort(found);
  for (int k = 0; k < 3; ++k) {
    double mean = 0;
    for (Index i = k; i < 30; i += 3) {
      mean += x(i, 0) / 10;
    }
    EXPECT_NEAR(found[k], mean, 1e-12);
  }
  EXPECT_EQ(cluster_points(target, 100, run).rows(), 30);
  EXPECT_EQ(cluster_points(target, 0, run).rows(), 0);
}

TEST(ReducedSet, AnyNumberOfThreadsGivesTheSameBits) {
  const Toy toy(51, 80, 2, 0.3);
  std::vector<ReducedSet> sets;
  for (const int threads : {1, 2, 3}) {
    const mercer::Run several{{.threads = threads}};
    const ConstructedSet built = construct(toy.target, {.size = 40}, several);
    sets.push_back(refine(toy.target, built.points.view(), {.max_evaluations = 10}, several).set);
  }
  for (const ReducedSet& set : sets) {
    ASSERT_EQ(set.size(), sets[0].size());
    EXPECT_TRUE(testing::same_bits(set.coefficients, sets[0].coefficients));
  }
}

TEST(ReducedSet, WordsCanBeChosenAmongButNotMadeUp) {
  const std::vector<std::string> words = {"red", "green", "blue", "red", "blue"};
  const Samples colors = make_categories(words);
  const Matrix<double> a = random_matrix(5, 1, 1);
  const ReductionTarget target(parse_kernel("delta()"), colors, a.view(), run);
  const Selection selection = select_greedy(target, 5, run);
  EXPECT_EQ(selection.chosen.size(), 3U);
  EXPECT_LT(fit_coefficients(target, selection.chosen, run).total_squared_error(), 1e-12);
  EXPECT_ERROR(construct(target, {.size = 2}, run), InvalidArgument,
               "new points cannot be made for samples that are categories");
  EXPECT_ERROR(cluster_points(target, 2, run), InvalidArgument,
               "new points cannot be made for samples that are categories");
}

// Centres at the origin of feature space carry nothing, and that is no error.
TEST(ReducedSet, CentersWithoutLengthHaveNoCoefficient) {
  Matrix<double> a = Matrix<double>::filled(2, 2, 0.0);
  Matrix<double> b = Matrix<double>::filled(2, 1, 3.0);
  EXPECT_EQ(solve_semidefinite(a.view(), b.view(), {}), 0);
  EXPECT_EQ(b(0, 0), 0);
  EXPECT_EQ(b(1, 0), 0);
}

}  // namespace
}  // namespace mercer
