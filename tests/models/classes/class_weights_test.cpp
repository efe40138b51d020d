// Weights of classes: what is written comes back as it was written, and what cannot be meant is refused.
#include "mercer/models/classes/class_weights.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/models/option_value.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

static_assert(OptionLanguage<ClassWeights>);

TEST(ClassWeights, KeepTheirText) {
  for (const char* text : {"", "balanced", "a:2", "b:2.50,a:1", "http://x:3", "+1:1e1", ":4"}) {
    EXPECT_EQ(ClassWeights::parse(text).text(), text);
  }
  EXPECT_TRUE(ClassWeights::parse("").are_alike());
  EXPECT_TRUE(ClassWeights().are_alike());
  EXPECT_TRUE(ClassWeights::parse("balanced").are_balanced());
  EXPECT_FALSE(ClassWeights::balanced().are_alike());
  EXPECT_EQ(ClassWeights::balanced().text(), "balanced");
}

TEST(ClassWeights, AreReadAsTheyAreBuilt) {
  const ClassWeights built = {{"http://x", 3}, {"b", 0.25}};
  EXPECT_EQ(built.text(), "http://x:3,b:0.25");
  const ClassWeights read = ClassWeights::parse(built.text());
  for (const ClassWeights& weights : {built, read}) {
    ASSERT_EQ(weights.given().size(), 2u);
    EXPECT_EQ(weights.given()[0].label, "http://x");
    EXPECT_EQ(weights.given()[0].number, 3);
    EXPECT_EQ(weights.given()[1].label, "b");
    EXPECT_EQ(weights.given()[1].number, 0.25);
  }
}

TEST(ClassWeights, RefuseWhatIsNoWeight) {
  for (const char* wrong : {"a", "a:", "a:0", "a:-1", "a:x", "a:inf", "a:nan", "balance", "Balanced", "a:1,", ",a:1"}) {
    EXPECT_ERROR(ClassWeights::parse(wrong), InvalidArgument, "is not label:number with a positive number") << wrong;
  }
  for (const double wrong : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_ERROR((ClassWeights{{"a", wrong}}), InvalidArgument, "class_weight: 'a:") << wrong;
  }
  EXPECT_ERROR((ClassWeights{{"a,b", 1}}), InvalidArgument, "class_weight: 'a,b:1' is not label:number");
}

}  // namespace
}  // namespace mercer
