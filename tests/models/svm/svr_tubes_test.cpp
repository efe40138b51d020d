// The tubes of regression as models: a shape, one side, a width per row, errors as a whole, no slack. The numbers are those of
// Schölkopf & Smola (2002), chapter 9, whose C is that of all rows together.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model.h"
#include "mercer/models/model_state.h"
#include "mercer/models/svm/svr.h"
#include "models/option_variants.h"
#include "models/report_measure.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::measure;
using testing::same_bits;

double sinc(double x) { return x == 0 ? 1.0 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x); }
double wave(double x) { return std::pow(std::sin(2 * std::numbers::pi * x / 3), 2); }

// x ~ U[−3, 3] and ζ(x) = sin²(2πx/3) as columns, y = sinc + σ s(x) N(0, 1).
struct Toy {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> spread;
  TrainingData data;
};

enum class Spread { even, wave };

Toy toy(Index n, double deviation, Spread spread, std::uint64_t seed) {
  RandomStream random(seed, 913);
  Toy toy;
  Matrix<double> columns(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double x = 6 * random.uniform() - 3;
    columns(i, 0) = x;
    columns(i, 1) = wave(x);
    toy.x.push_back(x);
    toy.spread.push_back(wave(x));
    toy.y.push_back(sinc(x) + deviation * (spread == Spread::wave ? wave(x) : 1.0) * random.normal());
  }
  toy.data = {make_dense(std::move(columns)), Targets::numeric(toy.y, "y"), {}};
  return toy;
}

const Kernel first_column = parse_kernel("rbf(gamma=1)[0]");

// C of all rows is 100.
NuSvrOptions book_options(Index rows, double nu) {
  NuSvrOptions options;
  options.C = 100.0 / static_cast<double>(rows);
  options.nu = nu;
  options.standardize = false;
  return options;
}

TubeShape shape(std::string_view text) { return TubeShape::parse({"nusvr", "tube"}, text); }

struct Fractions {
  double epsilon = 0;
  double errors = 0;
  double supports = 0;
  double risk = 0;
  double weighted_errors = 0;
  double weighted_supports = 0;
};

Fractions fractions(const SvrModel& model, const Toy& toy, double bound) {
  Fractions result{.epsilon = model.tube_widths()[0]};
  const auto n = static_cast<double>(toy.y.size());
  for (std::size_t s = 0; s < model.support_rows().size(); ++s) {
    const double zeta = toy.spread[model.support_rows()[s]];
    const bool is_error = std::abs(model.expansion().coefficients()(static_cast<Index>(s), 0)) >= bound * (1 - 1e-9);
    result.supports += 1 / n;
    result.weighted_supports += zeta / n;
    result.errors += is_error ? 1 / n : 0.0;
    result.weighted_errors += is_error ? zeta / n : 0.0;
  }
  constexpr Index points = 601;
  Matrix<double> grid(points, 2);
  for (Index i = 0; i < points; ++i) {
    grid(i, 0) = -3 + 6.0 * static_cast<double>(i) / (points - 1);
    grid(i, 1) = 0;
  }
  const Matrix<double> f = model.predict(make_dense(Matrix<double>::copy_of(grid.view())), {});
  for (Index i = 0; i < points; ++i) {
    result.risk += std::abs(f(i, 0) - sinc(grid(i, 0))) / points;
  }
  return result;
}

template <class Fit>
Fractions mean_of(Index seeds, Fit fit) {
  Fractions mean;
  for (Index seed = 0; seed < seeds; ++seed) {
    const Fractions one = fit(static_cast<std::uint64_t>(seed));
    const auto count = static_cast<double>(seeds);
    mean.epsilon += one.epsilon / count;
    mean.errors += one.errors / count;
    mean.supports += one.supports / count;
    mean.risk += one.risk / count;
  }
  return mean;
}

Fractions nu_svr_on_sinc(Index rows, double nu, double deviation, Index seeds) {
  return mean_of(seeds, [&](std::uint64_t seed) {
    const Toy data = toy(rows, deviation, Spread::even, seed);
    const NuSvrOptions options = book_options(rows, nu);
    return fractions(*fit_nusvr(first_column, options, data.data), data, options.C);
  });
}

