// svc and nusvc with one slack per group of rows, and nusvc with all classes in one problem: as models, with labels, weights,
// several classes and files. The solvers have tests of their own (grouped_slack_test, joint_nu_test).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "mercer/models/svm/svc.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::accuracy;
using testing::Blobs;
using testing::blobs;
using testing::measure;
using testing::same_bits;

const Kernel grouped_gaussian = parse_kernel("rbf(gamma=0.5)");

SvcOptions group_options(double C = 1) {
  SvcOptions options;
  options.slack = SvcSlack::group;
  options.C = C;
  options.tolerance = 1e-6;
  return options;
}

Blobs with_groups(Blobs problem, Index count) {
  for (Index i = 0; i < problem.data.samples.size(); ++i) {
    problem.data.groups.push_back(static_cast<std::int32_t>((7 * i) % count));
  }
  return problem;
}

TEST(SvcGroups, GroupsOfOneRowAreTheUsualMachine) {
  Blobs two = blobs(90, 2, 1.0, 3);
  two.data.weights.assign(90, 1.0);
  for (Index i = 0; i < 90; ++i) {
    two.data.groups.push_back(static_cast<std::int32_t>(i));
    two.data.weights[i] = 0.5 + static_cast<double>(i % 4);
  }
  SvcOptions usual = group_options(2);
  usual.slack = SvcSlack::linear;
  usual.class_weight = ClassWeights::parse("a:3");
  SvcOptions grouped = group_options(2);
  grouped.class_weight = usual.class_weight;
  const auto a = fit_svc(grouped_gaussian, usual, two.data);
  const auto b = fit_svc(grouped_gaussian, grouped, two.data);
  EXPECT_EQ(b->report().status, SolveStatus::converged);
  EXPECT_NEAR(b->report().objective, a->report().objective, 1e-5 * std::abs(a->report().objective));
  EXPECT_NEAR(b->machine_facts()[0].primal, a->machine_facts()[0].primal, 1e-5 * a->machine_facts()[0].primal);
  EXPECT_NEAR(b->machine_facts()[0].slack, a->machine_facts()[0].slack, 1e-4 * a->machine_facts()[0].slack);
  // Rows without a group are groups of their own.
  std::ranges::fill(two.data.groups, -1);
  EXPECT_TRUE(same_bits(fit_svc(grouped_gaussian, grouped, two.data)->decide(two.data.samples, {}),
                        b->decide(two.data.samples, {})));
}

TEST(SvcGroups, FactsAreThoseOfTheGroups) {
  const Blobs two = with_groups(blobs(120, 2, 0.8, 4), 30);
  const auto model = fit_svc(grouped_gaussian, group_options(0.7), two.data);
  const Matrix<double> f = model->decide(two.data.samples, {});
  std::map<std::int32_t, double> slacks;
  for (Index i = 0; i < 120; ++i) {
    const double sign = two.classes[i] == 1 ? 1 : -1;
    double& slack = slacks[two.data.groups[i]];
    slack = std::max(slack, 1 - sign * f(i, 0));
  }
  double sum = 0;
  for (const auto& [group, slack] : slacks) {
    sum += slack;
  }
  const MachineFacts& facts = model->machine_facts().front();
  EXPECT_NEAR(facts.slack, sum, 1e-5 * sum);
  EXPECT_NEAR(facts.primal, facts.squared_norm / 2 + 0.7 * sum, 1e-5 * facts.primal);
  EXPECT_NEAR(facts.dual, facts.primal, 1e-5 * facts.primal);
  // At most the groups' prices are spent.
  EXPECT_LE(facts.support_vectors, 120);
  const auto again = find_model("svc").load(state_of(*model), {});
  EXPECT_TRUE(same_bits(again->decide(two.data.samples, {}), f));
}

