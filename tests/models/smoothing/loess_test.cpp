// loess as a model: against R's loess and lowess on the motorcycle data, its bands, its errors.
#include "mercer/models/smoothing/loess.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/models/model_state.h"
#include "mercer/smoothing/lowess.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::random_matrix;

TrainingData curve(Index n, double noise) {
  Matrix<double> x(n, 1);
  Matrix<double> y = random_matrix(n, 1, 8);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = 6.0 * static_cast<double>(i) / static_cast<double>(n);
    y(i, 0) = std::sin(x(i, 0)) + noise * y(i, 0);
  }
  return {make_dense(std::move(x)), Targets::numeric(y.view())};
}

struct MotorcycleCase {
  LoessDegree degree;
  Index robust;
  double scale;
  double degrees_of_freedom;
  std::vector<double> values;
  std::vector<double> errors;
};

// R 4.2: loess(accel ~ times, span = 0.4, surface = "direct", statistics = "exact"), at the times below.
const std::vector<MotorcycleCase> motorcycle = {
    {LoessDegree::constant,
     0,
     28.7908046924,
     128.219601678,
     {-4.72572827255, -40.1294436356, -93.4116292953, 15.0055949472, 4.74630322297},
     {5.79340095061, 4.40496965468, 5.3012088087, 4.94943559676, 4.88155456135}},
    {LoessDegree::constant,
     3,
     29.7139114896,
     128.219601678,
     {-4.66467383163, -38.8257262772, -90.7828031958, 11.513126716, 4.38965716049},
     {6.05988597546, 4.58587635899, 5.51494351642, 5.20795971535, 5.17036627993}},
    {LoessDegree::linear,
     0,
     25.8238927131,
     126.51928418,
     {-0.506102432089, -26.8072967667, -101.937125292, 16.2021978425, -0.820836519871},
     {7.49843061606, 4.27644622507, 5.2865894734, 4.54903610982, 6.16431410529}},
    {LoessDegree::linear,
     3,
     25.69379063,
     126.51928418,
     {-0.529717270425, -27.3380817169, -101.556501031, 12.7724585477, -0.446956738041},
     {7.46624257904, 4.25198427428, 5.4304054804, 4.65608232343, 6.14943920668}},
    {LoessDegree::quadratic,
     0,
     22.705904116,
     123.133341829,
     {0.00848132127549, -18.0397466265, -112.315189423, 32.7507849523, -3.85051750485},
     {6.55760789238, 4.71709140129, 6.43606687054, 5.63875023109, 5.60056529912}},
    {LoessDegree::quadratic,
     3,
     21.1708409774,
     123.133341829,
     {-0.0136389216707, -17.7348696289, -116.526384084, 40.9908201864, -4.86215752186},
     {6.11919503504, 4.45524396465, 6.15003819357, 5.68039729175, 5.25672886891}},
};

TEST(LoessModel, EqualsROnMotorcycleData) {
  const std::string path = real_data("r-mass/mcycle.csv");
  if (path.empty()) {
    GTEST_SKIP() << "no motorcycle data";
  }
  const DataFile file = read_data(path, {.targets = {"accel"}});
  const TrainingData data{file.samples, *file.targets};
  Matrix<double> times(5, 1);
  const double places[] = {5, 14.5, 20, 33.3, 50};
  std::copy_n(places, 5, times.data());
  const Samples queries = make_dense(std::move(times));
  for (const MotorcycleCase& one : motorcycle) {
    const auto model = fit_loess_model({.span = 0.4, .degree = one.degree, .robust = one.robust}, data);
    EXPECT_NEAR(model->parts().scales.front(), one.scale, 1e-6);
    EXPECT_NEAR(model->parts().traces.degrees_of_freedom(), one.degrees_of_freedom, 1e-6);
    const PredictiveMoments moments = model->moments(queries, PredictionOf::function, {});
    for (Index q = 0; q < 5; ++q) {
      EXPECT_NEAR(moments.mean(q, 0), one.values[q], 1e-6);
      EXPECT_NEAR(std::sqrt(moments.variance(q, 0)), one.errors[q], 1e-6);
    }
  }
  // lowess(times, accel, f = 0.3, delta = 0), robust iterations from 0 on, at points 1, 20, 60, 100, 133.
  const std::vector<std::vector<double>> smoothed = {
      {-0.853040288794, -9.36838707229, -106.887563587, 21.5918820487, -1.98095895468},
      {-0.86384081264, -9.41548411024, -107.589262161, 23.062812164, -1.71951898107},
      {-0.863072498982, -9.43589861483, -107.890202769, 23.553489367, -1.8255569958},
      {-0.863251764402, -9.44435741726, -108.045358897, 23.645880547, -1.84603122871}};
  std::vector<double> x;
  std::vector<double> y;
  const Matrix<double> values = file.targets->values();
  for (Index i = 0; i < values.rows(); ++i) {
    x.push_back(file.samples.kind() == SampleKind::table ? file.samples.table().numeric().as<DenseRows<double>>()(i, 0)
                                                         : file.samples.as<DenseRows<double>>()(i, 0));
    y.push_back(values(i, 0));
  }
  for (Index iterations = 0; iterations <= 3; ++iterations) {
    const LowessFit fit = fit_lowess(x, y, {.span = 0.3, .robust_iterations = iterations}, {});
    const std::size_t points[] = {0, 19, 59, 99, 132};
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(fit.fitted[points[k]], smoothed[iterations][k], 1e-6);
    }
  }
}

