// The probability models behind the generative kernels: likelihoods against sums over all hidden paths, scores against
// differences of the likelihood, expectations by enumeration and quadrature, and EM.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/base/run.h"
#include "mercer/kernels/generative/gaussian_mixture_fit.h"
#include "mercer/kernels/generative/hidden_markov.h"
#include "mercer/kernels/generative/markov_chain.h"
#include "mercer/linalg/matrix.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

std::vector<double> softmax_rows(const std::vector<double>& logits, std::size_t row_length) {
  std::vector<double> rows(logits.size());
  for (std::size_t row = 0; row < logits.size(); row += row_length) {
    double sum = 0;
    for (std::size_t j = row; j < row + row_length; ++j) {
      rows[j] = std::exp(logits[j]);
      sum += rows[j];
    }
    for (std::size_t j = row; j < row + row_length; ++j) {
      rows[j] /= sum;
    }
  }
  return rows;
}

std::vector<double> normals(RandomStream& random, std::size_t count) {
  std::vector<double> values(count);
  for (double& value : values) {
    value = random.normal();
  }
  return values;
}

// logits of K weights, K·D means, K·D deviations, in the order of the score
GaussianMixture mixture_at(const std::vector<double>& theta, std::size_t components, std::size_t dimension) {
  const auto at = theta.begin();
  const auto first = static_cast<std::ptrdiff_t>(components);
  const auto second = first + static_cast<std::ptrdiff_t>(components * dimension);
  std::vector<double> variances;
  for (auto value = at + second; value != theta.end(); ++value) {
    variances.push_back(*value * *value);
  }
  return {softmax_rows({at, at + first}, components), {at + first, at + second}, variances};
}

std::vector<double> random_mixture(RandomStream& random, std::size_t components, std::size_t dimension) {
  std::vector<double> theta = normals(random, components * (1 + 2 * dimension));
  for (std::size_t j = components * (1 + dimension); j < theta.size(); ++j) {
    theta[j] = 0.5 + std::abs(theta[j]);
  }
  return theta;
}

TEST(GaussianMixtureModel, ScoreIsTheGradientOfTheLogDensity) {
  RandomStream random(1, 0);
  for (const std::size_t components : {1U, 2U, 4U}) {
    const std::size_t d = 3;
    const std::vector<double> theta = random_mixture(random, components, d);
    const std::vector<double> x = normals(random, d);
    std::vector<double> score(theta.size(), 0.0);
    mixture_at(theta, components, d).add_score(x, ScoreUnits::parameters, score);
    for (std::size_t p = 0; p < theta.size(); ++p) {
      std::vector<double> up = theta;
      std::vector<double> down = theta;
      up[p] += 1e-5;
      down[p] -= 1e-5;
      const double slope =
          (mixture_at(up, components, d).log_density(x) - mixture_at(down, components, d).log_density(x)) / 2e-5;
      EXPECT_NEAR(score[p], slope, 1e-7 * std::max(1.0, std::abs(slope))) << components << " components, " << p;
    }
  }
}

// ∫ f(x) p(x) dx by the trapezoidal rule, which is exact to rounding for such smooth functions.
double expectation_1d(const GaussianMixture& mixture, const std::function<double(const std::vector<double>&)>& f) {
  double sum = 0;
  for (double x = -25; x <= 25; x += 0.01) {
    sum += 0.01 * std::exp(mixture.log_density(std::vector<double>{x})) * f({x});
  }
  return sum;
}

TEST(GaussianMixtureModel, ScoreHasMeanZero) {
  RandomStream random(2, 0);
  const GaussianMixture mixture = mixture_at(random_mixture(random, 3, 1), 3, 1);
  EXPECT_NEAR(expectation_1d(mixture, [](const auto&) { return 1.0; }), 1, 1e-10);
  for (std::size_t p = 0; p < 9; ++p) {
    const double mean = expectation_1d(mixture, [&](const std::vector<double>& x) {
      std::vector<double> score(9, 0.0);
      mixture.add_score(x, ScoreUnits::parameters, score);
      return score[p];
    });
    EXPECT_NEAR(mean, 0, 1e-10) << p;
  }
}

