// L1VM, L2VM and kernel logistic regression as models.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/data/files/data_file.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/gp/gpc.h"
#include "mercer/models/kernel_machine/klr.h"
#include "mercer/models/kernel_machine/l1vm.h"
#include "mercer/models/kernel_machine/l2vm.h"
#include "mercer/models/model_state.h"
#include "models/random_problem.h"
#include "models/report_measure.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::measure;

Samples column(std::vector<double> values) {
  const auto n = static_cast<Index>(values.size());
  return make_dense(std::move(values), n, 1);
}

Targets numbers(const std::vector<double>& values) {
  Matrix<double> y(static_cast<Index>(values.size()), 1);
  std::copy(values.begin(), values.end(), y.data());
  return Targets::numeric(y.view());
}

struct Line {
  std::vector<double> x;
  std::vector<double> y;
  TrainingData data() const { return {column(x), numbers(y), {}}; }
};

Line noisy_line(Index n, double noise, std::uint64_t seed) {
  RandomStream random(seed, 8);
  Line line;
  for (Index i = 0; i < n; ++i) {
    line.x.push_back(5 * random.uniform());
    line.y.push_back(std::sin(2 * line.x.back()) + noise * random.normal());
  }
  return line;
}

// Rings of points with the labels of sectors or halves.
TrainingData classes_in_plane(Index n, Index classes, std::uint64_t seed) {
  RandomStream random(seed, 9);
  Matrix<double> x(n, 2);
  std::vector<std::string> labels;
  for (Index i = 0; i < n; ++i) {
    const auto c = static_cast<double>(i % classes);
    x(i, 0) = 1.5 * std::cos(2 * M_PI * c / static_cast<double>(classes)) + random.normal();
    x(i, 1) = 1.5 * std::sin(2 * M_PI * c / static_cast<double>(classes)) + random.normal();
    labels.push_back(std::string(1, static_cast<char>('a' + i % classes)));
  }
  return {make_dense(std::move(x)), Targets::classes(labels), {}};
}

double rmse(const FittedModel& model, const Line& line) {
  const Matrix<double> f = model.predict(column(line.x), {});
  double sum = 0;
  for (Index i = 0; i < f.rows(); ++i) {
    sum += std::pow(f(i, 0) - line.y[i], 2);
  }
  return std::sqrt(sum / static_cast<double>(f.rows()));
}

double width(double sigma) { return 1 / (2 * sigma * sigma); }

Kernel gaussian(double sigma) { return parse_kernel("rbf(gamma=" + std::to_string(width(sigma)) + ")"); }

TEST(KernelMachine, FourPrototypesSeparateExclusiveOr) {
  RandomStream random(1, 1);
  Matrix<double> x(80, 2);
  std::vector<std::string> labels;
  for (Index i = 0; i < 80; ++i) {
    const Index corner = i % 4;
    x(i, 0) = static_cast<double>(corner % 2) + 0.15 * random.normal();
    x(i, 1) = static_cast<double>(corner / 2) + 0.15 * random.normal();
    labels.push_back(corner == 0 || corner == 3 ? "same" : "different");
  }
  const TrainingData data{make_dense(std::move(x)), Targets::classes(labels), {}};
  const auto expect_separated = [&](const FittedModel& model) {
    const Matrix<double> predicted = model.predict(data.samples, {});
    for (Index i = 0; i < 80; ++i) {
      EXPECT_EQ(model.classes()[predicted(i, 0)], labels[i]);
    }
  };
  L2vmOptions ridge;
  ridge.lambda = 1e-3;
  ridge.prototypes = PrototypeRule::grid;
  ridge.count = 4;
  const auto l2 = fit_l2vmc(gaussian(0.5), ridge, data);
  EXPECT_EQ(l2->expansion_form()->centers().size(), 4);
  expect_separated(*l2);
  L1vmOptions sparse;
  sparse.lambda = 1e-3;
  sparse.given = make_dense(std::vector<double>{0, 0, 0, 1, 1, 0, 1, 1}, 4, 2);
  const auto l1 = fit_l1vmc(gaussian(0.5), sparse, data);
  EXPECT_LE(l1->expansion_form()->centers().size(), 4);
  expect_separated(*l1);
  // A linear function of the coordinates cannot.
  const auto linear = fit_klr(parse_kernel("linear()"), {}, data);
  Index wrong = 0;
  for (Index i = 0; i < 80; ++i) {
    wrong += linear->classes()[linear->predict(data.samples, {})(i, 0)] != labels[i];
  }
  EXPECT_GT(wrong, 15);
}

