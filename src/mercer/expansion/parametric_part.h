// ParametricPart: which functions ψ stand beside the kernel in f(x) = Σ_i α_i k(x_i, x) + Σ_p β_p ψ_p(x). As text,
//
//   none                           no function
//   constant                       1
//   linear                         1, x_1, …, x_d
//   quadratic                      1, x_1, …, x_d, x_1², x_1x_2, …, x_1x_d, x_2², …, x_d²
//   periodic(period=P, harmonics=H)  1, and sin(2πhx_j/P), cos(2πhx_j/P) for h = 1 … H (1 if not given) and every column
//   linear[age, dose]              any of them on some columns: 1, age, dose
//   linear + periodic(period=12)[month]     a sum has the functions of all its terms, 1 once
//
// Columns are named as in kernels (data/columns.h); without names they are all numeric columns. The constant is in every
// part but none. Reference: Schölkopf & Smola (2002), 4.8.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/index.h"
#include "mercer/base/words.h"
#include "mercer/data/columns.h"

namespace mercer {

/// The polynomials of all numeric columns up to a degree.
enum class Polynomials { none, constant, linear, quadratic };
constexpr auto words_of(Polynomials) {
  return std::array{Word{Polynomials::none, "zero"}, Word{Polynomials::constant, "constant"},
                    Word{Polynomials::linear, "linear"}, Word{Polynomials::quadratic, "quadratic"}};
}

enum class ParametricShape { linear, quadratic, periodic };
constexpr auto words_of(ParametricShape) {
  return std::array{Word{ParametricShape::linear, "linear"}, Word{ParametricShape::quadratic, "quadratic"},
                    Word{ParametricShape::periodic, "periodic"}};
}

/// Functions beside the constant.
struct ParametricTerm {
  ParametricShape shape = ParametricShape::linear;
  ColumnSelection columns = {};  ///< no references: all numeric columns
  double period = 1;             ///< of periodic: positive; in units of the column
  Index harmonics = 1;           ///< of periodic: at least 1
  bool operator==(const ParametricTerm&) const = default;
};

class ParametricPart {
 public:
  static constexpr Polynomials none = Polynomials::none;
  static constexpr Polynomials constant = Polynomials::constant;
  static constexpr Polynomials linear = Polynomials::linear;
  static constexpr Polynomials quadratic = Polynomials::quadratic;

  /// None.
  ParametricPart() = default;
  ParametricPart(Polynomials polynomials);  // NOLINT(google-explicit-constructor): polynomials are such parts
  /// The constant and these. InvalidArgument for a period or harmonics that are not allowed.
  explicit ParametricPart(std::vector<ParametricTerm> terms);

  /// InvalidArgument that points at the character and says what was expected.
  static ParametricPart parse(std::string_view text);
  /// The shortest text that parse() reads as the same part.
  std::string text() const;

  bool is_none() const { return !has_constant_; }
  /// Whether there are functions beside the constant: those depend on the samples.
  bool uses_columns() const { return !terms_.empty(); }
  bool is_constant() const { return has_constant_ && terms_.empty(); }
  const std::vector<ParametricTerm>& terms() const { return terms_; }

  bool operator==(const ParametricPart&) const = default;

 private:
  bool has_constant_ = false;
  std::vector<ParametricTerm> terms_;
};

}  // namespace mercer
