// One-class machines with known outliers, and about the mean of given points: conditions of optimality, an interior point, and
// what Schölkopf & Smola (2002) prove of them.
#include "mercer/models/svm/novelty_labels.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "mercer/models/svm/one_class.h"
#include "mercer/solvers/convex/interior/interior_point.h"
#include "mercer/solvers/convex/program/dense_quadratic.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using testing::measure;
using testing::same_bits;

// Rows of the class about (3, 3), known outliers about (0, 5), points of an origin about (-1, -1).
struct Marked {
  Matrix<double> x;
  std::vector<std::string> labels;

  Marked copy() const { return {Matrix<double>::copy_of(x.view()), labels}; }
  TrainingData data() const {
    return {make_dense(Matrix<double>::copy_of(x.view())), Targets::classes(labels, "kind"), {}};
  }
};

Marked marked(Index good, Index bad, Index reference, std::uint64_t seed) {
  RandomStream random(seed, 31);
  Marked result{Matrix<double>(good + bad + reference, 2), {}};
  for (Index i = 0; i < good + bad + reference; ++i) {
    const bool is_good = i < good;
    const bool is_bad = !is_good && i < good + bad;
    result.x(i, 0) = (is_good ? 3 : is_bad ? 0 : -1) + random.normal();
    result.x(i, 1) = (is_good ? 3 : is_bad ? 5 : -1) + random.normal();
    result.labels.emplace_back(is_good ? "good" : is_bad ? "bad" : "reference");
  }
  return result;
}

OneClassOptions tight(double nu) {
  OneClassOptions options;
  options.nu = nu;
  options.tolerance = 1e-9;
  return options;
}

// β per training row.
std::vector<double> coefficients_of(const OneClassModel& model, Index rows) {
  std::vector<double> result(rows, 0.0);
  for (std::size_t i = 0; i < model.support_rows().size(); ++i) {
    result[model.support_rows()[i]] = model.expansion().coefficients()(static_cast<Index>(i), 0);
  }
  return result;
}

TEST(KnownOutliers, ConditionsOfOptimalityAndTheInteriorPoint) {
  const Kernel kernel = parse_kernel("rbf(gamma=0.2)");
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Marked rows = marked(40, 12, 0, seed);
    const double nu = 0.05 + 0.1 * static_cast<double>(seed);
    OneClassOptions options = tight(nu);
    options.outlier = "bad";
    const auto model = fit_one_class(kernel, options, rows.data());
    ASSERT_EQ(model->report().status, SolveStatus::converged);
    const double rho = measure(*model, "rho");
    const std::vector<double> beta = coefficients_of(*model, 52);
    const Matrix<double> f = model->decide(rows.data().samples, {});
    double sum = 0;
    Matrix<double> quadratic(52, 52);
    for (Index i = 0; i < 52; ++i) {
      const double y = i < 40 ? 1 : -1;
      const double a = y * beta[i];
      const double g = y * (f(i, 0) + rho);
      sum += a;
      EXPECT_GE(a, 0);
      EXPECT_LE(a, 1);
      if (a == 0) {
        EXPECT_GE(g, rho - 1e-6);
      } else if (a == 1) {
        EXPECT_LE(g, rho + 1e-6);
      } else {
        EXPECT_NEAR(g, rho, 1e-6);
      }
      for (Index j = 0; j < 52; ++j) {
        const double squared = std::pow(rows.x(i, 0) - rows.x(j, 0), 2) + std::pow(rows.x(i, 1) - rows.x(j, 1), 2);
        quadratic(i, j) = y * (j < 40 ? 1 : -1) * std::exp(-0.2 * squared);
      }
    }
    EXPECT_NEAR(sum, nu * 52, 1e-8);
    ConvexProgram program;
    program.quadratic = std::make_shared<DenseQuadratic>(std::move(quadratic));
    program.linear.assign(52, 0.0);
    const Matrix<double> ones = Matrix<double>::filled(1, 52, 1.0);
    program.equality = ones.view();
    program.equality_values = {nu * 52};
    program.lower.assign(52, 0.0);
    program.upper.assign(52, 1.0);
    const ConvexSolution exact = solve_convex_program(program, {}, {});
    EXPECT_NEAR(model->report().objective, exact.primal, 1e-6 * exact.primal);
    EXPECT_NEAR(rho, exact.point.equality_multipliers[0], 1e-5);
  }
}