Matrix<double> draws_of(const GaussianMixture& mixture, Index n, std::uint64_t seed) {
  RandomStream random(seed, 0);
  Matrix<double> points(n, mixture.dimension());
  for (Index i = 0; i < n; ++i) {
    mixture.draw(random, points.view().row(i));
  }
  return points;
}

TEST(GaussianMixtureModel, EmRaisesTheLikelihoodAndFindsTheModel) {
  const GaussianMixture truth({0.3, 0.7}, {-3, 0, 2, 1}, {0.5, 1, 1, 0.25});
  const Matrix<double> points = draws_of(truth, 4000, 3);
  const MixtureFit fit = fit_gaussian_mixture(points.view(), {.components = 2}, mercer::Run());
  EXPECT_TRUE(fit.converged);
  ASSERT_GE(fit.log_likelihoods.size(), 3U);
  for (std::size_t step = 1; step < fit.log_likelihoods.size(); ++step) {
    EXPECT_GE(fit.log_likelihoods[step], fit.log_likelihoods[step - 1] - 1e-12);
  }
  ASSERT_EQ(fit.model.components(), 2);
  const std::size_t first = fit.model.means()[0] < 0 ? 0 : 1;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::size_t own = k == 0 ? first : 1 - first;
    EXPECT_NEAR(fit.model.weights()[own], truth.weights()[k], 0.03);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(fit.model.means()[own * 2 + j], truth.means()[k * 2 + j], 0.12);
      EXPECT_NEAR(fit.model.variances()[own * 2 + j], truth.variances()[k * 2 + j], 0.12);
    }
  }
}

TEST(GaussianMixtureModel, EmWithManyComponentsNeverLowersTheLikelihood) {
  RandomStream random(4, 0);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const Index n = 5 + static_cast<Index>(random.below(60));
    const Matrix<double> points = draws_of(mixture_at(random_mixture(random, 2, 3), 2, 3), n, seed);
    const MixtureFit fit = fit_gaussian_mixture(points.view(), {.components = 6}, mercer::Run());
    for (std::size_t step = 1; step < fit.log_likelihoods.size(); ++step) {
      EXPECT_GE(fit.log_likelihoods[step], fit.log_likelihoods[step - 1] - 1e-11) << seed << " " << step;
    }
  }
}

TEST(GaussianMixtureModel, WeightsCountPoints) {
  const Matrix<double> points = draws_of(GaussianMixture({1}, {100, 3}, {4, 0.01}), 40, 6);
  std::vector<double> weights;
  std::vector<double> copies;
  for (Index i = 0; i < 40; ++i) {
    weights.push_back(static_cast<double>(1 + i % 3));
    for (Index k = 0; k <= i % 3; ++k) {
      copies.insert(copies.end(), {points(i, 0), points(i, 1)});
    }
  }
  Matrix<double> repeated(static_cast<Index>(copies.size()) / 2, 2);
  std::copy(copies.begin(), copies.end(), repeated.data());
  const MixtureFit expected = fit_gaussian_mixture(repeated.view(), {.components = 1}, mercer::Run());
  const MixtureFit fit = fit_gaussian_mixture(points.view(), {.components = 1, .weights = weights}, mercer::Run());
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_NEAR(fit.model.means()[k], expected.model.means()[k], 1e-12 * expected.model.means()[k]);
    EXPECT_NEAR(fit.model.variances()[k], expected.model.variances()[k], 1e-11 * expected.model.variances()[k]);
  }
  EXPECT_NEAR(fit.log_likelihoods.back(), expected.log_likelihoods.back(), 1e-11);
  // Two well separated groups: the fixed point is that of the copies, whatever the seeds.
  Matrix<double> apart(40, 2);
  for (Index i = 0; i < 40; ++i) {
    apart(i, 0) = points(i, 0) + (i % 2 == 0 ? 500 : 0);
    apart(i, 1) = points(i, 1);
  }
  std::vector<double> even(40, 3.0);
  for (std::size_t i = 0; i < 40; i += 2) {
    even[i] = 1;
  }
  const GaussianMixture two =
      fit_gaussian_mixture(apart.view(), {.components = 2, .weights = even}, mercer::Run()).model;
  EXPECT_NEAR(std::max(two.weights()[0], two.weights()[1]), 0.75, 1e-9);
}

