// Estimates of fitted classifiers: several classes against refitting, other slacks and ν against the machines they are
// equal to, files, data that are not the training data.
#include "mercer/select/estimates/svc_estimates.h"

#include <gtest/gtest.h>

#include <numeric>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Blobs;
using testing::blobs;

const Kernel gaussian = parse_kernel("rbf(gamma=0.5)");

template <class Options>
Options exact_options() {
  Options options;
  options.tolerance = 1e-8;
  return options;
}

TrainingData without_row(const TrainingData& data, Index row) {
  std::vector<Index> rows;
  for (Index i = 0; i < data.samples.size(); ++i) {
    if (i != row) {
      rows.push_back(i);
    }
  }
  return {data.samples.select(rows), data.targets.select(rows)};
}

// Rows that the model fitted without them gets wrong.
template <class Fit>
std::vector<char> leave_one_out_errors(const TrainingData& data, Fit fit) {
  const ClassLabels labels = data.targets.labels(0);
  std::vector<char> errors;
  for (Index i = 0; i < data.samples.size(); ++i) {
    const auto model = fit(without_row(data, i));
    const std::vector<Index> row = {i};
    const Matrix<double> predicted = model->predict(data.samples.select(row), {});
    const std::string answer = model->classes()[predicted(0, 0)];
    errors.push_back(answer == labels.levels[labels.codes[i]] ? 0 : 1);
  }
  return errors;
}

class SeveralClasses : public ::testing::TestWithParam<Multiclass> {};

TEST_P(SeveralClasses, TheUnionOverTheMachinesBoundsTheErrors) {
  const Blobs three = blobs(45, 3, 1.2, 4);
  SvcOptions options = exact_options<SvcOptions>();
  options.multiclass = GetParam();
  const auto fit = [&](const TrainingData& data) { return fit_svc(gaussian, options, data); };
  const auto model = fit(three.data);
  const SvcEstimates estimates = svc_estimates(*model, three.data, {}, {});
  ASSERT_EQ(estimates.machines.size(), 3U);
  ASSERT_TRUE(estimates.lagrange && estimates.span_rule && estimates.span_bound);
  const std::vector<char> truth = leave_one_out_errors(three.data, fit);
  Index errors = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    errors += truth[i];
    EXPECT_LE(truth[i], estimates.lagrange->is_error[i]) << i;
    EXPECT_LE(truth[i], estimates.span_bound->is_error[i]) << i;
  }
  EXPECT_GT(errors, 0);
  EXPECT_LE(estimates.span_rule->errors, estimates.span_bound->errors);
  EXPECT_EQ(estimates.rows, 45);
  EXPECT_EQ(estimates.names, model->decision_names());
  Index most = 0;
  for (const MachineEstimates& machine : estimates.machines) {
    most = std::max(most, machine.support_vectors);
    EXPECT_EQ(machine.free + machine.bound, machine.support_vectors);
    EXPECT_GT(machine.alignment, 0);
    EXPECT_LE(machine.squared_radius, 1);  // of points on the unit sphere of a Gaussian kernel
    EXPECT_GT(machine.kernel_range, 0.5);
  }
  EXPECT_GE(estimates.support_vectors, most);
}

INSTANTIATE_TEST_SUITE_P(Codes, SeveralClasses,
                         ::testing::Values(Multiclass::one_vs_one, Multiclass::one_vs_rest, Multiclass::graph));

