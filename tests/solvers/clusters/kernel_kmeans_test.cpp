#include "mercer/solvers/clusters/kernel_kmeans.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/gram/low_rank.h"
#include "solvers/clustering_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::cloud_points;
using testing::linear_matrix;
using testing::pair_inertia;
using testing::rbf_matrix;
using testing::repeated_rows;

std::vector<double> ones(Index n) { return std::vector<double>(n, 1.0); }

// The least inertia of all assignments.
double best_inertia(const Matrix<double>& k, Index clusters, const std::vector<double>& weights) {
  std::vector<Index> assignment(k.rows(), 0);
  double least = std::numeric_limits<double>::infinity();
  for (;;) {
    least = std::min(least, pair_inertia(k, assignment, clusters, weights));
    std::size_t at = 0;
    while (at < assignment.size() && ++assignment[at] == clusters) {
      assignment[at++] = 0;
    }
    if (at == assignment.size()) {
      return least;
    }
  }
}

TEST(KernelKmeans, FindsTheBestOfAllPartitions) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const Index n = 5 + static_cast<Index>(seed % 4);
    const Index clusters = 2 + static_cast<Index>(seed % 2);
    const Matrix<double> x = cloud_points(n, 3, 1.5, seed);
    for (const bool curved : {false, true}) {
      const Matrix<double> k = curved ? rbf_matrix(x, 0.3) : linear_matrix(x);
      std::vector<double> weights = ones(n);
      weights[0] = 2.5;
      const auto solution = kernel_kmeans(DenseGram<double>(Matrix<double>::copy_of(k.view())), weights,
                                          {.clusters = clusters, .restarts = 40}, {});
      const double best = best_inertia(k, clusters, weights);
      EXPECT_NEAR(solution.objective, best, 1e-12 * (1 + best)) << "seed " << seed;
      EXPECT_NEAR(pair_inertia(k, solution.assignment, clusters, weights), solution.objective, 1e-11);
    }
  }
}

// Lloyd's steps on points, written out.
std::vector<Index> lloyd(const Matrix<double>& x, std::vector<Index> assignment, Index clusters) {
  for (bool moved = true; moved;) {
    moved = false;
    Matrix<double> means = Matrix<double>::filled(clusters, x.columns(), 0.0);
    std::vector<double> counts(clusters, 0.0);
    for (Index i = 0; i < x.rows(); ++i) {
      const Index c = assignment[i];
      counts[c] += 1;
      for (Index j = 0; j < x.columns(); ++j) {
        means(c, j) += x(i, j);
      }
    }
    for (Index i = 0; i < x.rows(); ++i) {
      Index best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (Index c = 0; c < clusters; ++c) {
        double squared = 0;
        for (Index j = 0; j < x.columns(); ++j) {
          const double apart = x(i, j) - means(c, j) / counts[c];
          squared += apart * apart;
        }
        if (squared < least) {
          least = squared;
          best = c;
        }
      }
      moved = moved || best != assignment[i];
      assignment[i] = best;
    }
  }
  return assignment;
}

TEST(KernelKmeans, LinearKernelIsOrdinaryKmeans) {
  const Matrix<double> x = cloud_points(300, 4, 3.0, 7);
  std::vector<Index> start;
  for (Index i = 0; i < x.rows(); ++i) {
    start.push_back(i % 7 % 4);
  }
  const std::vector<Index> expected = lloyd(x, start, 4);
  // Clusters of the solver are numbered by their first samples.
  std::vector<Index> number(4, -1);
  Index next = 0;
  const KernelKmeansOptions options{.clusters = 4, .start = start};
  const auto stored = kernel_kmeans(DenseGram<double>(linear_matrix(x)), {}, options, {});
  const auto factored = kernel_kmeans(LowRankGram<double>(Matrix<double>::copy_of(x.view())), {}, options, {});
  for (std::size_t i = 0; i < expected.size(); ++i) {
    Index& mapped = number[expected[i]];
    mapped = mapped < 0 ? next++ : mapped;
    EXPECT_EQ(stored.assignment[i], mapped);
    EXPECT_EQ(factored.assignment[i], mapped);
  }
}

