// Linear machines on explicit features: the kernel machine's answers, the vocabulary instead of the texts.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "data/temporary_folder.h"
#include "mercer/base/error.h"
#include "mercer/data/files/data_file.h"
#include "mercer/kernels/spec.h"
#include "mercer/models/linear/linear_svm_model.h"
#include "mercer/models/model_state.h"
#include "mercer/models/svm/svc.h"
#include "models/random_problem.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using testing::same_bits;

// Texts of two subjects that share their common words.
TrainingData text_problem(int count, unsigned seed) {
  const std::vector<std::string> subjects[2] = {{"orbit", "moon", "launch", "shuttle"},
                                                {"goal", "hockey", "season", "Müller"}};
  const std::vector<std::string> common = {"the", "of", "and", "today", "news"};
  std::mt19937 generator(seed);
  std::vector<std::string> texts;
  std::vector<std::string> labels;
  for (int i = 0; i < count; ++i) {
    std::string text;
    const int words = static_cast<int>(generator() % 12);
    for (int w = 0; w < words; ++w) {
      const auto& from = generator() % 3 == 0 ? subjects[(generator() % 5 == 0 ? i + 1 : i) % 2] : common;
      text += from[generator() % from.size()] + (generator() % 4 == 0 ? ", " : " ");
    }
    texts.push_back(text);
    labels.emplace_back(i % 2 == 0 ? "space" : "sport");
  }
  return {make_strings(texts), Targets::classes(labels)};
}

TEST(ExplicitLinear, DecidesAsTheKernelMachine) {
  const TrainingData data = text_problem(60, 3);
  const TrainingData fresh = text_problem(25, 4);
  for (const char* spec : {"tfidf()", "normalize(words(ngrams=2))", "spectrum(k=3)", "normalize(fisher_markov())"}) {
    const Kernel kernel = parse_kernel(spec);
    LinearSvcOptions options;
    options.C = 0.7;
    options.tolerance = 1e-9;
    options.max_passes = 100000;
    const auto linear = fit_linearsvc(kernel, options, data);
    SvcOptions exact;
    exact.C = 0.7;
    exact.tolerance = 1e-7;
    const auto machine = fit_svc(kernel, exact, data);
    const Matrix<double> a = linear->decide(fresh.samples, {});
    const Matrix<double> b = machine->decide(fresh.samples, {});
    for (Index i = 0; i < a.rows(); ++i) {
      EXPECT_NEAR(a(i, 0), b(i, 0), 2e-3) << spec;
    }
  }
}

TEST(ExplicitLinear, AStoredModelHoldsTheVocabularyAndPredictsTheSame) {
  const TrainingData data = text_problem(60, 5);
  const TrainingData fresh = text_problem(25, 6);
  const auto model = fit_linearsvc(
      parse_kernel("tfidf(min_df=2) + 0.5*spectrum(k=2) + fisher_markov(order=0, information=sample)"), {}, data);
  const auto again = linearsvc_entry().load(state_of(*model), {});
  EXPECT_TRUE(same_bits(model->decide(fresh.samples, {}), again->decide(fresh.samples, {})));
  EXPECT_EQ(model->input().names(), dynamic_cast<const LinearSvcModel&>(*again).input().names());
  const auto& names = model->input().names();
  ASSERT_EQ(static_cast<Index>(names.size()), model->machines().weights.rows());
  EXPECT_NE(std::find(names.begin(), names.end(), "tfidf:müller"), names.end());
  EXPECT_NE(std::find(names.begin(), names.end(), "spectrum:oc"), names.end());
  const ModelParts parts = parts_of(*model);
  for (const auto& [name, samples] : parts.samples) {
    EXPECT_EQ(samples.kind(), SampleKind::strings) << name;
    EXPECT_NE(name, "samples");
  }
  // Weights stand in the order of their size.
  for (Index j = 1; j < model->machines().weights.rows(); ++j) {
    EXPECT_GE(std::abs(model->machines().weights(j - 1, 0)), std::abs(model->machines().weights(j, 0)));
  }
}

