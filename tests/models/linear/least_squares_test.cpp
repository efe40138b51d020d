// leastsquares against the normal equations, polynomials that it must find, and bases that leave a choice.
#include "mercer/models/linear/least_squares.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/models/model_entry.h"
#include "mercer/models/model_state.h"
#include "models/random_problem.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::random_matrix;

LeastSquaresOptions basis_of(const char* text) { return {.parametric = ParametricPart::parse(text)}; }

TrainingData training_data(const Matrix<double>& x, const Matrix<double>& y) {
  return {make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y.view())};
}

// 1, x_0, x_1, x_0², x_0x_1, x_1²: the order of the documentation.
Dense quadratic_basis(const Matrix<double>& x) {
  Dense f(x.rows(), 6);
  for (Index i = 0; i < x.rows(); ++i) {
    const double a = x(i, 0);
    const double b = x(i, 1);
    const double all[] = {1, a, b, a * a, a * b, b * b};
    for (Index p = 0; p < 6; ++p) {
      f(i, p) = all[p];
    }
  }
  return f;
}

Matrix<double> moments_of(const FittedModel& model, const Samples& samples, PredictionOf of) {
  return std::move(model.distribution(samples, {})->moments(of).variance);
}

TEST(LeastSquares, EqualsTheNormalEquations) {
  for (const bool weighted : {false, true}) {
    const Matrix<double> x = random_matrix(40, 2, 1);
    const Matrix<double> y = random_matrix(40, 2, 2);
    const Matrix<double> z = random_matrix(7, 2, 3);
    TrainingData data = training_data(x, y);
    Dense w = Dense::identity(40);
    if (weighted) {
      data.weights = testing::random_weights(40, 4);
      for (Index i = 0; i < 40; ++i) {
        w(i, i) = data.weights[i];
      }
    }
    const auto model = fit_least_squares(basis_of("quadratic"), data);
    const Dense f = quadratic_basis(x);
    const Dense g = quadratic_basis(z);
    const Dense normal = f.transpose() * w * f;
    const Dense beta = normal.solve_positive(f.transpose() * w * Dense(y));
    const Samples queries = make_dense(Matrix<double>::copy_of(z.view()));
    const Matrix<double> values = model->predict(queries, {});
    const Dense expected = g * beta;
    const Dense errors = Dense(y) - f * beta;
    const Matrix<double> of_function = moments_of(*model, queries, PredictionOf::function);
    const Matrix<double> of_rows = moments_of(*model, queries, PredictionOf::observation);
    for (Index o = 0; o < 2; ++o) {
      double noise = 0;
      const double degrees = w.trace() - 6;
      for (Index i = 0; i < 40; ++i) {
        noise += w(i, i) * errors(i, o) * errors(i, o) / degrees;
      }
      for (Index p = 0; p < 6; ++p) {
        EXPECT_NEAR(model->parts().coefficients(p, o), beta(p, o), 1e-11) << p;
      }
      for (Index i = 0; i < 7; ++i) {
        EXPECT_NEAR(values(i, o), expected(i, o), 1e-11 * (1 + std::abs(expected(i, o))));
        const Dense row = g.row(i).transpose();
        const double own = noise * row.dot(normal.solve_positive(row));
        EXPECT_NEAR(of_function(i, o), own, 1e-10 * own);
        EXPECT_NEAR(of_rows(i, o), own + noise, 1e-10 * (own + noise));
      }
    }
  }
}

TEST(LeastSquares, FindsThePolynomialAndTheWave) {
  Matrix<double> x(30, 2);
  Matrix<double> y(30, 1);
  for (Index i = 0; i < 30; ++i) {
    x(i, 0) = static_cast<double>(i);
    x(i, 1) = std::cos(static_cast<double>(i * i));
    y(i, 0) = 3 - 2 * x(i, 1) + 0.5 * std::sin(2 * M_PI * x(i, 0) / 12) - std::cos(2 * M_PI * x(i, 0) / 12);
  }
  const auto model = fit_least_squares(basis_of("linear[1] + periodic(period=12)[0]"), training_data(x, y));
  const std::vector<double> expected = {3, -2, 0.5, -1};
  ASSERT_EQ(model->parts().coefficients.rows(), 4);
  for (Index p = 0; p < 4; ++p) {
    EXPECT_NEAR(model->parts().coefficients(p, 0), expected[p], 1e-12) << p;
  }
  EXPECT_LT(model->report().objective, 1e-12);
}

// Two equal columns share what one of them would have; more functions than rows: β = Fᵀ(FFᵀ)⁻¹y.
TEST(LeastSquares, OfManySolutionsTheOneOfLeastNorm) {
  Matrix<double> twice(12, 2);
  const Matrix<double> single = random_matrix(12, 1, 5);
  for (Index i = 0; i < 12; ++i) {
    twice(i, 0) = twice(i, 1) = single(i, 0);
  }
  const Matrix<double> y = random_matrix(12, 1, 6);
  const auto shared = fit_least_squares(basis_of("linear"), training_data(twice, y));
  const auto whole = fit_least_squares(basis_of("linear"), training_data(single, y));
  EXPECT_NEAR(shared->parts().coefficients(1, 0), whole->parts().coefficients(1, 0) / 2, 1e-13);
  EXPECT_NEAR(shared->parts().coefficients(2, 0), whole->parts().coefficients(1, 0) / 2, 1e-13);
  EXPECT_EQ(shared->parts().degrees_of_freedom, 10);
  ASSERT_FALSE(shared->report().notes.empty());
  EXPECT_NE(shared->report().notes.front().text.find("the 3 functions have rank 2"), std::string::npos);

  const Matrix<double> few = random_matrix(4, 2, 7);
  const Matrix<double> values = random_matrix(4, 1, 8);
  const auto model = fit_least_squares(basis_of("quadratic"), training_data(few, values));
  const Dense f = quadratic_basis(few);
  const Dense beta = f.transpose() * (f * f.transpose()).solve_positive(Dense(values));
  for (Index p = 0; p < 6; ++p) {
    EXPECT_NEAR(model->parts().coefficients(p, 0), beta(p), 1e-11) << p;
  }
}

