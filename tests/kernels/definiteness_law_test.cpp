// What the algebra claims of an expression holds on its samples: expressions drawn at random, their Gram matrices
// looked at. A claim is read by definiteness_on(), which knows where the samples lie.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "kernels/gram_values.h"
#include "kernels/law_samples.h"
#include "mercer/base/error.h"
#include "mercer/kernels/definiteness_on.h"
#include "support/dense.h"

namespace mercer {
namespace {

using oracle::Dense;

constexpr Index law_rows = 40;
constexpr int law_expressions = 1500;

// Leaves of every kind and claim, on three columns.
constexpr std::array<const char*, 36> leaf_specs = {"rbf(gamma=0.7)",
                                                    "laplacian(gamma=0.5)",
                                                    "matern(nu=1.5, lengthscale=1)",
                                                    "rq(alpha=0.6, lengthscale=1)",
                                                    "cauchy(lengthscale=1)",
                                                    "power_exponential(beta=0.8, lengthscale=1)",
                                                    "inverse_multiquadric(c=0.8)",
                                                    "periodic(period=2, lengthscale=1.5)",
                                                    "linear()",
                                                    "poly(degree=2, gamma=0.5, coef0=1)",
                                                    "poly(degree=1, gamma=0.5, coef0=-1)",
                                                    "cosine()",
                                                    "arccos(order=1)",
                                                    "neural(bias_variance=0.5, weight_variance=0.8)",
                                                    "sigmoid(gamma=0.5, coef0=-1)",
                                                    "vovk_infinite()",
                                                    "legendre_series(dimension=3)",
                                                    "legendre_series(dimension=2)",
                                                    "constant(value=0.7)",
                                                    "-0.7",
                                                    "-2*constant()",
                                                    "white(variance=0.3)",
                                                    "rank_one(column=1)",
                                                    "anova(degree=2, gamma=0.6)",
                                                    "spline()",
                                                    "intersection()",
                                                    "chi2(gamma=0.5)",
                                                    "bspline(order=3, lengthscale=1)",
                                                    "bspline(order=1, lengthscale=[1, inf, 2])",
                                                    "wendland(dimension=3, lengthscale=2)",
                                                    "wendland(dimension=1, smoothness=0, lengthscale=2)",
                                                    "sobolev(lengthscale=1)",
                                                    "negative_distance(beta=0)",
                                                    "negative_distance(beta=1.5)",
                                                    "multiquadric(c=0.8)",
                                                    "thin_plate(n=1)"};

class ExpressionDraw {
 public:
  explicit ExpressionDraw(std::uint64_t seed) : random_(seed, 3) {}

  std::string kernel(int depth) {
    if (depth == 0) {
      return leaf_specs[random_.below(leaf_specs.size())];
    }
    const std::string a = "(" + kernel(depth - 1) + ")";
    switch (random_.below(20)) {
      case 0:
      case 1:
        return a + " + " + kernel(depth - 1);
      case 2:
      case 3:
        return a + " * (" + kernel(depth - 1) + ")";
      case 4:
        return "0.6*" + a;
      case 5:
        return "-1*" + a;
      case 6:
        return a + "^2";
      case 7:
        return a + "^0.5";
      case 8:
        return "exp(" + a + ")";
      case 9:
        return "poly(" + a + ", degree=1, gamma=1, coef0=1)";
      case 10:
        return "poly(" + a + ", degree=2, gamma=0.5, coef0=0)";
      case 11:
        return "center(" + a + ")";
      case 12:
        return "from_cpd(" + a + ")";
      case 13:
        return "normalize(" + a + ")";
      case 14:
        return "rbf_of(" + a + ", gamma=0.8)";
      case 15:
        return a + "[0]";
      case 16:
        return a + "[1, 2]";
      case 17:
        return "transform(" + a + ", matrix=[1, 0.5, 0, 0.2, 1, 0.3], rows=2)";
      case 18:
        return "root(" + a + ")";
      default:
        return random_.below(2) == 0 ? "warp(" + a + ", by=tanh)" : "if_present(" + a + ", weight=0.5)";
    }
  }

