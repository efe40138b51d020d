#include "mercer/solvers/fisher/fisher_greedy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stop_token>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/solvers/fisher/sparse_greedy.h"
#include "solvers/fisher_oracle.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::closed_form;
using testing::five_classes;
using testing::five_points;
using testing::gaussian_gram;
using testing::random_classes;
using testing::scatters;

TEST(FisherGreedy, GoldenPath) {
  const DenseGram<double> gram(gaussian_gram(five_points(), 0.5).matrix());
  const FisherGreedyOptions options{.lambda = 1, .penalty = FisherPenalty::coefficients, .candidates = 5};
  const FisherGreedy path = fisher_greedy(gram, five_classes(), options, {});
  EXPECT_EQ(path.rows, (std::vector<Index>{0, 1, 3, 4, 2}));
  const double golden[] = {3.5009457166, 1.9850976038, 1.5077997388, 1.3228874854, 1.1878709128};
  ASSERT_EQ(path.objectives.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(path.objectives[i], golden[i], 1e-10);
  }
}

// Every step against all candidates tried by the definition.
TEST(FisherGreedy, TakesTheBestCandidateOfAll) {
  for (const FisherPenalty penalty : {FisherPenalty::norm, FisherPenalty::coefficients}) {
    const Index n = 16;
    const auto [x, rows] = random_classes(n, 2, 2, true, 21);
    const Dense k = gaussian_gram(x, 0.7);
    const FisherGreedyOptions options{.lambda = 0.2, .penalty = penalty, .size = 6, .candidates = n};
    const FisherGreedy path = fisher_greedy(DenseGram<double>(k.matrix()), rows, options, {});
    ASSERT_EQ(path.rows.size(), 6U);
    std::vector<Index> set;
    std::vector<Index> everything;
    for (Index i = 0; i < n; ++i) {
      everything.push_back(i);
    }
    for (std::size_t step = 0; step < path.rows.size(); ++step) {
      double least = 1e300;
      for (Index j = 0; j < n; ++j) {
        std::vector<Index> tried = set;
        tried.push_back(j);
        if (std::ranges::find(set, j) != set.end()) {
          continue;
        }
        const Dense r =
            penalty == FisherPenalty::norm ? k.picked(tried, tried) : Dense::identity(static_cast<Index>(tried.size()));
        least = std::min(least, closed_form(k.picked(everything, tried), r, rows, 0.2).objective);
      }
      set.push_back(path.rows[step]);
      EXPECT_NEAR(path.objectives[step], least, 1e-8 * least) << step;
    }
  }
}

TEST(FisherGreedy, AllRowsAreTheExactDiscriminant) {
  const auto [x, rows] = random_classes(20, 2, 2, true, 22);
  const Dense k = gaussian_gram(x, 2.0);
  const FisherGreedy path = fisher_greedy(DenseGram<double>(k.matrix()), rows, {.lambda = 0.5, .candidates = 7}, {});
  ASSERT_EQ(path.rows.size(), 20U);
  EXPECT_EQ(std::set<Index>(path.rows.begin(), path.rows.end()).size(), 20U);
  EXPECT_NEAR(path.objectives.back(), closed_form(k, k, rows, 0.5).objective, 1e-8);
  EXPECT_TRUE(std::is_sorted(path.objectives.rbegin(), path.objectives.rend()));
}

TEST(FisherGreedy, SharesOfSeveralClassesAreThoseOfTheEigenproblem) {
  const auto [x, rows] = random_classes(30, 4, 4, true, 23);
  const Dense k = gaussian_gram(x, 0.3);
  const FisherGreedy path =
      fisher_greedy(DenseGram<double>(k.matrix()), rows, {.lambda = 0.4, .size = 8, .candidates = 10}, {});
  std::vector<Index> everything;
  for (Index i = 0; i < 30; ++i) {
    everything.push_back(i);
  }
  const auto s = scatters(k.picked(everything, path.rows), rows);
  // Σ θ = trace of (T + λR)⁻¹M.
  const Dense total = s.within + s.between + 0.4 * k.picked(path.rows, path.rows);
  EXPECT_NEAR(path.shares.back(), total.solve(s.between).trace(), 1e-9);
  EXPECT_NEAR(path.objectives.back(), 3 - path.shares.back(), 1e-12);
  EXPECT_TRUE(std::is_sorted(path.objectives.rbegin(), path.objectives.rend()));
}

TEST(FisherGreedy, RepeatedRowsEnterOnce) {
  const auto [x, rows] = random_classes(12, 2, 2, false, 24);
  std::vector<Index> twice;
  std::vector<std::int32_t> classes;
  for (Index i = 0; i < 24; ++i) {
    twice.push_back(i / 2);
    classes.push_back(static_cast<std::int32_t>(rows.class_of(i / 2)));
  }
  const Dense k = gaussian_gram(x, 2.0).picked(twice, twice);
  const ClassRows of(classes, std::vector<double>(24, 1.0));
  const FisherGreedy path = fisher_greedy(DenseGram<double>(k.matrix()), of, {.lambda = 0.1}, {});
  EXPECT_EQ(path.rows.size(), 12U);
  EXPECT_EQ(path.status, SolveStatus::converged);
  std::set<Index> originals;
  for (const Index row : path.rows) {
    originals.insert(row / 2);
  }
  EXPECT_EQ(originals.size(), 12U);
}

TEST(FisherGreedy, StopsOnToleranceAndOnRequest) {
  const auto [x, rows] = random_classes(60, 2, 2, false, 25);
  const DenseGram<double> gram(gaussian_gram(x, 0.1).matrix());
  const FisherGreedy loose = fisher_greedy(gram, rows, {.lambda = 1, .tolerance = 0.05}, {});
  EXPECT_LT(loose.rows.size(), 30U);
  const std::size_t last = loose.objectives.size() - 1;
  EXPECT_LT(loose.objectives[last - 1] - loose.objectives[last], 0.05 * loose.objectives[last - 1]);
  std::stop_source source;
  source.request_stop();
  const FisherGreedy stopped = fisher_greedy(gram, rows, {}, mercer::Run{{.stop = source.get_token()}});
  EXPECT_EQ(stopped.status, SolveStatus::stopped);
  EXPECT_TRUE(stopped.rows.empty());
  EXPECT_ERROR(fisher_greedy(gram, rows, {.lambda = -1}, {}), InvalidArgument, "lambda = -1");
  EXPECT_ERROR(fisher_greedy(gram, rows, {.candidates = 0}, {}), InvalidArgument, "candidates = 0");
  EXPECT_ERROR(fisher_greedy(gram, five_classes(), {}, {}), InvalidArgument,
               "a Gram matrix of 60 rows for 5 classified rows");
}

TEST(FisherGreedy, FiftyNineCandidates) {
  EXPECT_EQ(FisherGreedyOptions{}.candidates, greedy_candidate_count(.95, .05));
}

}  // namespace
}  // namespace mercer
