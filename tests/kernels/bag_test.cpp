// Kernels on bags of vectors, against double loops over the vectors and, for the pyramid, the best of all matchings.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stop_token>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/widths.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::cross;
using testing::gram;
using testing::Points;

using Bag = std::vector<std::vector<double>>;
using PointKernel = std::function<double(const std::vector<double>&, const std::vector<double>&)>;

std::vector<Bag> random_bags(std::uint64_t seed, std::size_t n, std::size_t most, std::size_t dimension) {
  RandomStream random(seed, 4);
  std::vector<Bag> bags(n);
  for (std::size_t i = 0; i < n; ++i) {
    bags[i].resize(i == 1 ? 0 : 1 + random.below(most));
    for (auto& point : bags[i]) {
      for (std::size_t c = 0; c < dimension; ++c) {
        point.push_back(random.normal());
      }
    }
  }
  return bags;
}

double gaussian(const std::vector<double>& a, const std::vector<double>& b) {
  double squared = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    squared += (a[c] - b[c]) * (a[c] - b[c]);
  }
  return std::exp(-0.5 * squared);
}

double mean_over_pairs(const Bag& a, const Bag& b, const PointKernel& k) {
  double sum = 0;
  for (const auto& p : a) {
    for (const auto& q : b) {
      sum += k(p, q);
    }
  }
  return a.empty() || b.empty() ? 0.0 : sum / static_cast<double>(a.size() * b.size());
}

double best_of_pairs(const Bag& a, const Bag& b, const PointKernel& k) {
  if (a.empty() || b.empty()) {
    return 0;
  }
  const auto one_way = [&](const Bag& from, const Bag& to) {
    double sum = 0;
    for (const auto& p : from) {
      double best = -1e300;
      for (const auto& q : to) {
        best = std::max(best, k(p, q));
      }
      sum += best;
    }
    return sum / static_cast<double>(from.size());
  };
  return (one_way(a, b) + one_way(b, a)) / 2;
}

void expect_values(const Matrix<double>& k, const std::vector<Bag>& x, const std::vector<Bag>& y,
                   const std::function<double(const Bag&, const Bag&)>& value, double tolerance = 1e-12) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      EXPECT_NEAR(k(static_cast<Index>(i), static_cast<Index>(j)), value(x[i], y[j]), tolerance) << i << " " << j;
    }
  }
}

TEST(MeanMap, IsTheMeanOverAllPairs) {
  // 60 bags of up to 20 vectors: the points fill several tiles of the inner kernel.
  const std::vector<Bag> bags = random_bags(1, 60, 20, 3);
  const auto mean = [](const Bag& a, const Bag& b) { return mean_over_pairs(a, b, gaussian); };
  expect_values(gram("mean_map(rbf(gamma=0.5))", make_bags(bags)), bags, bags, mean);
  expect_values(
      gram("mean_map(rbf(gamma=0.5), form=sum)", make_bags(bags)), bags, bags,
      [&](const Bag& a, const Bag& b) { return mean(a, b) * static_cast<double>(a.size() * b.size()); }, 1e-11);
  expect_values(gram("mean_map(rbf(gamma=0.5)^4)", make_bags(bags)), bags, bags, [](const Bag& a, const Bag& b) {
    return mean_over_pairs(a, b, [](const auto& p, const auto& q) { return std::pow(gaussian(p, q), 4); });
  });
  const std::vector<Bag> others = random_bags(2, 9, 300, 3);
  expect_values(cross(parse_kernel("mean_map(rbf(gamma=0.5))"), make_bags(others), make_bags(bags)), others, bags,
                mean);
  EXPECT_GE(testing::smallest_eigenvalue(gram("mean_map(rbf(gamma=0.5))", make_bags(bags))), -1e-12);
}

TEST(MeanMap, BagsOfOneVectorGiveTheInnerKernelAndUnionsAdd) {
  const std::vector<Bag> bags = random_bags(3, 30, 1, 2);
  std::vector<Bag> singles;
  Points points;
  for (const Bag& bag : bags) {
    if (!bag.empty()) {
      singles.push_back(bag);
      points.push_back(bag[0]);
    }
  }
  const Matrix<double> k = gram("mean_map(matern(nu=1.5, lengthscale=2)[0] + linear())", make_bags(singles));
  const Matrix<double> inner = gram("matern(nu=1.5, lengthscale=2)[0] + linear()", testing::dense(points));
  for (Index i = 0; i < k.rows() * k.columns(); ++i) {
    EXPECT_NEAR(k.data()[i], inner.data()[i], 1e-13);
  }
  Bag both = bags[0];
  both.insert(both.end(), bags[2].begin(), bags[2].end());
  const Matrix<double> sums =
      gram("mean_map(rbf(gamma=1), form=sum)", make_bags(std::vector<Bag>{both, bags[0], bags[2], bags[5]}));
  EXPECT_NEAR(sums(0, 3), sums(1, 3) + sums(2, 3), 1e-13);
}

