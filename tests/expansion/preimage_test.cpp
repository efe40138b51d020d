#include "mercer/expansion/preimage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/base/text.h"
#include "mercer/expansion/preimage_exact.h"
#include "mercer/expansion/preimage_points.h"
#include "mercer/kernels/spec.h"
#include "mercer/linalg/blas.h"
#include "support/dense.h"
#include "support/expect_error.h"
#include "support/random_matrix.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::random_matrix;

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    sum += (a[c] - b[c]) * (a[c] - b[c]);
  }
  return sum;
}

double inner_of(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    sum += a[c] * b[c];
  }
  return sum;
}

using PairKernel = double (*)(std::span<const double>, std::span<const double>);
double gaussian(std::span<const double> a, std::span<const double> b) {
  return std::exp(-0.4 * squared_distance(a, b));
}
double cubic(std::span<const double> a, std::span<const double> b) { return std::pow(0.5 * inner_of(a, b) + 1, 3); }
double two_widths(std::span<const double> a, std::span<const double> b) {
  return 2 * std::exp(-0.4 * squared_distance(a, b)) + 0.5 / (1 + squared_distance(a, b));
}

struct Case {
  const char* spec;
  PairKernel pair;
};
constexpr Case cases[] = {{"rbf(gamma=0.4)", gaussian},
                          {"poly(degree=3, gamma=0.5, coef0=1)", cubic},
                          {"2*rbf(gamma=0.4) + 0.5*cauchy(lengthscale=1)", two_widths}};

// ‖Ψ − βΦ(z)‖² pair by pair.
double direct_rho(PairKernel k, const Matrix<double>& x, const Matrix<double>& a, Index column, double beta,
                  std::span<const double> z) {
  double sum = beta * beta * k(z, z);
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      sum += a(i, column) * a(j, column) * k(x.view().row(i), x.view().row(j));
    }
    sum -= 2 * beta * a(i, column) * k(x.view().row(i), z);
  }
  return sum;
}

const mercer::Run run;

TEST(Preimage, RhoIsTheDistanceAndHasNoSlopeAtTheResult) {
  for (const Case& one : cases) {
    for (const PreimageCriterion criterion : {PreimageCriterion::distance, PreimageCriterion::direction}) {
      const Matrix<double> x = random_matrix(12, 3, 4);
      const Matrix<double> a = random_matrix(12, 4, 5);
      const PreimageResult found = find_preimages(parse_kernel(one.spec), make_dense(Matrix<double>::copy_of(x.view())),
                                                  a.view(), {}, {.criterion = criterion, .max_evaluations = 2000}, run);
      for (Index c = 0; c < 4; ++c) {
        const auto at = static_cast<std::size_t>(c);
        std::vector<double> z(found.points.view().row(c).begin(), found.points.view().row(c).end());
        const auto best_beta = [&] {
          double h = 0;
          for (Index i = 0; i < x.rows(); ++i) {
            h += a(i, c) * one.pair(x.view().row(i), z);
          }
          return criterion == PreimageCriterion::distance ? 1.0 : h / one.pair(z, z);
        };
        EXPECT_NEAR(found.scales[at], best_beta(), 1e-9 * (1 + std::abs(found.scales[at])));
        const double scale = found.squared_norm[at];
        EXPECT_NEAR(found.squared_norm[at], direct_rho(one.pair, x, a, c, 0, z), 1e-10 * scale);
        EXPECT_NEAR(found.rho[at], direct_rho(one.pair, x, a, c, best_beta(), z), 1e-10 * scale);
        for (double& coordinate : z) {
          const double kept = coordinate;
          const double step = 1e-4;
          coordinate = kept + step;
          const double above = direct_rho(one.pair, x, a, c, best_beta(), z);
          coordinate = kept - step;
          const double below = direct_rho(one.pair, x, a, c, best_beta(), z);
          coordinate = kept;
          EXPECT_NEAR((above - below) / (2 * step), 0, 1e-3 * scale) << one.spec << " column " << c;
          EXPECT_GE(above, found.rho[at] - 1e-6 * scale);
          EXPECT_GE(below, found.rho[at] - 1e-6 * scale);
        }
      }
    }
  }
}

