// k-means, k-medoids, the nearest-medoid classifier and spectral clustering as models.
#include <gtest/gtest.h>

#include <numbers>

#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "mercer/models/prototypes/kmeans.h"
#include "mercer/models/prototypes/kmedoids.h"
#include "mercer/models/prototypes/spectral.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Blobs;
using testing::blobs;
using testing::measure;
using testing::random_samples;
using testing::same_bits;

// Whether two labellings are the same up to names.
bool same_groups(const Matrix<double>& predicted, const std::vector<int>& truth) {
  for (std::size_t i = 0; i < truth.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool together = predicted(static_cast<Index>(i), 0) == predicted(static_cast<Index>(j), 0);
      if (together != (truth[i] == truth[j])) {
        return false;
      }
    }
  }
  return true;
}

TEST(Kmeans, FindsClouds) {
  const Blobs data = blobs(120, 4, 12.0, 1);
  for (const char* kernel : {"linear()", "rbf(gamma=0.01)", "negative_distance(beta=1)"}) {
    const auto model = fit_kmeans(parse_kernel(kernel), {.clusters = 4}, {data.data.samples, {}});
    EXPECT_TRUE(same_groups(model->predict(data.data.samples, {}), data.classes)) << kernel;
    EXPECT_EQ(model->predict(data.data.samples, {})(0, 0), 0);
  }
}

// Inertia = the sum over samples of the least of decide(), which is ‖Φ(x) − μ_c‖² from pairs.
TEST(Kmeans, DecidesBySquaredDistancesToMeans) {
  const Blobs data = blobs(60, 3, 1.5, 2);
  const Samples test = random_samples(15, 2, 3);
  TrainingData weighted = data.data;
  weighted.weights = testing::random_weights(60, 4);
  for (const char* spec : {"linear()", "rbf(gamma=0.5)", "center(rbf(gamma=0.5))"}) {
    const Kernel kernel = parse_kernel(spec);
    const auto model = fit_kmeans(kernel, {.clusters = 5}, weighted);
    const Matrix<double> own = model->decide(data.data.samples, {});
    const Matrix<double> labels = model->predict(data.data.samples, {});
    double inertia = 0;
    for (Index i = 0; i < 60; ++i) {
      const auto row = std::as_const(own).view().row(i);
      inertia += weighted.weights[i] * *std::min_element(row.begin(), row.end());
      EXPECT_EQ(own(i, static_cast<Index>(labels(i, 0))), *std::min_element(row.begin(), row.end()));
    }
    EXPECT_NEAR(inertia, measure(model->report(), "inertia"), 1e-10) << spec;

    // Any kernel with the same distances serves.
    const Kernel plain = parse_kernel(std::string(spec) == "linear()" ? "linear()" : "rbf(gamma=0.5)");
    const auto k = testing::kernel_matrix(plain, data.data.samples, data.data.samples);
    const auto kt = testing::kernel_matrix(plain, test, data.data.samples);
    const auto ktt = testing::kernel_matrix(plain, test, test);
    const Matrix<double> distances = model->decide(test, {});
    for (Index c = 0; c < 5; ++c) {
      double total = 0;
      double norm = 0;
      std::vector<double> share(60, 0.0);
      for (Index i = 0; i < 60; ++i) {
        share[i] = labels(i, 0) == static_cast<double>(c) ? weighted.weights[i] : 0.0;
        total += share[i];
      }
      for (Index i = 0; i < 60; ++i) {
        for (Index j = 0; j < 60; ++j) {
          norm += share[i] * share[j] * k(i, j) / (total * total);
        }
      }
      for (Index t = 0; t < 15; ++t) {
        double product = 0;
        for (Index i = 0; i < 60; ++i) {
          product += share[i] * kt(t, i) / total;
        }
        EXPECT_NEAR(distances(t, c), ktt(t, t) - 2 * product + norm, 1e-10) << spec;
      }
    }
  }
}

TEST(Kmeans, LinearKernelsKeepMeansOnly) {
  const Blobs data = blobs(60, 3, 5.0, 5);
  const auto model = fit_kmeans(parse_kernel("2*linear()"), {.clusters = 3}, data.data);
  EXPECT_EQ(model->expansion_form()->centers().size(), 3);
  // Centres are −2 times the means.
  const auto& rows = model->expansion_form()->centers().as<DenseRows<double>>();
  double mean = 0;
  for (Index i = 0; i < 60; i += 3) {
    mean += data.x(i, 0) / 20;
  }
  EXPECT_NEAR(rows(0, 0), -2 * mean, 1e-12);
}

