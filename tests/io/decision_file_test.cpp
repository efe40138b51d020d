// Models with a decision rule: the file keeps it, older ones are as before, and what is damaged is refused.
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "mercer/base/error.h"
#include "mercer/io/model_file.h"
#include "mercer/io/model_header.h"
#include "mercer/models/decisions.h"
#include "support/expect_error.h"
#include "support/random_matrix.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using testing::random_matrix;
using testing::same_bits;

StoredModel fitted(const char* name) {
  const ModelEntry& entry = find_model(name);
  const Samples raw = make_dense(random_matrix(40, 2, 1));
  const Matrix<double> y = random_matrix(40, 1, 2);
  std::vector<std::string> labels;
  for (Index i = 0; i < 40; ++i) {
    labels.emplace_back(y(i, 0) > 0.2 ? "ill" : "well");
  }
  Preparation preparation = fit_preparation({raw});
  const TrainingData data{.samples = preparation.apply(raw), .targets = Targets::classes(labels)};
  return fit_stored_model(entry, kernel_for(entry), {}, data, std::move(preparation));
}

void expect_kept(StoredModel stored, const DecisionRule& rule) {
  const Samples fresh = make_dense(random_matrix(60, 2, 3));
  const Matrix<double> own = stored.predict(fresh);
  decide_by(*stored.model, rule);
  EXPECT_FALSE(same_bits(stored.predict(fresh), own)) << "the rule changes no answer";
  const std::string bytes = model_to_bytes(stored);
  EXPECT_NE(bytes.find("\\\"format\\\":6"), std::string::npos);
  const StoredModel loaded = model_from_bytes(bytes, "m");
  EXPECT_TRUE(same_bits(loaded.predict(fresh), stored.predict(fresh)));
  EXPECT_EQ(model_to_bytes(loaded), bytes);
}

TEST(DecisionFile, KeepsTheRule) {
  expect_kept(fitted("klr"), {.costs = {0, 9, 1, 0}, .priors = {0.25, 0.75}});
  expect_kept(fitted("svc"), {.threshold = 0.9, .rate = RateWanted{.rate = 0.05, .positive = 1}});
  expect_kept(fitted("gpc"), {.priors = {0.9, 0.1}});
}

TEST(DecisionFile, ModelsWithoutOneHaveTheFormatOfBefore) {
  const std::string bytes = model_to_bytes(fitted("svc"));
  EXPECT_EQ(bytes.find("decision\\\":"), std::string::npos);
  EXPECT_NE(bytes.find("\\\"format\\\":3"), std::string::npos);
  EXPECT_EQ(model_from_bytes(bytes, "m").model->head().class_shares, fitted("svc").model->head().class_shares);
}

TEST(DecisionFile, WhatIsNoRuleIsRefused) {
  using Json = nlohmann::json;
  EXPECT_ERROR(restore_decision(Json{{"costs", "x"}, {"priors", Json::array()}}), DataError, "costs");
  EXPECT_ERROR(restore_decision(Json{{"costs", {1, "x"}}, {"priors", Json::array()}}), DataError, "no number");
  EXPECT_ERROR(restore_class_shares(Json{0.5, 0.0}, 2), DataError, "a share of every class, above 0");
  EXPECT_ERROR(restore_class_shares(Json{1.0}, 2), DataError, "a share of every class");
  const DecisionRule rule{.costs = {0, 9, 1, 0}, .priors = {0.25, 0.75}, .threshold = 0.5};
  const DecisionRule again = restore_decision(store_decision(rule));
  EXPECT_EQ(again.costs, rule.costs);
  EXPECT_EQ(again.priors, rule.priors);
  EXPECT_EQ(again.threshold, rule.threshold);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double never : {infinity, -infinity}) {
    EXPECT_EQ(restore_decision(Json::parse(store_decision({.threshold = never}).dump())).threshold, never);
  }
  Json damaged = store_decision({.threshold = 0.5});
  damaged["threshold"] = "nan";
  EXPECT_ERROR(restore_decision(damaged), DataError, "threshold");
}

}  // namespace
}  // namespace mercer
