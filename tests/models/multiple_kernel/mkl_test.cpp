// Weights of a sum of kernels: against brute force, refits, finite differences and closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "mercer/base/error.h"
#include "mercer/base/text.h"
#include "mercer/expansion/expansion.h"
#include "mercer/gram/kernel_gram.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/multiple_kernel/alignment_weights.h"
#include "mercer/models/multiple_kernel/machine_weights.h"
#include "mercer/models/multiple_kernel/mklridge.h"
#include "mercer/models/multiple_kernel/mklsvc.h"
#include "mercer/models/multiple_kernel/mklsvr.h"
#include "mercer/models/multiple_kernel/ridge_weights.h"
#include "models/random_problem.h"
#include "models/report_measure.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::kernel_matrix;
using testing::measure;
using testing::random_matrix;
using testing::random_samples;
using testing::random_weights;

// The measures "weight of …", in the order of the summands.
std::vector<double> learned_weights(const FitReport& report) {
  std::vector<double> weights;
  for (const FitReport::Measure& entry : report.measures) {
    if (entry.name.starts_with("weight of ")) {
      weights.push_back(entry.value);
    }
  }
  return weights;
}

// Labels that depend on the first two columns, one smoothly and one in rings; the third is noise.
TrainingData ring_problem(Index rows, std::uint64_t seed) {
  const Matrix<double> x = random_matrix(rows, 3, seed);
  const Matrix<double> noise = random_matrix(rows, 1, seed + 1);
  std::vector<std::string> labels;
  for (Index i = 0; i < rows; ++i) {
    const double value = x(i, 0) * x(i, 0) + x(i, 1) * x(i, 1) - 1.4 + 0.4 * noise(i, 0);
    labels.push_back(value > 0 ? "out" : "in");
  }
  return {make_dense(Matrix<double>::copy_of(x.view())), Targets::classes(labels)};
}

TrainingData curve_problem(Index rows, std::uint64_t seed) {
  const Matrix<double> x = random_matrix(rows, 3, seed);
  const Matrix<double> noise = random_matrix(rows, 1, seed + 1);
  Matrix<double> y(rows, 1);
  for (Index i = 0; i < rows; ++i) {
    y(i, 0) = std::sin(2 * x(i, 0)) + 0.5 * x(i, 1) + 0.2 * noise(i, 0);
  }
  return {make_dense(Matrix<double>::copy_of(x.view())), Targets::numeric(y.view())};
}

// The objective of a support vector machine at given weights, by an ordinary fit: minus its dual value.
double svc_objective(const std::string& spec, double C, const TrainingData& data) {
  SvcOptions options;
  options.C = C;
  options.tolerance = 1e-7;
  return -fit_svc(parse_kernel(spec), options, data)->report().objective;
}

std::string three_rbf(double a, double b, double c) {
  // Mean diagonals are 1: nothing is changed by trace normalisation.
  return std::to_string(a) + "*rbf(gamma=0.05) + " + std::to_string(b) + "*rbf(gamma=0.5) + " + std::to_string(c) +
         "*rbf(gamma=5)";
}

TEST(SplitSum, TakesSumsApartAndPutsThemTogether) {
  const auto summands =
      split_sum(parse_kernel("2*(rbf(gamma=1) + 0.5*linear()) + (poly(degree=2, gamma=1) + rbf(gamma=3))[0:2] + "
                             "rbf(gamma=1)*linear() + linear()"));
  ASSERT_EQ(summands.size(), 5u);
  EXPECT_EQ(summands[0].start, 2);
  EXPECT_EQ(summands[1].start, 2);  // written twice
  EXPECT_EQ(summands[1].kernel, parse_kernel("linear()"));
  EXPECT_EQ(summands[3].kernel, parse_kernel("rbf(gamma=3)[0:2]"));
  EXPECT_EQ(summands[4].kernel, parse_kernel("rbf(gamma=1)*linear()"));
  std::vector<Kernel> kernels;
  for (const Summand& summand : summands) {
    kernels.push_back(summand.kernel);
  }
  const std::vector<double> factors = {0.5, 0, 1, 0, 3};
  const Kernel sum = weighted_sum(kernels, factors);
  EXPECT_EQ(sum, parse_kernel("0.5*rbf(gamma=1) + poly(degree=2, gamma=1)[0:2] + 3*rbf(gamma=1)*linear()"));
  EXPECT_ERROR(split_sum(parse_kernel("rbf(gamma=1) + -2*linear()")), InvalidArgument, "the summand -2*linear()");
  EXPECT_ERROR(weighted_sum(kernels, std::vector<double>(5, 0.0)), InvalidArgument,
               "a sum of kernels whose weights are all 0");
}

