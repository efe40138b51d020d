// Linear models on explicit features: each is the primal problem on the features that its map gives.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stop_token>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/data/files/data_file.h"
#include "mercer/features/nystroem_map.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/mapped/map_logistic.h"
#include "mercer/models/mapped/map_model.h"
#include "mercer/models/mapped/map_ridge.h"
#include "mercer/models/mapped/map_svc.h"
#include "mercer/models/model_state.h"
#include "mercer/models/ridge/ridge.h"
#include "models/random_problem.h"
#include "models/report_measure.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Dense;
using testing::measure;
using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;

Kernel default_kernel() { return parse_kernel("rbf(gamma=0.4)"); }

// A smooth function with noise.
TrainingData noisy_sine(Index rows, Index outputs, std::uint64_t seed) {
  Matrix<double> x(rows, 2);
  RandomStream random(seed, 80);
  for (Index i = 0; i < 2 * rows; ++i) {
    x.data()[i] = 4 * random.uniform() - 2;
  }
  const Matrix<double> noise = random_matrix(rows, outputs, seed + 1);
  Matrix<double> y(rows, outputs);
  for (Index i = 0; i < rows; ++i) {
    for (Index o = 0; o < outputs; ++o) {
      y(i, o) = 5 + std::sin(2 * x(i, 0) + static_cast<double>(o)) * std::cos(x(i, 1)) + 0.1 * noise(i, o);
    }
  }
  return {make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y.view())};
}

Matrix<double> features_of(const MappedModel& model, const Samples& samples) {
  Matrix<double> z(samples.size(), model.parts().map->columns());
  model.parts().map->transform(samples, z.view(), {});
  return z;
}

bool has_note(const FittedModel& model, const std::string& part) {
  for (const std::string& note : model.report().notes) {
    if (note.find(part) != std::string::npos) {
      return true;
    }
  }
  return false;
}

TrainingData repeated(const TrainingData& data, const std::vector<Index>& times) {
  std::vector<Index> rows;
  for (std::size_t i = 0; i < times.size(); ++i) {
    rows.insert(rows.end(), static_cast<std::size_t>(times[i]), static_cast<Index>(i));
  }
  return {data.samples.select(rows), data.targets.select(rows)};
}

void expect_near(const Matrix<double>& a, const Matrix<double>& b, double bound) {
  ASSERT_EQ(a.rows(), b.rows());
  ASSERT_EQ(a.columns(), b.columns());
  for (Index i = 0; i < a.rows() * a.columns(); ++i) {
    ASSERT_NEAR(a.data()[i], b.data()[i], bound);
  }
}

std::unique_ptr<FittedModel> plain_ridge(const Kernel& kernel, double lambda, const TrainingData& data) {
  return ridge_entry().fit(kernel, std::vector<OptionSetting>{{"lambda", shortest(lambda)}}, data, {});
}

// ---- mapridge -------------------------------------------------------------------------------------------------
// ridge with the linear kernel on the features solves the same problem another way.
TEST(MapRidge, IsRidgeInThePrimalOnItsFeatures) {
  const TrainingData data = noisy_sine(150, 2, 1);
  const Samples test = random_samples(20, 2, 3);
  for (const MapKind map : {MapKind::fourier, MapKind::nystroem, MapKind::sinks}) {
    MapRidgeOptions options;
    options.map = map;
    options.size = 30;
    options.lambda = 0.3;
    const auto model = fit_mapridge(default_kernel(), options, data);
    const auto ridge =
        plain_ridge(parse_kernel("linear()"), 0.3, {make_dense(features_of(*model, data.samples)), data.targets});
    expect_near(model->predict(test, {}), ridge->predict(make_dense(features_of(*model, test)), {}), 1e-8);
    EXPECT_EQ(measure(*model, "lambda"), 0.3);
  }
}

