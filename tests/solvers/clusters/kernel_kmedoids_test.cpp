#include "mercer/solvers/clusters/kernel_kmedoids.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/solvers/clusters/medoid_swaps.h"
#include "solvers/clustering_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::cloud_points;
using testing::repeated_rows;
using testing::squared_apart;

Matrix<double> distance_matrix(const Matrix<double>& x) {
  Matrix<double> d(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      d(i, j) = std::sqrt(squared_apart(x, i, j));
    }
  }
  return d;
}

double medoid_objective(const Matrix<double>& d, const std::vector<Index>& medoids,
                        const std::vector<double>& weights) {
  double sum = 0;
  for (Index i = 0; i < d.rows(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (const Index m : medoids) {
      least = std::min(least, d(i, m));
    }
    sum += weights[i] * least;
  }
  return sum;
}

// Over all sets of three rows, or two.
double best_objective(const Matrix<double>& d, Index count, const std::vector<double>& weights) {
  double least = std::numeric_limits<double>::infinity();
  for (Index a = 0; a < d.rows(); ++a) {
    for (Index b = a + 1; b < d.rows(); ++b) {
      if (count == 2) {
        least = std::min(least, medoid_objective(d, {a, b}, weights));
        continue;
      }
      for (Index c = b + 1; c < d.rows(); ++c) {
        least = std::min(least, medoid_objective(d, {a, b, c}, weights));
      }
    }
  }
  return least;
}

TEST(KernelKmedoids, FindsTheBestOfAllSets) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const Matrix<double> x = cloud_points(14, 3, 1.0, seed);
    const Matrix<double> d = distance_matrix(x);
    std::vector<double> weights(14, 1.0);
    weights[3] = 2.5;
    const Index count = 2 + static_cast<Index>(seed % 2);
    const auto solution = kernel_kmedoids(DenseGram<double>(Matrix<double>::copy_of(d.view())), weights,
                                          {.clusters = count, .restarts = 20}, {});
    EXPECT_NEAR(solution.objective, best_objective(d, count, weights), 1e-12);
    EXPECT_NEAR(solution.objective, medoid_objective(d, solution.medoids, weights), 1e-12);
    for (Index i = 0; i < 14; ++i) {
      for (const Index m : solution.medoids) {
        EXPECT_LE(d(i, solution.medoids[solution.assignment[i]]), d(i, m));
      }
    }
  }
}

TEST(KernelKmedoids, OneMedoidIsTheMostCentralSample) {
  const Matrix<double> d = distance_matrix(cloud_points(60, 3, 2.0, 7));
  const auto solution =
      kernel_kmedoids(DenseGram<double>(Matrix<double>::copy_of(d.view())), {}, {.clusters = 1, .restarts = 1}, {});
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < 60; ++i) {
    least = std::min(least, medoid_objective(d, {i}, std::vector<double>(60, 1.0)));
  }
  EXPECT_NEAR(solution.objective, least, 1e-12 * least);
}

TEST(KernelKmedoids, NeverRisesAndSwapsOnlyHelp) {
  for (const std::uint64_t seed : {8, 9, 10}) {
    const DenseGram<double> gram(distance_matrix(cloud_points(150, 6, 1.5, seed)));
    // A start from which the alternation alone does not reach the bottom: neighbors in the list.
    const std::vector<Index> start = {0, 6, 12, 18, 24, 30};
    const auto alone = kernel_kmedoids(gram, {}, {.clusters = 6, .swaps = MedoidSwaps::skip, .start = start}, {});
    const auto swapped = kernel_kmedoids(gram, {}, {.clusters = 6, .start = start}, {});
    EXPECT_EQ(alone.status, SolveStatus::converged);
    EXPECT_EQ(alone.swaps, 0);
    EXPECT_LT(swapped.objective, alone.objective);
    EXPECT_GT(swapped.swaps, 0);
    for (std::size_t s = 1; s < swapped.objectives.size(); ++s) {
      EXPECT_LE(swapped.objectives[s], swapped.objectives[s - 1]);
    }
    EXPECT_EQ(swapped.objectives.back(), swapped.objective);
  }
}

TEST(MedoidSwaps, ChangesAreThoseOfTheObjective) {
  const Matrix<double> d = distance_matrix(cloud_points(40, 4, 2.0, 11));
  const DenseGram<double> gram(Matrix<double>::copy_of(d.view()));
  std::vector<double> weights;
  for (Index i = 0; i < 40; ++i) {
    weights.push_back(0.5 + static_cast<double>(i % 4));
  }
  const std::vector<Index> medoids = {3, 17, 30, 31};
  const MedoidDistances present(gram, weights, medoids, {});
  EXPECT_NEAR(present.objective(), medoid_objective(d, medoids, weights), 1e-11);
  for (Index candidate = 0; candidate < 40; ++candidate) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t place = 0; place < medoids.size(); ++place) {
      std::vector<Index> other = medoids;
      other[place] = candidate;
      least = std::min(least, medoid_objective(d, other, weights) - present.objective());
    }
    const auto swap = present.best_swap(candidate, d.view().row(candidate));
    EXPECT_NEAR(swap.change, least, 1e-10) << candidate;
    std::vector<Index> other = medoids;
    other[swap.place] = candidate;
    EXPECT_NEAR(medoid_objective(d, other, weights) - present.objective(), least, 1e-10);
  }
}