TEST(MeanMap, WeightsCountVectors) {
  // Weight 3 is three times the vector; weight 0 is none.
  const std::vector<Bag> weighted = {{{0.3, 3, 1.5}, {-1, 0, 7}, {2, 1, 0.1}}, {{1, 1, 1}, {0, 2, -1}}};
  const std::vector<Bag> repeated = {{{0.3, 1.5}, {0.3, 1.5}, {0.3, 1.5}, {2, 0.1}}, {{1, 1}, {0, -1}, {0, -1}}};
  for (const char* form : {"mean", "sum"}) {
    const std::string end = std::string("form=") + form + ")";
    const Matrix<double> a = gram("mean_map(rbf(gamma=0.2), weights=1, " + end, make_bags(weighted));
    const Matrix<double> b = gram("mean_map(rbf(gamma=0.2), " + end, make_bags(repeated));
    for (Index i = 0; i < 4; ++i) {
      EXPECT_NEAR(a.data()[i], b.data()[i], 1e-14) << form;
    }
  }
  const std::vector<Bag> negative = {{{1, -1}, {2, 1}}};
  EXPECT_ERROR(gram("mean_map(linear(), weights=1)", make_bags(negative)), DataError,
               "mean_map: bag 0 holds the weight -1");
  EXPECT_NEAR(gram("mean_map(linear(), weights=1, form=sum)", make_bags(negative))(0, 0), 1.0, 1e-15);  // (−1·1 + 1·2)²
  EXPECT_ERROR(gram("mean_map(linear(), weights=2)", make_bags(negative)), InvalidArgument,
               "mean_map: weights = 2: the vectors have the columns 0 … 1");
  EXPECT_EQ(gram("mean_map(linear(), weights=1)", make_bags(std::vector<Bag>{{{5, 0}}}))(0, 0), 0);
}

// The energy distance: −|a − b| is conditional, and so is its mean over pairs as long as every bag has a mean.
TEST(MeanMap, OfAConditionalKernelIsConditional) {
  std::vector<Bag> bags = random_bags(9, 20, 6, 2);
  const char* const spec = "mean_map(negative_distance(beta=1))";
  EXPECT_ERROR(gram(spec, make_bags(bags)), DataError,
               "mean_map: bag 1 is empty, and negative_distance(beta=1) compares means of");
  bags.erase(bags.begin() + 1);
  EXPECT_EQ(parse_kernel(spec).definiteness(), Definiteness::conditional(1));
  EXPECT_EQ(parse_kernel("mean_map(negative_distance(beta=1), form=sum)").definiteness().kind,
            DefinitenessKind::indefinite);
  EXPECT_GE(testing::smallest_eigenvalue(gram("rbf_of(mean_map(negative_distance(beta=1)), gamma=1)", make_bags(bags))),
            -1e-12);
}

TEST(MeanMap, GaussianOfTheDiscrepancy) {
  const std::vector<Bag> bags = random_bags(5, 12, 8, 2);
  expect_values(
      gram("rbf_of(mean_map(rbf(gamma=0.5)), gamma=3)", make_bags(bags)), bags, bags, [](const Bag& a, const Bag& b) {
        const double squared =
            mean_over_pairs(a, a, gaussian) + mean_over_pairs(b, b, gaussian) - 2 * mean_over_pairs(a, b, gaussian);
        return std::exp(-3 * squared);
      });
}

TEST(MeanMap, WidthsComeFromTheVectors) {
  const std::vector<Bag> bags = random_bags(6, 10, 6, 2);
  Points points;
  for (const Bag& bag : bags) {
    points.insert(points.end(), bag.begin(), bag.end());
  }
  for (const char* rule : {"scale", "auto", "median"}) {
    const std::string inner = std::string("rbf(gamma=") + rule + ")";
    const Kernel of_bags = resolve_widths(parse_kernel("mean_map(" + inner + ")"), make_bags(bags), mercer::Run());
    const Kernel of_points = resolve_widths(parse_kernel(inner), testing::dense(points), mercer::Run());
    EXPECT_EQ(of_bags.spec(), "mean_map(" + of_points.spec() + ", form=mean)");
  }
  EXPECT_EQ(parse_kernel("mean_map()").spec(), parse_kernel("mean_map(rbf())").spec());
}

