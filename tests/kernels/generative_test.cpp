// Kernels made of probability models: golden values, brute force over strings, paths and grids, the laws of Fisher
// kernels, and how models that the data decides come to stand in the kernel's text.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/generative/gaussian_mixture.h"
#include "mercer/kernels/generative/hidden_markov.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/widths.h"
#include "mercer/linalg/symmetric_eigen.h"
#include "support/expect_error.h"
#include "support/random_matrix.h"

namespace mercer {
namespace {

using testing::cross;
using testing::dense;
using testing::diagonal;
using testing::gram;
using testing::value;

Kernel resolved(const std::string& spec, const Samples& samples) {
  return resolve_widths(parse_kernel(spec), samples, mercer::Run());
}

Samples texts(const std::vector<std::string>& strings) { return make_strings(strings); }

std::vector<std::string> all_strings(const std::string& letters, int length) {
  std::vector<std::string> strings = {""};
  for (int t = 0; t < length; ++t) {
    std::vector<std::string> longer;
    for (const std::string& text : strings) {
      for (const char c : letters) {
        longer.push_back(text + c);
      }
    }
    strings = longer;
  }
  return strings;
}

std::vector<std::string> random_strings(Index n, int longest, std::uint64_t seed) {
  RandomStream random(seed, 0);
  std::vector<std::string> strings;
  for (Index i = 0; i < n; ++i) {
    std::string text;
    for (auto left = random.below(static_cast<std::uint64_t>(longest) + 1); left > 0; --left) {
      text += "ACGT"[random.below(4)];
    }
    strings.push_back(text);
  }
  return strings;
}

Samples normal_points(Index n, Index d, std::uint64_t seed) { return make_dense(testing::random_matrix(n, d, seed)); }

// ∫ f over the line, for functions that vanish fast.
double integral(const std::function<double(double)>& f) {
  double sum = 0;
  for (double x = -30; x <= 30; x += 0.01) {
    sum += 0.01 * f(x);
  }
  return sum;
}
double normal_density(double x, double mean, double deviation) {
  const double z = (x - mean) / deviation;
  return std::exp(-z * z / 2) / (deviation * std::sqrt(2 * std::numbers::pi));
}

// ---- Gaussians ----------------------------------------------------------------------------------------------

TEST(FisherGaussian, GoldenValues) {
  EXPECT_DOUBLE_EQ(value("fisher_gaussian(means=0, deviations=1)", {2}, {3}), 18);
  EXPECT_DOUBLE_EQ(value("fisher_gaussian(means=0, deviations=1, information=plain)", {2}, {3}), 30);
}

TEST(FisherGaussian, MeanOfTheDiagonalIsTheNumberOfParameters) {
  std::vector<double> grid;
  for (double x = -20; x <= 20; x += 0.05) {
    grid.push_back(x);
  }
  const Samples samples = make_dense(grid, static_cast<Index>(grid.size()), 1);
  const std::vector<double> own = diagonal(parse_kernel("fisher_gaussian(means=0.5, deviations=2)"), samples);
  double mean = 0;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    mean += 0.05 * normal_density(grid[i], 0.5, 2) * own[i];
  }
  EXPECT_NEAR(mean, 2, 1e-9);
}

// θ = (μ, ln σ²) instead of (μ, σ): scores by differences, information by quadrature.
TEST(FisherGaussian, DoesNotDependOnTheCoordinatesOfTheModel) {
  const double mean = -0.3;
  const double log_variance = 0.8;
  const auto log_density = [](double x, double mu, double s) {
    return std::log(normal_density(x, mu, std::exp(s / 2)));
  };
  const auto score = [&](double x) {
    return std::vector<double>{
        (log_density(x, mean + 1e-5, log_variance) - log_density(x, mean - 1e-5, log_variance)) / 2e-5,
        (log_density(x, mean, log_variance + 1e-5) - log_density(x, mean, log_variance - 1e-5)) / 2e-5};
  };
  std::vector<double> information(4);
  for (std::size_t e = 0; e < 4; ++e) {
    information[e] = integral([&](double x) {
      const double p = normal_density(x, mean, std::exp(log_variance / 2));
      return p < 1e-40 ? 0.0 : p * score(x)[e / 2] * score(x)[e % 2];
    });
  }
  EXPECT_NEAR(information[1], 0, 1e-8);
  const std::vector<double> v = score(1.7);
  const std::vector<double> w = score(-2.2);
  const double expected = v[0] * w[0] / information[0] + v[1] * w[1] / information[3];
  const std::string model = "means=-0.3, deviations=" + std::to_string(std::exp(log_variance / 2));
  EXPECT_NEAR(value("fisher_gaussian(" + model + ")", {1.7}, {-2.2}), expected, 1e-5);
  const double plain = v[0] * w[0] + v[1] * w[1];
  EXPECT_GT(std::abs(value("fisher_gaussian(" + model + ", information=plain)", {1.7}, {-2.2}) - plain), 0.01);
}

// Under the true model the leading eigenvalues of K/n go to 1, as many as there are parameters; under a wrong one not.
TEST(FisherGaussian, SpectrumTellsWhetherTheModelHolds) {
  constexpr Index n = 400;
  const auto spectrum = [](const Samples& samples) {
    Matrix<double> k = gram(resolved("fisher_gaussian()", samples), samples);
    for (Index e = 0; e < n * n; ++e) {
      k.data()[e] /= n;
    }
    return symmetric_eigenvalues(k.view(), mercer::Run());
  };
  const std::vector<double> right = spectrum(normal_points(n, 2, 3));
  for (std::size_t i = n - 4; i < n; ++i) {
    EXPECT_GT(right[i], 0.7);
    EXPECT_LT(right[i], 1.35);
  }
  EXPECT_NEAR(right[n - 5], 0, 1e-10);
  RandomStream random(4, 0);
  std::vector<double> heavy;
  for (Index e = 0; e < 2 * n; ++e) {
    heavy.push_back(random.normal() / std::sqrt(random.chi_squared(4) / 4));
  }
  EXPECT_GT(spectrum(make_dense(heavy, n, 2)).back(), 2);
}

const std::string mixture_text = "components=2, weights=[0.3, 0.7], means=[-1, 1.5], variances=[0.5, 1]";

TEST(FisherGaussianMixture, OneComponentIsTheGaussian) {
  const Samples samples = normal_points(9, 3, 5);
  const Matrix<double> one =
      gram("fisher_gaussian_mixture(components=1, weights=1, means=[0.1, 0.2, -1], variances=[1, 4, 0.25])", samples);
  const Matrix<double> gaussian = gram("fisher_gaussian(means=[0.1, 0.2, -1], deviations=[1, 2, 0.5])", samples);
  for (Index e = 0; e < 81; ++e) {
    EXPECT_NEAR(one.data()[e], gaussian.data()[e], 1e-12 * std::max(1.0, std::abs(gaussian.data()[e])));
  }
}

TEST(FisherGaussianMixture, PlainIsTheProductOfScores) {
  const GaussianMixture mixture({0.3, 0.7}, {-1, 1.5}, {0.5, 1});
  std::vector<double> v(6, 0.0);
  std::vector<double> w(6, 0.0);
  mixture.add_score(std::vector<double>{0.4}, ScoreUnits::parameters, v);
  mixture.add_score(std::vector<double>{-2}, ScoreUnits::parameters, w);
  double expected = 0;
  for (std::size_t p = 0; p < 6; ++p) {
    expected += v[p] * w[p];
  }
  EXPECT_NEAR(value("fisher_gaussian_mixture(" + mixture_text + ", information=plain)", {0.4}, {-2}), expected, 1e-12);
}

// information=fisher against the information matrix by quadrature: V(x)ᵀ I⁺ V(y), one of two logits left out.
TEST(FisherGaussianMixture, SimulatedInformationIsThatOfTheModel) {
  const GaussianMixture mixture({0.3, 0.7}, {-1, 1.5}, {0.5, 1});
  const auto score = [&](double x) {
    std::vector<double> v(6, 0.0);
    mixture.add_score(std::vector<double>{x}, ScoreUnits::parameters, v);
    return std::vector<double>(v.begin() + 1, v.end());
  };
  oracle::Dense information(5, 5);
  for (double x = -12; x <= 12; x += 0.02) {
    const std::vector<double> v = score(x);
    const double p = 0.02 * std::exp(mixture.log_density(std::vector<double>{x}));
    for (Index a = 0; a < 5; ++a) {
      for (Index b = 0; b < 5; ++b) {
        information(a, b) += p * v[a] * v[b];
      }
    }
  }
  const auto expected = [&](double x, double y) {
    oracle::Dense v(5, 1);
    oracle::Dense w(5, 1);
    for (Index a = 0; a < 5; ++a) {
      v(a) = score(x)[a];
      w(a) = score(y)[a];
    }
    return (v.transpose() * information.solve(w))(0);
  };
  const std::string spec = "fisher_gaussian_mixture(" + mixture_text + ", information=fisher)";
  for (const double x : {-2.0, 0.3, 2.5}) {
    EXPECT_NEAR(value(spec, {x}, {x}), expected(x, x), 0.08 * expected(x, x)) << x;
  }
  double mean = 0;
  RandomStream random(8, 0);
  std::vector<double> draws(3000);
  for (double& x : draws) {
    mixture.draw(random, std::span<double>(&x, 1));
  }
  for (const double own : diagonal(parse_kernel(spec), make_dense(draws, 3000, 1))) {
    mean += own / 3000;
  }
  EXPECT_NEAR(mean, 5, 0.35) << "as many as free parameters";
}

// Σ_i k(x_i, x_i)/n = tr(M⁺M) = rank, whatever the model, where M is the mean over the very samples.
TEST(FisherKernels, SampleInformationMakesTheMeanDiagonalTheRank) {
  const auto mean_diagonal = [](const std::string& spec, const Samples& samples) {
    double mean = 0;
    for (const double own : diagonal(parse_kernel(spec), samples)) {
      mean += own / static_cast<double>(samples.size());
    }
    return mean;
  };
  const Samples points = normal_points(50, 1, 9);
  EXPECT_NEAR(mean_diagonal("fisher_gaussian(means=0, deviations=1, information=sample, ridge=0)", points), 2, 1e-9);
  EXPECT_NEAR(mean_diagonal("fisher_gaussian_mixture(" + mixture_text + ", information=sample, ridge=0)", points), 5,
              1e-9);
  const Samples strings = texts(random_strings(80, 12, 10));
  EXPECT_NEAR(mean_diagonal("fisher_markov(order=0, symbols=[65, 67, 71, 84], transitions=0.25, visits=6, "
                            "information=sample, ridge=0)",
                            strings),
              3, 1e-9);
  EXPECT_NEAR(mean_diagonal("fisher_hmm(states=1, symbols=[65, 67, 71, 84], initial=1, transitions=1, emissions=1, "
                            "length=6, information=sample, ridge=0)",
                            strings),
              3, 1e-9);
  EXPECT_LT(mean_diagonal("fisher_gaussian(means=0, deviations=1, information=sample, ridge=0.5)", points), 1.8);
}

TEST(FisherKernels, ScoresOfTheVectorsOfABagAddUp) {
  const std::vector<std::vector<std::vector<double>>> bags = {{{0.4}, {-2}}, {{1.5}}, {{0.4}}, {{-2}}};
  for (const std::string& spec :
       {"fisher_gaussian_mixture(" + mixture_text + ")", std::string("fisher_gaussian(means=0.2, deviations=1.5)")}) {
    const Matrix<double> k = gram(spec, make_bags(bags));
    EXPECT_NEAR(k(0, 1), k(2, 1) + k(3, 1), 1e-12);
    EXPECT_NEAR(k(1, 2), value(spec, {1.5}, {0.4}), 1e-12);
  }
}

// ---- Markov chains ------------------------------------------------------------------------------------------

TEST(FisherMarkov, PlainKernelOfEqualTransitionsIsSquaredAlphabetTimesSpectrum) {
  std::vector<std::string> strings = random_strings(25, 20, 11);
  strings.emplace_back("ACGTTTTTTTTACGACG");
  const Samples samples = texts(strings);
  for (int order = 0; order <= 3; ++order) {
    const Matrix<double> fisher = gram("fisher_markov(order=" + std::to_string(order) +
                                           ", symbols=[65, 67, 71, 84], transitions=0.25, visits=1, information=plain)",
                                       samples);
    const Matrix<double> spectrum = gram("spectrum(k=" + std::to_string(order + 1) + ")", samples);
    for (Index e = 0; e < samples.size() * samples.size(); ++e) {
      EXPECT_EQ(fisher.data()[e], 16 * spectrum.data()[e]) << order;
    }
  }
}

// Against the definition: scores by θ with the last probability of every row left out, information by enumeration.
TEST(FisherMarkov, EqualsTheDefinitionOverAllStrings) {
  const std::string letters = "abc";
  const std::vector<double> theta = {0.2, 0.3, 0.5, 0.6, 0.1, 0.3, 0.25, 0.25, 0.5};
  const auto score = [&](const std::string& text) {
    std::vector<double> v(6, 0.0);
    for (std::size_t t = 1; t < text.size(); ++t) {
      const auto c = static_cast<std::size_t>(text[t - 1] - 'a');
      const auto a = static_cast<std::size_t>(text[t] - 'a');
      for (std::size_t free = 0; free < 2; ++free) {
        v[c * 2 + free] += a == free ? 1 / theta[c * 3 + a] : a == 2 ? -1 / theta[c * 3 + 2] : 0.0;
      }
    }
    return v;
  };
  oracle::Dense information(6, 6);
  std::vector<double> visits(3, 0.0);
  std::vector<double> mean(6, 0.0);
  const std::vector<std::string> strings = all_strings(letters, 4);
  std::vector<double> probabilities;
  for (const std::string& text : strings) {
    double p = 1.0 / 3;
    for (std::size_t t = 1; t < text.size(); ++t) {
      p *= theta[static_cast<std::size_t>(text[t - 1] - 'a') * 3 + static_cast<std::size_t>(text[t] - 'a')];
    }
    for (std::size_t t = 0; t + 1 < text.size(); ++t) {
      visits[text[t] - 'a'] += p;
    }
    const std::vector<double> v = score(text);
    for (Index a = 0; a < 6; ++a) {
      mean[a] += p * v[a];
      for (Index b = 0; b < 6; ++b) {
        information(a, b) += p * v[a] * v[b];
      }
    }
    probabilities.push_back(p);
  }
  for (const double value_of_mean : mean) {
    EXPECT_NEAR(value_of_mean, 0, 1e-14);
  }
  std::string spec =
      "fisher_markov(order=1, symbols=[97, 98, 99], transitions=[0.2, 0.3, 0.5, 0.6, 0.1, 0.3, 0.25, 0.25, "
      "0.5], visits=[";
  char number[40];
  for (std::size_t c = 0; c < 3; ++c) {
    std::snprintf(number, sizeof number, "%.17g", visits[c]);
    spec += (c > 0 ? ", " : "") + std::string(number);
  }
  spec += "])";
  const Samples samples = texts(strings);
  const Matrix<double> k = gram(spec, samples);
  double diagonal_mean = 0;
  for (Index i = 0; i < k.rows(); ++i) {
    diagonal_mean += probabilities[i] * k(i, i);
  }
  EXPECT_NEAR(diagonal_mean, 6, 1e-10) << "as many as free parameters";
  for (const Index i : {0, 5, 17, 40}) {
    for (const Index j : {3, 17, 60, 80}) {
      oracle::Dense v(6, 1);
      oracle::Dense w(6, 1);
      for (Index a = 0; a < 6; ++a) {
        v(a) = score(strings[i])[a];
        w(a) = score(strings[j])[a];
      }
      EXPECT_NEAR(k(i, j), (v.transpose() * information.solve(w))(0), 1e-10);
    }
  }
}

TEST(FisherMarkov, SkipsWindowsWithUnknownSymbolsAndContextsNeverSeen) {
  const std::string model = "symbols=[65, 67], transitions=0.5, visits=[2, 0]";
  const Matrix<double> k =
      gram("fisher_markov(order=1, " + model + ")", texts({"AANAAC", "AA", "AC", "CA", "", "NNN"}));
  EXPECT_NEAR(k(0, 1), 2 * k(1, 1) + k(2, 1), 1e-14);  // AA, AA and AC
  EXPECT_NEAR(k(1, 1), 2 * 0.25 / (2 * 0.5), 1e-14);
  for (Index j = 0; j < 6; ++j) {
    EXPECT_EQ(k(3, j), 0) << "C has no visits";
    EXPECT_EQ(k(4, j), 0);
    EXPECT_EQ(k(5, j), 0);
  }
}

TEST(FisherMarkov, FitsItsModelToTheStringsAndNamesItsFeatures) {
  const Samples samples = texts({"ACCA", "CAAC", "A"});
  const Kernel k = resolved("fisher_markov(pseudo_count=0.5)", samples);
  EXPECT_EQ(k.node().parameters().numbers("symbols"), (std::vector<double>{65, 67}));
  // AA 1, AC 2, CA 2, CC 1 in three strings
  EXPECT_NEAR(k.node().parameters().numbers("transitions")[1], 2.5 / 4, 1e-9);
  EXPECT_NEAR(k.node().parameters().numbers("visits")[0], 1, 1e-9);
  const auto& node = dynamic_cast<const ExplicitNode&>(k.node());
  EXPECT_EQ(node.feature_name(samples, 0, 1), "AC");
  std::vector<FeaturePlace> places;
  node.append_places(samples, 0, nullptr, places);
  ASSERT_EQ(places.size(), 6U) << "three steps, each with a part for both symbols that might have come";
  EXPECT_EQ(places[3].key, 3U) << "CC";
  EXPECT_EQ(places[3].begin, 1);
  EXPECT_EQ(places[3].end, 3);
  EXPECT_LT(places[2].part, 0) << "CA did not come";
  EXPECT_GT(places[3].part, 0);
  EXPECT_ERROR(resolved("fisher_markov(order=20)", samples), InvalidArgument,
               "fisher_markov: the model would have 2097152 parameters")
      << "2^21 transitions";
}

TEST(FisherMarkov, LearnedInformationCanBeStored) {
  const Samples samples = texts(random_strings(30, 10, 12));
  const Kernel k = resolved("fisher_markov(order=1, information=sample)", samples);
  const auto& node = dynamic_cast<const ExplicitNode&>(k.node());
  const auto learned = node.learn(samples, mercer::Run());
  const auto again = node.learned_from(node.learned_numbers(learned.get()));
  const mercer::Run run;
  FeatureList first(run);
  FeatureList second(run);
  node.append_features(samples, 3, learned.get(), first);
  node.append_features(samples, 3, again.get(), second);
  const auto a = first.merged();
  const auto b = second.merged();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t f = 0; f < a.size(); ++f) {
    EXPECT_EQ(a[f].value, b[f].value);
  }
  const std::vector<KeyedFeature> wrong = {{0, 1.0}, {1, 2.0}};
  EXPECT_ERROR(node.learned_from(wrong), DataError, "fisher_markov: the stored information matrix has 2 numbers");
  EXPECT_ERROR(node.learned_from({}), DataError, "fisher_markov: the stored information matrix has 0 numbers");
}

