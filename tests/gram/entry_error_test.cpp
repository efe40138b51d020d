#include "mercer/gram/entry_error.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/random.h"
#include "mercer/kernels/spec.h"

namespace mercer {
namespace {

Samples offset_points(Index rows, Index columns, double offset) {
  Matrix<double> x(rows, columns);
  RandomStream random(5, 99);
  fill_normal(random, {x.data(), static_cast<std::size_t>(rows * columns)});
  for (Index i = 0; i < rows * columns; ++i) {
    x.data()[i] += offset;
  }
  return make_dense(std::move(x));
}

double error_of(const char* spec, double offset) {
  return single_precision_errors(parse_kernel(spec), offset_points(300, 4, offset), {}).by_the_kernel.worst;
}

// One rounding of a float of size 1 is 6e-8.
TEST(EntryError, TranslationInvariantKernelsDoNotFeelOffsets) {
  for (const char* spec : {"rbf(gamma=0.3)", "laplacian(gamma=0.3)", "matern(lengthscale=2)", "anova(degree=2)",
                           "periodic(period=3)", "bspline(order=3, lengthscale=2)"}) {
    EXPECT_LT(error_of(spec, 0), 4e-6) << spec;
    EXPECT_LT(error_of(spec, 1e7), 4e-6) << spec;
  }
}

TEST(EntryError, DataThatIsRoundedFirstHasLostIt) {
  const auto rounded_first = [](double offset) {
    return single_precision_errors(parse_kernel("rbf(gamma=0.3)"), offset_points(300, 4, offset), {})
        .rounded_before.worst;
  };
  EXPECT_LT(rounded_first(0), 4e-6);
  EXPECT_GT(rounded_first(1e7), 0.1);
}

TEST(EntryError, DotProductsDo) {
  EXPECT_LT(error_of("linear()", 0), 1e-5);
  EXPECT_GT(error_of("linear()", 1e5), 100.0);  // values are 4e10, of which float has seven digits
}

TEST(EntryError, WhatFloatCannotHoldIsInfinitelyWrong) {
  EXPECT_TRUE(std::isinf(error_of("linear()", 1e30)));
  EXPECT_GT(single_precision_errors(parse_kernel("linear()"), offset_points(3, 2, 1e30), {}).by_the_kernel.largest,
            1e60);
}

TEST(EntryError, StringsAreRoundedOnce) {
  const std::vector<std::string> words = {"abab", "abba", "aaaa"};
  const EntryError entry =
      single_precision_errors(parse_kernel("spectrum(k=2)"), make_strings(words), {}).by_the_kernel;
  EXPECT_EQ(entry.largest, 9);  // aaaa: three times aa
  EXPECT_NEAR(entry.worst, 9 * std::ldexp(1.0, -24), 1e-12);
}

// Sums of whole numbers that float holds exactly are rounded all the same: half a unit in the last place of the largest.
TEST(EntryError, ExactValuesAreRoundedInSums) {
  Matrix<double> x(2, 2);
  x(0, 0) = x(0, 1) = x(1, 0) = 1001;
  x(1, 1) = 1000;
  const EntryError entry =
      single_precision_errors(parse_kernel("linear()"), make_dense(std::move(x)), {}).by_the_kernel;
  EXPECT_EQ(entry.largest, 2004002);
  EXPECT_DOUBLE_EQ(entry.typical, 2004002 * std::ldexp(1.0, -24));
  EXPECT_DOUBLE_EQ(entry.worst, entry.typical);
  EXPECT_NEAR(entry.spread, 0.25, 1e-9);  // two rows at a distance of 1
}

TEST(EntryError, TheRuleComparesWithTheTolerance) {
  const EntryError entry{.typical = 1e-7, .worst = 1e-6, .largest = 1};
  const std::vector<double> coefficients = {300, -400};  // √Σα² = 500: 8 · 1e-7 · 500 + 1e-6 · 400
  EXPECT_TRUE(single_precision_suffices(entry, coefficients, 8.1e-4));
  EXPECT_FALSE(single_precision_suffices(entry, coefficients, 7.9e-4));
}

}  // namespace
}  // namespace mercer