// All rows as landmarks: kernel ridge regression itself, at the same lambda.
TEST(MapRidge, IsKernelRidgeAtFullRank) {
  const TrainingData data = noisy_sine(60, 1, 4);
  MapRidgeOptions options;
  options.map = MapKind::nystroem;
  options.size = 60;
  options.tolerance = 1e-14;
  options.lambda = 0.1;
  const Samples test = random_samples(20, 2, 5);
  const Matrix<double> expected = plain_ridge(default_kernel(), 0.1, data)->predict(test, {});
  expect_near(fit_mapridge(default_kernel(), options, data)->predict(test, {}), expected, 1e-6);
}

TEST(MapRidge, BothRulesFindAPenaltyThatPredicts) {
  const TrainingData data = noisy_sine(400, 1, 6);
  const TrainingData test = noisy_sine(300, 1, 60);
  const Matrix<double> truth = test.targets.values();
  for (const PenaltyChoice select : {PenaltyChoice::generalized_cross_validation, PenaltyChoice::leave_one_out}) {
    MapRidgeOptions options;
    options.size = 120;
    options.select = select;
    const auto model = fit_mapridge(default_kernel(), options, data);
    const Matrix<double> predicted = model->predict(test.samples, {});
    double squares = 0;
    for (Index i = 0; i < truth.rows(); ++i) {
      squares += std::pow(predicted(i, 0) - truth(i, 0), 2) / static_cast<double>(truth.rows());
    }
    const double error = std::sqrt(squares);
    EXPECT_LT(error, 0.14) << word_of(select);
    const double estimate =
        measure(*model, select == PenaltyChoice::generalized_cross_validation ? "generalised cross-validation RMSE"
                                                                              : "leave-one-out RMSE");
    EXPECT_NEAR(estimate, error, 0.3 * error) << word_of(select);
  }
}

// Leave-one-out by refits without each row.
TEST(MapRidge, LeaveOneOutIsThatOfRefits) {
  const TrainingData data = noisy_sine(25, 1, 7);
  MapRidgeOptions options;
  options.map = MapKind::fourier;
  options.size = 10;
  options.select = PenaltyChoice::leave_one_out;
  const auto model = fit_mapridge(default_kernel(), options, data);
  const Matrix<double> z = features_of(*model, data.samples);
  const Matrix<double> y = data.targets.values();
  const double lambda = measure(*model, "lambda");
  double squares = 0;
  for (Index out = 0; out < 25; ++out) {
    std::vector<Index> rows;
    for (Index i = 0; i < 25; ++i) {
      if (i != out) {
        rows.push_back(i);
      }
    }
    const Samples all = make_dense(Matrix<double>::copy_of(z.view()));
    const auto refit = plain_ridge(parse_kernel("linear()"), lambda, {all.select(rows), data.targets.select(rows)});
    squares += std::pow(refit->predict(all.slice({out, out + 1}), {})(0, 0) - y(out, 0), 2) / 25;
  }
  EXPECT_NEAR(measure(*model, "leave-one-out RMSE"), std::sqrt(squares), 1e-6);
}

// n RSS/(n − df)² from the hat matrix, and not above its neighbours.
TEST(MapRidge, GeneralizedCrossValidationIsThatOfTheHatMatrix) {
  const TrainingData data = noisy_sine(30, 1, 12);
  MapRidgeOptions options;
  options.map = MapKind::fourier;
  options.size = 8;
  const auto model = fit_mapridge(default_kernel(), options, data);
  const Matrix<double> z = features_of(*model, data.samples);
  const Matrix<double> y = data.targets.values();
  const auto criterion = [&](double lambda) {
    // The fits of unit targets are the columns of the hat matrix.
    double trace = 0;
    double residuals = 0;
    const Samples rows = make_dense(Matrix<double>::copy_of(z.view()));
    for (Index i = 0; i < 30; ++i) {
      std::vector<double> unit(30, 0.0);
      unit[i] = 1;
      trace += plain_ridge(parse_kernel("linear()"), lambda, {rows, Targets::numeric(unit)})->predict(rows, {})(i, 0);
    }
    const Matrix<double> fitted =
        plain_ridge(parse_kernel("linear()"), lambda, {rows, data.targets})->predict(rows, {});
    for (Index i = 0; i < 30; ++i) {
      residuals += std::pow(y(i, 0) - fitted(i, 0), 2);
    }
    return std::sqrt(30 * residuals) / (30 - trace);
  };
  const double lambda = measure(*model, "lambda");
  const double score = measure(*model, "generalised cross-validation RMSE");
  EXPECT_NEAR(score, criterion(lambda), 1e-7 * score);
  EXPECT_LE(score, criterion(1.2 * lambda) * (1 + 1e-9));
  EXPECT_LE(score, criterion(lambda / 1.2) * (1 + 1e-9));
}

