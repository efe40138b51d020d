// Codes of classes: what each machine separates, and how their values name a class.
#include "mercer/models/classes/class_code.h"

#include <gtest/gtest.h>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using Values = std::vector<double>;
const std::vector<std::string> abc = {"a", "b", "c"};

TEST(ClassCode, TwoClassesAreOneMachineForTheSecond) {
  for (const ClassCode& code : {ClassCode::one_vs_one(2, Decoding::votes), ClassCode::one_vs_one(2, Decoding::graph),
                                ClassCode::one_vs_rest(2), ClassCode::random(2, 1)}) {
    EXPECT_EQ(code.machines(), 1);
    EXPECT_EQ(code(0, 0), -1);
    EXPECT_EQ(code(0, 1), 1);
    EXPECT_EQ(code.decode(Values{0.5}), 1);
    EXPECT_EQ(code.decode(Values{-0.5}), 0);
    EXPECT_EQ(code.decode(Values{0.0}), 1);
    Values scores(2);
    code.scores(Values{0.0}, scores);  // and votes agree
    EXPECT_EQ(scores, (Values{0, 1}));
    EXPECT_EQ(code.names(std::vector<std::string>{"no", "yes"}), std::vector<std::string>{"yes"});
  }
}

TEST(ClassCode, PairsVoteAndTiesGoToTheLowerClass) {
  const ClassCode code = ClassCode::one_vs_one(3, Decoding::votes);
  EXPECT_EQ(code.names(abc), (std::vector<std::string>{"a vs b", "a vs c", "b vs c"}));
  EXPECT_EQ(code.decode(Values{1, 1, 1}), 0);
  EXPECT_EQ(code.decode(Values{-1, 1, 1}), 1);
  EXPECT_EQ(code.decode(Values{1, -1, -1}), 2);
  EXPECT_EQ(code.decode(Values{1, -1, 1}), 0);  // a beats b, c beats a, b beats c
  EXPECT_EQ(code.decode(Values{-1, 1, -1}), 0);
  EXPECT_EQ(code.decode(Values{0, 0, 0}), 2);  // exactly 0 is the later class of a pair
  EXPECT_EQ(ClassCode::one_vs_one(3, Decoding::graph).decode(Values{0, 0, 0}), 2);
  EXPECT_EQ(ClassCode::one_vs_one(10, Decoding::votes).machines(), 45);
}

TEST(ClassCode, AGraphFindsTheClassThatWinsAllItsPairs) {
  for (const Index classes : {3, 4, 7}) {
    const ClassCode graph = ClassCode::one_vs_one(classes, Decoding::graph);
    const ClassCode votes = ClassCode::one_vs_one(classes, Decoding::votes);
    RandomStream random(5, static_cast<std::uint64_t>(classes));
    for (Index winner = 0; winner < classes; ++winner) {
      for (int draw = 0; draw < 20; ++draw) {
        Values values;
        for (Index m = 0; m < graph.machines(); ++m) {
          const double sign = graph(m, winner);
          values.push_back(sign != 0 ? sign * random.uniform() : random.normal());
        }
        EXPECT_EQ(graph.decode(values), winner);
        EXPECT_EQ(votes.decode(values), winner);
      }
    }
  }
}

TEST(ClassCode, OneAgainstTheRestTakesTheLargest) {
  const ClassCode code = ClassCode::one_vs_rest(3);
  EXPECT_EQ(code.machines(), 3);
  EXPECT_EQ(code.names(abc), abc);
  EXPECT_EQ(code.decode(Values{-2, -1, -3}), 1);
  EXPECT_EQ(code.decode(Values{4, 4, 1}), 0);
}

TEST(ClassCode, RandomWordsDifferAndCorrectErrors) {
  for (const Index classes : {3, 5, 12}) {
    const ClassCode code = ClassCode::random(classes, 7);
    EXPECT_GE(code.machines(), classes);
    EXPECT_EQ(code.matrix().rows(), ClassCode::random(classes, 7).matrix().rows());
    Index smallest = code.machines();
    for (Index a = 0; a < classes; ++a) {
      for (Index b = 0; b < a; ++b) {
        Index distance = 0;
        for (Index m = 0; m < code.machines(); ++m) {
          distance += code(m, a) != code(m, b) ? 1 : 0;
        }
        smallest = std::min(smallest, distance);
      }
    }
    ASSERT_GE(smallest, 3);
    for (Index c = 0; c < classes; ++c) {
      for (Index wrong = 0; wrong < code.machines(); ++wrong) {
        Values values;
        for (Index m = 0; m < code.machines(); ++m) {
          values.push_back(m == wrong ? -code(m, c) : code(m, c));
        }
        EXPECT_EQ(code.decode(values), c);
      }
    }
    // The same seed gives the same words.
    for (Index m = 0; m < code.machines(); ++m) {
      for (Index c = 0; c < classes; ++c) {
        EXPECT_EQ(code(m, c), ClassCode::random(classes, 7)(m, c));
      }
    }
  }
}

TEST(ClassCode, ScoresAreTheLossOfWords) {
  const ClassCode code = ClassCode::given(CodeWords::parse("+ + 0; - + +; 0 - -"), 3);
  EXPECT_EQ(code.machines(), 3);
  Values scores(3);
  code.scores(Values{0.5, -2, 3}, scores);
  EXPECT_DOUBLE_EQ(scores[0], -(0.5 + 3));
  EXPECT_DOUBLE_EQ(scores[1], -(1.5 + 3 + 0));
  EXPECT_DOUBLE_EQ(scores[2], -(0 + 4));
  EXPECT_EQ(code.decode(Values{0.5, -2, 3}), 0);
  EXPECT_EQ(code.names(abc)[1], "machine 2");
}