// The best known inertia of iris (three clusters, centimetres), as every package finds it.
TEST(Kmeans, IrisHasTheInertiaThatEverybodyFinds) {
  const DataFile iris = read_data(std::string(MERCER_EXAMPLE_DATA_DIR) + "/iris.csv", {.targets = {"species"}}, {});
  const auto model = fit_kmeans(parse_kernel("linear()"), {.clusters = 3}, {iris.samples, {}});
  EXPECT_NEAR(measure(model->report(), "inertia"), 78.851441426146, 1e-6);
}

TEST(Kmeans, LargeProblemsNeedNoStoredMatrix) {
  const Blobs data = blobs(500, 3, 3.0, 6);
  const auto stored = fit_kmeans(parse_kernel("rbf(gamma=0.2)"), {.clusters = 3}, data.data);
  const auto evaluated = fit_kmeans(parse_kernel("rbf(gamma=0.2)"), {.clusters = 3, .memory_mb = 0.1}, data.data);
  EXPECT_TRUE(same_bits(stored->predict(data.data.samples, {}), evaluated->predict(data.data.samples, {})));
  EXPECT_NEAR(stored->report().objective, evaluated->report().objective, 1e-10);
}

TEST(Kmeans, SparseSamplesAndRowsOfWeightZero) {
  const Samples sparse = testing::random_sparse(80, 6, 0.5, 7);
  const auto a = fit_kmeans(parse_kernel("linear()"), {.clusters = 4}, {sparse, {}});
  const auto b = fit_kmeans(parse_kernel("linear()"), {.clusters = 4}, {to_dense<double>(sparse), {}});
  EXPECT_TRUE(same_bits(a->predict(sparse, {}), b->predict(to_dense<double>(sparse), {})));

  const Blobs data = blobs(30, 3, 8.0, 8);
  TrainingData weighted{data.data.samples, {}, std::vector<double>(30, 1.0)};
  std::vector<Index> kept;
  for (Index i = 0; i < 30; ++i) {
    if (i % 4 == 1) {
      weighted.weights[i] = 0;
    } else {
      kept.push_back(i);
    }
  }
  const auto c = fit_kmeans(parse_kernel("rbf(gamma=0.1)"), {.clusters = 3}, weighted);
  const auto d = fit_kmeans(parse_kernel("rbf(gamma=0.1)"), {.clusters = 3}, {data.data.samples.select(kept), {}});
  EXPECT_TRUE(same_bits(c->decide(data.data.samples, {}), d->decide(data.data.samples, {})));
}

TEST(Kmeans, DegenerateInputs) {
  EXPECT_ERROR(fit_kmeans(parse_kernel("linear()"), {}, {Samples(), {}}), DataError,
               "kmeans: there are no rows to fit");
  EXPECT_ERROR(fit_kmeans(parse_kernel("linear()"), {.clusters = 0}, {random_samples(3, 2, 9), {}}), InvalidArgument,
               "clusters = 0");
  EXPECT_ERROR(fit_kmeans(parse_kernel("thin_plate(n=1)"), {}, {random_samples(9, 2, 9), {}}), InvalidArgument,
               "kmeans: the kernel thin_plate(n=1) is conditionally positive definite of");
  const auto one = fit_kmeans(parse_kernel("linear()"), {}, {random_samples(1, 2, 9), {}});
  EXPECT_EQ(measure(one->report(), "clusters"), 1);
  EXPECT_EQ(one->report().notes.size(), 1);
  const auto constant = fit_kmeans(parse_kernel("rbf(gamma=1)"), {.clusters = 3},
                                   {make_dense(std::vector<double>{2, 2, 2, 2}, 4, 1), {}});
  EXPECT_EQ(measure(constant->report(), "clusters"), 1);
  EXPECT_NEAR(constant->report().objective, 0, 1e-15);
  EXPECT_ERROR(fit_kmeans(parse_kernel("linear()"), {}, {make_dense(std::vector<double>{1, std::nan("")}, 2, 1), {}}),
               DataError, "row 1, column 0 (counted from 0): the value is nan");
}

