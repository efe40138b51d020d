// The path of penalties against refits, against the hat matrix written out, and what the choice does with odd data.
#include "mercer/models/ridge/ridge_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/random_problem.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::kernel_matrix;
using testing::random_matrix;
using testing::random_problem;
using testing::random_samples;
using testing::random_weights;
using testing::same_bits;

struct Case {
  std::string spec;
  bool intercept = true;
  bool linear_part = false;
  RidgeForm form = RidgeForm::automatic;
};

std::vector<Case> cases() {
  return {{"rbf(gamma=0.5)"},
          {"rbf(gamma=0.5)", false},
          {"rbf(gamma=0.5)", true, true},
          {"negative_distance()"},
          {"multiquadric(lengthscale=0.8)"},
          {"thin_plate(lengthscale=1)", true, true},
          {"3*linear()"},
          {"3*linear()", false},
          {"3*linear()", true, false, RidgeForm::dual}};
}

RidgeOptions options_of(const Case& c) {
  return {.parametric = c.linear_part ? ParametricPart::linear
                        : c.intercept ? ParametricPart::constant
                                      : ParametricPart::none,
          .form = c.form};
}

TrainingData without(const TrainingData& data, Index left_out) {
  std::vector<Index> rows;
  TrainingData part;
  for (Index i = 0; i < data.samples.size(); ++i) {
    if (i != left_out) {
      rows.push_back(i);
      if (!data.weights.empty()) {
        part.weights.push_back(data.weights[i]);
      }
    }
  }
  part.samples = data.samples.select(rows);
  part.targets = data.targets.select(rows);
  return part;
}

double rmse_of_refits(const Kernel& kernel, RidgeOptions options, const TrainingData& data, double lambda) {
  options.lambda = lambda;
  const Matrix<double> y = data.targets.values();
  double sum = 0;
  double total = 0;
  for (Index i = 0; i < data.samples.size(); ++i) {
    const auto model = fit_ridge(kernel, options, without(data, i));
    const std::vector<Index> row = {i};
    const Matrix<double> value = model->predict(data.samples.select(row), {});
    const double w = data.weights.empty() ? 1.0 : data.weights[i];
    for (Index o = 0; o < y.columns(); ++o) {
      sum += w * std::pow(y(i, o) - value(0, o), 2);
      total += w;
    }
  }
  return std::sqrt(sum / total);
}

TEST(RidgePath, LeaveOneOutEqualsRefits) {
  const std::vector<double> lambdas = {1e-3, 0.1, 2, 100};
  for (const Case& c : cases()) {
    for (const bool weighted : {false, true}) {
      TrainingData data = random_problem(16, 2, 2, 3);
      if (weighted) {
        data.weights = random_weights(16, 4);
      }
      const Kernel kernel = parse_kernel(c.spec);
      const RidgePath path = ridge_path(kernel, options_of(c), data, lambdas);
      ASSERT_EQ(path.points.size(), lambdas.size());
      for (std::size_t l = 0; l < lambdas.size(); ++l) {
        const double expected = rmse_of_refits(kernel, options_of(c), data, lambdas[l]);
        EXPECT_NEAR(path.points[l].loo_rmse, expected, 1e-8 * expected) << c.spec << " " << lambdas[l] << weighted;
      }
    }
  }
}