TEST(LoessModel, BandsHoldWhatTheyPromise) {
  // 95 % bands of new observations: about 95 % of 2000 are inside.
  const auto model = fit_loess_model({.span = 0.4}, curve(300, 0.3));
  const TrainingData fresh = curve(2000, 0.0);
  const Matrix<double> noise = random_matrix(2000, 1, 99);
  const std::vector<double> levels = {0.025, 0.975};
  const Matrix<double> bands = model->quantiles(fresh.samples, levels, PredictionOf::observation, {});
  const Matrix<double> truth = fresh.targets.values();
  int inside = 0;
  for (Index i = 0; i < 2000; ++i) {
    const double y = truth(i, 0) + 0.3 * noise(i, 0);
    inside += y > bands(i, 0) && y < bands(i, 1) ? 1 : 0;
  }
  EXPECT_NEAR(inside / 2000.0, 0.95, 0.025);
}

TEST(LoessModel, RobustFitsResistOutliers) {
  TrainingData data = curve(200, 0.05);
  Matrix<double> y = data.targets.values();
  for (Index i = 0; i < 200; i += 10) {
    y(i, 0) += 20;
  }
  data.targets = Targets::numeric(y.view());
  const TrainingData truth = curve(200, 0);
  const Matrix<double> expected = truth.targets.values();
  const auto error = [&](Index robust) {
    const Matrix<double> values = fit_loess_model({.span = 0.3, .robust = robust}, data)->predict(data.samples, {});
    double worst = 0;
    for (Index i = 0; i < 200; ++i) {
      worst = std::max(worst, std::abs(values(i, 0) - expected(i, 0)));
    }
    return worst;
  };
  EXPECT_GT(error(0), 1);
  EXPECT_LT(error(4), 0.1);
}

TEST(LoessModel, WeightZeroIsAbsence) {
  TrainingData data = curve(60, 0.2);
  std::vector<Index> kept;
  for (Index i = 0; i < 60; ++i) {
    data.weights.push_back(i % 4 == 0 ? 0 : 1);
    if (i % 4 != 0) {
      kept.push_back(i);
    }
  }
  const TrainingData part{data.samples.select(kept), data.targets.select(kept)};
  const Matrix<double> with = fit_loess_model({}, data)->predict(data.samples, {});
  const Matrix<double> without = fit_loess_model({}, part)->predict(data.samples, {});
  for (Index i = 0; i < 60; ++i) {
    EXPECT_NEAR(with(i, 0), without(i, 0), 1e-12);
  }
}

TEST(LoessModel, ConstantColumnsAreLeftOut) {
  const TrainingData data = curve(40, 0.2);
  const auto alone = fit_loess_model({}, data);
  for (const double constant : {0.0, 0.1, 1e6}) {
    const auto with = [&](double value) {
      Matrix<double> points(40, 2);
      for (Index i = 0; i < 40; ++i) {
        points(i, 0) = 6.0 * static_cast<double>(i) / 40;
        points(i, 1) = value;
      }
      return make_dense(std::move(points));
    };
    const auto model = fit_loess_model({.normalize = false}, {with(constant), data.targets});
    // Beside the rows, too: a third of the level would be the solution of least norm there.
    for (const double value : {constant, constant + 1e-9, constant + 3}) {
      const Matrix<double> found = model->predict(with(value), {});
      const Matrix<double> expected = alone->predict(data.samples, {});
      for (Index i = 0; i < 40; ++i) {
        EXPECT_NEAR(found(i, 0), expected(i, 0), 1e-9) << constant << ' ' << value;
      }
    }
    EXPECT_EQ(model->report().notes.front(), "column 1 (counted from 0) has one value and is left out");
    const auto loaded = loess_entry().load(state_of(*model), {});
    EXPECT_EQ(loaded->predict(with(3), {})(7, 0), model->predict(with(3), {})(7, 0));
  }
}

