#include "mercer/data/scaling.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "mercer/base/error.h"
#include "mercer/linalg/matrix.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

TEST(Scaling, ParsesAndPrints) {
  for (const char* text : {"none", "standard", "deviation", "maxabs", "robust", "minmax:-1,1", "minmax:0,0.5"}) {
    EXPECT_EQ(to_string(parse_scaling(text)), text);
  }
  EXPECT_EQ(to_string(parse_scaling("minmax")), "minmax:-1,1");
  for (const char* text : {"", "Standard", "minmax:1", "minmax:1,0", "minmax:0,0", "minmax:a,b", "minmax:0,inf"}) {
    EXPECT_ERROR(parse_scaling(text), InvalidArgument, "scaling = ") << text;
  }
}

TEST(Scaling, StandardGivesMeanZeroAndDeviationOne) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal(1e6, 3);
  const Index n = 500;
  std::vector<double> values(n * 3);
  for (Index i = 0; i < n; ++i) {
    values[i * 3] = normal(random);
    values[i * 3 + 1] = 0.1;  // constant
    values[i * 3 + 2] = static_cast<double>(i) * 1e300;
  }
  const Samples samples = make_dense(values, n, 3);
  const Scaling scaling = fit_scaling(parse_scaling("standard"), samples);
  EXPECT_EQ(scaling.factor[1], 1);
  EXPECT_EQ(scaling.offset[1], 0.1);
  const Samples scaled = scaling.apply(samples);
  EXPECT_EQ(scaled.origin(), samples.origin());
  const auto& rows = scaled.as<DenseRows<double>>();
  for (const Index j : {0, 2}) {
    double sum = 0;
    double squares = 0;
    for (Index i = 0; i < n; ++i) {
      sum += rows(i, j);
      squares += rows(i, j) * rows(i, j);
    }
    EXPECT_NEAR(sum / n, 0, 1e-9);
    EXPECT_NEAR(squares / n, 1, 1e-9);
  }
  EXPECT_EQ(rows(7, 1), 0);
}

TEST(Scaling, MinmaxAndMaxabs) {
  const Samples samples = make_dense(std::vector<double>{-1e308, 5, 0, 1e308, 5, 4, 0, 5, 1}, 3, 3);
  const auto scaled = fit_scaling(parse_scaling("minmax:0,2"), samples).apply(samples);
  const auto& rows = scaled.as<DenseRows<double>>();
  EXPECT_NEAR(rows(0, 0), 0, 1e-12);
  EXPECT_NEAR(rows(2, 0), 1, 1e-12);
  EXPECT_EQ(rows(0, 1), 0);  // constant: at the lower end
  EXPECT_EQ(rows(2, 2), 0.5);
  const auto largest = fit_scaling(parse_scaling("maxabs"), samples).apply(samples);
  EXPECT_EQ(largest.as<DenseRows<double>>()(1, 2), 1);
  EXPECT_DOUBLE_EQ(largest.as<DenseRows<double>>()(0, 0), -1);
}

// Quartiles that can be counted off: of 8 numbers those between the 2nd and 3rd and between the 6th and 7th.
TEST(Scaling, RobustCentersByMedianAndDividesByQuartiles) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> wild = {8, 1, 1e9, 2, 4, 3, 6, 5};
  const std::vector<double> mostly_zero = {0, 0, 3, 0, 0, 0, 0, -1};
  std::vector<double> values;
  for (std::size_t i = 0; i < 8; ++i) {
    values.insert(values.end(),
                  {wild[i], mostly_zero[i], 7, i < 5 ? wild[i] : missing, i % 2 == 0 ? -1e308 : 1e308, missing});
  }
  const Samples samples = make_dense(values, 8, 6);
  const Scaling scaling = fit_scaling(parse_scaling("robust"), samples);
  EXPECT_EQ(scaling.base, 0);
  EXPECT_EQ(scaling.offset[0], 4.5);
  EXPECT_DOUBLE_EQ(scaling.factor[0], 1 / (7 - 2.5));
  // Both quartiles are 0: divided by the standard deviation, √(10/8 − (2/8)²).
  EXPECT_EQ(scaling.offset[1], 0);
  EXPECT_NEAR(scaling.factor[1], 1 / std::sqrt(10.0 / 8 - 1.0 / 16), 1e-14);
  EXPECT_EQ(scaling.offset[2], 7);
  EXPECT_EQ(scaling.factor[2], 1);  // constant
  EXPECT_EQ(scaling.offset[3], 4);  // of 1, 2, 4, 8, 1e9; missing values are not there
  EXPECT_DOUBLE_EQ(scaling.factor[3], 1 / (8.0 - 2));
  EXPECT_DOUBLE_EQ(scaling.factor[4] * 1e308, 0.5);  // the range of the column is no double
  EXPECT_EQ(scaling.factor[5], 1);                   // nothing there
  EXPECT_ERROR(fit_scaling(parse_scaling("robust"), make_sparse(std::vector<double>{1}, std::vector<std::int32_t>{0},
                                                                std::vector<std::int64_t>{0, 1}, 1)),
               InvalidArgument, "scaling 'robust' would make sparse samples dense");
}