// No weights on a fine grid of the simplex are better, and the gap says how much better any could be.
TEST(MklSvc, NoWeightsOfAGridAreBetter) {
  const TrainingData data = ring_problem(60, 3);
  MklSvcOptions options;
  options.C = 2;
  options.weight_tolerance = 1e-6;
  const auto model = fit_mklsvc(parse_kernel(three_rbf(1, 1, 1)), options, data);
  EXPECT_LE(measure(model->report(), "duality gap of the weights"), 1e-6);
  const double reached = measure(model->report(), "objective of the weights");
  const std::vector<double> d = learned_weights(model->report());
  ASSERT_EQ(d.size(), 3u);
  EXPECT_NEAR(std::accumulate(d.begin(), d.end(), 0.0), 1, 1e-9);
  EXPECT_NEAR(svc_objective(three_rbf(d[0], d[1], d[2]), 2, data), reached, 1e-4 * reached);
  double best = 1e300;
  for (int a = 0; a <= 12; ++a) {
    for (int b = 0; a + b <= 12; ++b) {
      best = std::min(best, svc_objective(three_rbf(a / 12.0, b / 12.0, (12 - a - b) / 12.0), 2, data));
    }
  }
  EXPECT_LE(reached, best * (1 + 1e-5));
  EXPECT_GE(reached, best * 0.97);
}

// βᵀK_kβ of an ordinary machine with the learnt kernel is the same for all kernels of positive weight, and smaller for
// those of weight 0.
TEST(MklSvc, ConditionsOfOptimalityHold) {
  const TrainingData data = ring_problem(90, 4);
  MklSvcOptions options;
  options.C = 3;
  options.weight_tolerance = 1e-8;
  options.tolerance = 1e-8;
  const std::vector<std::string> specs = {"linear()",       "rbf(gamma=0.05)", "rbf(gamma=0.3)",
                                          "rbf(gamma=1.5)", "rbf(gamma=8)",    "rbf(gamma=1)[2]"};
  std::string text;
  for (const std::string& spec : specs) {
    text += (text.empty() ? "" : " + ") + spec;
  }
  const auto model = fit_mklsvc(parse_kernel(text), options, data);
  const std::vector<double> d = learned_weights(model->report());
  const std::vector<Index>& rows = model->support_rows();
  const ConstMatrixView<double> beta = model->expansion().coefficients();
  std::vector<double> q;
  for (const std::string& spec : specs) {
    const testing::Dense k = kernel_matrix(parse_kernel(spec), data.samples, data.samples);
    double trace = 0;
    for (Index i = 0; i < 90; ++i) {
      trace += k(i, i) / 90;
    }
    double value = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < rows.size(); ++j) {
        value += beta(static_cast<Index>(i), 0) * beta(static_cast<Index>(j), 0) * k(rows[i], rows[j]) / trace;
      }
    }
    q.push_back(value);
  }
  const double largest = *std::max_element(q.begin(), q.end());
  Index dropped = 0;
  for (std::size_t k = 0; k < q.size(); ++k) {
    EXPECT_NEAR(d[k] * (1 - q[k] / largest), 0, 1e-5) << specs[k];
    dropped += d[k] == 0 ? 1 : 0;
  }
  EXPECT_GE(dropped, 2);
}

TEST(MklSvc, AnOrdinaryModelWithTheLearnedKernel) {
  const TrainingData data = ring_problem(80, 5);
  MklSvcOptions options;
  options.C = 5;
  const auto model = fit_mklsvc(parse_kernel("linear() + rbf(gamma=scale)[0:2] + rbf(gamma=1)[2]"), options, data);
  EXPECT_EQ(model->name(), "svc");
  const std::vector<double> d = learned_weights(model->report());
  EXPECT_GT(d[1], 0.5);
  EXPECT_LT(d[0], 0.2);
  SvcOptions plain;
  plain.C = 5;
  const auto again = fit_svc(model->kernel(), plain, data);
  const Samples x = random_samples(30, 3, 6);
  EXPECT_TRUE(testing::same_bits(model->decide(x, {}), again->decide(x, {})));
  for (std::size_t k = 0; k < d.size(); ++k) {
    EXPECT_EQ(d[k] == 0, model->kernel().spec().find(k == 0 ? "linear" : k == 1 ? "0:2" : "[2]") == std::string::npos);
  }
}

