#include "mercer/gram/definiteness_check.h"

#include <gtest/gtest.h>

#include "gram/gram_samples.h"
#include "mercer/base/error.h"
#include "mercer/gram/distances.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/gram/repair.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using namespace gram_test;

template <class F>
Matrix<double> scalar_gram(const std::vector<double>& x, F k) {
  const auto n = static_cast<Index>(x.size());
  Matrix<double> gram(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) {
      gram(i, j) = k(x[i], x[j]);
    }
  }
  return gram;
}

template <class F>
Matrix<double> distance_gram(const Matrix<double>& x, F k) {
  Matrix<double> gram(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.rows(); ++j) {
      double squared = 0;
      for (Index c = 0; c < x.columns(); ++c) {
        squared += (x(i, c) - x(j, c)) * (x(i, c) - x(j, c));
      }
      gram(i, j) = k(std::sqrt(squared));
    }
  }
  return gram;
}

double quadratic_form(const Matrix<double>& k, const std::vector<double>& v) {
  double sum = 0;
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.rows(); ++j) {
      sum += v[i] * k(i, j) * v[j];
    }
  }
  return sum;
}

DefinitenessReport check(const Matrix<double>& k, const DefinitenessOptions& options = {}) {
  return check_definiteness(DenseGram<double>(Matrix<double>::copy_of(k.view())), options, run_on(2));
}

TEST(Definiteness, SigmoidKernelsOfThePrintedExamples) {
  const Matrix<double> k = scalar_gram({0, 1, 2}, [](double x, double y) { return std::tanh(0.5 + x * y); });
  const DefinitenessReport report = check(k);
  EXPECT_EQ(report.kind, DefinitenessKind::indefinite);
  ASSERT_EQ(report.eigenvalues.size(), 3U);
  EXPECT_NEAR(report.eigenvalues[0], -0.03616, 5e-6);
  EXPECT_NEAR(report.eigenvalues[1], 0.21558, 5e-6);
  EXPECT_NEAR(report.eigenvalues[2], 2.18760, 5e-6);
  EXPECT_EQ(report.negative, 1);
  EXPECT_NEAR(quadratic_form(k, report.witness), report.smallest, 1e-14);

  const DefinitenessReport second = check(scalar_gram({.5, 1, 3}, [](double x, double y) { return std::tanh(x * y); }));
  EXPECT_NEAR(second.smallest, -0.40627, 5e-6);
}

TEST(Definiteness, PositiveMatricesOfLowRankStayPositive) {
  const Matrix<double> x = random_matrix(200, 3, 60);
  const DefinitenessReport report = check(multiplied(x, transposed(x)));
  EXPECT_EQ(report.kind, DefinitenessKind::positive);
  EXPECT_EQ(report.negative, 0);
  EXPECT_TRUE(report.witness.empty());
  EXPECT_EQ(check(Matrix<double>::filled(4, 4, 0.0)).kind, DefinitenessKind::positive);
  EXPECT_EQ(check(Matrix<double>(0, 0)).kind, DefinitenessKind::positive);
  EXPECT_EQ(check(Matrix<double>::filled(1, 1, 2.0)).kind, DefinitenessKind::positive);
  EXPECT_EQ(check(Matrix<double>::filled(1, 1, -2.0)).smallest, -2);
}

TEST(Definiteness, ConditionalOrders) {
  const Matrix<double> x = random_matrix(60, 2, 61);
  const DefinitenessOptions with_points{.coordinates = make_dense(Matrix<double>::copy_of(x.view()))};
  // −r is conditional of order 1, r² ln r of order 2, r⁴ ln r · (−1)³ of order 3 (the signs alternate).
  const DefinitenessReport first = check(distance_gram(x, [](double r) { return -r; }));
  EXPECT_EQ(first.kind, DefinitenessKind::conditional);
  EXPECT_EQ(first.order, 1);
  const Matrix<double> plate = distance_gram(x, [](double r) { return r > 0 ? r * r * std::log(r) : 0; });
  EXPECT_EQ(check(plate, with_points).order, 2);
  EXPECT_EQ(check(plate).kind, DefinitenessKind::indefinite);  // order 2 cannot be judged without coordinates
  const DefinitenessReport third =
      check(distance_gram(x, [](double r) { return r > 0 ? -std::pow(r, 4) * std::log(r) : 0; }), with_points);
  EXPECT_EQ(third.kind, DefinitenessKind::conditional);
  EXPECT_EQ(third.order, 3);
  const DefinitenessReport none = check(distance_gram(x, [](double r) { return std::sin(5 * r); }), with_points);
  EXPECT_EQ(none.kind, DefinitenessKind::indefinite);
  EXPECT_LT(none.projected_smallest, -none.tolerance);
}

TEST(Definiteness, TooFewSamplesForAnOrder) {
  const Matrix<double> x = random_matrix(3, 2, 62);
  const DefinitenessOptions options{.coordinates = make_dense(Matrix<double>::copy_of(x.view()))};
  Matrix<double> k = Matrix<double>::filled(3, 3, 0.0);
  k(0, 0) = -1;
  k(1, 1) = -2;
  k(2, 2) = -3;
  const DefinitenessReport report = check(k, options);
  EXPECT_EQ(report.kind, DefinitenessKind::indefinite);
  EXPECT_EQ(report.negative, 3);
  EXPECT_FALSE(report.note.empty());
}