// y ~ N(0, s²(1 + ΦΦᵀ/λ)) with the s² that fits best.
TEST(KernelMachine, EvidenceOfL2vmIsThatOfANormalDistribution) {
  const Line line = noisy_line(12, 0.3, 5);
  L2vmOptions options;
  options.lambda = 0.7;
  options.intercept = false;
  const auto model = fit_l2vmr(parse_kernel("rbf(gamma=0.8)"), options, line.data());
  const Index n = 12;
  oracle::Dense covariance = oracle::Dense::identity(n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      for (Index k = 0; k < n; ++k) {
        const auto phi = [&](Index a) {
          const double distance = line.x[a] - line.x[k];
          return std::exp(-0.8 * distance * distance);
        };
        covariance(i, j) += phi(i) * phi(j) / 0.7;
      }
    }
  }
  const oracle::Dense y(line.y);
  const double variance = y.dot(covariance.solve(y)) / n;
  const double expected =
      -0.5 * n * (1 + std::log(2 * std::numbers::pi * variance)) - 0.5 * covariance.log_determinant();
  EXPECT_NEAR(measure(*model, "log evidence"), expected, 1e-8);
}

// Ten prototypes on a line: bumps that do not meet, a fit, a nearly straight line.
TEST(KernelMachine, BandwidthsUnderfitAndOverfit) {
  const Line train = noisy_line(60, 0.2, 2);
  const Line test = noisy_line(400, 0, 3);
  const auto fit = [&](double sigma) {
    L2vmOptions options;
    options.prototypes = PrototypeRule::grid;
    options.count = 10;
    options.lambda = 1e-6;
    return fit_l2vmr(gaussian(sigma), options, train.data());
  };
  const auto narrow = fit(0.1);
  const auto right = fit(0.5);
  const auto wide = fit(50);
  EXPECT_LT(rmse(*right, test), 0.2);
  EXPECT_GT(rmse(*narrow, test), 2 * rmse(*right, test));
  EXPECT_GT(rmse(*wide, test), 3 * rmse(*right, test));
  EXPECT_GT(rmse(*wide, train), 2 * rmse(*right, train));
  EXPECT_LT(rmse(*narrow, train), rmse(*wide, train));
}

// (FᵀF + (mλ/2)1)α = Fᵀy for the mean of squared errors and λ/2‖α‖²: here half of the sum, and λ' = mλ/2.
TEST(KernelMachine, RidgeOnCoefficientsSolvesItsNormalEquations) {
  const Line line = noisy_line(20, 0.3, 4);
  const double lambda = 0.02;
  L2vmOptions options;
  options.lambda = 20 * lambda / 2;
  options.intercept = false;
  options.given = column({0.5, 1.5, 2.5, 4});
  const auto model = fit_l2vmr(gaussian(0.7), options, line.data());
  const ConstMatrixView<double> alpha = model->expansion_form()->coefficients();
  ASSERT_EQ(alpha.rows(), 4);
  const double centers[4] = {0.5, 1.5, 2.5, 4};
  const auto feature = [&](std::size_t i, Index j) {
    return std::exp(-width(0.7) * std::pow(line.x[i] - centers[j], 2));
  };
  for (Index j = 0; j < 4; ++j) {
    double left = 20 * lambda / 2 * alpha(j, 0);
    double right = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      right += feature(i, j) * line.y[i];
      for (Index k = 0; k < 4; ++k) {
        left += feature(i, j) * feature(i, k) * alpha(k, 0);
      }
    }
    EXPECT_NEAR(left, right, 1e-5);
  }
}

