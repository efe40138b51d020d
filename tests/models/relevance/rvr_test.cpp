#include "mercer/models/relevance/rvr.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/random_problem.h"
#include "models/report_measure.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Dense;
using testing::kernel_matrix;
using testing::measure;
using testing::random_matrix;
using testing::random_samples;
using testing::same_bits;

Matrix<double> line(Index n, double low, double high) {
  Matrix<double> x(n, 1);
  for (Index i = 0; i < n; ++i) {
    x(i, 0) = low + (high - low) * static_cast<double>(i) / static_cast<double>(n - 1);
  }
  return x;
}

double sinc(double x) { return x == 0 ? 1.0 : std::sin(std::abs(x)) / std::abs(x); }

TrainingData noisy_sinc(Index n, std::uint64_t seed, double factor = 1, double shift = 0) {
  Matrix<double> x = line(n, -10, 10);
  RandomStream random(seed, 3);
  std::vector<double> y;
  for (Index i = 0; i < n; ++i) {
    y.push_back(shift + factor * (sinc(x(i, 0)) + 0.2 * (2 * random.uniform() - 1)));
  }
  return {make_dense(std::move(x)), Targets::numeric(y)};
}

TEST(Rvr, NoisySinc) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const auto model = fit_rvr(parse_kernel("rbf(lengthscale=2)"), {}, noisy_sinc(100, seed));
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    const double vectors = measure(*model, "relevance vectors");
    EXPECT_GE(vectors, 4);
    EXPECT_LE(vectors, 12);
    EXPECT_EQ(static_cast<double>(model->support_rows().size()), vectors);
    EXPECT_GT(std::sqrt(model->parts().noise.front()), 0.09);
    EXPECT_LT(std::sqrt(model->parts().noise.front()), 0.14);
    const Matrix<double> x = line(200, -10, 10);
    const Matrix<double> values = model->predict(make_dense(Matrix<double>::copy_of(x.view())), {});
    double square = 0;
    for (Index i = 0; i < 200; ++i) {
      square += std::pow(values(i, 0) - sinc(x(i, 0)), 2) / 200;
    }
    EXPECT_LT(std::sqrt(square), 0.06);
  }
}

// Any unit and any zero of the targets.
TEST(Rvr, PredictionsFollowTheUnitsOfTheTargets) {
  const Samples x = make_dense(line(37, -9, 9));
  for (const RelevancePrior prior :
       {RelevancePrior::automatic_relevance, RelevancePrior::gamma, RelevancePrior::student}) {
    RvrOptions options;
    options.prior = prior;
    const auto plain = fit_rvr(parse_kernel("rbf(lengthscale=2)"), options, noisy_sinc(40, 2));
    const double factor = 1e5;
    options.weight_rate *= factor * factor;
    const auto scaled = fit_rvr(parse_kernel("rbf(lengthscale=2)"), options, noisy_sinc(40, 2, factor, -3e6));
    const PredictiveMoments a = plain->moments(x, PredictionOf::observation, {});
    const PredictiveMoments b = scaled->moments(x, PredictionOf::observation, {});
    for (Index i = 0; i < 37; ++i) {
      EXPECT_NEAR((b.mean(i, 0) + 3e6) / factor, a.mean(i, 0), 1e-5);
      EXPECT_NEAR(b.variance(i, 0) / (factor * factor), a.variance(i, 0), 1e-5 * a.variance(i, 0));
    }
    const double densities = 40 + (prior == RelevancePrior::automatic_relevance ? 0 : 41 * 2e-4) +
                             (prior == RelevancePrior::student ? 41 : 0);
    EXPECT_NEAR(scaled->report().objective, plain->report().objective - densities * std::log(factor), 1e-4)
        << word_of(prior);
  }
}