// S in the users' coordinates, column by column: the fitted values of unit targets.
TEST(RidgePath, GcvEqualsTheHatMatrix) {
  const std::vector<double> lambdas = {1e-3, 0.1, 2, 100};
  const Index n = 16;
  for (const Case& c : cases()) {
    for (const bool weighted : {false, true}) {
      TrainingData data = random_problem(n, 2, 2, 5);
      if (weighted) {
        data.weights = random_weights(n, 6);
      }
      const Kernel kernel = parse_kernel(c.spec);
      const RidgePath path = ridge_path(kernel, options_of(c), data, lambdas);
      TrainingData units = data;
      units.targets = Targets::numeric([&] {
        Matrix<double> identity = Matrix<double>::filled(n, n, 0.0);
        for (Index i = 0; i < n; ++i) {
          identity(i, i) = 1;
        }
        return identity;
      }()
                                           .view());
      const Dense y = Dense(data.targets.values());
      for (std::size_t l = 0; l < lambdas.size(); ++l) {
        RidgeOptions options = options_of(c);
        options.lambda = lambdas[l];
        const Dense s = Dense(fit_ridge(kernel, options, units)->predict(data.samples, {}));
        const Dense e = y - s * y;
        double squares = 0;
        double total = 0;
        for (Index i = 0; i < n; ++i) {
          const double weight = weighted ? data.weights[i] : 1.0;
          squares += weight * e.row(i).squared_norm();
          total += weight;
        }
        const double free = static_cast<double>(n) - s.trace();
        const double expected = squares / 2 / total / std::pow(free / static_cast<double>(n), 2);
        EXPECT_NEAR(path.points[l].gcv, expected, 1e-8 * expected) << c.spec << " " << lambdas[l] << weighted;
        EXPECT_NEAR(path.points[l].degrees_of_freedom, s.trace(), 1e-7) << c.spec;
      }
    }
  }
}

// y = sin(2x) + noise: a λ between the ends, near the one that refits find, better than the default elsewhere.
TrainingData noisy_sine(Index n, double noise, std::uint64_t seed) {
  const Matrix<double> x = random_matrix(n, 1, seed);
  const Matrix<double> e = random_matrix(n, 1, seed + 1);
  std::vector<double> y;
  for (Index i = 0; i < n; ++i) {
    y.push_back(std::sin(2 * x(i, 0)) + noise * e(i, 0));
  }
  return {make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y, "y")};
}

TEST(RidgePath, TheChoiceIsTheMinimum) {
  const TrainingData data = noisy_sine(60, 0.3, 7);
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const RidgePath path = ridge_path(kernel, {}, data);
  ASSERT_EQ(path.points.size(), 66U);
  for (const RidgePathPoint& point : path.points) {
    EXPECT_GE(point.loo_rmse * (1 + 1e-6), path.points[path.best_loo].loo_rmse);
    EXPECT_GE(point.gcv * (1 + 1e-6), path.points[path.best_gcv].gcv);
    EXPECT_GT(point.degrees_of_freedom, 1);
    EXPECT_LT(point.degrees_of_freedom, 60);
  }
  for (std::size_t l = 1; l < path.points.size(); ++l) {
    EXPECT_GT(path.points[l].lambda, path.points[l - 1].lambda);
    EXPECT_LT(path.points[l].degrees_of_freedom, path.points[l - 1].degrees_of_freedom);
  }
  for (const bool by_loo : {true, false}) {
    const auto model = fit_ridge(
        kernel, {.select = by_loo ? PenaltyChoice::leave_one_out : PenaltyChoice::generalized_cross_validation}, data);
    const RidgePathPoint& best = path.points[by_loo ? path.best_loo : path.best_gcv];
    EXPECT_EQ(*model->parts().options.lambda, best.lambda);
    const auto& measures = model->report().measures;
    ASSERT_EQ(measures.size(), 3U);
    EXPECT_EQ(measures[0].value, best.loo_rmse);
    EXPECT_EQ(measures[1].value, best.gcv);
    EXPECT_EQ(measures[2].value, best.degrees_of_freedom);
    EXPECT_NE(model->report().notes.front().text.find("chosen by"), std::string::npos);
  }
}

