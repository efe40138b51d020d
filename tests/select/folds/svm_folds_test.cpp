// The shared evaluator of support vector machines against single fits on the same rows.
#include "mercer/select/folds/svm_folds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <mutex>
#include <utility>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/base/text.h"
#include "mercer/kernels/spec.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using Results = std::map<std::pair<Index, Index>, std::vector<FoldPrediction>>;

Results evaluate(const FoldEvaluator& evaluator, const std::vector<PointPath>& paths, const std::vector<Split>& folds,
                 const std::vector<FoldUnit>& units, int threads) {
  Results results;
  std::mutex mutex;
  evaluator.evaluate(
      paths, folds, units,
      [&](FoldUnit unit, std::vector<FoldPrediction> predictions) {
        const std::lock_guard lock(mutex);
        results[{unit.path, unit.fold}] = std::move(predictions);
      },
      mercer::Run{{.threads = threads}});
  return results;
}

std::vector<FoldUnit> all_units(std::size_t paths, std::size_t folds) {
  std::vector<FoldUnit> units;
  for (std::size_t p = 0; p < paths; ++p) {
    for (std::size_t f = 0; f < folds; ++f) {
      units.push_back({static_cast<Index>(p), static_cast<Index>(f)});
    }
  }
  return units;
}

std::vector<Split> splits(const Folds& folds) {
  std::vector<Split> result;
  for (Index f = 0; f < folds.count; ++f) {
    result.push_back(folds.split(f));
  }
  return result;
}

struct Problem {
  TrainingData data;
  std::vector<std::int32_t> classes;
};

// Noisy rings: classes that overlap, so that machines have free and bounded vectors.
Problem rings(Index n, int classes, std::uint64_t seed) {
  RandomStream random(seed, 1);
  std::vector<double> x;
  std::vector<std::string> labels;
  Problem problem;
  for (Index i = 0; i < n; ++i) {
    const double angle = 6.28 * random.uniform();
    const int c = static_cast<int>(random.uniform() * classes);
    const double radius = 1 + 0.8 * c + 0.4 * random.normal();
    x.push_back(radius * std::cos(angle));
    x.push_back(radius * std::sin(angle));
    x.push_back(random.normal());
    labels.push_back(std::string(1, static_cast<char>('a' + c)));
    problem.classes.push_back(c);
  }
  problem.data = {make_dense(std::move(x), n, 3), Targets::classes(labels)};
  return problem;
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

// Every prediction beside that of a fit of its own.
void expect_like_fits(const ModelEntry& model, const TrainingData& data, const std::vector<PointPath>& paths,
                      const std::vector<Split>& folds, double bound) {
  const auto evaluator = svm_fold_evaluator(model, data, {.decisions = true});
  const Results results = evaluate(*evaluator, paths, folds, all_units(paths.size(), folds.size()), 2);
  ASSERT_EQ(results.size(), paths.size() * folds.size());
  for (const auto& [key, predictions] : results) {
    const PointPath& path = paths[key.first];
    const Split& split = folds[key.second];
    ASSERT_EQ(predictions.size(), path.values.size());
    for (std::size_t v = 0; v < path.values.size(); ++v) {
      std::vector<OptionSetting> settings = path.settings;
      settings.push_back({path.option, shortest(path.values[v])});
      const mercer::Run run{{.threads = 1}};
      const auto fitted = model.fit(path.kernel, settings, part(data, split.train), run);
      const Samples test = data.samples.select(split.test);
      const Matrix<double> expected = fitted->predict(test, run);
      const Matrix<double>& found = predictions[v].predictions;
      SCOPED_TRACE(path.kernel->spec() + ", " + path.option + " = " + shortest(path.values[v]));
      ASSERT_EQ(found.rows(), expected.rows());
      ASSERT_EQ(found.columns(), expected.columns());
      EXPECT_EQ(predictions[v].status, SolveStatus::converged);
      if (model.task == Task::regression) {
        for (Index i = 0; i < found.rows(); ++i) {
          for (Index o = 0; o < found.columns(); ++o) {
            EXPECT_NEAR(found(i, o), expected(i, o), bound);
          }
        }
        continue;
      }
      const Matrix<double> decisions = fitted->decide(test, run);
      ASSERT_EQ(predictions[v].decisions.columns(), decisions.columns());
      for (Index i = 0; i < found.rows(); ++i) {
        bool sure = true;
        for (Index m = 0; m < decisions.columns(); ++m) {
          EXPECT_NEAR(predictions[v].decisions(i, m), decisions(i, m), bound * (1 + std::abs(decisions(i, m))));
          sure = sure && std::abs(decisions(i, m)) > 2 * bound;
        }
        if (sure) {
          EXPECT_EQ(found(i, 0), expected(i, 0));
        }
      }
    }
  }
}

void expect_same_bits(const std::vector<FoldPrediction>& a, const std::vector<FoldPrediction>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t v = 0; v < a.size(); ++v) {
    ASSERT_EQ(a[v].decisions.rows(), b[v].decisions.rows());
    for (Index i = 0; i < a[v].decisions.rows(); ++i) {
      for (Index m = 0; m < a[v].decisions.columns(); ++m) {
        EXPECT_EQ(a[v].decisions(i, m), b[v].decisions(i, m));
      }
      EXPECT_EQ(a[v].predictions(i, 0), b[v].predictions(i, 0));
    }
    EXPECT_EQ(a[v].support, b[v].support);
  }
}

