// The Bayes point classifier as a model; its sampler is tested with the solvers.
#include "mercer/models/prototypes/bayes_point.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using testing::blobs;
using testing::measure;
using testing::same_bits;

const Kernel& bayes_kernel() {
  static const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  return kernel;
}

TEST(BayesPointModel, SharesAreVotesOfItsCommittee) {
  const testing::Blobs rows = blobs(60, 3, 3, 1);
  const Samples x = testing::random_samples(40, 2, 2);
  for (const Multiclass way : {Multiclass::one_vs_one, Multiclass::one_vs_rest, Multiclass::graph}) {
    BayesPointOptions options;
    options.multiclass = way;
    options.samples = 400;
    options.committee = 20;
    const auto model = fit_bayes_point(bayes_kernel(), options, rows.data);
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    EXPECT_GT(testing::accuracy(rows, model->predict(rows.data.samples, {})), 0.95);
    const Matrix<double> shares = model->probabilities(x, {});
    const Expansion votes(bayes_kernel(), model->parts().expansion.centers(),
                          Matrix<double>::copy_of(model->parts().committee.view()), ParametricPart::none, {},
                          Precision::double_precision, {});
    const Matrix<double> values = votes.values(x, {});
    for (Index i = 0; i < 40; ++i) {
      std::vector<double> expected(3, 1.0 / 23);
      for (Index k = 0; k < 20; ++k) {
        const std::vector<double> member = {values(i, k), values(i, 20 + k), values(i, 40 + k)};
        expected[model->code().decode(member)] += 1.0 / 23;
      }
      for (Index c = 0; c < 3; ++c) {
        EXPECT_NEAR(shares(i, c), expected[c], 1e-12);
      }
    }
    const auto again = find_model("bayespoint").load(state_of(*model), {});
    EXPECT_TRUE(same_bits(again->decide(x, {}), model->decide(x, {})));
    EXPECT_TRUE(same_bits(again->probabilities(x, {}), shares));
  }
}

TEST(BayesPointModel, TheSharpestAnswersAreWhereNoMachineDisagrees) {
  const testing::Blobs rows = blobs(40, 2, 4, 3);
  BayesPointOptions options;
  options.ridge = 0;
  const auto model = fit_bayes_point(bayes_kernel(), options, rows.data);
  // Every machine of a version space is right on all rows.
  const Matrix<double> shares = model->probabilities(rows.data.samples, {});
  for (Index i = 0; i < 40; ++i) {
    EXPECT_NEAR(shares(i, rows.classes[i]), 101.0 / 102, 1e-12);
  }
  // Far from all rows they are as good as drawn from a sphere.
  const double far = model->probabilities(make_dense(std::vector<double>{0, 4}, 1, 2), {})(0, 0);
  EXPECT_GT(far, 0.2);
  EXPECT_LT(far, 0.8);
}

TEST(BayesPointModel, AnyNumberOfThreadsAndAnotherSeed) {
  const testing::Blobs rows = blobs(40, 3, 1, 4);
  BayesPointOptions options;
  options.samples = 100;
  const auto values = [&](int threads, std::uint64_t seed) {
    return fit_bayes_point(bayes_kernel(), options, rows.data, mercer::Run{{.threads = threads, .seed = seed}})
        ->decide(rows.data.samples, {});
  };
  EXPECT_TRUE(same_bits(values(1, 1), values(3, 1)));
  EXPECT_FALSE(same_bits(values(1, 1), values(1, 2)));
}

TEST(BayesPointModel, WalksThatHaveNotMixedAreSaidNotToHave) {
  const testing::Blobs rows = blobs(200, 2, 0.5, 5);
  BayesPointOptions options;
  options.walk = ConeWalk::hit_and_run;
  options.samples = 100;
  options.thin = 1;
  options.burn_in = 1;
  const auto model = fit_bayes_point(bayes_kernel(), options, rows.data);
  EXPECT_EQ(model->report().status, SolveStatus::iteration_limit);
  EXPECT_GT(measure(*model, "split R-hat"), 1.1);
  EXPECT_LT(measure(*model, "effective samples"), 50);
  ASSERT_FALSE(model->report().notes.empty());
  EXPECT_NE(model->report().notes.front().text.find("the chains have not mixed"), std::string::npos);
}

TEST(BayesPointModel, WithoutACommitteeThereAreNoProbabilities) {
  const testing::Blobs rows = blobs(30, 2, 3, 6);
  BayesPointOptions options;
  options.committee = 0;
  const auto model = fit_bayes_point(bayes_kernel(), options, rows.data);
  EXPECT_FALSE(model->has_probabilities());
  EXPECT_ERROR(model->probabilities(rows.data.samples, {}), InvalidArgument, "fit it with committee=200");
  const auto again = find_model("bayespoint").load(state_of(*model), {});
  EXPECT_FALSE(again->has_probabilities());
  EXPECT_TRUE(same_bits(again->decide(rows.data.samples, {}), model->decide(rows.data.samples, {})));
}

TEST(BayesPointModel, Refusals) {
  const testing::Blobs rows = blobs(30, 2, 0, 7);
  TrainingData weighted = rows.data;
  weighted.weights.assign(30, 1.0);
  weighted.weights[3] = 2;
  EXPECT_ERROR(fit_bayes_point(bayes_kernel(), {}, weighted), InvalidArgument, "weights other than 0 and 1");
  EXPECT_ERROR(fit_bayes_point(parse_kernel("negative_distance()"), {}, rows.data), InvalidArgument,
               "negative_distance");
  EXPECT_ERROR(fit_bayes_point(parse_kernel("linear()"), {.ridge = 0}, rows.data), NumericalError,
               "A ridge above 0 makes one");
  EXPECT_ERROR(fit_bayes_point(bayes_kernel(), {.samples = 10}, rows.data), InvalidArgument,
               "a committee of 100 out of 10");
  BayesPointOptions small;
  small.memory_mb = 0.01;
  EXPECT_ERROR(fit_bayes_point(bayes_kernel(), small, rows.data), InvalidArgument, "allow it by memory_mb");
}

}  // namespace
}  // namespace mercer