TEST(LoessModel, StatesThatAreNoneAreRefused) {
  const auto model = fit_loess_model({}, curve(30, 0.2));
  const auto refused = [&](const char* name, double value) {
    ModelState state = state_of(*model);
    state.parts.numbers.at(name)(0, 0) = value;
    EXPECT_ERROR(loess_entry().load(std::move(state), {}), DataError, "' holds -1, which is not a") << name;
  };
  refused("divisors", -1);
  refused("weights", -1);
  refused("robustness", -1);
}

TEST(LoessModel, KeepsItsTrainingPointsInTheirUnits) {
  Matrix<double> x = testing::random_matrix(30, 2, 3);
  for (Index i = 0; i < 30; ++i) {
    x(i, 1) *= 1000;
  }
  const auto model = fit_loess_model({}, {make_dense(Matrix<double>::copy_of(x.view())), curve(30, 0.2).targets});
  const Matrix<double> points = model->training_points();
  for (Index i = 0; i < 30; ++i) {
    EXPECT_NEAR(points(i, 0), x(i, 0), 1e-14);
    EXPECT_NEAR(points(i, 1), x(i, 1), 1e-11);
  }
}

TEST(LoessModel, NearestRowsAreTakenTogether) {
  // 0.75 of four rows reach to 0, where the window is 0: nothing is in reach of 0.3.
  for (const double offset : {0.0, 0.1, 1e5}) {
    Matrix<double> x(4, 1);
    Matrix<double> y(4, 1);
    for (Index i = 0; i < 4; ++i) {
      x(i, 0) = offset + (i == 0 ? 1 : 0);
      y(i, 0) = static_cast<double>(i);
    }
    const TrainingData data{make_dense(std::move(x)), Targets::numeric(y.view()), {1, 1, 1, 2}};
    const auto model = fit_loess_model({}, data);
    EXPECT_NEAR(model->predict(make_dense(Matrix<double>::filled(1, 1, offset + 0.3)), {})(0, 0), 9.0 / 4, 1e-12);
  }
}

TEST(LoessModel, DependentColumnsHaveNoSlopesOfRounding) {
  // The second column is thrice the first; beside that line the rows say nothing, wherever the origin is.
  const TrainingData data = curve(40, 0.2);
  const auto moved = [](double offset, double beside) {
    Matrix<double> points(40, 2);
    for (Index i = 0; i < 40; ++i) {
      const double x = 6.0 * static_cast<double>(i) / 40;
      points(i, 0) = offset + x;
      points(i, 1) = offset + 3 * x + beside;
    }
    return make_dense(std::move(points));
  };
  const auto near = fit_loess_model({}, {moved(0, 0), data.targets});
  const Matrix<double> expected = near->predict(moved(0, 0.3), {});
  for (const double offset : {100.0, 1e4, 1e6}) {
    const auto far = fit_loess_model({}, {moved(offset, 0), data.targets});
    const Matrix<double> found = far->predict(moved(offset, 0.3), {});
    for (Index i = 0; i < 40; ++i) {
      EXPECT_NEAR(found(i, 0), expected(i, 0), 1e-8 * offset) << offset << ' ' << i;
      EXPECT_LT(std::abs(found(i, 0)), 5);
    }
  }
}

TEST(LoessModel, DegenerateData) {
  // Constant targets: the constant, without spread.
  TrainingData data = curve(30, 0);
  data.targets = Targets::numeric(Matrix<double>::filled(30, 1, 4.0).view());
  const auto model = fit_loess_model({}, data);
  EXPECT_NEAR(model->predict(data.samples, {})(3, 0), 4, 1e-10);
  EXPECT_NEAR(model->parts().scales.front(), 0, 1e-10);
  // Too few rows for a parabola.
  EXPECT_ERROR(fit_loess_model({.span = 1}, curve(2, 0)), DataError,
               "loess: a neighbourhood of 1.000000 of 2 rows has fewer points than a");
  EXPECT_NO_THROW(fit_loess_model({.span = 1, .degree = LoessDegree::constant}, curve(1, 0)));
  EXPECT_ERROR(fit_loess_model({.span = 0}, data), InvalidArgument, "loess: span = 0");
  EXPECT_ERROR(fit_loess_model({.shape = SmoothingShape::cube}, data), InvalidArgument,
               "loess: shape = cube: must be one of gaussian");
  // All rows at one place.
  TrainingData same{make_dense(Matrix<double>::filled(10, 2, 1.0)), curve(10, 0.5).targets};
  const Matrix<double> values = fit_loess_model({.span = 1}, same)->predict(same.samples, {});
  const Matrix<double> y = same.targets.values();
  double mean = 0;
  for (Index i = 0; i < 10; ++i) {
    mean += y(i, 0) / 10;
  }
  EXPECT_NEAR(values(0, 0), mean, 1e-12);
}

}  // namespace
}  // namespace mercer
