#include "mercer/models/compress/compress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/base/text.h"
#include "mercer/data/files/data_file.h"
#include "mercer/expansion/expansion.h"
#include "mercer/expansion/preimage_points.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/compress/compress_threshold.h"
#include "mercer/models/features/learned_preimage.h"
#include "mercer/models/gp/gp.h"
#include "mercer/models/model_state.h"
#include "mercer/models/ridge/lssvm.h"
#include "mercer/models/ridge/ridge.h"
#include "mercer/models/svm/one_class.h"
#include "mercer/models/svm/svc.h"
#include "mercer/models/svm/svr.h"
#include "support/expect_error.h"
#include "support/same_bits.h"

namespace mercer {
namespace {

const mercer::Run run;

Matrix<double> cloud(Index rows, Index columns, std::uint64_t seed) {
  Matrix<double> values(rows, columns);
  RandomStream random(seed, 6);
  for (Index i = 0; i < rows * columns; ++i) {
    values.data()[i] = 4 * random.uniform() - 2;
  }
  return values;
}

double wave(double x, double y) { return std::sin(2 * x) + std::cos(1.5 * y); }

TrainingData regression_data(Index rows, std::uint64_t seed) {
  Matrix<double> x = cloud(rows, 2, seed);
  Matrix<double> y(rows, 2);
  RandomStream random(seed, 7);
  for (Index i = 0; i < rows; ++i) {
    y(i, 0) = wave(x(i, 0), x(i, 1)) + 0.1 * random.normal();
    y(i, 1) = 100 * x(i, 0) * x(i, 1) + 10 * random.normal();
  }
  return {make_dense(std::move(x)), Targets::numeric(y.view())};
}

// Three classes by angle.
TrainingData class_data(Index rows, std::uint64_t seed) {
  Matrix<double> x = cloud(rows, 2, seed);
  std::vector<std::string> labels;
  RandomStream random(seed, 8);
  for (Index i = 0; i < rows; ++i) {
    const double angle = std::atan2(x(i, 1), x(i, 0)) + 0.2 * random.normal();
    labels.push_back(angle < -1 ? "a" : angle < 1 ? "b" : "c");
  }
  return {make_dense(std::move(x)), Targets::classes(labels)};
}

// No value moves by more than ‖f − f'‖ √k(x, x); constants aside.
void expect_bounded(const FittedModel& before, const CompressedModel& small, const Samples& samples) {
  const Expansion& f = *before.expansion_form();
  const Expansion* const g = small.model->name() == before.name() ? small.model->expansion_form() : nullptr;
  if (g == nullptr) {
    return;
  }
  Matrix<double> then(samples.size(), f.outputs());
  Matrix<double> now(samples.size(), f.outputs());
  f.evaluate(samples, then.view(), run);
  g->evaluate(samples, now.view(), run);
  for (Index i = 0; i < samples.size(); ++i) {
    for (Index o = 0; o < f.outputs(); ++o) {
      const CompressReport::Output& output = small.report.outputs[o];
      EXPECT_LE(std::abs(then(i, o) + output.offset_shift - now(i, o)), output.error + 1e-3 * (1 + output.norm));
    }
  }
}

TEST(Compress, MethodsHaveNames) {
  for (const std::string& name : compress_method_names()) {
    EXPECT_EQ(to_string(compress_method_named(name)), name);
  }
  EXPECT_ERROR(compress_method_named("magic"), InvalidArgument, "method = magic");
}

TEST(Compress, EveryMethodShrinksASupportVectorRegression) {
  const TrainingData data = regression_data(50, 1);
  SvrOptions options;
  options.C = 10;
  const auto model = fit_svr(parse_kernel("rbf(gamma=1)"), options, data, run);
  const Samples fresh = make_dense(cloud(50, 2, 99));
  for (const std::string& name : compress_method_names()) {
    for (const CenterSharing sharing : {CenterSharing::shared, CenterSharing::each}) {
      const CompressedModel small =
          compress(*model, {.size = 14, .method = compress_method_named(name), .sharing = sharing, .refinement = 20},
                   &data, run);
      const Index most = sharing == CenterSharing::shared ? 14 : 28;
      const Expansion& g = *small.model->expansion_form();
      EXPECT_LE(g.centers().size(), most) << name;
      EXPECT_GT(g.centers().size(), 0) << name;
      EXPECT_EQ(small.report.centers_after, g.centers().size());
      EXPECT_EQ(small.report.centers_before, model->expansion().centers().size());
      EXPECT_LE(small.report.error(), small.report.norm()) << name;
      expect_bounded(*model, small, fresh);
      EXPECT_EQ(small.model->name(), "svr");
      // What stands in the report is the distance of the two expansions.
      const std::vector<double> distance = squared_distance(model->expansion(), g, run);
      for (std::size_t o = 0; o < 2; ++o) {
        EXPECT_NEAR(std::sqrt(distance[o]), small.report.outputs[o].error, 1e-3 * small.report.outputs[o].norm) << name;
      }
    }
  }
}

TEST(Compress, ConstructionIsMuchBetterThanAChoice) {
  const TrainingData data = regression_data(60, 2);
  const auto model = fit_ridge(parse_kernel("rbf(gamma=1)"), {.lambda = 0.1}, data, run);
  const auto error = [&](CompressMethod method) {
    const CompressedModel small = compress(*model, {.size = 10, .method = method}, nullptr, run);
    return small.report.error() / small.report.norm();
  };
  const double constructed = error(CompressMethod::automatic);
  EXPECT_LT(constructed, error(CompressMethod::greedy));
  EXPECT_LT(constructed, error(CompressMethod::deletion));
  EXPECT_LT(constructed, error(CompressMethod::kpca));
  EXPECT_LT(constructed, error(CompressMethod::l1));
}

// What a reduced set loses is a share of the functions, whatever the units of samples and targets. The searches stop where
// a step gains 1e-6 of the square, and take other paths where units are not powers of two.
TEST(Compress, UnitsDoNotCount) {
  const Matrix<double> x = cloud(150, 2, 17);
  const auto lost = [&](const std::string& kernel, double lambda, Index size, double unit) {
    Matrix<double> samples = Matrix<double>::copy_of(x.view());
    Matrix<double> y(150, 1);
    for (Index i = 0; i < 150; ++i) {
      y(i, 0) = wave(x(i, 0), x(i, 1)) / unit;
      samples(i, 0) *= unit;
      samples(i, 1) *= unit;
    }
    const auto model = fit_ridge(parse_kernel(kernel), {.lambda = lambda},
                                 {make_dense(std::move(samples)), Targets::numeric(y.view())}, run);
    const CompressReport report = compress(*model, {.size = size}, nullptr, run).report;
    return report.error() / report.norm();
  };
  const double expected = lost("rbf(lengthscale=0.7)", 0.1, 12, 1);
  const double of_cubic = lost("poly(degree=3, gamma=1, coef0=1)", 0.1, 4, 1);
  for (const double unit : {1e-6, 1e-2, 3.0, 1e6}) {
    EXPECT_NEAR(lost("rbf(lengthscale=" + shortest(0.7 * unit) + ")", 0.1, 12, unit), expected, 0.03 * expected)
        << unit;
    EXPECT_NEAR(lost("poly(degree=3, gamma=1, coef0=" + shortest(unit * unit) + ")", 0.1 * std::pow(unit, 6), 4, unit),
                of_cubic, 0.1 * of_cubic)
        << unit;
  }
}

TEST(Compress, ClassifiersAgreeAndKeepTheirForm) {
  const TrainingData data = class_data(200, 3);
  for (const Multiclass multiclass : {Multiclass::one_vs_one, Multiclass::one_vs_rest}) {
    SvcOptions options;
    options.C = 5;
    options.multiclass = multiclass;
    options.probability = true;
    const auto model = fit_svc(parse_kernel("rbf(gamma=1)"), options, data, run);
    const CompressedModel small = compress(*model, {.size = 15}, &data, run);
    EXPECT_EQ(small.report.method, CompressMethod::construct);
    EXPECT_EQ(small.report.outputs.size(), 3U);
    const CompressAgreement same = agreement(*model, *small.model, data.samples, &data.targets, run);
    EXPECT_GT(*same.same_labels, 0.93);
    EXPECT_LT(*same.errors_after, *same.errors_before + 0.05);
    const auto& svc = dynamic_cast<const SvcModel&>(*small.model);
    EXPECT_EQ(svc.support_rows().size(), 15U);
    EXPECT_EQ(svc.support_classes().size(), 15U);
    EXPECT_TRUE(svc.has_probabilities());
    // It is a model like any other: its state loads and predicts the same.
    const auto again = svc_entry().load(state_of(svc), run);
    const Matrix<double> values = again->decide(data.samples, run);
    const Matrix<double> expected = svc.decide(data.samples, run);
    EXPECT_TRUE(testing::same_bits(values, expected));
  }
}

TEST(Compress, RefittedThresholdsNeverMakeMoreErrors) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const TrainingData data = class_data(120, 20 + seed);
    LssvmOptions options;
    options.C = 10;
    const auto model = fit_lssvm(parse_kernel("rbf(gamma=2)"), options, data, run);
    const CompressOptions few{.size = 6, .method = CompressMethod::greedy};
    const CompressedModel kept = compress(*model, few, nullptr, run);
    const CompressedModel refitted = compress(*model, few, &data, run);
    const CompressAgreement before = agreement(*model, *kept.model, data.samples, &data.targets, run);
    const CompressAgreement after = agreement(*model, *refitted.model, data.samples, &data.targets, run);
    EXPECT_LE(*after.errors_after, *before.errors_after);
    EXPECT_FALSE(refitted.report.notes.empty());
  }
}