PointPath c_path(const std::string& kernel, std::vector<OptionSetting> settings, std::vector<double> values) {
  return {parse_kernel(kernel), std::move(settings), "C", std::move(values)};
}

TEST(SvmFolds, TwoClassesAgreeWithFitsInDouble) {
  const Problem problem = rings(150, 2, 1);
  const std::vector<OptionSetting> settings = {{"tolerance", "1e-6"}};
  const std::vector<double> costs = {0.01, 0.3, 3, 100, 3000};
  expect_like_fits(find_model("svc"), problem.data,
                   {c_path("rbf(gamma=0.02)", settings, costs), c_path("rbf(gamma=0.5)", settings, costs),
                    c_path("rbf(gamma=20)", settings, costs)},
                   splits(stratified_k_fold(problem.classes, 3, 5)), 2e-5);
}

TEST(SvmFolds, TwoClassesAgreeWithFitsInFloat) {
  const Problem problem = rings(240, 2, 2);
  expect_like_fits(find_model("svc"), problem.data,
                   {c_path("rbf(gamma=0.1)", {}, {0.03, 1, 30, 1000}), c_path("rbf(gamma=scale)", {}, {1, 10})},
                   splits(stratified_k_fold(problem.classes, 4, 5)), 5e-3);
}

TEST(SvmFolds, OtherKernelsAgreeWithFits) {
  const Problem problem = rings(90, 2, 3);
  const std::vector<OptionSetting> settings = {{"tolerance", "1e-6"}};
  std::vector<PointPath> paths;
  for (const char* kernel : {"linear()", "poly(degree=2)", "laplacian(gamma=0.5)", "negative_distance()",
                             "rbf(lengthscale=[1, 2, inf])", "matern(nu=1.5, lengthscale=2)",
                             "0.5*rbf(gamma=1) + linear()", "center(rbf(gamma=1))", "rbf(gamma=median)[0:2]"}) {
    paths.push_back(c_path(kernel, settings, {0.1, 2, 20}));
  }
  expect_like_fits(find_model("svc"), problem.data, paths, splits(k_fold(90, 3, 1)), 5e-5);
}

TEST(SvmFolds, SeveralClassesWithWeightsAgreeWithFits) {
  Problem problem = rings(150, 3, 4);
  RandomStream random(3, 3);
  for (Index i = 0; i < 150; ++i) {
    problem.data.weights.push_back(random.uniform() < 0.1 ? 0.0 : 0.5 + random.uniform());
  }
  std::vector<PointPath> paths;
  for (const char* multiclass : {"ovo", "ovr", "dag"}) {
    paths.push_back(c_path("rbf(gamma=0.4)",
                           {{"tolerance", "1e-6"}, {"multiclass", multiclass}, {"class_weight", "balanced"}},
                           {3, 30, 200}));
  }
  expect_like_fits(find_model("svc"), problem.data, paths, splits(stratified_k_fold(problem.classes, 3, 2)), 5e-5);
}

TEST(SvmFolds, RegressionAgreesWithFits) {
  Problem problem = rings(100, 3, 5);
  RandomStream random(9, 9);
  std::vector<double> values;
  for (Index i = 0; i < 100; ++i) {
    values.push_back(10 + 3 * problem.classes[i] + random.normal());
    values.push_back(-values.back() * 0.1 + random.normal());
    problem.data.weights.push_back(0.2 + random.uniform());
  }
  problem.data.targets = Targets::numeric(ConstMatrixView<double>(values.data(), 100, 2));
  const std::vector<double> costs = {0.1, 1, 10, 300};
  expect_like_fits(find_model("svr"), problem.data,
                   {c_path("rbf(gamma=0.3)", {{"tolerance", "1e-6"}}, costs),
                    c_path("rbf(gamma=2)", {{"tolerance", "1e-6"}, {"epsilon", "0.5"}, {"standardize", "no"}}, costs)},
                   splits(k_fold(100, 3, 1)), 2e-4);
}