// Figures 9.6 and 9.7: bands of four standard errors of the mean over 100 trials of another implementation.
TEST(SvrTubes, FractionsOfNuSvrOnSinc) {
  const Fractions low = nu_svr_on_sinc(50, 0.2, 0.2, 30);
  EXPECT_NEAR(low.epsilon, 0.242, 4 * 0.034 / std::sqrt(30));
  EXPECT_NEAR(low.errors, 0.123, 4 * 0.017 / std::sqrt(30));
  EXPECT_NEAR(low.supports, 0.296, 4 * 0.022 / std::sqrt(30));
  EXPECT_NEAR(low.risk, 0.081, 4 * 0.021 / std::sqrt(30));
  const Fractions high = nu_svr_on_sinc(50, 0.8, 0.2, 30);
  EXPECT_NEAR(high.epsilon, 0.033, 4 * 0.014 / std::sqrt(30));
  EXPECT_NEAR(high.errors, 0.704, 0.03);
  EXPECT_NEAR(high.supports, 0.902, 0.03);
  EXPECT_LT(nu_svr_on_sinc(50, 0.2, 0.0, 3).epsilon, 5e-3);
  EXPECT_NEAR(nu_svr_on_sinc(50, 0.2, 1.0, 30).epsilon, 1.198, 4 * 0.146 / std::sqrt(30));
}

// Table 9.2: for many rows ε → σ Φ⁻¹(1 − ν/2) = 0.2563 and both fractions → ν.
TEST(SvrTubes, FractionsOfNuSvrForMoreAndMoreRows) {
  struct Row {
    Index rows;
    double epsilon, errors, supports;
  };
  for (const auto& [rows, epsilon, errors, supports] :
       {Row{100, 0.253, 0.158, 0.247}, Row{200, 0.251, 0.178, 0.223}, Row{500, 0.264, 0.194, 0.212}}) {
    const Fractions found = nu_svr_on_sinc(rows, 0.2, 0.2, 8);
    EXPECT_NEAR(found.epsilon, epsilon, 0.03) << rows;
    EXPECT_NEAR(found.errors, errors, 0.012) << rows;
    EXPECT_NEAR(found.supports, supports, 0.012) << rows;
  }
  const Fractions many = nu_svr_on_sinc(1000, 0.2, 0.2, 1);
  EXPECT_NEAR(many.epsilon, 0.2563, 0.03);
  EXPECT_NEAR(many.errors, 0.196, 0.01);
  EXPECT_NEAR(many.supports, 0.206, 0.01);
}

// Figure 9.13: the noise is ζ = sin²(2πx/3), and so is the tube.
TEST(SvrTubes, ATubeOfTheShapeOfTheNoise) {
  double errors = 0;
  double supports = 0;
  constexpr int seeds = 5;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Toy data = toy(200, 1.0, Spread::wave, seed);
    NuSvrOptions options = book_options(200, 0.1);
    options.tube = shape("linear[1]");
    const auto model = fit_nusvr(first_column, options, data.data);
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    const Fractions found = fractions(*model, data, options.C);
    EXPECT_LE(found.weighted_errors, 0.1 + 1e-9);
    EXPECT_GE(found.weighted_supports, 0.1 - 1e-9);
    errors += found.errors / seeds;
    supports += found.supports / seeds;
    const double epsilon = measure(*model, "epsilon of x1");
    const Matrix<double> widths = model->widths_at(data.data.samples);
    for (Index i = 0; i < 200; ++i) {
      EXPECT_NEAR(widths(i, 0), epsilon * data.spread[i], 1e-12);
    }
    EXPECT_TRUE(same_bits(find_model("nusvr").load(state_of(*model), {})->predict(data.data.samples, {}),
                          model->predict(data.data.samples, {})));
  }
  EXPECT_NEAR(supports, 0.242, 0.03);
  EXPECT_NEAR(errors, 0.194, 0.03);
}