TEST(BestMatch, IsTheMeanOfTheBestPartners) {
  const std::vector<Bag> bags = random_bags(7, 40, 25, 2);
  expect_values(gram("best_match(rbf(gamma=0.5))", make_bags(bags)), bags, bags,
                [](const Bag& a, const Bag& b) { return best_of_pairs(a, b, gaussian); });
  const std::vector<Bag> large = random_bags(8, 4, 700, 2);
  expect_values(cross(parse_kernel("best_match(rbf(gamma=0.5))"), make_bags(large), make_bags(bags)), large, bags,
                [](const Bag& a, const Bag& b) { return best_of_pairs(a, b, gaussian); });
}

TEST(BestMatch, IsNotPositive) {
  EXPECT_EQ(parse_kernel("best_match(rbf(gamma=1))").definiteness().kind, DefinitenessKind::indefinite);
  double smallest = 0;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    RandomStream random(seed, 9);
    std::vector<Bag> bags(8);
    for (Bag& bag : bags) {
      for (auto size = 1 + random.below(6); size > 0; --size) {
        bag.push_back({3 * static_cast<double>(random.below(5))});
      }
    }
    smallest = std::min(smallest, testing::smallest_eigenvalue(gram("best_match(rbf(gamma=10))", make_bags(bags))));
  }
  EXPECT_LT(smallest, -0.01);
}

// The value of the best one-to-one matching, tried exhaustively; similarity 2^−i, i the first level with a common cell.
double best_matching(const Bag& a, const Bag& b, std::size_t next, std::vector<bool>& taken,
                     const std::function<double(const std::vector<double>&, const std::vector<double>&)>& similarity) {
  if (next == a.size()) {
    return 0;
  }
  double best = best_matching(a, b, next + 1, taken, similarity);
  for (std::size_t q = 0; q < b.size(); ++q) {
    if (!taken[q]) {
      taken[q] = true;
      best = std::max(best, similarity(a[next], b[q]) + best_matching(a, b, next + 1, taken, similarity));
      taken[q] = false;
    }
  }
  return best;
}

double pyramid_similarity(const std::vector<double>& p, const std::vector<double>& q, double side, int levels) {
  for (int level = 0; level < levels; ++level) {
    bool same = true;
    for (std::size_t c = 0; c < p.size(); ++c) {
      const double width = side * std::pow(2.0, level);
      same = same && std::floor(p[c] / width) == std::floor(q[c] / width);
    }
    if (same) {
      return std::pow(2.0, -level);
    }
  }
  return 0;
}

TEST(PyramidMatch, IsTheBestMatchingOfItsCells) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const std::vector<Bag> bags = random_bags(seed, 14, 5, 2);
    const auto matched = [](const Bag& a, const Bag& b) {
      std::vector<bool> taken(b.size(), false);
      return best_matching(a, b, 0, taken,
                           [](const auto& p, const auto& q) { return pyramid_similarity(p, q, 0.125, 6); });
    };
    expect_values(gram("pyramid_match(side=0.125, levels=6, form=plain)", make_bags(bags)), bags, bags, matched);
    expect_values(
        gram("pyramid_match(side=0.125, levels=6)", make_bags(bags)), bags, bags, [&](const Bag& a, const Bag& b) {
          return a.empty() || b.empty() ? 0.0 : matched(a, b) / std::sqrt(static_cast<double>(a.size() * b.size()));
        });
  }
}

// Bags of equal size within one coarsest cell: a match at level i joins vectors less than 2^i side apart in every
// coordinate, so the cost of the pyramid's matching bounds that of the cheapest.
TEST(PyramidMatch, BoundsTheCheapestMatching) {
  RandomStream random(21, 0);
  for (int trial = 0; trial < 10; ++trial) {
    std::vector<Bag> bags(2, Bag(5, std::vector<double>(2)));
    for (Bag& bag : bags) {
      for (auto& point : bag) {
        point = {random.uniform(), random.uniform()};
      }
    }
    std::vector<bool> taken(5, false);
    const double cheapest = -best_matching(bags[0], bags[1], 0, taken, [](const auto& p, const auto& q) {
      return std::max(std::abs(p[0] - q[0]), std::abs(p[1] - q[1])) * -1 + 10;
    }) + 50;
    // I_i from the differences of pyramids of i and i + 1 levels would hide an error of the weights; count instead.
    double bound = 0;
    double matched = 0;
    for (int level = 0; level < 6; ++level) {
      const double side = std::ldexp(1.0, level - 5);
      const double here =
          gram("pyramid_match(levels=1, form=plain, side=" + std::to_string(side) + ")", make_bags(bags))(0, 1);
      bound += (here - matched) * side;
      matched = here;
    }
    EXPECT_NEAR(matched, 5, 1e-12);
    EXPECT_LE(cheapest, bound);
  }
}

