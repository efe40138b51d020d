// Prior functions: what is fitted beside them, what is answered, what goes with rows, and what is refused.
#include "mercer/models/prior.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/join_samples.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/compress/compress.h"
#include "mercer/models/ridge/ridge.h"
#include "models/random_problem.h"
#include "models/smooth_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

// Columns of different sizes, so that a preparation matters.
Matrix<double> prior_rows(Index n, std::uint64_t seed) {
  Matrix<double> x = testing::random_matrix(n, 3, seed);
  for (Index i = 0; i < n; ++i) {
    x(i, 1) *= 100;
  }
  return x;
}

std::vector<double> prior_targets(const Matrix<double>& x) {
  std::vector<double> y;
  for (Index i = 0; i < x.rows(); ++i) {
    y.push_back(10 + 3 * x(i, 0) + 0.02 * x(i, 1) + std::sin(2 * x(i, 2)));
  }
  return y;
}

/// A model of raw rows, with a preparation of its own.
StoredModel fitted_to(const std::string& model, const std::string& kernel, std::vector<OptionSetting> settings,
                      const Samples& raw, std::vector<double> y, std::shared_ptr<const KnownFunction> prior = nullptr) {
  const ModelEntry& entry = find_model(model);
  Preparation preparation = fit_preparation({raw});
  preparation.prior = std::move(prior);
  TrainingData data{.samples = preparation.apply(raw), .targets = Targets::numeric(std::move(y), "y")};
  return fit_stored_model(entry, kernel_for(entry, kernel), settings, data, std::move(preparation));
}

std::shared_ptr<const PriorModel> as_prior(StoredModel stored) {
  return std::make_shared<const PriorModel>(std::move(stored));
}

std::vector<std::string> models_that_take_priors() {
  std::vector<std::string> names;
  for (const ModelEntry* entry : model_registry()) {
    if (entry->takes_prior) {
      names.push_back(entry->name);
    }
  }
  return names;
}

TEST(Prior, ModelsOfQuantitiesThatPriceANormTakeOne) {
  const std::vector<std::string> names = models_that_take_priors();
  for (const char* name : {"ridge", "svr", "nusvr", "riskr", "linearsvr", "mapridge", "falkon", "mklridge", "mklsvr"}) {
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  }
  for (const std::string& name : names) {
    EXPECT_EQ(find_model(name).task, Task::regression) << name;
  }
}

// f = f0 + g, (K + λ) α = y − f0(X): by hand on the scaled columns.
TEST(Prior, RidgeIsTheClosedForm) {
  const Matrix<double> x = prior_rows(25, 1);
  const std::vector<double> y = prior_targets(x);
  const Samples raw = make_dense(Matrix<double>::copy_of(x.view()));
  const auto prior = as_prior(fitted_to("leastsquares", "", {{"parametric", "linear"}}, raw, y));
  const StoredModel model = fitted_to("ridge", "rbf(gamma=0.3)", {{"lambda", "0.1"}}, raw, y, prior);

  const Matrix<double> f0 = prior->stored().predict(raw);
  std::vector<double> rest;
  for (Index i = 0; i < x.rows(); ++i) {
    rest.push_back(y[static_cast<std::size_t>(i)] - f0(i, 0));
  }
  const StoredModel beside = fitted_to("ridge", "rbf(gamma=0.3)", {{"lambda", "0.1"}}, raw, rest);
  const Samples fresh = make_dense(prior_rows(9, 2));
  const Matrix<double> both = model.predict(fresh);
  const Matrix<double> g = beside.predict(fresh);
  const Matrix<double> known = prior->stored().predict(fresh);
  for (Index i = 0; i < both.rows(); ++i) {
    EXPECT_DOUBLE_EQ(both(i, 0), known(i, 0) + g(i, 0));
  }
  EXPECT_TRUE(model.model->adds_offsets());
}

// Targets that the prior function says already leave nothing to learn, whatever the machine.
TEST(Prior, ThatSaysTheTargetsComesBackExactly) {
  const Matrix<double> x = prior_rows(30, 3);
  const Samples raw = make_dense(Matrix<double>::copy_of(x.view()));
  const auto prior = as_prior(fitted_to("ridge", "rbf(gamma=0.2)", {{"lambda", "0.3"}}, raw, prior_targets(x)));
  const Matrix<double> f0 = prior->stored().predict(raw);
  const std::vector<double> y(f0.data(), f0.data() + f0.rows());
  const Samples fresh = make_dense(prior_rows(12, 4));
  const Matrix<double> expected = prior->stored().predict(fresh);
  for (const std::string& name : models_that_take_priors()) {
    const StoredModel model = fitted_to(name, "", {}, raw, y, prior);
    const Matrix<double> values = model.predict(fresh);
    for (Index i = 0; i < values.rows(); ++i) {
      EXPECT_NEAR(values(i, 0), expected(i, 0), 1e-12 * std::abs(expected(i, 0))) << name;
    }
  }
}

