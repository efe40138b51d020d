// Parts of Gram matrices and weighted sums of their rows, for every kind of Gram.
#include <gtest/gtest.h>

#include "gram/gram_samples.h"
#include "mercer/base/error.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/stored_copy.h"
#include "mercer/gram/wrappers.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using namespace gram_test;

std::vector<Index> random_order(Index size) {
  RandomStream random(2, 8);
  return random_permutation(random, size);
}

template <class T>
class SubsetTest : public ::testing::Test {
 protected:
  static std::shared_ptr<const Gram<T>> kernel_gram(Index n, const char* spec = test_spec) {
    return std::make_shared<KernelGram<T>>(std::make_shared<const PreparedKernel>(
        parse_kernel(spec), make_dense(random_matrix(n, 4, 3)), precision_of<T>, run_on(1)));
  }
  static std::vector<std::shared_ptr<const Gram<T>>> all_kinds(Index n) {
    const std::shared_ptr<const Gram<T>> gram = kernel_gram(n);
    std::vector<double> numbers(n);
    std::vector<double> signs(numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = 0.1 * static_cast<double>(i % 7);
      signs[i] = i % 3 == 0 ? -1 : 1;
    }
    return {gram,
            kernel_gram(n, "center(rbf(gamma=0.2))"),
            kernel_gram(n, "rbf(gamma=0.2) + 0.5*white"),
            std::make_shared<DenseGram<T>>(stored_copy<T>(*gram, run_on(1))),
            std::make_shared<ShiftedGram<T>>(gram, numbers),
            std::make_shared<SignedGram<T>>(gram, signs),
            std::make_shared<CenteredGram<T>>(gram, run_on(1))};
  }
  static Matrix<double> stored(const Gram<T>& gram) { return converted_back(stored_copy<T>(gram, run_on(1))); }
  static Matrix<double> converted_back(const Matrix<T>& x) {
    Matrix<double> y(x.rows(), x.columns());
    std::copy_n(x.data(), x.rows() * x.columns(), y.data());
    return y;
  }
  // Kernel means of single precision are sums of rounded values.
  static double bound() { return 8 * entry_bound<T>(); }
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SubsetTest, Precisions);

TYPED_TEST(SubsetTest, HoldsTheListedEntries) {
  using T = TypeParam;
  const Index n = 61;
  const std::vector<std::vector<Index>> lists = {{}, {60}, {3, 3, 0}, {59, 2, 17, 40, 8, 9, 10, 11}};
  for (const auto& gram : this->all_kinds(n)) {
    const Matrix<double> whole = this->stored(*gram);
    for (const std::vector<Index>& list : lists) {
      const auto part = gram->subset(list, run_on(2));
      const auto size = static_cast<Index>(list.size());
      ASSERT_EQ(part->size(), size);
      EXPECT_EQ(part->work_per_entry(), gram->work_per_entry());
      const Matrix<double> entries = this->stored(*part);
      std::vector<double> diagonal(list.size());
      part->diagonal(diagonal);
      Matrix<T> rows(size, size);
      part->rows(random_order(size), rows.view(), run_on(2));
      for (Index a = 0; a < size; ++a) {
        const Index i = list[a];
        for (Index b = 0; b < size; ++b) {
          const double expected = whole(i, list[b]);
          ASSERT_NEAR(entries(a, b), expected, this->bound());
          const Index c = random_order(size)[a];
          ASSERT_NEAR(static_cast<double>(rows(a, b)), whole(list[c], list[b]), this->bound());
        }
        EXPECT_NEAR(diagonal[a], whole(i, i), this->bound());
      }
    }
  }
}