TEST(Kmedoids, PredictsTheNearestMedoid) {
  const Blobs data = blobs(90, 3, 6.0, 10);
  for (const char* spec : {"linear()", "rbf(gamma=0.02)", "center(rbf(gamma=0.02))"}) {
    for (const DistancePower power : {DistancePower::plain, DistancePower::squared}) {
      const auto model = fit_kmedoids(parse_kernel(spec), {.clusters = 3, .distance = power}, {data.data.samples, {}});
      EXPECT_TRUE(same_groups(model->predict(data.data.samples, {}), data.classes)) << spec;
      const Matrix<double> distances = model->decide(data.data.samples, {});
      double sum = 0;
      for (Index i = 0; i < 90; ++i) {
        const auto row = std::as_const(distances).view().row(i);
        const double least = *std::min_element(row.begin(), row.end());
        sum += power == DistancePower::plain ? std::sqrt(least) : least;
      }
      EXPECT_NEAR(sum, measure(model->report(), "sum of distances"), 1e-5) << spec;
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(distances(model->parts().point_rows[c], static_cast<Index>(c)), 0, 1e-12);
      }
    }
  }
}

TEST(Kmedoids, OutliersDoNotPullMedoids) {
  // Five points and one far away: one medoid is the median.
  const auto model = fit_kmedoids(parse_kernel("linear()"), {.clusters = 1},
                                  {make_dense(std::vector<double>{1, 2, 3, 4, 5, 1000}, 6, 1), {}});
  EXPECT_EQ(model->parts().point_rows, std::vector<Index>{2});
  const auto squared = fit_kmedoids(parse_kernel("linear()"), {.clusters = 1, .distance = DistancePower::squared},
                                    {make_dense(std::vector<double>{1, 2, 3, 4, 5, 1000}, 6, 1), {}});
  EXPECT_EQ(squared->parts().point_rows, std::vector<Index>{4});
}

TEST(Kmedoids, CategoriesHaveMedoids) {
  const std::vector<std::string> colors = {"red", "red", "blue", "green", "blue", "red"};
  const Samples samples = make_categories(colors);
  const auto model = fit_kmedoids(parse_kernel("delta()"), {.clusters = 5}, {samples, {}});
  EXPECT_EQ(measure(model->report(), "clusters"), 3);
  EXPECT_TRUE(same_groups(model->predict(samples, {}), {0, 0, 1, 2, 1, 0}));
}

TEST(MedoidClassifier, AnswersWithTheClassOfTheNearestMedoid) {
  for (const int classes : {2, 3}) {
    const Blobs train = blobs(120, classes, 3.0, 11);
    const Blobs test = blobs(60, classes, 3.0, 12);
    const auto model = fit_medoid_classifier(parse_kernel("rbf(gamma=0.1)"), {.medoids = 4}, train.data);
    EXPECT_EQ(model->task(), Task::classification);
    const auto& parts = model->parts();
    ASSERT_EQ(parts.point_rows.size(), static_cast<std::size_t>(4 * classes));
    const Matrix<double> predicted = model->predict(test.data.samples, {});
    const Matrix<double> values = model->decide(test.data.samples, {});
    for (Index i = 0; i < 60; ++i) {
      double least = 1e9;
      int nearest = -1;
      std::vector<double> per_class(classes, 1e9);
      for (std::size_t p = 0; p < parts.point_rows.size(); ++p) {
        EXPECT_EQ(train.classes[parts.point_rows[p]], parts.point_classes[p]);
        double sum = 0;
        for (Index c = 0; c < 2; ++c) {
          sum += std::pow(test.x(i, c) - train.x(parts.point_rows[p], c), 2);
        }
        double& own = per_class[parts.point_classes[p]];
        own = std::min(own, 2 - 2 * std::exp(-0.1 * sum));
        if (sum < least) {
          least = sum;
          nearest = static_cast<int>(parts.point_classes[p]);
        }
      }
      EXPECT_EQ(predicted(i, 0), nearest);
      if (classes == 2) {
        EXPECT_NEAR(values(i, 0), per_class[0] - per_class[1], 1e-12);
      } else {
        EXPECT_NEAR(values(i, 2), -per_class[2], 1e-12);
      }
    }
    EXPECT_GT(testing::accuracy(test, predicted), 0.9);
  }
}

