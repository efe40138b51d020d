// Tables as people have them, without a word of configuration and with the flags that change what becomes of columns.
#include <gtest/gtest.h>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

class Tables : public CliTest {
 protected:
  // A rent from a size, a town and a date; some sizes are missing.
  std::string write_rooms(const std::string& name, int rows, bool with_target = true) const {
    std::string text = std::string("id,body size,town,when") + (with_target ? ",rent\n" : "\n");
    for (int i = 0; i < rows; ++i) {
      const int size = 20 + 7 * i % 80;
      const char* const town = i % 3 == 0 ? "Ulm" : i % 3 == 1 ? "Bern" : "Graz";
      text += std::to_string(i + 1) + "," + (i % 10 == 9 ? "" : std::to_string(size)) + "," + town + ",2014-0" +
              std::to_string(1 + i % 9) + "-1" + std::to_string(i % 10) +
              (with_target ? "," + std::to_string(10 * size + 100 * (i % 3)) : "") + "\n";
    }
    return write(name, text);
  }
  nlohmann::json fitted(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "fit");
    arguments.insert(arguments.end(), {"--json", "-o", path("m.mercer")});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.code == 0 ? parse(outcome.out) : nlohmann::json();
  }
  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      result.push_back(line);
    }
    return result;
  }
};

