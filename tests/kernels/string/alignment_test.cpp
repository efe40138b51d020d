// Kernels that compare two strings place by place or by all their alignments, against their definitions.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/string/local_alignment_sum.h"
#include "mercer/kernels/string/salzberg.h"
#include "mercer/kernels/string/subsequence_sums.h"
#include "mercer/kernels/string/substitution_scores.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

double on(const std::string& spec, const std::string& x, const std::string& y) {
  return testing::gram(spec, make_strings(std::vector<std::string>{x, y}))(0, 1);
}

std::string random_text(RandomStream& random, std::string_view letters, std::size_t length) {
  std::string text;
  for (std::size_t at = 0; at < length; ++at) {
    text += letters[random.below(letters.size())];
  }
  return text;
}

void expect_close(double value, double expected) {
  EXPECT_NEAR(value, expected, 1e-12 * std::max(1.0, std::abs(expected)));
}

// φ_u of every subsequence of n symbols: all index sets, λ^(span − free).
std::map<std::string, double> subsequence_features(const std::string& text, int n, double decay, int free,
                                                   int most_gap) {
  std::map<std::string, double> features;
  for (unsigned set = 1; set < (1U << text.size()); ++set) {
    if (__builtin_popcount(set) != n) {
      continue;
    }
    std::string u;
    int first = -1;
    int last = -1;
    for (int at = 0; at < static_cast<int>(text.size()); ++at) {
      if ((set >> at & 1U) != 0) {
        u += text[at];
        first = first < 0 ? at : first;
        last = at;
      }
    }
    if (last - first + 1 <= n + most_gap) {
      features[u] += std::pow(decay, last - first + 1 - free);
    }
  }
  return features;
}

double subsequence_value(const std::string& x, const std::string& y, int n, double decay, int free = 0,
                         int most_gap = 100) {
  const auto a = subsequence_features(x, n, decay, free, most_gap);
  const auto b = subsequence_features(y, n, decay, free, most_gap);
  double sum = 0;
  for (const auto& [u, value] : a) {
    const auto at = b.find(u);
    sum += at == b.end() ? 0.0 : value * at->second;
  }
  return sum;
}

TEST(Subsequence, HasTheKnownValues) {
  const double at_half[3] = {1.5, 0.1953125, 0.015625};
  const double at_eight[3] = {3.84, 1.6842752, 0.4194304};
  for (int n = 1; n <= 3; ++n) {
    const std::string head = "subsequence(n=" + std::to_string(n) + ", decay=";
    expect_close(on(head + "0.5)", "gatta", "cata"), at_half[n - 1]);
    expect_close(on(head + "0.8)", "gatta", "cata"), at_eight[n - 1]);
  }
  expect_close(on("ssk(n=3, lambda=0.5)", "Nasdaq", "lass das"), 0.0224609375);
  expect_close(on("gap_weighted(n=3, decay=0.8)", "Nasdaq", "lass das"), 1.0351542272);
  const double l = 0.7;
  expect_close(on("subsequence(n=2, decay=0.7)", "cat", "car"), std::pow(l, 4));
  expect_close(on("subsequence(n=2, decay=0.7)", "cat", "cat"), 2 * std::pow(l, 4) + std::pow(l, 6));
  expect_close(on("normalize(subsequence(n=2, decay=0.7))", "cat", "car"), 1 / (2 + l * l));
  const double table[6] = {0.8487, 0.5798, 0.4785, 0.4389, 0.4057, 0.3692};
  for (int n = 1; n <= 6; ++n) {
    EXPECT_NEAR(on("normalize(subsequence(n=" + std::to_string(n) + "))", "science is organized knowledge",
                   "wisdom is organized life"),
                table[n - 1], 5.1e-5);
  }
}

