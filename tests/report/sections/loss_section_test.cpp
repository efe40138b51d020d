#include "mercer/report/sections/loss_section.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/kernels/spec.h"
#include "mercer/models/ridge/ridge.h"
#include "mercer/models/risk/risk_machine.h"
#include "models/random_problem.h"

namespace mercer {
namespace {

const std::vector<double> loss_targets = {0, 1, 0, 3, 1, 0};

TrainingData loss_data() { return {testing::random_samples(6, 2, 5), Targets::numeric(loss_targets, "height"), {}}; }

TEST(LossSection, ShowsTheLossInTheUnitsOfTheTarget) {
  RiskrOptions options;
  options.loss = LossKind::huber;
  options.sigma = 0.5;
  const auto model = fit_riskr(parse_kernel("rbf(gamma=1)"), options, loss_data());
  RegressionSection residuals;
  OutputResiduals output;
  output.truth = loss_targets;
  output.predicted = {0, 1, 0, 1, 1, 0};
  residuals.outputs.push_back(output);
  const std::optional<LossSection> section = loss_section(*model, &residuals);
  ASSERT_TRUE(section);
  EXPECT_EQ(section->name, "huber");
  EXPECT_EQ(section->argument, "residual");
  EXPECT_EQ(section->output, "height");
  ASSERT_EQ(section->x.size(), section->density.size());
  // The largest residual is 2.
  EXPECT_NEAR(section->x.front(), -2.2, 1e-12);
  EXPECT_NEAR(section->loss.front(), 2.2 - 0.25, 1e-12);
  EXPECT_NEAR(section->influence.back(), 1, 1e-12);
  EXPECT_NEAR(section->x[section->x.size() / 2], 0, 1e-12);
  EXPECT_NEAR(section->density[section->x.size() / 2], 1 / *make_loss(LossKind::huber, {.sigma = 0.5})->normalizer(),
              1e-12);
}

TEST(LossSection, MarginsHaveNoDensityAndOtherModelsNoLoss) {
  const TrainingData data{
      testing::random_samples(6, 2, 5), Targets::classes(std::vector<std::string>{"a", "b", "a", "b", "a", "b"}), {}};
  const auto machine = fit_riskc(parse_kernel("rbf(gamma=1)"), {}, data);
  const std::optional<LossSection> section = loss_section(*machine, nullptr);
  ASSERT_TRUE(section);
  EXPECT_EQ(section->argument, "margin");
  EXPECT_TRUE(section->density.empty());
  EXPECT_NEAR(section->loss[section->x.size() / 2], std::log(2), 1e-12);
  EXPECT_FALSE(loss_section(*fit_ridge(parse_kernel("rbf(gamma=1)"), {}, loss_data()), nullptr));
}

}  // namespace
}  // namespace mercer