// What multiple kernel learning is for: a kernel that sees noise only gets nothing, and the ones of a lp norm stay.
TEST(MklSvc, NormsFromSparseToUniform) {
  const TrainingData data = ring_problem(250, 7);
  const Kernel kernel = parse_kernel("rbf(gamma=1)[2] + rbf(gamma=0.5)[0:2] + linear()[2]");
  const auto weights = [&](double norm) {
    MklSvcOptions options;
    options.norm = norm;
    options.weight_tolerance = 1e-5;
    const auto model = fit_mklsvc(kernel, options, data);
    EXPECT_LE(measure(model->report(), "duality gap of the weights"), 1e-5) << norm;
    return learned_weights(model->report());
  };
  const std::vector<double> sparse = weights(1);
  EXPECT_LT(sparse[0] + sparse[2], 0.05);
  EXPECT_EQ(sparse[2], 0);
  const std::vector<double> two = weights(2);
  EXPECT_GT(std::min({two[0], two[1], two[2]}), 0);
  EXPECT_NEAR(p_norm(two, 2), 1, 1e-9);
  EXPECT_GT(two[0], sparse[0]);
  const std::vector<double> many = weights(200);
  for (const double weight : many) {
    EXPECT_NEAR(weight, 1, 0.05);
  }
}

TEST(MklSvc, NormalizationMakesTheScaleOfASummandIrrelevant) {
  const TrainingData data = ring_problem(60, 9);
  for (const SummandSize normalize : {SummandSize::trace, SummandSize::variance, SummandSize::unit}) {
    MklSvcOptions options;
    options.normalize = normalize;
    options.weight_tolerance = 1e-6;
    const auto one = fit_mklsvc(parse_kernel("rbf(gamma=0.5) + poly(degree=2, gamma=1, coef0=1)"), options, data);
    const auto other = fit_mklsvc(parse_kernel("rbf(gamma=0.5) + poly(degree=2, gamma=3, coef0=3)"), options, data);
    const std::vector<double> a = learned_weights(one->report());
    const std::vector<double> b = learned_weights(other->report());
    EXPECT_NEAR(a[0], b[0], 2e-3) << word_of(normalize);
    // A number in front is a start, not a scale.
    const auto scaled =
        fit_mklsvc(parse_kernel("7*rbf(gamma=0.5) + 0.1*poly(degree=2, gamma=1, coef0=1)"), options, data);
    EXPECT_NEAR(learned_weights(scaled->report())[0], a[0], 5e-3) << word_of(normalize);
  }
}

// All machines of three classes share the weights: the sum of their objectives is least.
TEST(MklSvc, SeveralClassesShareTheWeights) {
  const Matrix<double> x = random_matrix(75, 2, 11);
  std::vector<std::string> labels;
  for (Index i = 0; i < 75; ++i) {
    const double radius = std::hypot(x(i, 0), x(i, 1));
    labels.push_back(radius > 1.6 ? "far" : x(i, 0) > 0 ? "east" : "west");
  }
  const TrainingData data{make_dense(Matrix<double>::copy_of(x.view())), Targets::classes(labels)};
  for (const Multiclass multiclass : {Multiclass::one_vs_one, Multiclass::one_vs_rest}) {
    MklSvcOptions options;
    options.multiclass = multiclass;
    options.weight_tolerance = 1e-6;
    const auto model = fit_mklsvc(parse_kernel("rbf(gamma=0.1) + rbf(gamma=1)"), options, data);
    const double reached = measure(model->report(), "objective of the weights");
    for (int a = 0; a <= 10; ++a) {
      SvcOptions plain;
      plain.multiclass = multiclass;
      plain.tolerance = 1e-7;
      const Kernel kernel = parse_kernel(std::to_string(a / 10.0) + "*rbf(gamma=0.1) + " +
                                         std::to_string(1 - a / 10.0) + "*rbf(gamma=1)");
      EXPECT_LE(reached, -fit_svc(kernel, plain, data)->report().objective * (1 + 1e-5)) << word_of(multiclass) << a;
    }
  }
}

TEST(MklSvc, WeightsOfRowsAreRepetitions) {
  const TrainingData data = ring_problem(40, 13);
  std::vector<double> weights(40);
  std::vector<Index> repeated;
  for (Index i = 0; i < 40; ++i) {
    weights[i] = static_cast<double>(i % 3);
    repeated.insert(repeated.end(), static_cast<std::size_t>(i % 3), i);
  }
  const TrainingData weighted{data.samples, data.targets, weights};
  const TrainingData copies{data.samples.select(repeated), data.targets.select(repeated)};
  for (const WeightMethod method : {WeightMethod::machine, WeightMethod::alignment, WeightMethod::joint_alignment}) {
    MklSvcOptions options;
    options.method = method;
    options.weight_tolerance = 1e-7;
    const Kernel kernel = parse_kernel("linear() + rbf(gamma=0.3) + rbf(gamma=2)");
    const std::vector<double> a = learned_weights(fit_mklsvc(kernel, options, weighted)->report());
    const std::vector<double> b = learned_weights(fit_mklsvc(kernel, options, copies)->report());
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(a[k], b[k], 2e-3) << word_of(method);
    }
  }
}