TEST(MapRidge, BlocksOfRowsAreSummedToTheSame) {
  // More rows than the 8192 of one block.
  const TrainingData data = noisy_sine(9000, 1, 8);
  MapRidgeOptions options;
  options.size = 24;
  options.lambda = 1;
  const auto model = fit_mapridge(default_kernel(), options, data);
  // The gradient of the penalised squares is 0.
  const Matrix<double> z = features_of(*model, data.samples);
  const Matrix<double> fitted = model->predict(data.samples, {});
  const Matrix<double> y = data.targets.values();
  double sum = 0;
  for (Index i = 0; i < 9000; ++i) {
    sum += y(i, 0) - fitted(i, 0);
  }
  EXPECT_NEAR(sum, 0, 1e-7);
  for (Index c = 0; c < z.columns(); ++c) {
    double slope = -model->parts().weights(c, 0);
    for (Index i = 0; i < 9000; ++i) {
      slope += z(i, c) * (y(i, 0) - fitted(i, 0));
    }
    EXPECT_NEAR(slope, 0, 1e-7);
  }
}

TEST(MapRidge, WeightsAreRepetitions) {
  const TrainingData data = noisy_sine(40, 1, 9);
  std::vector<Index> times;
  TrainingData weighted = data;
  for (Index i = 0; i < 40; ++i) {
    times.push_back(i % 4);
    weighted.weights.push_back(static_cast<double>(i % 4));
  }
  MapRidgeOptions options;
  options.map = MapKind::fourier;
  options.size = 16;
  options.lambda = 0.1;
  const Samples test = random_samples(10, 2, 10);
  const Matrix<double> expected = fit_mapridge(default_kernel(), options, repeated(data, times))->predict(test, {});
  expect_near(fit_mapridge(default_kernel(), options, weighted)->predict(test, {}), expected, 1e-7);
}

// n counts rows: with all weights multiplied by c the penalty is c times as large, and the errors are the same.
TEST(MapRidge, ACommonFactorOfTheWeightsChangesNoChoice) {
  const TrainingData data = noisy_sine(60, 1, 9);
  for (const PenaltyChoice select : {PenaltyChoice::generalized_cross_validation, PenaltyChoice::leave_one_out}) {
    MapRidgeOptions options;
    options.map = MapKind::fourier;
    options.size = 16;
    options.select = select;
    const auto plain = fit_mapridge(default_kernel(), options, data);
    const char* score = select == PenaltyChoice::generalized_cross_validation ? "generalised cross-validation RMSE"
                                                                              : "leave-one-out RMSE";
    for (const double factor : {0.01, 100.0}) {
      TrainingData weighted = data;
      weighted.weights.assign(60, factor);
      const auto model = fit_mapridge(default_kernel(), options, weighted);
      EXPECT_NEAR(measure(*model, "lambda"), factor * measure(*plain, "lambda"),
                  1e-5 * factor * measure(*plain, "lambda"))
          << word_of(select);
      EXPECT_NEAR(measure(*model, score), measure(*plain, score), 1e-9 * measure(*plain, score)) << word_of(select);
    }
  }
}