TEST(RidgePath, FindsTheNoise) {
  double previous = 0;
  for (const double noise : {0.05, 0.2, 0.8}) {
    const TrainingData data = noisy_sine(300, noise, 9);
    const auto model = fit_ridge(parse_kernel("rbf(gamma=1)"), {.select = PenaltyChoice::leave_one_out}, data);
    EXPECT_GT(*model->parts().options.lambda, previous);
    previous = *model->parts().options.lambda;
    const Matrix<double> values = model->predict(data.samples, {});
    double squares = 0;
    for (Index i = 0; i < 300; ++i) {
      squares += std::pow(values(i, 0) - std::sin(2 * data.samples.as<DenseRows<double>>()(i, 0)), 2) / 300;
    }
    EXPECT_LT(std::sqrt(squares), 0.5 * noise);
  }
}

TEST(RidgePath, ASelectionOfRowsScalesThePenalty) {
  const TrainingData data = noisy_sine(500, 0.3, 11);
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const auto all = fit_ridge(kernel, {.select = PenaltyChoice::leave_one_out, .select_rows = 0}, data);
  const auto some = fit_ridge(kernel, {.select = PenaltyChoice::leave_one_out, .select_rows = 250}, data);
  const double ratio = *some->parts().options.lambda / *all->parts().options.lambda;
  EXPECT_GT(ratio, 0.05);
  EXPECT_LT(ratio, 20);
  EXPECT_NE(some->report().notes.front().text.find("250 of 500 rows"), std::string::npos)
      << some->report().notes.front().text;
  EXPECT_EQ(all->report().notes.front().text.find(" of 500 rows"), std::string::npos);
  // Few columns in the primal: all rows are looked at whatever select_rows says.
  const auto linear =
      fit_ridge(parse_kernel("linear()"), {.select = PenaltyChoice::leave_one_out, .select_rows = 100}, data);
  const auto linear_all =
      fit_ridge(parse_kernel("linear()"), {.select = PenaltyChoice::leave_one_out, .select_rows = 0}, data);
  EXPECT_EQ(*linear->parts().options.lambda, *linear_all->parts().options.lambda);
  // The same seed, the same penalty, on any number of threads.
  const auto again = fit_ridge(kernel, {.select = PenaltyChoice::leave_one_out, .select_rows = 250}, data,
                               mercer::Run{{.threads = 3}});
  EXPECT_EQ(*again->parts().options.lambda, *some->parts().options.lambda);
}

TEST(RidgePath, ConstantTargetsTakeTheLargestPenalty) {
  for (const std::string spec : {"rbf(gamma=1)", "linear()"}) {
    for (const double value : {0.0, 1e6}) {
      const TrainingData data = {random_samples(30, 2, 13), Targets::numeric(std::vector<double>(30, value))};
      const auto model = fit_ridge(parse_kernel(spec), {.select = PenaltyChoice::leave_one_out}, data);
      EXPECT_NEAR(model->predict(random_samples(5, 2, 14), {})(0, 0), value, 1e-9 * value);
      const RidgePath path = ridge_path(parse_kernel(spec), {}, data);
      EXPECT_NEAR(path.points[path.best_loo].loo_rmse, 0, 1e-9 * value) << spec;
      EXPECT_NEAR(path.points[path.best_gcv].gcv, 0, 1e-9 * value);
    }
  }
  const TrainingData data = {random_samples(30, 2, 13), Targets::numeric(std::vector<double>(30, 7.0))};
  EXPECT_EQ(ridge_path(parse_kernel("rbf(gamma=1)"), {}, data).best_loo, 65U);
}