// Features at the data act as the square of the kernel matrix; of a Gaussian of width σ, as one of width √2σ.
TEST(KernelMachine, CoefficientPenaltiesSquareTheSpectrum) {
  std::vector<double> grid;
  for (int i = -80; i <= 80; ++i) {
    grid.push_back(0.05 * i);
  }
  for (const double d : {0.3, 0.8, 1.2}) {
    double at_zero = 0;
    double at_d = 0;
    for (const double z : grid) {
      at_zero += std::exp(-2 * width(0.5) * z * z);
      at_d += std::exp(-width(0.5) * (z * z + (z - d) * (z - d)));
    }
    EXPECT_NEAR(at_d / at_zero, std::exp(-width(std::sqrt(2.0) * 0.5) * d * d), 1e-6);
  }
  // So the fit with features at a dense grid is that of ridge with the wider Gaussian, up to the factor.
  const Line line = noisy_line(25, 0.2, 5);
  std::vector<double> wide_grid;
  double factor = 0;
  for (int i = -100; i <= 200; ++i) {
    wide_grid.push_back(0.05 * i);
    factor += std::exp(-2 * width(0.5) * std::pow(0.05 * (i - 50), 2));
  }
  L2vmOptions options;
  options.lambda = 0.1 * factor;
  options.given = column(wide_grid);
  const auto machine = fit_l2vmr(gaussian(0.5), options, line.data());
  const auto ridge = find_model("ridge").fit(gaussian(std::sqrt(2.0) * 0.5),
                                             std::vector<OptionSetting>{{"lambda", "0.1"}}, line.data(), {});
  const Samples test = column({0.2, 1.1, 2.7, 3.9, 4.8});
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(machine->predict(test, {})(i, 0), ridge->predict(test, {})(i, 0), 1e-4);
  }
}

TEST(KernelMachine, LogisticRegressionIsTheModeOfTheGaussianProcess) {
  for (const Index classes : {2, 3}) {
    const TrainingData data = classes_in_plane(45, classes, 6);
    const Kernel kernel = parse_kernel("1.7*rbf(gamma=0.4)");
    GpcOptions process;
    process.optimize = false;
    const auto gpc = fit_gpc(kernel, process, data);
    KlrOptions options;
    options.lambda = 1;
    options.intercept = false;
    const auto klr = fit_klr(kernel, options, data);
    const Samples test = classes_in_plane(20, classes, 7).samples;
    const Matrix<double> a = gpc->decide(test, {});
    const Matrix<double> b = klr->decide(test, {});
    ASSERT_EQ(a.columns(), b.columns());
    for (Index i = 0; i < 20; ++i) {
      for (Index c = 0; c < a.columns(); ++c) {
        EXPECT_NEAR(a(i, c), b(i, c), 1e-6);
      }
    }
    EXPECT_NEAR(measure(*klr, "log evidence"), gpc->report().objective, 1e-6);
    // λ divides the covariance.
    options.lambda = 1.7;
    const auto scaled = fit_klr(parse_kernel("2.89*rbf(gamma=0.4)"), options, data);
    EXPECT_NEAR(scaled->decide(test, {})(3, 0), b(3, 0), 1e-6);
  }
}

TEST(KernelMachine, LargestEvidenceIsFound) {
  const TrainingData data = classes_in_plane(60, 2, 8);
  const auto chosen = fit_klr(parse_kernel("rbf(gamma=0.5)"), {}, data);
  for (const double factor : {0.2, 0.7, 1.4, 5.0}) {
    KlrOptions options;
    options.lambda = factor * measure(*chosen, "lambda");
    EXPECT_LT(measure(*fit_klr(parse_kernel("rbf(gamma=0.5)"), options, data), "log evidence"),
              measure(*chosen, "log evidence") + 1e-3);
  }
}

