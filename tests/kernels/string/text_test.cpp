// Words of texts, and the two kernels on them: hand computations, odd bytes, what is learnt and what is not.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/kernels/key_index.h"
#include "mercer/kernels/spec.h"
#include "mercer/kernels/string/tokenizer.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

std::vector<std::string> words_of(const std::string& text, int min_length = 1) {
  const Words words(text, min_length);
  std::vector<std::string> list;
  for (std::size_t w = 0; w < words.size(); ++w) {
    list.emplace_back(words[w]);
  }
  return list;
}

using List = std::vector<std::string>;

TEST(Tokenizer, FindsWordsOfLettersDigitsAndUnderscores) {
  EXPECT_EQ(words_of("The cat_1, the 2nd-best; I'm!"), (List{"the", "cat_1", "the", "2nd", "best", "i", "m"}));
  EXPECT_EQ(words_of("The cat_1, the 2nd-best; I'm!", 2), (List{"the", "cat_1", "the", "2nd", "best"}));
  EXPECT_EQ(words_of(""), List{});
  EXPECT_EQ(words_of(" \n\t.,-"), List{});
  EXPECT_EQ(words_of(std::string("a\0b", 3)), (List{"a", "b"}));
}

TEST(Tokenizer, LowersLettersAndCountsCharactersOfUtf8) {
  EXPECT_EQ(words_of("ÄRGER Straße ÉTÉ"), (List{"ärger", "straße", "été"}));
  EXPECT_EQ(words_of("ΑΘΗΝΑ Ώρα"), (List{"αθηνα", "ώρα"}));
  EXPECT_EQ(words_of("МОСКВА Ёж ЇЖАК"), (List{"москва", "ёж", "їжак"}));
  EXPECT_EQ(words_of("ŁÓDŹ Žižek Ÿ"), (List{"łódź", "žižek", "ÿ"}));
  EXPECT_EQ(words_of("ҐАНОК Ўзбек ӘЛЕМ ҚАЗАҚ Ӏ"), (List{"ґанок", "ўзбек", "әлем", "қазақ", "ӏ"}));
  EXPECT_EQ(words_of("VIỆT NAM ȘTIINȚĂ ẞ ԵՐԵՎԱՆ"), (List{"việt", "nam", "știință", "ß", "երեվան"}));
  EXPECT_EQ(words_of("é ab", 2), List{"ab"}) << "two bytes, one character";
  EXPECT_EQ(words_of("日本語 テスト。終わり"), (List{"日本語", "テスト", "終わり"}));
  EXPECT_EQ(words_of("“quoted”—dash…end 5€ 2×3 non\u00a0breaking"),
            (List{"quoted", "dash", "end", "5", "2", "3", "non", "breaking"}));
}

TEST(Tokenizer, KnowsPunctuationAndSymbolsOfEveryScript) {
  EXPECT_EQ(words_of("السلام، عليكم؟ نعم؛"), (List{"السلام", "عليكم", "نعم"})) << "Arabic";
  EXPECT_EQ(words_of("यह हिन्दी है। और॥ कीमत ₹५०"), (List{"यह", "हिन्दी", "है", "और", "कीमत", "५०"})) << "Devanagari";
  EXPECT_EQ(words_of("一・二、人々〇"), (List{"一", "二", "人々〇"}));
  EXPECT_EQ(words_of("good😀morning 👍🏽 ❤️ a™b ½ CO₂"), (List{"good", "morning", "a", "b", "½", "co₂"}));
}

TEST(Tokenizer, MarksBelongToTheirLetters) {
  EXPECT_EQ(words_of("e\u0301te\u0301 ÉTÉ"), (List{"été", "été"})) << "however it was written";
  EXPECT_EQ(words_of("e\u0301 ab", 2), List{"ab"}) << "three bytes, one character";
  EXPECT_EQ(words_of("की", 2), List{"की"}) << "a letter and a vowel that stands alone nowhere";
  EXPECT_EQ(words_of(" \u0301 \ufe0f"), List{}) << "marks without a letter";
  EXPECT_EQ(words_of("می\u200cخواهم"), List{"می\u200cخواهم"});
  EXPECT_EQ(words_of("co\u00adop\u200fx a\u200bb"), (List{"coopx", "a", "b"})) << "what no one sees";
}

TEST(Tokenizer, LowersEveryScriptThatHasCases) {
  EXPECT_EQ(words_of("ᲗᲑᲘᲚᲘᲡᲘ 𐐀𐐁 Ⴀ ꭰ Ꭰ ⲀⲂ"), (List{"თბილისი", "𐐨𐐩", "ⴀ", "ꭰ", "ꭰ", "ⲁⲃ"}));
  EXPECT_EQ(words_of("ΟΔΟΣ ὈΔΟΣ ΣΟΦΟΣ Σ 2Σ İ ǅ"), (List{"οδος", "ὀδος", "σοφος", "σ", "2σ", "i", "ǆ"}));
}