// The precisions are what Σ⁻¹ has beside ΦᵀΦ/σ²; with them the variance is that of a joint normal distribution of all
// targets and the new value, conditioned on the targets.
TEST(Rvr, VariancesAreThoseOfConditioning) {
  const TrainingData data = noisy_sinc(60, 5, 1, 4);
  const Kernel kernel = parse_kernel("rbf(lengthscale=1.5)");
  const auto model = fit_rvr(kernel, {}, data);
  const Index m = model->parts().functions.mean().centers().size();
  const ModelState state = state_of(*model);
  const Dense root(state.parts.numbers.at("covariance_roots"));
  // The last row is the constant's: left out where the constant has no weight.
  const bool has_constant = root.columns() == m + 1;
  const Index count = root.columns();
  const Dense used = root.block(0, 0, count, count);
  const auto phi_of = [&](const Samples& x) {
    const Dense k = kernel_matrix(kernel, x, model->parts().functions.mean().centers());
    Dense phi(k.rows(), count, 1.0);
    phi.set_block(0, 0, k);
    return phi;
  };
  const Dense phi = phi_of(data.samples);
  const double noise = model->parts().noise.front();
  const Dense a = (used * used.transpose()).inverse() - (1 / noise) * (phi.transpose() * phi);
  Dense inverse_precisions(count, 1);
  for (Index i = 0; i < count; ++i) {
    ASSERT_GT(a(i, i), 0);
    inverse_precisions(i) = 1 / a(i, i);
    for (Index j = 0; j < i; ++j) {
      EXPECT_NEAR(a(i, j) / std::sqrt(a(i, i) * a(j, j)), 0, 1e-3);
    }
  }
  const Dense prior = Dense::with_diagonal(inverse_precisions);
  Dense c = phi * prior * phi.transpose();
  c.add_to_diagonal(noise);
  const Samples x = make_dense(line(23, -12, 12));
  const Dense star = phi_of(x);
  const Dense cross = star * prior * phi.transpose();
  const Dense conditioned = star * prior * star.transpose() - cross * c.solve_positive(cross.transpose());
  const PredictiveMoments f = model->moments(x, PredictionOf::function, {});
  const PredictiveMoments y = model->moments(x, PredictionOf::observation, {});
  for (Index i = 0; i < 23; ++i) {
    EXPECT_NEAR(f.variance(i, 0), conditioned(i, i), 1e-4 * conditioned.diagonal().max());
    EXPECT_NEAR(y.variance(i, 0), f.variance(i, 0) + noise, 1e-12);
  }
  EXPECT_TRUE(has_constant || count == m);
}

TEST(Rvr, DistributionsAreNormal) {
  const auto model = fit_rvr(parse_kernel("rbf(lengthscale=2)"), {}, noisy_sinc(50, 6));
  const Samples x = make_dense(line(5, -8, 8));
  const PredictiveMoments y = model->moments(x, PredictionOf::observation, {});
  const std::vector<double> levels = {0.025, 0.5};
  const Matrix<double> quantiles = model->quantiles(x, levels, PredictionOf::observation, {});
  const Matrix<double> density = model->log_density(x, y.mean.view(), {});
  const Matrix<double> draws = model->draws(x, 4000, PredictionOf::observation, {});
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(quantiles(i, 0), y.mean(i, 0) - 1.959963984540054 * std::sqrt(y.variance(i, 0)), 1e-9);
    EXPECT_NEAR(quantiles(i, 1), y.mean(i, 0), 1e-12);
    EXPECT_NEAR(density(i, 0), -0.5 * std::log(2 * std::numbers::pi * y.variance(i, 0)), 1e-12);
    double mean = 0;
    double square = 0;
    for (Index d = 0; d < 4000; ++d) {
      mean += draws(i, d) / 4000;
      square += std::pow(draws(i, d) - y.mean(i, 0), 2) / 4000;
    }
    EXPECT_NEAR(mean, y.mean(i, 0), 5 * std::sqrt(y.variance(i, 0) / 4000));
    EXPECT_NEAR(square / y.variance(i, 0), 1, 0.12);
  }
}