TEST(ExplicitLinear, WordsOfASubjectWeighForIt) {
  const TrainingData data = text_problem(200, 7);
  const auto model = fit_linearsvc(parse_kernel("tfidf()"), {}, data);
  const auto& names = model->input().names();
  const auto weight = [&](const char* word) {
    const auto at = std::find(names.begin(), names.end(), word);
    return at == names.end() ? std::nan("") : model->machines().weights(at - names.begin(), 0);
  };
  // One machine, positive for the second class.
  ASSERT_EQ(model->classes(), (std::vector<std::string>{"space", "sport"}));
  EXPECT_LT(std::max(weight("orbit"), weight("moon")), 0);
  EXPECT_GT(std::min(weight("goal"), weight("hockey")), 0);
}

TEST(ExplicitLinear, EmptyAndUnknownTextsGetTheIntercept) {
  const TrainingData data = text_problem(60, 8);
  const auto model = fit_linearsvc(parse_kernel("tfidf()"), {}, data);
  const std::vector<std::string> texts = {"", "xylophone zebra", "?!, -"};
  const Matrix<double> decided = model->decide(make_strings(texts), {});
  for (Index i = 0; i < 3; ++i) {
    EXPECT_EQ(decided(i, 0), model->machines().intercepts(0, 0));
  }
  // Training texts without any word: a model that answers its intercept.
  const std::vector<std::string> nothing = {"", "", "..", ""};
  const std::vector<std::string> labels = {"a", "b", "a", "a"};
  const auto empty = fit_linearsvc(parse_kernel("words()"), {}, {make_strings(nothing), Targets::classes(labels)});
  EXPECT_EQ(empty->machines().weights.rows(), 0);
  const auto loaded = linearsvc_entry().load(state_of(*empty), {});
  EXPECT_EQ(loaded->decide(make_strings(texts), {})(0, 0), empty->machines().intercepts(0, 0));
}

TEST(ExplicitLinear, WeightsAreRepetitions) {
  TrainingData data = text_problem(40, 9);
  std::vector<Index> repeated;
  for (Index i = 0; i < 40; ++i) {
    data.weights.push_back(static_cast<double>(i % 3));
    for (Index r = 0; r < i % 3; ++r) {
      repeated.push_back(i);
    }
  }
  LinearSvcOptions options;
  options.tolerance = 1e-9;
  options.max_passes = 100000;
  const Kernel kernel = parse_kernel("normalize(words())");
  const auto weighted = fit_linearsvc(kernel, options, data);
  const auto plain = fit_linearsvc(kernel, options, {data.samples.select(repeated), data.targets.select(repeated)});
  const Matrix<double> a = weighted->decide(data.samples, {});
  const Matrix<double> b = plain->decide(data.samples, {});
  for (Index i = 0; i < a.rows(); ++i) {
    EXPECT_NEAR(a(i, 0), b(i, 0), 2e-3);
  }
}

TEST(ExplicitLinear, RegressionOnWordsAndNumbers) {
  std::mt19937 generator(11);
  std::vector<std::string> texts;
  std::vector<double> numbers;
  std::vector<double> targets;
  for (int i = 0; i < 80; ++i) {
    const bool red = generator() % 2 == 0;
    const double x = static_cast<double>(generator() % 1000) / 500 - 1;
    texts.emplace_back(red ? "a red house" : "a blue house");
    numbers.push_back(x);
    targets.push_back(2 * x + (red ? 3 : -1));
  }
  const Samples table = make_table(Table(make_dense(numbers, 80, 1), {"size"}, {{"text", make_strings(texts)}}));
  LinearSvrOptions options;
  options.C = 100;
  options.epsilon = 0.001;
  const auto model =
      fit_linearsvr(parse_kernel("linear() + words()[text]"), options, {table, Targets::numeric(targets)});
  const Matrix<double> predicted = model->predict(table, {});
  for (Index i = 0; i < 80; ++i) {
    EXPECT_NEAR(predicted(i, 0), targets[i], 0.05);
  }
  EXPECT_EQ(model->input().names().size(), model->machines().weights.rows());
  EXPECT_NE(std::find(model->input().names().begin(), model->input().names().end(), "text:red"),
            model->input().names().end());
  const auto again = linearsvr_entry().load(state_of(*model), {});
  EXPECT_TRUE(same_bits(predicted, again->predict(table, {})));
}