TEST(FisherMarkov, RefusesStoredInformationOfAKernelThatWaitsForData) {
  const Kernel k = parse_kernel("fisher_markov(order=1, information=sample)");
  const std::vector<KeyedFeature> numbers = {{0, 1.0}, {1, 2.0}};
  EXPECT_ERROR(dynamic_cast<const ExplicitNode&>(k.node()).learned_from(numbers), DataError,
               "fisher_markov: the stored information matrix has 2 numbers");
}

TEST(FisherMarkov, GivenTransitionsAreDividedByTheSumsOfTheirRows) {
  const Samples samples = texts({"ABBA", "BAAB", "ABABAB"});
  for (const std::string information : {"plain", "fisher", "sample"}) {
    const std::string rest = ", visits=1, information=" + information + ")";
    const Matrix<double> shares =
        gram("fisher_markov(symbols=[65, 66], transitions=[0.25, 0.75, 0.5, 0.5]" + rest, samples);
    const Matrix<double> counts = gram("fisher_markov(symbols=[65, 66], transitions=[1, 3, 8, 8]" + rest, samples);
    for (Index e = 0; e < 9; ++e) {
      EXPECT_EQ(shares.data()[e], counts.data()[e]) << information;
    }
  }
}

// ---- hidden Markov models -----------------------------------------------------------------------------------

