// Random features: each kernel's law gives the kernel, errors fall as they must, and every map keeps the laws of maps.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "features/feature_problem.h"
#include "mercer/base/error.h"
#include "mercer/features/additive_chi2_map.h"
#include "mercer/features/kitchen_sinks.h"
#include "mercer/features/low_discrepancy.h"
#include "mercer/features/map_error.h"
#include "mercer/features/nystroem_map.h"
#include "mercer/features/orthogonal_frequencies.h"
#include "mercer/features/random_fourier.h"
#include "mercer/features/tensor_sketch.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

using feature_test::random_matrix;
using testing::same_bits;

Samples normal_samples(Index rows, Index columns, std::uint64_t seed) {
  return make_dense(random_matrix(rows, columns, seed));
}

Matrix<double> positive_matrix(Index rows, Index columns, std::uint64_t seed) {
  Matrix<double> values = random_matrix(rows, columns, seed);
  for (Index i = 0; i < rows * columns; ++i) {
    values.data()[i] = std::abs(values.data()[i]);
  }
  return values;
}

Matrix<double> features_of(const FeatureMap& map, const Samples& samples, int threads = 1) {
  Matrix<double> out(samples.size(), map.columns());
  map.transform(samples, out.view(), mercer::Run{{.threads = threads}});
  return out;
}

double inner_of(const Matrix<double>& z, Index i, Index j) {
  double sum = 0;
  for (Index c = 0; c < z.columns(); ++c) {
    sum += z(i, c) * z(j, c);
  }
  return sum;
}

struct LawCase {
  const char* kernel;
  bool shaped;  // whether orthogonal and even draws are known
};

// Every pair within six standard errors of an average over 6000 frequencies.
TEST(RandomFourier, EveryKernelsLawGivesTheKernel) {
  const Samples x = normal_samples(8, 3, 1);
  const LawCase cases[] = {
      {"rbf(gamma=0.3)", true},
      {"rbf(lengthscale=[0.7, 2, inf])", true},
      {"transform(rbf(lengthscale=1), covariance=[2, 0.5, 0, 0.5, 1, 0.2, 0, 0.2, 0.8])", false},
      {"matern(nu=0.5, lengthscale=2)", true},
      {"matern(nu=1.5, lengthscale=[1, 2, 3])", true},
      {"matern(nu=2.5, lengthscale=1.3)", true},
      {"exponential(lengthscale=1.5)", true},
      {"laplacian(gamma=0.4)", true},
      {"cauchy(lengthscale=1.2)", true},
      {"rq(alpha=0.8, lengthscale=1.4)", true},
      {"spectral_mixture(weights=[0.7, 0.2], means=[0.1, 0.3], variances=[0.02, 0.01])", false},
      {"3*rbf(gamma=0.2)", true},
      {"0.5*rbf(gamma=2) + 2*laplacian(gamma=0.1)", true},
      {"rbf(gamma=0.5)[0] * matern(nu=1.5, lengthscale=1)[1, 2]", true},
      {"rbf(gamma=0.5)[2, 0] + constant(value=0.5)", false},
  };
  for (const LawCase& one : cases) {
    const Kernel kernel = parse_kernel(one.kernel);
    const auto law = frequency_law(kernel, x);
    ASSERT_TRUE(law) << one.kernel;
    for (const FrequencyDraws draws :
         {FrequencyDraws::independent, FrequencyDraws::orthogonal, FrequencyDraws::halton}) {
      if (draws != FrequencyDraws::independent && !one.shaped) {
        EXPECT_ERROR(fourier_map(kernel, x, {.draws = draws}, 3), InvalidArgument,
                     "this kernel's frequencies can only be drawn independently")
            << one.kernel;
        continue;
      }
      const auto map = fourier_map(kernel, x, {.size = 12000, .draws = draws}, 3);
      const MapError error = estimate_map_error(kernel, *map, x, 8, {});
      EXPECT_LT(error.largest, 0.06 * law->amplitude) << one.kernel << " draws " << static_cast<int>(draws);
    }
  }
}

TEST(RandomFourier, KernelsWithoutSpectrumAreRefusedWithAdvice) {
  const Samples x = normal_samples(4, 2, 1);
  for (const char* kernel : {"linear()", "poly(degree=2, gamma=1)", "rbf(gamma=1) + linear()", "-1*rbf(gamma=1)"}) {
    EXPECT_ERROR(fourier_map(parse_kernel(kernel), x, {}, 0), InvalidArgument, "nystroem") << kernel;
  }
}

