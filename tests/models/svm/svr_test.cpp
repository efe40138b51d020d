// Support vector regression as a model: units of the target, several outputs, weights, the tube.
#include "mercer/models/svm/svr.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::same_bits;

const Kernel svr_gaussian = parse_kernel("rbf(gamma=0.5)");

struct Curve {
  std::vector<double> y;
  TrainingData data;
};

Curve noisy_curve(Index n, double scale, double shift, std::uint64_t seed) {
  RandomStream random(seed, 91);
  Curve curve;
  Matrix<double> x(n, 1);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = 3 * random.normal();
    curve.y.push_back(shift + scale * (std::sin(x(i, 0)) + 0.2 * random.normal()));
  }
  curve.data = {make_dense(std::move(x)), Targets::numeric(curve.y, "height"), {}};
  return curve;
}

TEST(Svr, TheTubeIsInTheUnitsOfTheTarget) {
  const Curve curve = noisy_curve(200, 100, 5000, 1);
  SvrOptions options;
  options.tolerance = 1e-7;
  options.C = 10;
  options.epsilon = 25;
  const auto model = fit_svr(svr_gaussian, options, curve.data);
  EXPECT_EQ(model->output_names(), std::vector<std::string>{"height"});
  ASSERT_EQ(model->tube_widths().size(), 1U);
  EXPECT_NEAR(model->tube_widths()[0], 25, 1e-9);
  const Matrix<double> f = model->predict(curve.data.samples, {});
  std::vector<char> is_support(200, 0);
  for (const Index row : model->support_rows()) {
    is_support[row] = 1;
  }
  Index inside = 0;
  for (Index i = 0; i < 200; ++i) {
    const double error = std::abs(f(i, 0) - curve.y[i]);
    if (is_support[i] == 0) {
      EXPECT_LE(error, 25 + 1e-3);
      ++inside;
    } else {
      EXPECT_GE(error, 25 - 1e-3);
    }
  }
  EXPECT_GT(inside, 50);
}

TEST(Svr, ScaledAndShiftedTargetsGiveScaledAndShiftedPredictions) {
  const Curve plain = noisy_curve(120, 1, 0, 2);
  const Curve other = noisy_curve(120, 1000, -77, 2);
  SvrOptions options;
  options.tolerance = 1e-8;
  options.epsilon = 0.1;
  const Matrix<double> a = fit_svr(svr_gaussian, options, plain.data)->predict(plain.data.samples, {});
  options.epsilon = 100;
  const Matrix<double> b = fit_svr(svr_gaussian, options, other.data)->predict(other.data.samples, {});
  for (Index i = 0; i < 120; ++i) {
    EXPECT_NEAR(b(i, 0), 1000 * a(i, 0) - 77, 1e-2);
  }
}

// Whatever the unit, no tube is wider than the curve or narrower than its noise.
TEST(Svr, TheUsualTubeIsATenthOfTheDeviation) {
  for (const double unit : {1e-6, 1.0, 1e6}) {
    const Curve curve = noisy_curve(120, unit, -3 * unit, 2);
    double mean = 0;
    double squares = 0;
    for (const double y : curve.y) {
      mean += y / 120;
    }
    for (const double y : curve.y) {
      squares += (y - mean) * (y - mean) / 120;
    }
    const double expected = 0.1 * std::sqrt(squares);
    const auto usual = fit_svr(svr_gaussian, {}, curve.data);
    ASSERT_EQ(usual->tube_widths().size(), 1U);
    EXPECT_NEAR(usual->tube_widths()[0], expected, 1e-9 * expected);
    SvrOptions options;
    options.epsilon = expected;
    const Matrix<double> a = usual->predict(curve.data.samples, {});
    const Matrix<double> b = fit_svr(svr_gaussian, options, curve.data)->predict(curve.data.samples, {});
    for (Index i = 0; i < 120; ++i) {
      EXPECT_NEAR(a(i, 0), b(i, 0), 1e-2 * unit);
    }
    options.epsilon.reset();
    options.standardize = false;
    EXPECT_NEAR(fit_svr(svr_gaussian, options, curve.data)->tube_widths()[0], 0.1, 1e-12);
  }
}

TEST(Svr, WithoutStandardizingItIsThePlainMachine) {
  const Curve curve = noisy_curve(100, 3, 1, 3);
  SvrOptions options;
  options.tolerance = 1e-8;
  options.standardize = false;
  options.C = 2;
  const auto model = fit_svr(svr_gaussian, options, curve.data);
  const Matrix<double> coefficients = Matrix<double>::copy_of(model->expansion().coefficients());
  double sum = 0;
  for (Index i = 0; i < coefficients.rows(); ++i) {
    EXPECT_LE(std::abs(coefficients(i, 0)), 2);
    sum += coefficients(i, 0);
  }
  EXPECT_NEAR(sum, 0, 1e-9);
}