TEST(ExplicitLinear, HostileStatesAndWrongKernels) {
  const TrainingData data = text_problem(30, 12);
  const auto model = fit_linearsvc(parse_kernel("tfidf()"), {}, data);
  const auto refused = [&](auto spoil, const char* words) {
    ModelState state = state_of(*model);
    spoil(state.parts);
    EXPECT_ERROR(linearsvc_entry().load(std::move(state), {}), DataError, words);
  };
  refused([](ModelParts& parts) { parts.samples.erase("keys"); },
          "a stored linearsvc model without the samples 'keys'");
  refused([](ModelParts& parts) { parts.samples.erase("vocabulary"); },
          "a stored linearsvc model without the samples 'vocabulary'");
  refused([](ModelParts& parts) { parts.samples.at("keys") = make_strings(std::vector<std::string>{"seven b"}); },
          "'keys' is no list of 64-bit keys");
  refused(
      [](ModelParts& parts) {
        parts.samples.at("keys") = make_strings(std::vector<std::string>{std::string(16, 'x')});
      },
      "a vocabulary of 13 names for 2 features");
  refused([](ModelParts& parts) { parts.samples.at("vocabulary") = make_dense(std::vector<double>{1}, 1, 1); },
          "'vocabulary' holds dense instead of strings");
  refused([](ModelParts& parts) { parts.numbers.at("learnt.0")(0, 0) = std::nan(""); },
          "'learnt.0' holds a number that is not finite");
  refused([](ModelParts& parts) { parts.numbers.at("learnt.0") = Matrix<double>::filled(2, 1, 1.0); },
          "'learnt.0' is 2 by 1 where the model needs");
  refused([](ModelParts& parts) { parts.numbers.at("weights") = Matrix<double>::filled(2, 1, 1.0); },
          "a stored linearsvc model with weights of 2 features where the kernel has 13");
  const auto refused_kernel = [&](const char* kernel, const char* words) {
    ModelState state = state_of(*model);
    state.kernel = kernel;
    EXPECT_ERROR(linearsvc_entry().load(std::move(state), {}), Error, words);
  };
  refused_kernel("words()", "the map holds learnt weights for words(ngrams=1, min_length=2");
  refused_kernel("rbf(gamma=1)", "the kernel rbf(gamma=1) has no explicit features");
  EXPECT_ERROR(fit_linearsvc(parse_kernel("rbf(gamma=1)"), {}, data), InvalidArgument,
               "the kernel rbf(gamma=1) has no explicit features");
  EXPECT_ERROR(fit_linearsvc(parse_kernel("tfidf() * tfidf()"), {}, data), InvalidArgument,
               "the kernel tfidf(ngrams=1, min_length=2, counts=log, idf=plain, min_df=1");
  EXPECT_ERROR(fit_linearsvc(parse_kernel("linear()"), {}, data), DataError, "linearsvc: linear() takes real vectors");
}

TEST(ExplicitLinear, AnyNumberOfThreadsGivesTheSameBits) {
  const TrainingData data = text_problem(1300, 13);
  const Kernel kernel = parse_kernel("tfidf(ngrams=2)");
  const auto one = fit_linearsvc(kernel, {}, data, mercer::Run{{.threads = 1}});
  const auto three = fit_linearsvc(kernel, {}, data, mercer::Run{{.threads = 3}});
  EXPECT_TRUE(same_bits(one->machines().weights, three->machines().weights));
  EXPECT_TRUE(same_bits(one->decide(data.samples, mercer::Run{{.threads = 1}}),
                        three->decide(data.samples, mercer::Run{{.threads = 2}})));
}

// Four newsgroups split by date; C = 3 is what cross-validation on the training texts chooses (bench/task/text_bench.cpp).
TEST(ExplicitLinear, NewsgroupsByTfidf) {
  const std::string archive = real_data("20news/20news-4class.tar.xz");
  if (archive.empty()) {
    GTEST_SKIP() << "MERCER_DATA is not there";
  }
  const mercer::Run run;
  const DataFile train = read_data(archive + "/20news-bydate-train", {}, run);
  const DataFile test = read_data(archive + "/20news-bydate-test", {}, run);
  LinearSvcOptions options;
  options.C = 3;
  const auto model = fit_linearsvc(parse_kernel("tfidf()"), options, {train.samples, *train.targets}, run);
  const Matrix<double> predicted = model->predict(test.samples, run);
  const ClassLabels labels = test.targets->labels(0, model->classes());
  double right = 0;
  for (Index i = 0; i < predicted.rows(); ++i) {
    right += predicted(i, 0) == labels.codes[i] ? 1 : 0;
  }
  EXPECT_EQ(predicted.rows(), 1353);
  EXPECT_GE(right / 1353, 0.895);
}

}  // namespace
}  // namespace mercer