const std::string hidden_text =
    "states=2, symbols=[97, 98, 99], initial=[0.6, 0.4], transitions=[0.9, 0.1, 0.3, 0.7], emissions=[0.5, 0.2, 0.3, "
    "0.1, "
    "0.6, 0.3]";

HiddenMarkov hidden_model() {
  return {SymbolAlphabet("test", {97, 98, 99}), {0.6, 0.4}, {0.9, 0.1, 0.3, 0.7}, {0.5, 0.2, 0.3, 0.1, 0.6, 0.3}};
}

TEST(FisherHmm, PlainIsTheProductOfScores) {
  std::vector<double> v(12, 0.0);
  std::vector<double> w(12, 0.0);
  hidden_model().add_score("abca", v, mercer::Run());
  hidden_model().add_score("bb?c", w, mercer::Run());
  double expected = 0;
  for (std::size_t p = 0; p < 12; ++p) {
    expected += v[p] * w[p];
  }
  const Matrix<double> k =
      gram("fisher_hmm(" + hidden_text + ", length=4, information=plain)", texts({"abca", "bb?c", "", "???"}));
  EXPECT_NEAR(k(0, 1), expected, 1e-13);
  EXPECT_NEAR(k(2, 2), 0, 1e-13);
  EXPECT_NEAR(k(3, 3), 0, 1e-13) << "nothing was observed";
}