TEST_F(Tables, TheExampleIsFittedPredictedAndScoredWithoutAFlag) {
  const Outcome fit = run({"fit", "svr", example("rooms.csv"), "-t", "rent", "-o", path("m.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_TRUE(contains(fit.err, "column 'id' rises by whole numbers from row to row")) << fit.err;
  EXPECT_TRUE(contains(fit.out,
                       "8 columns: 3 numbers, 3 categories (12 levels); missing: size 21, town 14; left out: "
                       "kind (constant), note (unique)"))
      << fit.out;
  EXPECT_EQ(run({"score", path("m.mercer"), example("rooms.csv")}).code, 0);
  EXPECT_EQ(lines(run({"predict", path("m.mercer"), example("rooms.csv")}).out).size(), 241U);
}

TEST_F(Tables, CategoriesAloneAreEnough) {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += std::string(i % 2 == 0 ? "f,l" : "t,l") + (i % 3 == 0 ? ",n" : ",w") + (i % 2 == 0 ? ",won\n" : ",lost\n");
  }
  const std::string data = write("a.data", text);
  const nlohmann::json fit = fitted({"svc", data, "-t", "-1"});
  EXPECT_EQ(fit["coding"]["categories"], (std::vector<std::string>{"column 0", "column 2"}));
  EXPECT_EQ(fit["coding"]["left_out"]["column 1"], "constant");
  EXPECT_TRUE(contains(run({"score", path("m.mercer"), data}).out, "accuracy")) << "score";
}

TEST_F(Tables, RowsWithoutTargetAreLeftOutAndSaid) {
  const std::string data = write("a.csv", "x,y\n1,a\n2,b\n3,?\n4,a\n5,b\n?,b\n");
  const Outcome fit = run({"fit", "svc", data, "-t", "y", "-o", path("m.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_TRUE(contains(fit.err, "1 row without a target left out")) << fit.err;
  EXPECT_TRUE(contains(fit.out, "fitted to 5 rows")) << fit.out;
  const Outcome score = run({"score", path("m.mercer"), data});
  EXPECT_EQ(score.code, 0) << score.err;
  EXPECT_TRUE(contains(score.err, "1 row without a target left out")) << score.err;
  const Outcome strict = run({"fit", "svc", data, "-t", "y", "--missing", "reject", "-o", path("n.mercer")});
  EXPECT_EQ(strict.code, 3);
  EXPECT_TRUE(contains(strict.err, "is missing")) << strict.err;
}

TEST_F(Tables, EveryRuleForMissingNumbersWorksInEveryCommand) {
  const std::string data = write_rooms("a.csv", 40);
  const std::string fresh = write_rooms("b.csv", 20, false);
  for (const char* rule : {"indicator", "fill", "drop"}) {
    const nlohmann::json fit = fitted({"ridge", data, "-t", "rent", "--ignore", "id", "--missing", rule});
    EXPECT_EQ(fit["coding"]["missing"], rule);
    EXPECT_EQ(fit["n"], std::string(rule) == "drop" ? 36 : 40);
    EXPECT_EQ(fit["coding"]["indicators"], std::string(rule) == "indicator" ? 4 : 3);
    const Outcome predict = run({"predict", path("m.mercer"), fresh});
    ASSERT_EQ(predict.code, 0) << predict.err;
    EXPECT_EQ(lines(predict.out).size(), 21U) << rule;
    EXPECT_EQ(run({"score", path("m.mercer"), data}).code, 0) << rule;
    EXPECT_EQ(run({"report", path("m.mercer"), data, "-o", path("r.html")}).code, 0) << rule;
    const Outcome tune = run({"tune", "ridge", data, "-t", "rent", "--ignore", "id", "--missing", rule, "--set",
                              "lambda=0.1|1", "-k", "rbf(gamma=1)", "-o", path("t.mercer")});
    EXPECT_EQ(tune.code, 0) << rule << tune.err;
  }
  const Outcome reject = run({"fit", "ridge", data, "-t", "rent", "--missing", "reject", "-o", path("n.mercer")});
  EXPECT_EQ(reject.code, 3);
  EXPECT_TRUE(contains(reject.err, "a.csv:11:4: column 'body size': the value is missing (4 in this column)"))
      << reject.err;
  const nlohmann::json kernel = fitted({"ridge", data, "-t", "rent", "--missing", "kernel", "-k",
                                        "if_present(rbf())[\"body size\"] + rbf()[when] + delta()[town]"});
  EXPECT_EQ(kernel["n"], 40);
  EXPECT_EQ(run({"predict", path("m.mercer"), fresh}).code, 0);
}

TEST_F(Tables, PredictionsOfDroppedRowsAreEmpty) {
  const std::string data = write_rooms("a.csv", 40);
  const std::string fresh = write_rooms("b.csv", 20, false);
  fitted({"ridge", data, "-t", "rent", "--columns", "body size,town"});
  const std::vector<std::string> all = lines(run({"predict", path("m.mercer"), fresh}).out);
  const Outcome dropped = run({"predict", path("m.mercer"), fresh, "--missing", "drop"});
  EXPECT_TRUE(contains(dropped.err, "2 rows with missing values left out")) << dropped.err;
  const std::vector<std::string> some = lines(dropped.out);
  ASSERT_EQ(some.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 10 || i == 20) {
      EXPECT_EQ(some[i], "\"\"") << i;
    } else if (i > 0) {
      EXPECT_NEAR(std::stod(some[i]), std::stod(all[i]), 1e-9 * std::abs(std::stod(all[i]))) << i;
    }
  }
  const nlohmann::json json = parse(run({"predict", path("m.mercer"), fresh, "--missing", "drop", "--json"}).out);
  EXPECT_EQ(json["rows"].size(), 20U);
  EXPECT_TRUE(json["rows"][9][0].is_null());
  // A model that was fitted without such rows does not answer for them either, and labels are empty, too.
  const Outcome svc = run({"fit", "svc", write("c.csv", "x,z,y\n1,2,a\n2,1,b\n,1,a\n3,1,b\n"), "-t", "y", "--missing",
                           "drop", "-o", path("c.mercer")});
  ASSERT_EQ(svc.code, 0) << svc.err;
  const std::vector<std::string> labels =
      lines(run({"predict", path("c.mercer"), write("d.csv", "x,z\n1,2\n?,1\n2,1\n"), "--decision"}).out);
  ASSERT_EQ(labels.size(), 4U);
  EXPECT_EQ(labels[2], ",");
  const Outcome nothing = run({"predict", path("c.mercer"), write("e.csv", "x,z\n?,1\n")});
  EXPECT_EQ(nothing.code, 0) << nothing.err;
  EXPECT_EQ(lines(nothing.out).size(), 2U);
}

TEST_F(Tables, OneNameForAColumnInEveryPlace) {
  const std::string named = write_rooms("a.csv", 40);
  std::string bare = read("a.csv");
  bare = write("bare.csv", bare.substr(bare.find('\n') + 1));
  // By number, by name and by range, with and without a line of names: the same columns, so the same model.
  const auto predictions = [&](const std::string& data, const std::string& target, std::vector<std::string> rest) {
    std::vector<std::string> arguments = {"ridge", data, "-t", target, "--missing", "fill"};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    fitted(arguments);
    std::vector<std::string> numbers = lines(run({"predict", path("m.mercer"), data}).out);
    numbers.erase(numbers.begin());  // the name of the target
    return numbers;
  };
  const std::vector<std::string> expected = predictions(named, "rent", {"-k", "rbf()[\"body size\", when]"});
  EXPECT_EQ(predictions(named, "4", {"-k", "rbf()[1, 3]"}), expected);
  EXPECT_EQ(predictions(bare, "4", {"-k", "rbf()[1, 3]"}), expected);
  EXPECT_EQ(predictions(bare, "column 4", {"-k", "rbf()[\"column 1\", \"column 3\"]"}), expected);
  EXPECT_EQ(predictions(named, "rent", {"--columns", "1,when"}), expected);
  EXPECT_EQ(predictions(bare, "-1", {"--ignore", "0", "--ignore", "column 2"}), expected);
  EXPECT_EQ(predictions(named, "rent", {"--ignore", "id,town"}), expected);
  EXPECT_EQ(predictions(named, "rent", {"-k", "rbf()[\"body size\":when]", "--ignore", "town"}), expected);
  // The model has names alone.
  EXPECT_EQ(fitted({"ridge", named, "-t", "4", "-k", "rbf(gamma=1)[1, 3]"})["kernel"],
            "rbf(gamma=1)[\"body size\", when]");
  // What it does not name is not asked for.
  EXPECT_EQ(run({"predict", path("m.mercer"), write("c.csv", "when,body size\n2014-01-01,50\n")}).code, 0);
  fitted({"ridge", bare, "-t", "4", "-k", "rbf(gamma=1)[1]"});
  EXPECT_EQ(run({"predict", path("m.mercer"), write("d.csv", "1,50\n2,60\n")}).code, 0);
}

// As data frames without names write them: names in flags, quoted names in subscripts, where numbers are places.
TEST_F(Tables, NumbersMayBeNames) {
  std::string text = ",0,1,2\n";
  for (int i = 0; i < 30; ++i) {
    text += "r" + std::to_string(i) + "," + std::to_string(0.5 * i) + "," + std::to_string(0.25 * (i * i % 17)) + "," +
            std::to_string(i % 7 + 0.5) + "\n";
  }
  const std::string data = write("numbers.csv", text);
  const auto kernel = [&](const std::string& target, const std::string& subscript) {
    return fitted({"ridge", data, "-t", target, "-k", "rbf(gamma=1)" + subscript})["kernel"];
  };
  EXPECT_EQ(kernel("2", "[\"1\"]"), "rbf(gamma=1)[\"1\"]");
  EXPECT_EQ(kernel("2", "[1]"), "rbf(gamma=1)[\"0\"]");
  EXPECT_EQ(kernel("-1", "[1:3]"), "rbf(gamma=1)[\"0\", \"1\"]");
  EXPECT_EQ(lines(run({"predict", path("m.mercer"), data}).out).size(), 31U);
}

// What is a line of names to fit is one to predict and to score, also for models that have the index or other names.
TEST_F(Tables, NumbersThatAreNamesAtTrainingAreNamesLater) {
  std::string rows;
  std::string indexed;
  for (int i = 0; i < 30; ++i) {
    const std::string row =
        std::to_string(0.5 * i) + "," + std::to_string(0.25 * (i * i % 17)) + "," + std::to_string(i % 7 + 0.5) + "\n";
    rows += row;
    indexed += std::to_string(i) + "," + row;
  }
  const std::string data = write("frame.csv", ",0,1,2\n" + indexed);
  const std::string fresh = write("fresh.csv", ",0,1\n0,1.5,2.5\n1,2.5,0.25\n");
  for (const std::string ignored : {"0", "column 0", "1"}) {
    fitted({"ridge", data, "-t", "2", "--ignore", ignored});
    EXPECT_EQ(lines(run({"predict", path("m.mercer"), data}).out).size(), 31U) << ignored;
    EXPECT_EQ(lines(run({"predict", path("m.mercer"), fresh}).out).size(), 3U) << ignored;
    EXPECT_TRUE(contains(run({"score", path("m.mercer"), data}).out, "30 rows")) << ignored;
    const Outcome inspected = run({"inspect", path("m.mercer"), data});
    EXPECT_EQ(inspected.code, 0) << inspected.err;
  }
  fitted({"ridge", write("named.csv", "a,b,y\n" + rows), "-t", "y"});
  const Outcome score = run({"score", path("m.mercer"), write("numbered.csv", "0,1,2\n" + rows)});
  EXPECT_TRUE(contains(score.out, "30 rows")) << score.out;
  EXPECT_TRUE(contains(score.err, "the columns are taken by their places: a, b, y")) << score.err;
}

TEST_F(Tables, AColumnThatIsNotThereIsAnErrorOfTheDataHoweverItIsNamed) {
  const std::string data = write_rooms("a.csv", 12);
  for (const std::vector<std::string>& flags :
       std::vector<std::vector<std::string>>{{"--ignore", "nosuch"},
                                             {"--ignore", "99"},
                                             {"-k", "rbf()[nosuch]"},
                                             {"-k", "rbf()[99]"},
                                             {"-k", "rbf()[nosuch:when]"},
                                             {"-k", "delta()[nosuch]"},
                                             {"--set", "parametric=linear[nosuch]"},
                                             {"--set", "parametric=linear[99]"}}) {
    std::vector<std::string> arguments = {"fit", "ridge", data, "-t", "rent", "-o", path("m.mercer")};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 3) << flags[1] << "\n" << outcome.err;
    EXPECT_TRUE(contains(outcome.err, flags[1].find("99") == std::string::npos ? "nosuch" : "99")) << outcome.err;
  }
  EXPECT_EQ(run({"gram", "rbf()[nosuch]", data}).code, 3);
  EXPECT_EQ(run({"tune", "ridge", data, "-t", "rent", "-k", "rbf()[nosuch]", "-o", path("t.mercer")}).code, 3);
}

TEST_F(Tables, ConstantsTellNothing) {
  const std::string words = write("words.csv", "a,b,y\nu,v,1\nu,v,2\nu,v,3\n");
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"fit", "ridge", words, "-t", "y", "-o", path("m.mercer")},
                                             {"score", "ridge", words, "-t", "y", "--folds", "3"},
                                             {"tune", "ridge", words, "-t", "y", "-o", path("m.mercer")}}) {
    const Outcome refused = run(command);
    EXPECT_EQ(refused.code, 3) << command[0];
    EXPECT_TRUE(
        contains(refused.err, "words.csv: no column is left for the model; left out: a (constant), b (constant)"))
        << refused.err;
  }
  const std::string mixed = write("mixed.csv", "a,b,y\nu,2,1\nu,2,2\nu,2,3\n");
  const Outcome kept = run({"fit", "ridge", mixed, "-t", "y", "-o", path("m.mercer")});
  EXPECT_EQ(kept.code, 0);
  EXPECT_TRUE(contains(kept.err, "mixed.csv: every column that is used holds one value (b)")) << kept.err;
}