TEST(GaussianMixtureModel, OneComponentIsTheSampleMeanAndVariance) {
  const Matrix<double> points = draws_of(GaussianMixture({1}, {100, 3}, {4, 0.01}), 500, 5);
  const GaussianMixture model = fit_gaussian_mixture(points.view(), {.components = 1}, mercer::Run()).model;
  for (Index j = 0; j < 2; ++j) {
    double mean = 0;
    double squares = 0;
    for (Index i = 0; i < 500; ++i) {
      mean += points(i, j) / 500;
    }
    for (Index i = 0; i < 500; ++i) {
      squares += (points(i, j) - mean) * (points(i, j) - mean) / 500;
    }
    EXPECT_NEAR(model.means()[j], mean, 1e-10 * std::abs(mean));
    EXPECT_NEAR(model.variances()[j], squares, 1e-8 * squares);
  }
}

TEST(GaussianMixtureModel, OneComponentIsFittedToAllPoints) {
  Matrix<double> points = Matrix<double>::filled(30000, 1, 0.0);
  for (Index i = 0; i < points.rows(); ++i) {
    points(i, 0) = 1e6 + static_cast<double>(i % 3);
  }
  points(17, 0) = 1e6 + 30000;
  const GaussianMixture model = fit_gaussian_mixture(points.view(), {.components = 1}, mercer::Run()).model;
  const double mean = 1 + (30000.0 - 2) / 30000;  // 17 is 2 modulo 3
  EXPECT_NEAR(model.means()[0] - 1e6, mean, 1e-9);
  EXPECT_NEAR(model.variances()[0], (50000.0 - 4 + 9e8) / 30000 - mean * mean, 1e-6);
}

TEST(GaussianMixtureModel, PosteriorsSumToOneAlsoFarAway) {
  const GaussianMixture model({1, 1, 1}, {-1, 0, 1}, {1, 1, 1});
  for (const double x : {0.5, 1e9, 1e200, -1e160}) {
    std::vector<double> r(3);
    model.posteriors(std::vector<double>{x}, r);
    EXPECT_NEAR(r[0] + r[1] + r[2], 1, 1e-12) << x;
  }
}

TEST(GaussianMixtureModel, DegeneratePointsGiveAModel) {
  const MixtureFit none = fit_gaussian_mixture(Matrix<double>(0, 2).view(), {.components = 3}, mercer::Run());
  EXPECT_EQ(none.model.components(), 1);
  const Matrix<double> same = Matrix<double>::filled(7, 2, 5.0);
  const MixtureFit constant = fit_gaussian_mixture(same.view(), {.components = 3}, mercer::Run());
  EXPECT_EQ(constant.model.components(), 1);
  EXPECT_EQ(constant.model.means(), (std::vector<double>{5, 5}));
  EXPECT_EQ(constant.model.variances(), (std::vector<double>{1, 1}));
  const Matrix<double> one = Matrix<double>::filled(1, 1, -2.0);
  EXPECT_EQ(fit_gaussian_mixture(one.view(), {.components = 4}, mercer::Run()).model.components(), 1);
  Matrix<double> two = Matrix<double>::filled(6, 1, 0.0);
  two(3, 0) = two(4, 0) = 1;
  const GaussianMixture spikes = fit_gaussian_mixture(two.view(), {.components = 5}, mercer::Run()).model;
  EXPECT_LE(spikes.components(), 2);
  for (const double variance : spikes.variances()) {
    EXPECT_GE(variance, 1e-3 * 2.0 / 9 * (1 - 1e-12));
  }
}

TEST(GaussianMixtureModel, AnyNumberOfThreadsGivesTheSameBits) {
  RandomStream random(6, 0);
  const Matrix<double> points = draws_of(mixture_at(random_mixture(random, 3, 2), 3, 2), 1500, 7);
  const GaussianMixture one = fit_gaussian_mixture(points.view(), {}, mercer::Run({.threads = 1})).model;
  const GaussianMixture three = fit_gaussian_mixture(points.view(), {}, mercer::Run({.threads = 3})).model;
  EXPECT_EQ(one.means(), three.means());
  EXPECT_EQ(one.variances(), three.variances());
}

