// Vector math against long double <cmath>: error bounds over dense samples, special values, independence of place.
#include "mercer/base/vector_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <vector>

namespace mercer {
namespace {

template <class T>
using Function = std::function<void(std::span<const T>, std::span<T>)>;
using Reference = std::function<long double(long double)>;

template <class T>
std::vector<T> apply(const Function<T>& function, const std::vector<T>& in) {
  std::vector<T> out(in.size());
  function(in, out);
  return out;
}

// Distance to the true value in units of the last place of T at that value.
template <class T>
double ulps(T value, long double truth) {
  if (static_cast<long double>(value) == truth) {
    return 0;
  }
  int exponent = 0;
  std::frexp(truth, &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  const long double unit = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  return static_cast<double>(std::abs(static_cast<long double>(value) - truth) / unit);
}

template <class T>
std::vector<T> dense(double low, double high, int count) {
  std::vector<T> values;
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> uniform(low, high);
  for (int i = 0; i < count; ++i) {
    values.push_back(static_cast<T>(low + (high - low) * i / (count - 1)));
    values.push_back(static_cast<T>(uniform(engine)));
  }
  return values;
}

// Values of either all magnitudes up to 10^decades.
template <class T>
std::vector<T> magnitudes(int low_decade, int high_decade, int count) {
  std::vector<T> values;
  std::mt19937_64 engine(11);
  std::uniform_real_distribution<double> uniform(low_decade, high_decade);
  for (int i = 0; i < count; ++i) {
    values.push_back(static_cast<T>(std::pow(10.0, uniform(engine))));
  }
  return values;
}

template <class T>
double worst_ulps(const Function<T>& function, const Reference& truth, const std::vector<T>& in) {
  const std::vector<T> out = apply(function, in);
  double worst = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    worst = std::max(worst, ulps(out[i], truth(in[i])));
  }
  return worst;
}

template <class T>
double worst_absolute(const Function<T>& function, const Reference& truth, const std::vector<T>& in) {
  const std::vector<T> out = apply(function, in);
  double worst = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    worst = std::max(worst, static_cast<double>(std::abs(static_cast<long double>(out[i]) - truth(in[i]))));
  }
  return worst;
}

template <class T>
Function<T> exp_function() {
  return [](std::span<const T> in, std::span<T> out) { vector_exp(in, out); };
}
#define MERCER_WRAP(name) [](auto in, auto out) { vector_##name(in, out); }

const Reference true_exp = [](long double x) { return std::exp(x); };
const Reference true_log = [](long double x) { return std::log(x); };
const Reference true_log1p = [](long double x) { return std::log1p(x); };
const Reference true_sin = [](long double x) { return std::sin(x); };
const Reference true_cos = [](long double x) { return std::cos(x); };
const Reference true_tanh = [](long double x) { return std::tanh(x); };

TEST(VectorExp, ErrorBoundDouble) {
  for (const auto& [low, high] : {std::pair{-708.39, 709.78}, {-20.0, 0.0}, {-1.0, 1.0}, {-1e-8, 1e-8}}) {
    EXPECT_LE(worst_ulps<double>(MERCER_WRAP(exp), true_exp, dense<double>(low, high, 300000)), 3.5) << low;
  }
}

TEST(VectorExp, ErrorBoundFloat) {
  for (const auto& [low, high] : {std::pair{-87.33, 88.72}, {-20.0, 0.0}, {-1.0, 1.0}, {-1e-4, 1e-4}}) {
    EXPECT_LE(worst_ulps<float>(MERCER_WRAP(exp), true_exp, dense<float>(low, high, 500000)), 1.5) << low;
  }
}

template <class T>
void check_exp_limits(T low, T high) {
  const T infinity = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T payload_nan = sizeof(T) == 8 ? static_cast<T>(std::bit_cast<double>(0xfff8000000000fffULL))
                                       : std::bit_cast<T>(std::conditional_t < sizeof(T) == 4, std::uint32_t,
                                                          std::uint64_t > (0xffc001ff));
  const std::vector<T> in = {0,
                             T(-0.0),
                             -infinity,
                             infinity,
                             nan,
                             -nan,
                             payload_nan,
                             std::numeric_limits<T>::lowest(),
                             std::numeric_limits<T>::max(),
                             low,
                             std::nextafter(low * T(1.0001), -infinity),
                             high,
                             std::nextafter(high, infinity),
                             std::numeric_limits<T>::denorm_min(),
                             -7e6F,
                             -1e10F,
                             1e10F};
  const auto out = apply<T>(exp_function<T>(), in);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 1);
  EXPECT_EQ(out[2], 0);
  EXPECT_FALSE(std::signbit(out[2]));
  EXPECT_EQ(out[3], infinity);
  EXPECT_TRUE(std::isnan(out[4]) && std::isnan(out[5]) && std::isnan(out[6]));
  EXPECT_EQ(out[7], 0);
  EXPECT_EQ(out[8], infinity);
  EXPECT_GT(out[9], 0);
  EXPECT_EQ(out[10], 0);
  EXPECT_TRUE(std::isfinite(out[11]));
  EXPECT_EQ(out[12], infinity);
  EXPECT_EQ(out[13], 1);
  EXPECT_EQ(out[14], 0);
  EXPECT_EQ(out[15], 0);
  EXPECT_EQ(out[16], infinity);
}

