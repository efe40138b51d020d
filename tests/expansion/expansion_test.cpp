#include "mercer/expansion/expansion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/spec.h"
#include "support/expect_error.h"
#include "support/random_matrix.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using testing::random_matrix;

Samples random_sparse(Index rows, Index columns, std::uint64_t seed) {
  const Matrix<double> all = random_matrix(rows, columns, seed);
  std::vector<double> values;
  std::vector<std::int32_t> numbers;
  std::vector<std::int64_t> offsets = {0};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) {
      if (all(i, j) > 0.5) {
        values.push_back(all(i, j));
        numbers.push_back(static_cast<std::int32_t>(j));
      }
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return make_sparse(std::move(values), std::move(numbers), std::move(offsets), columns);
}

double entry(const Samples& samples, Index i, Index j) {
  return to_dense<double>(samples).as<DenseRows<double>>()(i, j);
}

// exp(-γ‖x−z‖²) or c xᵀz, summed pair by pair.
double rbf(const Samples& x, Index i, const Samples& z, Index j, double gamma) {
  double squared = 0;
  for (Index c = 0; c < x.columns(); ++c) {
    const double difference = entry(x, i, c) - entry(z, j, c);
    squared += difference * difference;
  }
  return std::exp(-gamma * squared);
}

double inner(const Samples& x, Index i, const Samples& z, Index j) {
  double sum = 0;
  for (Index c = 0; c < x.columns(); ++c) {
    sum += entry(x, i, c) * entry(z, j, c);
  }
  return sum;
}

Expansion make(const std::string& kernel, const Samples& centers, Matrix<double> coefficients,
               Precision precision = Precision::double_precision) {
  return Expansion(parse_kernel(kernel), centers, std::move(coefficients), ParametricPart::none, Matrix<double>(),
                   precision, mercer::Run());
}

Matrix<double> values_of(const Expansion& f, const Samples& samples, const mercer::Run& run = {}) {
  Matrix<double> values(samples.size(), f.outputs());
  f.evaluate(samples, values.view(), run);
  return values;
}

TEST(Expansion, EqualsTheSumOverPairs) {
  for (const Index n : {1, 2, 7, 40}) {
    for (const Index outputs : {1, 3}) {
      const Samples z = make_dense(random_matrix(n, 3, 1));
      const Samples x = make_dense(random_matrix(9, 3, 2));
      const Matrix<double> alpha = random_matrix(n, outputs, 3);
      for (const auto precision : {Precision::double_precision, Precision::single_precision}) {
        const double tolerance = precision == Precision::double_precision ? 1e-12 : 2e-5;
        const Expansion f = make("rbf(gamma=0.3)", z, Matrix<double>::copy_of(alpha.view()), precision);
        const Matrix<double> values = values_of(f, x);
        for (Index i = 0; i < x.size(); ++i) {
          for (Index o = 0; o < outputs; ++o) {
            double expected = 0;
            for (Index j = 0; j < n; ++j) {
              expected += alpha(j, o) * rbf(x, i, z, j, 0.3);
            }
            EXPECT_NEAR(values(i, o), expected, tolerance);
          }
        }
      }
    }
  }
}

TEST(Expansion, AddsConstantAndLinearParts) {
  const Samples z = make_dense(random_matrix(5, 2, 1));
  const Samples x = make_dense(random_matrix(4, 2, 2));
  const Matrix<double> alpha = random_matrix(5, 2, 3);
  const Matrix<double> beta = random_matrix(3, 2, 4);
  const Matrix<double> plain = values_of(make("rbf(gamma=1)", z, Matrix<double>::copy_of(alpha.view())), x);
  const Expansion linear(parse_kernel("rbf(gamma=1)"), z, Matrix<double>::copy_of(alpha.view()), ParametricPart::linear,
                         Matrix<double>::copy_of(beta.view()), Precision::double_precision, mercer::Run());
  const Expansion constant(parse_kernel("rbf(gamma=1)"), z, Matrix<double>::copy_of(alpha.view()),
                           ParametricPart::constant, Matrix<double>::copy_of(beta.view().row_block({0, 1})),
                           Precision::double_precision, mercer::Run());
  const Matrix<double> with_linear = values_of(linear, x);
  const Matrix<double> with_constant = values_of(constant, x);
  for (Index i = 0; i < 4; ++i) {
    for (Index o = 0; o < 2; ++o) {
      EXPECT_NEAR(with_constant(i, o), plain(i, o) + beta(0, o), 1e-14);
      EXPECT_NEAR(with_linear(i, o),
                  plain(i, o) + beta(0, o) + beta(1, o) * entry(x, i, 0) + beta(2, o) * entry(x, i, 1), 1e-13);
    }
  }
}