TEST(Svr, SeveralOutputsAreMachinesOfTheirOwn) {
  const Curve first = noisy_curve(90, 1, 0, 4);
  Matrix<double> both(90, 2);
  std::vector<double> second;
  for (Index i = 0; i < 90; ++i) {
    second.push_back(10 * first.y[(i * 7) % 90]);
    both(i, 0) = first.y[i];
    both(i, 1) = second.back();
  }
  for (const char* name : {"svr", "nusvr"}) {
    const ModelEntry& entry = find_model(name);
    const std::vector<OptionSetting> settings = {{"tolerance", "1e-8"}};
    const auto joint = entry.fit(svr_gaussian, settings, {first.data.samples, Targets::numeric(both.view()), {}}, {});
    const Matrix<double> f = joint->predict(first.data.samples, {});
    const Matrix<double> f0 = entry.fit(svr_gaussian, settings, first.data, {})->predict(first.data.samples, {});
    const Matrix<double> f1 = entry.fit(svr_gaussian, settings, {first.data.samples, Targets::numeric(second), {}}, {})
                                  ->predict(first.data.samples, {});
    ASSERT_EQ(f.columns(), 2);
    for (Index i = 0; i < 90; ++i) {
      EXPECT_NEAR(f(i, 0), f0(i, 0), 1e-6);
      EXPECT_NEAR(f(i, 1), f1(i, 0), 1e-5);
    }
    EXPECT_TRUE(same_bits(entry.load(state_of(*joint), {})->predict(first.data.samples, {}), f));
  }
}

TEST(Svr, NuSvrLeavesItsFractionOutsideAndMatchesItsWidth) {
  const Curve curve = noisy_curve(200, 50, 3, 5);
  for (const double nu : {0.2, 0.5}) {
    NuSvrOptions options;
    options.tolerance = 1e-8;
    options.nu = nu;
    const auto model = fit_nusvr(svr_gaussian, options, curve.data);
    const double width = model->tube_widths()[0];
    ASSERT_GT(width, 0);
    const Matrix<double> f = model->predict(curve.data.samples, {});
    double outside = 0;
    for (Index i = 0; i < 200; ++i) {
      outside += std::abs(f(i, 0) - curve.y[i]) > width + 1e-4 ? 1 : 0;
    }
    EXPECT_LE(outside / 200, nu + 1e-12);
    EXPECT_GE(static_cast<double>(model->support_rows().size()) / 200, nu - 1e-12);
    SvrOptions same;
    same.tolerance = 1e-8;
    same.epsilon = width;
    const Matrix<double> g = fit_svr(svr_gaussian, same, curve.data)->predict(curve.data.samples, {});
    for (Index i = 0; i < 200; ++i) {
      EXPECT_NEAR(f(i, 0), g(i, 0), 1e-3);
    }
  }
}

// A width is not negative, whatever ν asks for; where the tube is a line it goes through what it must.
TEST(Svr, TubesOfNuSvrAreNoNarrowerThanNothing) {
  Index lines = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    RandomStream random(seed, 91);
    const auto rows = static_cast<Index>(2 + random.below(7));
    Matrix<double> x(rows, 1);
    std::vector<double> y;
    for (Index i = 0; i < rows; ++i) {
      x(i, 0) = 4 * random.uniform();
      y.push_back(std::floor(3 * random.uniform()));  // ties
    }
    for (const double nu : {0.3, 0.7, 0.95, 1.0}) {
      NuSvrOptions options;
      options.nu = nu;
      options.C = 0.3;
      options.tolerance = 1e-8;
      options.standardize = false;
      const TrainingData data{make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y, "y"), {}};
      const auto model = fit_nusvr(svr_gaussian, options, data);
      const double width = model->tube_widths()[0];
      ASSERT_GE(width, 0) << seed << " " << nu;
      EXPECT_GE(testing::measure(*model, "epsilon"), 0);
      lines += width == 0 ? 1 : 0;
      // Optimal: primal C(νε n + Σ max(0, |y − f| − ε)) + ½‖w‖² meets the dual value.
      const Matrix<double> f = model->predict(data.samples, {});
      const double b = model->expansion().parametric_coefficients()(0, 0);
      double primal = 0.3 * nu * width * static_cast<double>(rows);
      for (Index i = 0; i < rows; ++i) {
        primal += 0.3 * std::max(0.0, std::abs(f(i, 0) - y[i]) - width);
      }
      for (std::size_t s = 0; s < model->support_rows().size(); ++s) {
        const double beta = model->expansion().coefficients()(static_cast<Index>(s), 0);
        primal += beta * (f(model->support_rows()[s], 0) - b) / 2;
      }
      EXPECT_NEAR(primal, -model->report().objective, 1e-6 * (1 + primal)) << seed << " " << nu;
    }
  }
  EXPECT_GT(lines, 0);
}

