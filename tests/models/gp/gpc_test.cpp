// The Gaussian process classifier against its parts computed by hand, and on data with known answers.
#include "mercer/models/gp/gpc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/special_functions.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/gp/inference/expectation_propagation.h"
#include "mercer/models/gp/inference/laplace.h"
#include "mercer/models/likelihoods/families.h"
#include "mercer/models/model_state.h"
#include "models/svm_blobs.h"
#include "support/dense.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using oracle::Dense;
using testing::accuracy;
using testing::Blobs;
using testing::blobs;
using testing::kernel_matrix;
using testing::random_samples;
using testing::same_bits;

GpcOptions fixed(GpcInference inference = GpcInference::laplace, GpcLink link = GpcLink::logistic) {
  GpcOptions options;
  options.inference = inference;
  options.link = link;
  options.optimize = false;
  return options;
}

constexpr std::array every_inference = {GpcInference::laplace, GpcInference::expectation_propagation,
                                        GpcInference::variational};

const char* const plain = "2*rbf(lengthscale=1.5)";

std::vector<double> signs(const Blobs& b) {
  std::vector<double> y;
  for (const int c : b.classes) {
    y.push_back(c == 1 ? 1 : -1);
  }
  return y;
}

// Mean, variance and averaged probability from explicit inverses.
TEST(Gpc, EqualsExplicitPrediction) {
  const Blobs b = blobs(40, 2, 1.0, 3);
  const Samples x = random_samples(7, 2, 5);
  const Kernel kernel = parse_kernel(plain);
  const Dense k = kernel_matrix(kernel, b.data.samples, b.data.samples);
  const Dense cross = kernel_matrix(kernel, x, b.data.samples);
  Matrix<double> stored(40, 40);
  for (Index i = 0; i < 40; ++i) {
    for (Index j = 0; j < 40; ++j) {
      stored(i, j) = k(i, j);
    }
  }
  for (const GpcLink link : {GpcLink::logistic, GpcLink::probit}) {
    for (const GpcInference inference : {GpcInference::laplace, GpcInference::expectation_propagation}) {
      const auto model = fit_gpc(kernel, fixed(inference, link), b.data);
      const LikelihoodPtr likelihood = link == GpcLink::probit ? probit_likelihood() : logistic_likelihood();
      const std::vector<double> y = signs(b);
      const LatentApproximation found = inference == GpcInference::expectation_propagation
                                            ? static_cast<LatentApproximation>(expectation_propagation(
                                                  stored.view(), y, *likelihood, {}, {}, mercer::Run()))
                                            : laplace(stored.view(), {y}, *likelihood, {}, {}, mercer::Run());
      const Dense alpha = found.alpha;
      const Dense noise = Dense(found.precision).map([](double precision) { return 1 / precision; });
      const Dense middle = (k + Dense::with_diagonal(noise)).inverse();
      const Matrix<double> decisions = model->decide(x, {});
      const Matrix<double> probabilities = model->probabilities(x, {});
      const std::vector<double> variances = model->latent_variances(x, {});
      const Matrix<double> predicted = model->predict(x, {});
      for (Index i = 0; i < 7; ++i) {
        const double mean = cross.row(i).dot(alpha);
        const double variance = 2 - (cross.row(i) * middle).dot(cross.row(i));
        EXPECT_NEAR(decisions(i, 0), mean, 1e-6) << word_of(link) << word_of(inference);
        EXPECT_NEAR(variances[i], variance, 1e-6) << word_of(link) << word_of(inference);
        if (link == GpcLink::probit) {
          EXPECT_NEAR(probabilities(i, 1), normal_cumulative(mean / std::sqrt(1 + variance)), 1e-6);
        }
        EXPECT_NEAR(probabilities(i, 0) + probabilities(i, 1), 1, 1e-14);
        // The average is nearer to one half than the probability at the mean.
        const double at_mean = std::exp(likelihood->log_density(1, decisions(i, 0)).value);
        EXPECT_LE(std::abs(probabilities(i, 1) - 0.5), std::abs(at_mean - 0.5));
        EXPECT_EQ(predicted(i, 0), probabilities(i, 1) > 0.5 ? 1 : 0);
      }
      EXPECT_NEAR(model->report().objective, found.log_evidence, 1e-6);
    }
  }
}

