// Support vector classifiers as models: labels, weights, several classes, probabilities, rejection, files.
#include "mercer/models/svm/svc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
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
using testing::measure;
using testing::same_bits;

const Kernel svc_gaussian = parse_kernel("rbf(gamma=0.5)");

SvcOptions exact_options() {
  SvcOptions options;
  options.tolerance = 1e-8;
  return options;
}

// A fitted model and what its file gives back agree in everything.
void expect_survives_its_state(const SvcModel& model, const Samples& x) {
  const auto again = find_model(model.name()).load(state_of(model), {});
  EXPECT_TRUE(same_bits(again->predict(x, {}), model.predict(x, {})));
  EXPECT_TRUE(same_bits(again->decide(x, {}), model.decide(x, {})));
  EXPECT_EQ(again->classes(), model.classes());
  EXPECT_EQ(again->decision_names(), model.decision_names());
  EXPECT_EQ(dynamic_cast<const SvcModel&>(*again).support_rows(), model.support_rows());
  EXPECT_EQ(again->has_probabilities(), model.has_probabilities());
  if (model.has_probabilities()) {
    EXPECT_TRUE(same_bits(again->probabilities(x, {}), model.probabilities(x, {})));
  }
}

TEST(Svc, DecisionsAreTheExpansionOfItsSupportVectors) {
  const Blobs two = blobs(120, 2, 1.5, 1);
  const auto model = fit_svc(svc_gaussian, exact_options(), two.data);
  EXPECT_EQ(model->report().status, SolveStatus::converged);
  EXPECT_EQ(model->classes(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(model->decision_names(), std::vector<std::string>{"b"});
  const Samples x = testing::random_samples(40, 2, 5);
  const Dense k = testing::kernel_matrix(svc_gaussian, x, two.data.samples.select(model->support_rows()));
  const MachineFacts& facts = model->machine_facts().front();
  const Dense expected = (k * Dense(model->expansion().coefficients())).column(0).shifted(facts.offset);
  const Matrix<double> values = model->decide(x, {});
  const Matrix<double> predicted = model->predict(x, {});
  for (Index i = 0; i < 40; ++i) {
    EXPECT_NEAR(values(i, 0), expected(i), 1e-9);
    EXPECT_EQ(predicted(i, 0), values(i, 0) > 0 ? 1 : 0);
  }
  EXPECT_GT(accuracy(two, model->predict(two.data.samples, {})), 0.9);
}

TEST(Svc, ItsFactsHoldOnTheTrainingRows) {
  const Blobs two = blobs(150, 2, 1.0, 2);
  for (const SvcSlack slack : {SvcSlack::linear, SvcSlack::squared}) {
    SvcOptions options = exact_options();
    options.slack = slack;
    options.C = 0.7;
    const auto model = fit_svc(svc_gaussian, options, two.data);
    const MachineFacts& facts = model->machine_facts().front();
    const Matrix<double> f = model->decide(two.data.samples, {});
    double slack_sum = 0;
    double loss = 0;
    double errors = 0;
    for (Index i = 0; i < 150; ++i) {
      const double sign = two.classes[i] == 1 ? 1 : -1;
      const double xi = std::max(0.0, 1 - sign * f(i, 0));
      slack_sum += xi;
      loss += options.C * (slack == SvcSlack::linear ? xi : xi * xi);
      errors += xi > 1e-6 ? 1 : 0;
    }
    EXPECT_NEAR(facts.slack, slack_sum, 1e-5);
    EXPECT_EQ(facts.margin_errors, errors);
    EXPECT_NEAR(facts.primal, facts.squared_norm / 2 + loss, 1e-5);
    EXPECT_NEAR(facts.primal, facts.dual, 1e-5);
    EXPECT_EQ(facts.rows, 150);
    EXPECT_EQ(facts.support_vectors, static_cast<double>(model->support_rows().size()));
    EXPECT_NEAR(measure(model->report(), "margin"), 1 / std::sqrt(facts.squared_norm), 1e-12);
    if (slack == SvcSlack::squared) {
      EXPECT_EQ(facts.bounded, 0);
    }
  }
}

TEST(Svc, NuSvcReportsConsistentFacts) {
  const Blobs two = blobs(150, 2, 1.0, 3);
  for (const double nu : {0.4, 0.7}) {
    NuSvcOptions options;
    options.tolerance = 1e-8;
    options.nu = nu;
    const auto model = fit_nusvc(svc_gaussian, options, two.data);
    const MachineFacts& facts = model->machine_facts().front();
    EXPECT_LE(facts.margin_errors / 150, nu + 1e-12);
    EXPECT_GE(facts.support_vectors / 150, nu - 1e-12);
    EXPECT_NEAR(facts.primal, facts.dual, 1e-4 * (1 + std::abs(facts.dual)));
    expect_survives_its_state(*model, two.data.samples);
  }
  // At the usual tolerance too.
  NuSvcOptions options;
  options.nu = 0.5;
  const MachineFacts facts = fit_nusvc(svc_gaussian, options, two.data)->machine_facts().front();
  EXPECT_LE(facts.margin_errors / 150, 0.5 + 1e-12);
}

TEST(Svc, AHardMarginIsFoundOrSaidToBeImpossible) {
  const Blobs apart = blobs(60, 2, 6.0, 4);
  SvcOptions options = exact_options();
  options.slack = SvcSlack::none;
  const auto model = fit_svc(svc_gaussian, options, apart.data);
  EXPECT_EQ(accuracy(apart, model->predict(apart.data.samples, {})), 1);
  const MachineFacts& facts = model->machine_facts().front();
  EXPECT_NEAR(facts.dual, facts.squared_norm / 2, 1e-6 * facts.squared_norm);
  EXPECT_EQ(facts.margin_errors, 0);
  TrainingData clash{make_dense(std::vector<double>{0.0, 0.0, 0.0, 0.0, 1.0, 1.0}, 3, 2),
                     Targets::classes(std::vector<std::string>{"a", "b", "b"}),
                     {}};
  for (const double tolerance : {1e-3, 1e-8}) {
    options.tolerance = tolerance;
    const std::string message = message_of<NumericalError>([&] { fit_svc(svc_gaussian, options, clash); });
    EXPECT_NE(message.find("separated"), std::string::npos) << message;
  }
}

TEST(Svc, HugeAndTinyCostsAndEqualPointsEnd) {
  Blobs two = blobs(80, 2, 0.3, 5);
  TrainingData twice = two.data;
  std::vector<Index> list;
  for (Index i = 0; i < 80; ++i) {
    list.push_back(i);
    list.push_back(i);
  }
  twice.samples = two.data.samples.select(list);
  std::vector<std::string> labels;
  for (Index i = 0; i < 160; ++i) {
    labels.emplace_back(i % 2 == 0 ? "a" : "b");
  }
  twice.targets = Targets::classes(labels);
  for (const double c : {1e-6, 1e6}) {
    SvcOptions options;
    options.C = c;
    options.max_steps = 2'000'000;
    EXPECT_EQ(fit_svc(svc_gaussian, options, twice)->report().status, SolveStatus::converged);
    const auto model = fit_svc(svc_gaussian, options, two.data);
    EXPECT_TRUE(std::isfinite(model->machine_facts().front().offset));
  }
  SvcOptions options;
  const TrainingData constant{make_dense(Matrix<double>::filled(20, 3, 2.5)),
                              Targets::classes(std::vector<std::string>(labels.begin(), labels.begin() + 20)),
                              {}};
  EXPECT_EQ(fit_svc(svc_gaussian, options, constant)->report().status, SolveStatus::converged);
  EXPECT_EQ(fit_svc(parse_kernel("rbf(gamma=scale)"), options, constant)->report().status, SolveStatus::converged);
}

TEST(Svc, WeightsAreRepeatedRowsAndZeroRemovesThem) {
  const Blobs two = blobs(60, 2, 1.0, 6);
  TrainingData weighted = two.data;
  std::vector<Index> list;
  for (Index i = 0; i < 60; ++i) {
    const Index times = i % 4;
    weighted.weights.push_back(static_cast<double>(times));
    list.insert(list.end(), static_cast<std::size_t>(times), i);
  }
  const TrainingData repeated{two.data.samples.select(list), two.data.targets.select(list), {}};
  const Samples x = testing::random_samples(50, 2, 9);
  for (const SvcSlack slack : {SvcSlack::linear, SvcSlack::squared}) {
    SvcOptions options = exact_options();
    options.slack = slack;
    const Matrix<double> a = fit_svc(svc_gaussian, options, weighted)->decide(x, {});
    const Matrix<double> b = fit_svc(svc_gaussian, options, repeated)->decide(x, {});
    for (Index i = 0; i < 50; ++i) {
      EXPECT_NEAR(a(i, 0), b(i, 0), 1e-5);
    }
  }
  const auto model = fit_svc(svc_gaussian, exact_options(), weighted);
  for (const Index row : model->support_rows()) {
    EXPECT_GT(weighted.weights[row], 0);
  }
}

TEST(Svc, ClassWeightsMultiplyTheCost) {
  Blobs two = blobs(90, 2, 1.0, 7);
  std::vector<Index> uneven;
  for (Index i = 0; i < 90; ++i) {
    if (i % 2 == 0 || i % 6 == 1) {
      uneven.push_back(i);
    }
  }
  const TrainingData data{two.data.samples.select(uneven), two.data.targets.select(uneven), {}};
  const Samples x = testing::random_samples(30, 2, 3);
  const auto decisions = [&](const std::string& class_weight, std::vector<double> weights) {
    SvcOptions options = exact_options();
    options.class_weight = ClassWeights::parse(class_weight);
    TrainingData weighted = data;
    weighted.weights = std::move(weights);
    return Dense(fit_svc(svc_gaussian, options, weighted)->decide(x, {}));
  };
  // 45 rows of "a", 15 of "b".
  std::vector<double> by_hand;
  std::vector<double> listed;
  for (const Index i : uneven) {
    by_hand.push_back(i % 2 == 0 ? 60 / (2.0 * 45) : 60 / (2.0 * 15));
    listed.push_back(i % 2 == 0 ? 1.0 : 2.5);
  }
  EXPECT_LT((decisions("balanced", {}) - decisions("", by_hand)).max_abs(), 1e-6);
  EXPECT_LT((decisions("b:2.5", {}) - decisions("", listed)).max_abs(), 1e-6);
  EXPECT_LT((decisions("b:2.5,a:1", {}) - decisions("", listed)).max_abs(), 1e-6);
  EXPECT_GT((decisions("b:2.5", {}) - decisions("", {})).max_abs(), 1e-3);
  for (const char* wrong : {"c:1", "a:0", "a:-1", "a", "a:x", "balance", "a:inf"}) {
    EXPECT_ERROR(decisions(wrong, {}), InvalidArgument, "class_weight: ") << wrong;
  }
  EXPECT_NE(message_of<InvalidArgument>([&] { decisions("c:1", {}); }).find("a, b"), std::string::npos);
}

TEST(Svc, UncertainLabelsAreWeights) {
  const Blobs two = blobs(60, 2, 1.0, 8);
  std::vector<double> sure;
  std::vector<double> weights;
  std::vector<double> signs;
  for (Index i = 0; i < 60; ++i) {
    const double sign = two.classes[i] == 1 ? 1 : -1;
    const double size = static_cast<double>(i % 5) / 4;
    sure.push_back(sign * size);
    weights.push_back(size);
    signs.push_back(sign);
  }
  SvcOptions options = exact_options();
  const TrainingData plain{two.data.samples, Targets::numeric(signs), weights};
  const Matrix<double> expected = fit_svc(svc_gaussian, options, plain)->decide(two.data.samples, {});
  options.uncertain = true;
  const auto model = fit_svc(svc_gaussian, options, {two.data.samples, Targets::numeric(sure), {}});
  EXPECT_EQ(model->classes(), (std::vector<std::string>{"-1", "1"}));
  const Matrix<double> values = model->decide(two.data.samples, {});
  for (Index i = 0; i < 60; ++i) {
    EXPECT_NEAR(values(i, 0), expected(i, 0), 1e-6);
  }
  sure[3] = 1.5;
  EXPECT_ERROR(fit_svc(svc_gaussian, options, {two.data.samples, Targets::numeric(sure), {}}), DataError,
               "svc: uncertain = yes needs targets between -1 and 1");
  sure[3] = std::nan("");
  EXPECT_ERROR(fit_svc(svc_gaussian, options, {two.data.samples, Targets::numeric(sure), {}}), DataError,
               "svc: uncertain = yes needs targets between -1 and 1");
}

TEST(Svc, SeveralClasses) {
  for (const int classes : {3, 5}) {
    const Blobs train = blobs(40 * classes, classes, 5.0, 9);
    const Blobs test = blobs(40 * classes, classes, 5.0, 10);
    for (const Multiclass way :
         {Multiclass::one_vs_one, Multiclass::one_vs_rest, Multiclass::graph, Multiclass::code}) {
      for (const bool probability : {false, true}) {
        SCOPED_TRACE(std::string(word_of(way)) + (probability ? " with probabilities" : ""));
        SvcOptions options;
        options.multiclass = way;
        options.probability = probability;
        if (probability && way == Multiclass::code) {
          EXPECT_ERROR(fit_svc(svc_gaussian, options, train.data), InvalidArgument,
                       "svc: probability = yes needs multiclass = ovo");
          continue;
        }
        const auto model = fit_svc(svc_gaussian, options, train.data);
        EXPECT_EQ(model->report().status, SolveStatus::converged);
        EXPECT_GT(accuracy(test, model->predict(test.data.samples, {})), classes == 3 ? 0.97 : 0.95);
        EXPECT_EQ(model->decision_names().size(), static_cast<std::size_t>(model->code().machines()));
        expect_survives_its_state(*model, test.data.samples);
        if (probability) {
          const Matrix<double> p = model->probabilities(test.data.samples, {});
          const Matrix<double> predicted = model->predict(test.data.samples, {});
          ASSERT_EQ(p.columns(), classes);
          for (Index i = 0; i < p.rows(); ++i) {
            const auto row = p.view().row(i);
            EXPECT_NEAR(std::accumulate(row.begin(), row.end(), 0.0), 1, 1e-9);
            EXPECT_GE(*std::ranges::min_element(row), 0);
            EXPECT_EQ(predicted(i, 0), static_cast<double>(std::ranges::max_element(row) - row.begin()));
          }
        }
      }
    }
  }
}

TEST(Svc, PairsAreMachinesOfTheirOwn) {
  const Blobs three = blobs(90, 3, 2.0, 11);
  const auto model = fit_svc(svc_gaussian, exact_options(), three.data);
  const Matrix<double> all = model->decide(three.data.samples, {});
  EXPECT_EQ(model->decision_names(), (std::vector<std::string>{"a vs b", "a vs c", "b vs c"}));
  // b against c alone: two classes, positive for the second.
  std::vector<Index> rows;
  for (Index i = 0; i < 90; ++i) {
    if (i % 3 != 0) {
      rows.push_back(i);
    }
  }
  const auto pair =
      fit_svc(svc_gaussian, exact_options(), {three.data.samples.select(rows), three.data.targets.select(rows), {}});
  const Matrix<double> one = pair->decide(three.data.samples, {});
  for (Index i = 0; i < 90; ++i) {
    EXPECT_NEAR(all(i, 2), -one(i, 0), 1e-5);
  }
}

TEST(Svc, GivenCodes) {
  const Blobs three = blobs(120, 3, 5.0, 12);
  SvcOptions options;
  options.multiclass = Multiclass::code;
  options.code = CodeWords::parse("+-0+;-+-+;0+0-");
  EXPECT_ERROR(fit_svc(svc_gaussian, options, three.data), InvalidArgument,
               "machine 3 of the code has classes on one side only");  // machine 3 has one side only
  options.code = CodeWords::parse("+-0+;-++-;0+--");
  const auto model = fit_svc(svc_gaussian, options, three.data);
  EXPECT_EQ(model->code().machines(), 4);
  EXPECT_GT(accuracy(three, model->predict(three.data.samples, {})), 0.95);
  expect_survives_its_state(*model, three.data.samples);

  // Two classes: whatever the signs and the number of machines.
  const Blobs two = blobs(80, 2, 4.0, 13);
  for (const char* code : {"", "-;+", "+;-", "+-;-+", "-++;+--"}) {
    SCOPED_TRACE(code);
    options.code = CodeWords::parse(code);
    const auto pair = fit_svc(svc_gaussian, options, two.data);
    EXPECT_GT(accuracy(two, pair->predict(two.data.samples, {})), 0.95);
    expect_survives_its_state(*pair, two.data.samples);
  }
}

TEST(Svc, TwoClassProbabilitiesRiseWithTheDecision) {
  const Blobs two = blobs(200, 2, 1.0, 14);
  for (const SvcSlack slack : {SvcSlack::linear, SvcSlack::squared}) {
    SvcOptions options;
    options.probability = true;
    options.slack = slack;
    const auto model = fit_svc(svc_gaussian, options, two.data);
    const Samples x = testing::random_samples(60, 2, 4);
    const Matrix<double> p = model->probabilities(x, {});
    const Matrix<double> f = model->decide(x, {});
    for (Index i = 0; i < 60; ++i) {
      ASSERT_NEAR(p(i, 0) + p(i, 1), 1, 1e-9);
      for (Index j = 0; j < 60; ++j) {
        if (f(i, 0) > f(j, 0)) {
          EXPECT_GE(p(i, 1), p(j, 1));
        }
      }
    }
    // Overlapping classes: the sigmoid must not be sure.
    EXPECT_LT(p(0, 1), 1);
    expect_survives_its_state(*model, x);
  }
  NuSvcOptions nu;
  nu.probability = true;
  nu.nu = 0.6;
  expect_survives_its_state(*fit_nusvc(svc_gaussian, nu, two.data), two.data.samples);
  EXPECT_ERROR(fit_svc(svc_gaussian, {}, two.data)->probabilities(two.data.samples, {}), InvalidArgument,
               "svc has no class probabilities");
}

TEST(Svc, AThresholdMovesTheBoundaryAndRejectLeavesAGap) {
  const Blobs two = blobs(100, 2, 1.0, 15);
  SvcOptions options;
  const Matrix<double> f = fit_svc(svc_gaussian, options, two.data)->decide(two.data.samples, {});
  options.threshold = 0.4;
  const Matrix<double> moved = fit_svc(svc_gaussian, options, two.data)->predict(two.data.samples, {});
  options.reject = 0.2;
  const auto strict = fit_svc(svc_gaussian, options, two.data);
  const Matrix<double> rejected = strict->predict(two.data.samples, {});
  Index declined = 0;
  for (Index i = 0; i < 100; ++i) {
    EXPECT_EQ(moved(i, 0), f(i, 0) > 0.4 ? 1 : 0);
    EXPECT_EQ(rejected(i, 0), std::abs(f(i, 0) - 0.4) < 0.2 ? -1 : moved(i, 0));
    declined += rejected(i, 0) == -1 ? 1 : 0;
  }
  EXPECT_GT(declined, 0);
  expect_survives_its_state(*strict, two.data.samples);

  const Blobs three = blobs(150, 3, 1.5, 16);
  for (const bool probability : {false, true}) {
    SvcOptions several;
    several.multiclass = Multiclass::one_vs_rest;
    several.probability = probability;
    const Matrix<double> all = fit_svc(svc_gaussian, several, three.data)->predict(three.data.samples, {});
    several.reject = 0.3;
    const auto model = fit_svc(svc_gaussian, several, three.data);
    const Matrix<double> scores =
        probability ? model->probabilities(three.data.samples, {}) : model->decide(three.data.samples, {});
    const Matrix<double> kept = model->predict(three.data.samples, {});
    for (Index i = 0; i < 150; ++i) {
      std::vector<double> row(scores.view().row(i).begin(), scores.view().row(i).end());
      std::ranges::sort(row);
      EXPECT_EQ(kept(i, 0), row[2] - row[1] < 0.3 ? -1 : all(i, 0));
    }
  }
}

// The answers are those without rejection; what is declined are rows whose answer leads by fewer votes.
TEST(Svc, AGraphThatRejectsAnswersByItsGraph) {
  constexpr std::size_t classes = 8;
  const Blobs eight = blobs(300, classes, 0.3, 19);
  const Samples x = testing::random_samples(300, 2, 23);
  const Kernel narrow = parse_kernel("rbf(gamma=5)");
  SvcOptions options;
  options.C = 100;
  options.multiclass = Multiclass::graph;
  const auto plain = fit_svc(narrow, options, eight.data);
  const Matrix<double> all = plain->predict(x, {});
  const Matrix<double> values = plain->decide(x, {});
  options.reject = 1;
  const Matrix<double> kept = fit_svc(narrow, options, eight.data)->predict(x, {});
  Index declined = 0;
  Index outvoted = 0;
  for (Index i = 0; i < 300; ++i) {
    std::vector<double> votes(classes, 0.0);
    Index m = 0;
    for (std::size_t a = 0; a < classes; ++a) {
      for (std::size_t b = a + 1; b < classes; ++b, ++m) {
        ++votes[values(i, m) > 0 ? a : b];
      }
    }
    const auto own = static_cast<std::size_t>(all(i, 0));
    double other = 0;
    for (std::size_t c = 0; c < classes; ++c) {
      other = c == own ? other : std::max(other, votes[c]);
    }
    EXPECT_EQ(kept(i, 0), votes[own] - other < 1 ? -1 : all(i, 0)) << i;
    declined += kept(i, 0) == -1 ? 1 : 0;
    outvoted += votes[own] < other ? 1 : 0;
  }
  EXPECT_GT(declined, 0);
  EXPECT_GT(outvoted, 0);  // rows that votes would answer with another class
}

TEST(Svc, AThresholdIsForOneDecisionValue) {
  const Blobs three = blobs(60, 3, 1.5, 20);
  SvcOptions options;
  options.threshold = 0.3;
  for (const Multiclass multiclass :
       {Multiclass::one_vs_one, Multiclass::one_vs_rest, Multiclass::graph, Multiclass::weston_watkins}) {
    options.multiclass = multiclass;
    EXPECT_ERROR(fit_svc(svc_gaussian, options, three.data), InvalidArgument, "there are 3 classes");
  }
  const Blobs two = blobs(60, 2, 1.5, 20);
  options.multiclass = Multiclass::code;
  options.code = CodeWords::parse("+-;-+");
  EXPECT_ERROR(fit_svc(svc_gaussian, options, two.data), InvalidArgument, "2 classes with 2 machines");
  NuSvcOptions nu;
  nu.nu = 0.3;
  nu.threshold = 0.3;
  EXPECT_ERROR(fit_nusvc(svc_gaussian, nu, three.data), InvalidArgument, "nusvc: threshold = 0.3");
  EXPECT_NO_THROW(fit_nusvc(svc_gaussian, nu, two.data));
}

// ρ: coefficients before the division are at most 1 and sum to νn; Σ|β| = νn/ρ afterwards.
// Weights of classes that no nu fits: refused, or the heavier class, which wider and wider margins end in.
TEST(Svc, NuBeyondTheWeightsOfTheClasses) {
  const testing::Blobs two = testing::blobs(40, 2, 1.0, 7);
  NuSvcOptions options;
  options.class_weight = {{two.data.targets.labels().levels[0], 1000}};
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  EXPECT_ERROR(fit_nusvc(kernel, options, two.data), InvalidArgument, "is not feasible for these classes");
  options.infeasible = InfeasibleNu::limit;
  const Matrix<double> predicted = fit_nusvc(kernel, options, two.data)->predict(two.data.samples, {});
  for (Index i = 0; i < predicted.rows(); ++i) {
    EXPECT_EQ(predicted(i, 0), 0) << i;
  }
}

// Two rows near each other have large coefficients, and the largest values are between other places than these.
TEST(Svc, NuBeyondTheWeightsOfTheClassesFarFromTheRows) {
  NuSvcOptions options;
  options.class_weight = {{"a", 0.5}, {"b", 20}};
  options.infeasible = InfeasibleNu::limit;
  const std::vector<std::string> labels = {"a", "b"};
  const TrainingData data{make_dense(std::vector<double>{0.1, -0.1}, 2, 1), Targets::classes(labels, "kind")};
  const auto model = fit_nusvc(parse_kernel("rbf(gamma=0.5)"), options, data);
  std::vector<double> places;
  for (int i = 0; i < 41; ++i) {
    places.push_back(0.25 * (i - 20));
  }
  const Matrix<double> predicted = model->predict(make_dense(places, 41, 1), {});
  for (Index i = 0; i < 41; ++i) {
    EXPECT_EQ(model->classes()[predicted(i, 0) == 0 ? 0 : 1], "b") << places[i];
  }
}

TEST(Svc, NuSvcReportsRhoAndTheLargestNu) {
  Blobs two = blobs(90, 2, 1.0, 21);
  std::vector<std::string> labels;
  for (Index i = 0; i < 90; ++i) {
    labels.emplace_back(i % 3 == 0 ? "a" : "b");
  }
  two.data.targets = Targets::classes(labels, "kind");
  NuSvcOptions options;
  options.nu = 0.6;
  options.tolerance = 1e-8;
  const auto model = fit_nusvc(svc_gaussian, options, two.data);
  double sum = 0;
  double largest = 0;
  for (Index s = 0; s < model->expansion().coefficients().rows(); ++s) {
    const double alpha = std::abs(model->expansion().coefficients()(s, 0));
    sum += alpha;
    largest = std::max(largest, alpha);
  }
  EXPECT_NEAR(measure(*model, "rho"), 0.6 * 90 / sum, 1e-5 * 0.6 * 90 / sum);
  EXPECT_NEAR(measure(*model, "rho"), 1 / largest, 1e-5 / largest);  // some coefficient is at its bound
  EXPECT_NEAR(measure(*model, "largest feasible nu"), 2.0 / 3, 1e-12);
  const auto again = nusvc_entry().load(state_of(*model), {});
  EXPECT_EQ(dynamic_cast<const SvcModel&>(*again).machine_facts().front().rho, model->machine_facts().front().rho);
  options.nu = 0.67;
  EXPECT_ERROR(fit_nusvc(svc_gaussian, options, two.data), InvalidArgument, "0.666");
}

// Files of before have ten numbers per machine.
TEST(Svc, LoadsFactsWithoutThoseOfNu) {
  const Blobs two = blobs(40, 2, 1.5, 22);
  const auto fitted = fit_svc(svc_gaussian, {}, two.data);
  const Matrix<double> facts = std::move(state_of(*fitted).parts.numbers.at("machine_facts"));
  ASSERT_EQ(facts.columns(), 12);
  const auto with_first = [&](Index rows, Index columns) {
    ModelState state = state_of(*fitted);
    Matrix<double>& first = state.parts.numbers.at("machine_facts");
    first = Matrix<double>::filled(rows, columns, 0.0);
    std::copy_n(facts.data(), columns, first.data());
    return state;
  };
  const auto model = svc_entry().load(with_first(1, 10), {});
  const MachineFacts& loaded = dynamic_cast<const SvcModel&>(*model).machine_facts().front();
  EXPECT_EQ(loaded.rows, 40);
  EXPECT_EQ(loaded.rho, 0);
  EXPECT_ERROR(svc_entry().load(with_first(1, 11), {}), DataError,
               "a stored svc model with 11 facts per machine, where there are 12");
  EXPECT_ERROR(svc_entry().load(with_first(2, 12), {}), DataError,
               "'machine_facts' is 2 by 12 where the model needs 1");
}

TEST(Svc, RefusesCodesThatDoNotAnswerForAllClasses) {
  const Blobs three = blobs(60, 3, 1.5, 23);
  SvcOptions options;
  const auto refused = [&](Multiclass multiclass, auto change, const char* words) {
    options.multiclass = multiclass;
    ModelState state = state_of(*fit_svc(svc_gaussian, options, three.data));
    change(state.parts.numbers.at("code"));
    EXPECT_ERROR(svc_entry().load(std::move(state), {}), Error, words);
  };
  refused(
      Multiclass::graph, [](Matrix<double>& code) { code(2, 0) = 1; },
      "a stored svc model with a code of 3 machines that are not those of 3 classes");
  refused(
      Multiclass::one_vs_one,
      [](Matrix<double>& code) {
        const Matrix<double> pairs = std::move(code);
        code = Matrix<double>(4, 3);
        std::copy_n(pairs.data(), 9, code.data());
        std::copy_n(pairs.data(), 3, code.data() + 9);
      },
      "a stored svc model with a code of 4 machines that are not those of 3 classes");
  refused(
      Multiclass::one_vs_rest,
      [](Matrix<double>& code) { code = Matrix<double>::copy_of(code.view().row_block({0, 2})); },
      "a stored svc model with a code of 2 machines that are not those of 3 classes");
  refused(
      Multiclass::one_vs_rest, [](Matrix<double>& code) { code(0, 0) = 0.5; },
      "a code of classes has the entries -1, 0 and 1");
  refused(
      Multiclass::one_vs_one, [](Matrix<double>& code) { code = Matrix<double>::filled(3, 4, 1.0); },
      "'code' is 3 by 4 where the model needs any number by 3");
}

TEST(Svc, FloatAndDoubleAgreeAndVerifyHolds) {
  const Blobs two = blobs(300, 2, 1.0, 17);
  SvcOptions options;
  const auto single = fit_svc(svc_gaussian, options, two.data);
  options.verify = Precision::double_precision;
  const auto verified = fit_svc(svc_gaussian, options, two.data);
  EXPECT_LE(verified->machine_facts().front().kkt_gap, 1e-3);
  EXPECT_NEAR(single->report().objective, verified->report().objective, 1e-4 * std::abs(single->report().objective));
  expect_survives_its_state(*single, two.data.samples);
  expect_survives_its_state(*verified, two.data.samples);
  options.shrinking = false;
  options.memory_mb = 0.05;
  EXPECT_NEAR(fit_svc(svc_gaussian, options, two.data)->report().objective, single->report().objective,
              1e-4 * std::abs(single->report().objective));
}

TEST(Svc, SameBitsForAnyNumberOfThreads) {
  const Blobs four = blobs(240, 4, 2.0, 18);
  SvcOptions options;
  options.probability = true;
  const auto answer = [&](int threads) {
    const mercer::Run run{{.threads = threads, .seed = 3}};
    const auto model = fit_svc(svc_gaussian, options, four.data, run);
    return std::pair(model->decide(four.data.samples, run), model->probabilities(four.data.samples, run));
  };
  const auto one = answer(1);
  for (const int threads : {2, 3}) {
    const auto several = answer(threads);
    EXPECT_TRUE(same_bits(several.first, one.first));
    EXPECT_TRUE(same_bits(several.second, one.second));
  }
}

TEST(Svc, AStepLimitIsReported) {
  const Blobs two = blobs(100, 2, 0.5, 19);
  SvcOptions options;
  options.max_steps = 5;
  const auto model = fit_svc(svc_gaussian, options, two.data);
  EXPECT_EQ(model->report().status, SolveStatus::iteration_limit);
  ASSERT_FALSE(model->report().notes.empty());
  EXPECT_GT(model->machine_facts().front().kkt_gap, 1e-3);
  EXPECT_NE(model->report().notes.front().text.find("gap"), std::string::npos);
}

TEST(Svc, IndefiniteKernelsAreAcceptedWithAWarning) {
  const Blobs two = blobs(60, 2, 1.0, 20);
  Index warnings = 0;
  const mercer::Run run{{.log = [&](LogLevel level, std::string_view) { warnings += level == LogLevel::warning; }}};
  EXPECT_EQ(fit_svc(parse_kernel("sigmoid(gamma=0.5, coef0=0)"), {}, two.data, run)->report().status,
            SolveStatus::converged);
  EXPECT_EQ(warnings, 1);
}

TEST(Svc, RefusesUnusableData) {
  const Blobs two = blobs(20, 2, 1.0, 21);
  int number = 0;
  const auto message = [&](auto change) {
    TrainingData data = two.data;
    change(data);
    SCOPED_TRACE(++number);
    return message_of<DataError>([&] { fit_svc(svc_gaussian, {}, data); });
  };
  const auto one_class = [](TrainingData& data) {
    data.targets = Targets::classes(std::vector<std::string>(20, "only"));
  };
  EXPECT_NE(message(one_class).find("only"), std::string::npos);
  EXPECT_NE(message([](TrainingData& data) { data.weights.assign(20, 0.0); }).find("weights"), std::string::npos);
  message([](TrainingData& data) { data.weights.assign(19, 1.0); });
  message([](TrainingData& data) { data.weights.assign(20, -1.0); });
  message([](TrainingData& data) { data.weights.assign(20, std::nan("")); });
  message([](TrainingData& data) {
    data.weights.assign(20, 1.0);
    for (std::size_t i = 1; i < 20; i += 2) {
      data.weights[i] = 0;
    }
  });
  message([](TrainingData& data) { data.targets = data.targets.select(std::vector<Index>{0, 1, 2}); });
  message([](TrainingData& data) {
    std::vector<double> values(20, 1.0);
    values[4] = std::nan("");
    values[5] = 2;
    data.targets = Targets::numeric(values);
  });
  message([](TrainingData& data) {
    data.samples = Samples();
    data.targets = Targets::numeric(std::vector<double>{});
  });
}

TEST(Svc, RefusesWrongTexts) {
  const auto set = [](const char* name, const char* value) {
    SvcOptions options;
    const std::vector<OptionSetting> settings = {{name, value}};
    apply_settings<SvcOptions>("svc", svc_option_table(), settings, options);
  };
  EXPECT_ERROR(set("slack", "square"), InvalidArgument, "svc: slack = square: must be one of linear, squared, none");
  EXPECT_ERROR(set("multiclass", "ova"), InvalidArgument, "svc: multiclass = ova: must be one of ovo, ovr");
  EXPECT_ERROR(set("verify", "single"), InvalidArgument, "svc: verify = single: must be one of float, double");
  EXPECT_ERROR(set("code", "+x;-+"), InvalidArgument, "code: 'x' is none of the signs + - 0 ;");
  EXPECT_ERROR(set("class_weight", "balance"), InvalidArgument, "class_weight: 'balance' is not label:number");
}

TEST(Svc, RefusesWrongOptions) {
  const Blobs two = blobs(20, 2, 1.0, 22);
  for (const double c : {0.0, -1.0, std::nan(""), static_cast<double>(INFINITY)}) {
    SvcOptions options;
    options.C = c;
    EXPECT_ERROR(fit_svc(svc_gaussian, options, two.data), InvalidArgument, "C = ") << c;
  }
  SvcOptions options;
  options.tolerance = 0;
  EXPECT_ERROR(fit_svc(svc_gaussian, options, two.data), InvalidArgument, "svc: tolerance = 0");
  for (const double nu : {0.0, -0.1, 1.1, std::nan("")}) {
    NuSvcOptions wrong;
    wrong.nu = nu;
    EXPECT_ERROR(fit_nusvc(svc_gaussian, wrong, two.data), InvalidArgument, "nu = ") << nu;
  }
  NuSvcOptions joint;
  joint.multiclass = Multiclass::crammer_singer;
  EXPECT_ERROR(fit_nusvc(svc_gaussian, joint, two.data), InvalidArgument,
               "nusvc: multiclass = cs: must be one of ovo, ovr, dag, code, ww");
  // Feasible in general, not for these classes: 4 of 14.
  std::vector<Index> rows = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 1, 3, 5, 7};
  NuSvcOptions nu;
  nu.nu = 0.9;
  const std::string message = message_of<InvalidArgument>(
      [&] { fit_nusvc(svc_gaussian, nu, {two.data.samples.select(rows), two.data.targets.select(rows), {}}); });
  EXPECT_NE(message.find("0.57"), std::string::npos) << message;
}

}  // namespace
}  // namespace mercer