TEST(MapRidge, DegenerateDataIsFineAndBrokenDataIsNot) {
  const TrainingData one{make_dense(std::vector<double>{1, 2}, 1, 2), Targets::numeric({3.5})};
  EXPECT_NEAR(fit_mapridge(default_kernel(), {}, one)->predict(one.samples, {})(0, 0), 3.5, 1e-9);
  const TrainingData same{make_dense(std::vector<double>(20, 1.0), 10, 2),
                          Targets::numeric(std::vector<double>(10, 2))};
  EXPECT_NEAR(fit_mapridge(default_kernel(), {}, same)->predict(same.samples, {})(3, 0), 2, 1e-9);
  EXPECT_ERROR(fit_mapridge(default_kernel(), {}, {one.samples.slice({0, 0}), Targets::numeric(std::vector<double>{})}),
               DataError, "mapridge: there are no rows to fit");
  EXPECT_ERROR(fit_mapridge(default_kernel(), {}, {one.samples, Targets::numeric({std::nan("")})}), DataError,
               "the target of row 0 (counted from 0) is nan");
  const Samples broken = make_dense(std::vector<double>{1, 2, std::nan(""), 4}, 2, 2);
  EXPECT_ERROR(fit_mapridge(default_kernel(), {}, {broken, Targets::numeric({1, 2})}), DataError,
               "row 1, column 0 (counted from 0): the value is nan");
  EXPECT_ERROR(fit_mapridge(default_kernel(), {}, one)->predict(broken, {}), DataError,
               "row 1, column 0 (counted from 0): the value is nan");
  MapRidgeOptions negative;
  negative.lambda = -1;
  EXPECT_ERROR(fit_mapridge(default_kernel(), negative, one), InvalidArgument, "mapridge: lambda = -1");
  MapRidgeOptions large;
  large.size = 3000;
  large.memory_mb = 10;
  EXPECT_ERROR(fit_mapridge(default_kernel(), large, one), InvalidArgument,
               "mapridge: normal equations of 3000 features take 274 MB");
}

TEST(MapRidge, TheMapFollowsTheKernel) {
  TrainingData data = noisy_sine(30, 1, 11);
  const auto map_of = [&](const char* kernel) {
    return std::string(fit_mapridge(parse_kernel(kernel), {}, data)->parts().map->name());
  };
  EXPECT_EQ(map_of("matern(nu=1.5, lengthscale=1)"), "fourier");
  EXPECT_EQ(map_of("poly(degree=2)"), "sketch");
  EXPECT_EQ(map_of("additive_chi2()"), "chi2");
  EXPECT_EQ(map_of("rbf(gamma=1) * linear()"), "nystroem");
}

// ---- maplogit -------------------------------------------------------------------------------------------------
// Two rings (M71): 200 points, 30 cosine features, no error.
TEST(MapLogistic, ThirtyCosinesSeparateTwoRings) {
  RandomStream random(12);
  Matrix<double> x(200, 2);
  std::vector<std::string> labels;
  for (Index i = 0; i < 200; ++i) {
    const double radius = i % 2 == 0 ? std::sqrt(random.uniform()) : 2 + 0.5 * random.uniform();
    const double angle = 2 * std::numbers::pi * random.uniform();
    x(i, 0) = radius * std::cos(angle);
    x(i, 1) = radius * std::sin(angle);
    labels.emplace_back(i % 2 == 0 ? "disc" : "ring");
  }
  const TrainingData data{make_dense(std::move(x)), Targets::classes(labels)};
  MapLogisticOptions options;
  options.map = MapKind::sinks;
  options.size = 30;
  options.lambda = 0.01;
  const auto model = fit_maplogit(parse_kernel("rbf(gamma=scale)"), options, data);
  const Matrix<double> predicted = model->predict(data.samples, {});
  for (Index i = 0; i < 200; ++i) {
    EXPECT_EQ(model->classes()[predicted(i, 0)], labels[i]);
  }
}

TrainingData three_classes(Index rows, std::uint64_t seed, Index classes) {
  const Matrix<double> x = random_matrix(rows, 2, seed);
  const Matrix<double> noise = random_matrix(rows, 1, seed + 1);
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) {
    const double value = x(i, 0) * x(i, 1) + 0.3 * noise(i, 0);
    labels.emplace_back(value > 0.4 ? "high" : value > -0.2 || classes == 2 ? "middle" : "low");
  }
  return {make_dense(Matrix<double>::copy_of(x.view())), Targets::classes(labels)};
}

