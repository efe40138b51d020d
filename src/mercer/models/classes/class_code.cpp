#include "mercer/models/classes/class_code.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/base/random.h"
#include "mercer/models/classes/decision_class.h"

namespace mercer {

namespace {

// The number of machines in which two words differ surely (both signs given, opposite).
Index distance(const Matrix<double>& code, Index a, Index b) {
  Index count = 0;
  for (Index m = 0; m < code.rows(); ++m) {
    count += code(m, a) * code(m, b) < 0 ? 1 : 0;
  }
  return count;
}

Index smallest_distance(const Matrix<double>& code) {
  Index smallest = code.rows();
  for (Index a = 0; a < code.columns(); ++a) {
    for (Index b = 0; b < a; ++b) {
      smallest = std::min(smallest, distance(code, a, b));
    }
  }
  return smallest;
}

bool has_both_signs(const Matrix<double>& code, Index machine) {
  bool positive = false;
  bool negative = false;
  for (Index c = 0; c < code.columns(); ++c) {
    positive = positive || code(machine, c) > 0;
    negative = negative || code(machine, c) < 0;
  }
  return positive && negative;
}

bool is_usable(const Matrix<double>& code) {
  for (Index m = 0; m < code.rows(); ++m) {
    if (!has_both_signs(code, m)) {
      return false;
    }
  }
  return smallest_distance(code) > 0;
}

}  // namespace

ClassCode::ClassCode(Matrix<double> code, Decoding decoding)
    : code_(std::make_shared<const Matrix<double>>(std::move(code))), decoding_(decoding) {
  for (Index m = 0; m < machines(); ++m) {
    for (Index c = 0; c < classes(); ++c) {
      if ((*this)(m, c) != -1 && (*this)(m, c) != 0 && (*this)(m, c) != 1) {
        throw InvalidArgument("a code of classes has the entries -1, 0 and 1");
      }
    }
    if (!has_both_signs(*code_, m)) {
      throw InvalidArgument("machine " + std::to_string(m + 1) +
                            " of the code has classes on one side only: every machine must separate some from others");
    }
  }
  if (classes() < 2 || smallest_distance(*code_) == 0) {
    throw InvalidArgument("a code of classes needs two classes at least, and words that differ");
  }
}

ClassCode ClassCode::one_vs_one(Index classes, Decoding decoding) {
  Matrix<double> code = Matrix<double>::filled(classes * (classes - 1) / 2, classes, 0.0);
  Index machine = 0;
  for (Index i = 0; i < classes; ++i) {
    for (Index j = i + 1; j < classes; ++j, ++machine) {
      const double sign = classes == 2 ? -1.0 : 1.0;
      code(machine, i) = sign;
      code(machine, j) = -sign;
    }
  }
  return {std::move(code), decoding};
}

ClassCode ClassCode::one_vs_rest(Index classes) {
  if (classes == 2) {
    return one_vs_one(2, Decoding::votes);
  }
  return joint(classes);
}

ClassCode ClassCode::joint(Index classes) {
  Matrix<double> code = Matrix<double>::filled(classes, classes, -1.0);
  for (Index c = 0; c < classes; ++c) {
    code(c, c) = 1.0;
  }
  return {std::move(code), Decoding::largest};
}

ClassCode ClassCode::random(Index classes, std::uint64_t seed) {
  if (classes == 2) {
    return one_vs_one(2, Decoding::votes);
  }
  constexpr int draws = 200;
  constexpr std::uint64_t stream = 0x45434f43;
  const auto length = std::max(classes, static_cast<Index>(std::ceil(10 * std::log2(static_cast<double>(classes)))));
  RandomStream random(seed, stream);
  Matrix<double> best;
  Index best_distance = 0;
  for (int draw = 0; draw < draws || best_distance == 0; ++draw) {
    Matrix<double> code(length, classes);
    for (Index m = 0; m < length; ++m) {
      do {
        for (Index c = 0; c < classes; ++c) {
          code(m, c) = random.uniform() < 0.5 ? -1.0 : 1.0;
        }
      } while (!has_both_signs(code, m));
    }
    if (is_usable(code) && smallest_distance(code) > best_distance) {
      best_distance = smallest_distance(code);
      best = std::move(code);
    }
  }
  return {std::move(best), Decoding::least_loss};
}

ClassCode ClassCode::given(const CodeWords& words, Index classes) {
  const std::vector<std::vector<double>>& signs = words.signs();
  const bool fits = static_cast<Index>(signs.size()) == classes &&
                    std::all_of(signs.begin(), signs.end(),
                                [&](const std::vector<double>& word) { return word.size() == signs.front().size(); });
  if (!fits) {
    throw InvalidArgument("code: " + std::to_string(signs.size()) + " words for " + std::to_string(classes) +
                          " classes: give one word per class, all of the same length, with ; between them");
  }
  Matrix<double> code(static_cast<Index>(signs.front().size()), classes);
  for (Index m = 0; m < code.rows(); ++m) {
    for (Index c = 0; c < classes; ++c) {
      code(m, c) = signs[c][m];
    }
  }
  return {std::move(code), Decoding::least_loss};
}

ClassCode ClassCode::of(Multiclass way, Index classes, const CodeWords& words, std::uint64_t seed,
                        CodeDecoding decoding) {
  if (decoding != CodeDecoding::usual) {
    if (!is_code(way)) {
      throw InvalidArgument("decoding = " + std::string(word_of(decoding)) +
                            " needs multiclass = code or ovr, whose "
                            "machines form a code; " +
                            std::string(word_of(way)) + " has one way to answer");
    }
    return of(way, classes, words, seed).decoded_by(decoding);
  }
  switch (way) {
    case Multiclass::one_vs_one:
      return one_vs_one(classes, Decoding::votes);
    case Multiclass::graph:
      return one_vs_one(classes, Decoding::graph);
    case Multiclass::code:
      return words.are_given() ? given(words, classes) : random(classes, seed);
    case Multiclass::one_vs_rest:
    case Multiclass::weston_watkins:
    case Multiclass::crammer_singer:
      break;
  }
  return one_vs_rest(classes);  // of a joint problem, too: one function per class
}

ClassCode ClassCode::decoded_by(CodeDecoding decoding) const {
  // One machine for two classes: all ways to decode say the same.
  if (decoding == CodeDecoding::usual || (machines() == 1 && classes() == 2)) {
    return *this;
  }
  if (decoding_ == Decoding::votes || decoding_ == Decoding::graph) {
    throw InvalidArgument("machines of pairs are no code: their votes are counted");
  }
  ClassCode result = *this;
  result.decoding_ = decoding == CodeDecoding::hinge    ? Decoding::least_loss
                     : decoding == CodeDecoding::linear ? Decoding::linear_loss
                                                        : Decoding::hamming;
  return result;
}

std::vector<std::string> ClassCode::names(std::span<const std::string> labels) const {
  std::vector<std::string> names;
  for (Index m = 0; m < machines(); ++m) {
    std::vector<Index> positive;
    std::vector<Index> negative;
    for (Index c = 0; c < classes(); ++c) {
      if ((*this)(m, c) != 0) {
        ((*this)(m, c) > 0 ? positive : negative).push_back(c);
      }
    }
    const auto label = [&](Index c) { return labels[c]; };
    if (classes() == 2) {
      names.push_back(label(positive.front()));
    } else if (positive.size() == 1 && negative.size() == 1) {
      names.push_back(label(positive.front()) + " vs " + label(negative.front()));
    } else if (decoding_ == Decoding::largest || (decoding_ != Decoding::least_loss && positive.size() == 1)) {
      names.push_back(label(positive.front()));
    } else {
      names.push_back("machine " + std::to_string(m + 1));
    }
  }
  return names;
}

void ClassCode::scores(std::span<const double> values, std::span<double> scores) const {
  std::fill(scores.begin(), scores.end(), 0.0);
  const bool voting = decoding_ == Decoding::votes || decoding_ == Decoding::graph;
  for (Index m = 0; m < machines(); ++m) {
    const double value = values[m];
    const double winner = voting ? winning_sign(m, value) : 0;
    for (Index c = 0; c < classes(); ++c) {
      const double sign = (*this)(m, c);
      double& score = scores[c];
      switch (decoding_) {
        case Decoding::votes:
        case Decoding::graph:
          score += sign * winner > 0 ? 1 : 0;
          break;
        case Decoding::largest:
          score += sign > 0 ? value : 0;
          break;
        case Decoding::least_loss:
          score -= sign != 0 ? std::max(0.0, 1 - sign * value) : 0;
          break;
        case Decoding::linear_loss:
          score += sign * value;
          break;
        case Decoding::hamming:
          score -= sign == 0 ? 0.5 : (sign > 0) == is_positive_side(value) ? 0 : 1;
          break;
      }
    }
  }
}

double ClassCode::winning_sign(Index machine, double value) const {
  Index last = classes() - 1;
  while ((*this)(machine, last) == 0) {
    --last;
  }
  const double later = (*this)(machine, last);
  return is_positive_side(later * value) ? later : -later;
}

Index ClassCode::decode_graph(std::span<const double> values) const {
  Index first = 0;
  Index last = classes() - 1;
  while (first < last) {
    for (Index m = 0; m < machines(); ++m) {
      if ((*this)(m, first) != 0 && (*this)(m, last) != 0) {
        const bool first_wins = winning_sign(m, values[m]) * (*this)(m, first) > 0;
        first_wins ? --last : ++first;
        break;
      }
    }
  }
  return first;
}

Matrix<double> ClassCode::decode_rows(ConstMatrixView<double> values) const {
  Matrix<double> predicted(values.rows(), 1);
  for (Index i = 0; i < values.rows(); ++i) {
    predicted(i, 0) = static_cast<double>(decode(values.row(i)));
  }
  return predicted;
}

Index ClassCode::decode(std::span<const double> values) const {
  // One machine for two classes: all ways to decode say the same.
  if (machines() == 1 && classes() == 2) {
    return class_of_value((*this)(0, 1) * values[0]);
  }
  if (decoding_ == Decoding::graph) {
    return decode_graph(values);
  }
  constexpr std::size_t usual_classes = 32;
  std::array<double, usual_classes> few;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by scores
  std::vector<double> many(static_cast<std::size_t>(classes()) > usual_classes ? static_cast<std::size_t>(classes())
                                                                               : 0);
  const std::span<double> all =
      many.empty() ? std::span(few).first(static_cast<std::size_t>(classes())) : std::span<double>(many);
  scores(values, all);
  return static_cast<Index>(std::ranges::max_element(all) - all.begin());
}

}  // namespace mercer