// Proposition 9.3 for tubes of any shape: the same function is the ε-SVR of the widths that were found.
TEST(SvrTubes, AShapedTubeIsTheTubePerRowOfItsWidths) {
  for (const char* text : {"linear[1]", "constant + linear[1]", "quadratic[1]", "constant + quadratic[1]"}) {
    const Toy data = toy(80, 0.5, Spread::wave, 7);
    NuSvrOptions options = book_options(80, 0.15);
    options.tube = shape(text);
    options.tolerance = 1e-8;
    const auto model = fit_nusvr(first_column, options, data.data);
    SvrOptions same;
    same.C = options.C;
    same.standardize = false;
    same.tolerance = 1e-8;
    TrainingData given = data.data;
    const Matrix<double> widths = model->widths_at(data.data.samples);
    given.noise.assign(widths.data(), widths.data() + 80);
    const auto other = fit_svr(first_column, same, given);
    const Matrix<double> f = model->predict(data.data.samples, {});
    const Matrix<double> g = other->predict(data.data.samples, {});
    for (Index i = 0; i < 80; ++i) {
      EXPECT_NEAR(f(i, 0), g(i, 0), 1e-5) << text;
    }
    EXPECT_NEAR(other->tube_widths()[0], model->tube_widths()[0], 1e-9);
  }
}

TEST(SvrTubes, TheShapeOneIsNusvr) {
  const Toy data = toy(60, 0.3, Spread::even, 8);
  TrainingData with_ones = data.data;
  Matrix<double> columns(60, 2);
  for (Index i = 0; i < 60; ++i) {
    columns(i, 0) = data.x[i];
    columns(i, 1) = 1;
  }
  with_ones.samples = make_dense(std::move(columns));
  for (const bool standardize : {false, true}) {
    NuSvrOptions options = book_options(60, 0.3);
    options.standardize = standardize;
    options.tolerance = 1e-8;
    const auto usual = fit_nusvr(first_column, options, with_ones);
    options.tube = shape("constant + linear[1]");  // twice the same
    const auto shaped = fit_nusvr(first_column, options, with_ones);
    EXPECT_NEAR(shaped->tube_widths()[0], usual->tube_widths()[0], 1e-6);
    const Matrix<double> f = usual->predict(with_ones.samples, {});
    const Matrix<double> g = shaped->predict(with_ones.samples, {});
    for (Index i = 0; i < 60; ++i) {
      EXPECT_NEAR(f(i, 0), g(i, 0), 1e-5);
    }
    ASSERT_EQ(shaped->report().note_texts().size(), 1U);
    EXPECT_NE(shaped->report().note_texts()[0].find("1 of the 2 functions of the tube"), std::string::npos);
  }
}

// Each function with a fraction of its own: both widths are used, and each law holds.
TEST(SvrTubes, FractionsOfEachFunction) {
  Toy data = toy(200, 1.0, Spread::wave, 3);
  RandomStream random(5, 914);
  for (double& y : data.y) {
    y += 0.5 * random.normal();
  }
  data.data.targets = Targets::numeric(data.y, "y");
  NuSvrOptions options = book_options(200, 0.5);
  options.tube = shape("constant + linear[1]");
  options.tube_nu = TubeFractions::parse({"nusvr", "tube_nu"}, "0.3, 0.1");
  EXPECT_EQ(options.tube_nu.text(), "0.3,0.1");
  options.tolerance = 1e-8;
  const auto model = fit_nusvr(first_column, options, data.data);
  ASSERT_GT(measure(*model, "epsilon of 1"), 0);
  ASSERT_GT(measure(*model, "epsilon of x1"), 0);
  const Fractions found = fractions(*model, data, options.C);
  EXPECT_LE(found.errors, 0.3 + 1e-9);
  EXPECT_GE(found.supports, 0.3 - 1e-9);
  EXPECT_LE(found.weighted_errors, 0.1 + 1e-9);
  EXPECT_GE(found.weighted_supports, 0.1 - 1e-9);
  options.tube_nu.values = {0.3};
  EXPECT_ERROR(fit_nusvr(first_column, options, data.data), InvalidArgument, "has 1 fractions");
  options.tube = TubeShape();
  EXPECT_ERROR(fit_nusvr(first_column, options, data.data), InvalidArgument, "tube = constant has one");
  EXPECT_ERROR(TubeFractions::parse({"nusvr", "tube_nu"}, "0.3,2"), InvalidArgument, "tube_nu");
}