TEST(KnownOutliers, OfNoRowChangeNothing) {
  const Marked rows = marked(60, 0, 0, 3);
  const Kernel kernel = parse_kernel("rbf(gamma=0.3)");
  const auto usual = fit_one_class(kernel, tight(0.2), rows.data());
  std::vector<double> weights(61, 1.0);
  weights[60] = 0;  // the only outlier does not count, and neither does its label
  Marked more = marked(60, 0, 0, 3);
  more.x = Matrix<double>::filled(61, 2, 9.0);
  std::copy_n(rows.x.data(), 120, more.x.data());
  more.labels.emplace_back("bad");
  TrainingData data = more.data();
  data.weights = weights;
  OneClassOptions options = tight(0.2);
  options.outlier = "bad";
  EXPECT_ERROR(fit_one_class(kernel, options, data), InvalidArgument,
               "outlier = bad is no label of the rows that count");
  options.outlier = "";
  EXPECT_TRUE(same_bits(fit_one_class(kernel, options, data)->decide(rows.data().samples, {}),
                        usual->decide(rows.data().samples, {})));
}

TEST(KnownOutliers, AreOutsideAndARateIsOneOfTheOthers) {
  const Marked rows = marked(100, 15, 0, 4);
  OneClassOptions options = tight(0.05);
  options.outlier = "bad";
  options.outlier_rate = 0.1;
  const auto model = fit_one_class(parse_kernel("rbf(gamma=0.3)"), options, rows.data());
  const Matrix<double> predicted = model->predict(rows.data().samples, {});
  Index outside = 0;
  for (Index i = 0; i < 115; ++i) {
    outside += i < 100 && predicted(i, 0) < 0 ? 1 : 0;
    EXPECT_TRUE(i < 100 || predicted(i, 0) < 0) << i;
  }
  EXPECT_EQ(outside, 10);
  EXPECT_EQ(measure(*model, "fraction outside"), 0.1);
  EXPECT_EQ(measure(*model, "fraction of known outliers outside"), 1);
  const auto again = find_model("oneclass").load(state_of(*model), {});
  EXPECT_TRUE(same_bits(again->decide(rows.data().samples, {}), model->decide(rows.data().samples, {})));
}

// Of a linear kernel of two columns: w = Σβx.
std::array<double, 2> weights_of(const OneClassModel& model, const Marked& rows) {
  const std::vector<double> beta = coefficients_of(model, rows.x.rows());
  std::array<double, 2> w{};
  for (Index i = 0; i < rows.x.rows(); ++i) {
    w[0] += beta[i] * rows.x(i, 0);
    w[1] += beta[i] * rows.x(i, 1);
  }
  return w;
}