TEST(FisherHmm, OneStateIsTheMarkovChainOfOrderZero) {
  const Samples samples = texts(random_strings(20, 15, 13));
  const Matrix<double> hidden = gram(
      "fisher_hmm(states=1, symbols=[65, 67, 71, 84], initial=1, transitions=1, emissions=[0.1, 0.2, 0.3, 0.4], "
      "length=7)",
      samples);
  const Matrix<double> chain =
      gram("fisher_markov(order=0, symbols=[65, 67, 71, 84], transitions=[0.1, 0.2, 0.3, 0.4], visits=7)", samples);
  for (Index e = 0; e < 400; ++e) {
    EXPECT_NEAR(hidden.data()[e], chain.data()[e], 1e-12 * std::max(1.0, std::abs(chain.data()[e])));
  }
}

// information=fisher against the information by enumeration of all strings of four symbols: V(x)ᵀ I⁺ V(y), the last logit
// of every row left out.
TEST(FisherHmm, DrawnInformationIsThatOfTheModel) {
  const HiddenMarkov model = hidden_model();
  const auto score = [&](const std::string& text) {
    std::vector<double> v(12, 0.0);
    model.add_score(text, v, mercer::Run());
    return std::vector<double>{v[0], v[2], v[4], v[6], v[7], v[9], v[10]};
  };
  const std::vector<std::string> strings = all_strings("abc", 4);
  oracle::Dense information(7, 7);
  for (const std::string& text : strings) {
    const std::vector<double> v = score(text);
    const double p = std::exp(model.log_likelihood(text));
    for (Index a = 0; a < 7; ++a) {
      for (Index b = 0; b < 7; ++b) {
        information(a, b) += p * v[a] * v[b];
      }
    }
  }
  const std::vector<double> own =
      diagonal(parse_kernel("fisher_hmm(" + hidden_text + ", length=4, information=fisher)"), texts(strings));
  double mean = 0;
  for (std::size_t i = 0; i < strings.size(); ++i) {
    mean += std::exp(model.log_likelihood(strings[i])) * own[i];
    const oracle::Dense v(score(strings[i]));
    const double expected = (v.transpose() * information.solve(v))(0);
    EXPECT_NEAR(own[i], expected, 0.15 * std::max(1.0, expected)) << strings[i];
  }
  EXPECT_NEAR(mean, 7, 0.3) << "as many as free parameters";
}

double pair_over_paths(const HiddenMarkov& model, const std::string& x, const std::string& y) {
  double sum = 0;
  for (unsigned path = 0; path < 1U << x.size(); ++path) {
    double p = 1;
    for (std::size_t t = 0; t < x.size(); ++t) {
      const std::size_t state = (path >> t) & 1U;
      p *= t == 0 ? model.initial()[state] : model.transitions()[((path >> (t - 1)) & 1U) * 2 + state];
      p *= model.emission(state, model.alphabet().code(x[t])) * model.emission(state, model.alphabet().code(y[t]));
    }
    sum += p;
  }
  return sum;
}