// The gradient of the penalised log-loss by every weight, from the model's own probabilities, is 0.
TEST(MapLogistic, IsAtTheOptimumOfItsObjective) {
  for (const Index classes : {2, 3}) {
    const TrainingData data = three_classes(160, 13, classes);
    MapLogisticOptions options;
    options.size = 20;
    options.lambda = 0.5;
    options.accuracy = 1e-14;
    const auto model = fit_maplogit(default_kernel(), options, data);
    const Matrix<double> z = features_of(*model, data.samples);
    const Matrix<double> p = model->probabilities(data.samples, {});
    const ClassLabels truth = data.targets.labels(0, model->classes());
    const Index functions = classes == 2 ? 1 : 3;
    for (Index f = 0; f < functions; ++f) {
      const Index own = classes == 2 ? 1 : f;
      for (Index c = 0; c <= z.columns(); ++c) {
        double slope = c < z.columns() ? 0.5 * model->parts().weights(c, f) : 0.0;
        for (Index i = 0; i < 160; ++i) {
          const double residual = p(i, own) - (truth.codes[i] == own ? 1.0 : 0.0);
          slope += residual * (c < z.columns() ? z(i, c) : 1.0);
        }
        EXPECT_NEAR(slope, 0, 2e-4) << classes << " " << f << " " << c;
      }
    }
    EXPECT_LT(measure(*model, "expected decrease"), 1e-8);
  }
}

TEST(MapLogistic, ComputingFeaturesAnewGivesTheSameBits) {
  const TrainingData data = three_classes(8300, 14, 3);  // two blocks
  MapLogisticOptions kept;
  kept.size = 40;
  MapLogisticOptions anew = kept;
  anew.memory_mb = 0.001;
  const auto a = fit_maplogit(default_kernel(), kept, data);
  const auto b = fit_maplogit(default_kernel(), anew, data);
  EXPECT_TRUE(same_bits(a->parts().weights, b->parts().weights));
  EXPECT_FALSE(has_note(*a, "anew"));
  EXPECT_TRUE(has_note(*b, "anew"));
}

TEST(MapLogistic, WeightsAreRepetitions) {
  const TrainingData data = three_classes(60, 15, 3);
  TrainingData weighted = data;
  std::vector<Index> times;
  for (Index i = 0; i < 60; ++i) {
    times.push_back(1 + i % 3);
    weighted.weights.push_back(static_cast<double>(1 + i % 3));
  }
  MapLogisticOptions options;
  options.map = MapKind::fourier;
  options.size = 12;
  options.accuracy = 1e-14;
  const Samples test = random_samples(10, 2, 16);
  const Matrix<double> expected =
      fit_maplogit(default_kernel(), options, repeated(data, times))->probabilities(test, {});
  expect_near(fit_maplogit(default_kernel(), options, weighted)->probabilities(test, {}), expected, 1e-5);
}

TEST(MapLogistic, RefusesOneClass) {
  const std::vector<std::string> labels(10, "only");
  EXPECT_ERROR(fit_maplogit(default_kernel(), {}, {random_samples(10, 2, 17), Targets::classes(labels)}), DataError,
               "maplogit: all rows that count belong to one class ('only')");
}

double error_rate(const FittedModel& model, const Samples& samples, const Targets& targets) {
  const Matrix<double> predicted = model.predict(samples, {});
  const ClassLabels truth = targets.labels(0, model.classes());
  double wrong = 0;
  for (Index i = 0; i < predicted.rows(); ++i) {
    wrong += predicted(i, 0) == truth.codes[i] ? 0 : 1;
  }
  return wrong / static_cast<double>(predicted.rows());
}

