// What models do with kernels that are not positive definite: on the samples at hand, or at all. Those that need a norm
// refuse and name remedies that are there; the others answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::random_samples;
using testing::targets_for;

bool is_finite(const Matrix<double>& values) {
  return std::all_of(values.data(), values.data() + values.rows() * values.columns(),
                     [](double v) { return std::isfinite(v); });
}

TrainingData normal_problem(const ModelEntry& entry) { return {random_samples(40, 2, 5), targets_for(entry, 40, 6)}; }

const std::set<std::string> models_with_norms = {"ridge",    "gp",     "gpc",    "klr",     "falkon", "falkonc",
                                                 "lssvm",    "kfd",    "kfa",    "pursuit", "kcca",   "opca",
                                                 "mklridge", "mklsvc", "mklsvr", "riskr",   "riskc",  "bayespoint"};
// Of kernels that have a spectrum, a degree, explicit features, or no negative values.
const std::set<std::string> models_of_other_kernels = {"fourier",   "sinks",     "sketch",  "chi2map",
                                                       "linearsvc", "linearsvr", "spectral"};

class DefinitenessOfModels : public ::testing::TestWithParam<const ModelEntry*> {};

// spline() is positive definite for x ≥ 0 only, and defined for all x.
TEST_P(DefinitenessOfModels, OffTheDomainOnlyThoseThatNeedANormRefuse) {
  const ModelEntry& entry = *GetParam();
  const TrainingData data = normal_problem(entry);
  const auto fit = [&] { return entry.fit(parse_kernel("spline()"), {}, data, {}); };
  if (models_with_norms.contains(entry.name)) {
    EXPECT_ERROR(fit(), InvalidArgument, "indefinite on these samples");
  } else {
    EXPECT_TRUE(is_finite(fit()->predict(random_samples(10, 2, 7), {})));
  }
}

std::vector<const ModelEntry*> models_with_kernels() {
  std::vector<const ModelEntry*> entries;
  for (const ModelEntry* entry : model_registry()) {
    if (!entry->default_kernel.empty() && !models_of_other_kernels.contains(entry->name)) {
      entries.push_back(entry);
    }
  }
  return entries;
}

INSTANTIATE_TEST_SUITE_P(Registry, DefinitenessOfModels, ::testing::ValuesIn(models_with_kernels()),
                         [](const ::testing::TestParamInfo<const ModelEntry*>& info) { return info.param->name; });

TEST(ModelDefiniteness, OnTheDomainTheyFitAndVariancesNeedItOfNewSamples) {
  Matrix<double> x = testing::random_matrix(40, 2, 5);
  for (Index i = 0; i < 80; ++i) {
    x.data()[i] = std::abs(x.data()[i]);
  }
  const ModelEntry& gp = find_model("gp");
  const auto model = gp.fit(parse_kernel("spline()"), {}, {make_dense(std::move(x)), targets_for(gp, 40, 6)}, {});
  const Samples outside = random_samples(10, 2, 7);
  EXPECT_TRUE(is_finite(model->predict(outside, {})));
  EXPECT_ERROR(model->moments(outside, PredictionOf::function, {}), DataError,
               "is no covariance of these samples: row ");
}

TEST(ModelDefiniteness, RefusalsNameRemediesThatAreThere) {
  const Kernel kernel = parse_kernel("negative_distance()");
  for (const char* name :
       {"kfa", "pursuit", "kcca", "opca", "nystroem", "perceptron", "bayespoint", "mapridge", "mapsvc", "maplogit"}) {
    SCOPED_TRACE(name);
    const ModelEntry& entry = find_model(name);
    EXPECT_ERROR(
        entry.fit(kernel, {}, normal_problem(entry), {}), InvalidArgument,
        "Use from_cpd(" + kernel.spec() + "), which has the same distances up to a factor and is positive definite");
    const Kernel instead = parse_kernel("from_cpd(negative_distance())");
    EXPECT_TRUE(is_finite(entry.fit(instead, {}, normal_problem(entry), {})->predict(random_samples(10, 2, 7), {})));
  }
  const ModelEntry& ridge = find_model("ridge");
  const std::vector<OptionSetting> without = {{"parametric", "none"}};
  EXPECT_ERROR(ridge.fit(kernel, without, normal_problem(ridge), {}), InvalidArgument, "set parametric=constant");
}

TEST(ModelDefiniteness, AWhitenedKernelMapRefusesConditionalKernels) {
  const ModelEntry& entry = find_model("kernelmap");
  const Kernel kernel = parse_kernel("negative_distance()");
  const std::vector<OptionSetting> whitened = {{"whiten", "yes"}};
  const std::vector<OptionSetting> plain = {{"whiten", "no"}};
  EXPECT_ERROR(entry.fit(kernel, whitened, normal_problem(entry), {}), InvalidArgument,
               "its values are inner products about another origin only");
  EXPECT_TRUE(is_finite(entry.fit(kernel, plain, normal_problem(entry), {})->predict(random_samples(10, 2, 7), {})));
}

}  // namespace
}  // namespace mercer
