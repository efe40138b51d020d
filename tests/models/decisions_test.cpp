// Decision rules: expected costs by brute force, the texts that people write, and for every classifier of the registry that plain
// costs leave its answers alone, and others are followed.
#include "mercer/models/decisions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/models/decision_texts.h"
#include "models/random_problem.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using testing::random_matrix;
using testing::same_bits;

const std::vector<std::string> abc = {"a", "b", "c"};

TEST(DecisionRule, IsTheLeastExpectedCost) {
  RandomStream random(3, 9);
  constexpr Index classes = 4;
  for (int draw = 0; draw < 50; ++draw) {
    DecisionRule rule{.priors = {0.1, 0.2, 0.3, 0.4}};
    for (Index i = 0; i < classes * classes; ++i) {
      rule.costs.push_back(random.uniform() < 0.2 ? 0 : 5 * random.uniform());
    }
    const std::vector<double> shares = {0.4, 0.3, 0.2, 0.1};
    Matrix<double> p(1, classes);
    double sum = 0;
    for (Index c = 0; c < classes; ++c) {
      p(0, c) = -std::log(random.uniform());
      sum += p(0, c) * rule.priors[c] / shares[c];
    }
    const Matrix<double> costs = expected_costs(p.view(), rule, shares);
    Index best = 0;
    for (Index k = 0; k < classes; ++k) {
      double expected = 0;
      for (Index j = 0; j < classes; ++j) {
        expected += rule.costs[j * classes + k] * p(0, j) * rule.priors[j] / shares[j] / sum;
      }
      EXPECT_NEAR(costs(0, k), expected, 1e-13 * 5);
      best = costs(0, k) < costs(0, best) ? k : best;
    }
    Matrix<double> answers = Matrix<double>::filled(1, 1, 0.0);
    decide_by_costs(costs.view(), answers);
    EXPECT_EQ(answers(0, 0), static_cast<double>(best));
  }
}

TEST(DecisionRule, WhatIsDeclinedOrUnknownStays) {
  Matrix<double> costs = Matrix<double>::filled(2, 2, 1.0);
  costs(0, 1) = 0;
  costs(1, 1) = std::nan("");
  Matrix<double> answers = Matrix<double>::filled(2, 1, -1.0);
  answers(1, 0) = 0;
  decide_by_costs(costs.view(), answers);
  EXPECT_EQ(answers(0, 0), -1);
  EXPECT_EQ(answers(1, 0), 0);
  answers(0, 0) = -1;
  decide_by_threshold(std::vector<double>{5, 5}, 2, answers);
  EXPECT_EQ(answers(0, 0), -1);
  EXPECT_EQ(answers(1, 0), 1);
}

TEST(DecisionRule, AClassThatNeverOccursIsNotAnswered) {
  Matrix<double> p = Matrix<double>::filled(1, 2, 0.0);
  p(0, 0) = 1;  // the model is sure of what cannot be
  const Matrix<double> costs = expected_costs(p.view(), {.priors = {0, 1}}, std::vector<double>{0.5, 0.5});
  EXPECT_EQ(costs(0, 0), 1);
  EXPECT_EQ(costs(0, 1), 0);
}

TEST(DecisionTexts, CostsAreReadByTheirClasses) {
  EXPECT_EQ(parse_costs("a:b=5,c:a=0.5", abc), (std::vector<double>{0, 5, 1, 1, 0, 1, 0.5, 1, 0}));
  EXPECT_EQ(parse_costs("a:a=2", abc)[0], 2);
  EXPECT_EQ(parse_costs("+1:-1=3", {"-1", "1"}), (std::vector<double>{0, 1, 3, 0}));
  EXPECT_EQ(parse_costs("x:y:z=4", {"x:y", "z"}), (std::vector<double>{0, 4, 1, 0}));
  EXPECT_EQ(parse_costs("e,f:z=4,z:e,f=2", {"e,f", "z"}), (std::vector<double>{0, 4, 2, 0}));
  EXPECT_ERROR(parse_costs("a:d=1", abc), InvalidArgument, "there is no class 'd'");
  EXPECT_ERROR(parse_costs("ab=1", abc), InvalidArgument, "is not true class:decision");
  EXPECT_ERROR(parse_costs("a:b", abc), InvalidArgument, "'a:b' is not true class:decision=number");
  EXPECT_ERROR(parse_costs("a:b=-1", abc), InvalidArgument, "no finite number of 0 or more");
  EXPECT_ERROR(parse_costs("a:b=nan", abc), InvalidArgument, "no finite number of 0 or more");
  EXPECT_ERROR(parse_costs("a:b=1,a:b=2", abc), InvalidArgument, "given twice");
}