TEST(MklSvc, StringsAndNumbersInOneTable) {
  RandomStream random(15, 1);
  Matrix<double> numbers = random_matrix(60, 1, 16);
  std::vector<std::string> words;
  std::vector<std::string> labels;
  for (Index i = 0; i < 60; ++i) {
    std::string word;
    for (int c = 0; c < 12; ++c) {
      word += "ACGT"[static_cast<int>(random.uniform() * 4)];
    }
    const bool yes = i % 2 == 0;
    words.push_back(yes ? word.replace(3, 4, "TTTT") : word);
    labels.push_back(yes ? "yes" : "no");
  }
  const TrainingData data{make_table(Table(make_dense(std::move(numbers)), {"x"}, {{"s", make_strings(words)}})),
                          Targets::classes(labels)};
  const auto model = fit_mklsvc(parse_kernel("rbf(gamma=1)[x] + spectrum(k=3)[s]"), {}, data);
  const std::vector<double> d = learned_weights(model->report());
  EXPECT_GT(d[1], 0.9);
  const Matrix<double> predicted = model->predict(data.samples, {});
  Index errors = 0;
  for (Index i = 0; i < 60; ++i) {
    errors += predicted(i, 0) == (i % 2 == 0 ? 1.0 : 0.0) ? 0 : 1;
  }
  EXPECT_LE(errors, 3);
}

// Tiles, and a part of the rows, in place of stored matrices of all rows.
TEST(MklSvc, LittleMemoryAndFewerRows) {
  const TrainingData data = ring_problem(400, 17);
  const Kernel kernel = parse_kernel("linear() + rbf(gamma=0.5) + rbf(gamma=5)");
  MklSvcOptions options;
  options.weight_tolerance = 1e-4;
  const std::vector<double> stored = learned_weights(fit_mklsvc(kernel, options, data)->report());
  options.memory_mb = 1;
  const std::vector<double> tiles = learned_weights(fit_mklsvc(kernel, options, data)->report());
  options.weight_rows = 200;
  const auto fewer = fit_mklsvc(kernel, options, data);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(tiles[k], stored[k], 0.01);
    EXPECT_NEAR(learned_weights(fewer->report())[k], stored[k], 0.2);
  }
  EXPECT_NE(fewer->report().notes.back().text.find("weighted sum"), std::string::npos);
}

// Every class has rows, and the drawn rows stand for all of them.
TEST(WeightRows, RareClassesAreDrawnAndCountAsTheyDo) {
  constexpr Index n = 20000;
  std::vector<std::int32_t> classes(n, 0);
  std::vector<double> weights(n);
  std::vector<double> totals(3, 0.0);
  for (Index i = 0; i < n; ++i) {
    auto& own = classes[i];
    own = i % 1000 == 7 ? 1 : i % 50 == 3 ? 2 : 0;  // 20, 400 and the rest
    weights[i] = 1 + static_cast<double>(i % 5);
    totals[own] += weights[i];
  }
  const Samples samples = make_dense(Matrix<double>::filled(n, 1, 1.0));
  const WeightRows rows = choose_weight_rows(300, samples, weights, classes, {});
  ASSERT_EQ(rows.numbers.size(), 300U);
  EXPECT_EQ(rows.samples.size(), 300);
  std::vector<Index> counts(3, 0);
  std::vector<double> estimates(3, 0.0);
  for (std::size_t i = 0; i < rows.numbers.size(); ++i) {
    const auto own = static_cast<std::size_t>(classes[rows.numbers[i]]);
    ++counts[own];
    estimates[own] += rows.weights[i] / rows.share;
  }
  EXPECT_EQ(counts, (std::vector<Index>{230, 20, 50}));
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(estimates[c], totals[c], 1e-9 * totals[c]);
  }
  // Where there is no room for 50 of each, the room is shared; where there are no classes, nothing is weighed again.
  std::vector<Index> few(3, 0);
  for (const Index row : choose_weight_rows(30, samples, {}, classes, {}).numbers) {
    ++few[classes[row]];
  }
  EXPECT_EQ(few, (std::vector<Index>{10, 10, 10}));
  const WeightRows plain = choose_weight_rows(500, samples, {}, {}, {});
  EXPECT_NEAR(plain.share, 500.0 / n, 1e-15);
  EXPECT_NEAR(plain.weights.front(), 1, 1e-14);
}