TEST(PyramidMatch, ShiftsAreReproducibleAndSmooth) {
  // Two vectors on either side of a border, a hair apart: one grid splits them at every level, shifted ones do not.
  const Samples bags = make_bags(std::vector<Bag>{{{-1e-3}}, {{1e-3}}});
  EXPECT_EQ(gram("pyramid_match(side=0.5, levels=3)", bags)(0, 1), 0);
  EXPECT_EQ(gram("pyramid_match(side=0.5, levels=3, origin=-0.1)", bags)(0, 1), 1);
  const double smooth = gram("pyramid_match(side=0.5, levels=3, shifts=200, seed=4)", bags)(0, 1);
  EXPECT_GT(smooth, 0.95);
  EXPECT_EQ(smooth, gram("pyramid_match(side=0.5, levels=3, shifts=200, seed=4)", bags)(0, 1));
  // Averaged over the shifts, one level of cells gives 1 − |x − y|/side in one dimension.
  const Samples apart = make_bags(std::vector<Bag>{{{0.2}}, {{0.5}}});
  EXPECT_NEAR(gram("pyramid_match(side=1, levels=1, shifts=10000, seed=1)", apart)(0, 1), 0.7, 0.02);
}

TEST(PyramidMatch, TheSideComesFromTheData) {
  const Samples bags = make_bags(std::vector<Bag>{{{-1, 0}, {3, 1}}, {}, {{0, 0.5}}});
  const auto side = [&](const std::string& rule) {
    return resolve_widths(parse_kernel("pyramid_match(levels=4, side=" + rule + ")"), bags, mercer::Run())
        .node()
        .parameters()
        .number("side");
  };
  // 4 / 2^3, and a thousandth more: a cell of width 4 is open on the right and cannot hold -1 and 3.
  EXPECT_EQ(side("scale"), 0.5 * (1 + 1.0 / 1024));
  EXPECT_EQ(side("auto"), 1);
  EXPECT_NEAR(side("median"), 2 * std::sqrt(9.25) / 8, 1e-14);  // d² = 1.25, 9.25, 17
  const Samples constant = make_bags(std::vector<Bag>{{{2, 2}}, {{2, 2}, {2, 2}}});
  const Kernel kernel = resolve_widths(parse_kernel("pyramid_match"), constant, mercer::Run());
  EXPECT_NEAR(gram(kernel, constant)(0, 1), 1 / std::sqrt(2.0), 1e-14);
}

// With the default side, one cell of the coarsest grid holds all training vectors, wherever they lie: every vector of
// the smaller bag finds a partner, and the value is at most that of the best matching by distances.
TEST(PyramidMatch, TheCoarsestCellHoldsAllTrainingData) {
  const Samples pair = make_bags(std::vector<Bag>{{{-1e-3}}, {{1e-3}}, {{-1}, {1}}, {{0}}});
  const Kernel resolved = resolve_widths(parse_kernel("pyramid_match(levels=4, form=plain)"), pair, mercer::Run());
  EXPECT_EQ(parse_kernel(resolved.spec()).spec(), resolved.spec());
  const Matrix<double> hair = gram(resolved, pair);
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 4; ++j) {
      EXPECT_GE(hair(i, j), 1.0 / 8) << i << "," << j;  // at least one match, at the last level at the latest
    }
  }
  RandomStream random(5, 0);
  for (const double offset : {0.0, -0.5, 1000.0}) {
    std::vector<Bag> bags(2, Bag(5, std::vector<double>(2)));
    for (Bag& bag : bags) {
      for (auto& point : bag) {
        point = {offset + random.uniform(), offset + random.uniform()};
      }
    }
    const int levels = 6;
    const Samples samples = make_bags(bags);
    const Kernel kernel = resolve_widths(parse_kernel("pyramid_match(levels=6, form=plain)"), samples, mercer::Run());
    const double side = kernel.node().parameters().number("side");
    // A match that counts 2^-i is of vectors at most 2^i side apart: no more than side/d.
    const double value = gram(kernel, samples)(0, 1);
    std::vector<bool> taken(5, false);
    const double best = best_matching(bags[0], bags[1], 0, taken, [&](const auto& p, const auto& q) {
      const double distance = std::max(std::abs(p[0] - q[0]), std::abs(p[1] - q[1]));
      return std::min(1.0, side / distance);
    });
    EXPECT_GE(value, 5 * std::ldexp(1.0, 1 - levels));
    EXPECT_LE(value, best);
  }
}