TEST(Subsequence, IsTheSumOverAllPairsOfOccurrences) {
  RandomStream random(1);
  for (int round = 0; round < 60; ++round) {
    const std::string x = random_text(random, "abc", random.below(8));
    const std::string y = random_text(random, "abc", random.below(8));
    const double sums[3] = {subsequence_value(x, y, 1, 0.6), subsequence_value(x, y, 2, 0.6),
                            subsequence_value(x, y, 3, 0.6)};
    expect_close(on("subsequence(n=3, decay=0.6)", x, y), sums[2]);
    expect_close(on("subsequence(n=3, decay=0.6, lengths=up_to)", x, y), sums[0] + sums[1] + sums[2]);
    expect_close(on("subsequence(n=3, decay=0.6, weights=[2, 0, 0.5])", x, y), 2 * sums[0] + 0.5 * sums[2]);
    expect_close(on("subsequence(n=2, decay=0.6, lengths=up_to, weighting=excess)", x, y),
                 sums[0] / 0.36 + sums[1] / std::pow(0.6, 4));
    expect_close(on("subsequence(n=4, decay=1)", x, y), subsequence_value(x, y, 4, 1));
  }
}

TEST(Subsequence, VisitingEqualPairsOnlyGivesTheSame) {
  RandomStream random(2);
  for (int round = 0; round < 12; ++round) {
    std::vector<std::uint64_t> s(1 + random.below(200));
    std::vector<std::uint64_t> t(1 + random.below(200));
    const std::uint64_t letters = round % 3 == 0 ? 3 : 60;
    Index pairs = 0;
    for (auto& symbol : s) {
      symbol = random.below(letters) * (round % 2 == 0 ? 1 : 1000);
    }
    for (auto& symbol : t) {
      symbol = random.below(letters) * (round % 2 == 0 ? 1 : 1000);
      for (const auto other : s) {
        pairs += other == symbol ? 1 : 0;
      }
    }
    EXPECT_EQ(equal_pairs(s, t), pairs);
    std::vector<double> dense(5);
    std::vector<double> sparse(5);
    std::vector<double> exchanged(5);
    std::vector<double> chosen(5);
    const double decay = round % 4 == 0 ? 1.0 : 0.05 + 0.9 * random.uniform();
    dense_gap_weighted_sums(s, t, decay, dense, {}, mercer::Run());
    sparse_gap_weighted_sums(s, t, decay, sparse, mercer::Run());
    sparse_gap_weighted_sums(t, s, decay, exchanged, mercer::Run());
    gap_weighted_sums(s, t, decay, chosen, {}, mercer::Run());
    for (std::size_t i = 0; i < dense.size(); ++i) {
      EXPECT_NEAR(sparse[i], dense[i], 1e-12 * dense[i]) << i;
      EXPECT_NEAR(exchanged[i], dense[i], 1e-12 * dense[i]) << i;
      EXPECT_NEAR(chosen[i], dense[i], 1e-12 * dense[i]) << i;
    }
  }
}

TEST(Subsequence, ComparesTheSymbolsOfItsAlphabet) {
  EXPECT_EQ(on("subsequence(n=1, decay=1, alphabet=dna)", "acgN", "ACGUN"), 3);
  EXPECT_EQ(on("subsequence(n=1, decay=1, alphabet=protein)", "wX", "XW"), 1);
  EXPECT_EQ(on("subsequence(n=1, decay=1)", "acgN", "ACGUN"), 1);
  // The words "a b" with one other word between them in one of the texts.
  expect_close(on("subsequence(n=2, decay=0.5, alphabet=words)", " a  b", "a long\tb\n"), std::pow(0.5, 2 + 3));
}

TEST(Subsequence, NothingToShareGivesZero) {
  for (const std::string spec : {"subsequence()", "bounded_subsequence()", "weighted_degree_shifts()", "oligo()"}) {
    EXPECT_EQ(on(spec, "", ""), 0) << spec;
    EXPECT_EQ(on(spec, "", "abc"), 0) << spec;
    EXPECT_EQ(on(spec, "ab", "xyz"), 0) << spec;
    EXPECT_EQ(on("normalize(" + spec + ")", "", "abc"), 0) << spec;
  }
}