TYPED_TEST(SubsetTest, SubsetsOfSubsets) {
  for (const auto& gram : this->all_kinds(40)) {
    const Matrix<double> whole = this->stored(*gram);
    const std::vector<Index> first = {5, 1, 30, 20, 39, 7};
    const std::vector<Index> second = {4, 0, 2};
    const auto outer = gram->subset(first, run_on(1));
    const Matrix<double> entries = this->stored(*outer->subset(second, run_on(1)));
    const std::vector<Index> both = {39, 5, 30};
    for (Index a = 0; a < 3; ++a) {
      for (Index b = 0; b < 3; ++b) {
        EXPECT_NEAR(entries(a, b), whole(both[a], both[b]), this->bound());
      }
    }
  }
}

TYPED_TEST(SubsetTest, AccumulateAddsWeightedRows) {
  for (const Index n : {1, 5, 300}) {
    for (const auto& gram : this->all_kinds(n)) {
      const Matrix<double> whole = this->stored(*gram);
      for (const Index count : {0, 1, 3, 4, 7, 260}) {
        RandomStream random(4, 9);
        std::vector<Index> list;
        std::vector<double> coefficients;
        for (Index a = 0; a < count; ++a) {
          list.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(n))));  // repeats on purpose
          coefficients.push_back(random.normal());
        }
        std::vector<double> sums(n, 0.5);
        gram->accumulate(list, coefficients, sums, run_on(2));
        for (Index j = 0; j < n; ++j) {
          double expected = 0.5;
          double size = 1;
          for (Index a = 0; a < count; ++a) {
            const double c = coefficients[a];
            expected += c * whole(list[a], j);
            size += std::abs(c);
          }
          ASSERT_NEAR(sums[j], expected, this->bound() * size);
        }
        for (const int threads : {1, 3}) {
          std::vector<double> again(n, 0.5);
          gram->accumulate(list, coefficients, again, run_on(threads));
          ASSERT_EQ(again, sums);
        }
      }
    }
  }
}

TYPED_TEST(SubsetTest, RefusesRowsOutOfRangeAndOtherLengths) {
  const auto gram = this->kernel_gram(6);
  std::vector<double> out(6);
  EXPECT_ERROR(gram->subset(std::vector<Index>{0, 6}, run_on(1)), InvalidArgument, "row 6 of a Gram matrix of size 6");
  EXPECT_ERROR(gram->subset(std::vector<Index>{-1}, run_on(1)), InvalidArgument, "row -1 of a Gram matrix of size 6");
  EXPECT_ERROR(gram->accumulate(std::vector<Index>{6}, std::vector<double>{1}, out, run_on(1)), InvalidArgument,
               "row 6 of a Gram matrix of size 6");
  EXPECT_ERROR(gram->accumulate(std::vector<Index>{1}, std::vector<double>{1, 2}, out, run_on(1)), InvalidArgument,
               "a sum of 1 rows of a Gram matrix of size 6 is given 2 coefficients and a");
  std::vector<double> shorter(5);
  EXPECT_ERROR(gram->accumulate(std::vector<Index>{1}, std::vector<double>{1}, shorter, run_on(1)), InvalidArgument,
               "a sum of 1 rows of a Gram matrix of size 6 is given 1 coefficients and a");
}

TYPED_TEST(SubsetTest, WorkGrowsWithTheSamples) {
  using T = TypeParam;
  const auto work = [](Samples samples) {
    return KernelGram<T>(std::make_shared<const PreparedKernel>(parse_kernel("rbf(gamma=1)"), samples, precision_of<T>,
                                                                run_on(1)))
        .work_per_entry();
  };
  EXPECT_LT(work(make_dense(random_matrix(5, 2, 1))), 64);
  EXPECT_GT(work(make_dense(random_matrix(5, 200, 1))), 64);
  Matrix<double> few = Matrix<double>::filled(5, 2000, 0.0);
  few(0, 3) = 1;
  EXPECT_LT(work(make_sparse_from(few)), 64);
  EXPECT_EQ(DenseGram<T>(Matrix<T>::filled(2, 2, T(1))).work_per_entry(), 0);
}

}  // namespace
}  // namespace mercer
