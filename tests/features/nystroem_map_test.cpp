// Nyström features: exact where they must be, from below elsewhere, and better from chosen landmarks than from drawn ones.
#include "mercer/features/nystroem_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "data/temporary_folder.h"
#include "features/feature_problem.h"
#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/data/scaling.h"
#include "mercer/features/landmarks.h"
#include "mercer/features/map_error.h"
#include "mercer/kernels/widths.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using feature_test::random_matrix;

constexpr LandmarkRule every_rule[] = {LandmarkRule::uniform, LandmarkRule::kmeans, LandmarkRule::leverage,
                                       LandmarkRule::pivots, LandmarkRule::greedy};

// tr(K − ZZᵀ) / tr K for a kernel with k(x, x) = 1.
double trace_error(const Kernel& kernel, const Samples& x, Index count, LandmarkRule rule, std::uint64_t seed) {
  const mercer::Run run{{.threads = 2, .seed = seed}};
  const Landmarks landmarks = choose_landmarks(kernel, x, {.count = count, .rule = rule}, run);
  const auto map = nystroem_map(kernel, landmarks.samples, 1e-12, run).map;
  Matrix<double> z(x.size(), map->columns());
  map->transform(x, z.view(), run);
  double explained = 0;
  for (Index i = 0; i < x.size() * z.columns(); ++i) {
    explained += z.data()[i] * z.data()[i];
  }
  return 1 - explained / static_cast<double>(x.size());
}

TEST(NystroemMap, IsExactAtFullRank) {
  const Samples x = make_dense(random_matrix(40, 3, 1));
  for (const char* name : {"rbf(gamma=1)", "matern(nu=0.5, lengthscale=1)", "linear() + 1*constant()"}) {
    const Kernel kernel = parse_kernel(name);
    const auto map = nystroem_map(kernel, x, 1e-13, {}).map;
    EXPECT_LT(estimate_map_error(kernel, *map, x, 40, {}).largest, 1e-9) << name;
  }
  // Four dimensions are enough for a linear kernel with a constant.
  EXPECT_EQ(nystroem_map(parse_kernel("linear() + 1*constant()"), x, 1e-10, {}).map->columns(), 4);
}

// A kernel of rank 4 needs 4 landmarks, by any rule that finds independent ones.
TEST(NystroemMap, IsExactWhereTheLandmarksSpanTheRows) {
  const Samples x = make_dense(random_matrix(60, 3, 2));
  const Kernel kernel = parse_kernel("linear() + 1*constant()");
  for (const LandmarkRule rule : every_rule) {
    const Landmarks landmarks = choose_landmarks(kernel, x, {.count = 6, .rule = rule}, {});
    const auto map = nystroem_map(kernel, landmarks.samples, 1e-10, {}).map;
    EXPECT_EQ(map->columns(), 4) << word_of(rule);
    EXPECT_LT(estimate_map_error(kernel, *map, x, 60, {}).largest, 1e-9) << word_of(rule);
  }
}

TEST(NystroemMap, ApproximatesFromBelow) {
  const Samples x = make_dense(random_matrix(80, 2, 3));
  for (const LandmarkRule rule : every_rule) {
    const double error = trace_error(parse_kernel("rbf(gamma=1)"), x, 10, rule, 1);
    EXPECT_GT(error, 0) << word_of(rule);
    EXPECT_LT(error, 0.9) << word_of(rule);
  }
}

TEST(NystroemMap, TakesCategoriesAndRefusesKernelsOfTheWholeSet) {
  std::vector<std::string> words;
  for (int i = 0; i < 60; ++i) {
    words.push_back("level " + std::to_string(i * 37 % 7));
  }
  const Samples categories = make_categories(words);
  const Kernel kernel = parse_kernel("hamming()");
  for (const LandmarkRule rule : {LandmarkRule::pivots, LandmarkRule::greedy, LandmarkRule::leverage}) {
    const Landmarks landmarks = choose_landmarks(kernel, categories, {.count = 40, .rule = rule}, {});
    const auto map = nystroem_map(kernel, landmarks.samples, 1e-10, {}).map;
    EXPECT_EQ(map->columns(), 7);
    EXPECT_LT(estimate_map_error(kernel, *map, categories, 60, {}).largest, 1e-9);
  }
  EXPECT_ERROR(choose_landmarks(kernel, categories, {.count = 3, .rule = LandmarkRule::kmeans}, {}), DataError,
               "landmarks=kmeans takes means of numeric columns");
  EXPECT_ERROR(nystroem_map(parse_kernel("center(rbf(gamma=1))"), make_dense(random_matrix(5, 2, 4)), 1e-10, {}),
               InvalidArgument, "nystroem: the values of center(rbf(gamma=1)) depend on all training samples");
}