// Offsets that are not penalised: fitted probabilities sum to the numbers of rows.
TEST(KernelMachine, ProbabilitiesSumToTheClasses) {
  for (const Index classes : {2, 4}) {
    const TrainingData data = classes_in_plane(40, classes, 9);
    std::vector<std::unique_ptr<KernelMachine>> models;
    models.push_back(fit_klr(parse_kernel("rbf()"), {}, data));
    models.push_back(fit_l2vmc(parse_kernel("rbf()"), {}, data));
    L1vmOptions sparse;
    sparse.lambda = 0.5;
    models.push_back(fit_l1vmc(parse_kernel("rbf()"), sparse, data));
    for (const auto& model : models) {
      const Matrix<double> p = model->probabilities(data.samples, {});
      const Matrix<double> predicted = model->predict(data.samples, {});
      ASSERT_EQ(p.columns(), classes);
      std::vector<double> sums(classes, 0.0);
      for (Index i = 0; i < 40; ++i) {
        double row = 0;
        for (Index c = 0; c < classes; ++c) {
          row += p(i, c);
          sums[c] += p(i, c);
          EXPECT_LE(p(i, c), p(i, static_cast<Index>(predicted(i, 0))) + 1e-12);
        }
        EXPECT_NEAR(row, 1, 1e-12);
      }
      for (const double sum : sums) {
        EXPECT_NEAR(sum, 40.0 / static_cast<double>(classes), 1e-5) << model->name();
      }
    }
  }
}

TEST(KernelMachine, SparseMachinesKeepFewPrototypes) {
  const Line line = noisy_line(120, 0.1, 10);
  const auto model = fit_l1vmr(gaussian(0.5), {}, line.data());
  EXPECT_EQ(static_cast<double>(model->expansion_form()->centers().size()), measure(*model, "prototypes kept"));
  EXPECT_LT(measure(*model, "prototypes kept"), 30);
  EXPECT_LT(rmse(*model, noisy_line(200, 0, 11)), 0.08);
  EXPECT_LT(measure(*model, "duality gap"), 1e-6);
  const double lambda = measure(*model, "lambda");
  EXPECT_LT(lambda, measure(*model, "lambda at which all coefficients are 0"));
  L1vmOptions options;
  options.select = L1vmSelection::one_standard_error;
  EXPECT_GE(measure(*fit_l1vmr(gaussian(0.5), options, line.data()), "lambda"), lambda);
  options.select = L1vmSelection::bayes_criterion;
  EXPECT_LT(rmse(*fit_l1vmr(gaussian(0.5), options, line.data()), noisy_line(200, 0, 11)), 0.12);
  options.select = L1vmSelection::cross_validation;
  options.mix = 0.5;
  const auto net = fit_l1vmr(gaussian(0.5), options, line.data());
  EXPECT_GT(measure(*net, "prototypes kept"), measure(*model, "prototypes kept"));
  const std::vector<L1vmPathPoint> path = l1vmr_path(gaussian(0.5), {}, line.data());
  EXPECT_EQ(path.front().active, 0);
  for (std::size_t l = 1; l < path.size(); ++l) {
    EXPECT_LE(path[l].loss, path[l - 1].loss * (1 + 1e-3));
  }
}

TEST(KernelMachine, SeveralClassesShareTheirPrototypes) {
  const auto model = fit_l1vmc(parse_kernel("rbf(gamma=0.5)"), {}, classes_in_plane(90, 3, 12));
  const ConstMatrixView<double> a = model->expansion_form()->coefficients();
  EXPECT_LT(a.rows(), 45);
  for (Index j = 0; j < a.rows(); ++j) {
    double sum = 0;
    for (Index c = 0; c < 3; ++c) {
      EXPECT_NE(a(j, c), 0);
      sum += a(j, c);
    }
    EXPECT_NEAR(sum, 0, 1e-5);
  }
}

