// Kernels on the nodes of one graph against matrix functions by other means: series, solutions, products, resistances.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/gram_values.h"
#include "kernels/law_objects.h"
#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::cross;
using testing::gram;

Dense weights_of(const Samples& samples) {
  const auto& rows = samples.as<DenseRows<double>>();
  Dense weights(rows.rows, rows.columns, 0);
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index j = 0; j < rows.columns; ++j) {
      weights(i, j) = i == j ? 0 : rows(i, j);
    }
  }
  return weights;
}

Dense laplacian(const Dense& weights, bool normalized) {
  const Index n = weights.rows();
  Dense result(n, n, 0);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      const double degrees = weights.row(i).sum() * weights.row(j).sum();
      const double unit = normalized ? (degrees > 0 ? std::sqrt(degrees) : 1) : 1;
      result(i, j) = ((i == j ? weights.row(i).sum() : 0.0) - weights(i, j)) / unit;
    }
  }
  return result;
}

// Taylor's series of exp(A/2^10), squared ten times.
Dense exponential(const Dense& a) {
  const Dense small = a / 1024;
  Dense term = Dense::identity(a.rows());
  Dense sum = term;
  for (int k = 1; k < 15; ++k) {
    term = term * small / k;
    sum += term;
  }
  for (int k = 0; k < 10; ++k) {
    sum = sum * sum;
  }
  return sum;
}

void expect_near(const Matrix<double>& k, const Dense& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(k.rows(), expected.rows());
  EXPECT_LT((Dense(k) - expected).max_abs(), tolerance * std::max(1.0, expected.max_abs())) << what;
}

Samples random_weights(std::uint64_t seed, Index n) {
  RandomStream random(seed, 0);
  return testing::law_adjacency(n, random);
}

TEST(NodeKernels, AreFunctionsOfTheLaplacian) {
  for (const Index n : {1, 2, 9, 20}) {
    const Samples samples = random_weights(static_cast<std::uint64_t>(n), n);
    const Dense one = Dense::identity(n);
    for (const bool normalized : {false, true}) {
      const Dense l = laplacian(weights_of(samples), normalized);
      const std::string word = std::string("laplacian=") + (normalized ? "normalized" : "plain");
      expect_near(gram("diffusion(beta=0.7, " + word + ")", samples), exponential(-0.7 * l), 1e-11, "diffusion");
      expect_near(gram("regularized_laplacian(sigma=1.5, " + word + ")", samples), (one + 2.25 * l).inverse(), 1e-12,
                  "regularized_laplacian");
      const Dense step = 50.0 * one - l;
      expect_near(gram("p_step_walk(a=50, p=3, " + word + ")", samples), step * step * step, 1e-12, "p_step_walk");
      // Of L⁺ the four conditions of Moore and Penrose.
      const Dense k(gram("commute_time(" + word + ")", samples));
      EXPECT_LT((l * k * l - l).max_abs(), 1e-10);
      EXPECT_LT((k * l * k - k).max_abs(), 1e-9 * std::max(1.0, k.max_abs()));
      EXPECT_LT((l * k - (l * k).transpose()).max_abs(), 1e-9);
    }
  }
}

// A path of resistors of one ohm and one of half an ohm, and a part apart.
TEST(NodeKernels, CommuteTimesAreResistances) {
  const Samples path = testing::dense({{0, 1, 0, 0, 0, 0},
                                       {1, 9, 1, 0, 0, 0},  // the loop does not matter
                                       {0, 1, 0, 2, 0, 0},
                                       {0, 0, 2, 0, 0, 0},
                                       {0, 0, 0, 0, 0, 4},
                                       {0, 0, 0, 0, 4, 0}});
  const Matrix<double> k = gram("commute_time()", path);
  const auto resistance = [&](Index i, Index j) { return k(i, i) + k(j, j) - 2 * k(i, j); };
  EXPECT_NEAR(resistance(0, 1), 1, 1e-13);
  EXPECT_NEAR(resistance(0, 2), 2, 1e-13);
  EXPECT_NEAR(resistance(0, 3), 2.5, 1e-13);
  EXPECT_NEAR(resistance(4, 5), 0.25, 1e-13);
  EXPECT_NEAR(k(0, 4), 0, 1e-14);
  // Two nodes, closed form of the heat.
  const Matrix<double> heat = gram("diffusion(beta=0.3)", testing::dense({{0, 1}, {1, 0}}));
  EXPECT_NEAR(heat(0, 0), (1 + std::exp(-0.6)) / 2, 1e-15);
  EXPECT_NEAR(heat(0, 1), (1 - std::exp(-0.6)) / 2, 1e-15);
  // p steps reach p edges.
  EXPECT_NEAR(gram("p_step_walk(p=2)", path)(0, 3), 0, 1e-14);
  EXPECT_GT(gram("p_step_walk(p=3)", path)(0, 3), 0.01);
}