// An outlier that moves away changes nothing (proposition 9.4).
TEST(SvrTubes, OutliersMayMoveAwayFromAShapedTube) {
  Toy data = toy(70, 0.5, Spread::wave, 9);
  NuSvrOptions options = book_options(70, 0.1);
  options.tube = shape("linear[1]");
  options.tolerance = 1e-8;
  const auto before = fit_nusvr(first_column, options, data.data);
  const Matrix<double> f = before->predict(data.data.samples, {});
  const Matrix<double> widths = before->widths_at(data.data.samples);
  Index moved = 0;
  for (Index i = 0; i < 70; ++i) {
    const double rest = data.y[i] - f(i, 0);
    if (std::abs(rest) > widths(i, 0) + 0.05) {
      data.y[i] += std::copysign(2.0, rest);
      ++moved;
    }
  }
  ASSERT_GT(moved, 2);
  data.data.targets = Targets::numeric(data.y, "y");
  const Matrix<double> g = fit_nusvr(first_column, options, data.data)->predict(data.data.samples, {});
  for (Index i = 0; i < 70; ++i) {
    EXPECT_NEAR(f(i, 0), g(i, 0), 1e-6);
  }
}

TEST(SvrTubes, ShapesThatAreRefused) {
  const Toy data = toy(20, 0.3, Spread::even, 10);
  NuSvrOptions options = book_options(20, 0.3);
  options.tube = shape("linear[0]");
  EXPECT_ERROR(fit_nusvr(first_column, options, data.data), InvalidArgument, "the function x0 is -");
  options.tube = shape("linear[1]");
  options.sides = TubeSides::above;
  EXPECT_ERROR(fit_nusvr(first_column, options, data.data), InvalidArgument, "sides = above has no tube");
  EXPECT_ERROR(shape("none"), InvalidArgument, "nusvr");
  EXPECT_ERROR(shape("linar[1]"), InvalidArgument, "nusvr: tube");
  EXPECT_EQ(shape("linear[1] + constant").text(), "constant + linear[1]");
  EXPECT_EQ(shape("linear[1]").text(), "linear[1]");
  EXPECT_EQ(shape("constant").text(), "constant");
}

TEST(SvrTubes, AWidthPerRow) {
  const Toy data = toy(90, 0.4, Spread::even, 11);
  TrainingData equal = data.data;
  equal.noise.assign(90, 0.25);
  SvrOptions options;
  options.tolerance = 1e-8;
  const auto rows = fit_svr(first_column, options, equal);
  options.epsilon = 0.25;
  const auto one = fit_svr(first_column, options, data.data);
  EXPECT_NEAR(rows->tube_widths()[0], 0.25, 1e-12);
  const Matrix<double> f = rows->predict(data.data.samples, {});
  const Matrix<double> g = one->predict(data.data.samples, {});
  for (Index i = 0; i < 90; ++i) {
    EXPECT_NEAR(f(i, 0), g(i, 0), 1e-6);
  }
  // A row with a tube of its own that holds it says nothing.
  TrainingData wide = equal;
  wide.noise[3] = 1e6;
  TrainingData without = equal;
  without.weights.assign(90, 1.0);
  without.weights[3] = 0;
  options.standardize = false;
  const Matrix<double> h = fit_svr(first_column, options, wide)->predict(data.data.samples, {});
  const Matrix<double> k = fit_svr(first_column, options, without)->predict(data.data.samples, {});
  for (Index i = 0; i < 90; ++i) {
    EXPECT_NEAR(h(i, 0), k(i, 0), 1e-6);
  }
  const auto stored = find_model("svr").load(state_of(*rows), {});
  EXPECT_TRUE(same_bits(stored->predict(data.data.samples, {}), f));
  EXPECT_ERROR(rows->widths_at(data.data.samples), InvalidArgument, "a width of its own");
  for (const double wrong : {-0.1, std::nan(""), std::numeric_limits<double>::infinity()}) {
    TrainingData bad = equal;
    bad.noise[5] = wrong;
    EXPECT_ERROR(fit_svr(first_column, options, bad), DataError, "the width of the tube at row 5");
  }
  TrainingData few = equal;
  few.noise.pop_back();
  EXPECT_ERROR(fit_svr(first_column, options, few), DataError, "89 widths of the tube for 90 samples");
}

