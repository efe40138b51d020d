// Predictive distributions from the shell: predict --std, --interval, --samples, --of; what score adds; fit --noise; and
// the refusals of models that have nothing of the kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "cli/program.h"

namespace mercer::cli_test {
namespace {

struct Table {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;

  std::vector<double> column(const std::string& name) const {
    const auto found = std::find(names.begin(), names.end(), name);
    std::vector<double> values;
    for (const auto& row : rows) {
      values.push_back(found == names.end() ? NAN : row[found - names.begin()]);
    }
    return values;
  }
};

Table table(const std::string& csv) {
  Table result;
  std::istringstream stream(csv);
  std::string line;
  std::getline(stream, line);
  std::istringstream heading(line);
  for (std::string field; std::getline(heading, field, ',');) {
    result.names.push_back(field);
  }
  while (std::getline(stream, line)) {
    std::istringstream fields(line);
    auto& row = result.rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) {
      row.push_back(std::stod(field));
    }
  }
  return result;
}

class Distribution : public CliTest {
 protected:
  // sin(x) with a wave of "noise" whose variance is about 0.005; with `variances` a column v that says so of the first
  // half of the rows, and much more of the others.
  enum class Variances { none, given };
  std::string write_wave(const std::string& name, int rows, Variances variances = Variances::none) const {
    std::string text = variances == Variances::given ? "x,y,v\n" : "x,y\n";
    for (int i = 0; i < rows; ++i) {
      const double x = 6.0 * i / rows;
      const double noise = 0.14 * std::sin(37.0 * i) * std::cos(11.0 * i * i);
      text += std::to_string(x) + "," + std::to_string(std::sin(x) + noise);
      text += variances == Variances::none ? "\n" : i < rows / 2 ? ",0.005\n" : ",0.25\n";
    }
    return write(name, text);
  }
  std::string fit_gp() const {
    const Outcome fit = run({"fit", "gp", write_wave("wave.csv", 60), "-t", "y", "-q", "-o", path("gp.mercer")});
    EXPECT_EQ(fit.code, 0) << fit.err;
    return path("gp.mercer");
  }
};

TEST_F(Distribution, StandardDeviationsAndIntervals) {
  const std::string model = fit_gp();
  const std::string fresh = write("new.csv", "x\n0.5\n3\n5\n40\n");
  const Outcome both = run({"predict", model, fresh, "--std", "--interval", "0.95"});
  ASSERT_EQ(both.code, 0) << both.err;
  const Table t = table(both.out);
  EXPECT_EQ(t.names, (std::vector<std::string>{"y", "std(y)", "lower(y)", "upper(y)"}));
  ASSERT_EQ(t.rows.size(), 4U);
  for (const auto& row : t.rows) {
    EXPECT_GT(row[1], 0);
    EXPECT_NEAR(row[2], row[0] - 1.959963984540054 * row[1], 1e-6 * row[1]);
    EXPECT_NEAR(row[3], row[0] + 1.959963984540054 * row[1], 1e-6 * row[1]);
  }
  // Far from all data it is less sure; each flag alone gives the same numbers.
  EXPECT_GT(t.rows[3][1], 2 * t.rows[1][1]);
  const Table deviations = table(run({"predict", model, fresh, "--std"}).out);
  EXPECT_EQ(deviations.names, (std::vector<std::string>{"y", "std(y)"}));
  EXPECT_EQ(deviations.column("std(y)"), t.column("std(y)"));
  const Table limits = table(run({"predict", model, fresh, "--interval=0.95"}).out);
  EXPECT_EQ(limits.names, (std::vector<std::string>{"y", "lower(y)", "upper(y)"}));
  EXPECT_EQ(limits.column("upper(y)"), t.column("upper(y)"));
  EXPECT_EQ(table(run({"predict", model, fresh}).out).names, std::vector<std::string>{"y"});
  // A smaller probability is a narrower interval.
  const Table half = table(run({"predict", model, fresh, "--interval", "0.5"}).out);
  EXPECT_LT(half.column("upper(y)")[0], t.column("upper(y)")[0]);
}

TEST_F(Distribution, TheFunctionIsSurerThanItsObservation) {
  const std::string model = fit_gp();
  const std::string fresh = write("new.csv", "x\n1\n2\n");
  const auto observed = table(run({"predict", model, fresh, "--std"}).out).column("std(y)");
  const auto spelled = table(run({"predict", model, fresh, "--std", "--of", "observation"}).out).column("std(y)");
  const auto function = table(run({"predict", model, fresh, "--std", "--of", "function"}).out).column("std(y)");
  EXPECT_EQ(observed, spelled);
  ASSERT_EQ(function.size(), 2U);
  // The same noise at both points.
  EXPECT_LT(function[0], observed[0]);
  EXPECT_NEAR(std::pow(observed[0], 2) - std::pow(function[0], 2), std::pow(observed[1], 2) - std::pow(function[1], 2),
              1e-9);
}

TEST_F(Distribution, SamplesAreJointAndFollowTheSeed) {
  const std::string model = fit_gp();
  // Two rows that are the same, and one far away.
  const std::string fresh = write("new.csv", "x\n1\n1\n2.5\n");
  const Outcome first = run({"predict", model, fresh, "--samples", "50", "--seed", "3"});
  ASSERT_EQ(first.code, 0) << first.err;
  const Table t = table(first.out);
  ASSERT_EQ(t.names.size(), 51U);
  EXPECT_EQ(t.names[1], "sample1(y)");
  EXPECT_EQ(t.names[50], "sample50(y)");
  double spread = 0;
  for (std::size_t s = 1; s <= 50; ++s) {
    EXPECT_NEAR(t.rows[0][s], t.rows[1][s], 1e-3);  // functions: the same input has one value
    spread = std::max(spread, std::abs(t.rows[0][s] - t.rows[0][0]));
  }
  EXPECT_GT(spread, 1e-3);
  EXPECT_EQ(run({"predict", model, fresh, "--samples", "50", "--seed", "3", "--threads", "1"}).out, first.out);
  EXPECT_NE(run({"predict", model, fresh, "--samples", "50", "--seed", "4"}).out, first.out);
  // Observations of the same input differ by their noise.
  const Table noisy = table(run({"predict", model, fresh, "--samples", "50", "--of", "observation"}).out);
  double apart = 0;
  for (std::size_t s = 1; s <= 50; ++s) {
    apart = std::max(apart, std::abs(noisy.rows[0][s] - noisy.rows[1][s]));
  }
  EXPECT_GT(apart, 0.02);
}

TEST_F(Distribution, SeveralOutputsStandTogether) {
  std::string text = "x,u,v\n";
  for (int i = 0; i < 30; ++i) {
    const double x = 0.2 * i;
    text += std::to_string(x) + "," + std::to_string(std::sin(x)) + "," + std::to_string(100 * std::cos(x)) + "\n";
  }
  const std::string data = write("two.csv", text);
  ASSERT_EQ(run({"fit", "gp", data, "-t", "u,v", "-q", "-o", path("m.mercer")}).code, 0);
  const Outcome predict = run({"predict", path("m.mercer"), data, "--std", "--interval", "0.9", "--samples", "1", "-o",
                               path("p.csv"), "--json"});
  ASSERT_EQ(predict.code, 0) << predict.err;
  const std::vector<std::string> names = {"u", "std(u)", "lower(u)", "upper(u)", "sample1(u)",
                                          "v", "std(v)", "lower(v)", "upper(v)", "sample1(v)"};
  EXPECT_EQ(table(read("p.csv")).names, names);
  const auto json = parse(predict.out);
  EXPECT_EQ(json["columns"], nlohmann::json(names));
  EXPECT_EQ(json["distribution"]["std"], "observation");
  EXPECT_EQ(json["distribution"]["interval"]["level"], 0.9);
  EXPECT_EQ(json["distribution"]["samples"]["of"], "function");
  const auto scores = parse(run({"score", path("m.mercer"), data, "--json"}).out)["scores"];
  ASSERT_EQ(scores.size(), 2U);
  EXPECT_TRUE(scores[1]["metrics"].contains("nlpd"));
}

TEST_F(Distribution, ScoreAddsWhatADistributionAllows) {
  const std::string model = fit_gp();
  const std::string data = path("wave.csv");
  const Outcome text = run({"score", model, data});
  ASSERT_EQ(text.code, 0) << text.err;
  for (const char* part : {"rmse", "smse", "msll", "nlpd", "coverage 50 %", "coverage 90 %", "coverage 95 %",
                           "lower is better", "mean and variance of these targets"}) {
    EXPECT_TRUE(contains(text.out, part)) << part;
  }
  const auto metrics = parse(run({"score", model, data, "--json"}).out)["scores"][0]["metrics"];
  // The same numbers from the predictions, computed here.
  std::ifstream file(data);
  const auto truth = table({std::istreambuf_iterator<char>(file), {}}).column("y");
  const Table t = table(run({"predict", model, data, "--std"}).out);
  const auto mean = t.column("y");
  const auto deviation = t.column("std(y)");
  double average = 0;
  double variance = 0;
  double loss = 0;
  double errors = 0;
  int inside = 0;
  const auto n = static_cast<double>(truth.size());
  for (const double y : truth) {
    average += y / n;
  }
  const double log_two_pi = std::log(2 * std::acos(-1.0));
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double z = (truth[i] - mean[i]) / deviation[i];
    loss += (0.5 * log_two_pi + std::log(deviation[i]) + 0.5 * z * z) / n;
    errors += std::pow(truth[i] - mean[i], 2) / n;
    variance += std::pow(truth[i] - average, 2) / n;
    inside += std::abs(z) <= 1.6448536269514722 ? 1 : 0;
  }
  const double trivial = 0.5 * (log_two_pi + std::log(variance) + 1);
  EXPECT_NEAR(metrics["nlpd"]["value"].get<double>(), loss, 1e-8);
  EXPECT_NEAR(metrics["nlpd"]["baseline"].get<double>(), trivial, 1e-8);
  EXPECT_NEAR(metrics["msll"]["value"].get<double>(), loss - trivial, 1e-8);
  EXPECT_NEAR(metrics["smse"]["value"].get<double>(), errors / variance, 1e-8);
  EXPECT_NEAR(metrics["coverage 90 %"]["value"].get<double>(), inside / n, 1e-12);
  EXPECT_EQ(metrics["coverage 90 %"]["better"], "closer to its level");
  EXPECT_LT(metrics["coverage 90 %"]["lower"], metrics["coverage 90 %"]["upper"]);
  EXPECT_LT(metrics["nlpd"]["value"], metrics["nlpd"]["baseline"]);
  // A model without a distribution is scored as before.
  ASSERT_EQ(run({"fit", "ridge", data, "-t", "y", "-q", "-o", path("r.mercer")}).code, 0);
  EXPECT_FALSE(contains(run({"score", path("r.mercer"), data}).out, "nlpd"));
}