TEST(SvcEstimates, AgreeWithTheFactsOfTheFit) {
  const Blobs two = blobs(80, 2, 1.5, 2);
  const auto model = fit_svc(gaussian, exact_options<SvcOptions>(), two.data);
  const SvcEstimates estimates = svc_estimates(*model, two.data, {}, {});
  const MachineEstimates& machine = estimates.machines.front();
  const MachineFacts& facts = model->machine_facts().front();
  EXPECT_EQ(machine.support_vectors, facts.support_vectors);
  EXPECT_EQ(machine.bound, facts.bounded);
  EXPECT_NEAR(machine.squared_norm, facts.squared_norm, 1e-6);
  EXPECT_NEAR(machine.bounds.margin, 1 / std::sqrt(facts.squared_norm), 1e-6);
  // A model that comes back from its file says the same.
  const auto again = find_model("svc").load(state_of(*model), {});
  const SvcEstimates repeated = svc_estimates(dynamic_cast<const SvcModel&>(*again), two.data, {}, {});
  EXPECT_EQ(repeated.span_rule->is_error, estimates.span_rule->is_error);
  EXPECT_EQ(repeated.lagrange->is_error, estimates.lagrange->is_error);
}

// Functions beside the kernel: the rule is close to refitting, of two classes and of three, and the bounds are not known.
TEST(SvcEstimates, FunctionsBesideTheKernel) {
  for (const int classes : {2, 3}) {
    for (const ParametricPart part : {ParametricPart::linear, ParametricPart::none}) {
      const Blobs some = blobs(48, classes, 1.2, 7);
      SvcOptions options = exact_options<SvcOptions>();
      options.parametric = part;
      const auto fit = [&](const TrainingData& data) { return fit_svc(gaussian, options, data); };
      const SvcEstimates estimates = svc_estimates(*fit(some.data), some.data, {}, {});
      ASSERT_TRUE(estimates.span_rule.has_value()) << part.text();
      EXPECT_FALSE(estimates.lagrange.has_value());
      EXPECT_FALSE(estimates.span_bound.has_value());
      const std::vector<char> truth = leave_one_out_errors(some.data, fit);
      Index errors = 0;
      Index different = 0;
      for (std::size_t i = 0; i < truth.size(); ++i) {
        errors += truth[i];
        // Of three classes the rule counts rows that some machine may miss.
        different +=
            classes == 2 ? truth[i] != estimates.span_rule->is_error[i] : truth[i] > estimates.span_rule->is_error[i];
      }
      EXPECT_GT(errors, 0);
      EXPECT_LE(different, 3) << part.text() << ", " << errors << " errors";
      EXPECT_GT(estimates.machines.front().support_vectors, 0);
    }
  }
}

TEST(SvcEstimates, FunctionsWithAPrice) {
  const Blobs two = blobs(30, 2, 1.2, 7);
  SvcOptions options = exact_options<SvcOptions>();
  options.parametric = ParametricPart::linear;
  options.parametric_l1 = 0.5;
  const auto model = fit_svc(gaussian, options, two.data);
  EXPECT_ERROR(svc_estimates(*model, two.data, {}, {}), InvalidArgument, "parametric_l1 = 0.5: score it by folds");
}

// f^l(x_l) of a squared slack has no ridge of its own row: the rule must know.
TEST(SvcEstimates, SquaredSlacks) {
  const Blobs two = blobs(30, 2, 1.0, 8);
  SvcOptions options = exact_options<SvcOptions>();
  options.slack = SvcSlack::squared;
  const auto fit = [&](const TrainingData& data) { return fit_svc(gaussian, options, data); };
  const auto model = fit(two.data);
  const SvcEstimates estimates = svc_estimates(*model, two.data, {}, {});
  const MachineEstimates& machine = estimates.machines.front();
  EXPECT_EQ(machine.bound, 0);
  const std::vector<char> truth = leave_one_out_errors(two.data, fit);
  double errors = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    errors += truth[i];
    EXPECT_LE(truth[i], estimates.lagrange->is_error[i]) << i;
    EXPECT_LE(truth[i], estimates.span_bound->is_error[i]) << i;
  }
  EXPECT_GT(errors, 0);
  EXPECT_NEAR(static_cast<double>(estimates.span_rule->errors), errors, 2);
}

