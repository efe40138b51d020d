// ClassCode: how several two-class machines answer for k classes. Row m says what machine m separates: +1 the classes on
// its positive side, −1 those on its negative side, 0 those it never saw.
//
//   one-vs-one   k(k−1)/2 machines; votes, ties to the lower class (as LIBSVM), or a directed acyclic graph: the first
//                class left against the last, the loser drops out (Platt, Cristianini & Shawe-Taylor 2000)
//   one-vs-rest  k machines; the largest value
//   codes        any matrix, such as random error-correcting ones; the class whose code word loses least,
//                argmin_c Σ_m L(code_mc f_m) over the machines that know the class   (Allwein, Schapire & Singer 2000):
//
//                  hinge     L(z) = max(0, 1 − z)
//                  linear    L(z) = −z; of one-vs-rest machines the largest value
//                  Hamming   L(z) = [z on the wrong side], sgn 0 = +1, ½ for machines that never saw the class (Dietterich
//                            & Bakiri 1995): words that differ in d machines forgive ⌊(d−1)/2⌋ wrong ones
//
//                Of equally good classes the first.
//
// With two classes there is one machine, positive for the second class.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/linalg/matrix.h"
#include "mercer/models/classes/code_words.h"
#include "mercer/models/classes/multiclass.h"

namespace mercer {

enum class Decoding { votes, graph, largest, least_loss, linear_loss, hamming };

class ClassCode {
 public:
  /// None yet: only to be assigned to.
  ClassCode() = default;
  /// Entries −1, 0, 1; every machine has both signs, every two classes differ somewhere. InvalidArgument otherwise.
  ClassCode(Matrix<double> code, Decoding decoding);

  static ClassCode one_vs_one(Index classes, Decoding decoding);
  static ClassCode one_vs_rest(Index classes);
  /// One machine per class whose values are compared directly: joint machines.
  static ClassCode joint(Index classes);
  /// Dense random words of length max(10 log₂ k, k): the best of many draws by the smallest distance of two words.
  static ClassCode random(Index classes, std::uint64_t seed);
  /// InvalidArgument unless there is one word per class, all of the same length.
  static ClassCode given(const CodeWords& words, Index classes);
  /// As the option says; `words` and `seed` are of Multiclass::code, whose words are random where none are given.
  static ClassCode of(Multiclass way, Index classes, const CodeWords& words = {}, std::uint64_t seed = 0,
                      CodeDecoding decoding = CodeDecoding::usual);

  /// The same machines; InvalidArgument where they are pairs, whose votes are counted.
  ClassCode decoded_by(CodeDecoding decoding) const;

  Index machines() const { return code_->rows(); }
  Index classes() const { return code_->columns(); }
  double operator()(Index machine, Index c) const { return (*code_)(machine, c); }
  const Matrix<double>& matrix() const { return *code_; }
  Decoding decoding() const { return decoding_; }

  /// "a vs b" for a pair, "a" for one against the rest, "machine 3" otherwise; the positive class for two classes.
  std::vector<std::string> names(std::span<const std::string> labels) const;

  /// The class for the values of the machines.
  Index decode(std::span<const double> values) const;
  /// The classes for many rows of values, as one column of numbers.
  Matrix<double> decode_rows(ConstMatrixView<double> values) const;
  /// Per class, the larger the better: votes, values or minus the loss.
  void scores(std::span<const double> values, std::span<double> scores) const;

 private:
  /// The sign that a value speaks for; 0 is the later class of a pair, as of two classes alone (and as in LIBSVM).
  double winning_sign(Index machine, double value) const;
  Index decode_graph(std::span<const double> values) const;

  // Immutable: copies share it.
  std::shared_ptr<const Matrix<double>> code_ = std::make_shared<const Matrix<double>>();
  Decoding decoding_ = Decoding::votes;
};

}  // namespace mercer