TEST(Subsequence, LongStringsStopOnRequest) {
  std::stop_source source;
  source.request_stop();
  const mercer::Run stopped{{.stop = source.get_token()}};
  const std::vector<std::uint64_t> s(5000, 1);
  std::vector<double> sums(3);
  EXPECT_ERROR(dense_gap_weighted_sums(s, s, 0.5, sums, {}, stopped), Stopped, "stopped on request");
  EXPECT_ERROR(sparse_gap_weighted_sums(s, s, 0.5, sums, stopped), Stopped, "stopped on request");
}

TEST(Subsequence, StringsExchangedGiveTheSameBits) {
  RandomStream random(12);
  for (int round = 0; round < 20; ++round) {
    const std::string x = random_text(random, "ACGN", 70);
    const std::string y = random_text(random, "ACGN", 70);
    for (const std::string spec : {"subsequence(n=4, decay=0.37, alphabet=dna)", "local_alignment(beta=0.3)",
                                   "local_alignment(beta=0.3, scores=identity, alphabet=dna)"}) {
      EXPECT_EQ(on(spec, x, y), on(spec, y, x)) << spec;
    }
  }
}

TEST(Subsequence, NormalizedIsTheQuotient) {
  RandomStream random(13);
  for (const std::string tail : {"n=3, decay=0.6", "n=3, decay=0.6, lengths=up_to", "n=3, decay=1.3, weights=[0, 2, 1]",
                                 "n=2, decay=0.4, weighting=excess"}) {
    for (int round = 0; round < 10; ++round) {
      const std::string x = random_text(random, "abc", random.below(12));
      const std::string y = random_text(random, "abc", random.below(12));
      expect_close(on("subsequence(" + tail + ", form=normalized)", x, y),
                   on("normalize(subsequence(" + tail + "))", x, y));
    }
  }
}

TEST(Subsequence, NormalizedNeitherUnderflowsNorOverflows) {
  RandomStream random(14);
  const std::string x = random_text(random, "abcdefgh", 300);
  // λ^512 is 0 in double: an error where values would all be 0, no matter where they are normalized.
  EXPECT_ERROR(on("subsequence(n=256, decay=0.2)", x, x), NumericalError,
               "subsequence: decay^512 is below the smallest number with all its digits");
  EXPECT_ERROR(on("normalize(subsequence(n=256, decay=0.2))", x, x), NumericalError,
               "subsequence: decay^512 is below the smallest number with all its digits");
  EXPECT_EQ(on("subsequence(n=256, decay=0.2, form=normalized)", x, x), 1);
  // Strings of one letter have one feature, so that the quotient is 1; 140 gaps on both sides are 10^560.
  EXPECT_ERROR(on("subsequence(n=60, decay=100)", std::string(200, 'a'), std::string(200, 'a')), NumericalError,
               "subsequence: the value exceeds the largest number");
  expect_close(on("subsequence(n=60, decay=100, form=normalized)", std::string(200, 'a'), std::string(150, 'a')), 1);
  // Σ_{i ≤ n} of the lengths in long double as in double.
  expect_close(on("subsequence(n=4, decay=0.5, form=normalized)", x, x.substr(0, 200)),
               on("normalize(subsequence(n=4, decay=0.5))", x, x.substr(0, 200)));
}

TEST(Subsequence, WideSumsAreTheDenseOnes) {
  RandomStream random(15);
  std::vector<std::uint64_t> s(40);
  std::vector<std::uint64_t> t(55);
  for (auto* const text : {&s, &t}) {
    for (std::uint64_t& symbol : *text) {
      symbol = random.below(4);
    }
  }
  std::vector<double> sums(5);
  std::vector<double> slopes(5);
  std::vector<long double> wide(5);
  std::vector<long double> wide_slopes(5);
  dense_gap_weighted_sums(s, t, 0.7, sums, slopes, mercer::Run());
  wide_gap_weighted_sums(s, t, 0.7, wide, wide_slopes, mercer::Run());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    expect_close(static_cast<double>(wide[i]), sums[i]);
    expect_close(static_cast<double>(wide_slopes[i]), slopes[i]);
  }
}