TEST(NodeKernels, NodesAreKnownAgain) {
  const Index n = 14;
  const Samples all = random_weights(3, n);
  const Kernel kernel = parse_kernel("diffusion(beta=0.5)");
  const Matrix<double> k = gram(kernel, all);
  // In another order, by their row numbers.
  std::vector<Index> order;
  for (Index i = 0; i < n; ++i) {
    order.push_back((5 * i + 3) % n);
  }
  const Matrix<double> mixed = gram(kernel, all.select(order));
  const Matrix<double> some = cross(kernel, all.slice({4, 9}), all.select(order));
  // By their weights: a copy that knows nothing of the first.
  std::vector<double> copied;
  for (const Index i : {7, 2, 11}) {
    for (Index j = 0; j < n; ++j) {
      copied.push_back(all.as<DenseRows<double>>()(i, j));
    }
  }
  const Matrix<double> copies = cross(kernel, make_dense(copied, 3, n), all);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      EXPECT_NEAR(mixed(i, j), k(order[i], order[j]), 1e-14);
    }
    for (Index t = 0; t < 5; ++t) {
      EXPECT_NEAR(some(t, i), k(4 + t, order[i]), 1e-14);
    }
    EXPECT_NEAR(copies(0, i), k(7, i), 1e-14);
    EXPECT_NEAR(copies(1, i), k(2, i), 1e-14);
    EXPECT_NEAR(copies(2, i), k(11, i), 1e-14);
  }
  // Two leaves of a star look alike alone, not in the whole matrix.
  const testing::Points star = {{0, 1, 1}, {1, 0, 0}, {1, 0, 0}};
  const Matrix<double> leaves = gram(kernel, testing::dense(star));
  EXPECT_NEAR(cross(kernel, testing::dense(star), testing::dense(star))(2, 2), leaves(2, 2), 1e-15);
  EXPECT_ERROR(cross(kernel, testing::dense({{1, 0, 0}}), testing::dense(star)), DataError,
               "kernel diffusion: row 0 can be node 1 or node 2");
}

// Models keep their centers in single precision: the file they were trained on is known again, even where weights are
// not exact there and symmetric only up to rounding.
TEST(NodeKernels, NodesOfAModelInSinglePrecisionAreKnownAgain) {
  const double between = 0.75 + std::ldexp(1.0, -25);  // half way between two numbers of single precision
  const testing::Points weights = {{0, 0.1, 0.3}, {0.1, 0, between + 1e-12}, {0.3, between - 1e-12, 0}};
  testing::Points kept = weights;
  for (auto& row : kept) {
    for (double& weight : row) {
      weight = static_cast<double>(static_cast<float>(weight));
    }
  }
  const Kernel kernel = parse_kernel("diffusion()");
  const Matrix<double> k = gram(kernel, testing::dense(weights));
  const Matrix<double> again = cross(kernel, testing::dense(weights), testing::dense(kept));
  const Matrix<double> one = cross(kernel, testing::dense({weights[2]}), testing::dense(kept));
  for (Index j = 0; j < 3; ++j) {
    for (Index i = 0; i < 3; ++i) {
      EXPECT_NEAR(again(i, j), k(i, j), 1e-6);
    }
    EXPECT_NEAR(one(0, j), k(2, j), 1e-6);
  }
}

