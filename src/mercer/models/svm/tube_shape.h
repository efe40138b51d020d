// TubeShape: the shape of a regression tube, half of whose width at x is Σ_q ε_q ζ_q(x), as text of the language of parametric
// parts (expansion/parametric_part.h):
//
//   constant                      ζ = 1: the usual tube
//   linear[spread]                ζ = the column spread: the tube is as wide as that says, up to a factor
//   constant + linear[spread]     both, a factor each
//
// The constant is one of them only where the text says so. Functions are not negative on the rows of a fit.
// Reference: Schölkopf & Smola (2002), (9.52).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/data/samples.h"
#include "mercer/expansion/parametric_part.h"
#include "mercer/linalg/matrix.h"
#include "mercer/models/option_value.h"

namespace mercer {

class TubeShape {
 public:
  TubeShape() = default;
  /// InvalidArgument that names the option, points at the character and says what was expected.
  static TubeShape parse(OptionName name, std::string_view text);
  std::string text() const;

  bool has_constant() const { return has_constant_; }
  bool is_constant() const { return part_.is_constant(); }
  const ParametricPart& part() const { return part_; }

  /// ζ at the samples: rows × functions. Errors as of ParametricFunctions.
  Matrix<double> values(const Samples& samples) const;
  /// "1", "spread".
  std::vector<std::string> names(const Samples& samples) const;

 private:
  bool has_constant_ = true;
  ParametricPart part_ = ParametricPart::constant;
};

/// A fraction ν for every function of a tube, as text "0.1, 0.05"; none: one for all.
struct TubeFractions {
  std::vector<double> values = {};

  /// InvalidArgument for anything but numbers above 0 and at most 1.
  static TubeFractions parse(OptionName name, std::string_view text);
  std::string text() const;
};

}  // namespace mercer
