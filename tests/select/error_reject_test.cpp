// The error-reject curve against its definition, row by row.
#include "mercer/select/error_reject.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct Answered {
  std::vector<double> confidence;
  std::vector<char> wrong;
};

Answered draw(std::uint64_t seed) {
  RandomStream random(seed, 2);
  Answered rows;
  const int n = 1 + static_cast<int>(40 * random.uniform());
  for (int i = 0; i < n; ++i) {
    rows.confidence.push_back(std::floor(10 * random.uniform()));
    rows.wrong.push_back(random.uniform() < 0.3 ? 1 : 0);
  }
  return rows;
}

TEST(ErrorReject, IsWhatItsDefinitionSays) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Answered rows = draw(seed);
    const auto n = static_cast<double>(rows.wrong.size());
    const ErrorRejectCurve curve = error_reject_curve(rows.confidence, rows.wrong);
    const std::set<double> steps(rows.confidence.begin(), rows.confidence.end());
    ASSERT_EQ(curve.rejected.size(), steps.size());
    std::size_t at = 0;
    for (const double step : steps) {
      double kept = 0;
      double errors = 0;
      for (std::size_t i = 0; i < rows.wrong.size(); ++i) {
        kept += rows.confidence[i] >= step ? 1 : 0;
        errors += rows.confidence[i] >= step && rows.wrong[i] != 0 ? 1 : 0;
      }
      EXPECT_EQ(curve.confidence[at], step);
      EXPECT_DOUBLE_EQ(curve.rejected[at], (n - kept) / n);
      EXPECT_DOUBLE_EQ(curve.error[at], errors / kept);
      EXPECT_LT(curve.rejected[at], at + 1 < steps.size() ? curve.rejected[at + 1] : 1);
      ++at;
    }
  }
}

TEST(ErrorReject, ThePuntErrorIsTheLeastShareThatIsEnough) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Answered rows = draw(seed);
    const ErrorRejectCurve curve = error_reject_curve(rows.confidence, rows.wrong);
    double before = 1;
    for (const double target : {0.0, 0.1, 0.3, 1.0}) {
      const PuntError punt = punt_error(curve, target);
      EXPECT_LE(punt.error, target);
      EXPECT_LE(punt.rejected, before) << "a larger error is reached no later";
      before = punt.rejected;
      for (std::size_t i = 0; i < curve.rejected.size() && curve.rejected[i] < punt.rejected; ++i) {
        EXPECT_GT(curve.error[i], target);
      }
    }
    EXPECT_EQ(before, 0);
  }
}

TEST(ErrorReject, EndsAndOddNumbers) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  // NaN is rejected first, together with minus infinity.
  const ErrorRejectCurve curve =
      error_reject_curve(std::vector<double>{2, nan, -infinity, infinity}, std::vector<char>{0, 1, 1, 1});
  EXPECT_EQ(curve.rejected, (std::vector<double>{0, 0.5, 0.75}));
  EXPECT_EQ(curve.error, (std::vector<double>{0.75, 0.5, 1}));
  EXPECT_EQ(punt_error(curve, 0.4).rejected, 1);
  EXPECT_EQ(punt_error(curve, 0.4).confidence, infinity);
  EXPECT_ERROR(error_reject_curve({}, {}), InvalidArgument, "no samples");
  EXPECT_ERROR(error_reject_curve(std::vector<double>{1}, std::vector<char>{1, 0}), InvalidArgument,
               "1 predictions for 2 samples");
  EXPECT_ERROR(punt_error(curve, -0.1), InvalidArgument, "between 0 and 1, not -0.1");
  EXPECT_ERROR(punt_error(curve, nan), InvalidArgument, "between 0 and 1, not nan");
}

TEST(ErrorReject, LeadsAreOfTheLargestOverTheSecond) {
  Matrix<double> scores(4, 3);
  const double rows[4][3] = {{0.1, 0.7, 0.2}, {1, 1, 0}, {-3, -1, -2}, {0, std::nan(""), 1}};
  for (Index i = 0; i < 4; ++i) {
    std::copy_n(rows[i], 3, scores.view().row_data(i));
  }
  const std::vector<double> found = leads(scores.view());
  EXPECT_DOUBLE_EQ(found[0], 0.7 - 0.2);
  EXPECT_EQ(found[1], 0);
  EXPECT_EQ(found[2], 1);
  EXPECT_TRUE(std::isnan(found[3]));
}

}  // namespace
}  // namespace mercer