TEST(MklSvc, ARareClassIsNotLostFromTheRowsOfTheWeights) {
  Matrix<double> x = random_matrix(4000, 2, 41);
  std::vector<std::string> labels(4000, "common");
  for (Index i = 0; i < 5; ++i) {
    labels[800 * i] = "rare";
    x(800 * i, 0) = 6;
  }
  const TrainingData data{make_dense(std::move(x)), Targets::classes(labels)};
  MklSvcOptions options;
  options.weight_rows = 300;
  const auto model = fit_mklsvc(parse_kernel("linear()[0] + linear()[1]"), options, data);
  EXPECT_GT(measure(model->report(), "objective of the weights"), 0);
  EXPECT_GT(learned_weights(model->report())[0], 0.9);
  // Fewer rows than classes: one class alone teaches nothing.
  options.weight_rows = 2;
  std::vector<std::string> many;
  for (Index i = 0; i < 4000; ++i) {
    many.push_back(i < 3000 ? "a" : i < 3001 ? "b" : i < 3002 ? "c" : "a");
  }
  const TrainingData single{data.samples, Targets::classes(many)};
  EXPECT_ERROR(fit_mklsvc(parse_kernel("linear()[0] + linear()[1]"), options, single), InvalidArgument,
               "no machine has rows of both its classes among the 2 rows that weights are");
}

// What is 0 on the rows takes nothing from the others, and no matrix is needed.
TEST(MklSvc, UniformWeightsSumToOne) {
  const TrainingData ring = ring_problem(60, 43);
  Matrix<double> x = Matrix<double>::filled(60, 4, 0.0);
  for (Index i = 0; i < 60; ++i) {
    for (Index j = 0; j < 3; ++j) {
      x(i, j) = ring.samples.as<DenseRows<double>>()(i, j);
    }
  }
  const TrainingData data{make_dense(std::move(x)), ring.targets};
  MklSvcOptions options;
  options.method = WeightMethod::uniform;
  for (const SummandSize normalize : {SummandSize::trace, SummandSize::variance}) {
    options.normalize = normalize;
    const auto model = fit_mklsvc(parse_kernel("linear()[3] + rbf(gamma=1) + linear()[0]"), options, data);
    EXPECT_EQ(learned_weights(model->report()), (std::vector<double>{0, 0.5, 0.5})) << word_of(normalize);
    const std::vector<Kernel> kernels = {parse_kernel("rbf(gamma=1)"), parse_kernel("negative_distance()")};
    const std::vector<double> scales = summand_scales(kernels, data.samples, {}, normalize, Centering::both, {});
    const SummandGrams grams(kernels, data.samples, {}, normalize, Centering::both, 1e9, {});
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(scales[k], grams.scales()[k], 1e-12 * scales[k]);
    }
  }
}

TEST(MklSvc, RefusesWhatItCannotDo) {
  const TrainingData data = ring_problem(30, 19);
  EXPECT_ERROR(fit_mklsvc(parse_kernel("rbf(gamma=1) + sigmoid()"), {}, data), InvalidArgument, "is indefinite");
  MklSvcOptions options;
  for (const double norm : {0.5, std::numeric_limits<double>::infinity()}) {
    options.norm = norm;
    EXPECT_ERROR(fit_mklsvc(parse_kernel("rbf(gamma=1) + linear()"), options, data), InvalidArgument,
                 "mklsvc: norm = " + shortest(norm) + ": must be a number that is 1 or more");
  }
  options = {};
  options.slack = SvcSlack::squared;
  EXPECT_ERROR(fit_mklsvc(parse_kernel("rbf(gamma=1) + linear()"), options, data), InvalidArgument,
               "mklsvc: weights are learnt with slack = linear and multiclass = ovo");
  const TrainingData zeros{
      make_dense(Matrix<double>::filled(10, 2, 0.0)),
      Targets::classes(std::vector<std::string>{"a", "b", "a", "b", "a", "b", "a", "b", "a", "b"})};
  EXPECT_ERROR(fit_mklsvc(parse_kernel("linear() + poly(degree=2, coef0=0)"), {}, zeros), DataError,
               "every summand of the kernel is 0 on the training rows");
  // One summand of two is nothing.
  const auto model = fit_mklsvc(parse_kernel("linear() + rbf(gamma=1)"), {}, zeros);
  EXPECT_EQ(learned_weights(model->report())[0], 0);
  // One kernel alone.
  EXPECT_EQ(learned_weights(fit_mklsvc(parse_kernel("rbf(gamma=1)"), {}, data)->report()), std::vector<double>{1.0});
}