// ---- hidden Markov models -----------------------------------------------------------------------------------

const SymbolAlphabet& abc() {
  static const SymbolAlphabet alphabet("test", {'a', 'b', 'c'});
  return alphabet;
}

// Logits in the order of the score: S, S², 3 S.
HiddenMarkov hidden_at(const std::vector<double>& theta, std::size_t s) {
  const auto at = theta.begin();
  const auto first = static_cast<std::ptrdiff_t>(s);
  const auto second = first + static_cast<std::ptrdiff_t>(s * s);
  return {abc(), softmax_rows({at, at + first}, s), softmax_rows({at + first, at + second}, s),
          softmax_rows({at + second, theta.end()}, 3)};
}

double likelihood_over_paths(const HiddenMarkov& model, const std::string& text) {
  const auto s = static_cast<std::size_t>(model.states());
  std::size_t paths = 1;
  for (std::size_t t = 0; t < text.size(); ++t) {
    paths *= s;
  }
  double sum = 0;
  for (std::size_t path = 0; path < paths; ++path) {
    double p = 1;
    std::size_t left = path;
    std::size_t last = 0;
    for (std::size_t t = 0; t < text.size(); ++t) {
      const std::size_t state = left % s;
      left /= s;
      p *= t == 0 ? model.initial()[state] : model.transitions()[last * s + state];
      p *= model.emissions()[state * 3 + static_cast<std::size_t>(text[t] - 'a')];
      last = state;
    }
    sum += p;
  }
  return sum;
}

std::vector<std::string> all_strings(int length) {
  std::vector<std::string> strings = {""};
  for (int t = 0; t < length; ++t) {
    std::vector<std::string> longer;
    for (const std::string& text : strings) {
      for (const char c : {'a', 'b', 'c'}) {
        longer.push_back(text + c);
      }
    }
    strings = longer;
  }
  return strings;
}

TEST(HiddenMarkovModel, LikelihoodIsTheSumOverAllPaths) {
  RandomStream random(10, 0);
  const HiddenMarkov model = hidden_at(normals(random, 3 + 9 + 9), 3);
  double total = 0;
  for (const std::string& text : all_strings(4)) {
    const double p = likelihood_over_paths(model, text);
    EXPECT_NEAR(std::exp(model.log_likelihood(text)), p, 1e-14);
    total += std::exp(model.log_likelihood(text));
  }
  EXPECT_NEAR(total, 1, 1e-12);
  EXPECT_EQ(model.log_likelihood(""), 0);
}

TEST(HiddenMarkovModel, UnknownSymbolsAreSummedOver) {
  RandomStream random(11, 0);
  const HiddenMarkov model = hidden_at(normals(random, 2 + 4 + 6), 2);
  double sum = 0;
  for (const char c : {'a', 'b', 'c'}) {
    sum += std::exp(model.log_likelihood(std::string("a") + c + "cb"));
  }
  EXPECT_NEAR(std::exp(model.log_likelihood("a?cb")), sum, 1e-14);
}

TEST(HiddenMarkovModel, ScoreIsTheGradientOfTheLogLikelihood) {
  RandomStream random(12, 0);
  for (const std::size_t s : {1U, 2U, 3U}) {
    const std::vector<double> theta = normals(random, s + s * s + 3 * s);
    for (const char* text : {"abcab", "c", "bb?ab", ""}) {
      std::vector<double> score(theta.size(), 0.0);
      hidden_at(theta, s).add_score(text, score, mercer::Run());
      for (std::size_t p = 0; p < theta.size(); ++p) {
        std::vector<double> up = theta;
        std::vector<double> down = theta;
        up[p] += 1e-5;
        down[p] -= 1e-5;
        const double slope = (hidden_at(up, s).log_likelihood(text) - hidden_at(down, s).log_likelihood(text)) / 2e-5;
        EXPECT_NEAR(score[p], slope, 1e-8) << s << " states, " << text << ", " << p;
      }
    }
  }
}

