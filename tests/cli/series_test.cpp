// --embed and --forecast: series in the program, against tables that are embedded by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

std::vector<double> series_wave(int n) {
  std::vector<double> z;
  for (int t = 0; t < n; ++t) {
    z.push_back(std::round(1e4 * (std::sin(0.4 * t) + 0.3 * std::sin(1.1 * t + 1))) / 1e4);
  }
  return z;
}

std::string series_number(double value) {
  std::ostringstream text;
  text.precision(17);
  text << value;
  return text.str();
}

class SeriesCommands : public CliTest {
 protected:
  std::string write_series(const std::string& name, const std::vector<double>& z,
                           const std::string& heading = "y") const {
    std::string text = heading + "\n";
    for (const double value : z) {
      text += (std::isnan(value) ? "\"\"" : series_number(value)) + "\n";
    }
    return write(name, text);
  }
  /// Rows with `lags` values of the past, `delay` apart.
  std::string write_rows(const std::string& name, const std::vector<double>& z, int lags, int delay) const {
    std::string text;
    for (int k = 1; k <= lags; ++k) {
      text += "y(t-" + std::to_string(k * delay) + "),";
    }
    text += "y\n";
    for (int t = lags * delay; t < static_cast<int>(z.size()); ++t) {
      for (int k = 1; k <= lags; ++k) {
        text += series_number(z[t - k * delay]) + ",";
      }
      text += series_number(z[t]) + "\n";
    }
    return write(name, text);
  }
  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
      result.push_back(line);
    }
    return result;
  }
  static Outcome done(const std::vector<std::string>& arguments) {
    Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome;
  }
};

TEST_F(SeriesCommands, AreThoseOfRowsThatWereEmbeddedByHand) {
  const std::vector<double> z = series_wave(60);
  const std::string series = write_series("series.csv", z);
  const std::string rows = write_rows("rows.csv", z, 3, 2);
  const auto fitted =
      parse(done({"fit", "ridge", series, "-t", "y", "--embed", "3,2", "-o", path("s.mercer"), "--json"}).out);
  EXPECT_EQ(fitted["embedding"], (nlohmann::json{{"series", "y"}, {"lags", 3}, {"delay", 2}}));
  EXPECT_EQ(fitted["n"], 54);
  EXPECT_EQ(fitted["d"], 3);
  EXPECT_EQ(parse(done({"inspect", path("s.mercer"), "--json"}).out)["embedding"], fitted["embedding"]);
  done({"fit", "ridge", rows, "-t", "y", "-o", path("r.mercer"), "-q"});
  const auto one = lines(done({"predict", path("s.mercer"), series, "-q"}).out);
  const auto two = lines(done({"predict", path("r.mercer"), rows, "-q"}).out);
  ASSERT_EQ(one.size(), 61U);
  for (std::size_t i = 1; i <= 6; ++i) {
    EXPECT_EQ(one[i], "\"\"");
  }
  EXPECT_EQ(std::vector<std::string>(one.begin() + 7, one.end()), std::vector<std::string>(two.begin() + 1, two.end()));
  const auto scores = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "score");
    words.emplace_back("--json");
    return parse(done(words).out)["scores"];
  };
  EXPECT_EQ(scores({path("s.mercer"), series}), scores({path("r.mercer"), rows}));
  // Folds in the order of time, unless something else is asked for.
  EXPECT_EQ(scores({"ridge", series, "-t", "y", "--embed", "3,2"}), scores({"ridge", rows, "-t", "y", "--time-order"}));
  EXPECT_EQ(scores({"ridge", series, "-t", "y", "--embed", "3,2", "--folds", "loo"}),
            scores({"ridge", rows, "-t", "y", "--folds", "loo"}));
  const auto tuned = [&](std::vector<std::string> words, const std::string& model) {
    const std::vector<std::string> common = {"-t",   "y",      "-s", "lambda=0.01|1", "-k", "rbf(gamma=0.3)", "--scale",
                                             "none", "--json", "-o", path(model)};
    words.insert(words.begin(), {"tune", "ridge"});
    words.insert(words.end(), common.begin(), common.end());
    return parse(done(words).out)["points"];
  };
  EXPECT_EQ(tuned({series, "--embed", "3,2"}, "ts.mercer"), tuned({rows, "--time-order"}, "tr.mercer"));
  EXPECT_EQ(lines(done({"predict", path("ts.mercer"), series, "-q"}).out).back(),
            lines(done({"predict", path("tr.mercer"), rows, "-q"}).out).back());
}