TEST(Compress, OneClassKeepsAsManyInside) {
  const TrainingData data{make_dense(cloud(150, 2, 9)), {}};
  for (const bool ball : {false, true}) {
    OneClassOptions options;
    options.nu = 0.2;
    const auto model = ball ? fit_svdd(parse_kernel("rbf(gamma=1)"), options, data, run)
                            : fit_one_class(parse_kernel("rbf(gamma=1)"), options, data, run);
    const CompressedModel small = compress(*model, {.size = 14}, &data, run);
    const auto inside = [&](const FittedModel& one) {
      const Matrix<double> values = one.predict(data.samples, run);
      return std::count(values.data(), values.data() + values.rows(), 1.0);
    };
    EXPECT_EQ(inside(*small.model), inside(*model));
    EXPECT_GT(*agreement(*model, *small.model, data.samples, nullptr, run).same_labels, 0.85);
  }
}

TEST(Compress, AGaussianProcessBecomesTheRidgeModelOfItsMean) {
  TrainingData data = regression_data(80, 11);
  data.targets = Targets({data.targets.columns()[0]});
  for (const Polynomials mean : {ParametricPart::none, ParametricPart::constant, ParametricPart::linear}) {
    GpOptions options;
    options.optimize = false;
    options.mean = mean;
    options.noise = GpNoise::starting_at(0.02);
    const auto model = fit_gp(parse_kernel("rbf(lengthscale=0.7)"), options, data, run);
    const CompressedModel small = compress(*model, {.size = 60}, &data, run);
    EXPECT_EQ(small.model->name(), "ridge");
    EXPECT_FALSE(small.model->report().notes.empty());
    const Samples fresh = make_dense(cloud(40, 2, 12));
    const Matrix<double> expected = model->predict(fresh, run);
    const Matrix<double> values = small.model->predict(fresh, run);
    const auto again = ridge_entry().load(state_of(*small.model), run);
    const Matrix<double> loaded = again->predict(fresh, run);
    for (Index i = 0; i < 40; ++i) {
      EXPECT_NEAR(values(i, 0), expected(i, 0), 0.05) << word_of(mean);
      EXPECT_EQ(values(i, 0), loaded(i, 0));
    }
  }
}

