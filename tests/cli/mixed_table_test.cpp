// A table of numbers (some missing), a category and a DNA column, from file to prediction.
#include <gtest/gtest.h>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

constexpr const char* mixed_kernel =
    "normalize(spectrum(k=4))[sequence] + 0.5*rbf(gamma=scale)[age] + if_present(rbf(gamma=scale))[bmi] + "
    "0.2*delta()[sex]";

class MixedTable : public CliTest {
 protected:
  std::string patients() const { return example("patients.csv"); }
};

TEST_F(MixedTable, IsFittedPredictedAndScored) {
  const Outcome fit = run(
      {"fit", "svc", patients(), "--target", "outcome", "-k", mixed_kernel, "--set", "C=10", "-o", path("m.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Outcome score = run({"score", path("m.mercer"), patients(), "--json"});
  ASSERT_EQ(score.code, 0) << score.err;
  const Outcome predict = run({"predict", path("m.mercer"), patients()});
  ASSERT_EQ(predict.code, 0) << predict.err;
  EXPECT_EQ(std::count(predict.out.begin(), predict.out.end(), '\n'), 161);
}

TEST_F(MixedTable, IsTunedAndLearns) {
  const Outcome tune = run({"tune", "svc", patients(), "--target", "outcome", "-k",
                            "normalize(spectrum(k=4))[sequence] + 0.5*rbf(gamma=2^-4..2^1)[age] + 0.2*delta()[sex]",
                            "--set", "C=1..100", "--json", "-o", path("t.mercer")});
  ASSERT_EQ(tune.code, 0) << tune.err;
  const Outcome predict = run({"predict", path("t.mercer"), patients()});
  EXPECT_EQ(predict.code, 0) << predict.err;
}

// kr-vs-kp of UCI: 36 columns of letters, no number.
TEST_F(MixedTable, CategoriesAloneAreEnoughForTheUsualKernel) {
  std::string text = "color,form,known\n";
  for (int i = 0; i < 40; ++i) {
    text += std::string(i % 2 == 0 ? "red" : "blue") + "," + (i % 3 == 0 ? "round" : "flat") + "," +
            ((i % 2 == 0) == (i % 3 == 0) ? "yes" : "no") + "\n";
  }
  const std::string data = write("c.csv", text);
  for (const char* const command : {"fit", "tune"}) {
    const Outcome fitted = run({command, "svc", data, "-t", "known", "-s", "C=10", "-o", path("c.mercer"), "--force"});
    ASSERT_EQ(fitted.code, 0) << command << fitted.err;
    const Outcome score = run({"score", path("c.mercer"), data, "--json"});
    ASSERT_EQ(score.code, 0) << score.err;
    EXPECT_EQ(nlohmann::json::parse(score.out)["scores"][0]["metrics"]["accuracy"]["value"], 1) << score.out;
  }
  std::string texts = "story,known\n";
  for (int i = 0; i < 20; ++i) {
    texts += "once upon a time there were " + std::to_string(i * i) + " kings and a queen," +
             (i % 2 == 0 ? "yes" : "no") + "\n";
  }
  const Outcome none = run({"fit", "svc", write("t.csv", texts), "-t", "known", "-o", path("t.mercer")});
  EXPECT_EQ(none.code, 2) << none.out;
  EXPECT_TRUE(contains(none.err, "takes vectors. Choose another one with -k")) << none.err;
}

TEST_F(MixedTable, AMissingNumberIsFilledOrRefused) {
  const std::vector<std::string> arguments = {
      "fit", "svc", patients(), "--target", "outcome", "-k", "rbf()[age, bmi]", "-o", path("m.mercer")};
  const Outcome filled = run(arguments);
  EXPECT_EQ(filled.code, 0) << filled.err;
  EXPECT_TRUE(contains(filled.out, "missing: bmi 15")) << filled.out;
  std::vector<std::string> strict = arguments;
  strict.insert(strict.end(), {"--missing", "reject", "--force"});
  const Outcome fit = run(strict);
  EXPECT_EQ(fit.code, 3);
  EXPECT_NE(fit.err.find("if_present"), std::string::npos) << fit.err;
}

TEST_F(MixedTable, WhatTheKernelDoesNotNameIsNotAskedFor) {
  std::string text = "id,name,notes,age,town,y\n";
  for (int i = 0; i < 12; ++i) {
    text += std::to_string(i) + ",secret" + std::to_string(i) + ",," + std::to_string(20 + 3 * i) + ",t" +
            std::to_string(i) + "," + std::to_string(i % 2) + "\n";
  }
  const std::string data = write("a.csv", text);
  const Outcome fit = run({"fit", "svc", data, "-t", "y", "-k", "rbf()[age] + delta()[town]", "-o", path("m.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_FALSE(contains(read("m.mercer"), "secret"));
  const Outcome predict = run({"predict", path("m.mercer"), write("b.csv", "town,age\nt1,30\nnew,31\n")});
  EXPECT_EQ(predict.code, 0) << predict.err;
  EXPECT_EQ(std::count(predict.out.begin(), predict.out.end(), '\n'), 3);
  // A label that is missing, or that no model knows, is none of prediction's business.
  const std::string unlabeled = write("c.csv", "town,age,y\nt1,30,\nnew,31,?\n");
  EXPECT_EQ(run({"predict", path("m.mercer"), unlabeled}).out, predict.out);
  EXPECT_EQ(run({"predict", path("m.mercer"), unlabeled, "--missing", "drop"}).out, predict.out);
  const Outcome score = run({"score", path("m.mercer"), unlabeled});
  EXPECT_EQ(score.code, 3);
  EXPECT_FALSE(contains(score.err, "if_present")) << score.err;
  const Outcome slip = run({"fit", "svc", data, "-t", "y", "-k", "rbf()[agee]", "-o", path("n.mercer")});
  EXPECT_TRUE(contains(slip.err, "Did you mean 'age'?")) << slip.err;
}

TEST_F(MixedTable, MissingCategoriesAreMissing) {
  std::string text = "sex,y\n";
  for (int i = 0; i < 6; ++i) {
    text += i % 3 == 0 ? "f,1\n" : i % 3 == 1 ? "NA,0\n" : "m,1\n";
  }
  const std::string data = write("a.csv", text);
  const Outcome gram = run({"gram", "if_present(delta(), weight=0.5)[sex]", data, "-t", "y", "-o", path("K.csv")});
  ASSERT_EQ(gram.code, 0) << gram.err;
  const std::string matrix = read("K.csv");
  EXPECT_TRUE(contains(matrix.substr(0, 200), "0,0.5,0,0,0.5,0")) << matrix;
}

TEST_F(MixedTable, LabelsMayBeAnyBytes) {
  std::string text = "x,y\n";
  for (int i = 0; i < 20; ++i) {
    text += std::to_string(i % 2 == 0 ? i : -i) + (i % 2 == 0 ? ",caf\xe9\n" : ",th\xe9\n");
  }
  const std::string data = write("a.csv", text);
  for (const char* model : {"kdec", "svc", "gpc"}) {
    const Outcome fit = run({"fit", model, data, "-t", "y", "-o", path("m.mercer")});
    ASSERT_EQ(fit.code, 0) << model << fit.err;
    const Outcome predict = run({"predict", path("m.mercer"), data});
    ASSERT_EQ(predict.code, 0) << predict.err;
    EXPECT_TRUE(contains(predict.out, "caf\xe9\n")) << model;
  }
}

}  // namespace
}  // namespace mercer::cli_test