// Errors, margin, radius and alignment are those of f and of the kernel, not of the machine with 1/2C on its diagonal.
TEST(SvcEstimates, SquaredSlacksAreNoErrorsOfTheirOwn) {
  const Blobs two = blobs(60, 2, 0.7, 9);
  SvcOptions options = exact_options<SvcOptions>();
  options.slack = SvcSlack::squared;
  options.C = 0.5;
  const auto model = fit_svc(gaussian, options, two.data);
  const MachineEstimates machine = svc_estimates(*model, two.data, {}, {}).machines.front();
  const Matrix<double> predicted = model->predict(two.data.samples, {});
  Index wrong = 0;
  for (Index i = 0; i < 60; ++i) {
    wrong += predicted(i, 0) != two.classes[i] ? 1 : 0;
  }
  ASSERT_GT(wrong, 0);
  EXPECT_EQ(machine.training_errors, wrong);
  const MachineFacts& facts = model->machine_facts().front();
  EXPECT_NEAR(machine.bounds.margin, 1 / std::sqrt(facts.squared_norm), 1e-6);
  EXPECT_NEAR(machine.squared_norm, facts.squared_norm, 1e-6);
  EXPECT_FALSE(machine.bounds.compression.has_value());
  // The same kernel and labels, another slack: the same alignment and radius.
  options.slack = SvcSlack::linear;
  const MachineEstimates linear =
      svc_estimates(*fit_svc(gaussian, options, two.data), two.data, {}, {}).machines.front();
  EXPECT_NEAR(machine.alignment, linear.alignment, 1e-12);
  EXPECT_NEAR(machine.squared_radius, linear.squared_radius, 1e-12);
}

// A machine with ν, refitted with the same caps and sums (ν grows by m/(m − 1)), has another ρ.
TEST(SvcEstimates, NuFollowsTheMarginOfTheRefit) {
  Index errors = 0;
  Index estimated = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Blobs two = blobs(40, 2, 1.0, seed + 30);
    NuSvcOptions options = exact_options<NuSvcOptions>();
    options.nu = 0.5;
    const auto model = fit_nusvc(gaussian, options, two.data);
    const SvcEstimates estimates = svc_estimates(*model, two.data, {}, {});
    ASSERT_TRUE(estimates.span_rule.has_value()) << seed;
    EXPECT_FALSE(estimates.span_bound || estimates.lagrange);  // bounds for machines with a given C
    EXPECT_FALSE(estimates.machines[0].xi_alpha.has_value());
    NuSvcOptions refitted = options;
    refitted.nu = 0.5 * 40 / 39;
    for (const char error : leave_one_out_errors(
             two.data, [&](const TrainingData& data) { return fit_nusvc(gaussian, refitted, data); })) {
      errors += error;
    }
    estimated += estimates.span_rule->errors;
  }
  EXPECT_GT(errors, 10);
  EXPECT_LE(std::abs(static_cast<double>(estimated - errors)), 0.03 * 240);
}

// The same machine by its reduced hulls has the same estimates; coefficients that C does not bound have none.
TEST(SvcEstimates, HullsAreNuAndThePrimalFormulationHasNone) {
  const Blobs two = blobs(40, 2, 1.0, 41);
  NuSvcOptions options = exact_options<NuSvcOptions>();
  options.nu = 0.5;
  const SvcEstimates by_nu = svc_estimates(*fit_nusvc(gaussian, options, two.data), two.data, {}, {});
  options.nu = 0.1;  // not looked at
  options.hull = 2 / (0.5 * 40);
  const SvcEstimates by_hull = svc_estimates(*fit_nusvc(gaussian, options, two.data), two.data, {}, {});
  ASSERT_TRUE(by_nu.span_rule.has_value() && by_hull.span_rule.has_value());
  EXPECT_EQ(by_hull.span_rule->errors, by_nu.span_rule->errors);
  SvcOptions primal = exact_options<SvcOptions>();
  primal.formulation = SvcFormulation::primal;
  const auto model = fit_svc(gaussian, primal, two.data);
  EXPECT_ERROR(svc_estimates(*model, two.data, {}, {}), InvalidArgument, "formulation = primal does not have");
}