// Conditionally positive kernels are weighed by what centring leaves of them.
TEST(MklSvc, ConditionalKernels) {
  const TrainingData data = ring_problem(50, 21);
  const auto model = fit_mklsvc(parse_kernel("negative_distance() + rbf(gamma=1)[2]"), {}, data);
  EXPECT_GT(learned_weights(model->report())[0], 0.5);
}

TEST(MklSvr, NoWeightsOfAGridAreBetter) {
  const TrainingData data = curve_problem(60, 23);
  MklSvrOptions options;
  options.epsilon = 0.05;
  options.C = 3;
  options.weight_tolerance = 1e-6;
  const auto model = fit_mklsvr(parse_kernel(three_rbf(1, 1, 1)), options, data);
  EXPECT_EQ(model->name(), "svr");
  const double reached = measure(model->report(), "objective of the weights");
  EXPECT_LE(measure(model->report(), "duality gap of the weights"), 1e-6);
  double best = 1e300;
  for (int a = 0; a <= 8; ++a) {
    for (int b = 0; a + b <= 8; ++b) {
      SvrOptions plain;
      plain.epsilon = 0.05;
      plain.C = 3;
      plain.tolerance = 1e-7;
      const Kernel kernel = parse_kernel(three_rbf(a / 8.0, b / 8.0, (8 - a - b) / 8.0));
      best = std::min(best, -fit_svr(kernel, plain, data)->report().objective);
    }
  }
  EXPECT_LE(reached, best * (1 + 1e-5));
  EXPECT_GE(reached, best * 0.97);
}

// J of ridge from its definition, by a fit that knows nothing of weights.
double ridge_objective(const Kernel& kernel, double lambda, const TrainingData& data) {
  RidgeOptions options;
  options.lambda = lambda;
  options.form = RidgeForm::dual;
  const auto model = fit_ridge(kernel, options, data);
  const Matrix<double> fitted = model->predict(data.samples, {});
  const Matrix<double> y = data.targets.values();
  const testing::Dense k = kernel_matrix(kernel, data.samples, data.samples);
  const ConstMatrixView<double> alpha = model->parts().expansion.coefficients();
  double value = 0;
  for (Index i = 0; i < y.rows(); ++i) {
    const double weight = data.weights.empty() ? 1.0 : data.weights[i];
    value += weight * (y(i, 0) - fitted(i, 0)) * (y(i, 0) - fitted(i, 0));
    for (Index j = 0; j < y.rows(); ++j) {
      value += lambda * alpha(i, 0) * alpha(j, 0) * k(i, j);
    }
  }
  return value;
}

TEST(MklRidge, ObjectiveSlopesAndCurvatureAreThoseOfTheFits) {
  TrainingData data = curve_problem(40, 25);
  data.weights = random_weights(40, 26);
  const std::vector<Kernel> kernels = {parse_kernel("linear()"), parse_kernel("rbf(gamma=0.3)"),
                                       parse_kernel("rbf(gamma=3)")};
  const SummandGrams grams(kernels, data.samples, data.weights, SummandSize::none, Centering::both, 1e9, {});
  RidgeWeights problem(grams, data.targets.values(), data.weights, 0.7, RidgeOffset::fitted);
  const std::vector<double> d = {0.2, 0.5, 0.3};
  const WeightEvaluation evaluation = problem.evaluate(d, {});
  const double expected = ridge_objective(weighted_sum(kernels, d), 0.7, data);
  EXPECT_NEAR(evaluation.upper, expected, 1e-9 * expected);
  double model_value = evaluation.linear;
  for (std::size_t k = 0; k < 3; ++k) {
    model_value -= 0.5 * d[k] * evaluation.norms[k];
  }
  EXPECT_NEAR(model_value, expected, 1e-9 * expected);
  const Matrix<double> curvature = problem.curvature({});
  constexpr double step = 1e-5;
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> up = d;
    std::vector<double> down = d;
    up[k] += step;
    down[k] -= step;
    const WeightEvaluation above = problem.evaluate(up, {});
    const WeightEvaluation below = problem.evaluate(down, {});
    EXPECT_NEAR((above.upper - below.upper) / (2 * step), -0.5 * evaluation.norms[k], 1e-5 * expected);
    for (std::size_t l = 0; l < 3; ++l) {
      EXPECT_NEAR(-0.5 * (above.norms[l] - below.norms[l]) / (2 * step),
                  curvature(static_cast<Index>(k), static_cast<Index>(l)), 1e-5 * expected);
    }
  }
}