TEST_F(Tables, ColumnsWithoutValuesAreAmongThoseLeftOut) {
  const std::string data = write("a.csv", "a,b,y\n1,,1\n2,,2\n4,NA,3\n,,5\n");
  const nlohmann::json fit = fitted({"ridge", data, "-t", "y", "--missing", "drop"});
  EXPECT_EQ(fit["coding"]["left_out"], nlohmann::json({{"b", "empty"}})) << fit["coding"];
  EXPECT_EQ(fit["n"], 3);
}

TEST_F(Tables, SlipsInNamesAreExplained) {
  const std::string data = write_rooms("a.csv", 12);
  const auto error = [&](std::vector<std::string> rest) {
    std::vector<std::string> arguments = {"fit", "ridge", data, "-t", "rent", "-o", path("m.mercer")};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    const Outcome outcome = run(arguments);
    EXPECT_NE(outcome.code, 0);
    return outcome.err;
  };
  EXPECT_TRUE(contains(error({"-k", "rbf()[body size]"}), "is quoted, [\"body size\"]; in a shell"));
  EXPECT_TRUE(contains(error({"-k", "rbf()[body-size, when]"}), "is quoted, [\"body-size\"]"));
  EXPECT_TRUE(contains(error({"-k", "rbf()[5]"}), "there are 5 columns, numbered from 0"));
  EXPECT_TRUE(contains(error({"-k", "rbf()[4]"}), "'rent' is no input"));
  EXPECT_TRUE(contains(error({"-k", "rbf()[when:town]"}), "'town' comes before 'when'"));
  EXPECT_TRUE(contains(error({"-k", "if_present(rbf())[\"body size\", town]"}),
                       "if_present() of a kernel on vectors is given column 'town', which holds categories"));
  EXPECT_TRUE(contains(error({"-k", "rbf()[town]", "--text", "town"}), "column 'town', which holds texts"));
  EXPECT_TRUE(contains(error({"--missing", "kernel", "-k", "rbf()"}), "if_present(rbf(gamma=scale)) does"));
  EXPECT_TRUE(contains(error({"--ignore", "twon"}), "Did you mean 'town'?"));
  EXPECT_TRUE(contains(error({"-k", "rbf()[twon]"}), "Did you mean 'town'?"));
  EXPECT_TRUE(contains(error({"-s", "parametric=linear[twon]"}), "Did you mean 'town'?"));
  EXPECT_TRUE(contains(error({"-k", "rbf()[rent]"}), "'rent' is no input: it is a target"));
  EXPECT_TRUE(contains(error({"-s", "parametric=linear[rent]"}), "'rent' is no input: it is a target"));
  EXPECT_TRUE(contains(error({"-k", "rbf()[when]", "--ignore", "when"}), "'when' is no input: it serves another"));
  EXPECT_TRUE(contains(error({"--ignore", "9"}), "the file has 5 columns, numbered from 0\n"));
  EXPECT_TRUE(contains(error({"--ignore", "rent"}), "is to be ignored and serves another purpose"));
  const Outcome sparse =
      run({"fit", "ridge", write("a.svm", "1 1:2\n2 1:3\n"), "--ignore", "0", "-o", path("m.mercer")});
  EXPECT_EQ(sparse.code, 3);
  EXPECT_TRUE(contains(sparse.err, "only of CSV and JSON lines columns can be chosen")) << sparse.err;
}