TEST(Scaling, OneRowByEveryRule) {
  const Samples row = make_dense(std::vector<double>{3, 0}, 1, 2);
  for (const char* rule : {"standard", "deviation", "robust", "minmax:0,1"}) {
    const Samples scaled = fit_scaling(parse_scaling(rule), row).apply(row);
    EXPECT_EQ(scaled.as<DenseRows<double>>()(0, 0), std::string(rule) == "deviation" ? 3 : 0) << rule;
  }
}

TEST(Scaling, ColumnsThatVaryTooLittleAreRefused) {
  const Samples tiny = make_dense(std::vector<double>{1e-310, 1, 3e-310, 2, 2e-310, 5}, 3, 2);
  for (const char* rule : {"standard", "deviation", "maxabs", "robust", "minmax:0,1"}) {
    EXPECT_ERROR(fit_scaling(parse_scaling(rule), tiny), DataError, "too little to be scaled by") << rule;
  }
  const Samples small = make_dense(std::vector<double>{1e-300, 3e-300, 2e-300}, 3, 1);
  EXPECT_NEAR(fit_scaling(parse_scaling("standard"), small).apply(small).as<DenseRows<double>>()(1, 0), std::sqrt(1.5),
              1e-12);
}

TEST(Scaling, UndoLeadsBackToTheUnitsOfTheFile) {
  const std::vector<double> values = {-3, 5, 7, 2, 5, 1, 4, 5, -2};  // the middle column is constant
  const Samples samples = make_dense(values, 3, 3);
  for (const char* rule : {"none", "standard", "deviation", "maxabs", "robust", "minmax:-1,1", "minmax:0,0.5"}) {
    const Scaling scaling = fit_scaling(parse_scaling(rule), samples);
    const Samples scaled = scaling.apply(samples);
    const auto& rows = scaled.as<DenseRows<double>>();
    Matrix<double> back(3, 3);
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < 3; ++j) {
        back(i, j) = rows(i, j);
      }
    }
    scaling.undo(back.view());
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < 3; ++j) {
        EXPECT_NEAR(back(i, j), values[3 * i + j], 1e-14) << rule;
      }
    }
  }
  Matrix<double> narrow(1, 2);
  EXPECT_ERROR(fit_scaling(parse_scaling("standard"), samples).undo(narrow.view()), InvalidArgument,
               "the scaling is of 3 columns");
}

TEST(Scaling, SparseEqualsDense) {
  const std::vector<double> values{1, -4, 2, 8};
  const std::vector<std::int32_t> columns{0, 2, 0, 1};
  const Samples sparse = make_sparse(values, columns, {0, 2, 3, 4, 4}, 4);
  for (const char* text : {"maxabs", "deviation"}) {
    const Scaling a = fit_scaling(parse_scaling(text), sparse);
    const Scaling b = fit_scaling(parse_scaling(text), to_dense<double>(sparse));
    for (std::size_t j = 0; j < 4; ++j) {
      EXPECT_NEAR(a.factor[j], b.factor[j], 1e-15) << text;
    }
    EXPECT_EQ(a.factor[3], 1);
    const Samples part = sparse.slice({1, 3});
    const Samples scaled = a.apply(part);
    EXPECT_EQ(scaled.kind(), SampleKind::sparse);
    EXPECT_EQ(scaled.row_id(0), 1);
    const Samples written_out = to_dense<double>(scaled);
    EXPECT_EQ(written_out.as<DenseRows<double>>()(1, 1), 8 * a.factor[1]);
  }
  EXPECT_ERROR(fit_scaling(parse_scaling("standard"), sparse), InvalidArgument,
               "scaling 'standard' would make sparse samples dense");
  EXPECT_ERROR(fit_scaling(parse_scaling("minmax"), sparse), InvalidArgument,
               "scaling 'minmax:-1,1' would make sparse samples dense");
  EXPECT_EQ(default_scaling(sparse).kind, ScalingKind::maxabs);
}

