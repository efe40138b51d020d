// Support vectors that two models share: against sets of their rows, and the machine of a model's own support vectors.
#include "mercer/models/svm/support_overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/svm/svc.h"
#include "mercer/models/svm/svr.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::Blobs;
using testing::blobs;

std::unique_ptr<SvcModel> machine(const Blobs& data, const char* kernel, double C = 1) {
  SvcOptions options;
  options.C = C;
  options.tolerance = 1e-6;
  return fit_svc(parse_kernel(kernel), options, data.data);
}

TEST(SupportOverlap, CountsRowsInAllByMachineAndByClass) {
  const Blobs three = blobs(150, 3, 1.5, 4);
  const auto rbf = machine(three, "rbf(gamma=0.5)");
  const auto poly = machine(three, "poly(degree=3, gamma=0.5, coef0=1)", 10);
  const SupportOverlap found = support_overlap(*rbf, *poly);
  std::vector<Index> both;
  std::ranges::set_intersection(rbf->support_rows(), poly->support_rows(), std::back_inserter(both));
  EXPECT_EQ(found.all.own, static_cast<Index>(rbf->support_rows().size()));
  EXPECT_EQ(found.all.other, static_cast<Index>(poly->support_rows().size()));
  EXPECT_EQ(found.all.both, static_cast<Index>(both.size()));
  EXPECT_GT(found.all.share(), 0.5);
  ASSERT_EQ(found.machines.size(), 3U);
  EXPECT_EQ(found.machines[0].name, rbf->decision_names()[0]);
  for (Index m = 0; m < 3; ++m) {
    Index own = 0;
    for (Index j = 0; j < rbf->expansion().coefficients().rows(); ++j) {
      own += rbf->expansion().coefficients()(j, m) != 0 ? 1 : 0;
    }
    EXPECT_EQ(found.machines[m].own, own);
    EXPECT_LE(found.machines[m].both, std::min(found.machines[m].own, found.machines[m].other));
  }
  ASSERT_EQ(found.classes.size(), 3U);
  Index sum = 0;
  for (const Overlap& one : found.classes) {
    sum += one.both;
  }
  EXPECT_EQ(sum, found.all.both);
  const SupportOverlap same = support_overlap(*rbf, *rbf);
  EXPECT_DOUBLE_EQ(same.all.share(), 1);
}

// Rows that are no support vectors change nothing when they are left out.
TEST(SupportOverlap, TheMachineOfItsOwnSupportVectorsIsTheSame) {
  const Blobs two = blobs(120, 2, 1.5, 5);
  const auto model = machine(two, "rbf(gamma=0.5)");
  const std::vector<Index> rows = support_rows_of(*model);
  EXPECT_LT(rows.size(), 120U);
  SvcOptions options;
  options.tolerance = 1e-6;
  const auto again =
      fit_svc(parse_kernel("rbf(gamma=0.5)"), options, {two.data.samples.select(rows), two.data.targets.select(rows)});
  const Matrix<double> f = model->decide(two.data.samples, {});
  const Matrix<double> g = again->decide(two.data.samples, {});
  for (Index i = 0; i < 120; ++i) {
    EXPECT_NEAR(f(i, 0), g(i, 0), 1e-4);
  }
}

TEST(SupportOverlap, ModelsWithoutKnownRowsAreRefused) {
  const Blobs two = blobs(60, 2, 1.5, 6);
  const auto model = machine(two, "rbf(gamma=0.5)");
  const auto made_up = model->with_expansion(model->expansion(), {});
  EXPECT_ERROR(support_overlap(*model, *made_up), InvalidArgument, "were compressed");
  EXPECT_ERROR(support_rows_of(*made_up), InvalidArgument, "were compressed");
  const auto ridge = find_model("ridge").fit(parse_kernel("rbf(gamma=0.5)"), {},
                                             {two.data.samples, Targets::numeric(two.x.view())}, {});
  EXPECT_ERROR(support_overlap(*model, *ridge), InvalidArgument, "ridge has no support vectors");
  // A regression of the same rows has rows, and neither machines nor classes in common.
  const auto svr =
      fit_svr(parse_kernel("rbf(gamma=0.5)"), SvrOptions{}, {two.data.samples, Targets::numeric(two.x.view())});
  const SupportOverlap found = support_overlap(*model, *svr);
  EXPECT_TRUE(found.machines.empty());
  EXPECT_TRUE(found.classes.empty());
  EXPECT_GE(found.all.other, found.all.both);
}

}  // namespace
}  // namespace mercer