TEST(Definiteness, LargeMatricesByTheirEnds) {
  const Matrix<double> x = random_matrix(300, 2, 63);
  const Matrix<double> minus_r = distance_gram(x, [](double r) { return -r; });
  const DefinitenessReport exact = check(minus_r);
  const DefinitenessReport ends = check(minus_r, {.exact_size = 100});
  EXPECT_NEAR(ends.smallest, exact.smallest, 1e-6 * std::abs(exact.smallest));
  EXPECT_NEAR(ends.largest, exact.largest, 1e-6 * std::abs(exact.smallest));
  EXPECT_EQ(ends.order, 1);
  EXPECT_EQ(ends.negative, -1);
  EXPECT_FALSE(ends.note.empty());
  EXPECT_NEAR(quadratic_form(minus_r, ends.witness), ends.smallest, 1e-6 * std::abs(ends.smallest));
  EXPECT_EQ(check(multiplied(x, transposed(x)), {.exact_size = 100}).kind, DefinitenessKind::positive);
}

TEST(Definiteness, OptionsAreChecked) {
  const Matrix<double> k = Matrix<double>::filled(3, 3, 1.0);
  EXPECT_ERROR(check(k, {.tolerance = -1}), InvalidArgument, "tolerance = -1");
  EXPECT_ERROR(check(k, {.exact_size = 0}), InvalidArgument, "exact_size = 0");
  EXPECT_ERROR(check(k, {.largest_order = 4}), InvalidArgument, "largest_order = 4");
  EXPECT_ERROR(check(k, {.coordinates = make_dense(random_matrix(2, 1, 0))}), InvalidArgument,
               "the coordinates for conditional definiteness must be numeric samples");
}

TEST(Repair, MakesMatricesPositive) {
  const Matrix<double> x = random_matrix(80, 2, 64);
  const Matrix<double> k = distance_gram(x, [](double r) { return std::sin(3 * r) - 0.2; });
  const DenseGram<double> gram(Matrix<double>::copy_of(k.view()));
  const SymmetricEigen<double> before = symmetric_eigen(k.view(), run_on(1));
  ASSERT_LT(before.values[0], -1);
  const double size = before.values.back();
  for (const SpectrumRepair repair :
       {SpectrumRepair::shift, SpectrumRepair::clip, SpectrumRepair::flip, SpectrumRepair::square}) {
    std::vector<double> expected;
    for (const double value : before.values) {
      expected.push_back(repair == SpectrumRepair::shift  ? value - before.values[0]
                         : repair == SpectrumRepair::clip ? std::max(value, 0.0)
                         : repair == SpectrumRepair::flip ? std::abs(value)
                                                          : value * value);
    }
    std::sort(expected.begin(), expected.end());
    const Matrix<double> fixed = repaired(gram, repair, run_on(2));
    const std::vector<double> after = symmetric_eigenvalues(fixed.view(), run_on(1));
    for (std::size_t i = 0; i < after.size(); ++i) {
      ASSERT_NEAR(after[i], expected[i], 1e-12 * size * size);
    }
    for (Index i = 0; i < 80; ++i) {
      for (Index j = 0; j < i; ++j) {
        ASSERT_EQ(fixed(i, j), fixed(j, i));
      }
    }
    if (repair == SpectrumRepair::square) {
      EXPECT_LE(largest_difference(fixed, multiplied(transposed(k), k)), 1e-11);
    } else if (repair == SpectrumRepair::shift) {
      EXPECT_EQ(fixed(3, 1), k(3, 1));
    }
  }
}

TEST(Repair, LeavesPositiveMatricesAlone) {
  Matrix<double> k = Matrix<double>::filled(2, 2, 0.0);
  k(0, 0) = 1;
  k(1, 1) = 2;
  const DenseGram<double> gram(Matrix<double>::copy_of(k.view()));
  EXPECT_LE(largest_difference(repaired(gram, SpectrumRepair::shift, run_on(1)), k), 0);
  EXPECT_LE(largest_difference(repaired(gram, SpectrumRepair::clip, run_on(1)), k), 1e-15);
  EXPECT_EQ(repaired(DenseGram<double>(Matrix<double>(0, 0)), SpectrumRepair::flip, run_on(1)).rows(), 0);
}

TEST(Distances, BothScales) {
  for (const Index n : {1, 257}) {
    const Matrix<double> x = random_matrix(n, 3, 65);
    const Matrix<double> expected = distance_gram(x, [](double r) { return r * r; });
    Matrix<double> out(n, n);
    // Of the linear kernel, the distances in feature space are those in input space.
    squared_distances<double>(DenseGram<double>(multiplied(x, transposed(x))), DistanceScale::feature_space, out.view(),
                              run_on(2));
    EXPECT_LE(largest_difference(out, expected), 1e-12);
    // −r² is conditionally positive; its distance is r.
    squared_distances<double>(DenseGram<double>(distance_gram(x, [](double r) { return -r * r; })),
                              DistanceScale::conditional, out.view(), run_on(2));
    EXPECT_LE(largest_difference(out, expected), 1e-12);
    EXPECT_EQ(out(n - 1, n - 1), 0);
  }
}

}  // namespace
}  // namespace mercer