TEST(KernelKmeans, NeverRises) {
  for (const std::uint64_t seed : {11, 12, 13, 14, 15}) {
    const Matrix<double> x = cloud_points(200, 5, 2.0, seed);
    RandomStream random(seed, 3);
    std::vector<Index> start;
    std::vector<double> weights;
    for (Index i = 0; i < x.rows(); ++i) {
      start.push_back(static_cast<Index>(random.below(6)));
      weights.push_back(0.1 + random.uniform());
    }
    const auto solution =
        kernel_kmeans(DenseGram<double>(rbf_matrix(x, 0.5)), weights, {.clusters = 6, .start = start}, {});
    EXPECT_EQ(solution.status, SolveStatus::converged);
    ASSERT_GT(solution.objectives.size(), 3);
    for (std::size_t s = 1; s < solution.objectives.size(); ++s) {
      EXPECT_LE(solution.objectives[s], solution.objectives[s - 1] * (1 + 1e-14));
    }
    EXPECT_LT(solution.objective, 0.95 * solution.objectives.front());
    // Sums that were kept up to date over all steps are still those of the assignment.
    const double inertia = pair_inertia(rbf_matrix(x, 0.5), solution.assignment, 6, weights);
    EXPECT_NEAR(solution.objective, inertia, 1e-12 * inertia);
  }
}

TEST(KernelKmeans, WeightsAreRepetitions) {
  const Matrix<double> x = cloud_points(40, 3, 2.0, 21);
  std::vector<double> weights;
  for (Index i = 0; i < 40; ++i) {
    weights.push_back(1.0 + static_cast<double>(i % 3));
  }
  const Matrix<double> many = repeated_rows(x, weights);
  const KernelKmeansOptions options{.clusters = 4, .restarts = 3};
  const auto weighted = kernel_kmeans(DenseGram<double>(rbf_matrix(x, 0.4)), weights, options, {});
  const auto repeated = kernel_kmeans(DenseGram<double>(rbf_matrix(many, 0.4)), {}, options, {});
  EXPECT_NEAR(weighted.objective, repeated.objective, 1e-10);
  ASSERT_EQ(weighted.clusters, repeated.clusters);
  std::size_t at = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    for (int r = 0; r < static_cast<int>(weights[i]); ++r) {
      EXPECT_EQ(repeated.assignment[at++], weighted.assignment[i]);
    }
  }
  for (std::size_t c = 0; c < weighted.cluster_weights.size(); ++c) {
    EXPECT_NEAR(weighted.cluster_weights[c], repeated.cluster_weights[c], 1e-12);
    EXPECT_NEAR(weighted.squared_norms[c], repeated.squared_norms[c], 1e-12);
  }
}

TEST(KernelKmeans, OneClusterHasTheVariance) {
  const Matrix<double> x = cloud_points(50, 3, 2.0, 22);
  const auto solution = kernel_kmeans(DenseGram<double>(linear_matrix(x)), {}, {.clusters = 1}, {});
  double total = 0;
  for (Index c = 0; c < 2; ++c) {
    double mean = 0;
    for (Index i = 0; i < 50; ++i) {
      mean += x(i, c) / 50;
    }
    for (Index i = 0; i < 50; ++i) {
      total += (x(i, c) - mean) * (x(i, c) - mean);
    }
  }
  EXPECT_NEAR(solution.objective, total, 1e-11 * total);
  EXPECT_EQ(solution.cluster_weights.front(), 50);
}

TEST(KernelKmeans, AsManyClustersAsDistinctSamplesCostNothing) {
  const Matrix<double> x = repeated_rows(cloud_points(5, 3, 4.0, 23), {3, 1, 2, 4, 1});
  const DenseGram<double> gram(rbf_matrix(x, 1.0));
  for (const Index clusters : {5, 6, 9, 20}) {
    const auto solution = kernel_kmeans(gram, {}, {.clusters = clusters, .restarts = 2}, {});
    EXPECT_EQ(solution.clusters, 5) << clusters;
    EXPECT_LT(solution.objective, 1e-12);
    EXPECT_EQ(solution.assignment, (std::vector<Index>{0, 0, 0, 1, 2, 2, 3, 3, 3, 3, 4}));
  }
}

TEST(KernelKmeans, EmptyClustersAreFilled) {
  const Matrix<double> x = cloud_points(60, 3, 6.0, 24);
  // Three of the clusters have no samples at the start.
  const std::vector<Index> start(60, 2);
  const auto solution = kernel_kmeans(DenseGram<double>(linear_matrix(x)), {}, {.clusters = 4, .start = start}, {});
  EXPECT_EQ(solution.clusters, 4);
  EXPECT_EQ(solution.reseeded, 3);
  for (std::size_t s = 1; s < solution.objectives.size(); ++s) {
    EXPECT_LE(solution.objectives[s], solution.objectives[s - 1]);
  }
}