// C_g is C times the mean weight of its rows: a group whose rows all weigh 2 is as two such groups, a row of weight 0 is none.
TEST(SvcGroups, WeightsAreMeansOverTheGroup) {
  Blobs two = with_groups(blobs(60, 2, 0.8, 5), 15);
  two.data.weights.assign(60, 1.0);
  std::vector<Index> rows;
  std::vector<std::int32_t> groups;
  for (Index i = 0; i < 60; ++i) {
    rows.push_back(i);
    groups.push_back(two.data.groups[i]);
  }
  for (Index i = 0; i < 60; ++i) {
    if (two.data.groups[i] < 5) {
      two.data.weights[i] = 2;
      rows.push_back(i);
      groups.push_back(two.data.groups[i] + 100);
    }
  }
  const auto weighted = fit_svc(grouped_gaussian, group_options(), two.data);
  const auto copied =
      fit_svc(grouped_gaussian, group_options(),
              {.samples = two.data.samples.select(rows), .targets = two.data.targets.select(rows), .groups = groups});
  EXPECT_NEAR(weighted->machine_facts()[0].primal, copied->machine_facts()[0].primal,
              1e-5 * copied->machine_facts()[0].primal);
  two.data.weights[3] = 0;
  rows.clear();
  groups.clear();
  std::vector<double> weights;
  for (Index i = 0; i < 60; ++i) {
    if (i != 3) {
      rows.push_back(i);
      groups.push_back(two.data.groups[i]);
      weights.push_back(two.data.weights[i]);
    }
  }
  const auto zero = fit_svc(grouped_gaussian, group_options(), two.data);
  const auto deleted = fit_svc(grouped_gaussian, group_options(),
                               {.samples = two.data.samples.select(rows),
                                .targets = two.data.targets.select(rows),
                                .weights = weights,
                                .groups = groups});
  EXPECT_TRUE(same_bits(zero->decide(two.data.samples, {}), deleted->decide(two.data.samples, {})));
}

TEST(SvcGroups, SeveralClassesAreMachinesOfTheirOwnGroups) {
  const Blobs three = with_groups(blobs(150, 3, 1.5, 6), 50);
  for (const Multiclass way : {Multiclass::one_vs_one, Multiclass::one_vs_rest}) {
    SvcOptions options = group_options();
    options.multiclass = way;
    options.probability = true;
    const auto model = fit_svc(grouped_gaussian, options, three.data);
    EXPECT_EQ(model->report().status, SolveStatus::converged);
    EXPECT_GT(accuracy(three, model->predict(three.data.samples, {})), 0.8);
    EXPECT_TRUE(model->has_probabilities());
  }
}

TEST(SvcGroups, NuIsAFractionOfGroups) {
  Blobs two = blobs(160, 2, 1.2, 7);
  for (Index i = 0; i < 160; ++i) {
    two.data.groups.push_back(static_cast<std::int32_t>(100 * (i % 2) + i / 8));  // four rows of one class
  }
  NuSvcOptions options;
  options.slack = NuSvcSlack::group;
  options.nu = 0.8;
  options.tolerance = 1e-6;
  const auto model = fit_nusvc(grouped_gaussian, options, two.data);
  EXPECT_EQ(model->report().status, SolveStatus::converged);
  const Matrix<double> f = model->decide(two.data.samples, {});
  std::map<std::int32_t, bool> errs;
  for (Index i = 0; i < 160; ++i) {
    const double sign = two.classes[i] == 1 ? 1 : -1;
    errs[two.data.groups[i]] |= sign * f(i, 0) < 1 - 1e-5;
  }
  std::map<std::int32_t, bool> supports;
  for (const Index row : model->support_rows()) {
    supports[two.data.groups[row]] = true;
  }
  EXPECT_LE(std::ranges::count_if(errs, [](const auto& entry) { return entry.second; }), 32);
  EXPECT_GE(static_cast<Index>(supports.size()), 32);
  EXPECT_DOUBLE_EQ(model->machine_facts()[0].largest_nu, 1);
  EXPECT_GT(model->machine_facts()[0].rho, 0);
  EXPECT_NEAR(model->machine_facts()[0].primal, model->machine_facts()[0].dual,
              1e-5 * model->machine_facts()[0].squared_norm);
}