TEST(DecisionTexts, TablesHaveAnyOrder) {
  const std::vector<std::vector<std::string>> table = {{"", "b", "a"}, {"b", "0", "7"}, {"a", "2", "0"}};
  EXPECT_EQ(costs_of_table(table, {"a", "b"}), (std::vector<double>{0, 2, 7, 0}));
  EXPECT_ERROR(costs_of_table({}, {"a", "b"}), InvalidArgument, "is empty");
  EXPECT_ERROR(costs_of_table({{"", "a"}}, {"a", "b"}), InvalidArgument, "must name every class once");
  EXPECT_ERROR(costs_of_table({{"", "a", "b"}, {"a", "0", "1"}}, {"a", "b"}), InvalidArgument,
               "no line of the class 'b'");
  EXPECT_ERROR(costs_of_table({{"", "a", "b"}, {"a", "0"}}, {"a", "b"}), InvalidArgument, "one line of 2 numbers");
}

TEST(DecisionTexts, PriorsAreOfAllClasses) {
  EXPECT_EQ(parse_priors("c=.5,a=.25,b=.25", abc), (std::vector<double>{0.25, 0.25, 0.5}));
  EXPECT_TRUE(parse_priors("training", abc).empty());
  EXPECT_EQ(parse_priors("equal", {"a", "b"}), (std::vector<double>{0.5, 0.5}));
  EXPECT_ERROR(parse_priors("a=1", abc), InvalidArgument, "there is none of the class 'b'");
  EXPECT_ERROR(parse_priors("a=1,a=1", abc), InvalidArgument, "given twice");
  EXPECT_ERROR(parse_priors("even", abc), InvalidArgument, "'even' is not class=probability");
}

TEST(DecisionRule, WhatMeansNothingIsRefused) {
  EXPECT_ERROR(require_rule({.costs = {0, 1}}, 2), InvalidArgument, "2 numbers for 2 classes");
  EXPECT_ERROR(require_rule({.costs = {0, 0, 0, 0}}, 2), InvalidArgument, "all of them are 0");
  EXPECT_ERROR(require_rule({.costs = {0, -1, 1, 0}}, 2), InvalidArgument, "finite numbers of 0 or more");
  EXPECT_ERROR(require_rule({.priors = {0.5, 0.6}}, 2), InvalidArgument, "sum to 1, these to 1.1");
  EXPECT_ERROR(require_rule({.priors = {1}}, 2), InvalidArgument, "1 numbers for 2 classes");
  EXPECT_ERROR(require_rule({.threshold = 0.5}, 3), InvalidArgument, "parts two classes; the model has 3");
  EXPECT_TRUE((DecisionRule{.costs = {0, 4, 4, 0}}).is_plain());
  EXPECT_FALSE((DecisionRule{.costs = {0, 4, 3, 0}}).is_plain());
  EXPECT_FALSE((DecisionRule{.costs = {1, 4, 4, 1}}).is_plain());
}

// ---- Every classifier of the registry --------------------------------------------------------------------------------