TEST(Tokenizer, TakesBytesThatAreNotUtf8AsLetters) {
  EXPECT_EQ(words_of("caf\xe9 cr\xe8me"), (List{"caf\xe9", "cr\xe8me"})) << "Latin-1";
  EXPECT_EQ(words_of("\xc3"), List{"\xc3"}) << "cut off";
  EXPECT_EQ(words_of("a\xe2\x82 b"), (List{"a\xe2\x82", "b"}));
  EXPECT_EQ(words_of("\xed\xa0\x80x"), List{"\xed\xa0\x80x"}) << "a surrogate is no character";
  EXPECT_EQ(words_of("\xc0\x80"), List{"\xc0\x80"}) << "too long a form of NUL";
  std::string all;
  for (int b = 0; b < 256; ++b) {
    all += static_cast<char>(b);
  }
  const Words words(all, 1);
  for (std::size_t w = 0; w < words.size(); ++w) {
    EXPECT_LT(words.place(w, 1).begin, words.place(w, 1).end);
  }
}

TEST(Tokenizer, GramsAreJoinedAndPlaced) {
  const Words words("One, two  THREE", 1);
  EXPECT_EQ(words.gram(0, 3), "one two three");
  EXPECT_EQ(words.gram(1, 2), "two three");
  EXPECT_EQ(words.place(1, 2).begin, 5);
  EXPECT_EQ(words.place(1, 2).end, 15);
  List grams;
  words.for_each_gram(2, [&](std::size_t first, std::size_t count) { grams.emplace_back(words.gram(first, count)); });
  EXPECT_EQ(grams, (List{"one", "one two", "two", "two three", "three"}));
}

TEST(KeyIndex, FindsEveryKeyAndNoOther) {
  for (const std::size_t count : {0U, 1U, 2U, 3U, 1000U}) {
    std::vector<std::uint64_t> keys;
    for (std::size_t k = 0; k < count; ++k) {
      keys.push_back(k * k * 3);  // small and close: no leading bits differ before they are scrambled
    }
    const KeyIndex index(keys);
    for (std::size_t k = 0; k < count; ++k) {
      EXPECT_EQ(index.find(keys[k]), static_cast<std::int32_t>(k));
      EXPECT_EQ(index.find(keys[k] + 1), -1);
    }
  }
  EXPECT_ERROR(KeyIndex(std::vector<std::uint64_t>{5, 7, 5}), InvalidArgument,
               "a feature stands twice in a list of different features");
}

TEST(KeyIndex, CountsRowsOfKeysAsAMapDoes) {
  const Index rows = 20000;  // several blocks and waves
  const mercer::Run run;
  const auto append = [](Index i, FeatureList& out) {
    std::set<std::uint64_t> own = {static_cast<std::uint64_t>(i % 7), static_cast<std::uint64_t>(i / 3 + 100),
                                   static_cast<std::uint64_t>(i * i % 1009 + 5)};
    for (const std::uint64_t key : own) {
      out.add(key, 1.0);
    }
  };
  std::map<std::uint64_t, std::int64_t> expected;
  for (Index i = 0; i < rows; ++i) {
    FeatureList own(run);
    append(i, own);
    for (const KeyedFeature& feature : own.merged()) {
      ++expected[feature.key];
    }
  }
  const std::vector<KeyCount> counts = count_keys(rows, append, mercer::Run{{.threads = 2}});
  ASSERT_EQ(counts.size(), expected.size());
  std::size_t at = 0;
  for (const auto& [key, count] : expected) {
    EXPECT_EQ(counts[at++], (KeyCount{key, count}));
  }
  EXPECT_TRUE(count_keys(0, append, mercer::Run{}).empty());
}

Matrix<double> kernel_values(const std::string& spec, const List& training, const List& test) {
  return testing::cross(parse_kernel(spec), make_strings(test), make_strings(training));
}

TEST(WordsKernel, RunsOfWordsHaveALimit) {
  EXPECT_NO_THROW(parse_kernel("words(ngrams=100)"));
  EXPECT_ERROR(parse_kernel("words(ngrams=101)"), InvalidArgument, "kernel spec: words: ngrams = 101");
  EXPECT_ERROR(parse_kernel("tfidf(ngrams=1000000)"), InvalidArgument, "kernel spec: tfidf: ngrams = 1e+06");
}

TEST(WordsKernel, CountsSharedWords) {
  const List texts = {"a rose is a rose", "A Rose, red", "nothing here", ""};
  const Matrix<double> counts = kernel_values("words(min_length=1)", texts, texts);
  EXPECT_EQ(counts(0, 0), 4 + 4 + 1);
  EXPECT_EQ(counts(0, 1), 2 + 2);
  EXPECT_EQ(counts(0, 2), 0);
  EXPECT_EQ(counts(3, 3), 0);
  const Matrix<double> presence = kernel_values("words(min_length=1, counts=presence)", texts, texts);
  EXPECT_EQ(presence(0, 0), 3);
  EXPECT_EQ(presence(0, 1), 2);
  const Matrix<double> log = kernel_values("words(counts=log)", texts, texts);
  EXPECT_NEAR(log(0, 1), std::log(3) * std::log(2), 1e-15) << "rose alone: a is too short";
  const Matrix<double> grams = kernel_values("words(min_length=1, ngrams=2)", texts, texts);
  EXPECT_EQ(grams(0, 1), 2 + 2 + 2) << "a, rose, and twice the pair a rose";
  EXPECT_EQ(kernel_values("normalize(words())", texts, texts)(3, 0), 0);
}