TEST_F(SeriesCommands, ForecastsFeedTheirAnswersBack) {
  std::vector<double> z = series_wave(50);
  const std::string series = write_series("series.csv", z);
  done({"fit", "ridge", series, "-t", "y", "--embed", "4,1", "-k", "linear()", "-s", "lambda=1e-10", "-o",
        path("m.mercer"), "-q"});
  const auto ahead = lines(done({"predict", path("m.mercer"), series, "--forecast", "6"}).out);
  ASSERT_EQ(ahead.size(), 7U);
  EXPECT_EQ(ahead[0], "y");
  for (int h = 1; h <= 6; ++h) {
    z.push_back(NAN);
    const auto answers = lines(done({"predict", path("m.mercer"), write_series("next.csv", z), "-q"}).out);
    EXPECT_NEAR(std::stod(answers.back()), std::stod(ahead[h]), 1e-12);
    z.back() = std::stod(ahead[h]);
  }
  const auto json = parse(done({"predict", path("m.mercer"), series, "--forecast", "2", "--json"}).out);
  EXPECT_EQ(json["n"], 2);
  EXPECT_EQ(json["rows"][1][0], std::stod(ahead[2]));
}

TEST_F(SeriesCommands, OtherColumnsAreOfTheFuture) {
  std::string text = "y,u\n";
  std::string unknown;
  double y = 0;
  for (int t = 0; t < 44; ++t) {
    const double u = std::sin(1.3 * t);
    y = 0.5 * y + u;
    (t < 40 ? text : unknown) += (t < 40 ? series_number(y) : "") + "," + series_number(u) + "\n";
  }
  const std::string past = write("past.csv", text);
  const std::string future = write("future.csv", text + unknown);
  done({"fit", "ridge", past, "-t", "y", "--embed", "1", "-k", "linear()", "-s", "lambda=1e-10", "-o", path("m.mercer"),
        "-q"});
  const auto ahead = lines(done({"predict", path("m.mercer"), future, "--forecast", "4"}).out);
  EXPECT_NEAR(std::stod(ahead.back()), y, 1e-6);
  const Outcome refused = run({"predict", path("m.mercer"), past, "--forecast", "1"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_TRUE(contains(refused.err, "the model looks at other columns than the series (u)")) << refused.err;
}

// Weights and groups are those of the row that is predicted.
TEST_F(SeriesCommands, WeightsAndGroupsStandBeside) {
  const std::vector<double> z = series_wave(40);
  std::string series = "y,w,g\n";
  std::string rows = "y(t-1),y(t-2),y,w,g\n";
  for (int t = 0; t < 40; ++t) {
    const std::string end = series_number(z[t]) + "," + std::to_string(t % 3) + "," + std::to_string(t / 8) + "\n";
    series += end;
    rows += t < 2 ? "" : series_number(z[t - 1]) + "," + series_number(z[t - 2]) + "," + end;
  }
  const auto answers = [&](const std::string& file, const std::vector<std::string>& flags, const std::string& model) {
    std::vector<std::string> words = {"fit", "ridge",    file, "-t", "y",  "--weights",
                                      "w",   "--ignore", "g",  "-q", "-o", model};
    words.insert(words.end(), flags.begin(), flags.end());
    done(words);
    return lines(done({"predict", model, file, "-q"}).out);
  };
  const std::string one = write("series.csv", series);
  const std::string two = write("rows.csv", rows);
  const auto embedded = answers(one, {"--embed", "2"}, path("s.mercer"));
  const auto by_hand = answers(two, {}, path("r.mercer"));
  EXPECT_EQ(std::vector<std::string>(embedded.begin() + 3, embedded.end()),
            std::vector<std::string>(by_hand.begin() + 1, by_hand.end()));
  const auto scored = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"score", "ridge"});
    words.insert(words.end(), {"-t", "y", "--groups", "g", "--weights", "w", "--json"});
    return parse(done(words).out);
  };
  const auto score = scored({one, "--embed", "2"});
  EXPECT_EQ(score["folds"]["kind"], "grouped");
  EXPECT_EQ(score["scores"], scored({two})["scores"]);
}