TEST(VectorExp, Limits) {
  check_exp_limits<double>(-708.39, 0x1.62e42fefa39efp+9);
  check_exp_limits<float>(-87.33F, 0x1.62e42ep+6F);
}

// Between the smallest normal result and 0 there is no garbage: results are monotone down to exact zeros.
TEST(VectorExp, MonotoneThroughUnderflow) {
  std::vector<double> in;
  for (double x = -800; x < -690; x += 0.001) {
    in.push_back(x);
  }
  const auto out = apply<double>(exp_function<double>(), in);
  for (std::size_t i = 1; i < out.size(); ++i) {
    ASSERT_GE(out[i], out[i - 1]) << in[i];
    ASSERT_TRUE(out[i] == 0 || out[i] >= std::numeric_limits<double>::min()) << in[i];
  }
}

TEST(VectorExp, Scaled) {
  const auto in = dense<double>(0, 40, 1000);
  std::vector<double> out(in.size());
  vector_exp_scaled(in, -0.3, out);
  for (std::size_t i = 0; i < in.size(); ++i) {
    ASSERT_LE(ulps(out[i], std::exp(-0.3L * static_cast<long double>(in[i]))), 12.0) << in[i];
  }
  const auto small = dense<float>(0, 40, 1000);
  std::vector<float> narrow(small.size());
  vector_exp_scaled(small, -0.5F, narrow);
  for (std::size_t i = 0; i < small.size(); ++i) {
    ASSERT_LE(ulps(narrow[i], std::exp(-0.5L * static_cast<long double>(small[i]))), 1.5) << small[i];
  }
}

template <class T>
void check_place(const Function<T>& function, const std::vector<T>& pool) {
  std::vector<T> alone(pool.size());
  for (std::size_t i = 0; i < pool.size(); ++i) {
    function({&pool[i], 1}, {&alone[i], 1});
  }
  std::mt19937 engine(3);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t size = engine() % 131;
    const std::size_t offset = engine() % 7;
    std::vector<T> values(size + offset);
    std::vector<std::size_t> source(size);
    for (std::size_t i = 0; i < size; ++i) {
      source[i] = engine() % pool.size();
      values[offset + i] = pool[source[i]];
    }
    const std::span<T> in_place(values.data() + offset, size);
    function(in_place, in_place);
    for (std::size_t i = 0; i < size; ++i) {
      const T expected = alone[source[i]];
      ASSERT_TRUE(expected == in_place[i] || (std::isnan(expected) && std::isnan(in_place[i])))
          << pool[source[i]] << " at " << i << " of " << size;
    }
  }
}

