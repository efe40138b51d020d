#include "mercer/kernels/widths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/spec.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

struct Data {
  std::vector<double> values;
  Index rows = 0;
  Index columns = 0;
  double operator()(Index i, Index j) const { return values[i * columns + j]; }
  Samples dense() const { return make_dense(values, rows, columns); }
};

// About half of the entries are zero.
Data random_data(std::uint64_t seed, Index rows, Index columns) {
  RandomStream random(seed);
  Data data{{}, rows, columns};
  for (Index e = 0; e < rows * columns; ++e) {
    data.values.push_back(random.below(2) == 0 ? 0.0 : 3 + 2 * random.normal());
  }
  return data;
}

Samples sparse(const Data& data) {
  std::vector<double> values;
  std::vector<std::int32_t> numbers;
  std::vector<std::int64_t> offsets{0};
  for (Index i = 0; i < data.rows; ++i) {
    for (Index j = 0; j < data.columns; ++j) {
      if (data(i, j) != 0) {
        values.push_back(data(i, j));
        numbers.push_back(static_cast<std::int32_t>(j));
      }
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  return make_sparse(values, numbers, offsets, data.columns);
}

// Oracles in long double, straight from the definitions.
double scale_oracle(const Data& data) {
  long double sum = 0;
  long double squares = 0;
  for (const double value : data.values) {
    sum += value;
    squares += static_cast<long double>(value) * value;
  }
  const auto count = static_cast<long double>(data.values.size());
  const long double variance = squares / count - (sum / count) * (sum / count);
  return static_cast<double>(1 / (static_cast<long double>(data.columns) * variance));
}

double median_oracle(const Data& data) {
  std::vector<double> distances;
  for (Index i = 0; i < data.rows; ++i) {
    for (Index k = i + 1; k < data.rows; ++k) {
      double sum = 0;
      for (Index j = 0; j < data.columns; ++j) {
        sum += std::pow(data(i, j) - data(k, j), 2);
      }
      if (sum > 0) {
        distances.push_back(sum);
      }
    }
  }
  std::sort(distances.begin(), distances.end());
  const std::size_t n = distances.size();
  return n == 0 ? 1 : 2 / (distances[(n - 1) / 2] + distances[n / 2]);
}

double gamma_of(WidthRule rule, const Samples& samples) { return width_gamma(rule, samples, mercer::Run{}); }

TEST(Widths, AgreeWithTheirDefinitions) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Data data = random_data(seed, 2 + static_cast<Index>(seed % 17), 1 + static_cast<Index>(seed % 7));
    if (std::all_of(data.values.begin(), data.values.end(), [&](double v) { return v == data.values[0]; })) {
      continue;
    }
    SCOPED_TRACE(seed);
    const double scale = scale_oracle(data);
    const double median = median_oracle(data);
    for (const Samples& samples : {data.dense(), sparse(data)}) {
      EXPECT_NEAR(gamma_of(WidthRule::scale, samples), scale, 1e-13 * scale);
      EXPECT_NEAR(gamma_of(WidthRule::median, samples), median, 1e-13 * median);
      EXPECT_EQ(gamma_of(WidthRule::automatic, samples), 1.0 / static_cast<double>(data.columns));
    }
    const Samples single = to_precision<float>(sparse(data));
    EXPECT_NEAR(gamma_of(WidthRule::scale, single), scale, 1e-6 * scale);
  }
}

// 1 / (X.shape[1] * X.var()) for X = [[1, 2, 3], [4, 5, 7]]: the variance is 35/9.
TEST(Widths, ScaleAsScikitLearn) {
  EXPECT_NEAR(gamma_of(WidthRule::scale, make_dense(std::vector<double>{1, 2, 3, 4, 5, 7}, 2, 3)), 3.0 / 35.0, 1e-16);
  // A far offset must not cost digits.
  EXPECT_NEAR(gamma_of(WidthRule::scale, make_dense(std::vector<double>{1e8 + 1, 1e8 + 2, 1e8 + 3, 1e8 + 4}, 4, 1)),
              0.8, 1e-14);
}

TEST(Widths, MedianOfAFewPairs) {
  // Squared distances of 0, 1, 3: 1, 4, 9.
  EXPECT_EQ(gamma_of(WidthRule::median, make_dense(std::vector<double>{0, 1, 3}, 3, 1)), 0.25);
  // Of 0, 1: one pair. With copies of both, the pairs that do not differ do not count.
  EXPECT_EQ(gamma_of(WidthRule::median, make_dense(std::vector<double>{0, 0, 0, 0, 2}, 5, 1)), 0.25);
}