std::unique_ptr<FittedModel> fitted(const ModelEntry& entry, Index classes) {
  constexpr Index rows = 60;
  Matrix<double> x = Matrix<double>::copy_of(random_matrix(rows, 2, 5).view());
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) {
    const double value = x(i, 0) + 0.7 * x(i, 1) + 0.4 * std::sin(9 * x(i, 0));
    labels.emplace_back(value > 0.3 ? "a" : classes == 3 && value < -0.8 ? "c" : "b");
    x(i, 0) = std::abs(x(i, 0));  // for kernels on histograms
    x(i, 1) = std::abs(x(i, 1)) + value;
    x(i, 1) = std::abs(x(i, 1));
  }
  return entry.fit(kernel_for(entry), {}, {make_dense(std::move(x)), Targets::classes(labels)}, {});
}

TEST(Decisions, EveryClassifierFollowsThem) {
  const Samples samples = [] {
    Matrix<double> x = Matrix<double>::copy_of(random_matrix(50, 2, 11).view());
    std::for_each(x.data(), x.data() + 100, [](double& value) { value = std::abs(value); });
    return make_dense(std::move(x));
  }();
  int by_costs = 0;
  int by_threshold = 0;
  for (const ModelEntry* entry : model_registry()) {
    if (entry->task != Task::classification) {
      continue;
    }
    for (const Index classes : {2, 3}) {
      SCOPED_TRACE(entry->name + ", classes: " + std::to_string(classes));
      std::unique_ptr<FittedModel> model;
      try {
        model = fitted(*entry, classes);
      } catch (const InvalidArgument&) {
        continue;  // wants options, or two classes
      }
      const std::vector<double>& shares = model->head().class_shares;
      ASSERT_EQ(static_cast<Index>(shares.size()), classes);
      EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1, 1e-12);
      const Matrix<double> own = model->predict(samples, {});
      const std::vector<double> alike =
          classes == 2 ? std::vector<double>{0, 3, 3, 0} : std::vector<double>{0, 3, 3, 3, 0, 3, 3, 3, 0};
      decide_by(*model, {.costs = alike});
      EXPECT_TRUE(same_bits(model->predict(samples, {}), own)) << "plain costs";
      // Nothing but the last class is cheap.
      std::vector<double> costs = alike;
      for (Index j = 0; j + 1 < classes; ++j) {
        costs[j * classes + classes - 1] = 0;
      }
      costs[(classes - 1) * classes] = 1000;
      if (model->has_probabilities()) {
        decide_by(*model, {.costs = costs});
        const Answers answers = model->answer(samples, {.predictions = true, .probabilities = true}, {});
        Matrix<double> expected = Matrix<double>::copy_of(own.view());
        decide_by_costs(expected_costs(answers.probabilities.view(), model->head().decision, shares).view(), expected);
        EXPECT_TRUE(same_bits(answers.predictions, expected));
        decide_by(*model, {.priors = shares});
        ++by_costs;
      } else {
        EXPECT_ERROR(decide_by(*model, {.costs = costs}), InvalidArgument, "has no probabilities");
      }
      if (model->decision_names().size() == 1) {
        const Matrix<double> values = model->decide(samples, {});
        const double threshold = values(7, 0);
        decide_by(*model, {.threshold = threshold});
        const Matrix<double> answers = model->predict(samples, {});
        for (Index i = 0; i < samples.size(); ++i) {
          EXPECT_EQ(answers(i, 0), values(i, 0) >= threshold ? 1 : 0);
        }
        ++by_threshold;
      } else if (classes == 3) {
        EXPECT_ERROR(decide_by(*model, {.threshold = 0.5}), InvalidArgument, "the model has 3");
      }
    }
  }
  EXPECT_GE(by_costs, 12);
  EXPECT_GE(by_threshold, 12);
}