TEST(Gpc, LearningRaisesTheEvidence) {
  const Blobs b = blobs(80, 2, 1.5, 7);
  for (const GpcInference inference : every_inference) {
    GpcOptions options = fixed(inference);
    const double before = fit_gpc(parse_kernel("1*rbf(lengthscale=0.2)"), options, b.data)->report().objective;
    options.optimize = true;
    const auto learned = fit_gpc(parse_kernel("1*rbf(lengthscale=0.2)"), options, b.data);
    EXPECT_GT(learned->report().objective, before + 5) << word_of(inference);
    EXPECT_GT(accuracy(b, learned->predict(b.data.samples, {})), 0.85) << word_of(inference);
    options.max_evaluations = 1000;
    EXPECT_NEAR(fit_gpc(parse_kernel("1*rbf(lengthscale=0.2)"), options, b.data)->report().objective,
                learned->report().objective, 0.05)
        << word_of(inference);
  }
}

TEST(Gpc, SeveralClasses) {
  const Blobs b = blobs(120, 3, 3.0, 8);
  const auto model = fit_gpc(parse_kernel("1*rbf(lengthscale=scale)"), {}, b.data);
  EXPECT_GT(accuracy(b, model->predict(b.data.samples, {})), 0.93);
  const Matrix<double> probabilities = model->probabilities(b.data.samples, {});
  const Matrix<double> predicted = model->predict(b.data.samples, {});
  for (Index i = 0; i < 120; ++i) {
    EXPECT_NEAR(probabilities(i, 0) + probabilities(i, 1) + probabilities(i, 2), 1, 1e-12);
    EXPECT_EQ(probabilities(i, static_cast<Index>(predicted(i, 0))),
              *std::max_element(probabilities.view().row(i).begin(), probabilities.view().row(i).end()));
  }
  // Far from all data every class is as probable as the others.
  Matrix<double> far = Matrix<double>::filled(1, 2, 1e3);
  const Matrix<double> unknown = model->probabilities(make_dense(std::move(far)), {});
  for (Index c = 0; c < 3; ++c) {
    EXPECT_NEAR(unknown(0, c), 1.0 / 3, 5e-3);
  }
  EXPECT_EQ(model->decision_names(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_ERROR(model->latent_variances(b.data.samples, {}), InvalidArgument,
               "gpc: latent variances are for two classes");
}

// Probabilities match the shares of the classes: labels drawn from a known probability.
TEST(Gpc, ProbabilitiesAreCalibrated) {
  RandomStream random(11, 2);
  const auto draw = [&](Index n, std::vector<double>& truth) {
    Matrix<double> x(n, 1);
    std::vector<std::string> labels;
    for (Index i = 0; i < n; ++i) {
      x(i, 0) = 6 * random.uniform() - 3;
      truth.push_back(1 / (1 + std::exp(-2 * std::sin(2 * x(i, 0)))));
      labels.emplace_back(random.uniform() < truth.back() ? "p" : "n");
    }
    return TrainingData{make_dense(std::move(x)), Targets::classes(labels)};
  };
  std::vector<double> truth;
  const TrainingData train = draw(400, truth);
  truth.clear();
  const TrainingData test = draw(1000, truth);
  for (const GpcInference inference : {GpcInference::laplace, GpcInference::expectation_propagation}) {
    GpcOptions options;
    options.inference = inference;
    options.search_rows = 200;
    const auto model = fit_gpc(parse_kernel("1*rbf(lengthscale=scale)"), options, train);
    const Matrix<double> p = model->probabilities(test.samples, {});
    double error = 0;
    double bias = 0;
    for (Index i = 0; i < 1000; ++i) {
      error += std::pow(p(i, 1) - truth[i], 2) / 1000;
      bias += (p(i, 1) - truth[i]) / 1000;
    }
    EXPECT_LT(std::sqrt(error), 0.1) << word_of(inference);
    EXPECT_LT(std::abs(bias), 0.05) << word_of(inference);
  }
}

TEST(Gpc, LabelNoiseIsLearned) {
  Blobs b = blobs(200, 2, 3.0, 9);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < b.classes.size(); ++i) {
    const bool flip = i % 16 == 0 || i % 16 == 5;  // an eighth of either class
    labels.emplace_back((b.classes[i] == 1) != flip ? "b" : "a");
  }
  const TrainingData noisy{b.data.samples, Targets::classes(labels)};
  // Without a large amplitude a flat link explains flips as well as the noise does.
  GpcOptions options;
  options.label_noise = 0.02;
  options.priors = HyperPriors({{"scale", HyperPrior::lognormal(4, 0.1)}});
  const auto model = fit_gpc(parse_kernel("50*rbf(lengthscale=scale)"), options, noisy);
  EXPECT_NEAR(model->parts().options.label_noise, 0.125, 0.04);
  EXPECT_GT(accuracy(b, model->predict(b.data.samples, {})), 0.97);  // against the labels before the flips
  const Matrix<double> p = model->probabilities(b.data.samples, {});
  for (Index i = 0; i < 200; ++i) {
    EXPECT_GE(std::min(p(i, 0), p(i, 1)), model->parts().options.label_noise - 1e-12);
  }
}

TEST(Gpc, WeightsAreRepetitions) {
  const Blobs b = blobs(30, 2, 1.0, 12);
  TrainingData weighted = b.data;
  weighted.weights.assign(30, 1.0);
  weighted.weights[4] = 2;
  weighted.weights[9] = 0;
  std::vector<Index> rows;
  for (Index i = 0; i < 30; ++i) {
    if (i != 9) {
      rows.push_back(i);
    }
  }
  rows.push_back(4);
  const TrainingData repeated{b.data.samples.select(rows), b.data.targets.select(rows)};
  const Samples x = random_samples(20, 2, 6);
  const Matrix<double> one = fit_gpc(parse_kernel(plain), fixed(), weighted)->probabilities(x, {});
  const Matrix<double> two = fit_gpc(parse_kernel(plain), fixed(), repeated)->probabilities(x, {});
  for (Index i = 0; i < 20; ++i) {
    EXPECT_NEAR(one(i, 0), two(i, 0), 1e-7);
  }
  EXPECT_ERROR(fit_gpc(parse_kernel(plain), fixed(GpcInference::expectation_propagation), weighted), InvalidArgument,
               "gpc: inference = ep: takes no weights of rows or classes");
  EXPECT_ERROR(fit_gpc(parse_kernel(plain), fixed(GpcInference::variational), weighted), InvalidArgument,
               "gpc: inference = variational");
  TrainingData balanced = b.data;
  GpcOptions options = fixed();
  options.class_weight = {{"b", 3}};
  const Matrix<double> heavier = fit_gpc(parse_kernel(plain), options, balanced)->decide(x, {});
  const Matrix<double> even = fit_gpc(parse_kernel(plain), fixed(), balanced)->decide(x, {});
  double shift = 0;
  for (Index i = 0; i < 20; ++i) {
    shift += heavier(i, 0) - even(i, 0);
  }
  EXPECT_GT(shift, 0);
}

TEST(Gpc, LoadedModelsGiveTheSameProbabilities) {
  const Samples x = random_samples(15, 2, 8);
  for (const int classes : {2, 4}) {
    const Blobs b = blobs(60, classes, 2.0, 13);
    const auto model = fit_gpc(parse_kernel(plain), fixed(), b.data);
    const auto again = gpc_entry().load(state_of(*model), {});
    EXPECT_TRUE(same_bits(model->probabilities(x, {}), again->probabilities(x, {})));
    EXPECT_TRUE(same_bits(model->decide(x, {}), again->decide(x, {})));
    ModelState broken = state_of(*model);
    broken.parts.numbers.at("coefficients")(0, 0) = std::nan("");
    EXPECT_ERROR(gpc_entry().load(std::move(broken), {}), DataError,
                 "'coefficients' holds a number that is not finite");
    broken = state_of(*model);
    broken.head.classes.pop_back();
    EXPECT_ERROR(gpc_entry().load(std::move(broken), {}), DataError,
                 classes == 2 ? "a stored gpc model with 1 classes" : "where the model needs 60 by 3");
  }
}

TEST(Gpc, RestartsGiveTheSameBitsOnAnyThreads) {
  const Blobs b = blobs(50, 2, 1.0, 14);
  GpcOptions options;
  options.restarts = 2;
  options.max_evaluations = 15;
  const auto objective = [&](int threads) {
    return fit_gpc(parse_kernel("1*rbf(lengthscale=scale)"), options, b.data,
                   mercer::Run{{.threads = threads, .seed = 3}})
        ->report()
        .objective;
  };
  EXPECT_EQ(objective(1), objective(3));
}

TEST(Gpc, SubsetsHoldEveryClass) {
  Blobs b = blobs(300, 2, 2.0, 15);
  std::vector<std::string> labels(300, "common");
  labels[17] = "rare";
  labels[250] = "rare";
  GpcOptions options;
  options.search_rows = 40;
  const auto model =
      fit_gpc(parse_kernel("1*rbf(lengthscale=scale)"), options, {b.data.samples, Targets::classes(labels)});
  EXPECT_NE(model->report().notes.back().text.find("40 of 300"), std::string::npos);
  options.search_rows = 0;
  EXPECT_NO_THROW(fit_gpc(parse_kernel("1*rbf(lengthscale=scale)"), options,
                          {b.data.samples.select(std::vector<Index>{0, 1, 17, 30}),
                           Targets::classes(std::vector<std::string>{"common", "common", "rare", "common"})}));
}

TEST(Gpc, DegenerateData) {
  const auto finite = [](const FittedModel& model, const Samples& x) {
    const Matrix<double> p = model.probabilities(x, {});
    for (Index i = 0; i < p.rows() * p.columns(); ++i) {
      if (!(p.data()[i] >= 0 && p.data()[i] <= 1)) {
        return false;
      }
    }
    return true;
  };
  const Kernel kernel = parse_kernel("1*rbf(lengthscale=scale)");
  for (const GpcInference inference : every_inference) {
    GpcOptions options;
    options.inference = inference;
    // Two rows; the same input twice with both labels; constant columns; huge and tiny scales.
    for (const double size : {0.0, 1.0, 1e12, 1e-12}) {
      Matrix<double> x(4, 2);
      for (Index i = 0; i < 4; ++i) {
        x(i, 0) = size * static_cast<double>(i / 2);
        x(i, 1) = 5;
      }
      const Samples samples = make_dense(std::move(x));
      const auto model =
          fit_gpc(kernel, options, {samples, Targets::classes(std::vector<std::string>{"u", "v", "u", "v"})});
      EXPECT_TRUE(finite(*model, samples)) << word_of(inference) << size;
      EXPECT_NEAR(model->probabilities(samples, {})(0, 0), 0.5, 1e-3) << word_of(inference) << size;
    }
    const Samples two = random_samples(2, 1, 3);
    const auto model = fit_gpc(kernel, options, {two, Targets::classes(std::vector<std::string>{"u", "v"})});
    EXPECT_TRUE(finite(*model, two));
  }
  const Blobs b = blobs(30, 3, 2.0, 4);
  EXPECT_TRUE(finite(*fit_gpc(parse_kernel("1e9*rbf(lengthscale=1)"), fixed(), b.data), b.data.samples));
  EXPECT_TRUE(finite(*fit_gpc(parse_kernel("linear()"), fixed(), b.data), b.data.samples));
}

// Constant labels: two classes of which one was never seen. The mode satisfies α_i = ∂ln p(t_i)/∂f_i in (0, 1), and what is
// far from all rows is as likely as not; the tie goes to the class that was seen.
TEST(Gpc, OneClass) {
  const Samples x = random_samples(15, 2, 6);
  const TrainingData data{x, Targets::classes(std::vector<std::string>(15, "same"))};
  Matrix<double> far(1, 2);
  far(0, 0) = far(0, 1) = 1e6;
  const Samples away = make_dense(std::move(far));
  for (const GpcInference inference : every_inference) {
    const auto model = fit_gpc(parse_kernel("2*rbf(lengthscale=1)"), fixed(inference), data);
    EXPECT_EQ(model->classes(), (std::vector<std::string>{"not same", "same"})) << word_of(inference);
    const Matrix<double> near_by = model->probabilities(x, {});
    for (Index i = 0; i < 15; ++i) {
      EXPECT_GT(near_by(i, 1), 0.6) << word_of(inference);
      EXPECT_LT(near_by(i, 1), 1) << word_of(inference);
    }
    EXPECT_NEAR(model->probabilities(away, {})(0, 1), 0.5, 1e-9) << word_of(inference);
    EXPECT_EQ(model->predict(away, {})(0, 0), 1.0);
    EXPECT_EQ(model->predict(x, {})(0, 0), 1.0);
    const ConstMatrixView<double> alpha = model->parts().mean.coefficients();
    const Matrix<double> f = model->decide(x, {});
    for (Index i = 0; i < 15 && inference == GpcInference::laplace; ++i) {
      EXPECT_NEAR(alpha(i, 0), 1 / (1 + std::exp(f(i, 0))), 1e-6) << i;
    }
    const auto again = gpc_entry().load(state_of(*model), {});
    EXPECT_TRUE(testing::same_bits(again->probabilities(x, {}), near_by)) << word_of(inference);
  }
  const auto learned = fit_gpc(parse_kernel("1*rbf(lengthscale=scale)"), {}, data);
  EXPECT_GT(learned->probabilities(x, {})(0, 1), 0.5);
  EXPECT_TRUE(std::ranges::any_of(learned->report().notes, [](const std::string& note) {
    return note.find("belong to the class 'same'") != std::string::npos;
  }));
  // Weights that leave one class only.
  TrainingData weighted{x, Targets::classes(std::vector<std::string>{"u", "v", "v", "v", "v", "v", "v", "v", "v", "v",
                                                                     "v", "v", "v", "v", "v"})};
  weighted.weights.assign(15, 1.0);
  weighted.weights[0] = 0;
  EXPECT_EQ(fit_gpc(parse_kernel("2*rbf(lengthscale=1)"), fixed(), weighted)->classes(),
            (std::vector<std::string>{"not v", "v"}));
}

TEST(Gpc, Refusals) {
  const Blobs b = blobs(12, 2, 1.0, 2);
  const Blobs three = blobs(12, 3, 1.0, 2);
  const Kernel kernel = parse_kernel(plain);
  EXPECT_ERROR(fit_gpc(parse_kernel("sigmoid()"), {}, b.data), InvalidArgument,
               "gpc: the kernel sigmoid(gamma=auto, coef0=0) is indefinite");
  EXPECT_ERROR(fit_gpc(kernel, fixed(GpcInference::expectation_propagation), three.data), InvalidArgument,
               "gpc: 3 classes are fitted by the softmax with Laplace's approximation");
  EXPECT_ERROR(fit_gpc(kernel, fixed(GpcInference::laplace, GpcLink::probit), three.data), InvalidArgument,
               "gpc: 3 classes are fitted by the softmax with Laplace's approximation");
  EXPECT_ERROR(fit_gpc(kernel, fixed(GpcInference::variational, GpcLink::probit), b.data), InvalidArgument,
               "gpc: inference = variational");
  GpcOptions options;
  for (const double noise : {0.5, -0.1}) {
    options.label_noise = noise;
    EXPECT_ERROR(fit_gpc(kernel, options, b.data), InvalidArgument, "must be a number that is 0 or more and below 0.5");
  }
  options.label_noise = 0;
  options.priors = HyperPriors({{"nothing", HyperPrior::normal(0, 1)}});
  EXPECT_ERROR(fit_gpc(kernel, options, b.data), InvalidArgument, "priors: there is no unknown 'nothing'");
}

}  // namespace
}  // namespace mercer
