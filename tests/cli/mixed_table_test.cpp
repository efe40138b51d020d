// A table of numbers (some missing), a category and a DNA column, from file to prediction.
#include <gtest/gtest.h>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

constexpr const char* mixed_kernel =
    "normalize(spectrum(k=4))[sequence] + 0.5*rbf(gamma=scale)[age] + if_present(rbf(gamma=scale))[bmi] + "
    "0.2*delta()[sex]";

class MixedTable : public CliTest {
 protected:
  std::string patients() const { return example("patients.csv"); }
};

TEST_F(MixedTable, IsFittedPredictedAndScored) {
  const Outcome fit = run(
      {"fit", "svc", patients(), "--target", "outcome", "-k", mixed_kernel, "--set", "C=10", "-o", path("m.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Outcome score = run({"score", path("m.mercer"), patients(), "--json"});
  ASSERT_EQ(score.code, 0) << score.err;
  const Outcome predict = run({"predict", path("m.mercer"), patients()});
  ASSERT_EQ(predict.code, 0) << predict.err;
  EXPECT_EQ(std::count(predict.out.begin(), predict.out.end(), '\n'), 161);
}

TEST_F(MixedTable, IsTunedAndLearns) {
  const Outcome tune = run({"tune", "svc", patients(), "--target", "outcome", "-k",
                            "normalize(spectrum(k=4))[sequence] + 0.5*rbf(gamma=2^-4..2^1)[age] + 0.2*delta()[sex]",
                            "--set", "C=1..100", "--json", "-o", path("t.mercer")});
  ASSERT_EQ(tune.code, 0) << tune.err;
  const Outcome predict = run({"predict", path("t.mercer"), patients()});
  EXPECT_EQ(predict.code, 0) << predict.err;
}

TEST_F(MixedTable, AMissingNumberIsRefusedUnlessTheKernelTakesIt) {
  const Outcome fit =
      run({"fit", "svc", patients(), "--target", "outcome", "-k", "rbf()[age, bmi]", "-o", path("m.mercer")});
  EXPECT_EQ(fit.code, 3);
  EXPECT_NE(fit.err.find("if_present"), std::string::npos) << fit.err;
}

}  // namespace
}  // namespace mercer::cli_test