TEST(Preimage, GradientIsTheFiniteDifference) {
  const Matrix<double> x = random_matrix(9, 2, 14);
  const Matrix<double> a = random_matrix(9, 3, 15);
  const Matrix<double> z = random_matrix(2, 2, 16);
  for (const char* spec : {"rbf(gamma=0.4)", "poly(degree=2, gamma=0.5, coef0=1)", "rbf(gamma=1)[0] * linear()[1]"}) {
    for (const PreimageCriterion criterion : {PreimageCriterion::distance, PreimageCriterion::direction}) {
      const PreimageObjective objective(parse_kernel(spec), make_dense(Matrix<double>::copy_of(x.view())), a.view(),
                                        criterion, run);
      const bool several = criterion == PreimageCriterion::direction;
      const OutputRange outputs[2] = {{0, several ? 3 : 1}, {2, 3}};
      Workspace workspace;
      std::vector<double> values(2);
      Matrix<double> gradient(2, 2);
      objective.evaluate(z.view(), outputs, values, gradient.view(), workspace, run);
      for (Index i = 0; i < 2; ++i) {
        for (Index c = 0; c < 2; ++c) {
          const double step = 1e-5;
          std::vector<double> ahead(2);
          std::vector<double> behind(2);
          Matrix<double> moved = Matrix<double>::copy_of(z.view());
          moved(i, c) += step;
          objective.evaluate(moved.view(), outputs, ahead, {}, workspace, run);
          moved(i, c) -= 2 * step;
          objective.evaluate(moved.view(), outputs, behind, {}, workspace, run);
          const auto at = static_cast<std::size_t>(i);
          EXPECT_NEAR(gradient(i, c), (ahead[at] - behind[at]) / (2 * step), 1e-6 * (1 + std::abs(gradient(i, c))))
              << spec;
        }
      }
    }
  }
}

TEST(Preimage, ExactFormulasRecoverThePoint) {
  const Matrix<double> z = random_matrix(3, 4, 21);
  const Matrix<double> ones = Matrix<double>::copy_of(Dense::identity(3).matrix().view());
  const Samples centers = make_dense(Matrix<double>::copy_of(z.view()));
  for (const char* spec :
       {"linear()", "poly(degree=3, gamma=0.5, coef0=1)", "3*poly(degree=1, gamma=2, coef0=-1)",
        "sigmoid(gamma=0.2, coef0=-0.3)", "rbf(gamma=0.3)", "2*rbf(lengthscale=[1, 2, 0.5, 3])",
        "cauchy(lengthscale=2)", "matern(nu=1.5, lengthscale=2)", "rbf(gamma=0.3) + 0.1*exponential(lengthscale=1)"}) {
    ASSERT_TRUE(has_exact_preimages(parse_kernel(spec))) << spec;
    const PreimageResult found = exact_preimages(parse_kernel(spec), centers, ones.view(), run);
    for (Index i = 0; i < 3; ++i) {
      for (Index c = 0; c < 4; ++c) {
        EXPECT_NEAR(found.points(i, c), z(i, c), 1e-8) << spec;
      }
      EXPECT_NEAR(found.rho[i], 0, 1e-8 * std::abs(found.squared_norm[i]) + 1e-12);
    }
  }
  EXPECT_FALSE(has_exact_preimages(parse_kernel("poly(degree=2, gamma=1, coef0=0)")));
  EXPECT_ERROR(exact_preimages(parse_kernel("poly(degree=2, gamma=1, coef0=0)"), centers, ones.view(), run),
               InvalidArgument, "the kernel poly(degree=2, gamma=1, coef0=0) has no exact pre-images in");
  // −Φ(z) is the image of no point: g is negative.
  const Matrix<double> negative = (Dense::identity(3) * -1.0).matrix();
  const PreimageResult none = exact_preimages(parse_kernel("rbf(gamma=0.3)"), centers, negative.view(), run);
  EXPECT_TRUE(std::isnan(none.points(0, 0)));
  EXPECT_EQ(none.rho[0], std::numeric_limits<double>::infinity());
}

TEST(Preimage, OneTermIsFoundInOneStep) {
  const Matrix<double> x = random_matrix(1, 5, 31);
  const Matrix<double> start = random_matrix(1, 5, 32);
  const Matrix<double> one = Matrix<double>::filled(1, 1, 0.7);
  const PreimageObjective objective(parse_kernel("rbf(gamma=0.1)"), make_dense(Matrix<double>::copy_of(x.view())),
                                    one.view(), PreimageCriterion::distance, run);
  const OutputRange outputs[1] = {{0, 1}};
  double value = 0;
  Matrix<double> next(1, 5);
  Workspace workspace;
  objective.step(start.view(), outputs, {&value, 1}, next.view(), workspace, run);
  for (Index c = 0; c < 5; ++c) {
    EXPECT_NEAR(next(0, c), x(0, c), 1e-14);
  }
}