TEST(Subsequence, WhatIsTooLargeIsRefused) {
  EXPECT_ERROR(parse_kernel("subsequence(n=1000)"), InvalidArgument, "kernel spec: subsequence: n = 1000");
  EXPECT_ERROR(parse_kernel("subsequence(n=3, weights=[1, 2])"), InvalidArgument,
               "kernel spec: subsequence: weights = a list of 2");
  EXPECT_ERROR(parse_kernel("bounded_subsequence(n=1000)"), InvalidArgument,
               "kernel spec: bounded_subsequence: n = 1000");
  EXPECT_ERROR(on("bounded_subsequence(n=8, max_gap=60)", std::string(200, 'a'), "a"), InvalidArgument,
               "bounded_subsequence: string 0 (counted from 0) may have");
  EXPECT_ERROR(on("subsequence(n=3)", std::string(400'000, 'a'), std::string(400'000, 'b')), InvalidArgument,
               "subsequence: strings of 400000 and 400000 symbols are too long to be");
  EXPECT_ERROR(on("subsequence(n=30, decay=1e10)", std::string(40, 'a'), std::string(40, 'a')), NumericalError,
               "subsequence: the value exceeds the largest number");
  EXPECT_ERROR(testing::gram("subsequence()", testing::dense({{1, 2}})), InvalidArgument,
               "subsequence compares strings");
}

TEST(BoundedSubsequence, LeavesOutWideOccurrences) {
  RandomStream random(3);
  for (int round = 0; round < 40; ++round) {
    const std::string x = random_text(random, "ab", random.below(8));
    const std::string y = random_text(random, "ab", random.below(8));
    for (int gap = 0; gap < 4; ++gap) {
      const std::string tail = ", decay=0.7, max_gap=" + std::to_string(gap);
      expect_close(on("bounded_subsequence(n=3" + tail + ")", x, y), subsequence_value(x, y, 3, 0.7, 0, gap));
      expect_close(on("bounded_subsequence(n=2" + tail + ", weighting=excess)", x, y),
                   subsequence_value(x, y, 2, 0.7, 2, gap));
    }
    expect_close(on("bounded_subsequence(n=3, decay=0.7, max_gap=100)", x, y), on("subsequence(n=3, decay=0.7)", x, y));
  }
}

TEST(BoundedSubsequence, GapsEndWithTheString) {
  const std::string x = "abcabcabca";
  expect_close(on("bounded_subsequence(n=3, max_gap=100000)", x, x), on("subsequence(n=3)", x, x));
  // Words count, not their letters: 30 words of 100 letters.
  std::string text;
  for (int word = 0; word < 30; ++word) {
    text += std::string(100, static_cast<char>('a' + word % 3)) + " ";
  }
  expect_close(on("bounded_subsequence(n=4, max_gap=40, alphabet=words)", text, text),
               on("subsequence(n=4, alphabet=words)", text, text));
}

TEST(BoundedSubsequence, NamesAndPlacesItsFeatures) {
  const Samples text = make_strings(std::vector<std::string>{"a-cNg"});
  const Kernel kernel = parse_kernel("bounded_subsequence(n=2, max_gap=1, alphabet=dna)");
  const auto& node = dynamic_cast<const ExplicitNode&>(kernel.node());
  std::vector<FeaturePlace> places;
  node.append_places(text, 0, nullptr, places);
  ASSERT_EQ(places.size(), 2);  // A_C and C_G; the unknown symbols between them are skipped
  EXPECT_EQ(node.feature_name(text, 0, places[0].key), "AC");
  EXPECT_EQ(node.feature_name(text, 0, places[1].key), "CG");
  EXPECT_EQ(places[1].begin, 2);
  EXPECT_EQ(places[1].end, 5);
}