TEST(HmmPair, IsTheSumOverAllPaths) {
  const HiddenMarkov model = hidden_model();
  const std::vector<std::string> strings = {"abcab", "bbbcc", "aacac", "cc?ba"};
  const Matrix<double> k = gram("hmm_pair(" + hidden_text + ", values=probability)", texts(strings));
  const Matrix<double> normalized = gram("hmm_pair(" + hidden_text + ")", texts(strings));
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      const double expected = pair_over_paths(model, strings[i], strings[j]);
      EXPECT_NEAR(k(static_cast<Index>(i), static_cast<Index>(j)), expected, 1e-15);
      EXPECT_NEAR(normalized(static_cast<Index>(i), static_cast<Index>(j)),
                  expected / std::sqrt(pair_over_paths(model, strings[i], strings[i]) *
                                       pair_over_paths(model, strings[j], strings[j])),
                  1e-13);
    }
  }
}

TEST(HmmPair, SumsToTheProbabilityOfTheOther) {
  const HiddenMarkov model = hidden_model();
  const Matrix<double> k = cross(parse_kernel("hmm_pair(" + hidden_text + ", values=probability)"), texts({"abc"}),
                                 texts(all_strings("abc", 3)));
  double sum = 0;
  for (Index j = 0; j < 27; ++j) {
    sum += k(0, j);
  }
  EXPECT_NEAR(sum, std::exp(model.log_likelihood("abc")), 1e-14);
}

TEST(HmmPair, LongStringsStayInRange) {
  std::vector<std::string> strings;
  RandomStream random(14, 0);
  for (int i = 0; i < 4; ++i) {
    std::string text;
    for (int t = 0; t < 3000; ++t) {
      text += "abc"[random.below(3)];
    }
    strings.push_back(text);
  }
  strings.push_back(strings[0]);
  strings.back()[17] = strings.back()[17] == 'a' ? 'b' : 'a';
  const Matrix<double> k = gram("hmm_pair(" + hidden_text + ")", texts(strings));
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(k(i, i), 1, 1e-9);
  }
  EXPECT_GT(k(0, 4), 0.3);
  EXPECT_LT(k(0, 4), 1);
}

TEST(HmmPair, RefusesOtherLengths) {
  const Kernel k = parse_kernel("hmm_pair(" + hidden_text + ")");
  EXPECT_ERROR(gram(k, texts({"abc", "ab"})), DataError, "hmm_pair compares strings of one length");
  EXPECT_ERROR(cross(k, texts({"abcd"}), texts({"abc"})), DataError, "hmm_pair compares strings of one length");
  EXPECT_EQ(gram(k, texts({"", ""}))(0, 1), 1) << "paths of length 0 have probability 1";
  const std::string long_text(25000, 'a');
  std::string large = "hmm_pair(states=100, symbols=[97], initial=1, transitions=1, emissions=1)";
  EXPECT_ERROR(gram(large, texts({long_text})), DataError,
               "hmm_pair: the string of row 0 (counted from 0) has 25000 symbols");
}

TEST(HmmPair, TrainingStringsThatAreAllEmptyHaveALengthToo) {
  const Kernel k = parse_kernel("hmm_pair(" + hidden_text + ")");
  EXPECT_ERROR(cross(k, texts({"abc"}), texts({"", ""})), DataError, "hmm_pair compares strings of one length");
  EXPECT_EQ(cross(k, texts({""}), texts({"", ""}))(0, 1), 1);
}

TEST(ProbabilityProductHmm, NormalizedValuesStayInRangeForAnyLength) {
  const Samples samples = texts({"aabbaabbaab", "abcabcabc", "abbabbabbab", ""});
  const Matrix<double> divided = gram("normalize(probability_product_hmm(length=20))", samples);
  const Matrix<double> normalized = gram("probability_product_hmm(length=20, values=normalized)", samples);
  for (Index e = 0; e < 16; ++e) {
    EXPECT_NEAR(normalized.data()[e], divided.data()[e], 1e-12);
  }
  // Four symbols in any order, each as likely: k = 4^-1000.
  const Samples mixed = texts({"abcdabdcacbdadcb", "dcbadbcaadcbacbd"});
  EXPECT_EQ(gram("probability_product_hmm(states=1, length=1000)", mixed)(0, 1), 0);
  const Matrix<double> longest = gram("probability_product_hmm(states=1, length=1000, values=normalized)", mixed);
  EXPECT_NEAR(longest(0, 0), 1, 1e-9);
  EXPECT_NEAR(longest(0, 1), 1, 1e-9);
}

TEST(HiddenMarkovKernels, TooLongStringsAreRefusedBeforeTheFit) {
  EXPECT_ERROR(resolved("fisher_hmm(states=100)", texts({std::string(25000, 'a')})), DataError,
               "fisher_hmm: the string of row 0 (counted from 0) has 25000 symbols");
}

TEST(ProbabilityProductHmm, IsTheSumOverAllStrings) {
  const std::vector<std::string> strings = {"aabbaabbaab", "abcabcabc", "c"};
  const Matrix<double> k = gram("probability_product_hmm(states=2, length=4)", texts(strings));
  std::vector<HiddenMarkov> models;
  for (const std::string& text : strings) {
    const std::string_view one[1] = {text};
    models.push_back(fit_hidden_markov(one, SymbolAlphabet::of("test", texts({text})),
                                       {.states = 2, .max_iterations = 50}, mercer::Run())
                         .model);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (const std::string& u : all_strings("abc", 4)) {
        bool known = true;  // a model gives no probability to symbols that its string lacks
        for (const char c : u) {
          known = known && models[i].alphabet().code(c) >= 0 && models[j].alphabet().code(c) >= 0;
        }
        sum += known ? std::exp(models[i].log_likelihood(u) + models[j].log_likelihood(u)) : 0.0;
      }
      EXPECT_NEAR(k(static_cast<Index>(i), static_cast<Index>(j)), sum, 1e-13) << i << j;
    }
  }
  EXPECT_EQ(gram("probability_product_hmm()", texts({"", "a"}))(0, 1), 0);
}

// ---- probability products -----------------------------------------------------------------------------------