// Half of the rows are said to be much noisier: the function is less certain there.
TEST_F(Distribution, KnownNoise) {
  const std::string data = write_wave("wave.csv", 60, Variances::given);
  const std::string model = path("gp.mercer");
  const Outcome fit = run({"fit", "gp", data, "-t", "y", "--noise", "v", "-q", "-o", model});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Outcome predict = run({"predict", model, path("wave.csv"), "--std", "--of", "function"});
  ASSERT_EQ(predict.code, 0) << predict.err;
  EXPECT_EQ(table(predict.out).rows.size(), 60U);
  EXPECT_LT(table(predict.out).column("std(y)")[10], table(predict.out).column("std(y)")[50]);
  // The column of variances is no input.
  EXPECT_EQ(run({"predict", model, write("x.csv", "x\n1\n")}).code, 0);
}

TEST_F(Distribution, WrongUses) {
  const std::string data = write_wave("wave.csv", 30, Variances::given);
  const std::string model = path("m.mercer");
  ASSERT_EQ(run({"fit", "ridge", data, "-t", "y", "-q", "-o", model}).code, 0);
  const auto refused = [&](const std::vector<std::string>& flags, const std::string& part) {
    std::vector<std::string> arguments = {"predict", model, data};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << flags.front();
    EXPECT_TRUE(contains(outcome.err, part)) << outcome.err;
    EXPECT_TRUE(outcome.out.empty()) << outcome.out;
  };
  refused({"--std"}, "ridge is a model of regression and has no predictive distribution");
  refused({"--interval", "0.9"}, "--interval: ridge");
  refused({"--samples", "2"}, "--samples: ridge");
  refused({"--interval", "95"}, "did you mean 0.95");
  refused({"--interval", "1"}, "between 0 and 1");
  refused({"--interval", "0"}, "between 0 and 1");
  refused({"--samples", "0"}, "1 or more");
  refused({"--interval", "-0.5"}, "between 0 and 1");
  refused({"--samples", "-1"}, "1 or more");
  refused({"--of", "function"}, "--of");
  refused({"--std", "--of", "future"}, "--of");
  refused({"--std", "--decision"}, "do not go with");
  const Outcome noise = run({"fit", "ridge", data, "-t", "y", "--noise", "v", "-o", path("n.mercer")});
  EXPECT_EQ(noise.code, 2);
  EXPECT_TRUE(contains(noise.err, "ridge makes no use of known noise variances")) << noise.err;
  EXPECT_TRUE(contains(noise.err, "gp")) << noise.err;
  EXPECT_FALSE(exists("n.mercer"));
  const Outcome unknown = run({"fit", "gp", data, "-t", "y", "--noise", "w", "-o", path("n.mercer")});
  EXPECT_NE(unknown.code, 0);
  EXPECT_TRUE(contains(unknown.err, "w")) << unknown.err;
  const std::string negative = write("negative.csv", "x,y,v\n1,1,0.1\n2,2,-0.1\n3,1,0.1\n");
  EXPECT_EQ(run({"fit", "gp", negative, "-t", "y", "--noise", "v", "-o", path("n.mercer")}).code, 3);
  // Only tables have columns of weights and variances.
  const std::string sparse = write("data.svm", "1 1:1\n2 1:2\n3 1:3\n");
  for (const char* flag : {"--weights", "--noise"}) {
    const Outcome outcome = run({"fit", "gp", sparse, flag, "1", "-o", path("n.mercer")});
    EXPECT_EQ(outcome.code, 2) << flag;
    EXPECT_TRUE(contains(outcome.err, flag)) << outcome.err;
  }
  EXPECT_FALSE(exists("n.mercer"));
}