TEST(WeightedDegreeShifts, IsTheSumOverSubstringsAndPlaces) {
  RandomStream random(4);
  for (int round = 0; round < 30; ++round) {
    const std::string x = random_text(random, "ACG", random.below(12));
    const std::string y = random_text(random, "ACG", random.below(12));
    constexpr int degree = 3;
    constexpr int shift = 4;
    double sum = 0;
    for (int i = 1; i <= degree; ++i) {
      for (int p = 0; p + i <= static_cast<int>(x.size()); ++p) {
        for (int q = 0; q + i <= static_cast<int>(y.size()); ++q) {
          const int apart = std::abs(p - q);
          const double weight = apart == 0 ? 1.0 : 1.0 / (2 * (apart + 1));
          if (apart <= shift && x.compare(static_cast<std::size_t>(p), static_cast<std::size_t>(i), y,
                                          static_cast<std::size_t>(q), static_cast<std::size_t>(i)) == 0) {
            sum += weight * 2.0 * (degree - i + 1) / (degree * (degree + 1));
          }
        }
      }
    }
    expect_close(on("weighted_degree_shifts(degree=3, shift=4)", x, y), sum);
    EXPECT_EQ(on("wds(degree=3, shift=4)", x, y), on("wds(degree=3, shift=4)", y, x));
  }
}

TEST(Oligo, IsTheSumOverEqualSubstrings) {
  RandomStream random(5);
  for (int round = 0; round < 30; ++round) {
    const std::string x = random_text(random, "ACGN", random.below(30));
    const std::string y = random_text(random, "ACGN", random.below(30));
    for (const double sigma : {0.01, 0.8, 4.0}) {
      double sum = 0;
      for (int p = 0; p + 2 <= static_cast<int>(x.size()); ++p) {
        for (int q = 0; q + 2 <= static_cast<int>(y.size()); ++q) {
          const std::string a = x.substr(static_cast<std::size_t>(p), 2);
          if (a == y.substr(static_cast<std::size_t>(q), 2) && a.find('N') == std::string::npos) {
            sum += std::exp(-(p - q) * (p - q) / (4 * sigma * sigma));
          }
        }
      }
      expect_close(on("oligo(k=2, alphabet=dna, sigma=" + std::to_string(sigma) + ")", x, y), sum);
    }
  }
  EXPECT_EQ(on("oligo(k=1, sigma=inf)", "aab", "baa"), 5);
  EXPECT_EQ(on("oligo(k=2, sigma=inf, alphabet=words)", "a b  a b", "c a b"), 2);
  // AAC at 0, and its reverse complement GTT at 1.
  expect_close(on("oligo(k=3, sigma=1, alphabet=dna, reverse_complement=yes)", "AACC", "CGTT"), std::exp(-0.25));
  // Long substrings cost no more than short ones.
  EXPECT_EQ(on("oligo(k=100000, sigma=1)", std::string(200'000, 'a'), std::string(100'001, 'a')) > 0, true);
}

struct Scores {
  double beta;
  double open;
  double extend;
  double match;
  double mismatch;
};

// Σ over alignments that go on after the matched pair (i, j).
double alignments_after(const std::string& x, const std::string& y, int i, int j, const Scores& s) {
  const auto gap = [&](int skipped) { return skipped == 0 ? 0.0 : s.open + s.extend * (skipped - 1); };
  double sum = 1;
  for (int a = i + 1; a < static_cast<int>(x.size()); ++a) {
    for (int b = j + 1; b < static_cast<int>(y.size()); ++b) {
      const double score = x[a] == y[b] ? s.match : s.mismatch;
      sum += std::exp(s.beta * (score - gap(a - i - 1) - gap(b - j - 1))) * alignments_after(x, y, a, b, s);
    }
  }
  return sum;
}

double all_alignments(const std::string& x, const std::string& y, const Scores& s) {
  double sum = 1;
  for (int a = 0; a < static_cast<int>(x.size()); ++a) {
    for (int b = 0; b < static_cast<int>(y.size()); ++b) {
      const double score = x[a] == y[b] ? s.match : s.mismatch;
      sum += std::exp(s.beta * score) * alignments_after(x, y, a, b, s);
    }
  }
  return sum;
}