TEST(Compress, ManyCentersLoseNothing) {
  const TrainingData data = regression_data(30, 13);
  const auto model = fit_ridge(parse_kernel("rbf(gamma=3)"), {.lambda = 0.5}, data, run);
  const CompressedModel same = compress(*model, {.size = 30, .method = CompressMethod::greedy}, nullptr, run);
  EXPECT_LT(same.report.error(), 1e-5 * same.report.norm());
  const Matrix<double> values = same.model->predict(data.samples, run);
  const Matrix<double> expected = model->predict(data.samples, run);
  for (Index i = 0; i < 30; ++i) {
    EXPECT_NEAR(values(i, 0), expected(i, 0), 1e-5);
  }
}

TEST(Compress, WordsAreChosenAmong) {
  std::vector<std::string> words;
  std::vector<double> y;
  for (int i = 0; i < 40; ++i) {
    words.push_back(std::string(1, static_cast<char>('a' + i % 8)));
    y.push_back(i % 8);
  }
  const TrainingData data{make_categories(words), Targets::numeric(y)};
  const auto model = fit_ridge(parse_kernel("delta()"), {.lambda = 0.1}, data, run);
  const CompressedModel small = compress(*model, {.size = 8}, nullptr, run);
  EXPECT_EQ(small.report.method, CompressMethod::greedy);
  EXPECT_EQ(small.report.centers_after, 8);
  EXPECT_LT(small.report.error(), 1e-6 * small.report.norm());
  EXPECT_ERROR(compress(*model, {.size = 3, .method = CompressMethod::construct}, nullptr, run), InvalidArgument,
               "new points cannot be made for samples that are categories");
  EXPECT_ERROR(compress(*model, {.size = 0}, nullptr, run), InvalidArgument, "size = 0");
  EXPECT_ERROR(compress(*model, {.size = 3, .refinement = -1}, nullptr, run), InvalidArgument, "refinement = -1");
}