// A function that is 0 everywhere changes no bit.
TEST(Prior, OfZeroChangesNothing) {
  const Matrix<double> x = prior_rows(30, 5);
  const std::vector<double> y = prior_targets(x);
  const Samples raw = make_dense(Matrix<double>::copy_of(x.view()));
  const auto zero = as_prior(
      fitted_to("ridge", "rbf(gamma=0.2)", {}, raw, std::vector<double>(static_cast<std::size_t>(x.rows()), 0.0)));
  const Samples fresh = make_dense(prior_rows(12, 6));
  for (const std::string& name : models_that_take_priors()) {
    const Matrix<double> with = fitted_to(name, "", {}, raw, y, zero).predict(fresh);
    const Matrix<double> without = fitted_to(name, "", {}, raw, y).predict(fresh);
    for (Index i = 0; i < with.rows(); ++i) {
      EXPECT_EQ(with(i, 0), without(i, 0)) << name;
    }
  }
}

// Far from the rows the function falls back to the prior one, not to 0.
TEST(Prior, IsWhatIsLeftFarAway) {
  const Matrix<double> x = prior_rows(30, 7);
  const Samples raw = make_dense(Matrix<double>::copy_of(x.view()));
  const std::vector<double> y = prior_targets(x);
  const auto prior = as_prior(fitted_to("leastsquares", "", {{"parametric", "linear"}}, raw, y));
  const StoredModel model =
      fitted_to("ridge", "rbf(gamma=1)", {{"lambda", "0.01"}, {"parametric", "none"}}, raw, y, prior);
  const Samples far = make_dense(std::vector<double>{500, -20000, 700}, 1, 3);
  EXPECT_DOUBLE_EQ(model.predict(far)(0, 0), prior->stored().predict(far)(0, 0));
}

// Another kind of model, of other columns, by their names, in other units.
TEST(Prior, OfOtherColumns) {
  const Matrix<double> x = prior_rows(40, 8);
  const std::vector<double> y = prior_targets(x);
  Matrix<double> first(x.rows(), 1);
  for (Index i = 0; i < x.rows(); ++i) {
    first(i, 0) = x(i, 1);
  }
  const Samples whole = make_table(Table(make_dense(Matrix<double>::copy_of(x.view())), {"a", "b", "c"}, {}));
  const Samples part = make_table(Table(make_dense(std::move(first)), {"b"}, {}));
  const auto prior = as_prior(fitted_to("gp", "rbf()", {{"optimize", "no"}}, part, y));
  const StoredModel model = fitted_to("svr", "rbf(gamma=0.3)", {{"C", "10"}}, whole, y, prior);
  const Matrix<double> values = model.predict(whole);
  const Matrix<double> known = prior->stored().predict(part);
  double with = 0;
  double without = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    const double truth = y[static_cast<std::size_t>(i)];
    with += std::pow(values(i, 0) - truth, 2);
    without += std::pow(known(i, 0) - truth, 2);
  }
  EXPECT_LT(with, 0.05 * without);
  EXPECT_ERROR(fitted_to("svr", "rbf(gamma=0.3)", {}, make_dense(Matrix<double>::copy_of(x.view())), y, prior),
               DataError, "the prior function (gp) has no values at these rows");
}

TEST(Prior, OfAPrior) {
  const Matrix<double> x = prior_rows(30, 9);
  const Samples raw = make_dense(Matrix<double>::copy_of(x.view()));
  const std::vector<double> y = prior_targets(x);
  const auto first = as_prior(fitted_to("leastsquares", "", {{"parametric", "linear"}}, raw, y));
  const auto second = as_prior(fitted_to("ridge", "rbf(gamma=0.1)", {{"lambda", "1"}}, raw, y, first));
  const StoredModel third = fitted_to("ridge", "rbf(gamma=1)", {{"lambda", "1"}}, raw, y, second);
  double before = 0;
  double after = 0;
  const Matrix<double> known = second->stored().predict(raw);
  const Matrix<double> values = third.predict(raw);
  for (Index i = 0; i < x.rows(); ++i) {
    before += std::pow(known(i, 0) - y[static_cast<std::size_t>(i)], 2);
    after += std::pow(values(i, 0) - y[static_cast<std::size_t>(i)], 2);
  }
  EXPECT_LT(after, before);
}

TEST(Prior, CompressionMakesWhatWasLearnedSmaller) {
  const Matrix<double> x = prior_rows(40, 10);
  const Samples raw = make_dense(Matrix<double>::copy_of(x.view()));
  const std::vector<double> y = prior_targets(x);
  const auto prior = as_prior(fitted_to("leastsquares", "", {{"parametric", "linear"}}, raw, y));
  StoredModel model = fitted_to("ridge", "rbf(gamma=0.1)", {{"lambda", "0.1"}}, raw, y, prior);
  CompressedModel small = compress(*model.model, {.size = 30}, nullptr, {});
  EXPECT_TRUE(small.model->adds_offsets());
  const Matrix<double> before = model.predict(raw);
  model.model = std::move(small.model);
  const Matrix<double> after = model.predict(raw);
  for (Index i = 0; i < x.rows(); ++i) {
    EXPECT_NEAR(after(i, 0), before(i, 0), small.report.error());
  }
}