// Every function, in place, any size, any alignment, any neighbours: the same bits as alone.
template <class T>
void check_all_places() {
  std::vector<T> pool = dense<T>(-30, 30, 150);
  for (const double extra : {-1e9, -800.0, -300.0, -88.0, 1e-300, 60.0, 90.0, 300.0, 800.0, 2e5, 1e30}) {
    pool.push_back(static_cast<T>(extra));
  }
  pool.push_back(std::numeric_limits<T>::infinity());
  pool.push_back(-std::numeric_limits<T>::infinity());
  pool.push_back(std::numeric_limits<T>::quiet_NaN());
  check_place<T>(MERCER_WRAP(exp), pool);
  check_place<T>([](auto in, auto out) { vector_exp_scaled(in, T(-0.7), out); }, pool);
  check_place<T>(MERCER_WRAP(log), pool);
  check_place<T>(MERCER_WRAP(log1p), pool);
  check_place<T>(MERCER_WRAP(sin), pool);
  check_place<T>(MERCER_WRAP(cos), pool);
  check_place<T>(MERCER_WRAP(tanh), pool);
  check_place<T>(MERCER_WRAP(sqrt), pool);
  check_place<T>([](auto in, auto out) { vector_pow(in, T(1.5), out); }, pool);
  check_place<T>([](auto in, auto out) { vector_pow(in, T(7), out); }, pool);
}

TEST(VectorMath, ResultsDoNotDependOnPlace) {
  check_all_places<double>();
  check_all_places<float>();
}

TEST(VectorLog, ErrorBounds) {
  const auto near_one = dense<double>(0.5, 2.0, 200000);
  EXPECT_LE(worst_ulps<double>(MERCER_WRAP(log), true_log, near_one), 2.0);
  EXPECT_LE(worst_ulps<double>(MERCER_WRAP(log), true_log, magnitudes<double>(-320, 308, 200000)), 2.0);
  EXPECT_LE(worst_ulps<float>(MERCER_WRAP(log), true_log, magnitudes<float>(-44, 38, 200000)), 0.6);
  EXPECT_LE(worst_ulps<double>(MERCER_WRAP(log1p), true_log1p, dense<double>(-0.999, 3.0, 200000)), 3.0);
  EXPECT_LE(worst_ulps<double>(MERCER_WRAP(log1p), true_log1p, magnitudes<double>(-300, 300, 200000)), 3.0);
  EXPECT_LE(worst_ulps<float>(MERCER_WRAP(log1p), true_log1p, dense<float>(-0.999, 3.0, 200000)), 0.6);
}

TEST(VectorLog, Limits) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> in = {0.0, 1.0, infinity, -1.0, -infinity, std::nan(""), 5e-324};
  const auto out = apply<double>(MERCER_WRAP(log), in);
  EXPECT_EQ(out[0], -infinity);
  EXPECT_EQ(out[1], 0.0);
  EXPECT_EQ(out[2], infinity);
  EXPECT_TRUE(std::isnan(out[3]) && std::isnan(out[4]) && std::isnan(out[5]));
  EXPECT_NEAR(out[6], -744.4400719213812, 1e-12);
  const auto plus = apply<double>(MERCER_WRAP(log1p), {-1.0, 0.0, -0.0, infinity, -2.0, std::nan("")});
  EXPECT_EQ(plus[0], -infinity);
  EXPECT_EQ(plus[1], 0.0);
  EXPECT_TRUE(plus[2] == 0.0 && std::signbit(plus[2]));
  EXPECT_EQ(plus[3], infinity);
  EXPECT_TRUE(std::isnan(plus[4]) && std::isnan(plus[5]));
}

TEST(VectorSinCos, ErrorBounds) {
  for (const double bound : {1.0, 10.0, 1e5}) {
    const auto in = dense<double>(-bound, bound, 200000);
    EXPECT_LE(worst_absolute<double>(MERCER_WRAP(sin), true_sin, in), 0x1p-52) << bound;
    EXPECT_LE(worst_absolute<double>(MERCER_WRAP(cos), true_cos, in), 0x1p-52) << bound;
    const auto narrow = dense<float>(-bound, bound, 200000);
    EXPECT_LE(worst_absolute<float>(MERCER_WRAP(sin), true_sin, narrow), 0x1p-24) << bound;
    EXPECT_LE(worst_absolute<float>(MERCER_WRAP(cos), true_cos, narrow), 0x1p-24) << bound;
  }
  // Small arguments keep their relative accuracy, large ones fall back.
  EXPECT_LE(worst_ulps<double>(MERCER_WRAP(sin), true_sin, magnitudes<double>(-300, 0, 50000)), 2.0);
  EXPECT_LE(worst_ulps<double>(MERCER_WRAP(sin), true_sin, magnitudes<double>(6, 18, 5000)), 2.0);
  EXPECT_TRUE(std::isnan(apply<double>(MERCER_WRAP(cos), {HUGE_VAL})[0]));
  EXPECT_TRUE(std::isnan(apply<double>(MERCER_WRAP(sin), {std::nan("")})[0]));
}