TEST(Rvr, SeveralTargetsAreSeveralModels) {
  const Samples x = random_samples(80, 2, 3);
  const Matrix<double> y = random_matrix(80, 2, 4);
  Matrix<double> targets(80, 2);
  std::vector<double> first;
  std::vector<double> second;
  const Matrix<double> numbers = random_matrix(80, 2, 3);
  for (Index i = 0; i < 80; ++i) {
    targets(i, 0) = std::sin(2 * numbers(i, 0)) + 0.1 * y(i, 0);
    targets(i, 1) = 10 * numbers(i, 1) * numbers(i, 0) + y(i, 1);
    first.push_back(targets(i, 0));
    second.push_back(targets(i, 1));
  }
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const auto both = fit_rvr(kernel, {}, {x, Targets::numeric(targets.view())});
  const Samples test = random_samples(30, 2, 9);
  const PredictiveMoments joint = both->moments(test, PredictionOf::observation, {});
  for (Index o = 0; o < 2; ++o) {
    const auto one = fit_rvr(kernel, {}, {x, Targets::numeric(o == 0 ? first : second)});
    const PredictiveMoments single = one->moments(test, PredictionOf::observation, {});
    for (Index i = 0; i < 30; ++i) {
      EXPECT_NEAR(joint.mean(i, o), single.mean(i, 0), 1e-9 * (1 + std::abs(single.mean(i, 0))));
      EXPECT_NEAR(joint.variance(i, o), single.variance(i, 0), 1e-9 * single.variance(i, 0));
    }
  }
}

TEST(Rvr, WeightsAreRepetitions) {
  TrainingData data = noisy_sinc(30, 7);
  std::vector<Index> repeated;
  for (Index i = 0; i < 30; ++i) {
    data.weights.push_back(static_cast<double>(i % 3));
    for (Index copy = 0; copy < i % 3; ++copy) {
      repeated.push_back(i);
    }
  }
  const Kernel kernel = parse_kernel("rbf(lengthscale=2)");
  const auto weighted = fit_rvr(kernel, {}, data);
  const auto copies = fit_rvr(kernel, {}, {data.samples.select(repeated), data.targets.select(repeated)});
  const Samples x = make_dense(line(20, -9, 9));
  const PredictiveMoments a = weighted->moments(x, PredictionOf::observation, {});
  const PredictiveMoments b = copies->moments(x, PredictionOf::observation, {});
  for (Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(a.mean(i, 0), b.mean(i, 0), 1e-5);
    EXPECT_NEAR(a.variance(i, 0), b.variance(i, 0), 1e-5 * b.variance(i, 0));
  }
  for (const Index row : weighted->support_rows()) {
    EXPECT_NE(row % 3, 0);
  }
}

// Sparse samples, kernels that are not positive definite, and kernels that depend on all training samples.
TEST(Rvr, AnyKernel) {
  const Samples sparse = testing::random_sparse(60, 5, 0.4, 2);
  Matrix<double> full = Matrix<double>::filled(60, 5, 0.0);
  const auto& entries = std::get<SparseRows<double>>(sparse.rows());
  std::vector<double> sums(60, 0.0);
  for (Index i = 0; i < 60; ++i) {
    for (Index e = entries.offsets[i]; e < entries.offsets[i + 1]; ++e) {
      full(i, entries.column_numbers[e]) = entries.values[e];
      sums[i] += entries.values[e] + 0.1 * std::sin(static_cast<double>(7 * i));
    }
  }
  const Samples dense = make_dense(std::move(full));
  const auto a = fit_rvr(parse_kernel("rbf(gamma=0.1)"), {}, {sparse, Targets::numeric(sums)});
  const auto b = fit_rvr(parse_kernel("rbf(gamma=0.1)"), {}, {dense, Targets::numeric(sums)});
  for (Index i = 0; i < 60; ++i) {
    EXPECT_NEAR(a->predict(sparse, {})(i, 0), b->predict(dense, {})(i, 0), 1e-6);
  }
  for (const std::string spec : {"sigmoid(gamma=0.5, coef0=-1)", "center(rbf(gamma=1))"}) {
    const Samples x = random_samples(50, 2, 1);
    const Matrix<double> numbers = random_matrix(50, 2, 1);
    std::vector<double> values;
    for (Index i = 0; i < 50; ++i) {
      values.push_back(numbers(i, 0) + 0.3 * numbers(i, 1) + 0.1 * std::sin(9.0 * static_cast<double>(i)));
    }
    const auto model = fit_rvr(parse_kernel(spec), {}, {x, Targets::numeric(values)});
    const PredictiveMoments f = model->moments(x, PredictionOf::function, {});
    double square = 0;
    for (Index i = 0; i < 50; ++i) {
      square += std::pow(f.mean(i, 0) - values[i], 2) / 50;
      EXPECT_GE(f.variance(i, 0), 0);
    }
    EXPECT_LT(std::sqrt(square), 0.3) << spec;
    const auto again = rvr_entry().load(state_of(*model), {});
    EXPECT_TRUE(same_bits(again->moments(x, PredictionOf::function, {}).variance, f.variance));
  }
}