// Two rows that are nearly equal: a small solution that is the difference of large ones goes through all rows.
TEST(LeastSquares, NearlyEqualRowsAreAsGood) {
  Matrix<double> x(3, 2);
  const double entries[] = {1, 2.5e-9, 0, 1, 1, 0};
  std::copy_n(entries, 6, x.data());
  Matrix<double> y(3, 1);
  y(0, 0) = 0.987765946534261;
  y(1, 0) = -0.30807174236304485;
  y(2, 0) = 0.9877659454512101;
  const TrainingData data = training_data(x, y);
  const Matrix<double> values = fit_least_squares(basis_of("quadratic"), data)->predict(data.samples, {});
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(values(i, 0), y(i, 0), 1e-14) << i;
  }
}

TEST(LeastSquares, ColumnsOfAnySizeAreAsGood) {
  const Matrix<double> x = random_matrix(20, 2, 9);
  const Matrix<double> y = random_matrix(20, 1, 10);
  const auto plain = fit_least_squares(basis_of("linear"), training_data(x, y));
  Matrix<double> scaled = Matrix<double>::copy_of(x.view());
  for (Index i = 0; i < 20; ++i) {
    scaled(i, 0) *= 1e150;
    scaled(i, 1) *= 1e-150;
  }
  const auto model = fit_least_squares(basis_of("linear"), training_data(scaled, y));
  EXPECT_NEAR(model->parts().coefficients(1, 0) * 1e150, plain->parts().coefficients(1, 0), 1e-12);
  EXPECT_NEAR(model->parts().coefficients(2, 0) * 1e-150, plain->parts().coefficients(2, 0), 1e-12);
}

TEST(LeastSquares, SmallestProblems) {
  const Matrix<double> one = random_matrix(1, 2, 11);
  const Matrix<double> y = Matrix<double>::filled(1, 1, 4.0);
  const auto single = fit_least_squares(basis_of("constant"), training_data(one, y));
  EXPECT_NEAR(single->predict(make_dense(random_matrix(3, 2, 12)), {})(1, 0), 4, 1e-15);
  EXPECT_EQ(single->parts().variances[0], 0);
  EXPECT_ERROR(fit_least_squares(basis_of("none"), training_data(one, y)), InvalidArgument,
               "parametric = none leaves no function to fit");
  EXPECT_ERROR(fit_least_squares({}, {make_dense(Matrix<double>(0, 2)), Targets::numeric(Matrix<double>(0, 1).view())}),
               DataError, "no rows");
  EXPECT_ERROR(
      fit_least_squares(basis_of("linear"), training_data(one, y))->predict(make_dense(random_matrix(3, 4, 12)), {}),
      DataError, "have 5 functions, the model was fitted with 3");
}

// The mean and covariance of many draws are those of the distribution, of neighbors too: draws are joint.
TEST(LeastSquares, DrawsAreThoseOfTheDistribution) {
  const auto model =
      fit_least_squares(basis_of("linear"), training_data(random_matrix(12, 1, 16), random_matrix(12, 1, 17)));
  Matrix<double> x(2, 1);
  x(0, 0) = 0.3;
  x(1, 0) = 0.31;
  const Samples queries = make_dense(std::move(x));
  constexpr Index count = 20000;
  for (const PredictionOf of : {PredictionOf::function, PredictionOf::observation}) {
    const Matrix<double> draws = model->draws(queries, count, of, {});
    const auto moments = model->distribution(queries, {})->moments(of);
    double mean = 0;
    double square = 0;
    double product = 0;
    for (Index c = 0; c < count; ++c) {
      const double a = draws(0, c) - moments.mean(0, 0);
      const double b = draws(1, c) - moments.mean(1, 0);
      mean += a / count;
      square += a * a / count;
      product += a * b / count;
    }
    const double variance = moments.variance(0, 0);
    EXPECT_LT(std::abs(mean), 4 * std::sqrt(variance / count));
    EXPECT_NEAR(square, variance, 0.05 * variance);
    const double shared = moments_of(*model, queries, PredictionOf::function)(0, 0);
    EXPECT_NEAR(product, shared, 0.05 * variance);
  }
}

TEST(LeastSquares, AStoredModelAnswersAsBefore) {
  const Matrix<double> x = random_matrix(25, 2, 13);
  const auto model = fit_least_squares(basis_of("quadratic[0]+linear[1]"), training_data(x, random_matrix(25, 1, 14)));
  const Samples queries = make_dense(random_matrix(6, 2, 15));
  const auto back = least_squares_entry().load(state_of(*model), {});
  EXPECT_TRUE(testing::same_bits(model->predict(queries, {}), back->predict(queries, {})));
  EXPECT_TRUE(testing::same_bits(moments_of(*model, queries, PredictionOf::function),
                                 moments_of(*back, queries, PredictionOf::function)));
}

}  // namespace
}  // namespace mercer
