// Vector quantization by covering: what a cover promises, on rows of every kind.
#include "mercer/models/prototypes/cover.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/model_state.h"
#include "models/svm_blobs.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using testing::measure;
using testing::same_bits;

TEST(Cover, EveryRowIsWithinTheRadiusOfItsCodeVector) {
  const testing::Blobs rows = testing::blobs(120, 3, 3, 1);
  for (const char* kernel : {"linear()", "rbf(gamma=0.3)", "negative_distance()"}) {
    for (const CoverMethod method : {CoverMethod::program, CoverMethod::greedy}) {
      for (const double radius : {0.3, 0.8, 1.2}) {
        const auto model = fit_cover(parse_kernel(kernel), {.radius = radius, .method = method}, rows.data);
        const Matrix<double> squared = model->decide(rows.data.samples, {});
        const Matrix<double> nearest = model->predict(rows.data.samples, {});
        double farthest = 0;
        for (Index i = 0; i < 120; ++i) {
          const double distance = std::sqrt(squared(i, static_cast<Index>(nearest(i, 0))));
          EXPECT_LE(distance, radius + 1e-7);
          farthest = std::max(farthest, distance);
        }
        EXPECT_NEAR(measure(*model, "largest distance to a code vector"), farthest, 1e-6);
        EXPECT_EQ(measure(*model, "code vectors"), static_cast<double>(squared.columns()));
        EXPECT_LE(measure(*model, "no cover has fewer than"), measure(*model, "code vectors"));
        // A code vector is a row, at distance 0 of itself.
        for (std::size_t c = 0; c < model->parts().point_rows.size(); ++c) {
          EXPECT_NEAR(squared(model->parts().point_rows[c], static_cast<Index>(c)), 0, 1e-12);
        }
      }
    }
  }
}

TEST(Cover, NoRadiusIsAllDistinctRowsAndALargeOneIsOne) {
  const TrainingData rows{make_dense(std::vector<double>{0, 3, 1, 3, 0, 7}, 6, 1), {}, {}};
  const auto all = fit_cover(parse_kernel("linear()"), {.radius = 0}, rows);
  EXPECT_EQ(all->parts().point_rows, (std::vector<Index>{0, 2, 1, 5}));  // in the order of their values
  EXPECT_EQ(measure(*all, "no cover has fewer than"), 4);
  const auto one = fit_cover(parse_kernel("linear()"), {.radius = 7}, rows);
  EXPECT_EQ(one->parts().point_rows.size(), 1U);
  // From 3 all others are at most 4 away.
  EXPECT_EQ(fit_cover(parse_kernel("linear()"), {.radius = 4}, rows)->parts().point_rows, std::vector<Index>{1});
  EXPECT_EQ(fit_cover(parse_kernel("linear()"), {.radius = 0}, {make_dense(std::vector<double>{5}, 1, 1), {}, {}})
                ->parts()
                .point_rows.size(),
            1U);
}

TEST(Cover, FindsTheRadiusForSoManyCodeVectors) {
  const testing::Blobs rows = testing::blobs(80, 4, 8, 2);
  double before = 1e300;
  for (const Index clusters : {1, 4, 10, 80}) {
    const auto model = fit_cover(parse_kernel("linear()"), {.clusters = clusters}, rows.data);
    EXPECT_LE(static_cast<Index>(model->parts().point_rows.size()), clusters);
    const double radius = measure(*model, "radius");
    EXPECT_LE(radius, before);
    before = radius;
    // A little less, and greedy needs more.
    if (radius > 0) {
      const auto more = fit_cover(parse_kernel("linear()"),
                                  {.radius = radius * (1 - 1e-6), .method = CoverMethod::greedy}, rows.data);
      EXPECT_GT(static_cast<Index>(more->parts().point_rows.size()), clusters);
    }
  }
  EXPECT_EQ(before, 0);
  // Four clouds far from each other.
  const auto four = fit_cover(parse_kernel("linear()"), {.clusters = 4}, rows.data);
  const Matrix<double> answers = four->predict(rows.data.samples, {});
  for (Index i = 0; i < 80; ++i) {
    EXPECT_EQ(answers(i, 0), answers(i % 4, 0));
  }
}

TEST(Cover, LoadsAndRefuses) {
  const testing::Blobs rows = testing::blobs(40, 2, 3, 3);
  const auto model = fit_cover(parse_kernel("rbf(gamma=1)"), {.clusters = 5}, rows.data);
  const auto again = find_model("cover").load(state_of(*model), {});
  EXPECT_TRUE(same_bits(again->decide(rows.data.samples, {}), model->decide(rows.data.samples, {})));
  EXPECT_ERROR(fit_cover(parse_kernel("linear()"), {.radius = -1}, rows.data), InvalidArgument, "radius");
  EXPECT_ERROR(fit_cover(parse_kernel("thin_plate(n=2)"), {}, rows.data), InvalidArgument, "no squared distance");
}

}  // namespace
}  // namespace mercer