TEST(Widths, DegenerateDataGiveOne) {
  const std::vector<WidthRule> rules = {WidthRule::scale, WidthRule::median};
  for (const WidthRule rule : rules) {
    EXPECT_EQ(gamma_of(rule, make_dense(std::vector<double>(30, 0.1), 10, 3)), 1);
    EXPECT_EQ(gamma_of(rule, make_dense(std::vector<double>(30, 0.0), 10, 3)), 1);
    EXPECT_EQ(gamma_of(rule, make_sparse(std::vector<double>{}, std::vector<std::int32_t>{}, {0, 0, 0}, 4)), 1);
    EXPECT_EQ(gamma_of(rule, make_sparse(std::vector<double>{0.1, 0.1}, std::vector<std::int32_t>{0, 0}, {0, 1, 2}, 1)),
              1);
    EXPECT_EQ(gamma_of(rule, make_dense(std::vector<double>{}, 0, 3)), 1);
    EXPECT_EQ(gamma_of(rule, make_dense(std::vector<double>{}, 3, 0)), 1);
    EXPECT_EQ(gamma_of(rule, make_dense(std::vector<double>{7}, 1, 1)), 1);
  }
  EXPECT_EQ(gamma_of(WidthRule::median, make_dense(std::vector<double>{1, 2, 3}, 1, 3)), 1);
  EXPECT_EQ(gamma_of(WidthRule::automatic, make_dense(std::vector<double>{}, 0, 4)), 1);
}

TEST(Widths, BadDataAreNamed) {
  const double nan_value = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {nan_value, infinity}) {
    for (const WidthRule rule : {WidthRule::scale, WidthRule::median}) {
      EXPECT_ERROR(gamma_of(rule, make_dense(std::vector<double>{1, bad, 3, 4}, 4, 1)), DataError,
                   "row 1, column 0 (counted from 0): the value is");
    }
  }
  EXPECT_ERROR(gamma_of(WidthRule::scale, make_dense(std::vector<double>{1e300, -1e300}, 2, 1)), NumericalError,
               "the width that scale takes from these data is out of range");
  EXPECT_ERROR(gamma_of(WidthRule::median, make_dense(std::vector<double>{1e-160, -1e-160}, 2, 1)), NumericalError,
               "the width that median takes from these data is out of range");
  // Squares that vanish altogether are no constant data.
  for (const WidthRule rule : {WidthRule::scale, WidthRule::median}) {
    EXPECT_ERROR(gamma_of(rule, make_dense(std::vector<double>{1e-170, -1e-170}, 2, 1)), NumericalError,
                 "takes from these data is out of range");
    EXPECT_EQ(gamma_of(rule, make_dense(std::vector<double>{1e-170, 1e-170}, 2, 1)), 1);
  }
  EXPECT_ERROR(gamma_of(WidthRule::scale, make_strings(std::vector<std::string>{"a", "b"})), InvalidArgument,
               "gamma = scale, auto and median need numeric columns");
  EXPECT_ERROR(gamma_of(WidthRule::none, make_dense(std::vector<double>{1, 2}, 2, 1)), InvalidArgument,
               "width rule: must be scale, auto or median");
}

TEST(Widths, ManyRowsAreSampledBySeedAndNotByThreads) {
  const Data data = random_data(1, 3000, 4);
  const Samples dense = data.dense();
  const Samples rows = sparse(data);
  const auto gamma = [&](const Samples& samples, int threads, std::uint64_t seed, WidthRule rule) {
    return width_gamma(rule, samples, mercer::Run{{.threads = threads, .seed = seed}});
  };
  for (const WidthRule rule : {WidthRule::scale, WidthRule::median}) {
    EXPECT_EQ(gamma(dense, 1, 7, rule), gamma(dense, 2, 7, rule));
    EXPECT_EQ(gamma(dense, 1, 7, rule), gamma(dense, 3, 7, rule));
    EXPECT_EQ(gamma(rows, 1, 7, rule), gamma(rows, 3, 7, rule));
  }
  const double whole = median_oracle(data);
  EXPECT_NEAR(gamma(dense, 2, 7, WidthRule::median), whole, 0.1 * whole);
  EXPECT_NE(gamma(dense, 2, 7, WidthRule::median), gamma(dense, 2, 8, WidthRule::median));
}

