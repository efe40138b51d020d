#include "mercer/data/preparation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mercer/base/error.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

Samples table(const std::vector<std::pair<double, double>>& numbers, std::vector<std::int32_t> codes,
              std::vector<std::string> levels) {
  Matrix<double> block(static_cast<Index>(numbers.size()), 2);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    block(static_cast<Index>(i), 0) = numbers[i].first;
    block(static_cast<Index>(i), 1) = numbers[i].second;
  }
  return make_table(Table(make_dense(std::move(block)), {"age", "size"},
                          {{"color", make_categories(std::move(codes), std::move(levels))}}));
}

TEST(Preparation, RepeatsColumnsCodesAndScalesOfTheTrainingRows) {
  const Samples train = table({{1, 10}, {3, 10}, {5, 40}}, {0, 1, 0}, {"blue", "red"});
  const Preparation preparation = fit_preparation(train);
  const Samples own = preparation.apply(train);
  const auto numbers = own.table().numeric().as<DenseRows<double>>();
  EXPECT_DOUBLE_EQ(numbers(0, 0), -2 / std::sqrt(8.0 / 3));
  EXPECT_DOUBLE_EQ(numbers(1, 0), 0);
  // Other order of columns, a column more, other codes of the same words, one unknown word.
  Matrix<double> block(2, 2);
  block(0, 0) = 10, block(0, 1) = 3;
  block(1, 0) = 40, block(1, 1) = 5;
  const Samples raw = make_table(
      Table(make_dense(std::move(block)), {"size", "age"}, {{"color", make_categories({0, 1}, {"red", "green"})}}));
  const Samples prepared = preparation.apply(raw);
  const auto again = prepared.table().numeric().as<DenseRows<double>>();
  EXPECT_EQ(again(0, 0), numbers(1, 0));
  EXPECT_EQ(again(0, 1), numbers(1, 1));
  EXPECT_EQ(again(1, 0), numbers(2, 0));
  EXPECT_EQ(again(1, 1), numbers(2, 1));
  const auto colors = prepared.table().others()[0].values.as<CategoryRows>();
  EXPECT_EQ(colors.codes[0], 1);
  EXPECT_EQ(colors.codes[1], -1);
}

TEST(Preparation, RowsOfItsSchemaAreNotCopied) {
  const Samples train = table({{1, 10}, {3, 10}}, {0, 1}, {"blue", "red"});
  const Preparation plain{.schema = schema_of(train)};
  const double* const before = train.table().numeric().as<DenseRows<double>>().data;
  const Samples prepared = plain.apply(train);
  EXPECT_EQ(prepared.table().numeric().as<DenseRows<double>>().data, before);
}

TEST(Preparation, MissingColumnsAreNamed) {
  const Preparation preparation = fit_preparation(table({{1, 10}, {3, 10}}, {0, 1}, {"blue", "red"}));
  Matrix<double> block(1, 1);
  block(0, 0) = 1;
  const Samples without = make_table(Table(make_dense(std::move(block)), {"age"}, {}));
  EXPECT_ERROR(preparation.apply(without), DataError, "column 'size' is missing");
}

TEST(Preparation, NumbersHaveNamesOrPlaces) {
  EXPECT_EQ(fit_preparation(table({{1, 10}, {3, 12}}, {0, 1}, {"blue", "red"})).numeric_names(),
            (std::vector<std::string>{"age", "size"}));
  Matrix<double> block = Matrix<double>::filled(3, 2, 1.0);
  EXPECT_EQ(fit_preparation(make_dense(std::move(block))).numeric_names(), (std::vector<std::string>{"0", "1"}));
}

}  // namespace
}  // namespace mercer