// Root mean square error over seeds and pairs.
double mean_error(const Samples& x, const Kernel& kernel, FourierOptions options, Index seeds) {
  double squares = 0;
  for (Index s = 0; s < seeds; ++s) {
    const auto map = fourier_map(kernel, x, options, static_cast<std::uint64_t>(100 + s));
    const double rms = estimate_map_error(kernel, *map, x, x.size(), {}).rms;
    squares += rms * rms / static_cast<double>(seeds);
  }
  return std::sqrt(squares);
}

TEST(RandomFourier, ErrorFallsAsOneOverTheRootOfTheFeatures) {
  const Samples x = normal_samples(30, 3, 2);
  for (const FourierForm form : {FourierForm::pairs, FourierForm::phases}) {
    std::vector<double> logs_q;
    std::vector<double> logs_e;
    for (const Index q : {32, 128, 512, 2048}) {
      logs_q.push_back(std::log(static_cast<double>(q)));
      logs_e.push_back(std::log(mean_error(x, parse_kernel("rbf(gamma=0.3)"),
                                           {.size = q, .form = form, .draws = FrequencyDraws::independent}, 12)));
    }
    const double mean_q = (logs_q[0] + logs_q[1] + logs_q[2] + logs_q[3]) / 4;
    double top = 0;
    double bottom = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      top += (logs_q[i] - mean_q) * logs_e[i];
      bottom += (logs_q[i] - mean_q) * (logs_q[i] - mean_q);
    }
    EXPECT_GT(top / bottom, -0.6) << static_cast<int>(form);
    EXPECT_LT(top / bottom, -0.4) << static_cast<int>(form);
  }
}

TEST(RandomFourier, OrthogonalAndEvenDrawsErrLess) {
  const Kernel kernel = parse_kernel("rbf(gamma=0.05)");
  const Samples wide = normal_samples(30, 10, 3);
  const double plain = mean_error(wide, kernel, {.size = 40, .draws = FrequencyDraws::independent}, 20);
  EXPECT_LT(mean_error(wide, kernel, {.size = 40, .draws = FrequencyDraws::orthogonal}, 20), 0.8 * plain);
  const Samples narrow = normal_samples(30, 2, 4);
  const Kernel broad = parse_kernel("rbf(gamma=0.5)");
  const double crowd = mean_error(narrow, broad, {.size = 200, .draws = FrequencyDraws::independent}, 20);
  EXPECT_LT(mean_error(narrow, broad, {.size = 200, .draws = FrequencyDraws::halton}, 20), 0.4 * crowd);
  EXPECT_LT(mean_error(narrow, broad, {.size = 200, .draws = FrequencyDraws::orthogonal}, 20), crowd);
}

TEST(RandomFourier, PairsHaveTheExactDiagonal) {
  const Samples x = normal_samples(5, 2, 5);
  const Matrix<double> z = features_of(*fourier_map(parse_kernel("2.5*rbf(gamma=1)"), x, {.size = 7}, 1), x);
  EXPECT_EQ(z.columns(), 8);
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(inner_of(z, i, i), 2.5, 1e-14);
  }
}

// √(2a/q) cos(w·x + b), from the numbers that the map keeps.
TEST(RandomFourier, FeaturesAreTheFormula) {
  const Samples x = normal_samples(4, 3, 6);
  const Matrix<double> points = random_matrix(4, 3, 6);
  for (const FourierForm form : {FourierForm::phases, FourierForm::pairs}) {
    const auto map = fourier_map(parse_kernel("1.5*rbf(gamma=1)"), x, {.size = 10, .form = form}, 1);
    const MapParts parts = map->parts();
    const Matrix<double>& w = parts.array("frequencies");
    const Matrix<double> z = features_of(*map, x);
    for (Index i = 0; i < 4; ++i) {
      for (Index c = 0; c < w.columns(); ++c) {
        const double angle = points(i, 0) * w(0, c) + points(i, 1) * w(1, c) + points(i, 2) * w(2, c);
        if (form == FourierForm::phases) {
          EXPECT_NEAR(z(i, c), std::sqrt(0.3) * std::cos(angle + parts.array("phases")(0, c)), 1e-14);
        } else {
          EXPECT_NEAR(z(i, c), std::sqrt(0.3) * std::cos(angle), 1e-14);
          EXPECT_NEAR(z(i, w.columns() + c), std::sqrt(0.3) * std::sin(angle), 1e-14);
        }
      }
    }
  }
}