TEST_F(SeriesCommands, GapsAreCountedAndColumnsHaveNames) {
  std::vector<double> z = series_wave(40);
  z[20] = NAN;
  const std::string series = write_series("series.csv", z);
  const Outcome fit = done({"fit", "ridge", series, "-t", "y", "--embed", "2,3", "-k",
                            "rbf()[\"y(t-3)\"] + linear()[\"y(t-6)\"]", "-o", path("m.mercer")});
  EXPECT_TRUE(contains(fit.err, "31 of 40 rows")) << fit.err;
  EXPECT_TRUE(contains(fit.err, "3 rows with a missing value, now or in the past, left out")) << fit.err;
  const auto answers = lines(done({"predict", path("m.mercer"), series, "-q"}).out);
  ASSERT_EQ(answers.size(), 41U);
  EXPECT_EQ(answers[1 + 23], "\"\"");
  EXPECT_EQ(answers[1 + 26], "\"\"");
  EXPECT_NE(answers[1 + 20], "\"\"");  // its past is there
  const auto scored = parse(done({"score", path("m.mercer"), series, "--json"}).out);
  EXPECT_EQ(scored["n"], 31);
}

// An empty line of a file of one column is a value that is missing: rows around it are no neighbors.
TEST_F(SeriesCommands, EmptyLinesAreMissingValues) {
  const std::string quoted = write("quoted.csv", "y\n1\n2\n4\n\"\"\n3\n5\n7\n6\n8\n\"\"\n");
  const std::string empty = write("empty.csv", "y\n1\n2\n4\n\n3\n5\n7\n6\n8\n\n");
  const std::string returns = write("returns.csv", "y\r\n1\r\n2\r\n4\r\n\r\n3\r\n5\r\n7\r\n6\r\n8\r\n  \r\n");
  const std::string nameless = write("nameless.csv", "1\n2\n4\n\n3\n5\n7\n6\n8\n\n");
  const auto answers = [&](const std::string& file, const std::string& series) {
    const Outcome fit = done({"fit", "ridge", file, "-t", series, "--embed", "1", "-o", path("m.mercer")});
    EXPECT_TRUE(contains(fit.err, "6 of 10 rows")) << fit.err;
    std::vector<std::string> predicted = lines(done({"predict", path("m.mercer"), file, "-q"}).out);
    EXPECT_EQ(predicted.size(), 11U);
    predicted.erase(predicted.begin());
    return predicted;
  };
  const std::vector<std::string> expected = answers(quoted, "y");
  EXPECT_EQ(expected[4], "\"\"");
  EXPECT_NE(expected[9], "\"\"");  // the next value
  EXPECT_EQ(answers(empty, "y"), expected);
  EXPECT_EQ(answers(returns, "y"), expected);
  EXPECT_EQ(answers(nameless, "0"), expected);
  // Elsewhere they are no rows.
  EXPECT_EQ(parse(done({"fit", "kpca", empty, "-o", path("k.mercer"), "--json"}).out)["n"], 8);
}

// What is missing of the future is refused, whatever the rule of the model; what is unknown is said.
TEST_F(SeriesCommands, NothingOfTheFutureIsFilledIn) {
  std::string past = "y,u,k\n";
  for (int t = 0; t < 40; ++t) {
    past += series_number(std::sin(0.4 * t) + 0.3 * (t % 2)) + "," + series_number(std::cos(0.7 * t)) + "," +
            (t % 2 == 0 ? "a" : "b") + "\n";
  }
  const std::string train = write("train.csv", past);
  const std::string whole = write("whole.csv", past + ",0.5,a\n,0.1,b\n,,\n");
  const std::string no_number = write("number.csv", past + ",0.5,a\n,,b\n");
  const std::string no_word = write("word.csv", past + ",0.5,a\n,0.1,\n");
  const std::string unknown = write("unknown.csv", past + ",0.5,c\n,0.1,b\n");
  std::vector<std::string> first;
  for (const std::string rule : {"indicator", "fill", "drop", "reject"}) {
    const std::string model = path(rule + ".mercer");
    done({"fit", "ridge", train, "-t", "y", "--embed", "3", "--missing", rule, "-o", model, "-q"});
    if (rule != "reject") {
      const auto ahead = lines(done({"predict", model, whole, "--forecast", "2", "-q"}).out);
      EXPECT_EQ(ahead.size(), 3U);
      first = first.empty() ? ahead : first;
      EXPECT_EQ(ahead, first) << rule;
      // The next value is that of the first row behind the last one, also where rows with missing values are dropped.
      EXPECT_NEAR(std::stod(lines(done({"predict", model, whole, "-q"}).out)[41]), std::stod(first[1]), 1e-12) << rule;
    }
    for (const std::string& file : {no_number, no_word}) {
      const Outcome refused = run({"predict", model, file, "--forecast", "2"});
      EXPECT_EQ(refused.code, 3) << rule << refused.err;
      const bool names_place = contains(refused.err, "row 41") || contains(refused.err, ":43:");
      EXPECT_TRUE(names_place && contains(refused.err, file == no_word ? "'k'" : "u")) << rule << refused.err;
      done({"predict", model, file, "--forecast", "1", "-q", "--missing", "drop"});
    }
    const Outcome said = done({"predict", model, unknown, "--forecast", "2"});
    EXPECT_TRUE(contains(said.err, "levels that the training rows did not have, which count as no level: k 1"))
        << said.err;
  }
}