TEST(ProbabilityProduct, IsTheIntegral) {
  for (const double rho : {0.5, 1.0, 2.0}) {
    const double expected = integral([&](double u) {
      return std::pow(normal_density(u, 0.3, 0.8), rho) * std::pow(normal_density(u, -1, 0.8), rho);
    });
    const std::string spec = "probability_product(sigma=0.8, rho=" + std::to_string(rho) + ", dimension=";
    EXPECT_NEAR(value(spec + "1)", {0.3}, {-1}), expected, 1e-12) << rho;
    EXPECT_NEAR(value(spec + "2)", {0.3, 0.3}, {-1, -1}), expected * expected, 1e-12) << rho;
  }
  const double sigma = 0.7;
  EXPECT_NEAR(value("probability_product(sigma=0.7, dimension=3)", {1, 2, 3}, {1, 1, 5}),
              std::pow(4 * std::numbers::pi * sigma * sigma, -1.5) * std::exp(-5 / (4 * sigma * sigma)), 1e-15);
  EXPECT_NEAR(value("probability_product(sigma=0.7, rho=0.5, dimension=3)", {1, 2, 3}, {1, 2, 3}), 1, 1e-12);
}

TEST(ProbabilityProduct, TheRangeOfNumbersIsThatOfThePrecision) {
  const Samples samples = normal_points(20, 50, 23);
  const Kernel k = resolved("probability_product()", samples);
  EXPECT_GT(gram(k, samples)(0, 0), 0);
  EXPECT_ERROR(PreparedKernel(k, samples, Precision::single_precision, mercer::Run()), NumericalError,
               "probability_product: the densities of 50 dimensions with");
  EXPECT_ERROR(gram(resolved("probability_product()", normal_points(20, 600, 24)), normal_points(20, 600, 24)),
               NumericalError, "probability_product: the densities of 600 dimensions with");
}

TEST(ProbabilityProduct, WidthsAreThoseOfTheGaussianKernel) {
  const Samples samples = normal_points(12, 3, 15);
  const Matrix<double> product = gram(resolved("normalize(probability_product(rho=0.7))", samples), samples);
  const Matrix<double> rbf = gram(resolved("rbf(gamma=scale)", samples), samples);
  for (Index e = 0; e < 144; ++e) {
    EXPECT_NEAR(product.data()[e], rbf.data()[e], 1e-12);
  }
  EXPECT_ERROR(gram("probability_product(sigma=1, dimension=600)", normal_points(2, 600, 16)), NumericalError,
               "probability_product: the densities of 600 dimensions with sigma=1 are beyond");
  EXPECT_NEAR(gram("probability_product(sigma=1, rho=0.5, dimension=600)", normal_points(2, 600, 16))(0, 0), 1, 1e-10);
  EXPECT_ERROR(gram("probability_product(sigma=1, dimension=2)", samples), DataError,
               "probability_product: dimension=2, but the samples have 3 columns");
}

TEST(ProbabilityProductBags, IsTheIntegral) {
  // Bag means and variances: (1, 2/3 + ridge) and (−1, 0 + ridge).
  const Samples line = make_bags(std::vector<std::vector<std::vector<double>>>{{{0}, {1}, {2}}, {{-1}}});
  for (const double rho : {0.5, 1.0, 1.7}) {
    const double expected = integral([&](double u) {
      return std::pow(normal_density(u, 1, std::sqrt(2.0 / 3 + 0.2)) * normal_density(u, -1, std::sqrt(0.2)), rho);
    });
    const std::string text = std::to_string(rho);
    EXPECT_NEAR(gram("probability_product_bags(ridge=0.2, rho=" + text + ")", line)(0, 1), expected, 1e-10);
    EXPECT_NEAR(gram("probability_product_bags(ridge=0.2, covariance=diagonal, rho=" + text + ")", line)(0, 1),
                expected, 1e-10);
  }
}

TEST(ProbabilityProductBags, FullCovariancesIntegrateOverThePlane) {
  const std::vector<std::vector<std::vector<double>>> bags = {{{0, 0}, {1, 1}, {2, 1}}, {{0, 1}, {1, -1}}};
  const Matrix<double> k = gram("probability_product_bags(ridge=0.3, rho=0.8)", make_bags(bags));
  const auto density = [&](std::size_t bag, double u, double v) {
    double mean[2] = {0, 0};
    double c[3] = {0.3, 0, 0.3};
    const auto n = static_cast<double>(bags[bag].size());
    for (const auto& point : bags[bag]) {
      mean[0] += point[0] / n;
      mean[1] += point[1] / n;
    }
    for (const auto& point : bags[bag]) {
      c[0] += (point[0] - mean[0]) * (point[0] - mean[0]) / n;
      c[1] += (point[0] - mean[0]) * (point[1] - mean[1]) / n;
      c[2] += (point[1] - mean[1]) * (point[1] - mean[1]) / n;
    }
    const double determinant = c[0] * c[2] - c[1] * c[1];
    const double a = u - mean[0];
    const double b = v - mean[1];
    return std::exp(-(c[2] * a * a - 2 * c[1] * a * b + c[0] * b * b) / (2 * determinant)) /
           (2 * std::numbers::pi * std::sqrt(determinant));
  };
  double expected = 0;
  for (double u = -9; u <= 10; u += 0.1) {
    for (double v = -9; v <= 10; v += 0.1) {
      expected += 0.01 * std::pow(density(0, u, v) * density(1, u, v), 0.8);
    }
  }
  EXPECT_NEAR(k(0, 1), expected, 1e-9);
  const Matrix<double> half = gram("probability_product_bags(ridge=0.3)", make_bags(bags));
  EXPECT_NEAR(half(0, 0), 1, 1e-13);
  EXPECT_LT(half(0, 1), 1);
}

TEST(ProbabilityProductBags, EmptyBagsAndRidgeFromTheData) {
  const std::vector<std::vector<std::vector<double>>> bags = {{{0, 0}, {2, 4}}, {}, {{0, 4}, {2, 0}}};
  const Kernel k = resolved("probability_product_bags()", make_bags(bags));
  EXPECT_NEAR(k.node().parameters().numbers("ridge")[0], 0.1 * (1 + 4) / 2, 1e-9);
  const Matrix<double> values = gram(k, make_bags(bags));
  EXPECT_EQ(values(1, 1), 0);
  EXPECT_EQ(values(0, 1), 0);
  EXPECT_GT(values(0, 2), 0);
}