TEST(Svr, WeightsAreRepeatedRowsAndZeroRemovesThem) {
  const Curve curve = noisy_curve(50, 1, 0, 6);
  TrainingData weighted = curve.data;
  std::vector<Index> list;
  for (Index i = 0; i < 50; ++i) {
    weighted.weights.push_back(static_cast<double>(i % 3));
    list.insert(list.end(), static_cast<std::size_t>(i % 3), i);
  }
  const TrainingData repeated{curve.data.samples.select(list), curve.data.targets.select(list), {}};
  for (const bool standardize : {false, true}) {
    SvrOptions options;
    options.tolerance = 1e-8;
    options.standardize = standardize;
    const Matrix<double> a = fit_svr(svr_gaussian, options, weighted)->predict(curve.data.samples, {});
    const Matrix<double> b = fit_svr(svr_gaussian, options, repeated)->predict(curve.data.samples, {});
    for (Index i = 0; i < 50; ++i) {
      EXPECT_NEAR(a(i, 0), b(i, 0), 1e-5) << (standardize ? "standardized" : "plain");
    }
  }
}

TEST(Svr, ConstantTargetsAndOneRowAreTheirOwnPrediction) {
  for (const char* name : {"svr", "nusvr"}) {
    for (const Index n : {1, 30}) {
      const TrainingData data{testing::random_samples(n, 2, 1), Targets::numeric(std::vector<double>(n, 7.25)), {}};
      const auto model = find_model(name).fit(svr_gaussian, {}, data, {});
      EXPECT_EQ(model->report().status, SolveStatus::converged);
      const Matrix<double> f = model->predict(testing::random_samples(5, 2, 2), {});
      for (Index i = 0; i < 5; ++i) {
        EXPECT_NEAR(f(i, 0), 7.25, 0.1 + 1e-9) << name;  // anywhere within the tube
      }
    }
  }
}

TEST(Svr, RoundingOfTheMeanIsNoTarget) {
  const Samples x = noisy_curve(30, 1, 0, 5).data.samples;
  SvrOptions options;
  options.epsilon = 0;
  const auto model = fit_svr(svr_gaussian, options, {x, Targets::numeric(std::vector<double>(30, 0.1))});
  EXPECT_TRUE(model->support_rows().empty());
  EXPECT_EQ(model->predict(x, {})(3, 0), 0.1);
}

TEST(Svr, RefusesUnusableDataAndOptions) {
  const Curve curve = noisy_curve(20, 1, 0, 7);
  TrainingData broken = curve.data;
  std::vector<double> values = curve.y;
  values[7] = std::nan("");
  broken.targets = Targets::numeric(values);
  EXPECT_ERROR(fit_svr(svr_gaussian, {}, broken), DataError, "the target of row 7 (counted from 0) is nan");
  EXPECT_ERROR(fit_nusvr(svr_gaussian, {}, broken), DataError, "the target of row 7 (counted from 0) is nan");
  broken = curve.data;
  broken.weights.assign(20, 0.0);
  EXPECT_ERROR(fit_svr(svr_gaussian, {}, broken), DataError, "svr: all weights are 0, no row is left to fit");
  broken = curve.data;
  broken.targets = Targets::classes(std::vector<std::string>(20, "x"));
  EXPECT_ERROR(fit_svr(svr_gaussian, {}, broken), DataError, "target '' holds labels such as 'x'");
  for (const double wrong : {-0.1, std::nan(""), static_cast<double>(INFINITY)}) {
    SvrOptions options;
    options.epsilon = wrong;
    EXPECT_ERROR(fit_svr(svr_gaussian, options, curve.data), InvalidArgument, "epsilon = ");
    SvrOptions cost;
    cost.C = wrong;
    EXPECT_ERROR(fit_svr(svr_gaussian, cost, curve.data), InvalidArgument, "C = ");
    NuSvrOptions nu;
    nu.nu = wrong;
    EXPECT_ERROR(fit_nusvr(svr_gaussian, nu, curve.data), InvalidArgument, "nu = ");
  }
}

}  // namespace
}  // namespace mercer
