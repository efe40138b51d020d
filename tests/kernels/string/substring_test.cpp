// String kernels with substring features against their definitions: the features of small random strings are written out
// by name, in plain loops, and compared with those of the kernel; Gram matrices with the inner products of these.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernels/gram_values.h"
#include "mercer/base/error.h"
#include "mercer/base/machine_memory.h"
#include "mercer/base/random.h"
#include "mercer/kernels/nodes/explicit_node.h"
#include "mercer/kernels/prepared.h"
#include "mercer/kernels/string/suffix_automaton.h"
#include "support/expect_error.h"

namespace mercer {
namespace {

using Features = std::map<std::string, double>;
using Symbols = std::vector<std::string>;  // an empty one is unknown

// ---- The definitions ----------------------------------------------------------------------------------------------

Symbols symbols_of(const std::string& text, const std::string& alphabet) {
  Symbols symbols;
  if (alphabet == "words") {
    std::string word;
    for (const char c : text + " ") {
      if (c == ' ' || c == '\t') {
        if (!word.empty()) {
          symbols.push_back(word);
        }
        word.clear();
      } else {
        word += c;
      }
    }
    return symbols;
  }
  for (const char c : text) {
    if (alphabet == "bytes") {
      symbols.emplace_back(1, c);
      continue;
    }
    char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    upper = alphabet == "dna" && upper == 'U' ? 'T' : upper;
    const std::string letters = alphabet == "dna" ? "ACGT" : "ACDEFGHIKLMNPQRSTVWY";
    symbols.push_back(letters.find(upper) == std::string::npos ? "" : std::string(1, upper));
  }
  return symbols;
}

std::string other_strand(const std::string& text) {
  std::string other;
  for (std::size_t at = text.size(); at-- > 0;) {
    other += text[at] == 'A' ? 'T' : text[at] == 'T' ? 'A' : text[at] == 'C' ? 'G' : text[at] == 'G' ? 'C' : text[at];
  }
  return other;
}

// The n symbols from `at` on, "." in the places that do not count; empty where one that counts is unknown.
std::string window(
    const Symbols& symbols, std::size_t at, std::size_t n, const std::string& separator = "",
    const std::function<bool(std::size_t)>& counts = [](std::size_t) { return true; }) {
  std::string text;
  for (std::size_t place = 0; place < n; ++place) {
    if (counts(place) && symbols[at + place].empty()) {
      return "";
    }
    text += (place == 0 ? "" : separator) + (counts(place) ? symbols[at + place] : ".");
  }
  return text;
}

double dot(const Features& x, const Features& y) {
  double sum = 0;
  for (const auto& [name, value] : x) {
    const auto other = y.find(name);
    sum += other == y.end() ? 0.0 : value * other->second;
  }
  return sum;
}

Features spectrum_of(const std::string& text, const std::string& alphabet, std::size_t k, bool both_strands = false) {
  const Symbols symbols = symbols_of(text, alphabet);
  Features features;
  for (std::size_t at = 0; at + k <= symbols.size(); ++at) {
    std::string name = window(symbols, at, k, alphabet == "words" ? " " : "");
    if (!name.empty()) {
      features[both_strands ? std::min(name, other_strand(name)) : name] += 1;
    }
  }
  return features;
}

double choose(std::size_t n, std::size_t k) {
  double value = 1;
  for (std::size_t j = 0; j < k; ++j) {
    value *= static_cast<double>(n - j) / static_cast<double>(j + 1);
  }
  return n < k ? 0 : std::round(value);
}

// ---- The kernels ----------------------------------------------------------------------------------------------------

std::vector<std::string> random_strings(const std::vector<std::string>& pieces, Index n, std::uint64_t seed,
                                        Index longest = 14) {
  RandomStream random(seed, 3);
  std::vector<std::string> strings = {"", pieces[0]};
  while (static_cast<Index>(strings.size()) < n) {
    std::string text;
    for (auto length = random.below(static_cast<std::uint64_t>(longest)); length > 0; --length) {
      text += pieces[random.below(pieces.size())];
    }
    strings.push_back(text);
  }
  return strings;
}

const std::vector<std::string> byte_pieces = {"a", "b", "c", "\n", "\xff"};
const std::vector<std::string> dna_pieces = {"A", "c", "G", "t", "T", "U", "N", "AC"};
const std::vector<std::string> protein_pieces = {"L", "q", "E", "LQE", "X", "*"};
const std::vector<std::string> word_pieces = {"a ", "b", " ", "\t", "\xc3\xa9t\xc3\xa9 ", "ab "};

const std::vector<std::string>& pieces_of(const std::string& alphabet) {
  return alphabet == "dna"       ? dna_pieces
         : alphabet == "protein" ? protein_pieces
         : alphabet == "words"   ? word_pieces
                                 : byte_pieces;
}

const ExplicitNode& explicit_node(const Kernel& kernel) { return dynamic_cast<const ExplicitNode&>(kernel.node()); }

Features named_features(const Kernel& kernel, const Samples& samples, Index i) {
  const mercer::Run run;
  FeatureList features(run);
  explicit_node(kernel).append_features(samples, i, nullptr, features);
  Features named;
  for (const KeyedFeature& feature : features.merged()) {
    named[explicit_node(kernel).feature_name(samples, i, feature.key)] += feature.value;
  }
  EXPECT_EQ(named.size(), features.merged().size()) << "two features of one name";
  return named;
}

void expect_equal(const Features& a, const Features& b, const std::string& text) {
  EXPECT_EQ(a.size(), b.size()) << text;
  for (const auto& [name, value] : b) {
    const auto found = a.find(name);
    ASSERT_NE(found, a.end()) << name << " in " << text;
    EXPECT_NEAR(found->second, value, 1e-12) << name << " in " << text;
  }
}

// Features by name, places and Gram matrix of a kernel are those of its definition.
void expect_definition(const std::string& spec, const std::vector<std::string>& strings,
                       const std::function<Features(const std::string&)>& definition) {
  SCOPED_TRACE(spec);
  const Kernel kernel = parse_kernel(spec);
  const Samples samples = make_strings(strings);
  const Matrix<double> k = testing::gram(kernel, samples);
  std::vector<Features> features;
  for (Index i = 0; i < samples.size(); ++i) {
    features.push_back(definition(strings[i]));
    expect_equal(named_features(kernel, samples, i), features.back(), strings[i]);
    for (Index j = 0; j <= i; ++j) {
      const double expected = dot(features[i], features[j]);
      EXPECT_NEAR(k(i, j), expected, 1e-12 * std::max(1.0, expected)) << i << " " << j;
    }
  }
}

TEST(SubstringKernel, SpectrumCountsSubstringsOfOneLength) {
  for (const std::string alphabet : {"bytes", "dna", "protein", "words"}) {
    // Packed keys and, beyond 7 bytes, 31 nucleotides and 12 amino acids, hashed ones.
    for (const std::size_t k : {1, 2, 3, 8, 13, 32}) {
      const auto strings = random_strings(pieces_of(alphabet), 12, k, k > 3 ? 70 : 14);
      const std::string spec = "spectrum(k=" + std::to_string(k) + ", alphabet=" + alphabet;
      expect_definition(spec + ")", strings, [&](const std::string& text) { return spectrum_of(text, alphabet, k); });
      expect_definition(spec + ", counts=presence)", strings, [&](const std::string& text) {
        Features features = spectrum_of(text, alphabet, k);
        for (auto& [name, value] : features) {
          value = 1;
        }
        return features;
      });
    }
  }
  expect_definition("bag_of_characters()", random_strings(byte_pieces, 9, 1),
                    [](const std::string& text) { return spectrum_of(text, "bytes", 1); });
}

TEST(SubstringKernel, BothStrandsOfDnaAreOneFeature) {
  for (const std::size_t k : {1, 2, 3, 4, 31, 32, 40}) {
    const auto strings = random_strings(dna_pieces, 10, k, k > 4 ? 90 : 14);
    expect_definition("spectrum(k=" + std::to_string(k) + ", alphabet=dna, reverse_complement=yes)", strings,
                      [&](const std::string& text) { return spectrum_of(text, "dna", k, true); });
  }
  const std::string one = "GATTACAGGATCC";
  const Samples strings = make_strings(std::vector<std::string>{one, other_strand(one)});
  for (const char* spec :
       {"blended_spectrum(k=4, alphabet=dna, reverse_complement=yes)", "mismatch(k=3, reverse_complement=yes)",
        "gappy_pair(k=2, alphabet=dna, reverse_complement=yes)",
        "gapped_kmer(l=5, k=3, alphabet=dna, reverse_complement=yes)"}) {
    const Matrix<double> k = testing::gram(spec, strings);
    EXPECT_GT(k(0, 0), 0);
    EXPECT_EQ(k(0, 0), k(0, 1)) << spec;
    EXPECT_EQ(k(0, 0), k(1, 1)) << spec;
  }
}

TEST(SubstringKernel, BlendedSpectrumAddsLengths) {
  for (const std::string alphabet : {"bytes", "dna", "words"}) {
    const auto strings = random_strings(pieces_of(alphabet), 12, 5, 20);
    const auto blended = [&](const std::vector<double>& weights) {
      return [&alphabet, weights](const std::string& text) {
        Features all;
        for (std::size_t n = 1; n <= weights.size(); ++n) {
          for (const auto& [name, value] : spectrum_of(text, alphabet, n)) {
            if (weights[n - 1] > 0) {
              all[name] += std::sqrt(weights[n - 1]) * value;
            }
          }
        }
        return all;
      };
    };
    expect_definition("blended_spectrum(k=3, decay=0.5, alphabet=" + alphabet + ")", strings,
                      blended({0.5, 0.25, 0.125}));
    expect_definition("blended_spectrum(weights=[0, 2, 0, 0.5], alphabet=" + alphabet + ")", strings,
                      blended({0, 2, 0, 0.5}));
    expect_definition("blended_spectrum(k=9, alphabet=" + alphabet + ")", strings,
                      blended(std::vector<double>(9, 1.0)));
  }
}

TEST(SubstringKernel, AllSubstringsInLinearTimeEqualTheirList) {
  struct Case {
    std::string parameters;
    double lambda;
    std::size_t shortest;
    std::size_t longest;
  };
  const std::vector<Case> cases = {{"decay=1", 1, 1, 99},
                                   {"decay=0.5", 0.5, 1, 99},
                                   {"decay=0.7, min_length=2, max_length=3", 0.7, 2, 3},
                                   {"decay=1, max_length=1", 1, 1, 1}};
  for (const std::string alphabet : {"bytes", "dna", "protein", "words"}) {
    for (const Case& c : cases) {
      const auto strings = random_strings(pieces_of(alphabet), 17, 7, 20);
      const std::string spec = "all_substrings(" + c.parameters + ", alphabet=" + alphabet + ")";
      SCOPED_TRACE(spec);
      std::vector<Features> features;
      for (const std::string& text : strings) {
        Features all;
        for (std::size_t n = c.shortest; n <= std::min(c.longest, text.size()); ++n) {
          for (const auto& [name, value] : spectrum_of(text, alphabet, n)) {
            all[std::to_string(n) + ":" + name] += std::sqrt(std::pow(c.lambda, static_cast<double>(n))) * value;
          }
        }
        features.push_back(all);
      }
      const Matrix<double> k = testing::gram(spec, make_strings(strings));
      const Matrix<double> tall = testing::cross(parse_kernel(spec), make_strings(strings),
                                                 make_strings(std::vector<std::string>{strings[5], strings[9]}));
      for (std::size_t i = 0; i < strings.size(); ++i) {
        for (std::size_t j = 0; j < strings.size(); ++j) {
          const double expected = dot(features[i], features[j]);
          EXPECT_NEAR(k(static_cast<Index>(i), static_cast<Index>(j)), expected, 1e-12 * std::max(1.0, expected));
        }
        EXPECT_NEAR(tall(static_cast<Index>(i), 1), dot(features[i], features[9]), 1e-10);
      }
    }
  }
}

// Vocabularies too large for a table of transitions are hashed.
TEST(SubstringKernel, AllSubstringsOfManyWords) {
  RandomStream random(11, 0);
  std::vector<std::string> texts(2);
  for (std::string& text : texts) {
    for (int word = 0; word < 4000; ++word) {
      text += "w" + std::to_string(random.below(3500)) + " the ";
    }
  }
  const Matrix<double> a = testing::gram("all_substrings(decay=1, max_length=3, alphabet=words)", make_strings(texts));
  const Matrix<double> b = testing::gram("blended_spectrum(k=3, alphabet=words)", make_strings(texts));
  for (Index i = 0; i < 4; ++i) {
    EXPECT_EQ(a.data()[i], b.data()[i]);
  }
}

TEST(SubstringKernel, MismatchCountsNeighbors) {
  const auto neighbors = [](const std::string& alphabet, std::size_t k, std::size_t m) {
    return [=](const std::string& text) {
      std::vector<std::string> all = {""};
      for (std::size_t place = 0; place < k; ++place) {
        std::vector<std::string> longer;
        for (const std::string& start : all) {
          for (const char c : std::string(alphabet == "dna" ? "ACGT" : "ACDEFGHIKLMNPQRSTVWY")) {
            longer.push_back(start + c);
          }
        }
        all = longer;
      }
      Features features;
      for (const auto& [own, count] : spectrum_of(text, alphabet, k)) {
        for (const std::string& other : all) {
          std::size_t differ = 0;
          for (std::size_t place = 0; place < k; ++place) {
            differ += own[place] != other[place] ? 1 : 0;
          }
          if (differ <= m) {
            features[other] += count;
          }
        }
      }
      return features;
    };
  };
  const auto dna = random_strings(dna_pieces, 9, 21);
  expect_definition("mismatch(k=3, m=0)", dna, neighbors("dna", 3, 0));
  expect_definition("mismatch(k=3, m=1)", dna, neighbors("dna", 3, 1));
  expect_definition("mismatch(k=4, m=2)", dna, neighbors("dna", 4, 2));
  // More features than there are strings of length 2: counted in an array.
  expect_definition("mismatch(k=2, m=5)", random_strings(dna_pieces, 5, 22, 40), neighbors("dna", 2, 2));
  expect_definition("mismatch(k=2, m=1, alphabet=protein)", random_strings(protein_pieces, 7, 23),
                    neighbors("protein", 2, 1));
  expect_definition("mismatch(k=3, m=1, reverse_complement=yes)", dna, [&](const std::string& text) {
    Features folded;
    for (const auto& [name, count] : neighbors("dna", 3, 1)(text)) {
      folded[std::min(name, other_strand(name))] += count;
    }
    return folded;
  });
}

TEST(SubstringKernel, GappyPairsKeepTheirDistance) {
  for (const std::string alphabet : {"bytes", "dna", "protein", "words"}) {
    for (const std::size_t k : {1, 2, 4}) {
      for (const std::size_t gap : {0, 1, 3}) {
        const auto pairs = [&](const std::string& text) {
          const Symbols symbols = symbols_of(text, alphabet);
          Features features;
          for (std::size_t g = 0; g <= gap; ++g) {
            for (std::size_t at = 0; at + 2 * k + g <= symbols.size(); ++at) {
              const std::string name = window(symbols, at, 2 * k + g, alphabet == "words" ? " " : "",
                                              [&](std::size_t place) { return place < k || place >= k + g; });
              if (!name.empty()) {
                features[name] += 1;
              }
            }
          }
          return features;
        };
        const std::string spec = "gappy_pair(k=" + std::to_string(k) + ", gap=" + std::to_string(gap);
        const auto strings = random_strings(pieces_of(alphabet), 8, 31, 20);
        expect_definition(spec + ", alphabet=" + alphabet + ")", strings, pairs);
        if (alphabet == "dna") {
          expect_definition(spec + ", alphabet=dna, reverse_complement=yes)", strings, [&](const std::string& text) {
            Features folded;
            for (const auto& [name, count] : pairs(text)) {
              folded[std::min(name, other_strand(name))] += count;
            }
            return folded;
          });
        }
      }
    }
  }
}

TEST(SubstringKernel, GappyPairsInAWindowForgetOrderAndDistance) {
  for (const std::string alphabet : {"words", "dna"}) {
    const std::string tie = alphabet == "words" ? " ~ " : "~";
    for (const bool both_strands : {false, true}) {
      if (both_strands && alphabet != "dna") {
        continue;
      }
      const auto pairs = [&](const std::string& text) {
        const Symbols symbols = symbols_of(text, alphabet);
        Features features;
        for (std::size_t a = 0; a < symbols.size(); ++a) {
          for (std::size_t b = a + 1; b < symbols.size() && b <= a + 3; ++b) {
            if (!symbols[a].empty() && !symbols[b].empty()) {
              const std::string name = std::min(symbols[a] + tie + symbols[b], symbols[b] + tie + symbols[a]);
              features[both_strands ? std::min({name, other_strand(symbols[a] + tie + symbols[b]),
                                                other_strand(symbols[b] + tie + symbols[a])})
                                    : name] += 1;
            }
          }
        }
        return features;
      };
      expect_definition("gappy_pair(k=1, gap=2, order=any, distance=any, alphabet=" + alphabet +
                            (both_strands ? ", reverse_complement=yes)" : ")"),
                        random_strings(pieces_of(alphabet), 8, 33, 20), pairs);
    }
  }
  const Samples texts = make_strings(std::vector<std::string>{"a b c", "c x b"});
  EXPECT_EQ(testing::gram("gappy_pair(gap=1, order=any, alphabet=words)", texts)(0, 1), 0);     // b c and c . b
  EXPECT_EQ(testing::gram("gappy_pair(gap=1, distance=any, alphabet=words)", texts)(0, 1), 0);  // b ~ c and c ~ b
  EXPECT_EQ(testing::gram("gappy_pair(gap=1, order=any, distance=any, alphabet=words)", texts)(0, 1), 1);
}

TEST(SubstringKernel, GappedKmersAreSharedByNearSubstrings) {
  for (const std::string alphabet : {"bytes", "dna", "protein"}) {
    for (const auto& [l, k] :
         std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {4, 2}, {5, 3}, {7, 6}, {7, 7}}) {
      const auto strings = random_strings(pieces_of(alphabet), 9, 41, 25);
      const std::string spec =
          "gapped_kmer(l=" + std::to_string(l) + ", k=" + std::to_string(k) + ", alphabet=" + alphabet;
      const auto patterns = [&](const std::string& text) {
        Features features;
        const Symbols symbols = symbols_of(text, alphabet);
        for (std::size_t at = 0; at + l <= symbols.size(); ++at) {
          if (window(symbols, at, l).empty()) {
            continue;
          }
          for (unsigned choice = 0; choice < (1U << l); ++choice) {
            if (static_cast<std::size_t>(__builtin_popcount(choice)) == k) {
              features[window(symbols, at, l, "", [&](std::size_t p) { return (choice >> p & 1) != 0; })] += 1;
            }
          }
        }
        return features;
      };
      expect_definition(spec + ")", strings, patterns);
      if (alphabet == "dna") {
        expect_definition(spec + ", reverse_complement=yes)", strings, [&](const std::string& text) {
          Features folded;
          for (const auto& [name, count] : patterns(text)) {
            folded[std::min(name, other_strand(name))] += count;
          }
          return folded;
        });
      }
      // Two substrings that differ in d places share C(l - d, k) features.
      const Matrix<double> gram = testing::gram(spec + ")", make_strings(strings));
      const Symbols x = symbols_of(strings[4], alphabet);
      const Symbols y = symbols_of(strings[6], alphabet);
      double sum = 0;
      for (std::size_t a = 0; a + l <= x.size(); ++a) {
        for (std::size_t b = 0; b + l <= y.size(); ++b) {
          const std::string left = window(x, a, l);
          const std::string right = window(y, b, l);
          std::size_t same = 0;
          for (std::size_t p = 0; !left.empty() && !right.empty() && p < l; ++p) {
            same += left[p] == right[p] ? 1 : 0;
          }
          sum += choose(same, k);
        }
      }
      EXPECT_EQ(gram(4, 6), sum);
    }
  }
}

TEST(SubstringKernel, WeightedDegreeComparesPlaceByPlace) {
  const auto places = [](const std::string& alphabet, const std::vector<double>& weights) {
    return [=](const std::string& text) {
      const Symbols symbols = symbols_of(text, alphabet);
      Features features;
      for (std::size_t n = 1; n <= weights.size(); ++n) {
        for (std::size_t at = 0; at + n <= symbols.size(); ++at) {
          const std::string name = window(symbols, at, n);
          if (!name.empty() && weights[n - 1] > 0) {
            features[name + "@" + std::to_string(at)] = std::sqrt(weights[n - 1]);
          }
        }
      }
      return features;
    };
  };
  for (const std::string alphabet : {"bytes", "dna", "protein"}) {
    for (const std::size_t length : {1, 5, 64, 67}) {
      RandomStream random(length, 4);
      std::vector<std::string> strings(4, std::string(length, 'A'));
      for (std::size_t i = 1; i < strings.size(); ++i) {
        for (char& c : strings[i]) {
          c = "AAAaCN"[random.below(i < 2 ? 3 : 6)];
        }
      }
      for (const std::size_t degree : {1, 3, 20}) {
        const auto d = static_cast<double>(degree);
        std::vector<double> weights;
        for (std::size_t n = 1; n <= degree; ++n) {
          weights.push_back(2 * (d - static_cast<double>(n) + 1) / (d * (d + 1)));
        }
        expect_definition("weighted_degree(degree=" + std::to_string(degree) + ", alphabet=" + alphabet + ")", strings,
                          places(alphabet, weights));
      }
      expect_definition("wd(weights=[0, 2, 0.5], alphabet=" + alphabet + ")", strings, places(alphabet, {0, 2, 0.5}));
    }
  }
  // Degree 1: the number of equal places.
  const Samples two = make_strings(std::vector<std::string>{"GATTACA", "CATTAGA"});
  EXPECT_EQ(testing::gram("wd(degree=1)", two)(0, 1), 5);
}

// More strings than one block of features holds; frequent and rare substrings; tiles that begin and end inside of blocks.
TEST(SubstringKernel, TilesOfManyStrings) {
  constexpr Index n = 600;
  RandomStream random(51, 0);
  std::vector<std::string> strings(n);
  std::vector<std::vector<double>> counts(n, std::vector<double>(16, 0.0));
  for (std::size_t i = 0; i < strings.size(); ++i) {
    std::size_t last = 0;
    for (Index at = 0; at < 12; ++at) {
      const std::size_t code = random.uniform() < 0.8 ? random.below(2) : random.below(4);
      strings[i] += "ACGT"[code];
      if (at > 0) {
        counts[i][4 * last + code] += 1;
      }
      last = code;
    }
  }
  const Kernel kernel = parse_kernel("spectrum(k=2, alphabet=dna)");
  const PreparedKernel prepared(kernel, make_strings(strings), Precision::double_precision, mercer::Run());
  const auto expect_tile = [&](IndexRange rows, IndexRange columns) {
    Workspace workspace;
    TileContext<double> context(prepared.reference(), rows, prepared.reference(), columns, workspace);
    Matrix<double> k(rows.size(), columns.size());
    kernel.node().tile(context, k.view());
    Index wrong = 0;
    for (Index i = 0; i < rows.size(); ++i) {
      for (Index j = 0; j < columns.size(); ++j) {
        double sum = 0;
        for (std::size_t f = 0; f < 16; ++f) {
          sum += counts[rows.begin + i][f] * counts[columns.begin + j][f];
        }
        wrong += k(i, j) == sum ? 0 : 1;
      }
    }
    EXPECT_EQ(wrong, 0) << rows.begin << " " << columns.begin;
  };
  expect_tile({0, n}, {0, n});
  expect_tile({100, 300}, {250, 520});
  expect_tile({255, 257}, {511, 513});
  expect_tile({7, 10}, {0, n});
  expect_tile({590, 600}, {3, 4});
}

// Every occurrence has its place, and the text that stands there makes the feature's name.
TEST(SubstringKernel, PlacesAreThoseOfTheFeatures) {
  const std::vector<std::string> dna = {"GATTACANGATCA", "TTACGATTACGNN", "NNNNNNNNNNNNN"};
  const std::vector<std::string> texts = {"the cat  sat\ton the mat", "the mat", ""};
  const auto check = [](const std::string& spec, const std::vector<std::string>& strings) {
    SCOPED_TRACE(spec);
    const Kernel kernel = parse_kernel(spec);
    const Samples samples = make_strings(strings);
    for (Index i = 0; i < samples.size(); ++i) {
      const mercer::Run run;
      FeatureList list(run);
      explicit_node(kernel).append_features(samples, i, nullptr, list);
      const std::span<const KeyedFeature> features = list.merged();
      std::map<std::uint64_t, double> counts;
      std::vector<FeaturePlace> places;
      explicit_node(kernel).append_places(samples, i, nullptr, places);
      for (const FeaturePlace& place : places) {
        counts[place.key] += 1;
        ASSERT_LE(place.end, static_cast<std::int64_t>(strings[i].size()));
        const Samples part = make_strings(std::vector<std::string>{strings[i].substr(
            static_cast<std::size_t>(place.begin), static_cast<std::size_t>(place.end - place.begin))});
        if (spec.find("wd") == std::string::npos) {
          EXPECT_EQ(explicit_node(kernel).feature_name(part, 0, place.key),
                    explicit_node(kernel).feature_name(samples, i, place.key));
        }
      }
      ASSERT_EQ(counts.size(), features.size());
      for (const KeyedFeature& feature : features) {
        EXPECT_EQ(counts[feature.key] * (spec.find("wd") == std::string::npos ? 1 : feature.value), feature.value);
      }
    }
  };
  check("spectrum(k=3, alphabet=dna)", dna);
  check("blended_spectrum(k=3, alphabet=dna, reverse_complement=yes)", dna);
  check("mismatch(k=3)", dna);
  check("gappy_pair(k=2, gap=2, alphabet=dna)", dna);
  check("gapped_kmer(l=4, k=3, alphabet=dna)", dna);
  check("wd(degree=3, alphabet=dna)", dna);
  check("spectrum(k=2, alphabet=words)", texts);
  check("gappy_pair(k=1, gap=1, alphabet=words)", texts);
}

TEST(SubstringKernel, KnownValues) {
  // Two proteins that share LQE alone, once in one and twice in the other.
  const Samples proteins = make_strings(std::vector<std::string>{"AVTLQEKDG", "SLQEHFLQEWR"});
  EXPECT_EQ(testing::gram("spectrum(k=3, alphabet=protein)", proteins)(0, 1), 2);
  const Kernel spectrum = parse_kernel("spectrum(k=3, alphabet=protein)");
  EXPECT_EQ(named_features(spectrum, proteins, 0).at("LQE"), 1);
  EXPECT_EQ(named_features(spectrum, proteins, 1).at("LQE"), 2);

  // R kernlab 0.9-32, stringdot(..., normalized = FALSE)("abracadabra", "cadabrabba"); it counts the end of a string as
  // one more symbol.
  const Samples words = make_strings(std::vector<std::string>{"abracadabra\n", "cadabrabba\n"});
  const std::vector<double> spectra = {31, 12, 7, 5};
  const std::vector<double> ranges = {31, 43, 50, 55};
  for (std::size_t n = 1; n <= 4; ++n) {
    const std::string length = std::to_string(n);
    EXPECT_EQ(testing::gram("spectrum(k=" + length + ")", words)(0, 1), spectra[n - 1]);
    EXPECT_EQ(testing::gram("blended_spectrum(k=" + length + ")", words)(0, 1), ranges[n - 1]);
    EXPECT_EQ(testing::gram("all_substrings(decay=1, max_length=" + length + ")", words)(0, 1), ranges[n - 1]);
  }
  EXPECT_EQ(testing::gram("all_substrings(decay=1)", words)(0, 1), 61);
  EXPECT_NEAR(testing::gram("all_substrings(decay=0.9090909090909091)", words)(0, 1), 50.27831, 5e-6);
  EXPECT_NEAR(testing::gram("all_substrings(decay=0.6666666666666667)", words)(0, 1), 29.6909, 5e-5);
  EXPECT_NEAR(testing::gram("all_substrings(decay=0.5)", words)(0, 1), 19.82031, 5e-6);
}

TEST(SubstringKernel, LongAndDegenerateStrings) {
  const Index n = 200000;
  const Index m = 150000;
  const std::vector<std::string> longs = {std::string(n, 'A'), std::string(m, 'A'), "", "N"};
  const Samples samples = make_strings(longs);
  double all = 0;
  for (Index length = 1; length <= m; ++length) {
    all += static_cast<double>(n - length + 1) * static_cast<double>(m - length + 1);
  }
  const Matrix<double> k = testing::gram("all_substrings(decay=1)", samples);
  EXPECT_NEAR(k(0, 1), all, 1e-9 * all);
  EXPECT_EQ(k(0, 2), 0);
  EXPECT_EQ(k(0, 3), 0);
  for (const char* spec : {"spectrum(k=20)", "spectrum(k=6, alphabet=dna)"}) {
    const double length = spec[11] == '2' ? 20 : 6;
    EXPECT_EQ(testing::gram(spec, samples)(0, 1), (n - length + 1) * (m - length + 1)) << spec;
  }
  // Three of four places may differ: 4⁴ - 3⁴ = 175 features for every substring, counted in an array.
  EXPECT_EQ(testing::gram("mismatch(k=4, m=3)", samples)(0, 1), 175.0 * (n - 3) * (m - 3));
  const Matrix<double> normalized = testing::gram("normalize(spectrum(k=3, alphabet=dna))", samples);
  EXPECT_NEAR(normalized(0, 1), 1, 1e-12);
  EXPECT_EQ(normalized(2, 2), 0);
  EXPECT_EQ(normalized(3, 3), 0);
  EXPECT_EQ(testing::gram("spectrum(k=1000000)", samples)(0, 0), 0);
  EXPECT_EQ(testing::gram("wd()", make_strings(std::vector<std::string>{"", ""}))(0, 1), 0);
}

TEST(SubstringKernel, CategoriesAreStringsToo) {
  const std::vector<std::string> texts = {"GATTACA", "TACATA", "GATTACA"};
  const Matrix<double> a = testing::gram("spectrum(k=2)", make_strings(texts));
  const Matrix<double> b = testing::gram("spectrum(k=2)", make_categories(texts));
  for (Index i = 0; i < 9; ++i) {
    EXPECT_EQ(a.data()[i], b.data()[i]);
  }
}

TEST(SubstringKernel, WhatCannotBeIsSaid) {
  const Samples protein = make_strings(std::vector<std::string>{"ACGT", "MKLQE"});
  EXPECT_ERROR(testing::gram("spectrum(alphabet=dna)", protein), DataError,
               "spectrum: alphabet=dna, but row 1 has 'L' at position 2 (both counted from");
  EXPECT_ERROR(testing::gram("mismatch()", protein), DataError,
               "mismatch: alphabet=dna, but row 1 has 'L' at position 2 (both counted from");
  EXPECT_ERROR(testing::gram("wd()", protein), DataError, "weighted_degree compares strings of one length");
  EXPECT_ERROR(testing::gram("spectrum()", testing::dense({{1.0, 2.0}})), InvalidArgument, "spectrum compares strings");
  EXPECT_ERROR(testing::gram("all_substrings()", testing::dense({{1.0, 2.0}})), InvalidArgument,
               "all_substrings compares strings");
  for (const char* spec :
       {"spectrum(k=3, reverse_complement=yes)", "spectrum(k=0)", "spectrum(k=1.5)", "spectrum(alphabet=greek)",
        "blended_spectrum(k=2000)", "blended_spectrum(k=2, weights=[1, 2, 3])",
        "blended_spectrum(decay=1, weights=[1])", "blended_spectrum(lambda=1.5)", "all_substrings(decay=2)",
        "all_substrings(min_length=3, max_length=2)", "mismatch(k=9, m=5)", "mismatch(k=40)",
        "mismatch(k=4, m=2, alphabet=bytes)", "gappy_pair(gap=5000)", "gapped_kmer(l=4, k=5)",
        "gapped_kmer(l=20, k=10, alphabet=dna)", "gapped_kmer(l=12, k=11)", "weighted_degree(degree=100000)",
        "weighted_degree(degree=2, weights=[1])"}) {
    EXPECT_ERROR(parse_kernel(spec), InvalidArgument, std::string(spec).substr(0, std::string(spec).find('(')) + ": ")
        << spec;
  }
  // Ranges that a search decides are no error before it does.
  EXPECT_NO_THROW(parse_kernel("gapped_kmer(l=8..10, k=7)"));
  EXPECT_NO_THROW(parse_kernel("mismatch(k=3..20, m=3)"));
  // Training strings of another length than those to predict.
  EXPECT_ERROR(testing::cross(parse_kernel("wd()"), make_strings(std::vector<std::string>{"ACG"}),
                              make_strings(std::vector<std::string>{"ACGT"})),
               DataError, "weighted_degree compares strings of one length");
}

// Linear models ask for features alone: the length of the training strings is learnt and stored.
TEST(SubstringKernel, WeightedDegreeLearnsTheLength) {
  const mercer::Run run;
  const Kernel kernel = parse_kernel("weighted_degree(degree=2, alphabet=dna)");
  const ExplicitNode& node = explicit_node(kernel);
  const std::shared_ptr<const void> learned = node.learn(make_strings(std::vector<std::string>{"ACG", "GGG"}), run);
  const std::vector<KeyedFeature> numbers = node.learned_numbers(learned.get());
  const Samples fitting = make_strings(std::vector<std::string>{"ACT"});
  const Samples longer = make_strings(std::vector<std::string>{"ACGT"});
  for (const std::shared_ptr<const void>& known : {learned, node.learned_from(numbers)}) {
    FeatureList features(run);
    EXPECT_ERROR(node.append_features(longer, 0, known.get(), features), DataError,
                 "weighted_degree compares strings of one length");
    EXPECT_NO_THROW(node.append_features(fitting, 0, known.get(), features));
    EXPECT_EQ(features.merged().size(), 5);
  }
  // Files that know no length, and training samples without rows.
  for (const std::shared_ptr<const void>& unknown : {node.learned_from({}), node.learn(make_strings({}), run)}) {
    FeatureList features(run);
    EXPECT_NO_THROW(node.append_features(longer, 0, unknown.get(), features));
    EXPECT_TRUE(node.learned_numbers(unknown.get()).empty());
  }
  EXPECT_ERROR(node.learned_from(std::vector<KeyedFeature>{{0, 2.5}}), DataError,
               "weighted_degree: the length of the training strings is no whole number");
  EXPECT_FALSE(node.depends_on_reference());  // so that a machine may drop rows
}

TEST(SubstringKernel, AllSubstringsTakeWeightsOfLengths) {
  const std::vector<std::string> strings = random_strings(byte_pieces, 12, 21);
  const Samples samples = make_strings(strings);
  const Matrix<double> all = testing::gram("all_substrings(weights=[0.5, 0, 2])", samples);
  const Matrix<double> listed = testing::gram("blended_spectrum(weights=[0.5, 0, 2])", samples);
  for (Index i = 0; i < samples.size(); ++i) {
    for (Index j = 0; j < samples.size(); ++j) {
      EXPECT_NEAR(all(i, j), listed(i, j), 1e-12 * std::max(1.0, listed(i, j)));
    }
  }
}

// The bits of a value do not depend on how many others are asked for with it.
TEST(SubstringKernel, AllSubstringsOfAnyBatchAreTheSame) {
  const Kernel kernel = parse_kernel("all_substrings(decay=0.37)");
  const Samples x = make_strings(random_strings(byte_pieces, 9, 31, 60));
  const Samples y = make_strings(random_strings(byte_pieces, 5, 32, 60));
  const Matrix<double> together = testing::cross(kernel, x, y);
  for (Index i = 0; i < x.size(); ++i) {
    const Matrix<double> alone =
        testing::cross(kernel, make_strings(std::vector<std::string>{std::string(x.as<StringRows>()[i])}), y);
    for (Index j = 0; j < y.size(); ++j) {
      EXPECT_EQ(together(i, j), alone(0, j)) << i << " " << j;
    }
  }
}

TEST(SubstringKernel, AllSubstringsStopOnRequest) {
  std::stop_source source;
  source.request_stop();
  const mercer::Run stopped{{.threads = 1, .stop = source.get_token()}};
  const std::vector<std::int32_t> symbols(100, 0);
  const std::vector<double> totals(101, 1.0);
  EXPECT_ERROR(SuffixAutomaton(symbols, 1, totals, stopped), Stopped, "stopped on request");
}

TEST(SubstringKernel, AllSubstringsOfTooLongStringsAreRefused) {
  // 2^27 symbols of hashed transitions: 2^28 states of 40 bytes, 2^30 slots of 16.
  EXPECT_GT(SuffixAutomaton::most_bytes(std::size_t{1} << 27, 256), 26e9);
  EXPECT_LT(SuffixAutomaton::most_bytes(std::size_t{1} << 27, 256), 30e9);
  EXPECT_LT(SuffixAutomaton::most_bytes(1000, 4), 150e3);
  const std::string text(std::size_t{1} << 20, 'a');
  const std::vector<std::string> strings = {text};
  const mercer::Run many{
      {.threads = static_cast<int>(allowed_memory(0) / SuffixAutomaton::most_bytes(text.size(), 1)) + 1}};
  EXPECT_ERROR(
      PreparedKernel(parse_kernel("all_substrings()"), make_strings(strings), Precision::double_precision, many),
      DataError, "all_substrings: the longest string has 1048576 symbols");
}

TEST(SubstringKernel, NamesOfManyFeaturesAreFoundAtOnce) {
  const Samples samples = make_strings(std::vector<std::string>{"ACGTTNACGGA"});
  for (const char* spec :
       {"spectrum(k=2, alphabet=dna, reverse_complement=yes)", "blended_spectrum(k=3)", "spectrum(k=1, alphabet=words)",
        "weighted_degree(degree=3, alphabet=dna)", "gappy_pair(k=1, gap=2)", "gapped_kmer(l=4, k=2, alphabet=dna)",
        "bounded_subsequence(n=2, max_gap=1, alphabet=dna)"}) {
    const Kernel kernel = parse_kernel(spec);
    const mercer::Run run;
    FeatureList features(run);
    explicit_node(kernel).append_features(samples, 0, nullptr, features);
    std::vector<std::uint64_t> keys = {12345};  // no feature of these
    std::vector<std::string> names = {"0000000000003039"};
    for (const KeyedFeature& feature : features.merged()) {
      keys.push_back(feature.key);
      names.push_back(explicit_node(kernel).feature_name(samples, 0, feature.key));
    }
    EXPECT_EQ(explicit_node(kernel).feature_names(samples, 0, keys), names) << spec;
  }
}

}  // namespace
}  // namespace mercer