// Time stamps: angles of 10⁹ in float would be noise.
TEST(RandomFourier, RowsFarFromTheOriginKeepTheirDigitsInFloat) {
  Matrix<double> x(40, 2);
  for (Index i = 0; i < 40; ++i) {
    x(i, 0) = 1700000000.0 + 0.25 * static_cast<double>(i);
    x(i, 1) = -5e6 + 0.125 * static_cast<double>(i % 7);
  }
  const Samples samples = make_dense(std::move(x));
  for (const FourierForm form : {FourierForm::pairs, FourierForm::phases}) {
    const auto map = fourier_map(parse_kernel("rbf(lengthscale=2)"), samples, {.size = 60, .form = form}, 3);
    Matrix<double> full(40, map->columns());
    Matrix<float> single(40, map->columns());
    map->transform(samples, full.view(), {});
    map->transform(samples, single.view(), {});
    for (Index i = 0; i < 40; ++i) {
      for (Index c = 0; c < map->columns(); ++c) {
        // Features are at most √(2/60); double has angles of 10⁹ to 10⁻⁶.
        EXPECT_NEAR(static_cast<double>(single(i, c)), full(i, c), 1e-5 * std::sqrt(2.0 / 60)) << i;
      }
    }
  }
}

TEST(OrthogonalNormals, DirectionsOfABlockAreOrthogonalAndLengthsChi) {
  RandomStream random(5);
  const Matrix<double> rows = orthogonal_normals(random, 402, 6);
  double squares = 0;
  for (Index i = 0; i < 402; ++i) {
    squares += inner_of(rows, i, i) / 402;
    for (Index j = i / 6 * 6; j < i; ++j) {
      EXPECT_NEAR(inner_of(rows, i, j), 0, 1e-12 * std::sqrt(inner_of(rows, i, i) * inner_of(rows, j, j)));
    }
  }
  EXPECT_NEAR(squares, 6, 5 * std::sqrt(12.0 / 402));
  RandomStream one(6);
  EXPECT_EQ(orthogonal_normals(one, 3, 1).columns(), 1);
}

TEST(ScrambledHalton, EveryCellHasOnePointInEveryBase) {
  const Matrix<double> points = scrambled_halton(9, 625, 3);
  const Index bases[] = {2, 3, 5};
  const Index cells[] = {512, 243, 625};
  for (Index j = 0; j < 3; ++j) {
    // base^k points in a row lie one in each of base^k cells.
    std::vector<int> hits(cells[j], 0);
    for (Index i = 0; i < cells[j]; ++i) {
      ASSERT_GT(points(i, j), 0);
      ASSERT_LT(points(i, j), 1);
      ++hits[points(i, j) * static_cast<double>(cells[j])];
    }
    EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), cells[j]) << bases[j];
  }
  EXPECT_FALSE(same_bits(points, scrambled_halton(10, 625, 3)));
}

// ---- Laws of every map ----------------------------------------------------------------------------------------
struct NamedMap {
  std::shared_ptr<const FeatureMap> map;
  std::shared_ptr<const FeatureMap> again;  // from its parts
};

std::vector<NamedMap> maps_for(const Samples& x) {
  std::vector<NamedMap> maps;
  for (const FourierForm form : {FourierForm::pairs, FourierForm::phases}) {
    const auto fourier = fourier_map(parse_kernel("matern(nu=1.5, lengthscale=2)"), x, {.size = 40, .form = form}, 7);
    maps.push_back({fourier, FourierMap::from_parts(fourier->parts())});
  }
  for (const SinkFamily family : {SinkFamily::cos, SinkFamily::step, SinkFamily::relu, SinkFamily::tanh}) {
    const auto sinks = kitchen_sinks(parse_kernel("laplacian(gamma=0.5)"), x, {.size = 30, .family = family}, 7);
    maps.push_back({sinks, KitchenSinks::from_parts(sinks->parts())});
  }
  const auto sketch = tensor_sketch(parse_kernel("poly(degree=3, gamma=0.5, coef0=1)"), x, 50, 7);
  maps.push_back({sketch, TensorSketch::from_parts(sketch->parts())});
  const auto chi2 = additive_chi2_map(parse_kernel("2*additive_chi2()"), x, 3, 0);
  maps.push_back({chi2, AdditiveChi2Map::from_parts(chi2->parts())});
  const Kernel kernel = parse_kernel("rbf(gamma=0.2)");
  const auto nystroem = nystroem_map(kernel, x.slice({0, 20}), 1e-10, {}).map;
  maps.push_back({nystroem, NystroemMap::from_parts(nystroem->parts(), kernel, {})});
  return maps;
}