TEST(KernelMachine, RatesOfCounts) {
  RandomStream random(13, 1);
  Line line;
  double total = 0;
  for (Index i = 0; i < 150; ++i) {
    line.x.push_back(4 * random.uniform());
    const double limit = std::exp(-std::exp(1 + std::sin(2 * line.x.back())));
    double count = -1;
    for (double product = 1; product > limit; product *= random.uniform()) {
      ++count;
    }
    line.y.push_back(count);
    total += count;
  }
  L2vmOptions ridge;
  ridge.response = GlmFamily::poisson;
  L1vmOptions sparse;
  sparse.response = GlmFamily::poisson;
  std::vector<std::unique_ptr<KernelMachine>> models;
  models.push_back(fit_l2vmr(gaussian(0.6), ridge, line.data()));
  models.push_back(fit_l1vmr(gaussian(0.6), sparse, line.data()));
  for (const auto& model : models) {
    const Matrix<double> rate = model->predict(column(line.x), {});
    double sum = 0;
    double error = 0;
    for (Index i = 0; i < 150; ++i) {
      sum += rate(i, 0);
      error += std::abs(std::log(rate(i, 0)) - 1 - std::sin(2 * line.x[i])) / 150;
    }
    EXPECT_NEAR(sum, total, 1e-3);
    EXPECT_LT(error, 0.25);
    const auto again = find_model(model->name()).load(state_of(*model), {});
    EXPECT_TRUE(testing::same_bits(again->predict(column(line.x), {}), rate));
  }
  line.y[3] = -1;
  EXPECT_ERROR(fit_l2vmr(gaussian(0.6), ridge, line.data()), DataError, "the target of row 3 (counted from 0) is -1");
}

TEST(KernelMachine, LoadsTheResponseOfItsClasses) {
  for (const Index classes : {2, 3}) {
    const TrainingData data = classes_in_plane(30, classes, 14);
    const auto model = fit_klr(gaussian(1), {.lambda = 1.0}, data);
    const auto again = find_model("klr").load(state_of(*model), {});
    EXPECT_TRUE(testing::same_bits(again->probabilities(data.samples, {}), model->probabilities(data.samples, {})));
    ModelState state = state_of(*model);
    state.head.classes.emplace_back("other");
    EXPECT_ERROR(find_model("klr").load(std::move(state), {}), DataError, "'coefficients' is 30 by");
  }
}

TEST(KernelMachine, WeightsAreRepetitions) {
  const TrainingData once = classes_in_plane(30, 3, 14);
  TrainingData weighted = once;
  std::vector<Index> rows;
  for (Index i = 0; i < 30; ++i) {
    weighted.weights.push_back(static_cast<double>(i % 3));
    rows.insert(rows.end(), static_cast<std::size_t>(i % 3), i);
  }
  const TrainingData repeated{once.samples.select(rows), once.targets.select(rows), {}};
  const Samples test = classes_in_plane(15, 3, 15).samples;
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  const auto expect_same = [&](const FittedModel& a, const FittedModel& b) {
    for (Index i = 0; i < 15; ++i) {
      for (Index c = 0; c < a.probabilities(test, {}).columns(); ++c) {
        EXPECT_NEAR(a.probabilities(test, {})(i, c), b.probabilities(test, {})(i, c), 1e-5) << a.name();
      }
    }
  };
  KlrOptions klr;
  klr.lambda = 0.5;
  expect_same(*fit_klr(kernel, klr, weighted), *fit_klr(kernel, klr, repeated));
  L2vmOptions l2;
  l2.lambda = 0.5;
  l2.given = test;
  expect_same(*fit_l2vmc(kernel, l2, weighted), *fit_l2vmc(kernel, l2, repeated));
  L1vmOptions l1;
  l1.lambda = 0.5;
  l1.given = test;
  expect_same(*fit_l1vmc(kernel, l1, weighted), *fit_l1vmc(kernel, l1, repeated));
}