TEST(RidgePath, RepeatedRowsAndConstantKernels) {
  const Samples base = random_samples(10, 2, 15);
  std::vector<Index> rows(40);
  for (Index i = 0; i < 40; ++i) {
    rows[i] = i / 4;
  }
  const TrainingData repeated = {base.select(rows), Targets::numeric(random_matrix(40, 1, 16).view())};
  for (const std::string spec : {"rbf(gamma=1)", "linear()", "negative_distance()"}) {
    const RidgePath path = ridge_path(parse_kernel(spec), {}, repeated);
    for (const RidgePathPoint& point : path.points) {
      EXPECT_TRUE(std::isfinite(point.loo_rmse) && std::isfinite(point.gcv)) << spec << " " << point.lambda;
      EXPECT_LT(point.degrees_of_freedom, 11) << spec;
    }
    EXPECT_NO_THROW(fit_ridge(parse_kernel(spec), {.select = PenaltyChoice::generalized_cross_validation}, repeated));
  }
  // All inputs equal: nothing but the constant is there to be fitted.
  const TrainingData equal = {make_dense(Matrix<double>::filled(12, 2, 3.0)),
                              Targets::numeric(random_matrix(12, 1, 17).view())};
  for (const std::string spec : {"rbf(gamma=1)", "linear()", "negative_distance()"}) {
    const auto model = fit_ridge(parse_kernel(spec), {.select = PenaltyChoice::leave_one_out}, equal);
    double mean = 0;
    for (Index i = 0; i < 12; ++i) {
      mean += equal.targets.values()(i, 0) / 12;
    }
    EXPECT_NEAR(model->predict(equal.samples, {})(0, 0), mean, 1e-9) << spec;
  }
}

TEST(RidgePath, TooFewRows) {
  EXPECT_ERROR(ridge_path(parse_kernel("rbf(gamma=1)"), {}, random_problem(1, 2, 1, 19)), DataError,
               "a penalty cannot be chosen from 1 rows");
  EXPECT_ERROR(ridge_path(parse_kernel("linear()"), {.form = RidgeForm::primal}, random_problem(1, 2, 1, 19)),
               DataError, "a penalty cannot be chosen from 1 rows");
  EXPECT_ERROR(ridge_path(parse_kernel("rbf(gamma=1)"), {}, random_problem(0, 2, 1, 19)), DataError,
               "ridge: there are no rows to fit");
  EXPECT_NO_THROW(
      ridge_path(parse_kernel("rbf(gamma=1)"), {.parametric = ParametricPart::none}, random_problem(1, 2, 1, 19)));
  // Two rows, one constant: fine. A row that alone determines a linear function cannot be left out.
  EXPECT_NO_THROW(ridge_path(parse_kernel("rbf(gamma=1)"), {}, random_problem(2, 2, 1, 19)));
  Matrix<double> x = Matrix<double>::filled(8, 1, 1.0);
  x(5, 0) = 2;
  const TrainingData single = {make_dense(std::move(x)), Targets::numeric(random_matrix(8, 1, 20).view())};
  const RidgeOptions linear{.parametric = ParametricPart::linear, .select = PenaltyChoice::leave_one_out};
  EXPECT_ERROR(fit_ridge(parse_kernel("rbf(gamma=1)"), linear, single), NumericalError,
               "the penalty cannot be chosen by leaving one row out");
  const RidgePath path = ridge_path(parse_kernel("rbf(gamma=1)"), {.parametric = ParametricPart::linear}, single);
  EXPECT_TRUE(std::isnan(path.points.front().loo_rmse));
  EXPECT_TRUE(std::isfinite(path.points.front().gcv));
}