TEST(FeatureMaps, KeepTheirLaws) {
  const Samples x = make_dense(positive_matrix(700, 4, 8));
  const Index some[] = {690, 3, 3, 257};
  for (const NamedMap& one : maps_for(x)) {
    SCOPED_TRACE(std::string(one.map->name()));
    const Matrix<double> z = features_of(*one.map, x);
    EXPECT_EQ(one.again->name(), one.map->name());
    EXPECT_TRUE(same_bits(features_of(*one.again, x), z));
    EXPECT_TRUE(same_bits(features_of(*one.map, x, 2), z));
    EXPECT_TRUE(same_bits(features_of(*one.map, x, 3), z));
    const Matrix<double> few = features_of(*one.map, x.select(some));
    Matrix<float> single(x.size(), one.map->columns());
    one.map->transform(x, single.view(), {});
    double worst = 0;
    double worst_single = 0;
    for (Index c = 0; c < z.columns(); ++c) {
      for (Index i = 0; i < 4; ++i) {
        worst = std::max(worst, std::abs(few(i, c) - z(some[i], c)));
      }
      for (Index i = 0; i < x.size(); i += 7) {
        worst_single = std::max(worst_single, std::abs(static_cast<double>(single(i, c)) - z(i, c)));
      }
    }
    EXPECT_LT(worst, 1e-10);
    // A step may fall to the other side; whitening multiplies rounding by the root of the condition.
    EXPECT_LT(worst_single, one.map->name() == "sinks" ? 0.4 : one.map->name() == "nystroem" ? 2e-2 : 1e-3);
    EXPECT_EQ(features_of(*one.map, x.slice({5, 5})).rows(), 0);
    EXPECT_ERROR(features_of(*one.map, normal_samples(3, 5, 1)), DataError, "for 4");
  }
}

TEST(FeatureMaps, SparseRowsAreTheirDenseForm) {
  const Matrix<double> all = positive_matrix(60, 4, 9);
  std::vector<double> values;
  std::vector<std::int32_t> numbers;
  std::vector<std::int64_t> offsets = {0};
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 0; j < 4; ++j) {
      if ((i * 7 + j * 3) % 5 < 2) {
        values.push_back(all(i, j));
        numbers.push_back(static_cast<std::int32_t>(j));
      }
    }
    offsets.push_back(static_cast<std::int64_t>(values.size()));
  }
  const Samples sparse = make_sparse(values, numbers, offsets, 4);
  const Samples dense = to_dense<double>(sparse);
  for (const NamedMap& one : maps_for(dense)) {
    const Matrix<double> a = features_of(*one.map, sparse);
    const Matrix<double> b = features_of(*one.map, dense);
    for (Index i = 0; i < 60; ++i) {
      for (Index c = 0; c < a.columns(); ++c) {
        ASSERT_NEAR(a(i, c), b(i, c), 1e-10) << one.map->name();
      }
    }
  }
}

TEST(FeatureMaps, NumbersThatAreNotFiniteAreRefused) {
  const Samples x = make_dense(positive_matrix(30, 4, 10));
  Matrix<double> bad = positive_matrix(2, 4, 11);
  bad(1, 2) = std::numeric_limits<double>::quiet_NaN();
  const Samples broken = make_dense(std::move(bad));
  for (const NamedMap& one : maps_for(x)) {
    if (one.map->name() != "nystroem") {
      EXPECT_ERROR(features_of(*one.map, broken), DataError,
                   "row 1 (counted from 0) holds a value that is not a finite number")
          << one.map->name();
    }
  }
}

TEST(FeatureMaps, BrokenPartsAreRefused) {
  const Samples x = make_dense(positive_matrix(30, 4, 12));
  for (const NamedMap& one : maps_for(x)) {
    for (const auto& [name, array] : one.map->parts().arrays) {
      MapParts parts = one.map->parts();
      if (array.columns() > 0) {
        parts.arrays[name](0, 0) = std::numeric_limits<double>::infinity();
        const auto read = [&]() -> std::shared_ptr<const FeatureMap> {
          const std::string_view kind = one.map->name();
          if (kind == "fourier") {
            return FourierMap::from_parts(parts);
          }
          if (kind == "sinks") {
            return KitchenSinks::from_parts(parts);
          }
          if (kind == "sketch") {
            return TensorSketch::from_parts(parts);
          }
          if (kind == "chi2") {
            return AdditiveChi2Map::from_parts(parts);
          }
          return NystroemMap::from_parts(parts, parse_kernel("rbf(gamma=0.2)"), {});
        };
        EXPECT_ERROR(read(), DataError, "holds a number that is not finite") << one.map->name() << " " << name;
      }
    }
  }
}

