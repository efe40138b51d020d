#include "mercer/models/prototypes/knn.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::accuracy;
using testing::Blobs;
using testing::blobs;
using testing::measure;
using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;

// Rows of z by their distance to row i of x.
std::vector<std::pair<double, Index>> by_distance(const Matrix<double>& x, Index i, const Matrix<double>& z) {
  std::vector<std::pair<double, Index>> rows;
  for (Index j = 0; j < z.rows(); ++j) {
    double sum = 0;
    for (Index c = 0; c < z.columns(); ++c) {
      sum += (x(i, c) - z(j, c)) * (x(i, c) - z(j, c));
    }
    rows.emplace_back(std::sqrt(sum), j);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST(Knn, ClassifiesAsByHand) {
  const Blobs train = blobs(120, 3, 1.5, 1);
  const Blobs test = blobs(60, 3, 1.5, 2);
  for (const NeighborWeighting weighting : {NeighborWeighting::uniform, NeighborWeighting::distance}) {
    const bool by_inverse = weighting == NeighborWeighting::distance;
    const auto model =
        fit_knn_classifier(parse_kernel("linear()"), {.neighbors = 7, .weighting = weighting}, train.data);
    const Matrix<double> shares = model->probabilities(test.data.samples, {});
    const Matrix<double> predicted = model->predict(test.data.samples, {});
    for (Index i = 0; i < 60; ++i) {
      const auto rows = by_distance(test.x, i, train.x);
      std::vector<double> votes(3, 0.0);
      double total = 0;
      for (std::size_t a = 0; a < 7; ++a) {
        const double vote = by_inverse ? 1 / rows[a].first : 1.0;
        votes[train.classes[rows[a].second]] += vote;
        total += vote;
      }
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(shares(i, static_cast<Index>(c)), votes[c] / total, 1e-9);
      }
      const auto best = std::max_element(votes.begin(), votes.end()) - votes.begin();
      EXPECT_EQ(predicted(i, 0), static_cast<double>(best));
    }
  }
}

TEST(Knn, RegressesAsByHand) {
  const Matrix<double> x = random_matrix(90, 3, 3);
  const Matrix<double> y = random_matrix(90, 2, 4);
  const Matrix<double> z = random_matrix(30, 3, 5);
  const TrainingData data{make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y.view())};
  for (const NeighborWeighting weighting : {NeighborWeighting::uniform, NeighborWeighting::distance}) {
    const bool by_inverse = weighting == NeighborWeighting::distance;
    const auto model = fit_knn_regressor(parse_kernel("linear()"), {.neighbors = 4, .weighting = weighting}, data);
    const Matrix<double> predicted = model->predict(make_dense(Matrix<double>::copy_of(z.view())), {});
    ASSERT_EQ(predicted.columns(), 2);
    for (Index i = 0; i < 30; ++i) {
      const auto rows = by_distance(z, i, x);
      for (Index o = 0; o < 2; ++o) {
        double sum = 0;
        double total = 0;
        for (std::size_t a = 0; a < 4; ++a) {
          const double vote = by_inverse ? 1 / rows[a].first : 1.0;
          sum += vote * y(rows[a].second, o);
          total += vote;
        }
        EXPECT_NEAR(predicted(i, o), sum / total, 1e-9);
      }
    }
    EXPECT_ERROR(model->probabilities(random_samples(2, 3, 6), {}), InvalidArgument, "knnr has no class probabilities");
  }
}

TEST(Knn, RadialKernelsOfAnyWidthHaveTheSameNeighbors) {
  const Blobs train = blobs(150, 2, 1.0, 7);
  const Samples test = random_samples(50, 2, 8);
  const auto plain = fit_knn_classifier(parse_kernel("linear()"), {}, train.data)->neighbors(test, {});
  for (const char* kernel : {"rbf(gamma=0.1)", "rbf(gamma=scale)", "exponential(lengthscale=3)"}) {
    const auto found = fit_knn_classifier(parse_kernel(kernel), {}, train.data)->neighbors(test, {});
    for (std::size_t i = 0; i < 50; ++i) {
      for (std::size_t a = 0; a < 5; ++a) {
        EXPECT_EQ(found[i][a].row, plain[i][a].row) << kernel;
      }
    }
  }
}