// Leaves of a star have the same weights; their row numbers tell them apart, also in a part of the file.
TEST(NodeKernels, NodesWithTheSameNeighborsAreToldByTheirNumbers) {
  const testing::Points star = {{0, 1, 1, 1, 2}, {1, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {1, 0, 0, 0, 0}, {2, 0, 0, 0, 0}};
  const Kernel kernel = parse_kernel("diffusion()");
  const Samples trained = testing::dense(star);
  const Samples copy = testing::dense(star);
  const Matrix<double> k = gram(kernel, trained);
  const Matrix<double> part = cross(kernel, copy.slice({1, 4}), trained);
  for (Index i = 0; i < 3; ++i) {
    for (Index j = 0; j < 5; ++j) {
      EXPECT_EQ(part(i, j), k(i + 1, j)) << i << "," << j;
    }
  }
  // A file of its own: nodes 4 and 2, the second of which stands where node 1 stands in the graph.
  EXPECT_ERROR(cross(kernel, testing::dense({star[4], star[2]}), trained), DataError,
               "kernel diffusion: row 1 can be node 1 or node 2");
}

TEST(NodeKernels, ManyNodesAreRefusedBeforeTheyAreStored) {
  const Index n = 100000;  // 80 GB as a dense matrix
  const Samples sparse = make_sparse(std::vector<double>(), std::vector<std::int32_t>(),
                                     std::vector<std::int64_t>(static_cast<std::size_t>(n) + 1, 0), n);
  EXPECT_ERROR(gram("diffusion()", sparse), InvalidArgument, "kernel diffusion: 100000 nodes; at most 10000");
}

// An edge of weight 1e-16 beside edges of weight 1: its eigenvalue is rounding error, whatever its sign.
TEST(NodeKernels, CommuteTimesAcrossWeightsThatRoundingHidesAreRefused) {
  for (const double joint : {1e-16, 3e-17, 1e-17}) {
    EXPECT_ERROR(
        gram("commute_time()", testing::dense({{0, 1, 0, 0}, {1, 0, joint, 0}, {0, joint, 0, 1}, {0, 0, 1, 0}})),
        NumericalError, "commute_time: parts of the graph are joined by weights that are too small to")
        << joint;
  }
  const Matrix<double> k =
      gram("commute_time()", testing::dense({{0, 1, 0, 0}, {1, 0, 1e-6, 0}, {0, 1e-6, 0, 1}, {0, 0, 1, 0}}));
  EXPECT_NEAR(k(1, 1) + k(2, 2) - 2 * k(1, 2), 1e6, 1e-3);
}

TEST(NodeKernels, WhatIsNoGraphIsRefused) {
  const Samples all = random_weights(4, 8);
  const auto refused = [](const testing::Points& weights) {
    EXPECT_ERROR(gram("diffusion()", testing::dense(weights)), DataError, "kernel diffusion:");
  };
  refused({{0, 1}, {0.5, 0}});
  refused({{0, -1}, {-1, 0}});
  refused({{0, std::numeric_limits<double>::quiet_NaN()}, {1, 0}});
  refused({{0, 1, 0}, {1, 0, 1}});
  EXPECT_ERROR(gram("diffusion()", all.slice({0, 5})), DataError,
               "kernel diffusion: the samples are 5 rows of 8 weights");
  EXPECT_ERROR(gram("diffusion()", make_strings(std::vector<std::string>{"a"})), InvalidArgument,
               "kernel diffusion compares the nodes of one graph");
  EXPECT_ERROR(cross(parse_kernel("diffusion()"), testing::dense({{0, 1, 0, 0, 0, 0, 0, 7}}), all), DataError,
               "kernel diffusion: row 0 is no node of the training graph");
  EXPECT_ERROR(gram("p_step_walk(a=0.5)", all), InvalidArgument, "p_step_walk: a = 0.5");
  EXPECT_EQ(gram("diffusion()", make_dense(std::vector<double>(), 0, 5)).rows(), 0);
}

TEST(NodeKernels, SparseWeightsGiveTheSameValues) {
  const Samples sparse =
      make_sparse(std::vector<double>{1, 1, 2, 2}, std::vector<std::int32_t>{1, 0, 2, 1}, {0, 1, 3, 4}, 3);
  const Matrix<double> a = gram("diffusion(beta=0.4)", sparse);
  const Matrix<double> b = gram("diffusion(beta=0.4)", testing::dense({{0, 1, 0}, {1, 0, 2}, {0, 2, 0}}));
  for (Index i = 0; i < 9; ++i) {
    EXPECT_EQ(a.data()[i], b.data()[i]);
  }
}

}  // namespace
}  // namespace mercer