// ---- Kitchen sinks --------------------------------------------------------------------------------------------
// Normal weights without bias: relu gives the arc-cosine kernel of order 1, sign 1 - 2θ/π (Cho & Saul 2009).
TEST(KitchenSinks, RampsAndStepsHaveTheirKernels) {
  const Samples x = normal_samples(6, 3, 13);
  const Matrix<double> points = random_matrix(6, 3, 13);
  const Kernel normal = parse_kernel("rbf(lengthscale=1)");
  const SinkOptions options{.size = 40000, .draws = FrequencyDraws::independent, .bias = 0};
  SinkOptions relu = options;
  relu.family = SinkFamily::relu;
  SinkOptions step = options;
  step.family = SinkFamily::step;
  const Matrix<double> ramps = features_of(*kitchen_sinks(normal, x, relu, 3), x);
  const Matrix<double> signs = features_of(*kitchen_sinks(normal, x, step, 3), x);
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < i; ++j) {
      const double a = std::sqrt(inner_of(points, i, i));
      const double b = std::sqrt(inner_of(points, j, j));
      const double angle = std::acos(inner_of(points, i, j) / (a * b));
      const double expected =
          a * b / std::numbers::pi * (std::sin(angle) + (std::numbers::pi - angle) * std::cos(angle));
      EXPECT_NEAR(inner_of(ramps, i, j), expected, 0.04 * a * b);
      EXPECT_NEAR(inner_of(signs, i, j), 1 - 2 * angle / std::numbers::pi, 0.03);
    }
  }
}

// ---- Tensor sketch --------------------------------------------------------------------------------------------
TEST(TensorSketch, IsTheSketchOfAllMonomials) {
  const Samples x = normal_samples(4, 3, 14);
  const Matrix<double> points = random_matrix(4, 3, 14);
  const auto map = tensor_sketch(parse_kernel("poly(degree=2, gamma=0.7, coef0=1.5)"), x, 11, 5);
  const MapParts parts = map->parts();
  const Matrix<double>& buckets = parts.array("buckets");
  const Matrix<double>& signs = parts.array("signs");
  const Matrix<double> z = features_of(*map, x);
  for (Index i = 0; i < 4; ++i) {
    std::vector<double> expected(11, 0.0);
    const auto entry = [&](Index j) { return j == 3 ? std::sqrt(1.5) : std::sqrt(0.7) * points(i, j); };
    for (Index a = 0; a < 4; ++a) {
      for (Index b = 0; b < 4; ++b) {
        const auto place = static_cast<std::size_t>(buckets(0, a) + buckets(1, b)) % 11;
        expected[place] += signs(0, a) * signs(1, b) * entry(a) * entry(b);
      }
    }
    for (Index c = 0; c < 11; ++c) {
      EXPECT_NEAR(z(i, c), expected[c], 1e-13);
    }
  }
}

TEST(TensorSketch, HasNoBias) {
  const Samples x = normal_samples(5, 4, 15);
  const Matrix<double> points = random_matrix(5, 4, 15);
  const Index seeds = 600;
  for (const Index degree : {1, 2, 3}) {
    const Kernel kernel = parse_kernel("poly(degree=" + std::to_string(degree) + ", gamma=0.3, coef0=1)");
    Matrix<double> sum = Matrix<double>::filled(5, 5, 0.0);
    Matrix<double> squares = Matrix<double>::filled(5, 5, 0.0);
    for (Index s = 0; s < seeds; ++s) {
      const Matrix<double> z = features_of(*tensor_sketch(kernel, x, 32, static_cast<std::uint64_t>(s)), x);
      for (Index i = 0; i < 5; ++i) {
        for (Index j = 0; j <= i; ++j) {
          const double value = inner_of(z, i, j);
          sum(i, j) += value / static_cast<double>(seeds);
          squares(i, j) += value * value / static_cast<double>(seeds);
        }
      }
    }
    for (Index i = 0; i < 5; ++i) {
      for (Index j = 0; j <= i; ++j) {
        const double expected = std::pow(0.3 * inner_of(points, i, j) + 1, static_cast<double>(degree));
        const double deviation = std::sqrt((squares(i, j) - sum(i, j) * sum(i, j)) / static_cast<double>(seeds));
        EXPECT_NEAR(sum(i, j), expected, 5 * deviation + 1e-12) << degree;
      }
    }
  }
}