 private:
  RandomStream random_;
};

double largest_value(const Matrix<double>& k) {
  double value = 0;
  for (Index i = 0; i < k.rows() * k.columns(); ++i) {
    value = std::max(value, std::abs(k.data()[i]));
  }
  return value;
}

// 1, and the columns of the samples: what conditional kernels of order 1 and 2 need beside them.
Dense law_polynomials(const Samples& samples, int order) {
  const auto& rows = samples.as<DenseRows<double>>();
  Dense p(rows.rows, order == 1 ? 1 : 1 + rows.columns);
  for (Index i = 0; i < rows.rows; ++i) {
    p(i, 0) = 1;
    for (Index c = 0; order > 1 && c < rows.columns; ++c) {
      p(i, c + 1) = rows(i, c);
    }
  }
  return p;
}

double least_eigenvalue(Dense k, const Samples& samples, const Definiteness& claim) {
  k = (k + k.transpose()) / 2;
  if (claim.kind == DefinitenessKind::conditional) {
    const Dense q = law_polynomials(samples, claim.order).column_space();
    const Dense projector = Dense::identity(law_rows) - q * q.transpose();
    k = projector * k * projector;
  }
  return k.eigenvalues()(0);
}

// A division by a length that is nothing but rounding says nothing.
bool divides_by_rounding(const std::string& spec) {
  const std::size_t at = spec.find("normalize(");
  return at != std::string::npos &&
         (spec.find("center(", at) != std::string::npos || spec.find("from_cpd(", at) != std::string::npos);
}

// The expression and samples that suit its leaves; nothing where it is refused or leaves the numbers.
struct LawCase {
  Kernel kernel;
  Samples samples;
  Matrix<double> gram;
};
std::optional<LawCase> law_case(const std::string& spec, std::uint64_t seed) {
  try {
    const Kernel kernel = parse_kernel(spec);
    // Close together, where few kernels are positive definite by their diagonals alone.
    std::vector<double> values = testing::law_values(testing::needs_of(kernel), law_rows, seed);
    std::ranges::transform(values, values.begin(), [](double v) { return 0.5 * v; });
    Samples samples = make_dense(std::move(values), law_rows, testing::law_columns);
    Matrix<double> gram = testing::gram(kernel, samples);
    const double largest = largest_value(gram);
    const bool is_finite =
        std::all_of(gram.data(), gram.data() + law_rows * law_rows, [](double v) { return std::isfinite(v); });
    // center(constant()) is nothing but rounding.
    if (!is_finite || largest > 1e60 || largest < 1e-12 || divides_by_rounding(spec)) {
      return {};
    }
    return LawCase{kernel, std::move(samples), std::move(gram)};
  } catch (const InvalidArgument&) {
    return {};  // root of a kernel that is not known to be nonpositive, columns that are not there
  } catch (const DataError&) {
    return {};  // chi2, say, of a map's negative values
  }
}

void expect_claim(const LawCase& law, const Definiteness& claim) {
  const double scale = largest_value(law.gram) * law_rows;
  if (claim.kind != DefinitenessKind::indefinite) {
    EXPECT_GE(least_eigenvalue(Dense(law.gram), law.samples, claim), -1e-10 * scale) << to_string(claim);
  }
  for (Index i = 0; i < law_rows * law_rows; ++i) {
    if (claim.nonpositive) {
      EXPECT_LE(law.gram.data()[i], 1e-12 * scale);
    }
    if (claim.constant) {
      EXPECT_NEAR(law.gram.data()[i], law.gram.data()[0], 1e-12 * scale);
    }
  }
  if (claim.infinitely_divisible) {
    Matrix<double> power = Matrix<double>::copy_of(law.gram.view());
    for (double t : {0.4, 1.7}) {
      for (Index i = 0; i < law_rows * law_rows; ++i) {
        power.data()[i] = std::pow(law.gram.data()[i], t);
      }
      EXPECT_GE(least_eigenvalue(Dense(power), law.samples, Definiteness::positive()),
                -1e-10 * largest_value(power) * law_rows)
          << t;
    }
  }
}

TEST(DefinitenessLaw, ClaimsOfRandomExpressionsHold) {
  ExpressionDraw draw(11);
  std::map<DefinitenessKind, int> seen;
  int divisible = 0;
  int off_domain = 0;
  for (int e = 0; e < law_expressions; ++e) {
    const std::string spec = draw.kernel(1 + e % 3);
    const std::optional<LawCase> law = law_case(spec, 100 + static_cast<std::uint64_t>(e));
    if (!law) {
      continue;
    }
    SCOPED_TRACE(spec);
    const Definiteness claim = definiteness_on(law->kernel, law->samples, mercer::Run());
    expect_claim(*law, claim);
    ++seen[claim.kind];
    divisible += claim.infinitely_divisible ? 1 : 0;
    off_domain += claim.off_domain.empty() ? 0 : 1;
  }
  EXPECT_GT(seen[DefinitenessKind::positive], 300);
  EXPECT_GT(seen[DefinitenessKind::conditional], 20);
  EXPECT_GT(seen[DefinitenessKind::indefinite], 100);
  EXPECT_GT(divisible, 40);
  EXPECT_GT(off_domain, 20);
}

TEST(DefinitenessLaw, APolynomialOfAKernelIsNotInfinitelyDivisible) {
  const Kernel inner = parse_kernel("poly(rbf(gamma=1), degree=1, gamma=1, coef0=1)");
  EXPECT_TRUE(inner.definiteness().is_positive());
  EXPECT_FALSE(inner.definiteness().infinitely_divisible);
  const Kernel root = parse_kernel("poly(rbf(gamma=1), degree=1, gamma=1, coef0=1)^0.5");
  EXPECT_EQ(root.definiteness().kind, DefinitenessKind::indefinite);
  testing::Points grid;
  for (int i = 0; i < 30; ++i) {
    grid.push_back({0.2 * i});
  }
  const Samples samples = testing::dense(grid);
  EXPECT_LT(testing::smallest_eigenvalue(testing::gram(root, samples)), -1e-3) << "it is one";
  EXPECT_TRUE(parse_kernel("poly(rbf(gamma=1), degree=2, gamma=3, coef0=0)").definiteness().infinitely_divisible);
}

TEST(DefinitenessLaw, ASubscriptCountsItsOwnColumns) {
  const Kernel product = parse_kernel("sobolev(lengthscale=1)[0] * rbf(gamma=1)[1]");
  EXPECT_EQ(product.definiteness().domain.largest_dimension, 0);
  const Kernel mapped =
      parse_kernel("transform(sobolev(lengthscale=1)[0] * rbf(gamma=1)[1], matrix=[1, 2, 0, 1], rows=2)");
  EXPECT_TRUE(mapped.definiteness().is_positive());
  const Samples two = testing::dense({{0.1, 2}, {-1, 0.4}});
  EXPECT_TRUE(definiteness_on(mapped, two, mercer::Run()).is_positive());
  const Definiteness wide = definiteness_on(parse_kernel("sobolev(lengthscale=1)[0, 1]"), two, mercer::Run());
  EXPECT_EQ(wide.kind, DefinitenessKind::indefinite);
  EXPECT_NE(to_string(wide).find("they have 2 columns, and sobolev is positive definite in up to 1 dimension"),
            std::string::npos)
      << to_string(wide);
}

TEST(DefinitenessLaw, AConstantOfAnySignIsConditionallyPositive) {
  const auto of = [](const char* spec) { return parse_kernel(spec).definiteness(); };
  EXPECT_TRUE(of("constant(value=3)").is_positive());
  EXPECT_EQ(of("-3*constant()").order, 1);
  EXPECT_TRUE(of("-3*constant()").nonpositive);
  EXPECT_EQ(of("negative_distance() + -2").order, 1);
  EXPECT_TRUE(of("negative_distance() + -2").nonpositive);
  EXPECT_EQ(of("negative_distance() + 2").order, 1);
  EXPECT_FALSE(of("negative_distance() + 2").nonpositive);
  EXPECT_EQ(of("rbf(gamma=1) + -0.5").order, 1);
  EXPECT_EQ(of("thin_plate() + -2").order, 2);
  EXPECT_EQ(of("constant(value=2) * negative_distance()").order, 1);
  EXPECT_EQ(of("-1*rbf(gamma=1)").kind, DefinitenessKind::indefinite);
  EXPECT_EQ(parse_kernel("negative_distance() + -2").spec(),
            parse_kernel("negative_distance() + -2*constant()").spec());
}

}  // namespace
}  // namespace mercer
