// Explicit maps: inner products of rows are kernel values, unknown features vanish, names and places are found again.
#include "mercer/features/explicit_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/law_samples.h"
#include "mercer/base/error.h"
#include "mercer/gram/cross_gram.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/spec.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

std::vector<std::string> random_texts(int count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) {
    std::string text;
    const int length = i == 3 ? 0 : static_cast<int>(generator() % 40);
    for (int c = 0; c < length; ++c) {
      text += "abcd  "[generator() % 6];
    }
    texts.push_back(text);
  }
  return texts;
}

Samples random_table(int count, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<double> numbers;
  std::vector<std::string> categories;
  for (int i = 0; i < count; ++i) {
    numbers.push_back(static_cast<double>(generator() % 100) / 10 - 5);
    numbers.push_back(generator() % 3 == 0 ? 0.0 : 1.5);
    categories.emplace_back(i % 3 == 0 ? "red" : i % 3 == 1 ? "green" : "blue");
  }
  return make_table(
      Table(make_dense(std::move(numbers), count, 2), {"age", "dose"},
            {{"text", make_strings(random_texts(count, seed + 1))}, {"colour", make_categories(categories)}}));
}

std::vector<double> sparse_row(const Samples& rows, Index i) {
  const auto& sparse = rows.as<SparseRows<double>>();
  std::vector<double> dense(sparse.columns);
  for (std::int64_t at = sparse.offsets[i]; at < sparse.offsets[i + 1]; ++at) {
    dense[sparse.column_numbers[at]] = sparse.values[at];
  }
  return dense;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    sum += a[j] * b[j];
  }
  return sum;
}

class ExplicitMapKernel : public ::testing::TestWithParam<const char*> {};