TEST(BagKernels, RefuseWhatTheyCannotCompare) {
  const Samples bags = make_bags(std::vector<Bag>{{{1, 2}}, {{0, 1}}});
  const Samples wide = make_bags(std::vector<Bag>{{{1, 2, 3}}});
  const Samples broken = make_bags(std::vector<Bag>{{{1, 2}}, {{0, std::nan("")}}});
  const Samples empty = make_bags(std::vector<Bag>{{}, {}});
  for (const char* spec : {"mean_map(rbf(gamma=1))", "best_match(rbf(gamma=1)[0])", "pyramid_match(side=1)"}) {
    const Kernel kernel = parse_kernel(spec);
    EXPECT_ERROR(gram(kernel, testing::dense({{1, 2}})), InvalidArgument, "compares bags of vectors") << spec;
    EXPECT_ERROR(gram(kernel, broken), DataError, "bag 1, vector 0, component 1 is not finite") << spec;
    if (std::string(spec).find('[') == std::string::npos) {
      EXPECT_ERROR(cross(kernel, wide, bags), DataError, " 3 co") << spec;
    }
    const Matrix<double> k = cross(kernel, empty, bags);
    for (Index i = 0; i < 4; ++i) {
      EXPECT_EQ(k.data()[i], 0) << spec;
    }
  }
  EXPECT_ERROR(resolve_widths(parse_kernel("mean_map()"), testing::dense({{1, 2}}), mercer::Run()), InvalidArgument,
               "mean_map compares bags of vectors");
  EXPECT_ERROR(parse_kernel("pyramid_match(levels=61)"), InvalidArgument,
               "pyramid_match: at most 60 levels and 10000 shifts");
  const Samples many = make_bags(std::vector<Bag>{Bag(4000, {1, 2})});
  EXPECT_ERROR(gram("pyramid_match(side=1, levels=60, shifts=10000)", many), InvalidArgument,
               "pyramid_match: 4000 vectors in 60 levels and 10000 shifts have more features");
}

TEST(BagKernels, StopWithinATile) {
  const Samples bags = make_bags(random_bags(32, 5, 4, 2));
  for (const char* spec : {"mean_map(rbf(gamma=1))", "best_match(rbf(gamma=1))"}) {
    const Kernel kernel = parse_kernel(spec);
    const PreparedKernel prepared(kernel, bags, Precision::double_precision, mercer::Run());
    std::stop_source source;
    const auto rows = prepared.prepare(bags, mercer::Run{{.stop = source.get_token()}});
    source.request_stop();
    Workspace workspace;
    TileContext<double> context(*rows, {0, 5}, prepared.reference(), {0, 5}, workspace);
    Matrix<double> k(5, 5);
    EXPECT_ERROR(kernel.node().tile(context, k.view()), Stopped, "stopped on request") << spec;
  }
}

// Far apart or enormous numbers: cells without number, never a NaN.
TEST(PyramidMatch, HugeNumbersStayFinite) {
  const Samples bags = make_bags(std::vector<Bag>{{{1e300, -1e300}}, {{1e-300, 0}}, {{1e300, -1e300}}});
  const Matrix<double> k = gram("pyramid_match(side=1e-300)", bags);
  for (Index i = 0; i < 9; ++i) {
    EXPECT_TRUE(std::isfinite(k.data()[i]));
  }
  EXPECT_NEAR(k(0, 2), 1, 1e-14);
}

TEST(BagKernels, SliceAndSelectionAreTheirBags) {
  const std::vector<Bag> bags = random_bags(31, 20, 6, 2);
  const Samples all = make_bags(bags);
  for (const char* spec : {"mean_map(rbf(gamma=0.5))", "best_match(rbf(gamma=0.5))", "pyramid_match(side=0.1)"}) {
    const Matrix<double> k = gram(spec, all);
    const Matrix<double> slice = gram(spec, all.slice({7, 15}));
    const std::vector<Index> numbers = {3, 1, 12, 3};
    const Matrix<double> chosen = gram(spec, all.select(numbers));
    for (Index i = 0; i < 8; ++i) {
      for (Index j = 0; j < 8; ++j) {
        EXPECT_NEAR(slice(i, j), k(7 + i, 7 + j), 1e-13) << spec;
        if (i < 4 && j < 4) {
          EXPECT_NEAR(chosen(i, j), k(numbers[i], numbers[j]), 1e-13) << spec;
        }
      }
    }
  }
}

}  // namespace
}  // namespace mercer