// A model does with missing numbers what it was fitted to do, leaves their rows out, or refuses them.
TEST_F(Tables, RulesForMissingNumbersThatAModelDoesNotHaveAreRefused) {
  const std::string data = write_rooms("a.csv", 40);
  const std::string fresh = write_rooms("b.csv", 20, false);
  const auto outcome = [&](const std::string& rule) {
    return run({"predict", path("m.mercer"), fresh, "--missing", rule});
  };
  const auto expect = [&](const std::string& fitted_with, const std::string& possible, std::vector<std::string> more) {
    std::vector<std::string> arguments = {"ridge", data, "-t", "rent", "--ignore", "id", "--missing", fitted_with};
    arguments.insert(arguments.end(), more.begin(), more.end());
    fitted(arguments);
    for (const std::string rule : {"indicator", "fill", "drop", "reject", "kernel"}) {
      const Outcome predict = outcome(rule);
      if (possible.find(rule) == std::string::npos) {
        EXPECT_EQ(predict.code, 2) << fitted_with << " " << rule;
        EXPECT_TRUE(contains(predict.err, "--missing " + rule + ": the model was fitted with --missing " + fitted_with))
            << predict.err;
        EXPECT_TRUE(contains(predict.err, "It takes " + possible)) << predict.err;
      } else {
        EXPECT_EQ(predict.code, rule == "reject" ? 3 : 0) << fitted_with << " " << rule << predict.err;
      }
    }
  };
  expect("indicator", "indicator, drop, reject", {});
  expect("fill", "fill, drop, reject", {});
  expect("drop", "fill, drop, reject", {});
  expect("kernel", "drop, reject, kernel", {"-k", "if_present(rbf())[\"body size\"] + rbf()[when]"});
}