TEST(HiddenMarkovModel, ScoreHasMeanZeroAndVisitsAreExpected) {
  RandomStream random(13, 0);
  const HiddenMarkov model = hidden_at(normals(random, 2 + 4 + 6), 2);
  std::vector<double> mean(12, 0.0);
  HiddenMarkovCounts expected(2, 3);
  for (const std::string& text : all_strings(5)) {
    const double p = std::exp(model.log_likelihood(text));
    std::vector<double> score(12, 0.0);
    model.add_score(text, score, mercer::Run());
    HiddenMarkovCounts counts(2, 3);
    model.add_counts(text, counts, mercer::Run());
    for (std::size_t j = 0; j < 12; ++j) {
      mean[j] += p * score[j];
    }
    for (std::size_t j = 0; j < 6; ++j) {
      expected.emissions[j] += p * counts.emissions[j];
    }
  }
  for (const double value : mean) {
    EXPECT_NEAR(value, 0, 1e-13);
  }
  const std::vector<double> visits = model.expected_visits(5);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(expected.emissions[i * 3] + expected.emissions[i * 3 + 1] + expected.emissions[i * 3 + 2], visits[i],
                1e-12);
  }
}

TEST(HiddenMarkovModel, EmRaisesTheLikelihoodAndExplainsTheData) {
  const HiddenMarkov truth(abc(), {0.8, 0.2}, {0.95, 0.05, 0.1, 0.9}, {0.8, 0.1, 0.1, 0.1, 0.2, 0.7});
  RandomStream random(14, 0);
  std::vector<std::string> strings;
  for (int i = 0; i < 60; ++i) {
    strings.push_back(truth.draw(random, 60));
  }
  const std::vector<std::string_view> views(strings.begin(), strings.end());
  const HiddenMarkovFit fit = fit_hidden_markov(views, abc(), {.states = 2}, mercer::Run());
  for (std::size_t step = 1; step < fit.log_likelihoods.size(); ++step) {
    EXPECT_GE(fit.log_likelihoods[step], fit.log_likelihoods[step - 1] - 1e-8);
  }
  double of_truth = 0;
  double of_fit = 0;
  for (const std::string& text : strings) {
    of_truth += truth.log_likelihood(text);
    of_fit += fit.model.log_likelihood(text);
  }
  EXPECT_GE(of_fit, of_truth - 1);
  const std::size_t first = fit.model.emissions()[0] > fit.model.emissions()[3] ? 0 : 1;
  EXPECT_NEAR(fit.model.emissions()[first * 3], 0.8, 0.06);
  EXPECT_NEAR(fit.model.transitions()[first * 3], 0.95, 0.03);
  const HiddenMarkovFit three = fit_hidden_markov(views, abc(), {.states = 2}, mercer::Run({.threads = 3}));
  EXPECT_EQ(three.model.transitions(), fit.model.transitions());
}

TEST(HiddenMarkovModel, LongStringsDoNotUnderflow) {
  RandomStream random(15, 0);
  const HiddenMarkov model = hidden_at(normals(random, 2 + 4 + 6), 2);
  const std::string text = model.draw(random, 20000);
  const double value = model.log_likelihood(text);
  EXPECT_LT(value, -5000);
  EXPECT_TRUE(std::isfinite(value));
  HiddenMarkovCounts counts(2, 3);
  model.add_counts(text, counts, mercer::Run());
  EXPECT_NEAR(counts.log_likelihood, value, 1e-8 * std::abs(value));
  double emitted = 0;
  for (const double count : counts.emissions) {
    emitted += count;
  }
  EXPECT_NEAR(emitted, 20000, 1e-6);
}

TEST(HiddenMarkovModel, PathsThatTheForwardPassForgetsGiveNoNaN) {
  const HiddenMarkov model(SymbolAlphabet("test", {'A', 'B'}), {1, 0}, {0.9, 0.1, 0, 1}, {0.9, 0.1, 0.1, 0.9});
  const std::string text = std::string(400, 'B') + std::string(400, 'A');
  HiddenMarkovCounts counts(2, 2);
  model.add_counts(text, counts, mercer::Run());
  EXPECT_NEAR(counts.initial[0], 1, 1e-12);
  EXPECT_EQ(counts.initial[1], 0);
  EXPECT_NEAR(counts.emissions[0] + counts.emissions[2], 400, 1e-9);
  EXPECT_NEAR(counts.emissions[1] + counts.emissions[3], 400, 1e-9);
  EXPECT_NEAR(counts.transitions[0] + counts.transitions[1] + counts.transitions[3], 799, 1e-9);
  EXPECT_NEAR(counts.transitions[1], 1, 1e-9) << "it leaves the first state once";
}