TEST(ProbabilityProductBags, BagsThatAreAllEmptyHaveNoDimension) {
  using Bags = std::vector<std::vector<std::vector<double>>>;
  const Samples some = make_bags(Bags{{{0, 0}, {2, 4}}, {{1, 1}}});
  const Samples none = make_bags(Bags(2));
  const Samples wider = make_bags(Bags{{{1, 2, 3}}});
  for (const char* spec : {"probability_product_bags(ridge=1)", "fisher_gaussian(means=0, deviations=1)",
                           "fisher_gaussian(means=[0, 1], deviations=1)",
                           "fisher_gaussian_mixture(components=1, weights=1, means=[0, 0], variances=1)"}) {
    const Matrix<double> k = cross(parse_kernel(spec), none, some);
    for (Index e = 0; e < 4; ++e) {
      EXPECT_EQ(k.data()[e], 0) << spec;
    }
  }
  EXPECT_EQ(cross(parse_kernel("probability_product_bags(ridge=1)"), some, none)(0, 0), 0);
  EXPECT_ERROR(cross(parse_kernel("fisher_gaussian(means=0, deviations=1)"), wider, some), DataError,
               "fisher_gaussian: the samples have other columns than the training samples");
}

TEST(ProbabilityProductCounts, IsBhattacharyyasCoefficient) {
  const Samples samples = dense({{1, 1, 2}, {10, 10, 20}, {0, 3, 1}, {0, 0, 0}});
  const Matrix<double> k = gram("probability_product_counts()", samples);
  EXPECT_NEAR(k(0, 1), 1, 1e-14);
  EXPECT_NEAR(k(0, 2), std::sqrt(0.25 * 0.75) + std::sqrt(0.5 * 0.25), 1e-14);
  EXPECT_EQ(k(3, 3), 0);
  EXPECT_NEAR(gram("probability_product_counts(rho=1)", samples)(0, 2), 0.25 * 0.75 + 0.5 * 0.25, 1e-14);
  EXPECT_ERROR(gram("probability_product_counts()", dense({{1, -1}})), DataError,
               "probability_product_counts needs values that are not negative");
  const Matrix<double> strings = gram("probability_product_strings(k=1)", texts({"aabb", "abcc", "", "ddd"}));
  EXPECT_NEAR(strings(0, 1), 2 * std::sqrt(0.5 * 0.25), 1e-14);
  EXPECT_NEAR(strings(0, 0), 1, 1e-14);
  EXPECT_EQ(strings(2, 0), 0);
  EXPECT_EQ(strings(3, 1), 0);
}

// ---- densities ----------------------------------------------------------------------------------------------

TEST(DensityProduct, IsTheProductOfDensities) {
  const double p = 0.3 * normal_density(0.2, -1, std::sqrt(0.5)) + 0.7 * normal_density(0.2, 1.5, 1);
  const double q = 0.3 * normal_density(-2, -1, std::sqrt(0.5)) + 0.7 * normal_density(-2, 1.5, 1);
  EXPECT_NEAR(value("density_product(" + mixture_text + ", log_scale=0)", {0.2}, {-2}), p * q, 1e-15);
  const double both = 0.3 * normal_density(0.2, -1, std::sqrt(0.5)) * normal_density(-2, -1, std::sqrt(0.5)) +
                      0.7 * normal_density(0.2, 1.5, 1) * normal_density(-2, 1.5, 1);
  EXPECT_NEAR(value("mixture_product(" + mixture_text + ", log_scale=0)", {0.2}, {-2}), both, 1e-15);
}

TEST(MixtureProduct, IsADensityOfPairsWithTheRightMargin) {
  std::vector<std::vector<double>> grid;
  for (double x = -9; x <= 9; x += 0.1) {
    grid.push_back({x});
  }
  const Matrix<double> k =
      cross(parse_kernel("mixture_product(" + mixture_text + ", log_scale=0)"), dense({{0.7}}), dense(grid));
  double margin = 0;
  for (Index j = 0; j < k.columns(); ++j) {
    margin += 0.1 * k(0, j);
  }
  EXPECT_NEAR(margin, 0.3 * normal_density(0.7, -1, std::sqrt(0.5)) + 0.7 * normal_density(0.7, 1.5, 1), 1e-9);
}

TEST(DensityProduct, IsScaledToTheLargestTrainingDensity) {
  const Samples samples = normal_points(40, 60, 17);
  const Kernel k = resolved("density_product()", samples);
  double largest = 0;
  for (const double own : diagonal(k, samples)) {
    largest = std::max(largest, own);
  }
  EXPECT_NEAR(largest, 1, 1e-5);
  const std::vector<double> means = k.node().parameters().numbers("means");
  EXPECT_TRUE(std::isfinite(gram(k, make_dense(means, 1, 60))(0, 0)));
}

TEST(DensityProduct, AGivenModelMustHaveTheDimensionOfTheSamples) {
  EXPECT_ERROR(resolved("density_product(components=1, weights=1, means=[0, 0], variances=1)", normal_points(5, 5, 20)),
               DataError, "density_product: the model has 2 columns");
  EXPECT_ERROR(resolved("mixture_product(components=2, weights=1, means=[0, 1], variances=1)", normal_points(5, 3, 20)),
               DataError, "mixture_product: the model has 1 columns");
}

TEST(DensityProduct, SinglePrecisionIsNeitherInfiniteNorLost) {
  const Samples samples = dense({{0.0}, {6.0}});
  // Densities of about e^-60 and e^60: their squares are beyond single precision, their cosines are not.
  for (const std::string scale : {"-60", "60"}) {
    const std::string spec =
        "mixture_product(components=2, weights=1, means=[0, 3], variances=1, log_scale=" + scale + ")";
    const Kernel k = parse_kernel("normalize(" + spec + ")");
    const PreparedKernel prepared(k, samples, Precision::single_precision, mercer::Run());
    Workspace workspace;
    TileContext<float> context(prepared.reference(), {0, 2}, prepared.reference(), {0, 2}, workspace);
    Matrix<float> values(2, 2);
    k.node().tile(context, values.view());
    EXPECT_NEAR(static_cast<double>(values(0, 1)), gram(k, samples)(0, 1), 1e-6);
    EXPECT_NEAR(static_cast<double>(values(0, 0)), 1, 1e-6);
  }
  const Kernel large = parse_kernel("density_product(components=1, weights=1, means=0, variances=1, log_scale=60)");
  const PreparedKernel prepared(large, samples, Precision::single_precision, mercer::Run());
  Workspace workspace;
  TileContext<float> context(prepared.reference(), {0, 1}, prepared.reference(), {0, 1}, workspace);
  Matrix<float> one(1, 1);
  EXPECT_ERROR(large.node().tile(context, one.view()), NumericalError, "of density_product for rows 0 and 0");
  EXPECT_ERROR(PreparedKernel(parse_kernel("fisher_gaussian(means=0, deviations=1)"), dense({{1e15}}),
                              Precision::single_precision, mercer::Run()),
               NumericalError, "of fisher_gaussian for rows 0 and 0")
      << "(x^2)^2 is beyond single precision";
}