// ---- mapsvc ---------------------------------------------------------------------------------------------------
// The stored and the streamed way to the same optimum.
TEST(MapSvc, StreamingReachesWhatTheLinearSolverDoes) {
  for (const Index classes : {2, 3}) {
    const TrainingData data = three_classes(250, 18, classes);
    MapSvcOptions stored;
    stored.size = 24;
    stored.gap = 1e-9;
    stored.max_passes = 100000;
    MapSvcOptions streamed = stored;
    streamed.memory_mb = 0.001;
    const auto a = fit_mapsvc(default_kernel(), stored, data);
    const auto b = fit_mapsvc(default_kernel(), streamed, data);
    EXPECT_TRUE(has_note(*b, "anew"));
    EXPECT_NEAR(a->report().objective, b->report().objective, 1e-6 * a->report().objective);
    const Samples test = random_samples(30, 2, 19);
    expect_near(a->decide(test, {}), b->decide(test, {}), 2e-3);
  }
}

TEST(MapSvc, TheHingeNeedsRoom) {
  const TrainingData data = three_classes(100, 20, 2);
  MapSvcOptions options;
  options.loss = LinearLoss::hinge;
  options.size = 20;
  const auto model = fit_mapsvc(default_kernel(), options, data);
  EXPECT_LT(measure(*model, "relative gap"), 1e-3);
  options.memory_mb = 0.001;
  EXPECT_ERROR(fit_mapsvc(default_kernel(), options, data), InvalidArgument,
               "mapsvc: 100 x 20 features do not fit into memory_mb");
}

// ---- Real data ------------------------------------------------------------------------------------------------
// Rätsch's banana, 1200 rows to learn from and 4100 to test on: kernel machines err on 10.5 to 11.5 %.
TEST(MappedRealData, BananaIsAsGoodAsKernelMachines) {
  const std::string path = real_data("raetsch/banana/data.csv.gz");
  if (path.empty()) {
    GTEST_SKIP() << "raetsch/banana is not there";
  }
  const DataFile file = read_data(path, {.targets = {"0"}, .header = Header::absent}, {});
  // The file is sorted.
  RandomStream random(1);
  const std::vector<Index> order = random_permutation(random, file.samples.size());
  const std::span<const Index> first(order.data(), 1200);
  const std::span<const Index> rest(order.data() + 1200, order.size() - 1200);
  const TrainingData train{file.samples.select(first), file.targets->select(first)};
  const Samples test = file.samples.select(rest);
  const Targets truth = file.targets->select(rest);
  MapLogisticOptions logistic;
  logistic.lambda = 0.1;
  MapSvcOptions svc;
  svc.C = 3;
  MapLogisticOptions landmarks = logistic;
  landmarks.map = MapKind::nystroem;
  landmarks.size = 60;
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  EXPECT_LT(error_rate(*fit_maplogit(kernel, logistic, train), test, truth), 0.115);
  EXPECT_LT(error_rate(*fit_maplogit(kernel, landmarks, train), test, truth), 0.115);
  EXPECT_LT(error_rate(*fit_mapsvc(kernel, svc, train), test, truth), 0.115);
}

// ---- Tables, stops --------------------------------------------------------------------------------------------
TEST(MappedModel, SubscriptsAndOtherColumnsOfTablesWork) {
  const Matrix<double> x = random_matrix(90, 2, 28);
  std::vector<std::string> groups;
  std::vector<double> y;
  for (Index i = 0; i < 90; ++i) {
    groups.emplace_back(i % 3 == 0 ? "a" : "b");
    y.push_back(std::sin(x(i, 1)) + (i % 3 == 0 ? 1.0 : 0.0));
  }
  const Samples table = make_table(
      Table(make_dense(Matrix<double>::copy_of(x.view())), {"age", "dose"}, {{"group", make_categories(groups)}}));
  const TrainingData data{table, Targets::numeric(y)};
  const auto one = fit_mapridge(parse_kernel("rbf(gamma=0.5)[dose]"), {}, data);
  EXPECT_EQ(one->parts().map->name(), "fourier");
  EXPECT_LT(measure(*one, "kernel error (rms)"), 0.2);
  // Only the column that the kernel names counts.
  Matrix<double> moved = Matrix<double>::copy_of(x.view());
  for (Index i = 0; i < 90; ++i) {
    moved(i, 0) += 3;
  }
  const Samples other =
      make_table(Table(make_dense(std::move(moved)), {"age", "dose"}, {{"group", make_categories(groups)}}));
  expect_near(one->predict(other, {}), one->predict(table, {}), 1e-9);
  const auto both = fit_mapridge(parse_kernel("rbf(gamma=0.5)[dose] * hamming(gamma=2)[group]"), {}, data);
  EXPECT_EQ(both->parts().map->name(), "nystroem");
  const Matrix<double> fitted = both->predict(table, {});
  for (Index i = 0; i < 90; ++i) {
    EXPECT_NEAR(fitted(i, 0), y[i], 0.05);
  }
}