// ---- Chi-squared ----------------------------------------------------------------------------------------------
// The numbers of scikit-learn's AdditiveChi2Sampler.
TEST(AdditiveChi2Map, AgreesWithScikitLearn) {
  const Samples x = make_dense(std::vector<double>{0.5, 2.0}, 1, 2);
  const std::vector<std::vector<double>> golden = {
      {0.6324555320336759, 1.2649110640673518},
      {0.5, 1.0, 0.41985319973842744, 0.8397063994768549, -0.15163013664373406, 0.30326027328746813},
      {0.4472135954999579, 0.8944271909999159, 0.44141323544900773, 0.8828264708980155, -0.12562129432199556,
       0.2512425886439911, 0.21571092971440592, 0.43142185942881184, -0.1335980785689571, 0.2671961571379142}};
  for (Index steps = 1; steps <= 3; ++steps) {
    const Matrix<double> z = features_of(*additive_chi2_map(parse_kernel("additive_chi2()"), x, steps, 0), x);
    const std::vector<double>& expected = golden[steps - 1];
    ASSERT_EQ(z.columns(), static_cast<Index>(expected.size()));
    for (Index c = 0; c < z.columns(); ++c) {
      EXPECT_NEAR(z(0, c), expected[c], 1e-14);
    }
  }
}

TEST(AdditiveChi2Map, ComesCloseToItsKernels) {
  const Samples x = make_dense(positive_matrix(40, 3, 16));
  for (const char* name : {"additive_chi2()", "intersection()"}) {
    const Kernel kernel = parse_kernel(name);
    double last = std::numeric_limits<double>::infinity();
    for (const Index steps : {1, 2, 4, 8}) {
      const double rms = estimate_map_error(kernel, *additive_chi2_map(kernel, x, steps, 0), x, 40, {}).rms;
      EXPECT_LT(rms, last) << name << " " << steps;
      last = rms;
    }
    // The spectrum of min(x, y) falls as 1/λ² only; values are about 1.5 here.
    EXPECT_LT(last, std::string_view(name) == "additive_chi2()" ? 2e-3 : 8e-2) << name;
  }
}

TEST(AdditiveChi2Map, NegativeValuesKeepTheirSignAndZeroIsZero) {
  const Samples x = make_dense(std::vector<double>{0.5, -0.5, 0}, 3, 1);
  const Matrix<double> z = features_of(*additive_chi2_map(parse_kernel("additive_chi2()"), x, 3, 0), x);
  for (Index c = 0; c < z.columns(); ++c) {
    EXPECT_EQ(z(0, c), -z(1, c));
    EXPECT_EQ(z(2, c), 0);
  }
  EXPECT_ERROR(additive_chi2_map(parse_kernel("rbf(gamma=1)"), x, 2, 0), InvalidArgument,
               "chi2map: the kernel rbf(gamma=1) is neither additive_chi2() nor");
  EXPECT_ERROR(additive_chi2_map(parse_kernel("additive_chi2()"), x, 0, 0), InvalidArgument, "steps = 0");
}

TEST(MapError, IsThatOfAllPairs) {
  const Samples x = normal_samples(12, 2, 17);
  const Matrix<double> points = random_matrix(12, 2, 17);
  const Kernel kernel = parse_kernel("rbf(gamma=0.4)");
  const auto map = fourier_map(kernel, x, {.size = 20, .form = FourierForm::phases}, 2);
  const Matrix<double> z = features_of(*map, x);
  double squares = 0;
  double largest = 0;
  for (Index i = 0; i < 12; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const double dx = points(i, 0) - points(j, 0);
      const double dy = points(i, 1) - points(j, 1);
      const double error = std::abs(std::exp(-0.4 * (dx * dx + dy * dy)) - inner_of(z, i, j));
      largest = std::max(largest, error);
      squares += i == j ? 0 : error * error;
    }
  }
  const MapError error = estimate_map_error(kernel, *map, x, 100, {});
  EXPECT_EQ(error.samples, 12);
  EXPECT_NEAR(error.rms, std::sqrt(squares / 66), 1e-13);
  EXPECT_NEAR(error.largest, largest, 1e-13);
  EXPECT_EQ(estimate_map_error(kernel, *map, x, 5, {}).samples, 5);
}

}  // namespace
}  // namespace mercer