TEST(Expansion, CollapsesLinearKernels) {
  const Samples z = make_dense(random_matrix(30, 4, 1));
  const Samples x = make_dense(random_matrix(6, 4, 2));
  const Matrix<double> alpha = random_matrix(30, 2, 3);
  const Expansion f = make("2*linear() + 0.5*(linear() + 3*linear())", z, Matrix<double>::copy_of(alpha.view()));
  ASSERT_TRUE(f.linear_weights());
  EXPECT_EQ(f.linear_weights()->rows(), 4);
  const Matrix<double> values = values_of(f, x);
  for (Index i = 0; i < x.size(); ++i) {
    for (Index o = 0; o < 2; ++o) {
      double expected = 0;
      for (Index j = 0; j < z.size(); ++j) {
        expected += alpha(j, o) * 4 * inner(x, i, z, j);
      }
      EXPECT_NEAR(values(i, o), expected, 1e-12);
    }
  }
  EXPECT_FALSE(make("linear() + rbf(gamma=1)", z, Matrix<double>::copy_of(alpha.view())).linear_weights());
  EXPECT_FALSE(make("linear()[0]", z, Matrix<double>::copy_of(alpha.view())).linear_weights());
}

TEST(Expansion, IsExactForSparseSamples) {
  const Samples z = random_sparse(25, 12, 1);
  const Samples x = random_sparse(9, 12, 2);
  for (const std::string kernel : {"linear()", "rbf(gamma=0.2)", "0.5*linear() + rbf(gamma=0.1)"}) {
    const Matrix<double> alpha = random_matrix(25, 2, 3);
    const Matrix<double> sparse = values_of(make(kernel, z, Matrix<double>::copy_of(alpha.view())), x);
    const Matrix<double> dense =
        values_of(make(kernel, to_dense<double>(z), Matrix<double>::copy_of(alpha.view())), to_dense<double>(x));
    for (Index i = 0; i < 9; ++i) {
      for (Index o = 0; o < 2; ++o) {
        EXPECT_NEAR(sparse(i, o), dense(i, o), 1e-12) << kernel;
      }
    }
  }
}

TEST(Expansion, BatchesDoNotShow) {
  // More rows than a batch holds; every row must be evaluated as it is on its own.
  const Samples z = make_dense(random_matrix(3, 2, 1));
  const Samples x = make_dense(random_matrix(8192 * 2 + 5, 2, 2));
  const Expansion f = make("rbf(gamma=0.7)", z, random_matrix(3, 1, 3));
  const Matrix<double> values = values_of(f, x);
  for (const Index i : {Index{0}, Index{8191}, Index{8192}, Index{16383}, Index{16384}, x.size() - 1}) {
    double expected = 0;
    for (Index j = 0; j < 3; ++j) {
      expected += f.coefficients()(j, 0) * rbf(x.slice({i, i + 1}), 0, z, j, 0.7);
    }
    EXPECT_NEAR(values(i, 0), expected, 1e-13) << i;
  }
}

TEST(Expansion, SameBitsForAnyNumberOfThreads) {
  const Samples z = make_dense(random_matrix(700, 5, 1));
  const Samples x = make_dense(random_matrix(1300, 5, 2));
  for (const std::string kernel : {"rbf(gamma=0.3)", "linear()"}) {
    for (const auto precision : {Precision::double_precision, Precision::single_precision}) {
      const Expansion f = make(kernel, z, random_matrix(700, 2, 3), precision);
      const Matrix<double> one = values_of(f, x, mercer::Run{{.threads = 1}});
      for (const int threads : {2, 3}) {
        const Matrix<double> several = values_of(f, x, mercer::Run{{.threads = threads}});
        EXPECT_TRUE(testing::same_bits(one, several));
      }
    }
  }
}

TEST(Expansion, EmptyAndSmall) {
  const Samples none = make_dense(Matrix<double>(0, 3));
  const Samples z = make_dense(random_matrix(4, 3, 1));
  EXPECT_EQ(values_of(make("rbf(gamma=1)", z, random_matrix(4, 2, 1)), none).rows(), 0);
  EXPECT_EQ(values_of(make("linear()", z, random_matrix(4, 2, 1)), none).rows(), 0);
  const Matrix<double> zeros = values_of(make("rbf(gamma=1)", none, Matrix<double>(0, 2)), z);
  EXPECT_TRUE(std::all_of(zeros.data(), zeros.data() + 8, [](double value) { return value == 0; }));
}

TEST(Expansion, PrunesZeroRows) {
  const Samples z = make_dense(random_matrix(20, 3, 1));
  Matrix<double> alpha = random_matrix(20, 2, 2);
  for (Index i = 0; i < 20; i += 2) {
    alpha(i, 0) = alpha(i, 1) = 0;
  }
  alpha(3, 0) = 0;  // the other output still needs it
  const Expansion f = make("rbf(gamma=0.5)", z, Matrix<double>::copy_of(alpha.view()));
  const Expansion pruned = f.pruned(mercer::Run());
  EXPECT_EQ(pruned.centers().size(), 10);
  const Samples x = make_dense(random_matrix(6, 3, 3));
  const Matrix<double> before = values_of(f, x);
  const Matrix<double> after = values_of(pruned, x);
  for (Index i = 0; i < 12; ++i) {
    EXPECT_NEAR(before.data()[i], after.data()[i], 1e-13);
  }
  EXPECT_EQ(make("rbf(gamma=0.5)", z, Matrix<double>::filled(20, 1, 0.0)).pruned(mercer::Run()).centers().size(), 0);
  EXPECT_EQ(
      make("center(rbf(gamma=0.5))", z, Matrix<double>::copy_of(alpha.view())).pruned(mercer::Run()).centers().size(),
      20);
}