TEST(MappedModel, StopsWhenAsked) {
  std::stop_source source;
  source.request_stop();
  const mercer::Run stopped{{.stop = source.get_token()}};
  const TrainingData numbers = noisy_sine(300, 1, 29);
  const TrainingData classes = three_classes(300, 30, 3);
  EXPECT_ERROR(fit_mapridge(default_kernel(), {}, numbers, stopped), Stopped, "stopped on request");
  EXPECT_ERROR(fit_maplogit(default_kernel(), {}, classes, stopped), Stopped, "stopped on request");
  EXPECT_ERROR(fit_mapsvc(default_kernel(), {}, classes, stopped), Stopped, "stopped on request");
}

// ---- On Nyström features --------------------------------------------------------------------------------------
TEST(MappedModel, IsAnExpansionOnNystroemFeaturesAndOnlyThere) {
  const TrainingData data = three_classes(80, 26, 3);
  MapLogisticOptions options;
  options.map = MapKind::nystroem;
  options.size = 15;
  const auto model = fit_maplogit(default_kernel(), options, data);
  ASSERT_NE(model->expansion_form(), nullptr);
  // The expansion is the linear function of the features.
  const Samples test = random_samples(20, 2, 27);
  const Matrix<double> z = features_of(*model, test);
  const Matrix<double> values = model->decide(test, {});
  for (Index i = 0; i < 20; ++i) {
    for (Index f = 0; f < 3; ++f) {
      double sum = model->parts().offsets(0, f);
      for (Index c = 0; c < z.columns(); ++c) {
        sum += z(i, c) * model->parts().weights(c, f);
      }
      EXPECT_NEAR(values(i, f), sum, 1e-8);
    }
  }
  const auto replaced = model->with_expansion(*model->expansion_form(), {});
  expect_near(replaced->probabilities(test, {}), model->probabilities(test, {}), 1e-12);
  const auto again = maplogit_entry().load(state_of(*replaced), {});
  EXPECT_TRUE(same_bits(again->decide(test, {}), replaced->decide(test, {})));
  options.map = MapKind::fourier;
  EXPECT_EQ(fit_maplogit(default_kernel(), options, data)->expansion_form(), nullptr);
}

// ---- Maps as models -------------------------------------------------------------------------------------------
TEST(MapModels, ReportTheirKernelError) {
  const Samples x = random_samples(150, 3, 21);
  MapOptions few;
  few.size = 50;
  MapOptions many;
  many.size = 800;
  const auto small = fit_map(MapKind::fourier, default_kernel(), few, {x, {}});
  const auto large = fit_map(MapKind::fourier, default_kernel(), many, {x, {}});
  EXPECT_LT(measure(*large, "kernel error (rms)"), 0.5 * measure(*small, "kernel error (rms)"));
  EXPECT_LT(measure(*large, "kernel error (rms)"), measure(*large, "kernel error (largest)"));
  EXPECT_EQ(measure(*small, "features"), 50);
}