TEST(TfidfKernel, EqualsTheFormulaByHand) {
  // N = 4. df: cat 3, dog 2, fish 1, the 4.
  const List texts = {"the cat cat dog", "the cat", "the dog fish", "the cat"};
  const double cat = std::log(4.0 / 4);  // exactly 0: all texts but one
  const double dog = std::log(4.0 / 3);
  const double fish = std::log(4.0 / 2);
  const double the = std::log(4.0 / 5);  // negative, and kept so
  EXPECT_LT(the, 0);
  const double one = std::log(2.0);
  const std::vector<double> x = {one * the, std::log(3.0) * cat, one * dog, 0};
  const std::vector<double> y = {one * the, 0, one * dog, one * fish};
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    xy += x[j] * y[j];
    xx += x[j] * x[j];
    yy += y[j] * y[j];
  }
  const Matrix<double> k = kernel_values("tfidf()", texts, texts);
  EXPECT_NEAR(k(0, 2), xy / std::sqrt(xx * yy), 1e-15);
  EXPECT_NEAR(k(0, 0), 1, 1e-15);
  EXPECT_NEAR(k(1, 3), 1, 1e-15);
}

TEST(TfidfKernel, SmoothCountsAreScikitLearns) {
  // TfidfVectorizer().fit(training).transform(test) @ transform(training).T of scikit-learn
  const List training = {"the cat sat", "the dog sat on the cat", "a bird"};
  const List test = {"the cat and the bird", "unknown words"};
  const auto idf = [](double df) { return std::log(4 / (1 + df)) + 1; };
  const double the = 2 * idf(2);
  const double cat = idf(2);
  const double bird = idf(1);
  const double length = std::sqrt(the * the + cat * cat + bird * bird);
  const Matrix<double> k = kernel_values("tfidf(counts=counts, idf=smooth)", training, test);
  EXPECT_NEAR(k(0, 2), bird / length, 1e-14) << "and is unknown, left out of the length too";
  const double first = std::sqrt(3 * idf(2) * idf(2));
  EXPECT_NEAR(k(0, 0), (the * idf(2) + cat * idf(2)) / length / first, 1e-14);
  EXPECT_EQ(k(1, 0), 0);
  EXPECT_EQ(k(1, 2), 0);
}

TEST(TfidfKernel, LearnsFromTheTrainingTextsOnly) {
  const List training = {"red green", "red blue", "red green blue", "yellow"};
  const List test = {"red green", "blue blue", "yellow red", "red", "green red blue"};
  const Matrix<double> all = kernel_values("tfidf()", training, test);
  for (std::size_t i = 0; i < test.size(); ++i) {
    const Matrix<double> alone = kernel_values("tfidf()", training, {test[i]});
    for (Index j = 0; j < 4; ++j) {
      EXPECT_EQ(alone(0, j), all(static_cast<Index>(i), j)) << "the other test texts must not matter";
    }
  }
}

TEST(TfidfKernel, StopWordsAreLearnedAndRareWordsDropped) {
  const List training = {"the red fox", "the red hen", "the blue hen", "the green owl"};
  const Matrix<double> plain = kernel_values("tfidf(idf=smooth)", training, training);
  EXPECT_GT(plain(0, 3), 0) << "they share `the`";
  const Matrix<double> stopped = kernel_values("tfidf(idf=smooth, max_df=0.9)", training, training);
  EXPECT_EQ(stopped(0, 3), 0);
  EXPECT_GT(stopped(0, 1), 0);
  const Matrix<double> frequent = kernel_values("tfidf(idf=smooth, max_df=0.9, min_df=2)", training, training);
  EXPECT_NEAR(frequent(0, 0), 1, 1e-15);
  EXPECT_EQ(frequent(3, 3), 0) << "no word of the last text stands in two";
  EXPECT_NEAR(frequent(0, 1), 1 / std::sqrt(2.0), 1e-15) << "red of {red} and {red, hen}";
  EXPECT_ERROR(parse_kernel("tfidf(max_df=1.5)"), InvalidArgument, "kernel spec: tfidf: max_df = 1.5");
  EXPECT_ERROR(parse_kernel("tfidf(max_df=0)"), InvalidArgument, "kernel spec: tfidf: max_df = 0");
}

TEST(TextKernels, RefuseWhatIsNoText) {
  for (const char* spec : {"words()", "tfidf()"}) {
    EXPECT_ERROR(PreparedKernel(parse_kernel(spec), make_dense(std::vector<double>{1, 2}, 2, 1),
                                Precision::double_precision, mercer::Run{}),
                 InvalidArgument, "compares strings, but the samples are dense");
  }
}

}  // namespace
}  // namespace mercer