TEST(MedoidClassifier, OneMedoidPerClassIsTheMostCentral) {
  const Blobs train = blobs(30, 2, 2.0, 13);
  const auto model = fit_medoid_classifier(parse_kernel("linear()"), {.medoids = 1}, train.data);
  for (std::size_t c = 0; c < 2; ++c) {
    double least = 1e9;
    Index best = -1;
    for (Index i = static_cast<Index>(c); i < 30; i += 2) {
      double sum = 0;
      for (Index j = static_cast<Index>(c); j < 30; j += 2) {
        sum += std::hypot(train.x(i, 0) - train.x(j, 0), train.x(i, 1) - train.x(j, 1));
      }
      if (sum < least) {
        least = sum;
        best = i;
      }
    }
    EXPECT_EQ(model->parts().point_rows[c], best);
  }
  ModelState state = state_of(*model);
  state.parts.integers.at("point_classes")(1, 0) = 0;
  EXPECT_ERROR(medoid_classifier_entry().load(std::move(state), {}), DataError,
               "a stored medoidc model with a class that has no point");
  state = state_of(*model);
  state.head.classes.clear();
  EXPECT_ERROR(medoid_classifier_entry().load(std::move(state), {}), DataError,
               "a stored medoidc model with 0 classes and 1 outputs");
}

// Two rings around each other: no k-means finds them.
Blobs rings(Index rows, std::uint64_t seed) {
  RandomStream random(seed);
  Blobs result{Matrix<double>(rows, 2), {}, {}};
  for (Index i = 0; i < rows; ++i) {
    const int c = static_cast<int>(i % 2);
    const double angle = 2 * std::numbers::pi * random.uniform();
    const double radius = (c == 0 ? 1.0 : 4.0) + 0.1 * random.normal();
    result.x(i, 0) = radius * std::cos(angle);
    result.x(i, 1) = radius * std::sin(angle);
    result.classes.push_back(c);
  }
  result.data = {make_dense(Matrix<double>::copy_of(result.x.view())), {}};
  return result;
}

TEST(Spectral, TakesRingsApart) {
  // Below and above the size where LAPACK does all.
  for (const Index rows : {200, 700}) {
    const Blobs data = rings(rows, 14);
    const auto model = fit_spectral(parse_kernel("rbf(gamma=3)"), {.clusters = 2}, data.data);
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    EXPECT_TRUE(same_groups(model->predict(data.data.samples, {}), data.classes));
    const Blobs more = rings(100, 15);
    EXPECT_TRUE(same_groups(model->predict(more.data.samples, {}), more.classes));
    EXPECT_NEAR(measure(model->report(), "eigenvalue 1"), 1, 1e-9);
    // The rings are 3 apart, exp(-27): two parts to rounding, and no third.
    EXPECT_NEAR(measure(model->report(), "eigenvalue 2"), 1, 1e-8);
    EXPECT_LT(measure(model->report(), "eigenvalue 3"), 1 - 1e-4);
  }
  EXPECT_FALSE(same_groups(fit_kmeans(parse_kernel("linear()"), {.clusters = 2}, rings(200, 14).data)
                               ->predict(rings(200, 14).data.samples, {}),
                           rings(200, 14).classes));
}

// Nyström's formula on the training samples gives back the eigenvectors: those of the affinities satisfy
// D^-½KD^-½ v = λv, and rows of v scaled to norm 1 are the embedding.
TEST(Spectral, EmbeddingsAreEigenvectors) {
  const Blobs data = blobs(80, 3, 2.0, 16);
  const Kernel kernel = parse_kernel("rbf(gamma=0.3)");
  TrainingData weighted{data.data.samples, {}, testing::random_weights(80, 17)};
  const auto model = fit_spectral(kernel, {.clusters = 3}, weighted);
  const auto k = testing::kernel_matrix(kernel, data.data.samples, data.data.samples);
  std::vector<double> degrees(80, 0.0);
  for (Index i = 0; i < 80; ++i) {
    for (Index j = 0; j < 80; ++j) {
      degrees[i] += weighted.weights[j] * k(i, j);
    }
  }
  // u(x_i) √D_i is the eigenvector itself: apply the matrix once more.
  Matrix<double> u(80, 3);
  model->expansion_form()->evaluate(data.data.samples, u.view(), {});
  for (Index c = 0; c < 3; ++c) {
    for (Index i = 0; i < 80; ++i) {
      double sum = 0;
      for (Index j = 0; j < 80; ++j) {
        sum += weighted.weights[j] * k(i, j) * u(j, c) / degrees[j];
      }
      EXPECT_NEAR(sum, model->parts().eigenvalues[c] * u(i, c), 1e-9);
    }
  }
}