// ---- models that the data decides ---------------------------------------------------------------------------

TEST(FittedModels, StandInTheKernelsText) {
  const Samples points = normal_points(60, 2, 18);
  const Samples strings = texts(random_strings(40, 12, 19));
  std::vector<std::string> aligned = all_strings("AC", 5);
  for (const std::string spec :
       {"fisher_gaussian", "fisher_gaussian_mixture(components=2)", "density_product", "mixture_product",
        "fisher_markov(order=2)", "fisher_hmm(states=2)", "hmm_pair(states=2)", "2*normalize(fisher_hmm(states=2))",
        "rbf_of(fisher_gaussian(), gamma=0.1)"}) {
    SCOPED_TRACE(spec);
    const Kernel k = parse_kernel(spec);
    const bool on_strings = spec.find("mark") != std::string::npos || spec.find("hmm") != std::string::npos;
    const Samples samples = spec.rfind("hmm_pair", 0) == 0 ? texts(aligned) : on_strings ? strings : points;
    EXPECT_FALSE(k.is_resolved());
    EXPECT_ERROR(gram(k, samples), InvalidArgument, "has widths that only data can resolve");
    const Kernel fitted = resolve_widths(k, samples, mercer::Run({.threads = 1}));
    EXPECT_TRUE(fitted.is_resolved());
    EXPECT_EQ(resolve_widths(k, samples, mercer::Run({.threads = 3})).spec(), fitted.spec());
    const Kernel read = parse_kernel(fitted.spec());
    const Matrix<double> a = gram(fitted, samples);
    const Matrix<double> b = gram(read, samples);
    for (Index e = 0; e < a.rows() * a.columns(); ++e) {
      EXPECT_EQ(a.data()[e], b.data()[e]);
    }
  }
}

TEST(FittedModels, DegenerateSamplesGiveFiniteValues) {
  const std::vector<Samples> vectors = {dense({{3, 3}}), dense({{1, 5}, {1, 5}, {1, 5}}), dense({{1, 2}, {1, 3}}),
                                        make_dense(std::vector<double>(), 0, 2)};
  const std::vector<Samples> strings = {texts({""}), texts({"", "", ""}), texts({"A"}), texts({"AAAA", "AAAA"}),
                                        texts({})};
  const auto check = [](const char* spec, const Samples& samples) {
    SCOPED_TRACE(std::string(spec) + " on " + std::to_string(samples.size()));
    const Matrix<double> k = gram(resolved(spec, samples), samples);
    for (Index e = 0; e < k.rows() * k.columns(); ++e) {
      EXPECT_TRUE(std::isfinite(k.data()[e]));
    }
  };
  for (const Samples& samples : vectors) {
    for (const char* spec :
         {"fisher_gaussian", "fisher_gaussian(information=sample)", "fisher_gaussian_mixture",
          "fisher_gaussian_mixture(information=fisher)", "fisher_gaussian_mixture(information=sample)",
          "density_product", "mixture_product", "probability_product"}) {
      check(spec, samples);
    }
  }
  for (const Samples& samples : strings) {
    for (const char* spec :
         {"fisher_markov", "fisher_markov(order=3, information=sample)", "fisher_hmm", "fisher_hmm(information=sample)",
          "hmm_pair", "probability_product_hmm", "probability_product_strings"}) {
      check(spec, samples);
    }
  }
}

TEST(FittedModels, WrongParametersAreRefused) {
  for (const char* spec :
       {"fisher_gaussian(means=0)", "fisher_gaussian(means=median)", "fisher_gaussian(means=0, deviations=0)",
        "fisher_gaussian_mixture(components=2, weights=1, means=[1, 2, 3], variances=1)",
        "fisher_gaussian_mixture(components=2, weights=[1, 2, 3], means=[1, 2], variances=1)",
        "fisher_gaussian_mixture(components=2, weights=1, means=[1, 2], variances=[1, 2, 3])",
        "fisher_gaussian_mixture(components=2, weights=1)", "fisher_gaussian_mixture(information=complet)",
        "fisher_markov(symbols=[65, 65], transitions=0.5, visits=1)",
        "fisher_markov(symbols=[65, 300], transitions=0.5, "
        "visits=1)",
        "fisher_markov(symbols=[65, 67], transitions=[0.5, 0.5], visits=1)",
        "fisher_hmm(states=2, symbols=[65], initial=0, transitions=1, emissions=1, length=3)",
        "hmm_pair(states=2, initial=1)", "fisher_markov(order=2000000000, symbols=[65], transitions=1, visits=1)",
        "probability_product_hmm(length=100000)",
        "fisher_hmm(states=1000000, symbols=[65], initial=1, transitions=1, emissions=1, length=3)",
        "probability_product_bags(rho=0)", "probability_product_hmm(states=100000)"}) {
    EXPECT_ERROR(parse_kernel(spec), InvalidArgument, std::string(spec).substr(0, std::string(spec).find('(')) + ": ")
        << spec;
  }
  EXPECT_ERROR(gram("fisher_gaussian(means=[0, 1], deviations=1)", dense({{1, 2, 3}})), DataError,
               "fisher_gaussian: the model has 2 columns");
  EXPECT_ERROR(gram("fisher_gaussian(means=0, deviations=1)", texts({"A"})), InvalidArgument,
               "fisher_gaussian needs real vectors or bags of vectors");
  EXPECT_ERROR(gram("fisher_hmm(" + hidden_text + ", length=1)", dense({{1}})), InvalidArgument,
               "fisher_hmm compares strings");
  EXPECT_ERROR(gram("probability_product_bags(ridge=1)", normal_points(2, 600, 1)), InvalidArgument,
               "probability_product_bags: full covariances of 600 columns");
  EXPECT_GT(gram("probability_product_bags(ridge=1, covariance=diagonal)", normal_points(2, 600, 1))(0, 0), 0.99);
  EXPECT_ERROR(resolved("fisher_gaussian_mixture(components=20000)", normal_points(4, 3, 1)), InvalidArgument,
               "fisher_gaussian_mixture: the model would have 140000 parameters");
}

}  // namespace
}  // namespace mercer
