// The option density of models with a loss of a user's own: residuals and densities, "-2:0.05,-1:0.24,0:0.4,1:0.24,2:0.05", or
// lines of two numbers, as a file holds them.
// What they mean: theory/losses/density_loss.h.
#pragma once

#include <string>
#include <string_view>

#include "mercer/theory/losses/density_loss.h"

namespace mercer {

class NoiseDensity {
 public:
  NoiseDensity() = default;  ///< none is given
  /// InvalidArgument as DensityLoss has it.
  explicit NoiseDensity(NoiseTable table);

  /// InvalidArgument for what is neither a list of residual:density nor lines of them, and as above.
  static NoiseDensity parse(std::string_view text);
  /// In shortest round-trip numbers.
  const std::string& text() const { return text_; }

  bool is_given() const { return !table_.residuals.empty(); }
  const NoiseTable& table() const { return table_; }
  /// The loss of residuals in units of `unit` of the table's: c(ξ) = −ln p(unit·ξ) + ln p(0).
  LossPointer loss(double unit) const;

 private:
  NoiseTable table_;
  std::string text_;
};

}  // namespace mercer