TEST(RidgePath, RefusesWhatItCannotDo) {
  const TrainingData data = random_problem(600, 2, 1, 21);
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  EXPECT_ERROR(fit_ridge(kernel, {.lambda = 1.0, .select = PenaltyChoice::leave_one_out}, data), InvalidArgument,
               "ridge: select = loo chooses lambda");
  EXPECT_ERROR(fit_ridge(kernel, {.mean_lambda = 1.0, .select = PenaltyChoice::generalized_cross_validation}, data),
               InvalidArgument, "ridge: select = gcv chooses lambda");
  // A word of lssvm.
  EXPECT_ERROR(fit_ridge(kernel, {.select = PenaltyChoice::leave_one_out_errors}, data), InvalidArgument,
               "ridge: select = errors: must be one of none, loo, gcv");
  RidgeOptions read;
  const std::vector<OptionSetting> unknown = {{"select", "errors"}};
  EXPECT_ERROR(apply_settings<RidgeOptions>("ridge", ridge_option_table(), unknown, read), InvalidArgument,
               "ridge: select = errors: must be one of none, loo, gcv");
  EXPECT_ERROR(ridge_path(kernel, {}, data, std::vector<double>{1.0, -1.0}), InvalidArgument,
               "ridge_path: lambda = -1");
  EXPECT_ERROR(ridge_path(kernel, {}, data, std::vector<double>{}), InvalidArgument, "ridge_path: no lambda was given");
  // 600 rows: the factorization takes 2.9 MB, the decomposition 11.5.
  EXPECT_ERROR(fit_ridge(kernel, {.select = PenaltyChoice::leave_one_out, .memory_mb = 6}, data), InvalidArgument,
               "select_rows");
  EXPECT_NO_THROW(
      fit_ridge(kernel, {.select = PenaltyChoice::leave_one_out, .select_rows = 200, .memory_mb = 6}, data));
}

TEST(RidgePath, WeightsOfZeroAreNoRows) {
  TrainingData data = random_problem(30, 2, 1, 23);
  data.weights.assign(30, 1.0);
  data.weights[7] = 0;
  const RidgePath with = ridge_path(parse_kernel("rbf(gamma=1)"), {}, data);
  const RidgePath without_it = ridge_path(parse_kernel("rbf(gamma=1)"), {}, without(data, 7));
  EXPECT_NEAR(with.points[30].loo_rmse, without_it.points[30].loo_rmse, 1e-12);
}

TEST(RidgePath, ScalesWithTheKernelAndTheTargets) {
  TrainingData data = random_problem(40, 2, 1, 25);
  const RidgePath one = ridge_path(parse_kernel("rbf(gamma=1)"), {}, data);
  const RidgePath thousand = ridge_path(parse_kernel("1000*rbf(gamma=1)"), {}, data);
  EXPECT_EQ(one.best_loo, thousand.best_loo);
  EXPECT_NEAR(thousand.points[20].lambda / one.points[20].lambda, 1000, 1e-8);
  EXPECT_NEAR(thousand.points[20].loo_rmse, one.points[20].loo_rmse, 1e-7 * one.points[20].loo_rmse);
}

TEST(RidgePath, SameBitsForAnyNumberOfThreads) {
  const TrainingData data = random_problem(520, 3, 3, 27);
  for (const std::string spec : {"rbf(gamma=0.5)", "linear()"}) {
    const RidgePath one = ridge_path(parse_kernel(spec), {}, data, mercer::Run{{.threads = 1}});
    const RidgePath three = ridge_path(parse_kernel(spec), {}, data, mercer::Run{{.threads = 3}});
    for (std::size_t l = 0; l < one.points.size(); ++l) {
      EXPECT_EQ(one.points[l].loo_rmse, three.points[l].loo_rmse);
      EXPECT_EQ(one.points[l].gcv, three.points[l].gcv);
    }
  }
}

TEST(RidgePath, AChosenModelSurvivesItsState) {
  const auto model = fit_ridge(parse_kernel("rbf(gamma=1)"), {.select = PenaltyChoice::generalized_cross_validation},
                               noisy_sine(50, 0.3, 29));
  const auto loaded = ridge_entry().load(state_of(*model), {});
  const auto* again = dynamic_cast<const RidgeModel*>(loaded.get());
  ASSERT_NE(again, nullptr);
  const Samples x = random_samples(10, 1, 30);
  EXPECT_TRUE(same_bits(again->predict(x, {}), model->predict(x, {})));
  EXPECT_EQ(again->parts().options.select, PenaltyChoice::generalized_cross_validation);
  EXPECT_EQ(*again->parts().options.lambda, *model->parts().options.lambda);
}

}  // namespace
}  // namespace mercer