TEST(LocalAlignment, IsTheSumOverAllAlignments) {
  RandomStream random(6);
  const Scores s{0.4, 1.5, 0.25, 2, -1};
  const std::string head =
      "local_alignment(beta=0.4, gap_open=1.5, gap_extend=0.25, scores=identity, match=2, mismatch=-1";
  for (int round = 0; round < 25; ++round) {
    const std::string x = random_text(random, "abc", random.below(7));
    const std::string y = random_text(random, "abc", random.below(7));
    const double sum = all_alignments(x, y, s);
    expect_close(on(head + ", form=plain)", x, y), sum);
    expect_close(on(head + ", form=logarithm)", x, y), std::log(sum) / 0.4);
    expect_close(on(head + ")", x, y), sum / std::sqrt(all_alignments(x, x, s) * all_alignments(y, y, s)));
  }
}

// Without gaps K = 1 + Σ over the diagonals, of m places, of Σ_{r ≤ m} (q + … + q^r), q = exp(step).
double log_without_gaps(int length, double step) {
  double scaled = 0;  // K q^(−length); what lies below a rounding unit of it is left out
  for (int m = std::max(1, length - 60); m <= length; ++m) {
    for (int r = std::max(1, m - 60); r <= m; ++r) {
      scaled += (m == length ? 1 : 2) * (std::exp(step * (r + 1 - length)) - std::exp(step * (1 - length))) /
                std::expm1(step);
    }
  }
  return step * length + std::log(scaled);
}

TEST(LocalAlignment, LongStringsDoNotOverflow) {
  // The exponents need the range of double, more than that, and more than long double has: 300, 1000, 7000.
  for (const double step : {0.75, 2.5, 17.5}) {
    const auto profile = [step](Index /*i*/, std::span<double> e) { std::fill(e.begin(), e.end(), std::exp(step)); };
    const double log = log_local_alignments(400, 400, profile, {}, mercer::Run());
    EXPECT_NEAR(log, log_without_gaps(400, step), 1e-10) << step;
  }
  const std::string head = "local_alignment(scores=identity, beta=2.5, form=";
  const std::string x(300, 'a');
  EXPECT_ERROR(on(head + "plain)", x, x), NumericalError,
               "local_alignment: the sum over the alignments of two strings exceeds the");
  EXPECT_NEAR(on(head + "normalized)", x, x), 1, 1e-12);
  EXPECT_ERROR(parse_kernel("local_alignment(beta=100)"), InvalidArgument,
               "local_alignment: beta times the largest score is 1100.000000");
}

TEST(LocalAlignment, ComparesTheSymbolsOfItsAlphabet) {
  const std::string head = "local_alignment(beta=0.4, scores=identity, gap_open=1.5, form=plain";
  EXPECT_EQ(on(head + ", alphabet=dna)", "acgu", "ACGT"), on(head + ")", "ACGT", "ACGT"));
  EXPECT_NE(on(head + ")", "acgu", "ACGT"), on(head + ")", "ACGT", "ACGT"));
  // An unknown symbol matches nothing: ln K of one pair is that of a mismatch.
  expect_close(on(head + ", alphabet=dna)", "N", "N"), 1 + std::exp(-0.4));
  expect_close(on(head + ", alphabet=words)", "the cat sat", "the  cat\nsat"), on(head + ")", "abc", "abc"));
  EXPECT_ERROR(parse_kernel("local_alignment(alphabet=dna)"), InvalidArgument,
               "local_alignment: scores = blosum62 reads amino acids by itself");
}