TEST_F(Distribution, PenaltiesAreChosenFromTheShell) {
  const std::string data = write_wave("wave.csv", 40);
  for (const char* select : {"select=loo", "select=gcv"}) {
    const Outcome fit = run({"fit", "ridge", data, "-t", "y", "--set", select, "-o", path("m.mercer"), "--json"});
    ASSERT_EQ(fit.code, 0) << fit.err;
    const auto report = parse(fit.out);
    EXPECT_GT(std::stod(report["options"]["lambda"].get<std::string>()), 0);
    EXPECT_GT(report["measures"]["degrees of freedom"], 1);
    EXPECT_TRUE(contains(report["notes"].dump(), "chosen by"));
  }
  const Outcome both =
      run({"fit", "ridge", data, "-t", "y", "--set", "select=loo", "--set", "lambda=1", "-o", path("m.mercer")});
  EXPECT_NE(both.code, 0);
  EXPECT_TRUE(contains(both.err, "select = loo")) << both.err;
}

TEST_F(Distribution, LeastSquaresMachinesFromTheShell) {
  const Outcome fit = run({"fit", "lssvm", example("digits.csv"), "-t", "label", "--set", "C=10", "--set",
                           "probability=yes", "-o", path("m.mercer"), "--json"});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_LT(parse(fit.out)["measures"]["leave-one-out error rate"], 0.03);
  const Outcome score = run({"score", path("m.mercer"), example("digits.csv"), "--json"});
  ASSERT_EQ(score.code, 0) << score.err;
  const auto metrics = parse(score.out)["scores"][0]["metrics"];
  EXPECT_GT(metrics["accuracy"]["value"], 0.98);
  EXPECT_LT(metrics["log-loss"]["value"], 0.3);
  const Outcome predict = run({"predict", path("m.mercer"), example("digits.csv"), "--proba"});
  ASSERT_EQ(predict.code, 0) << predict.err;
  EXPECT_TRUE(predict.out.starts_with("label,P(0),P(1)")) << predict.out.substr(0, 50);
}