TEST(KernelKmeans, IndefiniteKernelsEndWhereTheyWouldRise) {
  // Random symmetric matrices: squared "distances" to means that mean nothing.
  int stalled = 0;
  for (const std::uint64_t seed : {31, 32, 33, 34}) {
    RandomStream random(seed);
    Matrix<double> k(30, 30);
    for (Index i = 0; i < 30; ++i) {
      for (Index j = 0; j <= i; ++j) {
        k(i, j) = random.normal();
        k(j, i) = k(i, j);
      }
    }
    const auto solution =
        kernel_kmeans(DenseGram<double>(Matrix<double>::copy_of(k.view())), {}, {.clusters = 3, .restarts = 2}, {});
    for (std::size_t s = 1; s < solution.objectives.size(); ++s) {
      EXPECT_LE(solution.objectives[s], solution.objectives[s - 1] + 1e-10);
    }
    const double inertia = pair_inertia(k, solution.assignment, 3, ones(30));
    EXPECT_NEAR(std::max(0.0, inertia), solution.objective, 1e-10);
    EXPECT_NEAR(inertia, solution.objectives.back(), 1e-10);
    stalled += solution.status == SolveStatus::stalled ? 1 : 0;
  }
  EXPECT_GT(stalled, 0);
}

TEST(KernelKmeans, AnyNumberOfThreadsGivesTheSameBits) {
  const Matrix<double> x = cloud_points(700, 5, 2.0, 25);
  const auto solve = [&](int threads) {
    return kernel_kmeans(DenseGram<double>(rbf_matrix(x, 0.5)), {}, {.clusters = 7, .restarts = 4},
                         mercer::Run{{.threads = threads, .seed = 9}});
  };
  const auto one = solve(1);
  for (const int threads : {2, 3}) {
    const auto other = solve(threads);
    EXPECT_EQ(other.assignment, one.assignment);
    EXPECT_EQ(other.objectives, one.objectives);
    EXPECT_EQ(other.final_objectives, one.final_objectives);
  }
  EXPECT_EQ(one.final_objectives.size(), 4);
  EXPECT_EQ(one.objective, *std::min_element(one.final_objectives.begin(), one.final_objectives.end()));
}

TEST(KernelKmeans, StopsAtTheLimitAndAtTheTolerance) {
  const Matrix<double> x = cloud_points(400, 6, 1.0, 26);
  const DenseGram<double> gram(linear_matrix(x));
  const auto limited = kernel_kmeans(gram, {}, {.clusters = 6, .restarts = 1, .max_iterations = 2}, {});
  EXPECT_EQ(limited.status, SolveStatus::iteration_limit);
  EXPECT_EQ(limited.objectives.size(), 2);
  EXPECT_NEAR(pair_inertia(linear_matrix(x), limited.assignment, 6, ones(400)), limited.objective, 1e-9);
  const auto loose = kernel_kmeans(gram, {}, {.clusters = 6, .restarts = 1, .tolerance = 0.05}, {});
  const auto exact = kernel_kmeans(gram, {}, {.clusters = 6, .restarts = 1}, {});
  EXPECT_EQ(loose.status, SolveStatus::converged);
  EXPECT_LT(loose.objectives.size(), exact.objectives.size());
}

TEST(KernelKmeans, RefusesWhatMakesNoSense) {
  const DenseGram<double> gram(linear_matrix(cloud_points(5, 2, 1.0, 27)));
  EXPECT_ERROR(kernel_kmeans(gram, {}, {.clusters = 0}, {}), InvalidArgument, "clusters = 0");
  EXPECT_ERROR(kernel_kmeans(gram, {}, {.restarts = 0}, {}), InvalidArgument, "restarts = 0");
  EXPECT_ERROR(kernel_kmeans(gram, {}, {.max_iterations = 0}, {}), InvalidArgument, "max_iterations = 0");
  EXPECT_ERROR(kernel_kmeans(gram, {}, {.tolerance = -1}, {}), InvalidArgument, "tolerance = -1");
  EXPECT_ERROR(kernel_kmeans(gram, {}, {.clusters = 2, .start = {0, 1, 2, 0, 0}}, {}), InvalidArgument,
               "a cluster of the start = 2");
  EXPECT_ERROR(kernel_kmeans(gram, {}, {.clusters = 2, .start = {0, 1}}, {}), InvalidArgument,
               "a start of 2 clusters for 5 samples");
  EXPECT_ERROR(kernel_kmeans(gram, ones(4), {.clusters = 2}, {}), InvalidArgument, "4 weights for 5 samples");
  EXPECT_ERROR(kernel_kmeans(DenseGram<double>(Matrix<double>(0, 0)), {}, {}, {}), InvalidArgument,
               "k-means: there are no samples to sort into clusters");
  std::stop_source stop;
  stop.request_stop();
  EXPECT_ERROR(kernel_kmeans(gram, {}, {.clusters = 2}, mercer::Run{{.stop = stop.get_token()}}), Stopped,
               "stopped on request");
}

}  // namespace
}  // namespace mercer