// Figure 9.14: 25 rows of sinc, two of them at ±1. A mean error of 0.1 leaves the two alone, a tube of 0.1 goes after them, the
// more the narrower the kernel, of which the book says nothing.
TEST(SvrTubes, AnOverallTubeDoesNotChaseOutliers) {
  Matrix<double> x(25, 1);
  std::vector<double> y;
  for (Index i = 0; i < 25; ++i) {
    x(i, 0) = -3 + 0.25 * static_cast<double>(i);
    y.push_back(sinc(x(i, 0)));
  }
  const std::vector<double> truth = y;
  y[4] = 1;
  y[19] = -1;
  const TrainingData data{make_dense(std::move(x)), Targets::numeric(y, "y"), {}};
  const auto farthest = [&](const Matrix<double>& f) {
    double largest = 0;
    for (Index i = 0; i < 25; ++i) {
      largest = std::max(largest, std::abs(f(i, 0) - truth[i]));
    }
    return largest;
  };
  for (const char* spec : {"rbf(gamma=1)", "rbf(gamma=4)"}) {
    SvrOptions options;
    options.C = 10000.0 / 25;
    options.epsilon = 0.1;
    options.standardize = false;
    const double chasing = farthest(fit_svr(parse_kernel(spec), options, data)->predict(data.samples, {}));
    options.errors = TubeErrors::overall;
    const auto overall = fit_svr(parse_kernel(spec), options, data);
    EXPECT_EQ(overall->report().status, SolveStatus::converged);
    const double share = measure(*overall, "share of C");
    ASSERT_GT(share, 0);
    ASSERT_LT(share, 1);
    const Matrix<double> f = overall->predict(data.samples, {});
    EXPECT_LT(farthest(f), 0.25) << spec;
    EXPECT_GT(chasing, 2 * farthest(f)) << spec;
    double error = 0;
    for (Index i = 0; i < 25; ++i) {
      error += std::abs(f(i, 0) - y[i]) / 25;
    }
    EXPECT_NEAR(error, 0.1, 1e-3);
  }
}

TEST(SvrTubes, WithoutSlackEveryRowIsWithinTheTube) {
  const Toy data = toy(60, 0.2, Spread::even, 12);
  for (const bool standardize : {false, true}) {
    SvrOptions options;
    options.slack = TubeSlack::none;
    options.epsilon = 0.3;
    options.standardize = standardize;
    options.tolerance = 1e-6;
    const Kernel narrow = parse_kernel("rbf(gamma=20)[0]");
    const auto hard = fit_svr(narrow, options, data.data);
    const Matrix<double> f = hard->predict(data.data.samples, {});
    for (Index i = 0; i < 60; ++i) {
      EXPECT_LE(std::abs(f(i, 0) - data.y[i]), 0.3 + 1e-4);
    }
    // The limit of a large C.
    options.slack = TubeSlack::linear;
    options.C = 1e7;
    const Matrix<double> g = fit_svr(narrow, options, data.data)->predict(data.data.samples, {});
    for (Index i = 0; i < 60; ++i) {
      EXPECT_NEAR(f(i, 0), g(i, 0), 1e-3);
    }
  }
  SvrOptions options;
  options.slack = TubeSlack::none;
  options.epsilon = 0.05;
  EXPECT_ERROR(fit_svr(parse_kernel("linear()[0]"), options, data.data), NumericalError,
               "no function of this kernel is within epsilon = 0.05 of all targets: it would have to be at least");
}

