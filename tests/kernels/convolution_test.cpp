// R-convolutions of user code, against products, the ANOVA kernel and substring counts.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/set/convolution.h"
#include "mercer/kernels/widths.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::cross;
using testing::dense;
using testing::gram;
using testing::Points;

Points random_points(std::size_t n, std::size_t dimension) {
  RandomStream random(41, n);
  Points points(n, std::vector<double>(dimension));
  for (auto& point : points) {
    for (double& value : point) {
      value = random.normal();
    }
  }
  return points;
}

// The coordinates of a vector: one way to make it, one part per coordinate.
Decompositions into_coordinates(const Samples& samples) {
  Decompositions found;
  for (Index i = 0; i < samples.size(); ++i) {
    found.offsets.push_back(i + 1);
  }
  for (Index c = 0; c < samples.columns(); ++c) {
    found.parts.push_back(select_columns(samples, {{ColumnSpan{c, c + 1}}}));
  }
  return found;
}

void expect_equal(const Matrix<double>& a, const Matrix<double>& b, double tolerance = 1e-13) {
  ASSERT_EQ(a.rows(), b.rows());
  for (Index i = 0; i < a.rows() * a.columns(); ++i) {
    EXPECT_NEAR(a.data()[i], b.data()[i], tolerance * std::max(1.0, std::abs(b.data()[i])));
  }
}

TEST(Convolution, OneDecompositionGivesTheProduct) {
  const Samples x = dense(random_points(30, 3));
  const Kernel k = convolution(
      "coordinates", into_coordinates,
      {parse_kernel("rbf(lengthscale=1)"), parse_kernel("rbf(lengthscale=2)"), parse_kernel("rbf(lengthscale=0.5)")});
  // Gaussians of the coordinates: a Gaussian with a width per coordinate.
  expect_equal(gram(k, x), gram("rbf(lengthscale=[1, 2, 0.5])", x));
  const Samples other = dense(random_points(7, 3));
  expect_equal(cross(k, other, x), cross(parse_kernel("rbf(lengthscale=[1, 2, 0.5])"), other, x));
  EXPECT_TRUE(k.definiteness().is_positive());
}

TEST(Convolution, GradientsAndWidthsReachTheParts) {
  const Samples x = dense(random_points(12, 2));
  const Kernel k =
      convolution("coordinates", into_coordinates, {parse_kernel("rbf(gamma=0.5)"), parse_kernel("rbf(gamma=2)")});
  ASSERT_EQ(k.node().scale_count(), 2);
  const PreparedKernel prepared(k, x, Precision::double_precision, mercer::Run());
  Workspace workspace;
  TileContext<double> context(prepared.reference(), {0, 12}, prepared.reference(), {0, 12}, workspace);
  const Matrix<double> q = Matrix<double>::filled(12, 12, 1.0);
  std::vector<double> gradient(2, 0.0);
  k.node().contract(context, q.view(), gradient);
  const auto total = [&](double first, double second) {
    const Matrix<double> moved = gram(k.with_scale_parameters(std::vector<double>{first, second}), x);
    double sum = 0;
    for (Index i = 0; i < 144; ++i) {
      sum += moved.data()[i];
    }
    return sum;
  };
  EXPECT_NEAR(gradient[0], (total(0.50001, 2) - total(0.49999, 2)) / 2e-5, 1e-6);
  EXPECT_NEAR(gradient[1], (total(0.5, 2.00001) - total(0.5, 1.99999)) / 2e-5, 1e-6);
  const Kernel widths = convolution("coordinates", into_coordinates, {parse_kernel("rbf()"), parse_kernel("rbf()")});
  const Kernel resolved = resolve_widths(widths, x, mercer::Run());
  EXPECT_TRUE(resolved.is_resolved());
  expect_equal(gram(resolved, x), gram(resolve_widths(parse_kernel("rbf()[0] * rbf()[1]"), x, mercer::Run()), x));
}