TEST(Spectral, WeightsAreRepetitions) {
  const Blobs data = blobs(40, 3, 2.0, 18);
  TrainingData weighted{data.data.samples, {}, {}};
  std::vector<Index> list;
  for (Index i = 0; i < 40; ++i) {
    weighted.weights.push_back(1.0 + static_cast<double>(i % 3));
    list.insert(list.end(), static_cast<std::size_t>(1 + i % 3), i);
  }
  const Samples test = random_samples(30, 2, 19);
  const Kernel kernel = parse_kernel("rbf(gamma=0.3)");
  const auto a = fit_spectral(kernel, {.clusters = 3}, weighted);
  const auto b = fit_spectral(kernel, {.clusters = 3}, {data.data.samples.select(list), {}});
  const Matrix<double> distances = a->decide(test, {});
  const Matrix<double> expected = b->decide(test, {});
  for (Index i = 0; i < 30; ++i) {
    for (Index c = 0; c < 3; ++c) {
      EXPECT_NEAR(distances(i, c), expected(i, c), 1e-8);
    }
  }
}

TEST(Spectral, NumbersOfEigenvectorsAndClustersCanDiffer) {
  const Blobs data = blobs(90, 3, 8.0, 24);
  const Kernel kernel = parse_kernel("rbf(gamma=0.1)");
  const auto three = fit_spectral(kernel, {.clusters = 3}, data.data);
  const auto five = fit_spectral(kernel, {.clusters = 3, .components = 5}, data.data);
  EXPECT_EQ(three->embed(data.data.samples, {}).columns(), 3);
  EXPECT_EQ(five->embed(data.data.samples, {}).columns(), 5);
  EXPECT_EQ(five->decide(data.data.samples, {}).columns(), 3);
  EXPECT_TRUE(same_groups(three->predict(data.data.samples, {}), data.classes));
  EXPECT_ERROR(fit_spectral(kernel, {.components = -1}, data.data), InvalidArgument, "spectral: components = -1");
}

TEST(Spectral, RefusesNegativeKernelValues) {
  const Samples samples = random_samples(20, 2, 20);
  EXPECT_ERROR(fit_spectral(parse_kernel("linear()"), {.clusters = 2}, {samples, {}}), DataError,
               "must not be negative");
  EXPECT_ERROR(fit_spectral(parse_kernel("rbf(gamma=1)"), {.clusters = 0}, {samples, {}}), InvalidArgument,
               "spectral: clusters = 0");
  EXPECT_ERROR(fit_spectral(parse_kernel("rbf(gamma=1)"), {.tolerance = 0}, {samples, {}}), InvalidArgument,
               "spectral: tolerance = 0");
}

TEST(Spectral, DegenerateInputs) {
  const auto one = fit_spectral(parse_kernel("rbf(gamma=1)"), {}, {random_samples(1, 2, 21), {}});
  EXPECT_EQ(measure(one->report(), "clusters"), 1);
  const auto constant = fit_spectral(parse_kernel("rbf(gamma=1)"), {.clusters = 3},
                                     {make_dense(std::vector<double>{2, 2, 2, 2}, 4, 1), {}});
  EXPECT_EQ(measure(constant->report(), "clusters"), 1);
  // Far from all training samples: some cluster, no NaN.
  const Matrix<double> far = one->predict(make_dense(std::vector<double>{1e6, 1e6}, 1, 2), {});
  EXPECT_EQ(far(0, 0), 0);
}

TEST(Clustering, ExpansionsCanBeExchanged) {
  const Blobs data = blobs(40, 3, 2.0, 22);
  const Samples test = random_samples(10, 2, 23);
  const auto means = fit_kmeans(parse_kernel("rbf(gamma=0.3)"), {.clusters = 3}, data.data);
  EXPECT_TRUE(
      same_bits(means->with_expansion(*means->expansion_form(), {})->decide(test, {}), means->decide(test, {})));
  const auto parts = fit_spectral(parse_kernel("rbf(gamma=0.3)"), {.clusters = 3}, data.data);
  EXPECT_TRUE(
      same_bits(parts->with_expansion(*parts->expansion_form(), {})->decide(test, {}), parts->decide(test, {})));
  const auto other = fit_kmeans(parse_kernel("rbf(gamma=0.4)"), {.clusters = 3}, data.data);
  EXPECT_ERROR(means->with_expansion(*other->expansion_form(), {}), InvalidArgument,
               "kmeans: an expansion of 3 outputs with the kernel rbf(gamma=0.4)");
  EXPECT_ERROR(parts->with_expansion(*other->expansion_form(), {}), InvalidArgument,
               "spectral: an expansion of 3 outputs with the kernel rbf(gamma=0.4)");
}

}  // namespace
}  // namespace mercer