TEST(Scaling, TablesAndOtherKinds) {
  const Samples numbers = make_dense(std::vector<float>{1, 3}, 2, 1);
  const Samples texts = make_strings(std::vector<std::string>{"a", "b"});
  const Samples table = make_table(Table(numbers, {"v"}, {{"t", texts}}));
  EXPECT_EQ(default_scaling(table).kind, ScalingKind::standard);
  EXPECT_EQ(default_scaling(texts).kind, ScalingKind::none);
  const Scaling scaling = fit_scaling(parse_scaling("standard"), table);
  const Samples scaled = scaling.apply(table);
  EXPECT_EQ(scaled.table().numeric().as<DenseRows<float>>()(1, 0), 1.0F);
  EXPECT_EQ(scaled.table().others()[0].name, "t");
  EXPECT_EQ(scaled.origin(), table.origin());
  EXPECT_EQ(fit_scaling(parse_scaling("standard"), texts).apply(texts).size(), 2);
  EXPECT_ERROR(scaling.apply(make_dense(std::vector<double>{1, 2}, 1, 2)), InvalidArgument,
               "samples of 2 numeric columns cannot be scaled like those of 1");
  EXPECT_ERROR(fit_scaling(parse_scaling("standard"), Samples()), InvalidArgument, "scaling cannot be fitted");
}

TEST(Scaling, AnyThreadsTheSameBits) {
  std::mt19937 random(4);
  std::vector<double> values(5000 * 3);
  for (double& value : values) {
    value = static_cast<double>(random()) / 7;
  }
  const Samples samples = make_dense(values, 5000, 3);
  const Scaling scaling = fit_scaling(parse_scaling("standard"), samples);
  const Samples one = scaling.apply(samples, mercer::Run{{.threads = 1}});
  const Samples three = scaling.apply(samples, mercer::Run{{.threads = 3}});
  for (Index i = 0; i < 5000; ++i) {
    EXPECT_EQ(one.as<DenseRows<double>>()(i, 1), three.as<DenseRows<double>>()(i, 1));
  }
}

// Weights of 0, 1, 2, 3 and the rows that they stand for; the row of weight 0 would spoil every rule.
TEST(Scaling, WeightsCountRows) {
  const std::vector<double> values = {1, 0, 2, -1, 1e6, 5, 0, 3, 4, 0.5};
  const std::vector<double> weights = {1, 2, 0, 3, 1};
  const Samples rows = make_dense(values, 5, 2);
  const Samples sparse =
      make_sparse(std::vector<double>{1, 2, -1, 1e6, 5, 3, 4, 0.5}, std::vector<std::int32_t>{0, 0, 1, 0, 1, 1, 0, 1},
                  std::vector<std::int64_t>{0, 1, 3, 5, 6, 8}, 2);
  const std::vector<Index> repeated = {0, 1, 1, 3, 3, 3, 4};
  std::vector<double> smaller = weights;
  for (double& weight : smaller) {
    weight *= 0.3;
  }
  for (const char* rule : {"standard", "deviation", "maxabs", "robust", "minmax:0,1"}) {
    for (const Samples& samples : {rows, sparse}) {
      const ScalingRule parsed = parse_scaling(rule);
      if (samples.kind() == SampleKind::sparse && parsed.kind != ScalingKind::deviation &&
          parsed.kind != ScalingKind::maxabs) {
        continue;
      }
      const Scaling expected = fit_scaling(parsed, samples.select(repeated));
      for (const std::vector<double>& w : {weights, smaller}) {
        const Scaling scaling = fit_scaling(parsed, {samples, w});
        for (std::size_t j = 0; j < 2; ++j) {
          EXPECT_NEAR(scaling.offset[j], expected.offset[j], 1e-14 * (1 + std::abs(expected.offset[j]))) << rule;
          EXPECT_NEAR(scaling.factor[j], expected.factor[j], 1e-14 * expected.factor[j]) << rule;
        }
      }
    }
  }
}

TEST(Scaling, RefusesWeightsThatAreNone) {
  const Samples rows = make_dense(std::vector<double>{1, 2, 3}, 3, 1);
  const ScalingRule rule = parse_scaling("standard");
  EXPECT_ERROR(fit_scaling(rule, {rows, std::vector<double>{1, -1, 1}}), DataError, "the weight of row 1");
  EXPECT_ERROR(fit_scaling(rule, {rows, std::vector<double>{1, 1, NAN}}), DataError, "the weight of row 2");
  EXPECT_ERROR(fit_scaling(rule, {rows, std::vector<double>{0, 0, 0}}), DataError, "all weights are 0");
  EXPECT_ERROR(fit_scaling(rule, {rows, std::vector<double>{1, 1}}), DataError, "3 samples with 2 weights");
  EXPECT_ERROR(fit_scaling(rule, {rows, std::vector<double>{1e308, 1e308, 1}}), DataError, "sum of the weights");
}

}  // namespace
}  // namespace mercer