TEST(Expansion, GeometryOfTheSpace) {
  const Samples z = make_dense(random_matrix(8, 3, 1));
  const Samples y = make_dense(random_matrix(6, 3, 2));
  const Expansion f = make("rbf(gamma=0.4)", z, random_matrix(8, 2, 3));
  const Expansion g = make("rbf(gamma=0.4)", y, random_matrix(6, 2, 4), Precision::single_precision);
  const std::vector<double> product = inner_product(f, g, mercer::Run());
  const std::vector<double> norm = squared_norm(f, mercer::Run());
  const std::vector<double> distance = squared_distance(f, g, mercer::Run());
  for (Index o = 0; o < 2; ++o) {
    double fg = 0;
    double ff = 0;
    double gg = 0;
    for (Index i = 0; i < 8; ++i) {
      for (Index j = 0; j < 6; ++j) {
        fg += f.coefficients()(i, o) * g.coefficients()(j, o) * rbf(z, i, y, j, 0.4);
      }
      for (Index j = 0; j < 8; ++j) {
        ff += f.coefficients()(i, o) * f.coefficients()(j, o) * rbf(z, i, z, j, 0.4);
      }
    }
    for (Index i = 0; i < 6; ++i) {
      for (Index j = 0; j < 6; ++j) {
        gg += g.coefficients()(i, o) * g.coefficients()(j, o) * rbf(y, i, y, j, 0.4);
      }
    }
    const auto at = static_cast<std::size_t>(o);
    EXPECT_NEAR(product[at], fg, 1e-12);
    EXPECT_NEAR(norm[at], ff, 1e-12);
    EXPECT_NEAR(distance[at], ff + gg - 2 * fg, 1e-11);
  }
  for (const double zero : squared_distance(f, f, mercer::Run())) {
    EXPECT_EQ(zero, 0);
  }
  EXPECT_ERROR(inner_product(f, make("rbf(gamma=0.5)", y, random_matrix(6, 2, 4)), mercer::Run()), InvalidArgument,
               "expansions in different spaces");
  EXPECT_ERROR(inner_product(f, make("rbf(gamma=0.4)", y, random_matrix(6, 1, 4)), mercer::Run()), InvalidArgument,
               "expansions of 2 and 1 outputs");
}

TEST(Expansion, RefusesWhatDoesNotFit) {
  const Samples z = make_dense(random_matrix(4, 3, 1));
  EXPECT_ERROR(make("rbf(gamma=1)", z, random_matrix(5, 1, 1)), InvalidArgument,
               "coefficients of shape 5 by 1 for 4 centres");
  EXPECT_ERROR(make("rbf(gamma=scale)", z, random_matrix(4, 1, 1)), InvalidArgument,
               "an expansion needs a kernel whose parameters are numbers");
  EXPECT_ERROR(Expansion(parse_kernel("rbf(gamma=1)"), z, random_matrix(4, 1, 1), ParametricPart::linear,
                         random_matrix(3, 1, 1), Precision::double_precision, mercer::Run()),
               InvalidArgument, "parametric coefficients of shape 3 by 1");
  Matrix<double> bad = random_matrix(4, 1, 1);
  bad(2, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_ERROR(make("rbf(gamma=1)", z, std::move(bad)), NumericalError, "coefficient 2 of output 0");
  for (const std::string kernel : {"rbf(gamma=1)", "linear()"}) {
    const Expansion f = make(kernel, z, random_matrix(4, 1, 1));
    EXPECT_ERROR(values_of(f, make_dense(random_matrix(2, 4, 1))), DataError, "samples with 4 columns where the")
        << kernel;
    Matrix<double> nan = random_matrix(2, 3, 1);
    nan(1, 1) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_ERROR(values_of(f, make_dense(std::move(nan))), DataError, "column 1") << kernel;
    Matrix<double> wrong(3, 1);
    EXPECT_ERROR(f.evaluate(make_dense(random_matrix(2, 3, 1)), wrong.view(), mercer::Run()), InvalidArgument,
                 "values of shape 3 by 1 for 2 samples and 1 outputs");
  }
}

TEST(Expansion, NamesTheRowBeyondTheFirstBatch) {
  Matrix<double> x = random_matrix(9000, 2, 1);
  x(8500, 1) = std::numeric_limits<double>::infinity();
  const Expansion f = make("rbf(gamma=1)", make_dense(random_matrix(3, 2, 2)), random_matrix(3, 1, 3));
  EXPECT_ERROR(values_of(f, make_dense(std::move(x))), DataError, "row 8500, column 1 (counted from 0)");
}

}  // namespace
}  // namespace mercer
