// Kernels on images and histograms of images, against their definitions.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::value;

struct Shape {
  int height;
  int width;
};

// (Σ_c (Σ_p max(q − ‖c−p‖_∞, 0) x_p y_p)^d1)^d2 over centres up to `beyond` pixels outside.
double local_image_value(const std::vector<double>& x, const std::vector<double>& y, Shape shape, int q, int d1, int d2,
                         int beyond) {
  double sum = 0;
  for (int i = -beyond; i < shape.height + beyond; ++i) {
    for (int j = -beyond; j < shape.width + beyond; ++j) {
      double z = 0;
      for (int a = 0; a < shape.height; ++a) {
        for (int b = 0; b < shape.width; ++b) {
          const auto p = static_cast<std::size_t>(a * shape.width + b);
          z += std::max(q - std::max(std::abs(i - a), std::abs(j - b)), 0) * x[p] * y[p];
        }
      }
      sum += std::pow(z, d1);
    }
  }
  return std::pow(sum, d2);
}

std::vector<double> random_image(RandomStream& random, int pixels) {
  std::vector<double> image(pixels);
  for (double& pixel : image) {
    pixel = random.normal();
  }
  return image;
}

TEST(LocalImage, HasTheKnownValues) {
  const std::vector<double> ones(9, 1.0);
  EXPECT_NEAR(value("local_image(q=2, d1=2, d2=1)", ones, ones), 396, 1e-10);
  EXPECT_NEAR(value("local_image(q=3, d1=1, border=extended)", ones, ones), 35.0 * 9, 1e-10);
  EXPECT_NEAR(value("local_image(width=1, q=3, d1=1, d2=3, border=extended)", {0.5}, {2}), 35.0 * 35 * 35, 1e-8);
}

TEST(LocalImage, IsItsDefinitionForEveryShape) {
  RandomStream random(1);
  for (const Shape shape : {Shape{3, 5}, Shape{5, 3}, Shape{1, 7}, Shape{6, 1}, Shape{4, 4}}) {
    const int pixels = shape.height * shape.width;
    for (int q = 1; q <= 4; ++q) {
      const std::vector<double> x = random_image(random, pixels);
      const std::vector<double> y = random_image(random, pixels);
      const std::string head = "local_image(width=" + std::to_string(shape.width) + ", q=" + std::to_string(q);
      const double inside = local_image_value(x, y, shape, q, 3, 2, 0);
      const double extended = local_image_value(x, y, shape, q, 2, 1, q - 1);
      EXPECT_NEAR(value(head + ", d1=3, d2=2)", x, y), inside, 1e-9 * std::max(1.0, std::abs(inside)));
      EXPECT_NEAR(value(head + ", d1=2, border=extended)", x, y), extended, 1e-11 * std::max(1.0, extended));
    }
  }
}

TEST(LocalImage, ManyImagesAtOnceAreThePairs) {
  RandomStream random(2);
  std::vector<std::vector<double>> images;
  for (int i = 0; i < 37; ++i) {  // more than one group of lanes, and not a whole number of them
    images.push_back(random_image(random, 12));
  }
  const Matrix<double> k = testing::gram("local_image(q=2)", testing::dense(images));
  for (Index i = 0; i < 37; i += 3) {
    for (Index j = 0; j < 37; ++j) {
      // Twelve pixels are three rows of four.
      const double pair = local_image_value(images[i], images[j], {3, 4}, 2, 2, 1, 0);
      EXPECT_NEAR(k(i, j), pair, 1e-10 * std::max(1.0, pair));
    }
  }
}

TEST(LocalImage, PixelsThatFillNoRowsAreRefused) {
  EXPECT_ERROR(value("local_image(width=4)", std::vector<double>(9, 1.0), std::vector<double>(9, 1.0)), DataError,
               "local_image: 9 pixels cannot be cut into rows of width=4");
  EXPECT_ERROR(parse_kernel("local_image(q=1000)"), InvalidArgument, "kernel spec: local_image: q = 1000");
  EXPECT_ERROR(parse_kernel("local_image(q=0)"), InvalidArgument, "kernel spec: local_image: q = 0");
}

TEST(LocalImage, HasCostlyPairs) {
  EXPECT_TRUE(parse_kernel("normalize(local_image(q=2))").node().has_costly_pairs()) << "tiles are cut small";
}

TEST(HistogramKernels, AreTheirFormulas) {
  const std::vector<double> x = {0.5, 0, 0.25, 0.25};
  const std::vector<double> y = {0.125, 0.5, 0, 0.375};
  const std::vector<double> half = {0.5, 0.5};
  const std::vector<double> whole = {1, 0};
  EXPECT_NEAR(value("hellinger()", x, y), std::sqrt(0.0625) + std::sqrt(0.09375), 1e-15);
  EXPECT_NEAR(value("hellinger()", x, x), 1, 1e-15);
  double shannon = 0;
  double intersection = 0;
  for (std::size_t c = 0; c < 4; ++c) {
    shannon += (x[c] > 0 ? x[c] / 2 * std::log2((x[c] + y[c]) / x[c]) : 0) +
               (y[c] > 0 ? y[c] / 2 * std::log2((x[c] + y[c]) / y[c]) : 0);
    intersection += std::min(std::pow(x[c], 0.3), std::pow(y[c], 0.3));
  }
  EXPECT_NEAR(value("jensen_shannon()", x, y), shannon, 1e-15);
  EXPECT_NEAR(value("jensen_shannon()", x, x), 1, 1e-15);
  // 1 − the divergence of (½, ½) and (1, 0): 1 − (H(¾, ¼) − ½).
  EXPECT_NEAR(value("jensen_shannon()", half, whole), 1.5 - (2 - 0.75 * std::log2(3.0)), 1e-15);
  EXPECT_NEAR(value("generalized_intersection(beta=0.3)", x, y), intersection, 1e-15);
  EXPECT_NEAR(value("generalized_intersection(beta=1)", x, y), value("intersection()", x, y), 1e-15);
  EXPECT_NEAR(value("generalized_intersection(beta=2)", {-3, 1}, {2, -0.5}), 4.25, 1e-15);
  EXPECT_ERROR(value("hellinger()", {-1, 2}, {1, 2}), DataError, "the kernel hellinger needs non-negative inputs");
  EXPECT_ERROR(value("jensen_shannon()", {-1, 2}, {1, 2}), DataError,
               "the kernel jensen_shannon needs non-negative inputs");
}

}  // namespace
}  // namespace mercer