TEST(LocalAlignment, ScoresOfAminoAcidsAreConditionallyPositive) {
  constexpr Index n = 20;
  Matrix<double> scores(n, n);
  for (Index a = 0; a < n; ++a) {
    for (Index b = 0; b < n; ++b) {
      EXPECT_EQ(blosum62()[a][b], blosum62()[b][a]);
      scores(a, b) = std::exp(0.01 * blosum62()[a][b]);
    }
  }
  EXPECT_GT(testing::smallest_eigenvalue(scores), 0);
  EXPECT_EQ(blosum62()[amino_acids.find('W')][amino_acids.find('W')], 11);
  EXPECT_EQ(blosum62()[amino_acids.find('I')][amino_acids.find('V')], 3);
  EXPECT_EQ(blosum62()[amino_acids.find('D')][amino_acids.find('L')], -4);
  // Case does not matter, and an unknown residue stands between all others.
  EXPECT_EQ(on("la()", "WIV", "wiv"), on("la()", "WIV", "WIV"));
  EXPECT_LT(on("la(form=logarithm)", "WIVXL", "WIVWL"), on("la(form=logarithm)", "WIVWL", "WIVWL"));
}

TEST(LocalAlignment, ItsLogarithmIsIndefinite) {
  EXPECT_EQ(parse_kernel("local_alignment(form=logarithm)").definiteness().kind, DefinitenessKind::indefinite);
  EXPECT_EQ(parse_kernel("local_alignment(scores=identity, match=-2)").definiteness().kind,
            DefinitenessKind::indefinite);
  RandomStream random(7);
  std::vector<std::string> strings;
  for (int i = 0; i < 40; ++i) {
    strings.push_back(random_text(random, "ACDE", 1 + random.below(8)));
  }
  EXPECT_LT(testing::smallest_eigenvalue(testing::gram("local_alignment(form=logarithm)", make_strings(strings))),
            -1e-3);
}

TEST(LocalityImproved, HasTheKnownValue) {
  EXPECT_EQ(on("locality_improved(window=1, d1=2, d2=1)", "ACGTA", "ACCTA"), 40);
  EXPECT_EQ(on("locality_improved(window=1, d1=2, d2=1, weights=[2, 1])", "ACGTA", "ACCTA"), 40);
  EXPECT_EQ(on("locality_improved(window=1, d1=2, d2=3)", "ACGTA", "ACCTA"), 64000);
  EXPECT_EQ(on("locality_improved(window=0, d1=1, d2=2)", "ACGTA", "ACCTA"), 16);
  EXPECT_EQ(on("locality_improved(window=0, d1=1, alphabet=dna)", "acgNA", "ACCNA"), 3);
  EXPECT_EQ(on("locality_improved(window=7, d1=1)", "", ""), 0);
}

// (Σ_p (Σ_{j,j'} √(v_j v_j') c_|j−j'| [x_{p+j} = y_{p+j'}])^d1)^d2 with the given weight of codons.
double windowed_value(const std::string& x, const std::string& y, int l, int d1, int d2, double codon) {
  const int length = static_cast<int>(x.size());
  double sum = 0;
  for (int p = 0; p < length; ++p) {
    double window = 0;
    for (int j = -l; j <= l; ++j) {
      for (int k = -l; k <= l; ++k) {
        const int apart = std::abs(j - k);
        const double c = apart == 0 ? 1 : apart == 3 ? codon : 0;
        if (c > 0 && p + j >= 0 && p + k >= 0 && p + j < length && p + k < length && x[p + j] == y[p + k]) {
          window += c * std::sqrt((l + 1.0 - std::abs(j)) * (l + 1.0 - std::abs(k)));
        }
      }
    }
    sum += std::pow(window, d1);
  }
  return std::pow(sum, d2);
}

TEST(LocalityImproved, IsItsDefinitionWithAndWithoutCodons) {
  RandomStream random(8);
  for (int round = 0; round < 20; ++round) {
    const std::size_t length = 1 + random.below(20);
    const std::string x = random_text(random, "ACGT", length);
    const std::string y = random_text(random, "ACGT", length);
    expect_close(on("locality_improved(window=4, d1=3, d2=2)", x, y), windowed_value(x, y, 4, 3, 2, 0));
    expect_close(on("codon_improved(window=4, d1=3, d2=2, codon_weight=0.3)", x, y),
                 windowed_value(x, y, 4, 3, 2, 0.3));
  }
  EXPECT_EQ(parse_kernel("codon_improved(codon_weight=0.6)").definiteness().kind, DefinitenessKind::indefinite);
  // One window, all of whose matches are a codon apart: the form [[0, w], [w, 0]] beside [[1, w], [w, 1]].
  const Samples two = make_strings(std::vector<std::string>{"ABCD", "DBCA"});
  EXPECT_LT(testing::smallest_eigenvalue(testing::gram("codon_improved(window=3, d1=1, codon_weight=8)", two)), 0);
}