TEST(SvmFolds, PathsOverOtherOptionsAgreeWithFits) {
  const Problem problem = rings(80, 2, 6);
  PointPath path = c_path("rbf(gamma=0.4)", {{"tolerance", "1e-6"}, {"C", "3"}}, {-0.5, 0, 0.5});
  path.option = "threshold";
  expect_like_fits(find_model("svc"), problem.data, {path}, splits(k_fold(80, 2, 1)), 5e-5);
}

TEST(SvmFolds, CountsSupportVectors) {
  const Problem problem = rings(120, 2, 11);
  const std::vector<Split> folds = splits(k_fold(120, 2, 1));
  const std::vector<PointPath> paths = {c_path("rbf(gamma=1)", {{"tolerance", "1e-6"}}, {0.5, 50})};
  const auto evaluator = svm_fold_evaluator(find_model("svc"), problem.data, {});
  const Results results = evaluate(*evaluator, paths, folds, {{0, 1}}, 1);
  for (std::size_t v = 0; v < 2; ++v) {
    const auto fitted = find_model("svc").fit(
        paths[0].kernel, std::vector<OptionSetting>{{"tolerance", "1e-6"}, {"C", shortest(paths[0].values[v])}},
        part(problem.data, folds[1].train), mercer::Run{{.threads = 1}});
    double expected = 0;
    for (const FitReport::Measure& measure : fitted->report().measures) {
      expected = measure.name == "support vectors" ? measure.value : expected;
    }
    EXPECT_EQ(static_cast<double>(results.at({0, 1})[v].support), expected);
  }
}

TEST(SvmFolds, BitsDependNeitherOnThreadsNorOnOtherUnits) {
  const Problem problem = rings(130, 3, 7);
  std::vector<PointPath> paths;
  for (const char* kernel : {"rbf(gamma=0.05)", "rbf(gamma=1)", "rbf(gamma=scale)", "poly(degree=3)"}) {
    paths.push_back(c_path(kernel, {}, {0.1, 1, 10, 100}));
  }
  const std::vector<Split> folds = splits(stratified_k_fold(problem.classes, 4, 3));
  const auto evaluator = svm_fold_evaluator(find_model("svc"), problem.data, {.decisions = true});
  const std::vector<FoldUnit> units = all_units(paths.size(), folds.size());
  const Results once = evaluate(*evaluator, paths, folds, units, 1);
  for (const int threads : {2, 3}) {
    const Results again = evaluate(*evaluator, paths, folds, units, threads);
    ASSERT_EQ(again.size(), once.size());
    for (const auto& [key, predictions] : again) {
      expect_same_bits(predictions, once.at(key));
    }
  }
  for (const FoldUnit& unit : {FoldUnit{1, 2}, FoldUnit{2, 0}, FoldUnit{3, 3}}) {
    const Results alone = evaluate(*evaluator, paths, folds, {unit}, 2);
    expect_same_bits(alone.at({unit.path, unit.fold}), once.at({unit.path, unit.fold}));
  }
}

TEST(SvmFolds, WhatIsNotSharedIsLeftToTheGeneralEvaluator) {
  const Problem problem = rings(60, 2, 8);
  const std::vector<PointPath> paths = {c_path("rbf(gamma=0.5)", {{"slack", "squared"}}, {1, 10}),
                                        c_path("rbf(gamma=0.5)", {{"reject", "0.3"}}, {1, 10}),
                                        c_path("rbf(gamma=0.5)", {{"memory_mb", "0.01"}}, {1, 10})};
  const std::vector<Split> folds = splits(k_fold(60, 2, 1));
  const FoldNeeds needs{.decisions = true};
  const std::vector<FoldUnit> units = all_units(3, 2);
  const Results shared = evaluate(*svm_fold_evaluator(find_model("svc"), problem.data, needs), paths, folds, units, 1);
  const Results general =
      evaluate(*model_fold_evaluator(find_model("svc"), problem.data, needs), paths, folds, units, 1);
  for (const auto& [key, predictions] : general) {
    expect_same_bits(shared.at(key), predictions);
  }
}

TEST(SvmFolds, AFoldMayLackAClass) {
  Problem problem = rings(60, 3, 9);
  Split without_first;
  Split one_class;
  for (Index i = 0; i < 60; ++i) {
    const std::int32_t c = problem.classes[i];
    (c > 0 ? without_first.train : without_first.test).push_back(i);
    (c == 1 ? one_class.train : one_class.test).push_back(i);
  }
  const std::vector<PointPath> paths = {c_path("rbf(gamma=0.5)", {}, {1, 10})};
  const auto evaluator = svm_fold_evaluator(find_model("svc"), problem.data, {});
  const Results results = evaluate(*evaluator, paths, {without_first, one_class}, all_units(1, 2), 2);
  const std::vector<FoldPrediction>& some = results.at({0, 0});
  ASSERT_EQ(some.size(), 2U);
  for (Index i = 0; i < some[0].predictions.rows(); ++i) {
    EXPECT_TRUE(some[0].predictions(i, 0) == 1 || some[0].predictions(i, 0) == 2);
  }
  const std::vector<FoldPrediction>& none = results.at({0, 1});
  ASSERT_EQ(none.size(), 2U);
  for (const FoldPrediction& prediction : none) {
    EXPECT_EQ(prediction.predictions.rows(), 0);
    EXPECT_EQ(prediction.status, SolveStatus::stalled);
  }
}