TEST(VectorTanh, ErrorBounds) {
  EXPECT_LE(worst_ulps<double>(MERCER_WRAP(tanh), true_tanh, dense<double>(-25, 25, 200000)), 3.0);
  EXPECT_LE(worst_ulps<double>(MERCER_WRAP(tanh), true_tanh, dense<double>(-1, 1, 200000)), 3.0);
  EXPECT_LE(worst_ulps<double>(MERCER_WRAP(tanh), true_tanh, magnitudes<double>(-300, 300, 100000)), 3.0);
  EXPECT_LE(worst_ulps<float>(MERCER_WRAP(tanh), true_tanh, dense<float>(-10, 10, 200000)), 0.6);
  const auto out = apply<double>(MERCER_WRAP(tanh), {HUGE_VAL, -HUGE_VAL, std::nan(""), -0.0});
  EXPECT_EQ(out[0], 1.0);
  EXPECT_EQ(out[1], -1.0);
  EXPECT_TRUE(std::isnan(out[2]));
  EXPECT_TRUE(out[3] == 0 && std::signbit(out[3]));
}

TEST(VectorPow, ErrorBounds) {
  for (const double exponent : {0.5, -0.25, 1.5, 2.7, -3.3, 0.0, 1.0, 2.0, 5.0, -3.0, 64.0, 65.0}) {
    const auto in = magnitudes<double>(-4, 4, 20000);
    std::vector<double> out(in.size());
    vector_pow(in, exponent, out);
    for (std::size_t i = 0; i < in.size(); ++i) {
      const long double truth = std::pow(static_cast<long double>(in[i]), static_cast<long double>(exponent));
      const double power = std::abs(exponent) * std::abs(std::log(in[i]));
      const bool product = std::abs(exponent) <= 64 && exponent == std::trunc(exponent);
      ASSERT_LE(ulps(out[i], truth), product ? std::abs(exponent) : 4 + 3 * power) << in[i] << "^" << exponent;
    }
    const auto narrow = magnitudes<float>(-3, 3, 20000);
    std::vector<float> result(narrow.size());
    vector_pow(narrow, static_cast<float>(exponent), result);
    for (std::size_t i = 0; i < narrow.size(); ++i) {
      const long double truth =
          std::pow(static_cast<long double>(narrow[i]), static_cast<long double>(static_cast<float>(exponent)));
      if (truth < std::numeric_limits<float>::max() && truth > std::numeric_limits<float>::min()) {
        ASSERT_LE(ulps(result[i], truth), 0.6) << narrow[i] << "^" << exponent;
      }
    }
  }
}

TEST(VectorPow, Limits) {
  const std::vector<double> in = {0.0, -2.0, HUGE_VAL, std::nan("")};
  std::vector<double> out(in.size());
  vector_pow(in, 0.5, out);
  EXPECT_EQ(out[0], 0.0);
  EXPECT_TRUE(std::isnan(out[1]));
  EXPECT_EQ(out[2], HUGE_VAL);
  EXPECT_TRUE(std::isnan(out[3]));
  vector_pow(in, -0.5, out);
  EXPECT_EQ(out[0], HUGE_VAL);
  EXPECT_EQ(out[2], 0.0);
  vector_pow(in, 3.0, out);
  EXPECT_EQ(out[1], -8.0);
}

TEST(VectorSqrt, IsExact) {
  const auto in = magnitudes<double>(-320, 308, 10000);
  const auto out = apply<double>(MERCER_WRAP(sqrt), in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    ASSERT_EQ(out[i], std::sqrt(in[i]));
  }
}

}  // namespace
}  // namespace mercer