TEST(SvcGroups, WhatCannotBeIsRefused) {
  Blobs two = blobs(30, 2, 1.0, 8);
  EXPECT_ERROR(fit_svc(grouped_gaussian, group_options(), two.data), InvalidArgument, "needs the group of every row");
  two.data.groups.assign(29, 0);
  EXPECT_ERROR(fit_svc(grouped_gaussian, group_options(), two.data), DataError, "29 groups for 30 samples");
  two.data.groups.assign(30, 0);
  SvcOptions options = group_options();
  options.multiclass = Multiclass::weston_watkins;
  EXPECT_ERROR(fit_svc(grouped_gaussian, options, two.data), InvalidArgument, "needs slack = linear");
  options = group_options();
  options.uncertain = true;
  EXPECT_ERROR(fit_svc(grouped_gaussian, options, two.data), InvalidArgument, "labels that are sure");
  EXPECT_ERROR(fit_svc(parse_kernel("sigmoid(gamma=1, coef0=-1)"), group_options(), two.data), InvalidArgument,
               "negative eigenvalues");
  NuSvcOptions nu;
  nu.slack = NuSvcSlack::group;
  nu.infeasible = InfeasibleNu::limit;
  EXPECT_ERROR(fit_nusvc(grouped_gaussian, nu, two.data), InvalidArgument, "infeasible = limit needs slack = linear");
  nu.infeasible = InfeasibleNu::refuse;
  nu.multiclass = Multiclass::weston_watkins;
  EXPECT_ERROR(fit_nusvc(grouped_gaussian, nu, two.data), InvalidArgument, "needs slack = linear");
}

// A fit that gives every row a slack has no part for groups.
TEST(SvcGroups, OtherSlacksPassOverGroups) {
  const Blobs two = blobs(60, 2, 1.0, 9);
  SvcOptions options;
  EXPECT_TRUE(same_bits(
      fit_svc(grouped_gaussian, options, two.data)->decide(two.data.samples, {}),
      fit_svc(grouped_gaussian, options, with_groups(blobs(60, 2, 1.0, 9), 5).data)->decide(two.data.samples, {})));
}

// A kernel that is positive beside the constant is one: the distance, negated.
TEST(SvcGroups, ConditionallyPositiveKernelsAreAllowed) {
  const Blobs two = with_groups(blobs(80, 2, 1.0, 10), 20);
  const auto model = fit_svc(parse_kernel("negative_distance(beta=1)"), group_options(), two.data);
  EXPECT_EQ(model->report().status, SolveStatus::converged);
  EXPECT_GT(accuracy(two, model->predict(two.data.samples, {})), 0.7);
}

TEST(JointNuSvc, AllClassesInOneProblem) {
  const Blobs three = blobs(150, 3, 1.2, 11);
  NuSvcOptions options;
  options.multiclass = Multiclass::weston_watkins;
  options.nu = 0.3;
  const auto model = fit_nusvc(grouped_gaussian, options, three.data);
  EXPECT_EQ(model->report().status, SolveStatus::converged);
  EXPECT_GT(accuracy(three, model->predict(three.data.samples, {})), 0.8);
  EXPECT_EQ(model->machine_facts().size(), 3U);
  EXPECT_GT(model->machine_facts()[0].rho, 0);
  // C and ν are a ring: the machine with C = 2/ρ is the same.
  SvcOptions same;
  same.multiclass = Multiclass::weston_watkins;
  same.C = 2 / model->machine_facts()[0].rho;
  const auto usual = fit_svc(grouped_gaussian, same, three.data);
  const Matrix<double> f = model->decide(three.data.samples, {});
  const Matrix<double> g = usual->decide(three.data.samples, {});
  for (Index i = 0; i < 150; ++i) {
    for (Index c = 0; c < 3; ++c) {
      EXPECT_NEAR(f(i, c), g(i, c), 0.02);
    }
  }
  const auto again = find_model("nusvc").load(state_of(*model), {});
  EXPECT_TRUE(same_bits(again->decide(three.data.samples, {}), f));
}

}  // namespace
}  // namespace mercer
