// The small solver: places that come and go, two groups, ridge, degenerate curvature, limits.
#include "mercer/solvers/svm/local_smo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stop_token>

#include "mercer/base/error.h"
#include "solvers/svm_oracle.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::DenseQp;
using testing::svm_problem;

// Puts the variables of a QP into the solver, in their order, and returns their places.
template <class T>
std::vector<Index> load(LocalSmo<T>& smo, const DenseQp& dense) {
  std::array<Index, 2> count{};
  for (Index t = 0; t < dense.size(); ++t) {
    ++count[dense.group(t)];
  }
  smo.reset(count[0], count[1]);
  std::vector<Index> places;
  for (Index t = 0; t < dense.size(); ++t) {
    places.push_back(smo.occupy(dense.group(t)));
  }
  const Dense start = testing::as_vector(dense.qp.start);
  const Dense gradient = dense.hessian * start + testing::as_vector(dense.qp.linear);
  for (Index s = 0; s < dense.size(); ++s) {
    const double ridge = dense.qp.ridge.empty() ? 0.0 : dense.qp.ridge[s];
    for (Index t = 0; t < dense.size(); ++t) {
      smo.kernel()(places[s], places[t]) = static_cast<T>(dense.hessian(s, t) - (s == t ? ridge : 0.0));
    }
    smo.set_variable(places[s], {start(s), dense.lower(s), dense.upper(s), gradient(s), ridge});
  }
  return places;
}

template <class T>
Dense coefficients(const LocalSmo<T>& smo, const std::vector<Index>& places) {
  Dense beta(static_cast<Index>(places.size()), 1);
  for (std::size_t t = 0; t < places.size(); ++t) {
    beta(static_cast<Index>(t)) = smo.coefficient(places[t]);
  }
  return beta;
}

BoxQp random_qp(Index rows, bool two_groups, bool with_ridge, std::uint64_t seed) {
  RandomStream random(seed, 11);
  BoxQp qp;
  for (Index t = 0; t < rows; ++t) {
    qp.linear.push_back(random.normal());
    qp.lower.push_back(-random.uniform());
    qp.upper.push_back(random.uniform());
    qp.start.push_back(0);
    if (two_groups) {
      qp.group.push_back(static_cast<std::uint8_t>(random.below(2)));
    }
    if (with_ridge) {
      qp.ridge.push_back(random.uniform());
    }
  }
  return qp;
}

TEST(LocalSmo, ReachesTheMinimumOverAllFaces) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Index rows = 2 + static_cast<Index>(seed % 5);
    const Dense kernel = svm_problem(rows, 3, seed).kernel;
    const DenseQp dense(kernel, random_qp(rows, seed % 2 == 0, seed % 3 == 0, seed));
    LocalSmo<double> smo;
    const std::vector<Index> places = load(smo, dense);
    const auto result = smo.minimize(1e-10, 1'000'000, mercer::Run());
    const Dense beta = coefficients(smo, places);
    EXPECT_LE(result.gap, 1e-10);
    EXPECT_LE(dense.gap(beta), 2e-10) << seed;
    EXPECT_NEAR(dense.objective(beta), dense.brute_force_minimum(), 1e-9) << seed;
    EXPECT_NEAR(dense.sum_of_group(beta, 0), 0, 1e-12);
    EXPECT_NEAR(dense.sum_of_group(beta, 1), 0, 1e-12);
  }
}

TEST(LocalSmo, KeepsItsGradientsRight) {
  for (const Index rows : {7, 64, 203}) {
    const Dense kernel = svm_problem(rows, 2, static_cast<std::uint64_t>(rows)).kernel;
    const DenseQp dense(kernel, random_qp(rows, true, true, 5));
    LocalSmo<double> smo;
    const std::vector<Index> places = load(smo, dense);
    smo.minimize(1e-9, 1'000'000, mercer::Run());
    const Dense beta = coefficients(smo, places);
    const Dense gradient = dense.hessian * beta + testing::as_vector(dense.qp.linear);
    for (Index t = 0; t < rows; ++t) {
      EXPECT_NEAR(smo.gradient(places[t]), gradient(t), 1e-11);
    }
  }
}