TEST_P(ExplicitMapKernel, InnerProductsAreKernelValues) {
  const Kernel kernel = parse_kernel(GetParam());
  const Samples training = random_table(30, 7);
  const Samples test = random_table(11, 8);
  const mercer::Run run;
  const ExplicitMap map = ExplicitMap::learn(kernel, training, run);
  const Samples rows = map.features<double>(training, run);
  EXPECT_EQ(map.training_features(), rows.as<SparseRows<double>>().offsets[30]);
  const auto prepared = std::make_shared<const PreparedKernel>(kernel, training, Precision::double_precision, run);
  for (const Samples& samples : {training, test}) {
    const Samples own = map.features<double>(samples, run);
    Matrix<double> k(samples.size(), 30);
    CrossGram<double>(prepared, samples, run).tile({0, samples.size()}, {0, 30}, k.view());
    for (Index i = 0; i < samples.size(); ++i) {
      for (Index j = 0; j < 30; ++j) {
        EXPECT_NEAR(product(sparse_row(own, i), sparse_row(rows, j)), k(i, j), 1e-12 * (1 + std::abs(k(i, j))));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, ExplicitMapKernel,
    ::testing::Values("spectrum(k=2)[text]", "normalize(spectrum(k=3))[text]", "words(min_length=1, ngrams=2)[text]",
                      "tfidf(min_length=1)[text]", "0.5*normalize(spectrum(k=2)[text]) + 2*linear()[age] + linear()",
                      "normalize(words(min_length=1)[text] + 0.25*(linear()[dose, age] + constant(value=2)))",
                      "spectrum(k=1)[text] + spectrum(k=2)[text] + 0.1*delta()[colour]",
                      "normalize(linear()) + delta()[dose]"));

std::vector<Index> all_columns(const ExplicitMap& map) {
  std::vector<Index> columns;
  for (Index j = 0; j < map.columns(); ++j) {
    columns.push_back(j);
  }
  return columns;
}

TEST(ExplicitMap, NamesEveryFeatureAndOrdersThemByFrequency) {
  const std::vector<std::string> texts = {"the cat", "the dog", "the cat sat"};
  const mercer::Run run;
  const ExplicitMap map = ExplicitMap::learn(parse_kernel("words()"), make_strings(texts), run);
  const Samples rows = map.features<float>(make_strings(texts), run);
  std::vector<std::string> names = map.names(all_columns(map), make_strings(texts), rows, run);
  ASSERT_EQ(names.size(), 4U);
  EXPECT_EQ(names[0], "the");
  EXPECT_EQ(names[1], "cat");
  std::sort(names.begin() + 2, names.end());
  EXPECT_EQ(names[2], "dog");
  EXPECT_EQ(names[3], "sat");

  const Samples table = random_table(20, 3);
  const ExplicitMap mixed =
      ExplicitMap::learn(parse_kernel("linear()[dose] + spectrum(k=1)[text] + delta()[colour]"), table, run);
  const std::vector<std::string> mixed_names =
      mixed.names(all_columns(mixed), table, mixed.features<double>(table, run), run);
  for (const char* name : {"dose", "text:a", "colour=green"}) {
    EXPECT_NE(std::find(mixed_names.begin(), mixed_names.end(), name), mixed_names.end()) << name;
  }
}

TEST(ExplicitMap, UnknownFeaturesAreDroppedAfterTheNorm) {
  const std::vector<std::string> training = {"red green", "blue"};
  const std::vector<std::string> test = {"red red pink", "", "pink"};
  const mercer::Run run;
  const ExplicitMap map = ExplicitMap::learn(parse_kernel("normalize(words())"), make_strings(training), run);
  const Samples rows = map.features<double>(make_strings(test), run);
  const auto& sparse = rows.as<SparseRows<double>>();
  ASSERT_EQ(sparse.offsets[1], 1);
  EXPECT_NEAR(sparse.values[0], 2 / std::sqrt(5.0), 1e-15);
  EXPECT_EQ(sparse.offsets[3], 1);
  EXPECT_EQ(map.features<double>(make_strings(std::vector<std::string>{}), run).size(), 0);
}

TEST(ExplicitMap, PartsMakeTheSameMapAndAChoiceOfColumnsTheSameValues) {
  const Samples training = random_table(30, 1);
  const Samples test = random_table(9, 2);
  const mercer::Run run;
  const Kernel kernel = parse_kernel("tfidf(min_length=1)[text] + 0.5*normalize(spectrum(k=2)[text])");
  const ExplicitMap map = ExplicitMap::learn(kernel, training, run);
  const ExplicitMap again(kernel, map.parts());
  const std::vector<Index> chosen = {5, 0, 3};
  const ExplicitMap part = map.keeping(chosen);
  const Samples rows = map.features<double>(test, run);
  const Samples same = again.features<double>(test, run);
  const Samples some = part.features<double>(test, run);
  for (Index i = 0; i < 9; ++i) {
    const std::vector<double> own = sparse_row(rows, i);
    EXPECT_EQ(own, sparse_row(same, i));
    EXPECT_EQ((std::vector<double>{own[5], own[0], own[3]}), sparse_row(some, i));
  }
  ExplicitMapParts spoiled = map.parts();
  spoiled.learned.pop_back();
  EXPECT_ERROR(ExplicitMap(kernel, spoiled), DataError,
               "the kernel tfidf(ngrams=1, min_length=1, counts=log, idf=plain, min_df=1");
  spoiled = map.parts();
  spoiled.learned[1].push_back({1, 1.0});
  EXPECT_ERROR(ExplicitMap(kernel, spoiled), DataError,
               "the map holds learnt weights for spectrum(k=2, alphabet=bytes");
}

// A linear model refuses strings of another length just as a machine on the kernel does.
TEST(ExplicitMap, AlignedStringsKeepTheirLength) {
  const mercer::Run run;
  const Kernel kernel = parse_kernel("normalize(weighted_degree(degree=2))");
  const ExplicitMap map = ExplicitMap::learn(kernel, make_strings(std::vector<std::string>{"ACG", "GGA"}), run);
  const Samples longer = make_strings(std::vector<std::string>{"ACGT"});
  EXPECT_ERROR(map.features<double>(longer, run), DataError, "weighted_degree compares strings of one length");
  EXPECT_ERROR(ExplicitMap(kernel, map.parts()).features<double>(longer, run), DataError,
               "weighted_degree compares strings of one length");
  ExplicitMapParts without = map.parts();
  without.learned[0].clear();  // as files had it that knew no length
  EXPECT_NO_THROW(ExplicitMap(kernel, without).features<double>(longer, run));
}

TEST(ExplicitMap, AProfileSumsToTheFunction) {
  const Samples table = random_table(25, 5);
  const mercer::Run run;
  for (const char* spec : {"spectrum(k=3)[text]", "normalize(words(ngrams=2, min_length=1))[text]",
                           "tfidf(min_length=1)[text] + 0.3*spectrum(k=2)[text]"}) {
    const ExplicitMap map = ExplicitMap::learn(parse_kernel(spec), table, run);
    Matrix<double> weights(map.columns(), 2);
    for (Index j = 0; j < map.columns(); ++j) {
      weights(j, 0) = std::sin(static_cast<double>(j));
      weights(j, 1) = 1.0 / static_cast<double>(j + 1);
    }
    const Samples rows = map.features<double>(table, run);
    for (Index i = 0; i < table.size(); ++i) {
      const std::vector<double> phi = sparse_row(rows, i);
      const std::vector<SequenceProfile> profiles = map.profile(table, i, weights.view());
      ASSERT_LE(profiles.size(), 1U);
      for (Index f = 0; f < 2; ++f) {
        double value = 0;
        for (Index j = 0; j < map.columns(); ++j) {
          value += weights(j, f) * phi[j];
        }
        double sum = 0;
        for (const SequenceProfile& profile : profiles) {
          EXPECT_EQ(profile.column, "text");
          for (Index at = 0; at < profile.values.rows(); ++at) {
            sum += profile.values(at, f);
          }
        }
        EXPECT_NEAR(sum, value, 1e-12) << spec;
      }
    }
  }
}

// Σ of the profiles of row i, one value per function.
std::vector<double> profile_sums(const ExplicitMap& map, const Samples& samples, Index i,
                                 ConstMatrixView<double> weights) {
  std::vector<double> sums(weights.columns(), 0.0);
  for (const SequenceProfile& profile : map.profile(samples, i, weights)) {
    for (Index at = 0; at < profile.values.rows(); ++at) {
      for (Index f = 0; f < weights.columns(); ++f) {
        sums[f] += profile.values(at, f);
      }
    }
  }
  return sums;
}

// Whether the expression is an explicit kernel on strings or trees, alone or normalized: then all of it has places.
bool has_places(const Kernel& kernel) {
  const KernelNode& node = kernel.node();
  if (node.entry().name == "normalize") {
    return has_places(node.children().front());
  }
  const KernelInput input = node.entry().input;
  return dynamic_cast<const ExplicitNode*>(&node) != nullptr &&
         (input == KernelInput::strings || input == KernelInput::aligned_strings || input == KernelInput::trees);
}

TEST(ExplicitMap, ProfilesOfEveryKernelOnSequencesSumToTheFunction) {
  const mercer::Run run;
  int kernels = 0;
  for (const std::string& spec : testing::all_examples()) {
    const Kernel kernel = parse_kernel(spec);
    if (!has_places(kernel)) {
      continue;
    }
    ++kernels;
    const Samples samples = testing::law_samples(kernel, 20, 3);
    const ExplicitMap map = ExplicitMap::learn(kernel, samples, run);
    Matrix<double> weights(map.columns(), 2);
    for (Index j = 0; j < map.columns(); ++j) {
      weights(j, 0) = std::sin(static_cast<double>(j));
      weights(j, 1) = 1.0 / static_cast<double>(j + 1);
    }
    const Samples rows = map.features<double>(samples, run);
    for (Index i = 0; i < samples.size(); ++i) {
      const std::vector<double> phi = sparse_row(rows, i);
      const std::vector<double> sums = profile_sums(map, samples, i, weights.view());
      for (Index f = 0; f < 2; ++f) {
        double value = 0;
        double size = 0;
        for (Index j = 0; j < map.columns(); ++j) {
          value += weights(j, f) * phi[j];
          size += std::abs(weights(j, f) * phi[j]);
        }
        EXPECT_NEAR(sums[f], value, 1e-10 * size) << spec << ", row " << i;
      }
    }
  }
  EXPECT_GT(kernels, 20);
}

// A subtree stands from its bracket to the one that closes it, a leaf where its label does.
TEST(ExplicitMap, ASubtreeCoversItsBrackets) {
  const mercer::Run run;
  const Samples trees = make_strings(std::vector<std::string>{"(S (N a) b)"});
  const ExplicitMap map = ExplicitMap::learn(parse_kernel("subtree(leaves=count)"), trees, run);
  ASSERT_EQ(map.columns(), 4);
  const Matrix<double> weights = Matrix<double>::filled(4, 1, 1.0);
  const std::vector<SequenceProfile> profiles = map.profile(trees, 0, weights.view());
  ASSERT_EQ(profiles.size(), 1U);
  const double whole = 1.0 / 11;
  const double inner = 1.0 / 5;
  const std::vector<double> expected = {
      whole,         whole, whole,     whole + inner, whole + inner, whole + inner, whole + inner + 1,
      whole + inner, whole, whole + 1, whole};
  for (Index at = 0; at < 11; ++at) {
    EXPECT_NEAR(profiles[0].values(at, 0), expected[at], 1e-14) << at;
  }
}

// A step of the chain speaks for the symbol that came and against those that did not.
TEST(ExplicitMap, AStepOfAMarkovChainHasItsOwnPart) {
  const mercer::Run run;
  const Samples strings = make_strings(std::vector<std::string>{"AACA"});
  const ExplicitMap map = ExplicitMap::learn(
      parse_kernel("fisher_markov(order=0, symbols=[65, 67], transitions=[0.5, 0.5], visits=4)"), strings, run);
  ASSERT_EQ(map.columns(), 2);
  Matrix<double> weights = Matrix<double>::filled(2, 1, 0.0);
  weights(0, 0) = 1;  // A: the score is (n_A − n/2)/√(4/2)
  const std::vector<SequenceProfile> profiles = map.profile(strings, 0, weights.view());
  ASSERT_EQ(profiles.size(), 1U);
  const double part = 0.5 / std::sqrt(2.0);
  const std::vector<double> expected = {part, part, -part, part};
  for (Index at = 0; at < 4; ++at) {
    EXPECT_NEAR(profiles[0].values(at, 0), expected[at], 1e-14) << at;
  }
}

TEST(ExplicitMap, ASubstringCoversItsPlaces) {
  const std::vector<std::string> texts = {"AACAA"};
  const mercer::Run run;
  const ExplicitMap map = ExplicitMap::learn(parse_kernel("spectrum(k=2)"), make_strings(texts), run);
  const std::vector<std::string> names =
      map.names(all_columns(map), make_strings(texts), map.features<double>(make_strings(texts), run), run);
  Matrix<double> weights = Matrix<double>::filled(map.columns(), 1, 0.0);
  weights(std::find(names.begin(), names.end(), "AA") - names.begin(), 0) = 1;
  const std::vector<SequenceProfile> profiles = map.profile(make_strings(texts), 0, weights.view());
  ASSERT_EQ(profiles.size(), 1U);
  const std::vector<double> expected = {0.5, 0.5, 0, 0.5, 0.5};
  for (Index at = 0; at < 5; ++at) {
    EXPECT_EQ(profiles[0].values(at, 0), expected[at]);
  }
}

// Every string column has a profile whatever the row holds; its name is the file's.
TEST(ExplicitMap, RowsWithoutFeaturesHaveProfilesOfZeros) {
  const std::vector<std::string> a = {"ACGT", "A", ""};
  const std::vector<std::string> b = {"C", "GATT", ""};
  const Samples table = make_table(Table(make_dense(std::vector<double>{1, 2, 3}, 3, 1), {"x"},
                                         {{"DNA seq", make_strings(a)}, {"b", make_strings(b)}}));
  const mercer::Run run;
  const ExplicitMap map =
      ExplicitMap::learn(parse_kernel("spectrum(k=2)[\"DNA seq\"] + spectrum(k=2)[b] + linear()"), table, run);
  const Matrix<double> weights = Matrix<double>::filled(map.columns(), 1, 1.0);
  for (Index i = 0; i < 3; ++i) {
    const std::vector<SequenceProfile> profiles = map.profile(table, i, weights.view());
    ASSERT_EQ(profiles.size(), 2U);
    EXPECT_EQ(profiles[0].column, "DNA seq");
    EXPECT_EQ(profiles[0].sequence, a[i]);
    EXPECT_EQ(profiles[1].column, "b");
    EXPECT_EQ(profiles[1].sequence, b[i]);
    for (const SequenceProfile& profile : profiles) {
      ASSERT_EQ(profile.values.rows(), static_cast<Index>(profile.sequence.size()));
      for (Index at = 0; at < profile.values.rows(); ++at) {
        EXPECT_EQ(profile.values(at, 0) > 0, profile.sequence.size() > 1);
      }
    }
  }
  // Without subscript a kernel sees the only column.
  const Samples single = make_table(Table(make_dense(std::vector<double>{}, 3, 0), {}, {{"b", make_strings(b)}}));
  const ExplicitMap only = ExplicitMap::learn(parse_kernel("spectrum(k=1)"), single, run);
  const Matrix<double> ones = Matrix<double>::filled(only.columns(), 1, 1.0);
  EXPECT_EQ(only.profile(single, 1, ones.view()).at(0).column, "b");
}

TEST(ExplicitMap, NamesOfDifferentFeaturesDiffer) {
  const mercer::Run run;
  const auto names_of = [&](const char* spec, const Samples& samples) {
    const ExplicitMap map = ExplicitMap::learn(parse_kernel(spec), samples, run);
    std::vector<std::string> names = map.names(all_columns(map), samples, map.features<double>(samples, run), run);
    std::sort(names.begin(), names.end());
    return names;
  };
  const Samples numbers = make_dense(std::vector<double>{1, 2, 3, 4, 5, 2, 3, 4, 5, 6}, 2, 5);
  EXPECT_EQ(names_of("linear()[2:4] + linear()[0]", numbers), (std::vector<std::string>{"x0", "x2", "x3"}));
  EXPECT_EQ(names_of("linear()[1][2:4] + delta()[4]", numbers).back(), "x3");
  const std::vector<std::string> texts = {"AC"};
  const Samples table = make_table(Table(make_dense(std::vector<double>{}, 1, 0), {}, {{"s", make_strings(texts)}}));
  EXPECT_EQ(names_of("spectrum(k=2)[s] + words(min_length=1)[s]", table),
            (std::vector<std::string>{"s:spectrum:AC", "s:words:ac"}));
  EXPECT_EQ(names_of("spectrum(k=2)[s] + normalize(spectrum(k=1))[s]", table),
            (std::vector<std::string>{"s:spectrum#1:AC", "s:spectrum#2:A", "s:spectrum#2:C"}));
}

TEST(ExplicitMap, SaysWhichPartHasNoFeatures) {
  const auto message = [](const char* spec) {
    try {
      ExplicitTerms(parse_kernel(spec));
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("spectrum(k=2)[text] + rbf(gamma=1)[age]").find("part rbf(gamma=1)"), std::string::npos);
  EXPECT_NE(message("linear() * linear()").find("no explicit features"), std::string::npos);
  EXPECT_NE(message("-1*spectrum(k=2)").find("negative"), std::string::npos);
  EXPECT_EQ(message("2*spectrum(k=2)"), "");
  EXPECT_ERROR(ExplicitMap::learn(parse_kernel("delta()"), random_table(4, 1), mercer::Run{}), InvalidArgument,
               "delta() has explicit features for one categorical column or for numbers");
}

}  // namespace
}  // namespace mercer