TEST(SvrTubes, TheLeastWidthThatIsNamedIsEnough) {
  SvrOptions options;
  options.slack = TubeSlack::none;
  options.standardize = false;
  const Kernel linear = parse_kernel("linear()");
  const TrainingData equal{make_dense(Matrix<double>::filled(3, 1, 1.0)), Targets::numeric({0, 0.1, 1}, "y"), {}};
  for (const double epsilon : {0.01, 0.1, 0.3, 0.49}) {
    options.epsilon = epsilon;
    EXPECT_ERROR(fit_svr(linear, options, equal), NumericalError, "it would have to be at least 0.5");
  }
  options.epsilon = 0.5;
  const auto enough = fit_svr(linear, options, equal);
  EXPECT_NEAR(enough->predict(equal.samples, {})(0, 0), 0.5, 1e-6);
}

// Wiggles that are a function of the kernel, one with large coefficients: nothing says that there is none.
TEST(SvrTubes, AFunctionOfLargeNormIsNotSaidToBeMissing) {
  SvrOptions options;
  options.slack = TubeSlack::none;
  options.standardize = false;
  options.epsilon = 0.4;
  Matrix<double> x(10, 1);
  std::vector<double> y;
  for (Index i = 0; i < 10; ++i) {
    x(i, 0) = static_cast<double>(i) / 9;
    y.push_back(static_cast<double>(i % 2));
  }
  const TrainingData data{make_dense(std::move(x)), Targets::numeric(y, "y"), {}};
  EXPECT_NO_THROW(fit_svr(parse_kernel("rbf(gamma=5)"), options, data));
}

TEST(SvrTubes, EqualTargetsConvergeAtOnce) {
  for (const char* settings : {"nu=0.5", "slack=none", "nu=0.05", "sides=above", "sides=below"}) {
    for (const char* standardize : {" standardize=no", " standardize=yes"}) {
      for (const double target : {0.0, 3.0, 1e8}) {
        NuSvrOptions options;
        apply_settings<NuSvrOptions>("nusvr", nusvr_option_table(),
                                     testing::settings_of_text(settings + std::string(standardize)), options);
        Matrix<double> x(20, 1);
        for (Index i = 0; i < 20; ++i) {
          x(i, 0) = static_cast<double>(i);
        }
        const TrainingData data{make_dense(std::move(x)), Targets::numeric(std::vector<double>(20, target), "y"), {}};
        const auto model = fit_nusvr(parse_kernel("rbf(gamma=0.5)"), options, data);
        EXPECT_EQ(model->report().status, SolveStatus::converged) << settings << standardize << " " << target;
        EXPECT_NEAR(model->predict(data.samples, {})(7, 0), target, 0.02 + 1e-9 * target) << settings << standardize;
      }
    }
  }
}

// The price of a hard tube's width sets it: hard ν-SVR is hard ε-SVR with the width that is found.
TEST(SvrTubes, HardNuSvrIsHardSvrOfItsWidth) {
  const Toy data = toy(40, 0.2, Spread::even, 13);
  NuSvrOptions options = book_options(40, 0.3);
  options.slack = TubeSlack::none;
  options.tolerance = 1e-8;
  const auto model = fit_nusvr(first_column, options, data.data);
  const double width = model->tube_widths()[0];
  ASSERT_GT(width, 0);
  const Matrix<double> f = model->predict(data.data.samples, {});
  for (Index i = 0; i < 40; ++i) {
    EXPECT_LE(std::abs(f(i, 0) - data.y[i]), width + 1e-6);
  }
  SvrOptions same;
  same.slack = TubeSlack::none;
  same.epsilon = width * (1 + 1e-9);
  same.standardize = false;
  const Matrix<double> g = fit_svr(first_column, same, data.data)->predict(data.data.samples, {});
  for (Index i = 0; i < 40; ++i) {
    EXPECT_NEAR(f(i, 0), g(i, 0), 1e-4);
  }
}