TEST(LocalityImproved, StringsOfDifferentLengthsAreRefused) {
  EXPECT_ERROR(on("locality_improved()", "ACG", "AC"), DataError, "locality_improved compares strings of one length");
  const Samples longer = make_strings(std::vector<std::string>{"ACGT"});
  EXPECT_ERROR(testing::cross(parse_kernel("codon_improved()"), longer, make_strings(std::vector<std::string>{"ACG"})),
               DataError, "codon_improved compares strings of one length");
  EXPECT_ERROR(parse_kernel("locality_improved(window=2, weights=[1, 2])"), InvalidArgument,
               "kernel spec: locality_improved: weights = a list of 2");
  EXPECT_ERROR(on("locality_improved(d1=60, d2=60, window=9)", std::string(50, 'A'), std::string(50, 'A')),
               NumericalError, "locality_improved: the value exceeds the largest number");
}

TEST(Salzberg, WeighsPlacesByTheirLogOdds) {
  // Scores of A C G T at two places; N has score 0.
  const std::string spec = "salzberg(window=1, d1=2, scores=[1, 2, 3, 4, 5, 6, 7, 8])";
  // Products 2·3 = 6 and 8·5 = 40: windows 2·6 + 40 and 6 + 2·40.
  expect_close(on(spec, "CT", "GA"), 52.0 * 52 + 86.0 * 86);
  expect_close(on(spec, "NT", "ga"), 40.0 * 40 + 80.0 * 80);
  EXPECT_ERROR(on(spec, "CTA", "GAA"), DataError, "salzberg: there are scores for 2 places (four numbers each)");
  EXPECT_ERROR(on("salzberg()", "MKLQ", "ACGT"), DataError,
               "salzberg: alphabet=dna, but row 0 has 'L' at position 2 (both counted from");  // a protein
}

TEST(Salzberg, LearnsLogOddsFromCounts) {
  const std::vector<std::string> strings = {"AC", "AG", "CC", "TN"};
  const Samples samples = make_strings(strings);
  const std::vector<Index> true_rows = {0, 1};
  const std::vector<double> scores = salzberg_scores(samples, true_rows);
  ASSERT_EQ(scores.size(), 8);
  expect_close(scores[0], std::log(3.0 / 6) - std::log(3.0 / 8));  // A at 0: 2 of 2, and 2 of 4, each count plus one
  expect_close(scores[3], std::log(1.0 / 6) - std::log(2.0 / 8));
  expect_close(scores[5], std::log(2.0 / 6) - std::log(3.0 / 7));  // C at 1: 1 of 2, and 2 of 3
  // Without labels: A at place 0 is 2 of 4, A anywhere 2 of 7.
  const double a = std::log(3.0 / 8) - std::log(3.0 / 11);
  const double c = std::log(3.0 / 7) - std::log(4.0 / 11);
  const Kernel kernel = parse_kernel("salzberg(window=0, d1=1)");
  const double expected = a * a + c * c;
  expect_close(testing::gram(kernel, samples)(0, 0), expected);
  EXPECT_TRUE(kernel.node().depends_on_reference());
  // New strings are scored by the table of the training strings.
  expect_close(testing::cross(kernel, make_strings(std::vector<std::string>{"ac"}), samples)(0, 0), expected);
  EXPECT_ERROR(salzberg_scores(samples, std::vector<Index>{7}), InvalidArgument, "salzberg_scores: true_rows = 7");
}

}  // namespace
}  // namespace mercer