// Function values of counts are the logarithm of their mean: values, intervals and samples lie about ln 100.
TEST_F(Distribution, TheFunctionOfCountsIsTheLogarithmOfTheirMean) {
  std::string text = "x,y\n";
  for (int i = 0; i < 40; ++i) {
    text += std::to_string(0.1 * i) + "," + std::to_string(100 + (37 * i) % 21 - 10) + "\n";
  }
  const std::string data = write("counts.csv", text);
  const Outcome fit = run({"fit", "gp", data, "-t", "y", "-k", "0.1*rbf(lengthscale=1)", "--set", "likelihood=poisson",
                           "--set", "optimize=no", "-o", path("c.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  const auto means = table(run({"predict", path("c.mercer"), data}).out).column("y");
  const Table f =
      table(run({"predict", path("c.mercer"), data, "--std", "--interval", "0.95", "--of", "function"}).out);
  const Table drawn = table(run({"predict", path("c.mercer"), data, "--samples", "1"}).out);
  ASSERT_EQ(f.rows.size(), means.size());
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double deviation = f.column("std(y)")[i];
    EXPECT_NEAR(f.column("y")[i] + deviation * deviation / 2, std::log(means[i]), 1e-6);
    EXPECT_LT(f.column("lower(y)")[i], std::log(means[i]));
    EXPECT_GT(f.column("upper(y)")[i], std::log(means[i]));
    EXPECT_NEAR(drawn.rows[i].back(), f.column("y")[i], 6 * deviation);
  }
}

// A weight is a number of rows, in the evidence, too.
TEST_F(Distribution, WeightsOfAGaussianProcessCountRows) {
  std::string weighted = "x,y,w\n";
  std::string copied = "x,y\n";
  for (int i = 0; i < 30; ++i) {
    const std::string row = std::to_string(0.2 * i) + "," + std::to_string(std::sin(0.2 * i) + 0.2 * std::cos(7.0 * i));
    weighted += row + "," + std::to_string(i % 3) + "\n";
    for (int copy = 0; copy < i % 3; ++copy) {
      copied += row + "\n";
    }
  }
  const auto evidence = [&](const std::string& data, const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "fit",   "gp",          data,    "-t",         "y",  "--scale",        "none",  "-k", "1*rbf(lengthscale=1)",
        "--set", "optimize=no", "--set", "noise=0.1!", "-o", path("w.mercer"), "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome fit = run(arguments);
    EXPECT_EQ(fit.code, 0) << fit.err;
    return parse(fit.out)["objective"]["value"].get<double>();
  };
  const double expected = evidence(write("copied.csv", copied), {});
  EXPECT_NEAR(evidence(write("weighted.csv", weighted), {"--weights", "w"}), expected, 1e-8 * std::abs(expected));
}

TEST_F(Distribution, ConstantLabelsHaveProbabilities) {
  const std::string data = write("one.csv", "x,label\n0,good\n0.5,good\n1,good\n1.2,good\n");
  const Outcome fit = run({"fit", "gpc", data, "-t", "label", "-k", "2*rbf(lengthscale=1)", "--set", "optimize=no",
                           "-o", path("one.mercer")});
  ASSERT_EQ(fit.code, 0) << fit.err;
  EXPECT_NE((fit.out + fit.err).find("belong to the class 'good'"), std::string::npos) << fit.out << fit.err;
  const Outcome predict = run({"predict", path("one.mercer"), write("new.csv", "x\n0.6\n1000\n"), "--proba"});
  ASSERT_EQ(predict.code, 0) << predict.err;
  EXPECT_TRUE(predict.out.starts_with("label,P(not good),P(good)\ngood,")) << predict.out;
  // Far away, where the function is 0, one half to rounding; a tie goes to what was seen.
  const std::size_t last = predict.out.rfind("\ngood,");
  ASSERT_NE(last, std::string::npos) << predict.out;
  EXPECT_NEAR(std::stod(predict.out.substr(last + 6)), 0.5, 1e-12) << predict.out;
  EXPECT_EQ(run({"score", path("one.mercer"), data}).code, 0);
}

TEST_F(Distribution, QuantilesOfFittedLevels) {
  const std::string data = write_wave("wave.csv", 80);
  ASSERT_EQ(run({"fit", "kqr", data, "--target", "y", "--set", "quantiles=0.9,0.1,0.5", "-o", path("m.mercer")}).code,
            0);
  const Table plain = table(run({"predict", path("m.mercer"), data}).out);
  const Table with = table(run({"predict", path("m.mercer"), data, "--quantiles", "0.1,0.5,0.7", "--interval", "0.8",
                                "--std", "--samples", "2"})
                               .out);
  EXPECT_EQ(with.names, (std::vector<std::string>{"y", "std(y)", "lower(y)", "upper(y)", "y_q0.1", "y_q0.5", "y_q0.7",
                                                  "sample1(y)", "sample2(y)"}));
  EXPECT_EQ(plain.column("y"), with.column("y"));
  EXPECT_EQ(with.column("y"), with.column("y_q0.5"));
  for (std::size_t i = 0; i < with.rows.size(); ++i) {
    EXPECT_NEAR(with.column("lower(y)")[i], with.column("y_q0.1")[i], 1e-9);
    EXPECT_LT(with.column("y_q0.5")[i], with.column("y_q0.7")[i]);
    EXPECT_LT(with.column("y_q0.7")[i], with.column("upper(y)")[i]);
  }
  const nlohmann::json scores = parse(run({"score", path("m.mercer"), data, "--json"}).out)["scores"][0]["metrics"];
  EXPECT_LT(scores["pinball"]["value"], scores["pinball"]["baseline"]);
  const nlohmann::json tuned = parse(run({"tune", "kqr", data, "-t", "y", "-s", "quantiles=0.1,0.5,0.9", "-s", "C=1",
                                          "--json", "-o", path("t.mercer")})
                                         .out);
  EXPECT_NEAR(tuned["baseline"].get<double>(), scores["pinball"]["baseline"].get<double>(),
              0.2 * scores["pinball"]["baseline"].get<double>());  // of other rows
  double loss = 0;
  double below = 0;
  const Table fitted = table(run({"predict", path("m.mercer"), data, "--quantiles", "0.1,0.5,0.9"}).out);
  const std::vector<double> y = [&] {
    std::ifstream file(data);
    std::stringstream text;
    text << file.rdbuf();
    return table(text.str()).column("y");
  }();
  for (std::size_t i = 0; i < y.size(); ++i) {
    for (const double level : {0.1, 0.5, 0.9}) {
      const double r = y[i] - fitted.rows[i][level < 0.2 ? 1 : level < 0.6 ? 2 : 3];
      loss += r * (r > 0 ? level : level - 1) / (3.0 * static_cast<double>(y.size()));
    }
    below += y[i] <= fitted.rows[i][1] ? 1 / static_cast<double>(y.size()) : 0;
  }
  EXPECT_NEAR(scores["pinball"]["value"].get<double>(), loss, 1e-6 * loss);
  EXPECT_NEAR(scores["below quantile 0.1"]["value"].get<double>(), below, 2e-2);  // rows on the function
  EXPECT_EQ(scores["below quantile 0.1"]["better"], "closer to its level");
}

TEST_F(Distribution, QuantilesThatMeanNothing) {
  const std::string data = write_wave("wave.csv", 30);
  ASSERT_EQ(run({"fit", "kqr", data, "--target", "y", "-o", path("m.mercer")}).code, 0);
  EXPECT_EQ(run({"predict", path("m.mercer"), data, "--quantiles", "0.5,1"}).code, 2);
  EXPECT_TRUE(
      contains(run({"predict", path("m.mercer"), data, "--quantiles", "0.5,1"}).err, "no level between 0 and 1"));
  EXPECT_TRUE(contains(run({"predict", path("m.mercer"), data, "--quantiles", "0.5,0.5"}).err, "stands there twice"));
  const Outcome refused = run({"predict", path("m.mercer"), data, "--std", "--of", "function"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(contains(refused.err, "kqr has a distribution of observations alone"));
  EXPECT_TRUE(
      contains(run({"fit", "kqr", data, "--target", "y", "--set", "quantiles=0.5,1", "-o", path("n.mercer")}).err,
               "different numbers between 0 and 1"));
}

}  // namespace
}  // namespace mercer::cli_test