TEST(HiddenMarkovModel, LongStringsStop) {
  std::stop_source source;
  source.request_stop();
  const HiddenMarkov model = hidden_at(std::vector<double>(2 + 4 + 6, 0.0), 2);
  HiddenMarkovCounts counts(2, 3);
  EXPECT_ERROR(model.add_counts(std::string(10000, 'a'), counts, mercer::Run({.stop = source.get_token()})), Stopped,
               "stopped on request");
}

TEST(HiddenMarkovModel, DegenerateStringsGiveAModel) {
  const std::vector<std::string_view> empty = {"", ""};
  const HiddenMarkovFit none = fit_hidden_markov(empty, abc(), {.states = 3}, mercer::Run());
  EXPECT_NEAR(none.model.emissions()[0] + none.model.emissions()[1] + none.model.emissions()[2], 1, 1e-12);
  const std::vector<std::string_view> one = {"a"};
  const HiddenMarkovFit single = fit_hidden_markov(one, abc(), {.states = 2}, mercer::Run());
  EXPECT_GT(single.model.log_likelihood("a"), -0.01);
  EXPECT_TRUE(std::isfinite(single.model.log_likelihood("cabbc"))) << "no string of known symbols is impossible";
}

// ---- Markov chains ------------------------------------------------------------------------------------------

TEST(MarkovChainModel, CountsWindowsAndStopsAtUnknownSymbols) {
  const Samples strings = make_strings(std::vector<std::string>{"abcab", "ab?bca", "", "?"});
  const MarkovCounts counts = count_transitions(strings, 1, abc());
  // ab: 3, bc: 2, ca: 2; nothing goes through the unknown symbol.
  EXPECT_EQ(counts.cells, (std::vector<double>{0, 3, 0, 0, 0, 2, 2, 0, 0}));
  EXPECT_EQ(counts.visits, (std::vector<double>{0.75, 0.5, 0.5}));
  const std::vector<double> fitted = fitted_transitions(counts, 3, 1);
  EXPECT_DOUBLE_EQ(fitted[1], 4.0 / 6);
  EXPECT_DOUBLE_EQ(fitted[0], 1.0 / 6);
  EXPECT_DOUBLE_EQ(fitted_transitions(counts, 3, 0)[1], 1);
  const MarkovCounts pairs = count_transitions(strings, 2, abc());
  EXPECT_EQ(pairs.cells[0 * 9 + 1 * 3 + 2], 1) << "abc";
  EXPECT_EQ(pairs.cells[1 * 9 + 2 * 3 + 0], 2) << "bca";
}

TEST(MarkovChainModel, WeightsCountStrings) {
  const std::vector<std::string> twice = {"abcab", "abcab", "cba", "cba", "cba", "bb"};
  const std::vector<double> weights = {2, 3, 1};
  const MarkovCounts expected = count_transitions(make_strings(twice), 1, abc());
  const MarkovCounts counts =
      count_transitions({make_strings(std::vector<std::string>{"abcab", "cba", "bb"}), weights}, 1, abc());
  EXPECT_EQ(counts.cells, expected.cells);
  for (std::size_t k = 0; k < counts.visits.size(); ++k) {
    EXPECT_DOUBLE_EQ(counts.visits[k], expected.visits[k]);
  }
}

TEST(MarkovChainModel, ProbabilitiesOfAllStringsSumToOne) {
  const MarkovChain chain(1, abc(), {0.2, 0.3, 0.5, 0.6, 0.1, 0.3, 0.25, 0.25, 0.5});
  double sum = 0;
  for (const std::string& text : all_strings(5)) {
    sum += std::exp(chain.log_likelihood(text));
  }
  EXPECT_NEAR(sum, 3, 1e-12) << "given each of the three first symbols";
  EXPECT_NEAR(chain.log_likelihood("abca"), std::log(0.3 * 0.3 * 0.25), 1e-14);
}

}  // namespace
}  // namespace mercer