TEST(SvcEstimates, WeightsAndClassWeights) {
  Blobs two = blobs(50, 2, 1.2, 6);
  for (Index i = 0; i < 50; ++i) {
    two.data.weights.push_back(i % 10 == 9 ? 0.0 : 0.5 + 0.1 * static_cast<double>(i % 5));
  }
  SvcOptions options = exact_options<SvcOptions>();
  options.class_weight = {{"a", 2}};
  const auto model = fit_svc(gaussian, options, two.data);
  const SvcEstimates estimates = svc_estimates(*model, two.data, {}, {});
  EXPECT_EQ(estimates.rows, 45);
  EXPECT_EQ(estimates.machines[0].bound, model->machine_facts()[0].bounded);
  TrainingData unweighted = two.data;
  unweighted.weights.clear();
  EXPECT_ERROR(svc_estimates(*model, unweighted, {}, {}), DataError, "this is not what the model was fitted to");
}

TEST(SvcEstimates, ExtremeMachines) {
  // A hard margin: no bounds, so that every number of the margin is there.
  const Blobs apart = blobs(40, 2, 6, 3);
  SvcOptions options = exact_options<SvcOptions>();
  options.slack = SvcSlack::none;
  const MachineEstimates hard =
      svc_estimates(*fit_svc(gaussian, options, apart.data), apart.data, {}, {}).machines.front();
  EXPECT_EQ(hard.training_errors, 0);
  EXPECT_TRUE(hard.bounds.leave_one_out_errors && hard.bounds.compression);
  EXPECT_NEAR(*hard.bounds.leave_one_out_errors, 4 * hard.squared_radius * hard.squared_norm, 1e-9);
  // All coefficients at their bound: nothing can be said of leaving one out.
  options.slack = SvcSlack::linear;
  options.C = 1e-5;
  const Blobs balanced = blobs(40, 2, 1, 3);
  const SvcEstimates soft = svc_estimates(*fit_svc(gaussian, options, balanced.data), balanced.data, {}, {});
  EXPECT_EQ(soft.machines[0].free, 0);
  EXPECT_FALSE(soft.lagrange || soft.span_rule || soft.span_bound);
}

TEST(SvcEstimates, RefuseOtherData) {
  const Blobs two = blobs(60, 2, 1.2, 3);
  const Blobs other = blobs(60, 2, 1.2, 4);
  const auto model = fit_svc(gaussian, {}, two.data);
  EXPECT_NO_THROW(svc_estimates(*model, two.data, {}, {}));
  EXPECT_ERROR(svc_estimates(*model, other.data, {}, {}), DataError, "this is not what the model was fitted to");
  EXPECT_ERROR(svc_estimates(*model, without_row(two.data, 3), {}, {}), DataError,
               "this is not what the model was fitted to");
  const Blobs three = blobs(60, 3, 1.2, 3);
  EXPECT_ERROR(svc_estimates(*model, three.data, {}, {}), DataError, "this is not what the model was fitted to");
  SvcOptions joint;
  joint.multiclass = Multiclass::weston_watkins;
  EXPECT_ERROR(svc_estimates(*fit_svc(gaussian, joint, three.data), three.data, {}, {}), InvalidArgument,
               "estimates without refitting");
}

TEST(SvcEstimates, TheSameBitsForAnyNumberOfThreads) {
  const Blobs three = blobs(90, 3, 1.0, 7);
  const auto model = fit_svc(gaussian, {}, three.data);
  const SvcEstimates one = svc_estimates(*model, three.data, {}, mercer::Run{{.threads = 1}});
  const SvcEstimates several = svc_estimates(*model, three.data, {}, mercer::Run{{.threads = 3}});
  for (std::size_t m = 0; m < one.machines.size(); ++m) {
    EXPECT_EQ(one.machines[m].squared_radius, several.machines[m].squared_radius);
    EXPECT_EQ(one.machines[m].alignment, several.machines[m].alignment);
    EXPECT_EQ(one.machines[m].span->squared_span, several.machines[m].span->squared_span);
  }
}

}  // namespace
}  // namespace mercer