TEST(KernelMachine, AnyKernelOnAnySamples) {
  const TrainingData data = classes_in_plane(40, 2, 16);
  const Kernel indefinite = parse_kernel("sigmoid(gamma=0.5, coef0=-1)");
  ASSERT_FALSE(indefinite.definiteness().is_positive());
  EXPECT_ERROR(fit_klr(indefinite, {}, data), InvalidArgument,
               "klr: the kernel sigmoid(gamma=0.5, coef0=-1) is indefinite");
  EXPECT_EQ(fit_l2vmc(indefinite, {}, data)->report().status, SolveStatus::converged);
  EXPECT_EQ(fit_l1vmc(indefinite, {}, data)->report().status, SolveStatus::converged);
  std::vector<std::string> words;
  std::vector<std::string> labels;
  for (int i = 0; i < 24; ++i) {
    words.push_back(std::string(1, static_cast<char>('a' + i % 6)));
    labels.push_back(i % 2 == 0 ? "up" : "down");
  }
  const TrainingData text{make_categories(std::span<const std::string>(words)), Targets::classes(labels), {}};
  const Kernel equal = parse_kernel("delta()");
  for (const PrototypeRule rule : {PrototypeRule::kmeans, PrototypeRule::pivoted}) {
    L1vmOptions options;
    options.prototypes = rule;
    options.count = 6;
    const auto model = fit_l1vmc(equal, options, text);
    EXPECT_LE(measure(*model, "prototypes"), 6);
    Index wrong = 0;
    for (Index i = 0; i < 24; ++i) {
      wrong += model->classes()[model->predict(text.samples, {})(i, 0)] != labels[i];
    }
    EXPECT_EQ(wrong, 0) << word_of(rule);
  }
  L2vmOptions grid;
  grid.prototypes = PrototypeRule::grid;
  EXPECT_ERROR(fit_l2vmc(equal, grid, text), InvalidArgument,
               "l2vmc: prototypes = grid is for dense samples of up to 3 columns");
  grid.count = 9;
  EXPECT_EQ(measure(*fit_l2vmc(parse_kernel("rbf()"), grid, data), "prototypes"), 9);
}

// Files give tables.
TEST(KernelMachine, AGridOfATableIsThatOfItsNumbers) {
  const TrainingData data = classes_in_plane(40, 2, 1);
  TrainingData table = data;
  table.samples = make_table(Table(data.samples, {"across", "up"}, {}));
  L2vmOptions grid;
  grid.prototypes = PrototypeRule::grid;
  grid.count = 9;
  const auto plain = fit_l2vmc(parse_kernel("rbf(gamma=1)"), grid, data);
  const auto named = fit_l2vmc(parse_kernel("rbf(gamma=1)"), grid, table);
  EXPECT_EQ(measure(*named, "prototypes"), 9);
  EXPECT_TRUE(testing::same_bits(named->decide(table.samples, {}), plain->decide(data.samples, {})));
}