TEST(MedoidSwaps, EndWhereNoSwapHelps) {
  const Matrix<double> d = distance_matrix(cloud_points(70, 4, 1.0, 12));
  const std::vector<double> weights(70, 1.0);
  const auto solution =
      kernel_kmedoids(DenseGram<double>(Matrix<double>::copy_of(d.view())), {}, {.clusters = 5, .restarts = 1}, {});
  for (Index candidate = 0; candidate < 70; ++candidate) {
    for (std::size_t place = 0; place < 5; ++place) {
      std::vector<Index> other = solution.medoids;
      other[place] = candidate;
      EXPECT_GE(medoid_objective(d, other, weights), solution.objective * (1 - 1e-11));
    }
  }
}

TEST(KernelKmedoids, WeightsAreRepetitions) {
  const Matrix<double> x = cloud_points(50, 4, 2.0, 13);
  std::vector<double> weights;
  for (Index i = 0; i < 50; ++i) {
    weights.push_back(1.0 + static_cast<double>(i % 3));
  }
  const Matrix<double> many = repeated_rows(x, weights);
  const auto weighted =
      kernel_kmedoids(DenseGram<double>(distance_matrix(x)), weights, {.clusters = 4, .restarts = 5}, {});
  const auto repeated =
      kernel_kmedoids(DenseGram<double>(distance_matrix(many)), {}, {.clusters = 4, .restarts = 5}, {});
  EXPECT_NEAR(weighted.objective, repeated.objective, 1e-10);
  for (std::size_t c = 0; c < 4; ++c) {
    for (Index j = 0; j < 2; ++j) {
      EXPECT_EQ(x(weighted.medoids[c], j), many(repeated.medoids[c], j));
    }
    EXPECT_NEAR(weighted.cluster_weights[c], repeated.cluster_weights[c], 1e-12);
  }
}

TEST(KernelKmedoids, FewerDistinctSamplesGiveFewerMedoids) {
  const Matrix<double> x = repeated_rows(cloud_points(4, 2, 3.0, 14), {2, 3, 1, 2});
  const auto solution = kernel_kmedoids(DenseGram<double>(distance_matrix(x)), {}, {.clusters = 7}, {});
  EXPECT_EQ(solution.medoids.size(), 4);
  EXPECT_EQ(solution.objective, 0);
  const auto single = kernel_kmedoids(DenseGram<double>(Matrix<double>::filled(1, 1, 0.0)), {}, {.clusters = 3}, {});
  EXPECT_EQ(single.medoids, std::vector<Index>{0});
}

TEST(KernelKmedoids, AnyNumberOfThreadsGivesTheSameBits) {
  const Matrix<double> x = cloud_points(400, 5, 1.0, 15);
  const auto solve = [&](int threads) {
    return kernel_kmedoids(DenseGram<double>(distance_matrix(x)), {}, {.clusters = 6, .restarts = 3},
                           mercer::Run{{.threads = threads, .seed = 4}});
  };
  const auto one = solve(1);
  for (const int threads : {2, 3}) {
    const auto other = solve(threads);
    EXPECT_EQ(other.medoids, one.medoids);
    EXPECT_EQ(other.objectives, one.objectives);
  }
}

TEST(KernelKmedoids, RefusesWhatMakesNoSense) {
  const DenseGram<double> gram(distance_matrix(cloud_points(5, 2, 1.0, 16)));
  EXPECT_ERROR(kernel_kmedoids(gram, {}, {.clusters = 0}, {}), InvalidArgument, "clusters = 0");
  EXPECT_ERROR(kernel_kmedoids(gram, {}, {.restarts = 0}, {}), InvalidArgument, "restarts = 0");
  EXPECT_ERROR(kernel_kmedoids(gram, {}, {.start = {1, 1}}, {}), InvalidArgument,
               "k-medoids: a start must name different rows from 0 to 4");
  EXPECT_ERROR(kernel_kmedoids(gram, {}, {.start = {1, 5}}, {}), InvalidArgument,
               "k-medoids: a start must name different rows from 0 to 4");
  EXPECT_ERROR(kernel_kmedoids(DenseGram<double>(Matrix<double>(0, 0)), {}, {}, {}), InvalidArgument,
               "k-medoids: there are no samples to sort into clusters");
}

}  // namespace
}  // namespace mercer
