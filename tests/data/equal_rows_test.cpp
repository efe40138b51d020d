#include "mercer/data/equal_rows.h"

#include <gtest/gtest.h>

#include <limits>

namespace mercer {
namespace {

TEST(EqualRows, NumbersAreComparedByValue) {
  const Samples dense = make_dense(std::vector<double>{1, 0, 2, 1, -0.0, 2, 1, 1e-300, 2}, 3, 3);
  const Samples single = make_dense(std::vector<float>{1, 0, 2}, 1, 3);
  const Samples sparse =
      make_sparse(std::vector<double>{1, 0, 2, 1}, std::vector<std::int32_t>{0, 1, 2, 0}, {0, 3, 4}, 3);
  EXPECT_EQ(first_equal_rows(dense), (std::vector<Index>{0, 0, 2}));
  EXPECT_TRUE(equal_rows(dense, 1, single, 0));
  EXPECT_TRUE(equal_rows(dense, 0, sparse, 0));
  EXPECT_FALSE(equal_rows(dense, 0, sparse, 1));
  EXPECT_FALSE(equal_rows(dense, 2, sparse, 0));
}

TEST(EqualRows, MissingNumbersEqualNothing) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(first_equal_rows(make_dense(std::vector<double>{missing, missing}, 2, 1)), (std::vector<Index>{0, 1}));
}

TEST(EqualRows, StringsCategoriesAndTables) {
  const std::vector<std::string> words = {"ab", "ba", "ab", "ab"};
  EXPECT_EQ(first_equal_rows(make_strings(words)), (std::vector<Index>{0, 1, 0, 0}));
  EXPECT_EQ(first_equal_rows(make_categories(words)), (std::vector<Index>{0, 1, 0, 0}));
  EXPECT_FALSE(equal_rows(make_strings(words), 0, make_categories(words), 0));
  const Samples table =
      make_table(Table(make_dense(std::vector<double>{1, 1, 1, 2}, 4, 1), {"x"}, {{"word", make_strings(words)}}));
  EXPECT_EQ(first_equal_rows(table), (std::vector<Index>{0, 1, 0, 3}));
}

TEST(EqualRows, NoRows) { EXPECT_TRUE(first_equal_rows(make_dense(std::vector<double>{}, 0, 2)).empty()); }

}  // namespace
}  // namespace mercer