TEST(Knn, PointsOfTheTrainingSetDecideAloneByDistance) {
  const Blobs train = blobs(60, 3, 0.5, 9);
  const auto model = fit_knn_classifier(parse_kernel("rbf(gamma=1)"),
                                        {.neighbors = 9, .weighting = NeighborWeighting::distance}, train.data);
  EXPECT_EQ(accuracy(train, model->predict(train.data.samples, {})), 1);
  EXPECT_EQ(model->probabilities(train.data.samples, {})(0, train.classes[0]), 1);
}

TEST(Knn, WeightsAreRepetitions) {
  const Blobs train = blobs(50, 3, 1.0, 10);
  const Samples test = random_samples(40, 2, 11);
  TrainingData weighted = train.data;
  std::vector<Index> list;
  for (Index i = 0; i < 50; ++i) {
    weighted.weights.push_back(static_cast<double>(i % 4));
    list.insert(list.end(), static_cast<std::size_t>(i % 4), i);
  }
  const TrainingData repeated{train.data.samples.select(list), train.data.targets.select(list)};
  for (const NeighborWeighting weighting : {NeighborWeighting::uniform, NeighborWeighting::distance}) {
    const KnnOptions options{.neighbors = 6, .weighting = weighting, .loo = true};
    const auto a = fit_knn_classifier(parse_kernel("rbf(gamma=0.5)"), options, weighted);
    const auto b = fit_knn_classifier(parse_kernel("rbf(gamma=0.5)"), options, repeated);
    const Matrix<double> shares = a->probabilities(test, {});
    const Matrix<double> expected = b->probabilities(test, {});
    for (Index i = 0; i < 40; ++i) {
      for (Index c = 0; c < 3; ++c) {
        EXPECT_NEAR(shares(i, c), expected(i, c), 1e-12);
      }
    }
    EXPECT_NEAR(measure(a->report(), "leave-one-out error rate"), measure(b->report(), "leave-one-out error rate"),
                1e-12);
  }
}

TEST(Knn, LeaveOneOutIsARefitWithoutTheRow) {
  const Blobs train = blobs(40, 2, 0.8, 12);
  const auto model = fit_knn_classifier(parse_kernel("linear()"), {.neighbors = 3, .loo = true}, train.data);
  double wrong = 0;
  for (Index left = 0; left < 40; ++left) {
    std::vector<Index> rest;
    for (Index i = 0; i < 40; ++i) {
      if (i != left) {
        rest.push_back(i);
      }
    }
    const auto other = fit_knn_classifier(parse_kernel("linear()"), {.neighbors = 3},
                                          {train.data.samples.select(rest), train.data.targets.select(rest)});
    wrong += other->predict(train.data.samples.slice({left, left + 1}), {})(0, 0) != train.classes[left] ? 1 : 0;
  }
  EXPECT_NEAR(measure(model->report(), "leave-one-out error rate"), wrong / 40, 1e-14);
}

TEST(Knn, MoreNeighborsThanRowsMeansAll) {
  const Blobs train = blobs(10, 2, 1.0, 13);
  const auto model = fit_knn_classifier(parse_kernel("linear()"), {.neighbors = 50}, train.data);
  EXPECT_EQ(model->report().notes.size(), 1);
  EXPECT_NEAR(model->probabilities(random_samples(1, 2, 14), {})(0, 0), 0.5, 1e-15);
}

TEST(Knn, SparseAndCategoriesWorkToo) {
  const Samples sparse = testing::random_sparse(60, 8, 0.4, 15);
  std::vector<std::string> labels;
  for (int i = 0; i < 60; ++i) {
    labels.push_back(i % 2 == 0 ? "a" : "b");
  }
  const TrainingData data{sparse, Targets::classes(labels)};
  const TrainingData dense{to_dense<double>(sparse), Targets::classes(labels)};
  const Samples test = testing::random_sparse(20, 8, 0.4, 16);
  EXPECT_TRUE(same_bits(fit_knn_classifier(parse_kernel("linear()"), {}, data)->predict(test, {}),
                        fit_knn_classifier(parse_kernel("linear()"), {}, dense)->predict(to_dense<double>(test), {})));

  const std::vector<std::string> colors = {"red", "red", "blue", "blue", "blue"};
  const std::vector<std::string> kinds = {"x", "x", "y", "y", "y"};
  const Samples samples = make_categories(colors);
  const auto model = fit_knn_classifier(parse_kernel("delta()"), {.neighbors = 2}, {samples, Targets::classes(kinds)});
  const Matrix<double> predicted = model->predict(samples, {});
  for (Index i = 0; i < 5; ++i) {
    EXPECT_EQ(predicted(i, 0), i < 2 ? 0 : 1);
  }
}