TEST(Compress, AnyNumberOfThreadsGivesTheSameBits) {
  const TrainingData data = class_data(80, 4);
  SvcOptions options;
  options.multiclass = Multiclass::one_vs_rest;
  const auto model = fit_svc(parse_kernel("rbf(gamma=1)"), options, data, run);
  for (const CenterSharing sharing : {CenterSharing::shared, CenterSharing::each}) {
    const CompressOptions few{.size = 7, .sharing = sharing, .refinement = 20};
    const CompressedModel one = compress(*model, few, &data, mercer::Run{{.threads = 1}});
    const CompressedModel three = compress(*model, few, &data, mercer::Run{{.threads = 3}});
    const Matrix<double> a = one.model->decide(data.samples, run);
    const Matrix<double> b = three.model->decide(data.samples, run);
    EXPECT_TRUE(testing::same_bits(a, b));
  }
}

// Ten machines, one against the rest: a tenth of the vectors, hardly more errors on digits that were not seen.
TEST(Compress, TenTimesFewerVectorsOnUsps) {
  const std::string train_path = real_data("usps/zip.train.csv.gz");
  if (train_path.empty()) {
    GTEST_SKIP() << "no USPS digits here";
  }
  const auto first_rows = [](const std::string& path, Index rows) {
    const DataFile file = read_data(path, {.targets = {"0"}, .header = Header::absent}, run);
    std::vector<Index> numbers(rows);
    std::iota(numbers.begin(), numbers.end(), Index{0});
    return TrainingData{file.samples.select(numbers), file.targets->select(numbers)};
  };
  const TrainingData train = first_rows(train_path, 1500);
  const TrainingData test = first_rows(real_data("usps/zip.test.csv.gz"), 1000);
  SvcOptions options;
  options.C = 10;
  options.multiclass = Multiclass::one_vs_rest;
  const auto model = fit_svc(parse_kernel("rbf(gamma=0.0078125)"), options, train, run);
  double vectors = 0;
  for (const MachineFacts& facts : model->machine_facts()) {
    vectors += facts.support_vectors;
  }
  const auto each = static_cast<Index>(vectors / 100);
  const CompressedModel small =
      compress(*model, {.size = each, .sharing = CenterSharing::each, .refinement = 100}, &train, run);
  EXPECT_EQ(small.report.centers_after, 10 * each);
  EXPECT_LT(small.report.error(), small.report.first_error);
  const CompressAgreement same = agreement(*model, *small.model, test.samples, &test.targets, run);
  EXPECT_LT(*same.errors_after, *same.errors_before + 0.005);
  EXPECT_GT(*same.same_labels, 0.96);
}