// Points in other units, with a kernel in the same, have pre-images in these: for linear() they are known, Σ a_i x_i.
TEST(Preimage, UnitsDoNotCount) {
  const Matrix<double> x = random_matrix(20, 3, 65);
  Matrix<double> weights = random_matrix(20, 4, 66);
  const Matrix<double> start = random_matrix(4, 3, 67);
  const auto times = [](const Matrix<double>& values, double factor) {
    Matrix<double> result = Matrix<double>::copy_of(values.view());
    scale(factor, std::span<double>(result.data(), static_cast<std::size_t>(result.rows() * result.columns())));
    return result;
  };
  const auto found = [&](const std::string& kernel, double unit, PreimageCriterion criterion) {
    return find_preimages(parse_kernel(kernel), make_dense(times(x, unit)), weights.view(), times(start, unit).view(),
                          {.method = PreimageMethod::gradient, .criterion = criterion}, run);
  };
  for (const double unit : {1e-6, 1e-2, 1.0, 1e3, 1e6}) {
    const PreimageResult line = found("linear()", unit, PreimageCriterion::distance);
    for (Index c = 0; c < 4; ++c) {
      for (Index j = 0; j < 3; ++j) {
        double sum = 0;
        for (Index i = 0; i < 20; ++i) {
          sum += weights(i, c) * x(i, j);
        }
        EXPECT_NEAR(line.points(c, j) / unit, sum, 1e-4) << unit;
      }
    }
    for (const PreimageCriterion criterion : {PreimageCriterion::distance, PreimageCriterion::direction}) {
      const PreimageResult base = found("poly(degree=3, gamma=0.5, coef0=1)", 1, criterion);
      const PreimageResult other =
          found("poly(degree=3, gamma=0.5, coef0=" + shortest(unit * unit) + ")", unit, criterion);
      for (Index c = 0; c < 4; ++c) {
        const auto at = static_cast<std::size_t>(c);
        const double fraction = base.rho[at] / base.squared_norm[at];
        EXPECT_NEAR(other.rho[at] / other.squared_norm[at], fraction, 1e-6) << unit;
        EXPECT_LT(fraction, 1);
      }
    }
  }
}

TEST(Preimage, PositiveWeightsClimbAtEveryStepWithinTheHull) {
  const Matrix<double> x = random_matrix(30, 1, 41);
  Matrix<double> a = random_matrix(30, 1, 42);
  for (Index i = 0; i < 30; ++i) {
    a(i, 0) = std::abs(a(i, 0));
  }
  const PreimageObjective objective(parse_kernel("rbf(gamma=5)"), make_dense(Matrix<double>::copy_of(x.view())),
                                    a.view(), PreimageCriterion::distance, run);
  const OutputRange outputs[1] = {{0, 1}};
  Matrix<double> z = Matrix<double>::filled(1, 1, 3.0);  // outside
  Workspace workspace;
  double before = std::numeric_limits<double>::infinity();
  double lowest = x(0, 0);
  double highest = x(0, 0);
  for (Index i = 0; i < 30; ++i) {
    lowest = std::min(lowest, x(i, 0));
    highest = std::max(highest, x(i, 0));
  }
  for (int round = 0; round < 50; ++round) {
    double value = 0;
    Matrix<double> next(1, 1);
    objective.step(z.view(), outputs, {&value, 1}, next.view(), workspace, run);
    EXPECT_LE(value, before + 1e-14);
    EXPECT_GE(next(0, 0), lowest);
    EXPECT_LE(next(0, 0), highest);
    before = value;
    z = std::move(next);
  }
}

