// Ridge folds from one eigendecomposition against single fits.
#include "mercer/select/folds/ridge_folds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "mercer/base/random.h"
#include "mercer/base/text.h"
#include "mercer/kernels/spec.h"

namespace mercer {
namespace {

TrainingData waves(Index n, bool weighted) {
  RandomStream random(4, 4);
  std::vector<double> x;
  std::vector<double> y;
  TrainingData data;
  for (Index i = 0; i < n; ++i) {
    x.push_back(random.uniform());
    x.push_back(random.uniform());
    y.push_back(std::sin(6 * x[x.size() - 2]) + 5 + 0.1 * random.normal());
    y.push_back(x.back() * 3 + 0.1 * random.normal());
    if (weighted) {
      data.weights.push_back(i % 9 == 0 ? 0.0 : 0.3 + random.uniform());
    }
  }
  data.samples = make_dense(std::move(x), n, 2);
  data.targets = Targets::numeric(ConstMatrixView<double>(y.data(), n, 2));
  return data;
}

TrainingData part(const TrainingData& data, const std::vector<Index>& rows) {
  TrainingData result{data.samples.select(rows), data.targets.select(rows)};
  for (const Index row : rows) {
    if (!data.weights.empty()) {
      result.weights.push_back(data.weights[row]);
    }
  }
  return result;
}

std::vector<double> penalties(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(std::pow(10.0, -5 + 8 * static_cast<double>(i) / static_cast<double>(count)));
  }
  return values;
}

void expect_like_fits(const TrainingData& data, const PointPath& path) {
  const ModelEntry& model = find_model("ridge");
  const std::vector<Split> folds = {k_fold(data.samples.size(), 3, 1).split(0),
                                    k_fold(data.samples.size(), 3, 1).split(2)};
  const std::vector<FoldUnit> units = {{0, 0}, {0, 1}};
  std::map<Index, std::vector<FoldPrediction>> results;
  const mercer::Run run{{.threads = 1}};
  ridge_fold_evaluator(model, data, {})
      ->evaluate(
          std::span(&path, 1), folds, units,
          [&](FoldUnit unit, std::vector<FoldPrediction> found) { results[unit.fold] = std::move(found); }, run);
  ASSERT_EQ(results.size(), 2U);
  for (const auto& [fold, predictions] : results) {
    const Split& split = folds[fold];
    ASSERT_EQ(predictions.size(), path.values.size());
    for (std::size_t v = 0; v < path.values.size(); v += 7) {
      std::vector<OptionSetting> settings = path.settings;
      settings.push_back({path.option, shortest(path.values[v])});
      const auto fitted = model.fit(path.kernel, settings, part(data, split.train), run);
      const Matrix<double> expected = fitted->predict(data.samples.select(split.test), run);
      ASSERT_EQ(predictions[v].predictions.rows(), expected.rows());
      for (Index i = 0; i < expected.rows(); ++i) {
        for (Index o = 0; o < 2; ++o) {
          EXPECT_NEAR(predictions[v].predictions(i, o), expected(i, o), 1e-6)
              << path.kernel->spec() << " " << path.values[v];
        }
      }
    }
  }
}

TEST(RidgeFolds, LongPathsAgreeWithFits) {
  const std::vector<double> values = penalties(36);
  for (const bool weighted : {false, true}) {
    const TrainingData data = waves(90, weighted);
    expect_like_fits(data, {parse_kernel("rbf(gamma=scale)"), {}, "lambda", values});
    expect_like_fits(data, {parse_kernel("rbf(gamma=2)"), {{"parametric", "none"}}, "mean_lambda", values});
    expect_like_fits(data, {parse_kernel("thin_plate()"), {{"parametric", "linear"}}, "lambda", values});
    expect_like_fits(data, {parse_kernel("linear()"), {}, "lambda", values});
  }
}

TEST(RidgeFolds, ShortPathsAgreeWithFits) {
  expect_like_fits(waves(60, false), {parse_kernel("rbf(gamma=1)"), {}, "lambda", penalties(3)});
}

}  // namespace
}  // namespace mercer
