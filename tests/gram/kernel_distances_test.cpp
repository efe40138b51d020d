#include "mercer/gram/kernel_distances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/nearest_rows.h"
#include "mercer/gram/stored_copy.h"
#include "mercer/kernels/spec.h"
#include "support/expect_error.h"
#include "support/random_matrix.h"

namespace mercer {
namespace {

using testing::random_matrix;

double apart(const Matrix<double>& x, Index i, const Matrix<double>& z, Index j) {
  double sum = 0;
  for (Index c = 0; c < x.columns(); ++c) {
    sum += (x(i, c) - z(j, c)) * (x(i, c) - z(j, c));
  }
  return sum;
}

Samples samples_of(const Matrix<double>& x) { return make_dense(Matrix<double>::copy_of(x.view())); }

std::shared_ptr<const PreparedKernel> prepared(const char* kernel, const Samples& samples) {
  return std::make_shared<const PreparedKernel>(parse_kernel(kernel), samples, Precision::double_precision,
                                                mercer::Run());
}

TEST(DistanceGram, LinearKernelGivesEuclideanDistances) {
  const Matrix<double> x = random_matrix(300, 4, 1);
  const auto gram = std::make_shared<const KernelGram<double>>(prepared("linear()", samples_of(x)));
  const DistanceGram<double> squared(gram, DistancePower::squared);
  const DistanceGram<double> plain(gram, DistancePower::plain);
  const Matrix<double> all = stored_copy(squared, {});
  const Matrix<double> roots = stored_copy(plain, {});
  const std::vector<Index> list = {7, 299, 0};
  const std::vector<Index> columns = {3, 7, 200};
  Matrix<double> rows(3, 300);
  Matrix<double> gathered(3, 3);
  plain.rows(list, rows.view(), {});
  plain.gather(list, columns, gathered.view(), {});
  for (Index i = 0; i < 300; ++i) {
    for (Index j = 0; j < 300; ++j) {
      EXPECT_NEAR(all(i, j), apart(x, i, x, j), 1e-13 * 30);
      EXPECT_NEAR(roots(i, j), std::sqrt(all(i, j)), 1e-15 * 10);
    }
    EXPECT_EQ(roots(i, i), 0);
  }
  for (Index a = 0; a < 3; ++a) {
    for (Index j = 0; j < 300; ++j) {
      EXPECT_NEAR(rows(a, j), roots(list[a], j), 1e-7);
    }
    for (Index b = 0; b < 3; ++b) {
      EXPECT_NEAR(gathered(a, b), roots(list[a], columns[b]), 1e-7);
    }
  }
  EXPECT_EQ(rows(0, 7), 0);
  EXPECT_EQ(gathered(0, 1), 0);
}

TEST(DistanceGram, ConditionallyPositiveKernelsHaveDistancesToo) {
  const Matrix<double> x = random_matrix(20, 3, 2);
  // k = −‖x − z‖: d² = 2‖x − z‖.
  const auto gram = std::make_shared<const KernelGram<double>>(prepared("negative_distance(beta=1)", samples_of(x)));
  const Matrix<double> all = stored_copy(DistanceGram<double>(gram, DistancePower::squared), {});
  for (Index i = 0; i < 20; ++i) {
    for (Index j = 0; j < 20; ++j) {
      EXPECT_NEAR(all(i, j), 2 * std::sqrt(apart(x, i, x, j)), 1e-6);
    }
  }
}

TEST(KernelDiagonal, IsTheKernelOfEverySampleWithItself) {
  const Matrix<double> x = random_matrix(9000, 2, 3);
  const std::vector<double> values = kernel_diagonal(
      *prepared("poly(degree=2, gamma=1, coef0=1)", samples_of(random_matrix(5, 2, 4))), samples_of(x), {});
  ASSERT_EQ(values.size(), 9000);
  for (Index i = 0; i < 9000; ++i) {
    const double inner = x(i, 0) * x(i, 0) + x(i, 1) * x(i, 1);
    EXPECT_NEAR(values[i], (1 + inner) * (1 + inner), 1e-12 * (1 + inner) * (1 + inner));
  }
}

// All rows by distance, ties by row.
std::vector<NearRow> sorted_rows(const Matrix<double>& z, const Matrix<double>& x, Index i) {
  std::vector<NearRow> rows;
  for (Index j = 0; j < z.rows(); ++j) {
    rows.push_back({j, apart(x, i, z, j)});
  }
  std::sort(rows.begin(), rows.end(), [](const NearRow& a, const NearRow& b) {
    return a.squared_distance != b.squared_distance ? a.squared_distance < b.squared_distance : a.row < b.row;
  });
  return rows;
}

TEST(NearestRows, AreThoseOfAFullSort) {
  for (const Index n : {1, 2, 7, 300, 700}) {
    const Matrix<double> z = random_matrix(n, 3, 5);
    const Matrix<double> x = random_matrix(70, 3, 6);
    const auto kernel = prepared("linear()", samples_of(z));
    for (const Index k : {1, 3, 12}) {
      const auto found = nearest_rows(*kernel, {}, samples_of(x), static_cast<double>(k), OwnRow::keep, {});
      for (Index i = 0; i < 70; ++i) {
        const std::vector<NearRow> expected = sorted_rows(z, x, i);
        const std::vector<NearRow>& rows = found[i];
        ASSERT_EQ(static_cast<Index>(rows.size()), std::min(k, n));
        for (std::size_t a = 0; a < rows.size(); ++a) {
          EXPECT_EQ(rows[a].row, expected[a].row);
          EXPECT_NEAR(rows[a].squared_distance, expected[a].squared_distance, 1e-12);
        }
      }
    }
  }
}

TEST(NearestRows, ManyReferenceRowsInStripes) {
  const Matrix<double> z = random_matrix(40000, 2, 7);
  const Matrix<double> x = random_matrix(3, 2, 8);
  const auto kernel = prepared("linear()", samples_of(z));
  const auto one = nearest_rows(*kernel, {}, samples_of(x), 9, OwnRow::keep, mercer::Run{{.threads = 1}});
  const auto three = nearest_rows(*kernel, {}, samples_of(x), 9, OwnRow::keep, mercer::Run{{.threads = 3}});
  for (Index i = 0; i < 3; ++i) {
    const std::vector<NearRow> expected = sorted_rows(z, x, i);
    for (std::size_t a = 0; a < 9; ++a) {
      EXPECT_EQ(one[i][a].row, expected[a].row);
      EXPECT_EQ(three[i][a].row, expected[a].row);
      EXPECT_EQ(three[i][a].squared_distance, one[i][a].squared_distance);
    }
  }
}

TEST(NearestRows, EqualDistancesGoByRow) {
  // Far from everything an rbf kernel is 0: all rows are equally far away, and none is nearer than the first ones.
  const Matrix<double> z = random_matrix(600, 2, 9);
  const auto kernel = prepared("rbf(gamma=1)", samples_of(z));
  const Matrix<double> far = Matrix<double>::filled(1, 2, 1000.0);
  const auto found = nearest_rows(*kernel, {}, samples_of(far), 4, OwnRow::keep, {});
  ASSERT_EQ(found.front().size(), 4);
  for (std::size_t a = 0; a < 4; ++a) {
    EXPECT_EQ(found.front()[a].row, static_cast<Index>(a));
    EXPECT_EQ(found.front()[a].squared_distance, 2);
  }
}

// Ten copies of 40 rows, shuffled by position: distances to copies agree to the bit, and are 0 to a row that is equal.
TEST(NearestRows, EqualRowsHaveEqualDistances) {
  const Matrix<double> distinct = random_matrix(40, 6, 21);
  Matrix<double> z(400, 6);
  for (Index i = 0; i < 400; ++i) {
    std::copy_n(distinct.view().row_data((7 * i) % 40), 6, z.view().row_data(i));
  }
  const Matrix<double> others = random_matrix(30, 6, 22);
  for (const char* kernel : {"linear()", "rbf(gamma=0.2)", "poly(degree=2, gamma=1, coef0=1)"}) {
    const auto reference = prepared(kernel, samples_of(z));
    const auto own = nearest_rows(*reference, {}, samples_of(distinct), 10, OwnRow::keep, {});
    for (Index q = 0; q < 40; ++q) {
      const std::vector<NearRow>& rows = own[q];
      ASSERT_EQ(rows.size(), 10);
      for (std::size_t k = 0; k < rows.size(); ++k) {
        EXPECT_EQ(rows[k].squared_distance, 0) << kernel;
        EXPECT_EQ((7 * rows[k].row) % 40, q) << kernel;
        EXPECT_TRUE(k == 0 || rows[k - 1].row < rows[k].row);
      }
    }
    // Two and a half groups: the last one is cut by row number.
    const auto near = nearest_rows(*reference, {}, samples_of(others), 25, OwnRow::keep, {});
    for (const std::vector<NearRow>& rows : near) {
      ASSERT_EQ(rows.size(), 25);
      for (std::size_t k = 1; k < rows.size(); ++k) {
        const bool same_group = (7 * rows[k].row) % 40 == (7 * rows[k - 1].row) % 40;
        EXPECT_EQ(same_group, rows[k].squared_distance == rows[k - 1].squared_distance) << kernel;
      }
      std::vector<Index> last;
      for (Index i = 0; i < 400; ++i) {
        if ((7 * i) % 40 == (7 * rows.back().row) % 40) {
          last.push_back(i);
        }
      }
      for (std::size_t k = 0; k < 5; ++k) {
        EXPECT_EQ(rows[20 + k].row, last[k]) << kernel;
      }
    }
  }
}

// Samples that the kernel tells apart are not equal, whatever their values.
TEST(NearestRows, WhiteNoiseKeepsEqualRowsApart) {
  const Samples z = make_dense(std::vector<double>{1, 1, 5}, 3, 1);
  const auto rows = nearest_rows(*prepared("rbf(gamma=1) + white(variance=0.5)", z), {}, z, 2, OwnRow::keep, {});
  EXPECT_EQ(rows[1][0].row, 1);
  EXPECT_EQ(rows[1][0].squared_distance, 0);
  EXPECT_EQ(rows[1][1].row, 0);
  EXPECT_NEAR(rows[1][1].squared_distance, 1, 1e-15);
}

TEST(NearestRows, WeightsAreRepetitions) {
  const Matrix<double> z = random_matrix(200, 2, 10);
  const Matrix<double> x = random_matrix(20, 2, 11);
  std::vector<double> weights;
  for (Index j = 0; j < 200; ++j) {
    weights.push_back(1.0 + static_cast<double>(j % 4) / 2);
  }
  const auto kernel = prepared("linear()", samples_of(z));
  for (const double wanted : {1.0, 4.0, 1000.0}) {
    const auto found = nearest_rows(*kernel, weights, samples_of(x), wanted, OwnRow::keep, {});
    for (Index i = 0; i < 20; ++i) {
      std::size_t count = 0;
      double total = 0;
      for (const NearRow& row : sorted_rows(z, x, i)) {
        if (total >= wanted) {
          break;
        }
        ASSERT_LT(count, found[i].size());
        EXPECT_EQ(found[i][count++].row, row.row);
        total += weights[row.row];
      }
      EXPECT_EQ(found[i].size(), count);
    }
  }
}

TEST(NearestRows, OwnRowsCanBeLeftOut) {
  const Matrix<double> z = random_matrix(100, 2, 12);
  const auto kernel = prepared("linear()", samples_of(z));
  const auto found = nearest_rows(*kernel, {}, samples_of(z), 2, OwnRow::leave_out, {});
  for (Index i = 0; i < 100; ++i) {
    const std::vector<NearRow> expected = sorted_rows(z, z, i);
    EXPECT_EQ(expected[0].row, i);
    EXPECT_EQ(found[i][0].row, expected[1].row);
    EXPECT_EQ(found[i][1].row, expected[2].row);
  }
  std::vector<double> twice(100, 1.0);
  twice[5] = 2;
  EXPECT_EQ(nearest_rows(*kernel, twice, samples_of(z), 1, OwnRow::leave_out, {})[5].front().row, 5);
}

TEST(NearestRows, StringsHaveNeighborsToo) {
  const std::vector<std::string> words = {"aa", "ab", "bb", "aa"};
  const Samples samples = make_categories(words);
  const auto kernel = prepared("delta()", samples);
  const auto found = nearest_rows(*kernel, {}, samples, 2, OwnRow::keep, {});
  EXPECT_EQ(found[3][0].row, 0);
  EXPECT_EQ(found[3][1].row, 3);
  EXPECT_EQ(found[3][1].squared_distance, 0);
  EXPECT_EQ(found[1][1].squared_distance, 2);
}

TEST(NearestRows, RefusesWhatMakesNoSense) {
  const Samples samples = samples_of(random_matrix(5, 2, 13));
  const auto kernel = prepared("linear()", samples);
  EXPECT_ERROR(nearest_rows(*kernel, {}, samples, 0, OwnRow::keep, {}), InvalidArgument, "the number of neighbors = 0");
  EXPECT_ERROR(nearest_rows(*kernel, std::vector<double>(4, 1.0), samples, 1, OwnRow::keep, {}), InvalidArgument,
               "4 weights for 5 reference rows");
  EXPECT_ERROR(nearest_rows(*kernel, {}, samples_of(random_matrix(5, 3, 13)), 1, OwnRow::keep, {}), DataError,
               "samples with 3 columns where the kernel was prepared for 2");
  EXPECT_TRUE(nearest_rows(*kernel, {}, samples.slice({0, 0}), 1, OwnRow::keep, {}).empty());
}

}  // namespace
}  // namespace mercer