// Proposition 8.2: the hard machine's w is that of the optimal plane through the origin of labeled rows, and of {(x, 1)} with
// {(-x, -1)}.
TEST(KnownOutliers, HardMarginsAreOptimalPlanesThroughTheOrigin) {
  Marked rows = marked(20, 8, 0, 5);
  for (Index i = 20; i < 28; ++i) {
    rows.x(i, 0) -= 5;
    rows.x(i, 1) -= 9;
  }
  OneClassOptions options = tight(1e-3);
  options.outlier = "bad";
  const auto labeled = fit_one_class(parse_kernel("linear()"), options, rows.data());
  const std::array<double, 2> w = weights_of(*labeled, rows);
  // min ½‖v‖² with y⟨v, x⟩ ≥ 1.
  Matrix<double> signed_rows(28, 2);
  Marked flipped = rows.copy();
  for (Index i = 0; i < 28; ++i) {
    for (Index c = 0; c < 2; ++c) {
      signed_rows(i, c) = (i < 20 ? 1 : -1) * rows.x(i, c);
      flipped.x(i, c) = signed_rows(i, c);
    }
  }
  ConvexProgram program;
  Matrix<double> identity = Matrix<double>::filled(2, 2, 0.0);
  identity(0, 0) = identity(1, 1) = 1;
  program.quadratic = std::make_shared<DenseQuadratic>(std::move(identity));
  program.linear.assign(2, 0.0);
  program.range = signed_rows.view();
  program.range_lower.assign(28, 1.0);
  const std::vector<double> v = solve_convex_program(program, {}, {}).point.x;
  const double cosine = (w[0] * v[0] + w[1] * v[1]) / std::hypot(w[0], w[1]) / std::hypot(v[0], v[1]);
  EXPECT_NEAR(cosine, 1, 1e-9);
  // The distance of the plane from the origin is the margin: ρ/‖w‖ = 1/‖v‖.
  EXPECT_NEAR(measure(*labeled, "rho") / std::hypot(w[0], w[1]), 1 / std::hypot(v[0], v[1]), 1e-6);
  const std::array<double, 2> of_flipped =
      weights_of(*fit_one_class(parse_kernel("linear()"), tight(1e-3), flipped.data()), flipped);
  EXPECT_NEAR(of_flipped[0], w[0], 1e-7 * std::hypot(w[0], w[1]));
  EXPECT_NEAR(of_flipped[1], w[1], 1e-7 * std::hypot(w[0], w[1]));
}

// Proposition 8.4: an outlier that moves along w and stays one leaves the hyperplane where it is; w grows by 1 + δβ.
TEST(OneClassResistance, AnOutlierThatMovesAlongWLeavesThePlane) {
  Marked rows = marked(50, 0, 0, 6);
  const Kernel kernel = parse_kernel("linear()");
  const auto before = fit_one_class(kernel, tight(0.1), rows.data());
  const std::array<double, 2> w = weights_of(*before, rows);
  const double rho = measure(*before, "rho");
  const Matrix<double> f = before->decide(rows.data().samples, {});
  Index outlier = 0;
  for (Index i = 0; i < 50; ++i) {
    outlier = f(i, 0) < f(outlier, 0) ? i : outlier;
  }
  ASSERT_LT(f(outlier, 0), -1e-3);
  ASSERT_EQ(coefficients_of(*before, 50)[outlier], 1);  // at its bound
  for (const double part : {-0.5, 0.4}) {
    const double delta = part * -f(outlier, 0) / (w[0] * w[0] + w[1] * w[1]);
    Marked moved = rows.copy();
    moved.x(outlier, 0) += delta * w[0];
    moved.x(outlier, 1) += delta * w[1];
    const auto after = fit_one_class(kernel, tight(0.1), moved.data());
    const std::array<double, 2> next = weights_of(*after, moved);
    EXPECT_NEAR(next[0], (1 + delta) * w[0], 1e-6 * std::abs(w[0]));
    EXPECT_NEAR(next[1], (1 + delta) * w[1], 1e-6 * std::abs(w[1]));
    EXPECT_NEAR(measure(*after, "rho"), (1 + delta) * rho, 1e-6 * rho);
  }
}

TEST(OneClassOrigin, OfALinearKernelIsAShiftOfTheRows) {
  const Marked rows = marked(60, 12, 9, 7);
  std::array<double, 2> mean{};
  for (Index i = 72; i < 81; ++i) {
    mean[0] += rows.x(i, 0) / 9;
    mean[1] += rows.x(i, 1) / 9;
  }
  Marked shifted = marked(60, 12, 0, 7);
  for (Index i = 0; i < 72; ++i) {
    shifted.x(i, 0) = rows.x(i, 0) - mean[0];
    shifted.x(i, 1) = rows.x(i, 1) - mean[1];
  }
  for (const char* outlier : {"", "bad"}) {
    OneClassOptions options = tight(0.2);
    options.outlier = outlier;
    const auto plain = fit_one_class(parse_kernel("linear()"), options, shifted.data());
    options.origin = "reference";
    const auto about = fit_one_class(parse_kernel("linear()"), options, rows.data());
    EXPECT_NEAR(measure(*about, "rho"), measure(*plain, "rho"), 1e-7);
    EXPECT_EQ(measure(*about, "support vectors"), measure(*plain, "support vectors"));
    const Matrix<double> f = about->decide(marked(72, 0, 0, 7).data().samples, {});
    const Matrix<double> at_rows = about->decide(rows.data().samples, {});
    const Matrix<double> expected = plain->decide(shifted.data().samples, {});
    for (Index i = 0; i < 72; ++i) {
      EXPECT_NEAR(at_rows(i, 0), expected(i, 0), 1e-6 * std::max(1.0, std::abs(expected(i, 0))));
    }
    const auto again = find_model("oneclass").load(state_of(*about), {});
    EXPECT_TRUE(same_bits(again->decide(rows.data().samples, {}), at_rows));
    EXPECT_EQ(f.rows(), 72);
  }
}