TEST(SvrTubes, OneSidedFunctionsAreAboveAllButAFraction) {
  const Toy data = toy(120, 0.3, Spread::even, 14);
  for (const double nu : {0.05, 0.2, 0.5, 1.0}) {
    NuSvrOptions options = book_options(120, nu);
    options.tolerance = 1e-8;
    options.sides = TubeSides::above;
    const auto above = fit_nusvr(first_column, options, data.data);
    const Matrix<double> f = above->predict(data.data.samples, {});
    double outside = 0;
    for (Index i = 0; i < 120; ++i) {
      outside += data.y[i] > f(i, 0) + 1e-6 ? 1.0 / 120 : 0.0;
    }
    EXPECT_LE(outside, nu + 1e-12);
    EXPECT_GE(static_cast<double>(above->support_rows().size()) / 120, nu - 1e-9);
    // min ½‖w‖² + ν C n b + C Σξ meets its dual.
    double primal = 0;
    const double b = above->expansion().parametric_coefficients()(0, 0);
    for (Index i = 0; i < 120; ++i) {
      primal += options.C * (nu * b + std::max(0.0, data.y[i] - f(i, 0)));
    }
    for (std::size_t s = 0; s < above->support_rows().size(); ++s) {
      primal += above->expansion().coefficients()(static_cast<Index>(s), 0) * (f(above->support_rows()[s], 0) - b) / 2;
    }
    EXPECT_NEAR(primal, -above->report().objective, 1e-5 * (1 + std::abs(primal))) << nu;
    // Below is above, upside down.
    std::vector<double> mirrored = data.y;
    for (double& y : mirrored) {
      y = -y;
    }
    options.sides = TubeSides::below;
    const Matrix<double> g = fit_nusvr(first_column, options, {data.data.samples, Targets::numeric(mirrored, "y"), {}})
                                 ->predict(data.data.samples, {});
    for (Index i = 0; i < 120; ++i) {
      EXPECT_NEAR(g(i, 0), -f(i, 0), 1e-6);
    }
  }
  NuSvrOptions hard = book_options(120, 0.2);
  hard.sides = TubeSides::above;
  hard.slack = TubeSlack::none;
  const Matrix<double> f = fit_nusvr(first_column, hard, data.data)->predict(data.data.samples, {});
  for (Index i = 0; i < 120; ++i) {
    EXPECT_GE(f(i, 0), data.y[i] - 2e-3);
  }
  EXPECT_ERROR(fit_nusvr(parse_kernel("negative_distance()"), hard, data.data), InvalidArgument,
               "needs a positive definite kernel");
}

// Every way of fitting takes rows that say nothing, or little.
TEST(SvrTubes, DegenerateRows) {
  for (const char* settings : {"errors=overall", "slack=none"}) {
    SvrOptions options;
    apply_settings<SvrOptions>("svr", svr_option_table(), testing::settings_of_text(settings), options);
    for (const Index rows : {1, 2, 6}) {
      const TrainingData data{make_dense(Matrix<double>::filled(rows, 1, 2.0)),
                              Targets::numeric(std::vector<double>(static_cast<std::size_t>(rows), 3.0), "y"),
                              {}};
      EXPECT_NEAR(fit_svr(parse_kernel("rbf(gamma=1)"), options, data)->predict(data.samples, {})(0, 0), 3, 0.11);
    }
  }
  for (const char* settings : {"tube=linear", "sides=above", "sides=below", "slack=none", "tube=linear slack=none"}) {
    NuSvrOptions options;
    apply_settings<NuSvrOptions>("nusvr", nusvr_option_table(), testing::settings_of_text(settings), options);
    for (const Index rows : {1, 2, 6}) {
      const TrainingData data{make_dense(Matrix<double>::filled(rows, 1, 2.0)),
                              Targets::numeric(std::vector<double>(static_cast<std::size_t>(rows), 3.0), "y"),
                              {}};
      EXPECT_NEAR(fit_nusvr(parse_kernel("rbf(gamma=1)"), options, data)->predict(data.samples, {})(0, 0), 3, 1e-3)
          << settings << " " << rows;
    }
  }
}

