// if_present: kernels on columns with missing values, and what subscripts say of columns.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/kernels/column_uses.h"
#include "mercer/kernels/spec.h"
#include "mercer/kernels/widths.h"

namespace mercer {
namespace {

const double missing = std::numeric_limits<double>::quiet_NaN();

Samples numbers() { return make_dense(std::vector<double>{1, 0, missing, 2, 3, missing, 0.5, -1}, 4, 2); }

TEST(IfPresent, RowsThatBothMissAValueHaveTheWeight) {
  const Kernel k = parse_kernel("if_present(rbf(gamma=0.5), weight=0.25)");
  const Matrix<double> gram = testing::gram(k, numbers());
  EXPECT_DOUBLE_EQ(gram(0, 0), 1);
  EXPECT_DOUBLE_EQ(gram(0, 1), 0);
  EXPECT_DOUBLE_EQ(gram(1, 1), 0.25);
  EXPECT_DOUBLE_EQ(gram(1, 2), 0.25);
  EXPECT_NEAR(gram(0, 3), std::exp(-0.5 * (0.25 + 1)), 1e-14);
}

TEST(IfPresent, WidthsComeFromTheRowsThatAreThere) {
  const Samples samples = numbers();
  const Kernel k = resolve_widths(parse_kernel("if_present(rbf(gamma=scale))"), samples, mercer::Run());
  const Samples complete = make_dense(std::vector<double>{1, 0, 0.5, -1}, 2, 2);
  EXPECT_EQ(k.spec(), "if_present(" + resolve_widths(parse_kernel("rbf(gamma=scale)"), complete, mercer::Run()).spec() +
                          ", weight=1)");
}

TEST(IfPresent, OtherColumnsStillRefuseMissingValues) {
  EXPECT_THROW(testing::gram(parse_kernel("if_present(rbf(gamma=1))[0] + linear()[1]"), numbers()), Error);
  EXPECT_NO_THROW(testing::gram(parse_kernel("if_present(rbf(gamma=1))[0] + if_present(linear())[1]"), numbers()));
}

TEST(IfPresent, EmptyTextsAreMissing) {
  const std::vector<std::string> texts = {"", "AC", "", "ACC"};
  const Matrix<double> gram = testing::gram(parse_kernel("if_present(spectrum(k=2))"), make_strings(texts));
  EXPECT_DOUBLE_EQ(gram(0, 2), 1);
  EXPECT_DOUBLE_EQ(gram(0, 1), 0);
  EXPECT_DOUBLE_EQ(gram(1, 3), 1);
  EXPECT_DOUBLE_EQ(gram(3, 3), 2);
}

TEST(ColumnUses, StringKernelsNameTextColumns) {
  const ColumnUses uses = column_uses(
      parse_kernel("rbf()[age, bmi] * normalize(spectrum(k=3))[dna] + 0.1*delta()[sex] + if_present(linear())[bmi]"));
  EXPECT_EQ(uses.text, std::vector<std::string>{"dna"});
  EXPECT_TRUE(uses.takes_missing);
  EXPECT_EQ(uses.named, (std::vector<std::string>{"age", "bmi", "dna", "sex"}));
  EXPECT_EQ(uses.complete, (std::vector<std::string>{"age", "bmi", "dna", "sex"}));
  EXPECT_EQ(column_uses(parse_kernel("rbf()[age] + if_present(linear()[bmi])")).complete,
            std::vector<std::string>{"age"});
  EXPECT_TRUE(column_uses(parse_kernel("rbf()[age] + linear()")).named.empty());
  EXPECT_TRUE(column_uses(parse_kernel("rbf()[0]")).named.empty());
  EXPECT_FALSE(column_uses(parse_kernel("rbf() + spectrum()")).takes_missing);
}

}  // namespace
}  // namespace mercer
