#include "mercer/expansion/parametric_part.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/expansion/expansion.h"
#include "mercer/expansion/parametric_functions.h"
#include "mercer/kernels/spec.h"
#include "support/expect_error.h"
#include "support/random_matrix.h"

namespace mercer {
namespace {

using testing::random_matrix;

// Columns age and dose, and a category.
Samples patients(Matrix<double> numbers) {
  std::vector<std::string> sex(static_cast<std::size_t>(numbers.rows()), "f");
  return make_table(Table(make_dense(std::move(numbers)), {"age", "dose"}, {{"sex", make_categories(sex)}}));
}

TEST(ParametricPart, TextsReadBackAsTheSamePart) {
  for (const std::string text :
       {"none", "constant", "linear", "quadratic", "linear[age, dose]", "quadratic[\"body mass\"]", "linear[0:3]",
        "periodic(period=12)", "periodic(period=0.5, harmonics=3)[age]", "linear + periodic(period=7)[1]"}) {
    const ParametricPart part = ParametricPart::parse(text);
    EXPECT_EQ(part.text(), text);
    EXPECT_EQ(ParametricPart::parse(part.text()), part) << text;
  }
  EXPECT_EQ(ParametricPart::parse("linear"), ParametricPart(ParametricPart::linear));
  EXPECT_EQ(ParametricPart::parse("constant + linear"), ParametricPart(ParametricPart::linear));
  EXPECT_EQ(ParametricPart::parse("periodic(harmonics=2,period=2^3)").text(), "periodic(period=8, harmonics=2)");
  EXPECT_EQ(ParametricPart().text(), "none");
  EXPECT_NE(ParametricPart(ParametricPart::none), ParametricPart(ParametricPart::constant));
}

TEST(ParametricPart, WrongTextsSayWhatWasExpected) {
  EXPECT_ERROR(ParametricPart::parse(""), InvalidArgument,
               "expected one of none, constant, linear, quadratic, periodic");
  EXPECT_ERROR(ParametricPart::parse("cubic"), InvalidArgument, "found 'cubic'");
  EXPECT_ERROR(ParametricPart::parse("liner"), InvalidArgument, "Did you mean 'linear'?");
  EXPECT_ERROR(ParametricPart::parse("none + linear"), InvalidArgument, "found 'none'");
  EXPECT_ERROR(ParametricPart::parse("linear linear"), InvalidArgument, "expected '+' or the end");
  EXPECT_ERROR(ParametricPart::parse("linear[]"), InvalidArgument, "expected a column");
  EXPECT_ERROR(ParametricPart::parse("periodic"), InvalidArgument, "periodic(period=12)");
  EXPECT_ERROR(ParametricPart::parse("periodic(harmonics=2)"), InvalidArgument, "need their period");
  EXPECT_ERROR(ParametricPart::parse("periodic(period=0)"), InvalidArgument, "the period is a positive number");
  EXPECT_ERROR(ParametricPart::parse("periodic(period=inf)"), InvalidArgument, "the period is a positive number");
  EXPECT_ERROR(ParametricPart::parse("periodic(period=1, harmonics=1.5)"), InvalidArgument, "a whole number from 1");
  EXPECT_ERROR(ParametricPart::parse("periodic(phase=1)"), InvalidArgument, "expected period= or harmonics=");
  EXPECT_ERROR(ParametricPart({{.shape = ParametricShape::periodic, .period = -1}}), InvalidArgument, "period");
}

TEST(ParametricFunctions, HaveTheirValuesAndNames) {
  const Samples samples =
      patients(Matrix<double>::copy_of(ConstMatrixView<double>(std::vector<double>{2, -3, 0.5, 4}.data(), 2, 2)));
  struct Case {
    std::string text;
    std::vector<std::string> names;
    std::vector<double> first;  // of age = 2, dose = -3
  };
  const double third = 2 * std::numbers::pi * 2 / 3;
  const std::vector<Case> cases = {
      {"none", {}, {}},
      {"constant", {"1"}, {1}},
      {"linear", {"1", "age", "dose"}, {1, 2, -3}},
      {"linear[dose]", {"1", "dose"}, {1, -3}},
      {"linear[dose] + linear[0]", {"1", "dose", "age"}, {1, -3, 2}},
      {"quadratic", {"1", "age", "dose", "age^2", "age*dose", "dose^2"}, {1, 2, -3, 4, -6, 9}},
      {"periodic(period=3, harmonics=2)[age]",
       {"1", "sin(2*pi*age/3)", "cos(2*pi*age/3)", "sin(4*pi*age/3)", "cos(4*pi*age/3)"},
       {1, std::sin(third), std::cos(third), std::sin(2 * third), std::cos(2 * third)}}};
  for (const Case& c : cases) {
    const ParametricFunctions functions(ParametricPart::parse(c.text), samples);
    EXPECT_EQ(functions.names(), c.names) << c.text;
    ASSERT_EQ(functions.count(), static_cast<Index>(c.first.size())) << c.text;
    Matrix<double> values(1, functions.count());
    functions.values({0, 1}, values.view());
    for (Index p = 0; p < functions.count(); ++p) {
      EXPECT_NEAR(values(0, p), c.first[p], 1e-14) << c.text << " " << p;
    }
  }
}

TEST(ParametricFunctions, OfSparseRowsAreThoseOfDenseOnes) {
  const Matrix<double> numbers = random_matrix(30, 3, 5);
  std::vector<double> values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> offsets = {0};
  Matrix<double> dense = Matrix<double>::filled(30, 3, 0.0);
  for (Index i = 0; i < 30; ++i) {
    for (Index j = 0; j < 3; ++j) {
      if (numbers(i, j) > 0) {
        values.push_back(dense(i, j) = numbers(i, j));
        columns.push_back(static_cast<std::int32_t>(j));
      }
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  const Samples sparse = make_sparse(std::move(values), std::move(columns), std::move(offsets), 3);
  for (const std::string text : {"constant", "linear", "linear[0, 2]", "quadratic", "periodic(period=0.7)[1]"}) {
    const ParametricPart part = ParametricPart::parse(text);
    const ParametricFunctions a(part, sparse);
    const ParametricFunctions b(part, make_dense(Matrix<double>::copy_of(dense.view())));
    const Matrix<double> beta = random_matrix(a.count(), 2, 6);
    Matrix<double> from_sparse = Matrix<double>::filled(30, 2, 0.5);
    Matrix<double> from_dense = Matrix<double>::filled(30, 2, 0.5);
    a.add(beta.view(), from_sparse.view(), {});
    b.add(beta.view(), from_dense.view(), {});
    Matrix<double> psi(30, a.count());
    b.values({0, 30}, psi.view());
    for (Index i = 0; i < 30; ++i) {
      for (Index o = 0; o < 2; ++o) {
        double expected = 0.5;
        for (Index p = 0; p < a.count(); ++p) {
          expected += psi(i, p) * beta(p, o);
        }
        EXPECT_NEAR(from_sparse(i, o), expected, 1e-12) << text;
        EXPECT_NEAR(from_dense(i, o), expected, 1e-12) << text;
      }
    }
  }
}

TEST(ParametricFunctions, RefuseColumnsThatAreNotThere) {
  const Samples table = patients(random_matrix(4, 2, 1));
  EXPECT_ERROR(ParametricFunctions(ParametricPart::parse("linear[sex]"), table), DataError,
               "linear functions of [sex] need numeric columns");
  EXPECT_ERROR(ParametricFunctions(ParametricPart::parse("linear[aeg]"), table), InvalidArgument,
               "Did you mean 'age'?");
  EXPECT_ERROR(ParametricFunctions(ParametricPart::parse("linear[2]"), make_dense(random_matrix(4, 2, 1))),
               InvalidArgument, "2 numeric columns");
  const std::vector<std::string> texts = {"a", "b"};
  EXPECT_ERROR(ParametricFunctions(ParametricPart::linear, make_strings(texts)), DataError, "need numeric columns");
  Matrix<double> wrong(3, 1);
  Matrix<double> out = Matrix<double>::filled(4, 1, 0.0);
  const ParametricFunctions quadratic(ParametricPart::quadratic, make_dense(random_matrix(4, 2, 1)));
  EXPECT_ERROR(quadratic.add(wrong.view(), out.view(), {}), DataError, "the columns are not those of the fit");
}

TEST(ParametricFunctions, RefuseNumbersThatAreNotFinite) {
  Matrix<double> x = random_matrix(3, 2, 1);
  x(1, 0) = std::numeric_limits<double>::quiet_NaN();
  for (const std::string text : {"linear", "quadratic", "periodic(period=1)"}) {
    const Samples samples = make_dense(Matrix<double>::copy_of(x.view()));
    const ParametricFunctions functions(ParametricPart::parse(text), samples);
    const Matrix<double> beta = random_matrix(functions.count(), 1, 2);
    Matrix<double> out = Matrix<double>::filled(3, 1, 0.0);
    EXPECT_ERROR(functions.add(beta.view(), out.view(), {}), DataError, "row 1");
  }
}

// Beside no centre at all the functions are the whole model.
TEST(ParametricFunctions, AreEvaluatedByExpansions) {
  const Samples z = patients(random_matrix(3, 2, 2));
  const Samples x = patients(random_matrix(40, 2, 3));
  const ParametricPart part = ParametricPart::parse("linear[dose] + periodic(period=0.9)[age]");
  const Matrix<double> beta = random_matrix(4, 2, 4);
  const Expansion f(parse_kernel("rbf(gamma=1)"), z.select({}), Matrix<double>(0, 2), part,
                    Matrix<double>::copy_of(beta.view()), Precision::double_precision, {});
  const Matrix<double> values = f.values(x, {});
  Matrix<double> expected = Matrix<double>::filled(40, 2, 0.0);
  ParametricFunctions(part, x).add(beta.view(), expected.view(), {});
  for (Index i = 0; i < 40; ++i) {
    EXPECT_EQ(values(i, 0), expected(i, 0));
    EXPECT_EQ(values(i, 1), expected(i, 1));
  }
}

// Far from 0 an angle of many turns keeps the digits that the column has.
TEST(ParametricFunctions, PeriodicOnesKeepTheirDigitsFarOut) {
  Matrix<double> x(2, 1);
  x(0, 0) = 3;
  x(1, 0) = 3 + 12.0 * 1e9;
  const ParametricFunctions waves(ParametricPart::parse("periodic(period=12)"), make_dense(std::move(x)));
  Matrix<double> values(2, 3);
  waves.values({0, 2}, values.view());
  EXPECT_NEAR(values(0, 1), 1, 1e-15);
  EXPECT_NEAR(values(1, 1), 1, 1e-15);
  EXPECT_NEAR(values(1, 2), 0, 1e-15);
}

}  // namespace
}  // namespace mercer