// Labels that mean nothing, a narrow kernel that wants to learn them all the same: steps without end.
TEST(SvmFolds, WhatIsNotWorthItsStepsIsGivenUp) {
  RandomStream random(4, 4);
  std::vector<double> x;
  std::vector<double> y;
  for (Index i = 0; i < 400; ++i) {
    for (int j = 0; j < 6; ++j) {
      x.push_back(random.normal());
    }
    y.push_back(random.normal());
  }
  const TrainingData data{make_dense(std::move(x), 400, 6), Targets::numeric(std::move(y))};
  const std::vector<Split> folds = splits(k_fold(400, 2, 1));
  const std::vector<PointPath> paths = {
      c_path("rbf(gamma=0.06)", {{"tolerance", "1e-3"}, {"epsilon", "0.1"}}, {0.1, 100, 1e4, 1e5})};
  const std::vector<FoldUnit> units = all_units(1, 2);
  const auto evaluated = [&](bool worth, int threads, std::map<Index, int>& told, int& asked) {
    const auto evaluator = svm_fold_evaluator(find_model("svr"), data, {});
    std::mutex mutex;
    evaluator->set_watch({.point_done =
                              [&](FoldUnit unit) {
                                const std::lock_guard lock(mutex);
                                ++told[unit.fold];
                              },
                          .is_worth_more =
                              [&](FoldUnit, const FoldPrediction& so_far) {
                                const std::lock_guard lock(mutex);
                                ++asked;
                                EXPECT_EQ(so_far.predictions.rows(), 200);
                                return worth;
                              }});
    return evaluate(*evaluator, paths, folds, units, threads);
  };
  std::map<Index, int> told;
  int asked = 0;
  const Results cut = evaluated(false, 1, told, asked);
  EXPECT_GE(asked, 2);
  EXPECT_EQ(told, (std::map<Index, int>{{0, 4}, {1, 4}}));
  int asked_by_three = 0;
  const Results by_three = evaluated(false, 3, told, asked_by_three);
  EXPECT_EQ(asked, asked_by_three);
  for (const auto& [unit, predictions] : cut) {
    EXPECT_FALSE(predictions[0].given_up);
    EXPECT_TRUE(predictions[3].given_up);
    bool before = false;
    for (std::size_t p = 0; p < 4; ++p) {
      EXPECT_TRUE(predictions[p].given_up || !before) << "what follows is dearer";
      before = predictions[p].given_up;
      EXPECT_EQ(predictions[p].predictions.rows(), predictions[p].given_up ? 0 : 200);
      EXPECT_EQ(by_three.at(unit)[p].given_up, predictions[p].given_up);
    }
  }
  // Asked, and told to go on: the solutions of those who are not asked.
  const Results whole = evaluated(true, 2, told, asked);
  const Results unwatched = evaluate(*svm_fold_evaluator(find_model("svr"), data, {}), paths, folds, units, 2);
  for (const auto& [unit, predictions] : whole) {
    for (std::size_t p = 0; p < 4; ++p) {
      EXPECT_EQ(predictions[p].status, SolveStatus::converged);
      for (Index i = 0; i < 200; ++i) {
        EXPECT_NEAR(predictions[p].predictions(i, 0), unwatched.at(unit)[p].predictions(i, 0), 0.05);
      }
    }
  }
}

TEST(SvmFolds, StopsWhenAsked) {
  const Problem problem = rings(60, 2, 10);
  std::stop_source source;
  source.request_stop();
  const auto evaluator = svm_fold_evaluator(find_model("svc"), problem.data, {});
  const std::vector<PointPath> paths = {c_path("rbf(gamma=0.5)", {}, {1})};
  const std::vector<Split> folds = splits(k_fold(60, 2, 1));
  const std::vector<FoldUnit> units = all_units(1, 2);
  EXPECT_ERROR(evaluator->evaluate(
                   paths, folds, units, [](FoldUnit, const std::vector<FoldPrediction>&) {},
                   mercer::Run{{.threads = 1, .stop = source.get_token()}}),
               Stopped, "stopped on request");
}

}  // namespace
}  // namespace mercer