TEST(MklSvc, CurvatureIsThatOfTheFits) {
  const TrainingData data = curve_problem(40, 27);
  const std::vector<Kernel> kernels = {parse_kernel("rbf(gamma=0.2)"), parse_kernel("rbf(gamma=2)")};
  const SummandGrams grams(kernels, data.samples, {}, SummandSize::trace, Centering::both, 1e9, {});
  TubeTask task;
  for (Index i = 0; i < 40; ++i) {
    task.targets.push_back(data.targets.values()(i, 0));
    task.bounds.push_back(1.0);
  }
  task.epsilon = 0.1;
  SvmSolverOptions solver;
  solver.tolerance = 1e-11;
  MachineWeights problem(grams, kernels, data.samples, std::vector<TubeTask>{task}, solver);
  const std::vector<double> d = {0.6, 0.4};
  const WeightEvaluation evaluation = problem.evaluate(d, {});
  const Matrix<double> curvature = problem.curvature({});
  constexpr double step = 1e-5;
  for (std::size_t k = 0; k < 2; ++k) {
    std::vector<double> up = d;
    std::vector<double> down = d;
    up[k] += step;
    down[k] -= step;
    const WeightEvaluation above = problem.evaluate(up, {});
    const WeightEvaluation below = problem.evaluate(down, {});
    EXPECT_NEAR((above.upper - below.upper) / (2 * step), -0.5 * evaluation.norms[k], 1e-4);
    for (std::size_t l = 0; l < 2; ++l) {
      EXPECT_NEAR(-0.5 * (above.norms[l] - below.norms[l]) / (2 * step),
                  curvature(static_cast<Index>(k), static_cast<Index>(l)), 1e-3 * (1 + std::abs(curvature(0, 0))));
    }
  }
}

TEST(MklRidge, ConditionsOfOptimalityHold) {
  const TrainingData data = curve_problem(60, 29);
  for (const double norm : {1.0, 1.3, 3.0}) {
    for (const bool intercept : {true, false}) {
      MklRidgeOptions options;
      options.norm = norm;
      options.lambda = 0.3;
      options.parametric = intercept ? ParametricPart::constant : ParametricPart::none;
      options.weight_tolerance = 1e-9;
      const Kernel kernel = parse_kernel("linear() + rbf(gamma=0.3) + rbf(gamma=3) + poly(degree=2, gamma=1)");
      const auto model = fit_mklridge(kernel, options, data);
      EXPECT_EQ(model->name(), "ridge");
      const std::vector<double> d = learned_weights(model->report());
      // αᵀK_kα of the fit, each K_k in units of its mean diagonal: d_k^{p−1} ∝ q_k, and with p = 1 q_k is largest
      // where d_k > 0.
      const ConstMatrixView<double> alpha = model->parts().expansion.coefficients();
      std::vector<double> q;
      for (const Summand& summand : split_sum(kernel)) {
        const testing::Dense k = kernel_matrix(summand.kernel, data.samples, data.samples);
        double value = 0;
        double trace = 0;
        for (Index i = 0; i < 60; ++i) {
          trace += k(i, i) / 60;
          for (Index j = 0; j < 60; ++j) {
            value += alpha(i, 0) * alpha(j, 0) * k(i, j);
          }
        }
        q.push_back(value / trace);
      }
      const double largest = *std::max_element(q.begin(), q.end());
      double level = 0;
      for (std::size_t k = 0; k < q.size(); ++k) {
        level += d[k] * q[k];  // = the multiplier, ‖d‖_p = 1
      }
      for (std::size_t k = 0; k < q.size(); ++k) {
        if (norm == 1) {
          EXPECT_LE(q[k], largest);
          EXPECT_NEAR(d[k] * (q[k] / largest - 1), 0, 2e-4);
        } else {
          EXPECT_NEAR(std::pow(d[k], norm - 1), q[k] / level, 2e-3) << norm;
        }
      }
    }
  }
}

TEST(MklRidge, SeveralOutputsCountInTheirOwnUnits) {
  const TrainingData one = curve_problem(50, 31);
  const Matrix<double> second = random_matrix(50, 1, 33);
  const auto weights = [&](double unit) {
    Matrix<double> y(50, 2);
    for (Index i = 0; i < 50; ++i) {
      y(i, 0) = one.targets.values()(i, 0);
      y(i, 1) = unit * second(i, 0);
    }
    MklRidgeOptions options;
    options.weight_tolerance = 1e-8;
    return learned_weights(fit_mklridge(parse_kernel("linear() + rbf(gamma=0.3) + rbf(gamma=3)"), options,
                                        {one.samples, Targets::numeric(y.view())})
                               ->report());
  };
  const std::vector<double> a = weights(1);
  const std::vector<double> b = weights(1000);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(a[k], b[k], 1e-3);
  }
}