TEST(OneClassOrigin, WeightsOfItsPointsAreCopiesAndConditionalKernelsServe) {
  const Marked rows = marked(40, 0, 5, 8);
  TrainingData weighted = rows.data();
  weighted.weights.assign(45, 1.0);
  weighted.weights[42] = 3;
  std::vector<Index> repeated(45);
  std::iota(repeated.begin(), repeated.end(), Index{0});
  repeated.push_back(42);
  repeated.push_back(42);
  const TrainingData copies{rows.data().samples.select(repeated), rows.data().targets.select(repeated), {}};
  OneClassOptions options = tight(0.2);
  options.origin = "reference";
  for (const char* kernel : {"rbf(gamma=0.2)", "negative_distance()"}) {
    const Matrix<double> a = fit_one_class(parse_kernel(kernel), options, weighted)->decide(rows.data().samples, {});
    const Matrix<double> b = fit_one_class(parse_kernel(kernel), options, copies)->decide(rows.data().samples, {});
    for (Index i = 0; i < 45; ++i) {
      EXPECT_NEAR(a(i, 0), b(i, 0), 1e-6) << kernel;
    }
  }
  // ‖Φ(x) − Φ(z)‖² of negative_distance and of from_cpd are in proportion.
  const Matrix<double> conditional =
      fit_one_class(parse_kernel("negative_distance()"), options, rows.data())->predict(rows.data().samples, {});
  const Matrix<double> positive = fit_one_class(parse_kernel("from_cpd(negative_distance())"), options, rows.data())
                                      ->predict(rows.data().samples, {});
  EXPECT_TRUE(same_bits(conditional, positive));
}

TEST(OneClassOrigin, RowsInAnyOrderAreTheSameProblem) {
  const Marked rows = marked(30, 8, 9, 11);
  const Index n = 47;
  TrainingData sorted = rows.data();
  for (Index i = 0; i < n; ++i) {
    sorted.weights.push_back(1 + 0.25 * static_cast<double>(i % 5));
  }
  std::vector<Index> order(n);
  for (Index i = 0; i < n; ++i) {
    order[i] = (i * 10 + 40) % n;  // 47 is prime; the first is of the origin
  }
  for (const bool weighted : {false, true}) {
    TrainingData shuffled{sorted.samples.select(order), sorted.targets.select(order), {}};
    for (const Index i : order) {
      shuffled.weights.push_back(sorted.weights[i]);
    }
    TrainingData straight = sorted;
    if (!weighted) {
      shuffled.weights.clear();
      straight.weights.clear();
    }
    for (const char* outlier : {"", "bad"}) {
      for (const char* kernel : {"linear()", "rbf(gamma=0.2)", "rbf(gamma=scale)"}) {
        OneClassOptions options = tight(0.23);
        options.outlier = outlier;
        options.origin = "reference";
        const auto a = fit_one_class(parse_kernel(kernel), options, straight);
        const auto b = fit_one_class(parse_kernel(kernel), options, shuffled);
        EXPECT_NEAR(measure(*a, "rho"), measure(*b, "rho"), 1e-6 * (1 + std::abs(measure(*a, "rho")))) << kernel;
        const Matrix<double> f = a->decide(sorted.samples, {});
        const Matrix<double> g = b->decide(sorted.samples, {});
        const std::vector<double> of_a = coefficients_of(*a, n);
        const std::vector<double> of_b = coefficients_of(*b, n);
        for (Index i = 0; i < n; ++i) {
          EXPECT_NEAR(f(i, 0), g(i, 0), 1e-6 * std::max(1.0, std::abs(f(i, 0)))) << kernel << outlier;
          if (*outlier == 0 && order[i] >= 38) {
            EXPECT_NEAR(of_b[i], of_a[order[i]], 1e-6 * std::max(1.0, std::abs(of_b[i]))) << kernel << outlier;
          }
        }
      }
    }
  }
}