TEST(LocalSmo, FloatKernelValuesGiveTheSolutionOfTheRoundedKernel) {
  const Dense kernel = testing::to_matrix<float>(svm_problem(90, 2, 8).kernel);
  const DenseQp dense(kernel, random_qp(90, false, false, 8));
  LocalSmo<float> smo;
  const std::vector<Index> places = load(smo, dense);
  smo.minimize(1e-9, 10'000'000, mercer::Run());
  EXPECT_LE(dense.gap(coefficients(smo, places)), 2e-9);
}

TEST(LocalSmo, ReleasedPlacesTakeNoPartAndAreUsedAgain) {
  const Index rows = 20;
  const Dense kernel = svm_problem(rows, 2, 4).kernel;
  const DenseQp dense(kernel, random_qp(rows, false, false, 4));
  LocalSmo<double> smo;
  const std::vector<Index> places = load(smo, dense);
  for (Index t = 5; t < rows; ++t) {
    smo.release(places[t]);
  }
  smo.minimize(1e-10, 1'000'000, mercer::Run());
  const Dense beta = coefficients(smo, places);
  EXPECT_EQ(beta.block(5, 0, rows - 5, 1).max_abs(), 0);
  EXPECT_NEAR(beta.first(5).sum(), 0, 1e-13);
  BoxQp first = dense.qp;
  for (auto* part : {&first.linear, &first.lower, &first.upper, &first.start}) {
    part->resize(5);
  }
  EXPECT_LE(DenseQp(kernel.first(5, 5), first).gap(beta.first(5)), 1e-9);
  std::vector<Index> again;
  for (Index t = 5; t < rows; ++t) {
    again.push_back(smo.occupy(0));
  }
  std::sort(again.begin(), again.end());
  EXPECT_EQ(again, std::vector<Index>(places.begin() + 5, places.end()));
}

TEST(LocalSmo, EqualSamplesGoToTheirBounds) {
  // Two copies of one point with opposite signs: no curvature, the step ends where the box does.
  BoxQp qp;
  qp.linear = {-1, 1};
  qp.lower = {0, -3};
  qp.upper = {5, 0};
  qp.start = {0, 0};
  const DenseQp dense(Dense(2, 2, 1.0), qp);
  LocalSmo<double> smo;
  const std::vector<Index> places = load(smo, dense);
  smo.minimize(1e-6, 100, mercer::Run());
  EXPECT_EQ(smo.coefficient(places[0]), 3);
  EXPECT_EQ(smo.coefficient(places[1]), -3);
}

TEST(LocalSmo, AVariableThatCannotMoveStaysWhereItIs) {
  BoxQp qp;
  qp.linear = {-1, 1, -5};
  qp.lower = {0, -3, 0};
  qp.upper = {5, 0, 0};
  qp.start = {0, 0, 0};
  const DenseQp dense(Dense::identity(3), qp);
  LocalSmo<double> smo;
  const std::vector<Index> places = load(smo, dense);
  const auto result = smo.minimize(1e-12, 100, mercer::Run());
  EXPECT_EQ(result.steps, 1);
  EXPECT_NEAR(smo.coefficient(places[0]), 1, 1e-14);
  EXPECT_EQ(smo.coefficient(places[2]), 0);
}

TEST(LocalSmo, StopsAtItsLimitAndOnRequest) {
  const Dense kernel = svm_problem(100, 2, 3).kernel;
  BoxQp qp = random_qp(100, false, false, 3);
  const DenseQp dense(kernel, qp);
  LocalSmo<double> smo;
  load(smo, dense);
  const auto result = smo.minimize(1e-12, 3, mercer::Run());
  EXPECT_EQ(result.steps, 3);
  EXPECT_GT(result.gap, 1e-12);

  // Equal points of opposite sign without bounds never converge.
  qp.linear = {-1, 1};
  qp.lower = {0, -testing::unbounded};
  qp.upper = {testing::unbounded, 0};
  qp.start = {0, 0};
  load(smo, DenseQp(Dense(2, 2, 1.0), qp));
  std::stop_source source;
  source.request_stop();
  const mercer::Run run{{.stop = source.get_token()}};
  EXPECT_ERROR(smo.minimize(1e-6, 100'000'000, run), Stopped, "stopped on request");
}

}  // namespace
}  // namespace mercer