// ⟨K, L⟩ by loops over centred matrices.
struct NaiveAlignment {
  testing::Dense k;

  explicit NaiveAlignment(const testing::Dense& plain) : k(plain) {
    const Index n = k.rows();
    std::vector<double> means(n, 0.0);
    double total = 0;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        means[i] += plain(i, j) / static_cast<double>(n);
      }
      total += means[i] / static_cast<double>(n);
    }
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        k(i, j) = plain(i, j) - means[i] - means[j] + total;
      }
    }
  }
  double product(const NaiveAlignment& other) const {
    double sum = 0;
    for (Index e = 0; e < k.rows() * k.rows(); ++e) {
      sum += k.data()[e] * other.k.data()[e];
    }
    return sum;
  }
};

TEST(Alignment, WeightsAreThoseOfTheDefinition) {
  const TrainingData data = ring_problem(70, 35);
  const std::vector<std::string> specs = {"linear()", "rbf(gamma=0.3)", "rbf(gamma=3)", "poly(degree=2, gamma=1)"};
  std::vector<NaiveAlignment> grams;
  std::string text;
  for (const std::string& spec : specs) {
    testing::Dense k = kernel_matrix(parse_kernel(spec), data.samples, data.samples);
    double trace = 0;
    for (Index i = 0; i < 70; ++i) {
      trace += k(i, i) / 70;
    }
    for (Index e = 0; e < 70 * 70; ++e) {
      k.data()[e] /= trace;
    }
    grams.emplace_back(k);
    text += (text.empty() ? "" : " + ") + spec;
  }
  testing::Dense target(70, 70);
  const ClassLabels labels = data.targets.labels();
  for (Index i = 0; i < 70; ++i) {
    for (Index j = 0; j < 70; ++j) {
      target(i, j) = labels.codes[i] == labels.codes[j] ? 1.0 : -1.0;
    }
  }
  const NaiveAlignment l(target);
  const auto alignment_of = [&](std::span<const double> d) {
    double up = 0;
    double square = 0;
    for (std::size_t a = 0; a < d.size(); ++a) {
      up += d[a] * grams[a].product(l);
      for (std::size_t b = 0; b < d.size(); ++b) {
        square += d[a] * d[b] * grams[a].product(grams[b]);
      }
    }
    return up / std::sqrt(square * l.product(l));
  };

  MklSvcOptions options;
  options.method = WeightMethod::alignment;
  const auto each = fit_mklsvc(parse_kernel(text), options, data);
  const std::vector<double> align = learned_weights(each->report());
  std::vector<double> expected;
  for (std::size_t k = 0; k < 4; ++k) {
    std::vector<double> alone(4, 0.0);
    alone[k] = 1;
    expected.push_back(alignment_of(alone));
  }
  const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(align[k], expected[k] / total, 1e-9);
  }
  EXPECT_NEAR(measure(each->report(), "alignment"), alignment_of(align), 1e-9);

  options.method = WeightMethod::joint_alignment;
  const auto together = fit_mklsvc(parse_kernel(text), options, data);
  const std::vector<double> alignf = learned_weights(together->report());
  const double best = alignment_of(alignf);
  EXPECT_NEAR(measure(together->report(), "alignment"), best, 1e-9);
  EXPECT_GE(best, alignment_of(align));
  RandomStream random(36, 1);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> d(4);
    for (std::size_t k = 0; k < 4; ++k) {
      // Near the best ones, and anywhere.
      d[k] = trial % 2 == 0 ? random.uniform() : std::max(0.0, alignf[k] + 0.05 * (random.uniform() - 0.5));
    }
    EXPECT_LE(alignment_of(d), best + 1e-12);
  }
}

TEST(Alignment, UniformAndOrder) {
  const TrainingData data = curve_problem(40, 37);
  MklRidgeOptions options;
  options.WeightLearningOptions::method = WeightMethod::uniform;
  const auto model = fit_mklridge(parse_kernel("rbf(gamma=0.3) + rbf(gamma=3)"), options, data);
  EXPECT_EQ(learned_weights(model->report()), (std::vector<double>{0.5, 0.5}));
  options.WeightLearningOptions::method = WeightMethod::joint_alignment;
  options.parametric = ParametricPart::none;
  EXPECT_GT(
      learned_weights(fit_mklridge(parse_kernel("rbf(gamma=0.3)[0] + rbf(gamma=1)[2]"), options, data)->report())[0],
      0.8);
}

}  // namespace
}  // namespace mercer