TEST_F(SeriesCommands, NoiseStandsBesideAndSearchesKeepGroups) {
  std::string text = "y,w,g,v\n";
  for (int t = 0; t < 40; ++t) {
    text += series_number(std::sin(0.4 * t)) + "," + std::to_string(1 + t % 3) + "," + std::to_string(t / 8) + ",0.0" +
            std::to_string(1 + t % 4) + "\n";
  }
  const std::string file = write("all.csv", text);
  done({"fit", "gp", file, "-t", "y", "--embed", "2", "--noise", "v", "--ignore", "w,g", "-o", path("m.mercer"), "-q"});
  done({"score", "gp", file, "-t", "y", "--embed", "2", "--noise", "v", "--ignore", "w,g", "-q"});
  done({"tune", "ridge", file, "-t", "y", "--embed", "2", "--weights", "w", "--groups", "g", "--ignore", "v", "-s",
        "lambda=0.1|1", "-q", "-o", path("t.mercer")});
}

TEST_F(SeriesCommands, FilesWithoutNamesAndArrays) {
  std::string text;
  for (const double value : series_wave(40)) {
    text += series_number(value) + "\n";
  }
  const std::string series = write("series.csv", text);
  done({"fit", "ridge", series, "-t", "0", "--embed", "2", "-o", path("m.mercer"), "-q"});
  EXPECT_EQ(lines(done({"predict", path("m.mercer"), series, "--forecast", "3", "-q"}).out).size(), 4U);
  EXPECT_EQ(lines(done({"predict", path("m.mercer"), series, "-q"}).out).size(), 41U);
}

TEST_F(SeriesCommands, WhatCannotBeIsRefused) {
  const std::string series = write_series("series.csv", series_wave(12));
  const auto refused = [&](std::vector<std::string> words, int code, const std::string& message) {
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, message)) << outcome.err;
  };
  const std::string model = path("m.mercer");
  refused({"fit", "svc", series, "-t", "y", "--embed", "2", "-o", model}, 2, "for models that predict numbers");
  refused({"fit", "ridge", series, "--embed", "2", "-o", model}, 2, "--embed: name the column that is the series");
  refused({"fit", "ridge", series, "-t", "y", "--embed", "2,x", "-o", model}, 2, "two whole numbers N,TAU");
  refused({"fit", "ridge", series, "-t", "y", "--embed", "", "-o", model}, 2, "two whole numbers N,TAU are expected");
  refused({"fit", "ridge", series, "-t", "y", "--embed", "0,1", "-o", model}, 2, "lags of a series = 0");
  refused({"fit", "ridge", series, "-t", "yy", "--embed", "2", "-o", model}, 3,
          "there is no column 'yy', the series. Did you mean 'y'?");
  refused({"fit", "ridge", series, "-t", "y", "--embed", "6,2", "-o", model}, 3,
          "a series of 12 rows is too short to look 12 rows back");
  done({"fit", "gp", series, "-t", "y", "--embed", "2", "-o", model, "-q"});
  refused({"predict", model, series, "--forecast", "2", "--std"}, 2, "are of the next value alone (--forecast 1)");
  refused({"predict", model, series, "--forecast", "2", "--quantiles", "0.5"}, 2, "--interval, --quantiles and");
  EXPECT_EQ(lines(done({"predict", model, series, "--forecast", "1", "--std"}).out)[0], "y,std(y)");
  EXPECT_TRUE(contains(done({"inspect", model}).out, "y(t-1), y(t-2)  (--embed 2,1)"));
  refused({"predict", model, series, "-t", "y"}, 2, "the model predicts the series 'y' from its own past");
  refused({"predict", model, write("other.csv", "x\n1\n2\n3\n")}, 3, "y");
  done({"fit", "ridge", write_plane("p.csv"), "-t", "y", "-o", path("p.mercer"), "-q"});
  refused({"predict", path("p.mercer"), path("p.csv"), "--forecast", "2"}, 2, "fit it with --embed N,TAU");
}

}  // namespace
}  // namespace mercer::cli_test