TEST(KernelMachine, DegenerateData) {
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const TrainingData one{column({2}), numbers({7.5}), {}};
  EXPECT_NEAR(fit_l1vmr(kernel, {}, one)->predict(column({5}), {})(0, 0), 7.5, 1e-9);
  EXPECT_NEAR(fit_l2vmr(kernel, {}, one)->predict(column({5}), {})(0, 0), 7.5, 1e-9);
  const TrainingData constant{column({1, 2, 3, 3}), numbers({4, 4, 4, 4}), {}};
  EXPECT_NEAR(fit_l1vmr(kernel, {}, constant)->predict(column({0}), {})(0, 0), 4, 1e-9);
  EXPECT_NEAR(fit_l2vmr(kernel, {}, constant)->predict(column({0}), {})(0, 0), 4, 1e-9);
  const TrainingData same{column({1, 1, 1, 1}), numbers({1, 2, 3, 6}), {}};
  EXPECT_NEAR(fit_l1vmr(kernel, {}, same)->predict(column({1}), {})(0, 0), 3, 1e-6);
  EXPECT_NEAR(fit_l2vmr(kernel, {}, same)->predict(column({1}), {})(0, 0), 3, 1e-6);
  const TrainingData single{column({1, 2, 3}), Targets::classes(std::vector<std::string>{"a", "a", "a"}), {}};
  EXPECT_ERROR(fit_klr(kernel, {}, single), DataError, "klr: all rows that count belong to one class ('a')");
  EXPECT_ERROR(fit_l1vmc(kernel, {}, single), DataError, "l1vmc: all rows that count belong to one class ('a')");
  EXPECT_ERROR(fit_l2vmc(kernel, {}, single), DataError, "l2vmc: all rows that count belong to one class ('a')");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(fit_l2vmr(kernel, {}, {column({1, 2}), numbers({1, nan}), {}}), DataError,
               "of row 1 (counted from 0) is nan; targets must be finite numbers");
  EXPECT_ERROR(fit_l1vmr(kernel, {}, {column({1, nan, 3}), numbers({1, 2, 3}), {}}), DataError,
               "row 1, column 0 is NaN");
  EXPECT_ERROR(fit_l1vmr(kernel, {}, {column({}), numbers({}), {}}), DataError, "l1vmr: there are no rows to fit");
}

TEST(KernelMachine, ExtremePenalties) {
  TrainingData data = classes_in_plane(40, 2, 17);
  std::vector<Index> rows;
  for (Index i = 0; i < 40; ++i) {
    if (i % 2 == 0 || i % 4 == 1) {
      rows.push_back(i);
    }
  }
  data = {data.samples.select(rows), data.targets.select(rows), {}};
  const Kernel kernel = parse_kernel("rbf(gamma=2)");
  KlrOptions klr;
  L2vmOptions l2;
  L1vmOptions l1;
  klr.lambda = l2.lambda = l1.lambda = 1e9;
  EXPECT_NEAR(fit_klr(kernel, klr, data)->probabilities(data.samples, {})(0, 1), 1.0 / 3, 1e-6);
  EXPECT_NEAR(fit_l2vmc(kernel, l2, data)->probabilities(data.samples, {})(0, 1), 1.0 / 3, 1e-6);
  EXPECT_NEAR(fit_l1vmc(kernel, l1, data)->probabilities(data.samples, {})(0, 1), 1.0 / 3, 1e-6);
  klr.lambda = l2.lambda = l1.lambda = 1e-6;
  EXPECT_LT(measure(*fit_klr(kernel, klr, data), "training loss"), 1e-2);
  EXPECT_LT(measure(*fit_l2vmc(kernel, l2, data), "training loss"), 1e-2);
  EXPECT_LT(measure(*fit_l1vmc(kernel, l1, data), "training loss"), 1e-2);
}

// Units of the targets do not matter where the penalty is chosen.
TEST(KernelMachine, TargetsMayHaveAnyUnits) {
  Line line = noisy_line(50, 0.1, 18);
  const Samples test = column({0.5, 1.5, 2.5});
  const auto l2 = fit_l2vmr(gaussian(0.5), {}, line.data());
  const auto l1 = fit_l1vmr(gaussian(0.5), {}, line.data());
  for (const double unit : {1e-9, 1e9}) {
    Line other = line;
    for (double& y : other.y) {
      y *= unit;
    }
    const auto other_l2 = fit_l2vmr(gaussian(0.5), {}, other.data());
    const auto other_l1 = fit_l1vmr(gaussian(0.5), {}, other.data());
    for (Index i = 0; i < 3; ++i) {
      EXPECT_NEAR(other_l2->predict(test, {})(i, 0) / unit, l2->predict(test, {})(i, 0), 1e-4);
      EXPECT_NEAR(other_l1->predict(test, {})(i, 0) / unit, l1->predict(test, {})(i, 0), 1e-4);
    }
  }
}