TEST(OneClassOrigin, ThreeRowsByHand) {
  OneClassOptions options = tight(0.1);
  options.origin = "o";
  const std::vector<std::string> labels = {"g", "o", "g"};
  const TrainingData data{make_dense(std::vector<double>{2, 0, 1}, 3, 1), Targets::classes(labels, "kind"), {}};
  const Matrix<double> f = fit_one_class(parse_kernel("linear()"), options, data)->decide(data.samples, {});
  EXPECT_NEAR(f(0, 0), 0.2, 1e-6);
  EXPECT_NEAR(f(1, 0), -0.2, 1e-6);
  EXPECT_NEAR(f(2, 0), 0, 1e-6);
}

TEST(OneClassOrigin, SlackIsThatOfTheSpreadAndNotOfTheOffset) {
  Marked rows = marked(40, 0, 6, 12);
  OneClassOptions options = tight(0.21);
  options.origin = "reference";
  const auto decisions = [&] {
    return fit_one_class(parse_kernel("linear()"), options, rows.data())->decide(rows.data().samples, {});
  };
  const Matrix<double> here = decisions();
  for (Index i = 0; i < 46; ++i) {
    rows.x(i, 0) += 4096;
    rows.x(i, 1) += 4096;
  }
  const Matrix<double> there = decisions();
  for (Index i = 0; i < 46; ++i) {
    EXPECT_NEAR(there(i, 0), here(i, 0), 1e-5 * std::max(1.0, std::abs(here(i, 0))));
  }
}

TEST(OneClassOrigin, TheirOwnMeanHasNoPlane) {
  Marked rows = marked(30, 0, 30, 9);
  for (Index i = 0; i < 30; ++i) {
    rows.x(30 + i, 0) = rows.x(i, 0);
    rows.x(30 + i, 1) = rows.x(i, 1);
  }
  OneClassOptions options = tight(0.3);
  options.origin = "reference";
  const auto model = fit_one_class(parse_kernel("rbf(gamma=0.5)"), options, rows.data());
  EXPECT_NEAR(measure(*model, "rho"), 0, 1e-6);
}

TEST(NoveltyLabels, RefusalsSayWhatIsMissing) {
  const Marked rows = marked(10, 4, 3, 10);
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  OneClassOptions options;
  options.outlier = "bda";
  EXPECT_ERROR(fit_one_class(kernel, options, rows.data()), InvalidArgument,
               "outlier = bda is no label of the rows that count. Did you mean 'bad'?");
  options.outlier = "bad";
  EXPECT_ERROR(fit_one_class(kernel, options, {rows.data().samples, {}, {}}), InvalidArgument,
               "outlier = bad names a label, and the rows have none");
  EXPECT_ERROR(fit_svdd(kernel, options, rows.data()), InvalidArgument, "svdd takes no labels of outliers");
  EXPECT_ERROR(fit_one_class(parse_kernel("negative_distance()"), options, rows.data()), InvalidArgument,
               "known outliers have coefficients of their own sign");
  options.origin = "bad";
  EXPECT_ERROR(fit_one_class(kernel, options, rows.data()), InvalidArgument, "outlier and origin are both bad");
  options.origin = "reference";
  EXPECT_ERROR(fit_one_class(parse_kernel("center(linear())"), options, rows.data()), InvalidArgument,
               "depends on the rows of the fit as a set");
  TrainingData outliers = rows.data();
  outliers.weights.assign(17, 1.0);
  std::fill_n(outliers.weights.begin(), 10, 0.0);
  EXPECT_ERROR(fit_one_class(kernel, options, outliers), DataError, "all rows that count are outliers");
}

}  // namespace
}  // namespace mercer