TEST(ClassCode, RefusesUselessCodes) {
  EXPECT_ERROR(ClassCode::given(CodeWords::parse("+;-"), 3), InvalidArgument,
               "code: 2 words for 3 classes");  // too few words
  EXPECT_ERROR(ClassCode::given(CodeWords::parse("+-;-+;+"), 3), InvalidArgument,
               "code: 3 words for 3 classes");  // lengths differ
  EXPECT_ERROR(ClassCode::given(CodeWords::parse("+x;-+"), 2), InvalidArgument,
               "code: 'x' is none of the signs + - 0 ;");  // another sign
  EXPECT_ERROR(ClassCode::given(CodeWords::parse("++;-+"), 2), InvalidArgument,
               "machine 2 of the code has classes on one side only");  // a machine with one side
  EXPECT_ERROR(ClassCode::given(CodeWords::parse("+;-;-"), 3), InvalidArgument,
               "a code of classes needs two classes at least");  // equal words
  EXPECT_ERROR(ClassCode::given(CodeWords::parse(" "), 2), InvalidArgument, "code: 1 words for 2 classes");
  Matrix<double> half = Matrix<double>::filled(1, 2, 0.5);
  EXPECT_ERROR(ClassCode(std::move(half), Decoding::least_loss), InvalidArgument,
               "a code of classes has the entries -1");
}

// Words of four classes that differ in three machines at least.
ClassCode three_apart() { return ClassCode::given(CodeWords::parse("------;---+++;+++---;++++++"), 4); }

TEST(ClassCode, AnIdentityLikeCodeIsOneAgainstTheRestUnderLinearLoss) {
  RandomStream random(8, 1);
  for (const Index classes : {3, 5, 9}) {
    const ClassCode rest = ClassCode::one_vs_rest(classes);
    const ClassCode linear = ClassCode::of(Multiclass::one_vs_rest, classes, {}, 0, CodeDecoding::linear);
    for (int draw = 0; draw < 200; ++draw) {
      Values values;
      for (Index m = 0; m < classes; ++m) {
        values.push_back(random.normal());
      }
      EXPECT_EQ(linear.decode(values), rest.decode(values));
    }
    EXPECT_EQ(linear.names(std::vector<std::string>(static_cast<std::size_t>(classes), "x")),
              rest.names(std::vector<std::string>(static_cast<std::size_t>(classes), "x")));
  }
}

TEST(ClassCode, HammingForgivesOneOfThree) {
  const ClassCode code = three_apart().decoded_by(CodeDecoding::hamming);
  RandomStream random(2, 2);
  for (Index c = 0; c < code.classes(); ++c) {
    Values word;
    for (Index m = 0; m < code.machines(); ++m) {
      word.push_back(code(m, c) * 3 * random.uniform());
    }
    EXPECT_EQ(code.decode(word), c);
    for (Index flipped = 0; flipped < code.machines(); ++flipped) {
      Values wrong = word;
      wrong[flipped] = -1000 * code(flipped, c);
      EXPECT_EQ(code.decode(wrong), c) << "class " << c << ", machine " << flipped;
    }
  }
}

TEST(ClassCode, LossesAreWhatTheirFormulasSay) {
  // The third machine never saw the second class.
  const ClassCode given = ClassCode::given(CodeWords::parse("++-;--0;+-+"), 3);
  const Values values = {0.25, -2, 0};
  Values scores(3);
  given.scores(values, scores);
  EXPECT_EQ(scores, (Values{-0.75 - 3 - 1, -1.25 - 0, -0.75 - 0 - 1}));
  given.decoded_by(CodeDecoding::linear).scores(values, scores);
  EXPECT_EQ(scores, (Values{0.25 - 2, -0.25 + 2, 0.25 + 2}));
  given.decoded_by(CodeDecoding::hamming).scores(values, scores);
  EXPECT_EQ(scores, (Values{-2, -1.5, 0}));  // sgn 0 = +1
  EXPECT_EQ(given.decoded_by(CodeDecoding::usual).decoding(), Decoding::least_loss);
  EXPECT_EQ(given.decoded_by(CodeDecoding::hinge).decoding(), Decoding::least_loss);
}

TEST(ClassCode, EqualDistancesGoToTheFirstClass) {
  // One wrong sign each for the first two.
  EXPECT_EQ(ClassCode::given(CodeWords::parse("++;--;+-"), 3).decoded_by(CodeDecoding::hamming).decode(Values{-1, 1}),
            0);
}

TEST(ClassCode, PairsHaveOneWayToAnswer) {
  EXPECT_ERROR(ClassCode::of(Multiclass::one_vs_one, 3, {}, 0, CodeDecoding::hamming), InvalidArgument,
               "decoding = hamming needs multiclass = code or ovr");
  EXPECT_ERROR(ClassCode::of(Multiclass::crammer_singer, 3, {}, 0, CodeDecoding::linear), InvalidArgument,
               "cs has one way to answer");
  EXPECT_ERROR(ClassCode::one_vs_one(3, Decoding::votes).decoded_by(CodeDecoding::linear), InvalidArgument,
               "their votes are counted");
  const ClassCode two = ClassCode::of(Multiclass::one_vs_rest, 2, {}, 0, CodeDecoding::hamming);
  EXPECT_EQ(two.decode(Values{0.5}), 1);
  EXPECT_EQ(two.decode(Values{-0.5}), 0);
}

}  // namespace
}  // namespace mercer