// The mean of min(1, (ξ/σ)²) is ν, and riskr with that σ, which is solved in another way, is the same function.
TEST(SvrTubes, HubersLossFindsItsScale) {
  const Toy data = toy(60, 0.3, Spread::even, 16);
  for (const double nu : {0.05, 0.3, 0.7}) {
    NuSvrOptions options = book_options(60, nu);
    options.loss = NuSvrLoss::huber;
    options.tolerance = 1e-9;
    const auto model = fit_nusvr(first_column, options, data.data);
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    const double scale = measure(*model, "sigma");
    ASSERT_GT(scale, 0);
    EXPECT_EQ(model->tube_widths().front(), 0);
    const Matrix<double> values = model->predict(data.data.samples, {});
    double mean = 0;
    double beyond = 0;
    for (Index i = 0; i < 60; ++i) {
      const double error = std::abs(data.y[i] - values(i, 0)) / scale;
      mean += std::min(1.0, error * error) / 60;
      beyond += error > 1 + 1e-9 ? 1.0 / 60 : 0.0;
    }
    EXPECT_NEAR(mean, nu, 1e-6 * nu);
    EXPECT_LE(beyond, nu);
    const std::vector<OptionSetting> given = {
        {"loss", "huber"}, {"sigma", shortest(scale)}, {"C", shortest(options.C)}, {"standardize", "no"}};
    const auto other = find_model("riskr").fit(first_column, given, data.data, {});
    const Matrix<double> others = other->predict(data.data.samples, {});
    for (Index i = 0; i < 60; ++i) {
      EXPECT_NEAR(values(i, 0), others(i, 0), 1e-4 * scale);
    }
  }
}

TEST(SvrTubes, HubersLossHasNoTube) {
  const Toy data = toy(20, 0.3, Spread::even, 17);
  NuSvrOptions options;
  options.loss = NuSvrLoss::huber;
  options.slack = TubeSlack::none;
  EXPECT_ERROR(fit_nusvr(first_column, options, data.data), InvalidArgument, "loss = huber has a scale and no tube");
  options.slack = TubeSlack::linear;
  options.sides = TubeSides::above;
  EXPECT_ERROR(fit_nusvr(first_column, options, data.data), InvalidArgument, "loss = huber has a scale and no tube");
}

TEST(SvrTubes, CombinationsThatAreRefused) {
  const Toy data = toy(20, 0.3, Spread::even, 15);
  SvrOptions options;
  options.errors = TubeErrors::overall;
  options.slack = TubeSlack::none;
  EXPECT_ERROR(fit_svr(first_column, options, data.data), InvalidArgument, "errors = overall");
  options.slack = TubeSlack::linear;
  options.parametric = ParametricPart::linear;
  EXPECT_ERROR(fit_svr(first_column, options, data.data), InvalidArgument, "needs errors = each and slack = linear");
  options.parametric = ParametricPart::constant;
  TrainingData with_tube = data.data;
  with_tube.noise.assign(20, 0.1);
  EXPECT_ERROR(fit_svr(first_column, options, with_tube), InvalidArgument, "errors = overall");
}

// The offset takes a constant in the kernel values, and their unit is that of the price: neither costs digits.
TEST(SvrTubes, AConstantOrAUnitOfTheKernelChangesNoTube) {
  const Toy sample = toy(40, 0.2, Spread::even, 3);
  NuSvrOptions options = book_options(40, 0.3);
  options.tube = shape("constant + linear[1]");
  const auto plain = fit_nusvr(parse_kernel("rbf(gamma=1)[0]"), options, sample.data, {});
  ASSERT_EQ(plain->report().status, SolveStatus::converged);
  for (const auto& [kernel, unit] : {std::pair{"rbf(gamma=1)[0] + constant(value=1e6)", 1.0},
                                     {"1e12*rbf(gamma=1)[0]", 1e12},
                                     {"1e-12*rbf(gamma=1)[0]", 1e-12}}) {
    NuSvrOptions other = options;
    other.C = options.C / unit;
    const auto found = fit_nusvr(parse_kernel(kernel), other, sample.data, {});
    EXPECT_EQ(found->report().status, SolveStatus::converged) << kernel;
    const Matrix<double> expected = plain->predict(sample.data.samples, {});
    const Matrix<double> values = found->predict(sample.data.samples, {});
    EXPECT_NEAR(found->tube_widths()[0], plain->tube_widths()[0], 1e-5) << kernel;
    for (Index i = 0; i < expected.rows(); ++i) {
      EXPECT_NEAR(values(i, 0), expected(i, 0), 1e-5) << kernel;
    }
  }
}

}  // namespace
}  // namespace mercer