// rbf()[size, town] is what rbf() is of a file of these columns, and of one where the levels stand in columns by hand.
TEST_F(Tables, CategoriesInSubscriptsAreCoded) {
  std::string text = "size,town,age,rent\n";
  std::string part = "size,town,rent\n";
  std::string by_hand = "size,ulm,bern,graz,rent\n";
  for (int i = 0; i < 40; ++i) {
    const int size = 20 + 7 * i % 80;
    const std::string town = i % 3 == 0 ? "Ulm" : i % 3 == 1 ? "Bern" : "Graz";
    const std::string rent = std::to_string(10 * size + 100 * (i % 3));
    text += std::to_string(size) + "," + town + "," + std::to_string(i % 11) + "," + rent + "\n";
    part += std::to_string(size) + "," + town + "," + rent + "\n";
    by_hand += std::to_string(size) + (i % 3 == 0 ? ",1,0,0," : i % 3 == 1 ? ",0,1,0," : ",0,0,1,") + rent + "\n";
  }
  const auto predictions = [&](const std::string& data, const std::string& kernel, const std::string& scale) {
    fitted({"ridge", data, "-t", "rent", "-k", kernel, "--scale", scale});
    return lines(run({"predict", path("m.mercer"), data}).out);
  };
  const std::string all = write("a.csv", text);
  EXPECT_EQ(predictions(all, "rbf()[size, town]", "standard"), predictions(write("p.csv", part), "rbf()", "standard"));
  EXPECT_EQ(predictions(all, "rbf()[size, town]", "none"), predictions(write("h.csv", by_hand), "rbf()", "none"));
  // Beside a kernel that sees the category itself, and in one subscript with it.
  const std::vector<std::string> apart =
      predictions(all, "rbf(gamma=0.1)[size, town] + hamming(gamma=0.5)[size, town]", "none");
  EXPECT_EQ(predictions(all, "(rbf(gamma=0.1) + hamming(gamma=0.5))[size, town]", "none"), apart);
  EXPECT_EQ(predictions(all, "rbf(gamma=0.1)[size, town] + hamming(gamma=0.5)[size, town] + 0*rbf()[age]", "none"),
            apart);
  EXPECT_EQ(run({"predict", path("m.mercer"), write("n.csv", "town,age,size\nUlm,1,20\nRome,2,30\n")}).code, 0);
}