// The signed-cluster view: z = (p₊x₊ − p₋x₋)/(p₊ − p₋), x± the weighted means of the centres of either sign.
TEST(Preimage, StepIsTheDifferenceOfTwoClusterMeans) {
  const Matrix<double> x = random_matrix(8, 2, 51);
  const Matrix<double> a = random_matrix(8, 1, 52);
  const Matrix<double> z = random_matrix(1, 2, 53);
  const PreimageObjective objective(parse_kernel("rbf(gamma=0.4)"), make_dense(Matrix<double>::copy_of(x.view())),
                                    a.view(), PreimageCriterion::direction, run);
  const OutputRange outputs[1] = {{0, 1}};
  double value = 0;
  Matrix<double> next(1, 2);
  Workspace workspace;
  objective.step(z.view(), outputs, {&value, 1}, next.view(), workspace, run);
  double mass[2] = {0, 0};
  double mean[2][2] = {};
  for (Index i = 0; i < 8; ++i) {
    const int side = a(i, 0) > 0 ? 0 : 1;
    const double weight = std::abs(a(i, 0)) * gaussian(x.view().row(i), z.view().row(0));
    mass[side] += weight;
    mean[side][0] += weight * x(i, 0);
    mean[side][1] += weight * x(i, 1);
  }
  for (Index c = 0; c < 2; ++c) {
    const double positive = mean[0][c] / mass[0];
    const double negative = mean[1][c] / mass[1];
    EXPECT_NEAR(next(0, c), (mass[0] * positive - mass[1] * negative) / (mass[0] - mass[1]), 1e-10);
  }
}

TEST(Preimage, ErrorsTransfer) {
  const Matrix<double> x = random_matrix(10, 2, 61);
  const Matrix<double> a = random_matrix(10, 1, 62);
  const PreimageResult found = find_preimages(parse_kernel("rbf(gamma=0.4)"),
                                              make_dense(Matrix<double>::copy_of(x.view())), a.view(), {}, {}, run);
  for (std::uint64_t seed = 70; seed < 90; ++seed) {
    // |⟨Ψ, v⟩ − ⟨Φ(z), v⟩| ≤ ‖Ψ − Φ(z)‖‖v‖ for v = Φ(u), ‖v‖ = 1.
    const Matrix<double> u = random_matrix(1, 2, seed);
    double at_u = -gaussian(found.points.view().row(0), u.view().row(0));
    for (Index i = 0; i < 10; ++i) {
      at_u += a(i, 0) * gaussian(x.view().row(i), u.view().row(0));
    }
    EXPECT_LE(std::abs(at_u), std::sqrt(found.rho[0]) + 1e-9);
  }
}

TEST(Preimage, AnyNumberOfThreadsAndAnyKindOfNumbers) {
  const Matrix<double> x = random_matrix(20, 3, 81);
  const Matrix<double> a = random_matrix(20, 40, 82);
  const Kernel kernel = parse_kernel("rbf(gamma=0.4)");
  const Samples dense = make_dense(Matrix<double>::copy_of(x.view()));
  const Matrix<double> one = preimages(kernel, dense, a.view(), {}, {}, mercer::Run{{.threads = 1}});
  for (const int threads : {2, 3}) {
    const Matrix<double> many = preimages(kernel, dense, a.view(), {}, {}, mercer::Run{{.threads = threads}});
    EXPECT_TRUE(testing::same_bits(one, many));
  }
  const Samples table = make_table(Table(dense, {"u", "v", "w"}, {}));
  const Matrix<double> named = preimages(kernel, table, a.view(), {}, {}, run);
  EXPECT_TRUE(testing::same_bits(one, named));
  // A subscript hides the distance, so that the gradient goes another way to the same minimum of one bump.
  const Matrix<double> single = Matrix<double>::filled(20, 1, 1.0);
  const Matrix<double> fixed = preimages(kernel, dense, single.view(), {}, {.starts = 20}, run);
  const Matrix<double> searched =
      preimages(parse_kernel("rbf(gamma=0.4)[u, v, w]"), table, single.view(), {}, {.starts = 20}, run);
  for (Index c = 0; c < 3; ++c) {
    EXPECT_NEAR(searched(0, c), fixed(0, c), 1e-3);
  }
}