TEST(Knn, RefusesWhatMakesNoSense) {
  const Blobs train = blobs(10, 2, 1.0, 17);
  EXPECT_ERROR(fit_knn_classifier(parse_kernel("linear()"), {.neighbors = 0}, train.data), InvalidArgument,
               "knnc: neighbors = 0");
  EXPECT_ERROR(fit_knn_classifier(parse_kernel("thin_plate(n=1)"), {}, train.data), InvalidArgument,
               "knnc: the kernel thin_plate(n=1) is conditionally positive definite of order");
  EXPECT_ERROR(fit_knn_classifier(parse_kernel("linear()"), {}, {Samples(), Targets()}), DataError, "knnc: 0 targets");
  const std::vector<std::string> nobody;
  EXPECT_ERROR(fit_knn_classifier(parse_kernel("linear()"), {}, {Samples(), Targets::classes(nobody)}), DataError,
               "knnc: there are no rows to fit");
  TrainingData missing{random_samples(3, 1, 18), Targets::numeric({1.0, std::nan(""), 2.0})};
  EXPECT_ERROR(fit_knn_regressor(parse_kernel("linear()"), {}, missing), DataError,
               "the target of row 1 (counted from 0) is nan; targets must be finite numbers");
  missing.weights = {1, 0, 1};
  EXPECT_NO_THROW(fit_knn_regressor(parse_kernel("linear()"), {}, missing));

  ModelState state = state_of(*fit_knn_classifier(parse_kernel("linear()"), {}, train.data));
  state.parts.integers.at("values")(0, 0) = 7;
  EXPECT_ERROR(knn_classifier_entry().load(std::move(state), {}), DataError,
               "'values' holds a number that is no index");
  state = state_of(*fit_knn_classifier(parse_kernel("linear()"), {}, train.data));
  state.parts.numbers.at("weights")(0, 0) = -1;
  EXPECT_ERROR(knn_classifier_entry().load(std::move(state), {}), DataError,
               "'weights' holds -1, which is not a number above 0");
}

// Errors of scikit-learn's KNeighborsClassifier on the same files.
TEST(Knn, ErrorsOnSatelliteImagesAreThePeers) {
  const char* given = std::getenv("MERCER_DATA");
  const std::filesystem::path folder = given != nullptr ? given : MERCER_DATA_DEFAULT;
  const auto train_path = folder / "libsvm/satimage.scale.gz";
  const auto test_path = folder / "libsvm/satimage.scale.t.gz";
  if (!std::filesystem::exists(train_path) || !std::filesystem::exists(test_path)) {
    GTEST_SKIP() << train_path << " is not there";
  }
  const DataFile train = read_data(train_path.string(), {}, {});
  ReadOptions options;
  options.columns = train.samples.columns();
  const DataFile test = read_data(test_path.string(), options, {});
  const std::map<std::pair<Index, NeighborWeighting>, int> expected = {{{1, NeighborWeighting::uniform}, 224},
                                                                       {{5, NeighborWeighting::uniform}, 198},
                                                                       {{5, NeighborWeighting::distance}, 194}};
  for (const auto& [setting, errors] : expected) {
    const auto model =
        fit_knn_classifier(parse_kernel("linear()"), {.neighbors = setting.first, .weighting = setting.second},
                           {train.samples, *train.targets});
    const ClassLabels truth = test.targets->labels(0, model->classes());
    const Matrix<double> predicted = model->predict(test.samples, {});
    int wrong = 0;
    for (std::size_t i = 0; i < truth.codes.size(); ++i) {
      wrong += predicted(static_cast<Index>(i), 0) == truth.codes[i] ? 0 : 1;
    }
    // Ties of distances in these rounded numbers are broken in another order there.
    EXPECT_NEAR(wrong, errors, 2) << setting.first << " " << word_of(setting.second);
  }
}

}  // namespace
}  // namespace mercer