// The same as a sum over the columns, and not the rows that have all of them.
TEST_F(Tables, IfPresentOnSeveralColumnsIsEachOfThem) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 30; ++i) {
    text += (i % 4 == 0 ? "" : std::to_string(i * i % 17)) + "," + (i % 3 == 0 ? "?" : std::to_string(i % 7)) + "," +
            std::to_string(i % 5 + i % 7) + "\n";
  }
  const std::string data = write("a.csv", text);
  const auto predictions = [&](const std::string& kernel) {
    fitted({"ridge", data, "-t", "y", "-k", kernel});
    return lines(run({"predict", path("m.mercer"), data}).out);
  };
  const std::vector<std::string> each = predictions("if_present(rbf())[a] + if_present(rbf())[b]");
  EXPECT_EQ(predictions("if_present(rbf())[a, b]"), each);
  EXPECT_EQ(predictions("if_present(rbf())"), each);
  EXPECT_NE(predictions("if_present(rbf()[a, b])"), each);
}

TEST_F(Tables, BrokenColumnsAreSaidOnStandardError) {
  std::string rows;
  for (int i = 0; i < 40; ++i) {
    rows += (i == 9 ? "soon" : "20" + std::to_string(10 + i) + "-05-21") + "," + std::to_string(i % 5) + "," +
            std::to_string(i % 7) + "\n";
  }
  const std::string data = write("a.csv", "when,y,x\n" + rows);
  const Outcome fit = run({"fit", "ridge", data, "-t", "y", "-o", path("m.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_TRUE(contains(fit.err, "a.csv:11:1: column 'when': 'soon' is no date, though 39 of the 40 entries are"))
      << fit.err;
  EXPECT_TRUE(contains(fit.out, "left out: when (unique)")) << fit.out;
}

TEST_F(Tables, FilesWithoutNamesServeModelsWithNames) {
  const std::string data = write_rooms("a.csv", 40);
  fitted({"ridge", data, "-t", "rent", "--ignore", "id"});
  std::string bare = read("a.csv");
  bare = write("bare.csv", bare.substr(bare.find('\n') + 1));
  const Outcome named = run({"score", path("m.mercer"), data});
  const Outcome places = run({"score", path("m.mercer"), bare});
  ASSERT_EQ(places.code, 0) << places.err;
  EXPECT_EQ(places.out.substr(places.out.find('\n')), named.out.substr(named.out.find('\n')));
  EXPECT_TRUE(contains(places.err,
                       "bare.csv: there is no line of names, and the columns are taken by their places: id, "
                       "body size, town, when, rent"))
      << places.err;
  const Outcome narrow = run({"predict", path("m.mercer"), write("n.csv", "5,Ulm\n6,Bern\n")});
  EXPECT_EQ(narrow.code, 3);
  EXPECT_TRUE(contains(narrow.err, "as many as in the training file: 5, or 4 inputs; here are 2")) << narrow.err;
}

TEST_F(Tables, NamesWithBlanksAndNamesThatLookLikePlaces) {
  std::string text = "body mass,y\n";
  std::string places = "column 1,column 0\n";
  for (int i = 0; i < 20; ++i) {
    text += std::to_string(i) + ".5," + std::to_string(3 * i) + "\n";
    places += std::to_string(i) + ".5," + std::to_string(3 * i) + "\n";
  }
  fitted({"ridge", write("a.csv", text), "-t", "y"});
  const Outcome one = run({"predict", path("m.mercer"), write("b.csv", "body mass\n1.5\n2.5\n")});
  ASSERT_EQ(one.code, 0) << one.err;
  const std::vector<std::string> expected = lines(one.out);
  EXPECT_EQ(expected.size(), 3U);
  const std::string data = write("c.csv", places);
  fitted({"ridge", data, "-t", "column 0"});
  const std::vector<std::string> found =
      lines(run({"predict", path("m.mercer"), write("d.csv", "y,column 1\n8,1.5\n9,2.5\n")}).out);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[1], expected[1]);
  EXPECT_EQ(found[2], expected[2]);
  const Outcome score = run({"score", path("m.mercer"), data});
  EXPECT_EQ(score.code, 0) << score.err;
}

// Numbers in subscripts are places, also where other columns have such numbers for names.
TEST_F(Tables, NumbersInSubscriptsArePlacesWhereNamesAreNumbers) {
  std::string rows;
  for (int i = 1; i <= 30; ++i) {
    for (const int value : {2 * i, i * i % 17, i * 7 % 11}) {
      rows += std::to_string(value) + ",";
    }
    rows += std::to_string(i) + "\n";
  }
  const std::string digits = write("digits.csv", "1,2,0,y\n" + rows);
  const std::string letters = write("letters.csv", "p,q,r,y\n" + rows);
  for (const std::string subscript : {"[0]", "[1]", "[2]", "[1, 2]", "[0:2]"}) {
    std::vector<std::string> answers;
    for (const std::string& data : {digits, letters}) {
      const Outcome fitted =
          run({"fit", "ridge", data, "-t", "y", "-k", "rbf(gamma=1)" + subscript, "-o", path("m.mercer")});
      ASSERT_EQ(fitted.code, 0) << subscript << fitted.err;
      answers.push_back(run({"predict", path("m.mercer"), data}).out);
    }
    EXPECT_EQ(answers[0], answers[1]) << subscript;
  }
}

TEST_F(Tables, RangesOfKeysOfJsonLines) {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text += "{\"a\": " + std::to_string(i) + ", \"b\": " + std::to_string(i % 7) + ", \"c\": \"" +
            (i % 2 == 0 ? "u" : "v") + "\", \"y\": " + std::to_string(i % 5) + "}\n";
  }
  const std::string data = write("a.jsonl", text);
  const auto predictions = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"ridge", data, "-t", "y"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    fitted(arguments);
    return lines(run({"predict", path("m.mercer"), data}).out);
  };
  EXPECT_EQ(predictions({"--columns", "a:b"}), predictions({"--columns", "a,b"}));
  EXPECT_EQ(predictions({"--ignore", "b:c"}), predictions({"--columns", "a"}));
  EXPECT_EQ(predictions({"-k", "rbf()[a:b] + delta()[b:c]"}), predictions({"-k", "rbf()[a, b] + delta()[b, c]"}));
}