TEST(Landmarks, AreDistinctRowsTheSameForAnyNumberOfThreads) {
  const Samples x = make_dense(random_matrix(300, 3, 5));
  const Kernel kernel = parse_kernel("rbf(gamma=0.7)");
  for (const LandmarkRule rule : every_rule) {
    const LandmarkOptions options{.count = 20, .rule = rule};
    const Landmarks one = choose_landmarks(kernel, x, options, mercer::Run{{.threads = 1, .seed = 3}});
    const Landmarks three = choose_landmarks(kernel, x, options, mercer::Run{{.threads = 3, .seed = 3}});
    EXPECT_EQ(one.rows, three.rows) << word_of(rule);
    EXPECT_EQ(one.samples.size(), 20) << word_of(rule);
    if (rule != LandmarkRule::kmeans) {
      EXPECT_EQ(std::set<Index>(one.rows.begin(), one.rows.end()).size(), 20U) << word_of(rule);
    }
    EXPECT_EQ(find_word<LandmarkRule>(word_of(rule)), rule);
  }
}

TEST(Landmarks, DegenerateDataIsFine) {
  const Kernel kernel = parse_kernel("rbf(gamma=1)");
  const Samples same = make_dense(std::vector<double>(50, 1.0), 50, 1);
  const Samples one = make_dense(std::vector<double>{2.0}, 1, 1);
  for (const LandmarkRule rule : every_rule) {
    const Landmarks equal = choose_landmarks(kernel, same, {.count = 5, .rule = rule}, {});
    EXPECT_EQ(nystroem_map(kernel, equal.samples, 1e-10, {}).map->columns(), 1) << word_of(rule);
    EXPECT_EQ(choose_landmarks(kernel, one, {.count = 5, .rule = rule}, {}).samples.size(), 1);
  }
  EXPECT_ERROR(choose_landmarks(kernel, same.slice({0, 0}), {}, {}), DataError,
               "there are no rows to choose landmarks from");
  EXPECT_ERROR(choose_landmarks(kernel, same, {.count = 0}, {}), InvalidArgument, "size = 0");
}

TEST(Landmarks, LittleMemoryMeansFewerCandidates) {
  const Samples x = make_dense(random_matrix(500, 2, 6));
  const Landmarks landmarks =
      choose_landmarks(parse_kernel("rbf(gamma=1)"), x, {.count = 10, .memory = 10 * 8 * 100.0}, {});
  EXPECT_EQ(landmarks.samples.size(), 10);
  ASSERT_EQ(landmarks.notes.size(), 1U);
  EXPECT_NE(landmarks.notes[0].find("100 rows"), std::string::npos);
}

// Clusters of very different size: a uniform draw misses the small ones.
TEST(Landmarks, ChosenOnesFindSmallClusters) {
  Matrix<double> x = random_matrix(400, 2, 7);
  for (Index i = 0; i < 400; ++i) {
    const double shift = i < 380 ? 0 : 10.0 * static_cast<double>(i - 379);
    for (Index j = 0; j < 2; ++j) {
      x(i, j) = 0.05 * x(i, j) + shift;
    }
  }
  const Samples samples = make_dense(std::move(x));
  const Kernel kernel = parse_kernel("rbf(gamma=0.5)");
  const double uniform = trace_error(kernel, samples, 25, LandmarkRule::uniform, 2);
  for (const LandmarkRule rule : {LandmarkRule::leverage, LandmarkRule::pivots, LandmarkRule::greedy}) {
    EXPECT_LT(trace_error(kernel, samples, 25, rule, 2), 0.6 * uniform) << word_of(rule);
  }
}

// At a quarter of the rows. With so few landmarks that a quarter of the trace is left, all rules do about the same.
TEST(NystroemRealData, PivotsAreBelowUniformAtEqualRankOnFiveSets) {
  for (const std::string name : {"banana", "diabetis", "german", "image", "thyroid"}) {
    const std::string path = real_data("raetsch/" + name + "/data.csv.gz");
    if (path.empty()) {
      GTEST_SKIP() << "raetsch/" << name << " is not there";
    }
    const DataFile file = read_data(path, {.targets = {"0"}, .header = Header::absent}, {});
    const Samples all = default_scaling(file.samples).kind == ScalingKind::standard
                            ? fit_scaling({ScalingKind::standard}, file.samples).apply(file.samples)
                            : file.samples;
    RandomStream random(1);  // the files are sorted
    const Samples x = all.select(sample_without_replacement(random, all.size(), std::min<Index>(600, all.size())));
    const Kernel kernel = resolve_widths(parse_kernel("rbf(gamma=scale)"), x, {});
    double uniform = 0;
    double pivots = 0;
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      uniform += trace_error(kernel, x, x.size() / 4, LandmarkRule::uniform, seed) / 3;
      pivots += trace_error(kernel, x, x.size() / 4, LandmarkRule::pivots, seed) / 3;
    }
    EXPECT_LT(pivots, uniform) << name;
    RecordProperty(name, std::to_string(pivots) + " of " + std::to_string(uniform));
  }
}

}  // namespace
}  // namespace mercer