// Kernel PCA on three clusters, k = exp(−d²/0.1), centred: new points projected on n components and taken back end near
// the centre of their cluster for few components, and where they came from for many.
TEST(Preimage, DenoisesThreeClusters) {
  constexpr double center[3][2] = {{-.5, -.2}, {0, .6}, {.5, 0}};
  constexpr Index kept[4] = {1, 2, 4, 8};
  constexpr Index m = 90;
  constexpr Index fresh = 60;
  double before = 0;
  double after[4] = {};
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    RandomStream random(seed, 77);
    const auto draw = [&](Index rows) {
      Matrix<double> x(rows, 2);
      for (Index i = 0; i < rows; ++i) {
        for (Index c = 0; c < 2; ++c) {
          x(i, c) = center[i % 3][c] + 0.1 * random.normal();
        }
      }
      return x;
    };
    const Matrix<double> x = draw(m);
    const Matrix<double> t = draw(fresh);
    const auto k = [](std::span<const double> a, std::span<const double> b) {
      return std::exp(-squared_distance(a, b) / 0.1);
    };
    Dense gram(m, m);
    Dense cross(fresh, m);
    for (Index j = 0; j < m; ++j) {
      for (Index i = 0; i < m; ++i) {
        gram(i, j) = k(x.view().row(i), x.view().row(j));
      }
      for (Index i = 0; i < fresh; ++i) {
        cross(i, j) = k(t.view().row(i), x.view().row(j));
      }
    }
    const Dense centering = Dense::identity(m) - Dense(m, m, 1.0 / static_cast<double>(m));
    const oracle::EigenDecomposition eigen = (centering * gram * centering).eigen();
    const Dense centered = (cross - Dense(fresh, m, 1.0 / static_cast<double>(m)) * gram) * centering;
    for (int s = 0; s < 4; ++s) {
      // Weights of P_nΦ(t) = Σ_i (g_i + (1 − Σg)/m) Φ(x_i); g = H α αᵀ k̃ with ‖v‖ = 1.
      Dense g(m, fresh);
      for (Index c = m - kept[s]; c < m; ++c) {
        const Dense v = centering * eigen.vectors.column(c);
        g += (1 / eigen.values(c)) * (v * (centered * v).transpose());
      }
      Matrix<double> weights(m, fresh);
      for (Index i = 0; i < fresh; ++i) {
        const double rest = (1 - g.column(i).sum()) / static_cast<double>(m);
        for (Index j = 0; j < m; ++j) {
          weights(j, i) = g(j, i) + rest;
        }
      }
      const Matrix<double> z = preimages(parse_kernel("rbf(gamma=10)"), make_dense(Matrix<double>::copy_of(x.view())),
                                         weights.view(), t.view(), {}, run);
      for (Index i = 0; i < fresh; ++i) {
        after[s] += std::sqrt(squared_distance(z.view().row(i), center[i % 3])) / (3.0 * static_cast<double>(fresh));
      }
    }
    for (Index i = 0; i < fresh; ++i) {
      before += std::sqrt(squared_distance(t.view().row(i), center[i % 3])) / (3.0 * static_cast<double>(fresh));
    }
  }
  EXPECT_NEAR(before, .128, .012);
  EXPECT_LT(after[0], .045);
  EXPECT_LT(after[1], .042);
  EXPECT_NEAR(after[2], .060, .015);
  EXPECT_NEAR(after[3], .103, .012);
}

TEST(Preimage, RefusesWhatHasNoPoints) {
  const std::vector<std::string> words = {"a", "b"};
  const Matrix<double> a = Matrix<double>::filled(2, 1, 1.0);
  const Samples dense = make_dense(std::vector<double>{0.0, 1.0}, 2, 1);
  EXPECT_ERROR(preimages(parse_kernel("hamming()"), make_strings(words), a.view(), {}, {}, run), InvalidArgument,
               "the kernel hamming(gamma=1) has no derivative with respect to its inputs");
  EXPECT_ERROR(
      preimages(parse_kernel("rbf(gamma=1)"), make_dense(std::vector<double>{0.0}, 1, 1), a.view(), {}, {}, run),
      InvalidArgument, "2 rows of coefficients for 1 centres");
  EXPECT_ERROR(
      preimages(parse_kernel("rbf(gamma=1)"), dense, a.view(), Matrix<double>::filled(2, 1, 0.0).view(), {}, run),
      InvalidArgument, "starts of 2 by 1 where 1 by 1 are needed");
  EXPECT_ERROR(preimages(parse_kernel("linear()"), dense, a.view(), {}, {.method = PreimageMethod::fixed_point}, run),
               InvalidArgument, "method = fixed_point");
  EXPECT_ERROR(preimages(parse_kernel("rbf(gamma=1)"), dense, a.view(), {}, {.tolerance = 0}, run), InvalidArgument,
               "tolerance = 0");
  // Ψ = 0 has no nearest image for a kernel of constant length: the start comes back.
  const Matrix<double> zero = Matrix<double>::filled(2, 1, 0.0);
  const Matrix<double> start = Matrix<double>::filled(1, 1, 0.25);
  EXPECT_EQ(preimages(parse_kernel("rbf(gamma=1)"), dense, zero.view(), start.view(), {}, run)(0, 0), 0.25);
  EXPECT_EQ(preimages(parse_kernel("rbf(gamma=1)"), dense, Matrix<double>(2, 0).view(), {}, {}, run).rows(), 0);
}

}  // namespace
}  // namespace mercer