TEST_F(Tables, PartsOfDatesAreColumns) {
  const std::string data = write_rooms("a.csv", 40);
  const nlohmann::json fit = fitted({"ridge", data, "-t", "rent", "--dates", "parts", "-k",
                                     "periodic(period=7)[when_weekday] + rbf()[when]", "--scale", "none"});
  EXPECT_EQ(fit["kernel"].get<std::string>().substr(0, 8), "periodic");
  EXPECT_EQ(run({"predict", path("m.mercer"), write("later.csv", "when\n2015-01-01\n")}).code, 0);
  EXPECT_EQ(fitted({"ridge", data, "-t", "rent", "--dates", "parts"})["coding"]["numbers"], 5);
}

TEST_F(Tables, ArraysAreReadAsBefore) {
  const std::string table = write("a.csv", "1,2,3\n4,5,6\n7,8,1\n2,2,2\n");
  ASSERT_EQ(run({"gram", "linear()", table, "-o", path("X.npy"), "--scale", "none"}).code, 0);
  const nlohmann::json fit = fitted({"ridge", path("X.npy"), "-t", "0", "-k", "rbf(gamma=1)[0, 2]"});
  EXPECT_EQ(fit["kernel"], "rbf(gamma=1)[0, 2]");  // of the inputs, as of arrays everywhere
  EXPECT_FALSE(fit.contains("coding"));
}

}  // namespace
}  // namespace mercer::cli_test