TEST(Prior, OffsetsGoWithRows) {
  Matrix<double> offsets(4, 1);
  for (Index i = 0; i < 4; ++i) {
    offsets(i, 0) = static_cast<double>(i);
  }
  const Samples plain = make_dense(std::vector<double>{1, 2, 3, 4}, 4, 1);
  EXPECT_EQ(plain.offsets(), nullptr);
  const Samples samples = plain.with_offsets(Matrix<double>::copy_of(offsets.view()));
  const std::vector<Index> rows = {2, 0, 2};
  const Samples chosen = samples.select(rows);
  ASSERT_NE(chosen.offsets(), nullptr);
  EXPECT_EQ((*chosen.offsets())(0, 0), 2);
  EXPECT_EQ((*chosen.offsets())(1, 0), 0);
  EXPECT_EQ((*samples.slice({1, 3}).offsets())(0, 0), 1);
  EXPECT_EQ(samples.slice({1, 3}).offsets()->rows(), 2);
  EXPECT_EQ((*to_precision<float>(samples).offsets())(3, 0), 3);
  EXPECT_EQ((*chosen.slice({2, 3}).offsets())(0, 0), 2);
  EXPECT_ERROR(plain.with_offsets(Matrix<double>(3, 1)), InvalidArgument, "3 rows");
}

TEST(Prior, Refusals) {
  const Matrix<double> x = prior_rows(20, 11);
  const Samples raw = make_dense(Matrix<double>::copy_of(x.view()));
  const std::vector<double> y = prior_targets(x);
  const auto prior = as_prior(fitted_to("ridge", "rbf(gamma=0.1)", {}, raw, y));
  EXPECT_ERROR(fitted_to("knnr", "", {}, raw, y, prior), InvalidArgument, "knnr takes no prior function");
  const StoredModel model = fitted_to("ridge", "rbf(gamma=0.1)", {}, raw, y, prior);
  EXPECT_ERROR(model.model->predict(raw, {}), InvalidArgument, "come without its values");
  // Of other targets.
  const ModelEntry& ridge = find_model("ridge");
  Preparation preparation = fit_preparation({raw});
  preparation.prior = prior;
  TrainingData two{.samples = preparation.apply(raw), .targets = Targets::numeric(x.view())};
  EXPECT_ERROR(fit_stored_model(ridge, kernel_for(ridge, ""), {}, two, preparation), InvalidArgument,
               "the prior function has 1 output, and there are 3 targets");
  // Classes are no quantities.
  std::vector<std::string> labels;
  for (Index i = 0; i < x.rows(); ++i) {
    labels.push_back(x(i, 0) > 0 ? "yes" : "no");
  }
  const ModelEntry& svc = find_model("svc");
  EXPECT_ERROR(PriorModel(fit_stored_model(svc, kernel_for(svc, ""), {},
                                           {.samples = raw, .targets = Targets::classes(labels)}, {})),
               InvalidArgument, "must be a model of quantities");
  EXPECT_ERROR(fitted_to("ridge", "rbf(gamma=0.1)", {}, make_dense(std::vector<double>{1, 2}, 2, 1), {1, 2}, prior),
               DataError, "has no values at these rows");
}

// Weights, and rows that are left out by them.
TEST(Prior, WeightsAreCopies) {
  const Matrix<double> x = prior_rows(20, 12);
  const Samples raw = make_dense(Matrix<double>::copy_of(x.view()));
  const std::vector<double> y = prior_targets(x);
  const auto prior = as_prior(fitted_to("leastsquares", "", {{"parametric", "linear"}}, raw, y));
  Preparation preparation = fit_preparation({raw});
  preparation.prior = prior;
  std::vector<double> weights(20, 1.0);
  weights[3] = 0;
  weights[5] = 2;
  std::vector<Index> rows;
  for (Index i = 0; i < 20; ++i) {
    rows.insert(rows.end(), static_cast<std::size_t>(weights[static_cast<std::size_t>(i)]), i);
  }
  const Samples samples = preparation.apply(raw);
  const Targets targets = Targets::numeric(y);
  const ModelEntry& ridge = find_model("ridge");
  const std::vector<OptionSetting> settings = {{"lambda", "0.1"}};
  const auto kernel = kernel_for(ridge, "rbf(gamma=0.3)");
  const auto weighted = ridge.fit(kernel, settings, {.samples = samples, .targets = targets, .weights = weights}, {});
  const auto copied =
      ridge.fit(kernel, settings, {.samples = samples.select(rows), .targets = targets.select(rows)}, {});
  const Matrix<double> a = weighted->predict(samples, {});
  const Matrix<double> b = copied->predict(samples, {});
  for (Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(a(i, 0), b(i, 0), 1e-9);
  }
}

}  // namespace
}  // namespace mercer