TEST(KernelMachine, WrongOptionsAreRefused) {
  const Line line = noisy_line(10, 0.1, 19);
  L1vmOptions l1;
  l1.mix = 0;
  EXPECT_ERROR(fit_l1vmr(gaussian(1), l1, line.data()), InvalidArgument, "l1vmr: mix = 0");
  l1.mix = 1;
  l1.response = GlmFamily::logistic;
  EXPECT_ERROR(fit_l1vmr(gaussian(1), l1, line.data()), InvalidArgument,
               "l1vmr: response = logistic: must be one of gaussian, poisson");
  l1.response = GlmFamily::gaussian;
  l1.given = make_dense(std::vector<double>{1, 2}, 1, 2);
  EXPECT_ERROR(fit_l1vmr(gaussian(1), l1, line.data()), DataError,
               "l1vmr: prototypes of kind dense with 2 columns for samples of kind dense");
  L2vmOptions l2;
  l2.lambda = -1;
  EXPECT_ERROR(fit_l2vmr(gaussian(1), l2, line.data()), InvalidArgument, "l2vmr: lambda = -1");
  l2.lambda = 1;
  l2.memory_mb = 1e-5;
  EXPECT_ERROR(fit_l2vmr(gaussian(1), l2, line.data()), InvalidArgument, "l2vmr: the fit needs");
}

// Ripley's mixture of four Gaussians, whose best possible error is 8 %.
TEST(KernelMachine, SyntheticDataOfRipley) {
  const std::string train = real_data("r-mass/synth.tr.csv");
  const std::string test = real_data("r-mass/synth.te.csv");
  if (train.empty() || test.empty()) {
    GTEST_SKIP() << "no synthetic data of Ripley";
  }
  const DataFile rows = read_data(train, {.targets = {"yc"}});
  const DataFile others = read_data(test, {.targets = {"yc"}});
  const TrainingData data{rows.samples, *rows.targets};
  const auto error_of = [&](const FittedModel& model) {
    const Matrix<double> predicted = model.predict(others.samples, {});
    const ClassLabels truth = others.targets->labels(0, model.classes());
    double wrong = 0;
    for (Index i = 0; i < predicted.rows(); ++i) {
      wrong += predicted(i, 0) == truth.codes[i] ? 0 : 1;
    }
    return wrong / static_cast<double>(predicted.rows());
  };
  const Kernel kernel = parse_kernel("rbf(gamma=scale)");
  const auto sparse = fit_l1vmc(kernel, {}, data);
  EXPECT_LT(error_of(*sparse), 0.11);
  EXPECT_LT(measure(*sparse, "prototypes kept"), 25);
  EXPECT_LT(error_of(*fit_l2vmc(kernel, {}, data)), 0.11);
  EXPECT_LT(error_of(*fit_klr(kernel, {}, data)), 0.11);
}

// The largest penalties of few rows leave all coefficients at 0: that is no reason to stop the path there.
TEST(L1vm, PenaltiesAreChosenByFewOfTheRows) {
  RandomStream random(5, 0);
  std::vector<double> x;
  std::vector<std::string> labels;
  for (Index i = 0; i < 900; ++i) {
    const auto c = static_cast<double>(i % 3);
    x.push_back(2 * std::cos(2 * c) + 0.5 * random.normal());
    x.push_back(2 * std::sin(2 * c) + 0.5 * random.normal());
    labels.push_back("abc"[i % 3] + std::string());
  }
  const TrainingData data{make_dense(std::move(x), 900, 2), Targets::classes(labels)};
  L1vmOptions options;
  options.count = 40;
  options.select_rows = 60;
  const auto model = fit_l1vmc(parse_kernel("rbf(gamma=0.5)"), options, data, {});
  const Matrix<double> predicted = model->predict(data.samples, {});
  Index right = 0;
  for (Index i = 0; i < 900; ++i) {
    right += model->classes()[predicted(i, 0)] == labels[i] ? 1 : 0;
  }
  EXPECT_GT(right, 850);
}

}  // namespace
}  // namespace mercer