TEST(Rvr, CandidatesAndLimits) {
  RvrOptions options;
  options.candidates = 20;
  const auto some = fit_rvr(parse_kernel("rbf(lengthscale=2)"), options, noisy_sinc(100, 1));
  EXPECT_LE(some->support_rows().size(), 20U);
  EXPECT_LT(std::sqrt(some->parts().noise.front()), 0.14);
  ASSERT_FALSE(some->report().notes.empty());
  options = {};
  options.max_vectors = 3;
  EXPECT_LE(fit_rvr(parse_kernel("rbf(lengthscale=2)"), options, noisy_sinc(100, 1))->support_rows().size(), 3U);
  options = {};
  options.memory_mb = 0.01;
  const Samples x = make_dense(line(20, -9, 9));
  const Matrix<double> passing =
      fit_rvr(parse_kernel("rbf(lengthscale=2)"), options, noisy_sinc(100, 1))->predict(x, {});
  const Matrix<double> kept = fit_rvr(parse_kernel("rbf(lengthscale=2)"), {}, noisy_sinc(100, 1))->predict(x, {});
  for (Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(passing(i, 0), kept(i, 0), 1e-6);
  }
  options = {};
  options.tolerance = -1;
  EXPECT_ERROR(fit_rvr(parse_kernel("rbf(lengthscale=2)"), options, noisy_sinc(10, 1)), InvalidArgument,
               "rvr: tolerance = -1");
  options = {};
  options.prior = RelevancePrior::gamma;
  options.weight_rate = 0;
  EXPECT_ERROR(fit_rvr(parse_kernel("rbf(lengthscale=2)"), options, noisy_sinc(10, 1)), InvalidArgument,
               "rvr: prior = gamma needs weight_shape and weight_rate that are finite and");
}

TEST(Rvr, DegenerateData) {
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const Samples two = random_samples(2, 2, 8);
  // One row, and a constant target: the constant is the model.
  for (const Index n : {1, 7}) {
    const auto model = fit_rvr(kernel, {}, {random_samples(n, 2, 1), Targets::numeric(std::vector<double>(n, 5.0))});
    const PredictiveMoments y = model->moments(two, PredictionOf::observation, {});
    EXPECT_EQ(y.mean(1, 0), 5);
    EXPECT_EQ(y.variance(1, 0), 0);
    EXPECT_TRUE(same_bits(rvr_entry().load(state_of(*model), {})->predict(two, {}), model->predict(two, {})));
  }
  RvrOptions plain;
  plain.bias = false;
  EXPECT_TRUE(std::isfinite(fit_rvr(kernel, plain, {random_samples(1, 2, 1), Targets::numeric(std::vector<double>{3})})
                                ->predict(two, {})(0, 0)));
  // All rows the same.
  const Samples same = make_dense(Matrix<double>::filled(20, 2, 0.5));
  const Matrix<double> noise = random_matrix(20, 1, 2);
  const auto repeated = fit_rvr(kernel, {}, {same, Targets::numeric(noise.view())});
  double mean = 0;
  for (Index i = 0; i < 20; ++i) {
    mean += noise(i, 0) / 20;
  }
  EXPECT_NEAR(repeated->predict(same, {})(0, 0), mean, 1e-9);
  std::vector<double> missing = {1, NAN, 2};
  EXPECT_ERROR(fit_rvr(kernel, {}, {random_samples(3, 2, 1), Targets::numeric(missing)}), DataError,
               "the target of row 1 (counted from 0) is nan; targets must be finite numbers");
  EXPECT_ERROR(fit_rvr(kernel, {}, {random_samples(0, 2, 1), Targets::numeric(std::vector<double>{})}), DataError,
               "rvr: there are no rows to fit");
  Matrix<double> hole = random_matrix(4, 2, 3);
  hole(2, 1) = NAN;
  EXPECT_ERROR(fit_rvr(kernel, {}, {make_dense(std::move(hole)), Targets::numeric(std::vector<double>{1, 2, 3, 4})}),
               DataError, "row 2, column 1 is NaN");
}

}  // namespace
}  // namespace mercer