// Two different coordinates in order, each as (its number, its value): the ANOVA kernel of degree 2.
Decompositions into_pairs(const Samples& samples) {
  Decompositions found;
  std::vector<std::int32_t> numbers[2];
  std::vector<double> values[2];
  const auto& rows = samples.as<DenseRows<double>>();
  for (Index i = 0; i < rows.rows; ++i) {
    for (Index a = 0; a < rows.columns; ++a) {
      for (Index b = a + 1; b < rows.columns; ++b) {
        const Index ends[2] = {a, b};
        for (std::size_t d = 0; d < 2; ++d) {
          numbers[d].push_back(static_cast<std::int32_t>(ends[d]));
          values[d].push_back(rows(i, ends[d]));
        }
      }
    }
    found.offsets.push_back(static_cast<Index>(values[0].size()));
  }
  for (std::size_t d = 0; d < 2; ++d) {
    const auto count = static_cast<Index>(values[d].size());
    found.parts.push_back(make_categories(numbers[d], {"0", "1", "2", "3", "4"}));
    found.parts.push_back(make_dense(values[d], count, 1));
  }
  return found;
}

TEST(Convolution, DistinctCoordinatesGiveTheAnovaKernel) {
  const Samples x = dense(random_points(20, 5));
  const Kernel same = parse_kernel("delta()");
  const Kernel near = parse_kernel("rbf(gamma=0.7)");
  expect_equal(gram(convolution("anova", into_pairs, {same, near, same, near}), x),
               gram("anova(degree=2, gamma=0.7)", x));
}

// All substrings of length k of a string, as categories.
Decompositions into_words(const Samples& samples, std::size_t length) {
  Decompositions found;
  std::vector<std::string> words;
  const auto& rows = samples.as<StringRows>();
  for (Index i = 0; i < rows.rows; ++i) {
    for (std::size_t at = 0; at + length <= rows[i].size(); ++at) {
      words.emplace_back(rows[i].substr(at, length));
    }
    found.offsets.push_back(static_cast<Index>(words.size()));
  }
  found.parts.push_back(make_strings(words));
  return found;
}

TEST(Convolution, SubstringsGiveTheSpectrumAndNothingGivesZero) {
  const Samples x = make_strings(std::vector<std::string>{"ACGTACG", "CGT", "", "A", "GTACGTTACG"});
  // Words of length 2 are equal where they share a word of length 2.
  const Kernel k =
      convolution("words", [](const Samples& all) { return into_words(all, 2); }, {parse_kernel("spectrum(k=2)")});
  const Matrix<double> found = gram(k, x);
  expect_equal(found, gram("spectrum(k=2)", x));
  for (Index j = 0; j < 5; ++j) {
    EXPECT_EQ(found(2, j), 0);
    EXPECT_EQ(found(3, j), 0);
  }
  // Alone, samples without a decomposition say nothing of the kind of the parts.
  const Samples nothing = make_strings(std::vector<std::string>{"", "C"});
  EXPECT_EQ(cross(k, nothing, x)(1, 0), 0);
  expect_equal(gram(make_kernel("normalize", {}, {k}), x), gram("normalize(spectrum(k=2))", x));
}

TEST(Convolution, RefusesWhatDoesNotFit) {
  const Samples x = dense(random_points(4, 2));
  const Kernel rbf = parse_kernel("rbf(gamma=1)");
  EXPECT_ERROR(convolution("", into_coordinates, {rbf}), InvalidArgument,
               "convolution: a name, a function and at least one kernel are needed");
  EXPECT_ERROR(convolution("k", {}, {rbf}), InvalidArgument,
               "convolution: a name, a function and at least one kernel are needed");
  EXPECT_ERROR(convolution("k", into_coordinates, {}), InvalidArgument,
               "convolution: a name, a function and at least one kernel are needed");
  EXPECT_ERROR(gram(convolution("k", into_coordinates, {rbf}), x), InvalidArgument,
               "convolution 'k': the decompositions have 2 parts where the kernel compares 1");
  const auto broken = [](std::vector<Index> offsets) {
    return [offsets](const Samples& samples) { return Decompositions{offsets, {samples}}; };
  };
  for (const std::vector<Index>& offsets :
       std::vector<std::vector<Index>>{{0, 4}, {0, 1, 2, 3, 5}, {1, 1, 2, 3, 4}, {0, 3, 2, 3, 4}, {}}) {
    EXPECT_ERROR(gram(convolution("k", broken(offsets), {rbf}), x), InvalidArgument,
                 "convolution 'k': the decompositions need 5 offsets that ascend from 0 to");
  }
}

}  // namespace
}  // namespace mercer