TEST(Decisions, RejectIsOfTheRule) {
  constexpr double margin = 0.3;
  const Samples samples = make_dense(random_matrix(80, 2, 21));
  const ModelEntry& svc = find_model("svc");
  const auto fit = [&](std::vector<OptionSetting> settings) {
    Matrix<double> x = Matrix<double>::copy_of(random_matrix(60, 2, 5).view());
    std::vector<std::string> labels;
    for (Index i = 0; i < x.rows(); ++i) {
      labels.emplace_back(x(i, 0) + 0.4 * std::sin(9 * x(i, 1)) > 0.1 ? "b" : "a");
    }
    return svc.fit(kernel_for(svc), settings, {make_dense(std::move(x)), Targets::classes(labels)}, {});
  };
  const auto by_value = fit({{"reject", "0.3"}});
  const Matrix<double> values = by_value->decide(samples, {});
  constexpr double threshold = -0.4;
  decide_by(*by_value, {.threshold = threshold});
  const Matrix<double> answers = by_value->predict(samples, {});
  int declined = 0;
  for (Index i = 0; i < samples.size(); ++i) {
    const bool sure = std::abs(values(i, 0) - threshold) >= margin;
    EXPECT_EQ(answers(i, 0), !sure ? -1 : values(i, 0) >= threshold ? 1 : 0);
    declined += sure ? 0 : 1;
  }
  EXPECT_GT(declined, 0);

  const auto by_costs = fit({{"reject", "0.3"}, {"probability", "yes"}});
  const Matrix<double> p = by_costs->probabilities(samples, {});
  decide_by(*by_costs, {.costs = {0, 1, 3, 0}});
  const Matrix<double> cheapest = by_costs->predict(samples, {});
  declined = 0;
  for (Index i = 0; i < samples.size(); ++i) {
    const double lead = 3 * p(i, 1) - p(i, 0);  // what the answer a costs more than b
    EXPECT_EQ(cheapest(i, 0), std::abs(lead) < margin ? -1 : lead > 0 ? 1 : 0) << lead;
    declined += std::abs(lead) < margin ? 1 : 0;
  }
  EXPECT_GT(declined, 0);
}

TEST(Decisions, SharesAreThoseThatProbabilitiesAreOf) {
  const std::vector<std::string> labels = {"a", "a", "a", "b", "b", "b", "b", "b"};
  TrainingData data{make_dense(random_matrix(8, 2, 3)), Targets::classes(labels)};
  data.weights = {1, 1, 2, 1, 1, 0, 1, 1};
  const auto shares = [&](const char* name, std::vector<OptionSetting> settings) {
    const ModelEntry& entry = find_model(name);
    return entry.fit(kernel_for(entry), settings, data, {})->head().class_shares;
  };
  EXPECT_EQ(shares("klr", {{"lambda", "1"}}), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(shares("klr", {{"lambda", "1"}, {"class_weight", "a:3"}}), (std::vector<double>{0.75, 0.25}));
  EXPECT_EQ(shares("klr", {{"lambda", "1"}, {"class_weight", "balanced"}}), (std::vector<double>{0.5, 0.5}));
  // Sigmoids of svc count rows.
  EXPECT_EQ(shares("svc", {}), (std::vector<double>{3.0 / 7, 4.0 / 7}));
  EXPECT_EQ(shares("kdec", {{"priors", "equal"}}), (std::vector<double>{0.5, 0.5}));
}

TEST(Decisions, WhatAModelCannotDoIsSaid) {
  const ModelEntry& ridge = find_model("ridge");
  const auto regression = ridge.fit(
      kernel_for(ridge), {}, {make_dense(random_matrix(9, 2, 3)), Targets::numeric(random_matrix(9, 1, 4).view())}, {});
  EXPECT_ERROR(decide_by(*regression, {.priors = {0.5, 0.5}}), InvalidArgument, "ridge is a model of regression");
  const auto svc = fitted(find_model("svc"), 2);
  EXPECT_ERROR(decide_by(*svc, {.priors = {0.5, 0.5}}), InvalidArgument, "fit it with probability=yes");
  EXPECT_TRUE(needs_threshold(*svc, {.priors = {0.5, 0.5}}));
  EXPECT_FALSE(needs_threshold(*svc, {.costs = {0, 2, 2, 0}}));
  EXPECT_FALSE(needs_threshold(*fitted(find_model("svc"), 3), {.costs = {0, 1, 1, 1, 0, 1, 1, 5, 0}}));
}

}  // namespace
}  // namespace mercer