TEST(CompressThreshold, IsTheBestOfAllThresholds) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomStream random(seed);
    std::vector<double> values;
    std::vector<double> signs;
    for (int i = 0; i < 15; ++i) {
      values.push_back(std::round(4 * random.normal()) / 4);  // with ties
      signs.push_back(random.uniform() < 0.2 ? 0.0 : random.uniform() < 0.5 + 0.3 * values.back() ? 1.0 : -1.0);
    }
    const auto errors = [&](double shift) {
      int wrong = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        wrong += signs[i] != 0 && (values[i] + shift >= 0) != (signs[i] > 0) ? 1 : 0;
      }
      return wrong;
    };
    const double shift = best_threshold_shift(values, signs);
    int least = errors(0);
    for (int k = -200; k <= 200; ++k) {
      least = std::min(least, errors(0.05 * k + 0.025));
    }
    EXPECT_EQ(errors(shift), least) << seed;
    EXPECT_LE(errors(shift), errors(0));
  }
  EXPECT_EQ(best_threshold_shift({}, {}), 0);
  // The middle of the gap, the nearest of equals.
  EXPECT_EQ(best_threshold_shift(std::vector<double>{1, 2, 4, 5}, std::vector<double>{-1, -1, 1, 1}), -3);
  EXPECT_EQ(best_threshold_shift(std::vector<double>{-1, 1}, std::vector<double>{-1, 1}), 0);
}

TEST(CompressThreshold, QuantilesKeepTheNumberInside) {
  const std::vector<double> values = {-3, -1, 0.5, 2, 7};
  for (Index inside = 0; inside <= 5; ++inside) {
    const double shift = quantile_shift(values, inside);
    EXPECT_EQ(std::ranges::count_if(values, [&](double value) { return value + shift >= 0; }), inside);
  }
  EXPECT_EQ(quantile_shift(values, 3), 0);
  // Equal values stay together, inside, at a distance from the boundary.
  const std::vector<double> groups = {-2, -2, -2, 1, 1, 1, 4, 4};
  EXPECT_EQ(quantile_shift(groups, 4), 0.5);
  EXPECT_EQ(quantile_shift(groups, 7), 5);
}

TEST(LearnedPreimage, ComesBackBetterWithMoreFeatures) {
  // A curve in the plane; the features are its coordinates one after another.
  const Index n = 60;
  Matrix<double> points(n, 2);
  Matrix<double> features(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) / 10;
    points(i, 0) = std::cos(t);
    points(i, 1) = std::sin(t) + 0.5;
    features(i, 0) = points(i, 0);
    features(i, 1) = points(i, 1);
  }
  const auto error = [&](Index q) {
    const ConstMatrixView<double> some = features.view().block(0, 0, n, q);
    const LearnedPreimage back(some, points.view(), {}, run);
    const Matrix<double> found = back.points(some, run);
    double sum = 0;
    for (Index i = 0; i < n * 2; ++i) {
      sum += std::pow(found.data()[i] - points.data()[i], 2);
    }
    return std::sqrt(sum / static_cast<double>(n));
  };
  EXPECT_GT(error(1), 0.1);  // one coordinate has two points of the circle
  EXPECT_LT(error(2), 0.01);
  EXPECT_ERROR(LearnedPreimage(features.view(), points.view().row_block({0, 5}), {}, run), InvalidArgument,
               "60 rows of features for 5 points");
}

}  // namespace
}  // namespace mercer