TEST(MapModels, NystroemHasItsRankAndIsExactOnFullRank) {
  const Samples x = random_samples(40, 3, 22);
  MapOptions options;
  options.size = 40;
  options.tolerance = 1e-13;
  const auto model = fit_nystroem(default_kernel(), options, {x, {}});
  EXPECT_EQ(measure(*model, "landmarks"), 40);
  EXPECT_LT(measure(*model, "kernel error (largest)"), 1e-8);
  EXPECT_EQ(model->parts().center_rows.size(), 40U);
  options.landmarks = LandmarkRule::kmeans;
  options.size = 10;
  EXPECT_TRUE(fit_nystroem(default_kernel(), options, {x, {}})->parts().center_rows.empty());
}

TEST(MapModels, ZeroWeightsLeaveRowsOut) {
  const Samples x = random_samples(30, 3, 23);
  TrainingData data{x, {}};
  data.weights.assign(30, 1.0);
  std::vector<Index> rest;
  for (Index i = 0; i < 30; ++i) {
    if (i < 10) {
      data.weights[i] = 0;
    } else {
      rest.push_back(i);
    }
  }
  const Kernel scaled = parse_kernel("rbf(gamma=scale)");
  const Samples test = random_samples(5, 3, 24);
  EXPECT_TRUE(same_bits(fit_map(MapKind::fourier, scaled, {}, data)->predict(test, {}),
                        fit_map(MapKind::fourier, scaled, {}, {x.select(rest), {}})->predict(test, {})));
}

TEST(MapModels, KernelsThatDoNotFitAreRefused) {
  const TrainingData data{random_samples(10, 2, 25), {}};
  EXPECT_ERROR(fit_map(MapKind::fourier, parse_kernel("linear()"), {}, data), InvalidArgument,
               "fourier: the kernel linear() has no spectral density to draw frequencies");
  EXPECT_ERROR(fit_map(MapKind::sketch, default_kernel(), {}, data), InvalidArgument,
               "sketch: the kernel rbf(gamma=0.4) is not poly(degree, gamma, coef0) on all");
  EXPECT_ERROR(fit_map(MapKind::chi2, default_kernel(), {}, data), InvalidArgument,
               "chi2map: the kernel rbf(gamma=0.4) is neither additive_chi2() nor");
  EXPECT_ERROR(fit_map(MapKind::nystroem, default_kernel(), {}, data), InvalidArgument, "fit_map makes fourier");
}

TEST(MappedModels, RefuseOptionsThatTheirTablesDoNotAllow) {
  const TrainingData numbers = noisy_sine(10, 1, 31);
  const TrainingData classes = three_classes(10, 32, 2);
  MapRidgeOptions ridge;
  ridge.select = PenaltyChoice::none;
  EXPECT_ERROR(fit_mapridge(default_kernel(), ridge, numbers), InvalidArgument,
               "mapridge: select = none: must be one of gcv, loo");
  MapSvcOptions svc;
  svc.loss = LinearLoss::epsilon_insensitive;
  EXPECT_ERROR(fit_mapsvc(default_kernel(), svc, classes), InvalidArgument,
               "mapsvc: loss = epsilon_insensitive: must be one of squared_hinge, hinge");
  MapSvcOptions wide;
  wide.gap = 1;
  EXPECT_ERROR(fit_mapsvc(default_kernel(), wide, classes), InvalidArgument,
               "mapsvc: gap = 1: must be a number above 0");
  MapLogisticOptions logistic;
  logistic.accuracy = 1;
  EXPECT_ERROR(fit_maplogit(default_kernel(), logistic, classes), InvalidArgument,
               "maplogit: accuracy = 1: must be a number above 0");
  MapOptions map;
  map.tolerance = 1;
  EXPECT_ERROR(fit_nystroem(default_kernel(), map, numbers), InvalidArgument,
               "tolerance = 1: must be a number that is 0 or more");
  const std::vector<OptionSetting> misspelled = {{"landmarks", "pivot"}};
  MapRidgeOptions read;
  EXPECT_ERROR(apply_settings<MapRidgeOptions>("mapridge", mapridge_option_table(), misspelled, read), InvalidArgument,
               "mapridge: landmarks = pivot: must be one of pivots, greedy, leverage, kmeans, uniform");
}

}  // namespace
}  // namespace mercer