TEST(Widths, ArdGivesEveryColumnItsOwnLengthscale) {
  // Columns {0, 1, 3} and {5, 5, 9}, a constant third one.
  const std::vector<double> values = {0, 5, 7, 1, 5, 7, 3, 9, 7};
  const mercer::Run run;
  const auto expected = [](double variance) { return std::sqrt(3 * variance / 2); };
  const double shared = 1 / std::sqrt(2 * width_gamma(WidthRule::scale, make_dense(values, 3, 3), run));
  for (const Samples& samples :
       {make_dense(values, 3, 3),
        make_sparse(std::vector<double>{5, 7, 1, 5, 7, 3, 9, 7}, std::vector<std::int32_t>{1, 2, 0, 1, 2, 0, 1, 2},
                    std::vector<std::int64_t>{0, 2, 5, 8}, 3)}) {
    const std::vector<double> widths = column_lengthscales(samples, run);
    ASSERT_EQ(widths.size(), 3U);
    EXPECT_NEAR(widths[0], expected(14.0 / 9), 1e-14);
    EXPECT_NEAR(widths[1], expected(32.0 / 9), 1e-14);
    EXPECT_NEAR(widths[2], shared, 1e-14);
  }
  const Kernel resolved = resolve_widths(parse_kernel("matern(lengthscale=ard)[0, 1]"), make_dense(values, 3, 3), run);
  ASSERT_EQ(resolved.scale_parameters().size(), 2U);
  EXPECT_NEAR(resolved.scale_parameters()[1].value, std::sqrt(32.0 / 9), 1e-14);
  EXPECT_EQ(resolve_widths(parse_kernel("rbf(lengthscale=ard in 1..1.5)"), make_dense(values, 3, 3), run)
                .scale_parameters()[1]
                .value,
            1.5);
  EXPECT_ERROR(parse_kernel("rbf(gamma=ard)"), InvalidArgument, "kernel spec: rbf: gamma = ard");
  EXPECT_ERROR(width_gamma(WidthRule::per_column, make_dense(values, 3, 3), run), InvalidArgument,
               "width rule: must be scale, auto or median");
}

TEST(Widths, ResolveReplacesEveryRuleOnItsOwnColumns) {
  const Samples samples = make_dense(std::vector<double>{0, 5, 1, 5, 3, 9}, 3, 2);
  const mercer::Run run;
  const Kernel kernel = parse_kernel("2*rbf(gamma=median)[0] + rbf(gamma=auto) * rbf(lengthscale=median)[0]");
  const Kernel resolved = resolve_widths(kernel, samples, run);
  EXPECT_EQ(resolved, parse_kernel("2*rbf(gamma=0.25)[0] + rbf(gamma=0.5) * rbf(lengthscale=" +
                                   to_string(ParameterValue::number(1 / std::sqrt(0.5))) + ")[0]"));
  EXPECT_TRUE(resolved.is_resolved());
  EXPECT_EQ(&resolve_widths(resolved, samples, run).node(), &resolved.node());
  // A table offers its numeric columns.
  const Samples table =
      make_table(Table(samples, {"u", "v"}, {{"text", make_strings(std::vector<std::string>{"a", "b", "c"})}}));
  EXPECT_EQ(resolve_widths(parse_kernel("rbf(gamma=auto)"), table, run), parse_kernel("rbf(gamma=0.5)"));
  EXPECT_ERROR(resolve_widths(parse_kernel("rbf(gamma=scale)[text]"), table, run), InvalidArgument,
               "gamma = scale, auto and median need numeric columns");
}

// Weights of 0 to 3 against the rows that they stand for, and a common factor of the weights.
TEST(Widths, WeightsCountRows) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    const Data data = random_data(seed, 9 + static_cast<Index>(seed % 5), 1 + static_cast<Index>(seed % 3));
    std::vector<double> weights;
    std::vector<Index> repeated;
    RandomStream random(seed, 5);
    for (Index i = 0; i < data.rows; ++i) {
      weights.push_back(static_cast<double>(i == 0 ? 2 : random.below(4)));
      repeated.insert(repeated.end(), static_cast<std::size_t>(weights.back()), i);
    }
    std::vector<double> seventh = weights;
    for (double& weight : seventh) {
      weight /= 7;
    }
    for (const Samples& samples : {data.dense(), sparse(data)}) {
      for (const char* spec : {"rbf(gamma=scale)", "rbf(gamma=median)", "rbf(lengthscale=ard)", "rbf(gamma=auto)",
                               "rbf(gamma=scale)[0] + rbf(gamma=median)"}) {
        const Kernel expected = resolve_widths(parse_kernel(spec), samples.select(repeated), {});
        for (const std::vector<double>& w : {weights, seventh}) {
          const Kernel kernel = resolve_widths(parse_kernel(spec), {samples, w}, {});
          const std::vector<ScaleParameter> numbers = kernel.scale_parameters();
          ASSERT_EQ(numbers.size(), expected.scale_parameters().size()) << spec;
          for (std::size_t k = 0; k < numbers.size(); ++k) {
            EXPECT_NEAR(numbers[k].value, expected.scale_parameters()[k].value, 1e-12 * std::abs(numbers[k].value))
                << spec;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace mercer
