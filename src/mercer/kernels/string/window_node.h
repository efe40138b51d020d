// WindowNode: kernels on strings of one length that compare them place by place and raise sums over short windows to a
// power, so that several matches near each other count more than the same number far apart,
//
//   win_p = Σ_{j=−l}^{l} v_j m_{p+j},     k(x, y) = (Σ_p win_p^{d1})^{d2}
//
// p runs over all places of the strings; outside of them m = 0. v_j rises to the middle: l + 1 − |j| unless given.
// Reference: Zien, Rätsch, Mika, Schölkopf, Lengauer & Müller (2000); Schölkopf & Smola (2002), section 13.3.2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/kernels/nodes/object_node.h"
#include "mercer/kernels/string/alphabet.h"

namespace mercer {

/// Strings of one length; `table` is what a kernel learns from the training strings or precomputes of its own.
struct WindowRows {
  Index size = 0;
  Index length = 0;
  std::vector<std::int16_t> codes;  ///< size × length, of Alphabet::code
  std::vector<double> table;
  std::vector<double> scores;  ///< size × length, for kernels that give places a number

  std::span<const std::int16_t> row(Index i) const {
    return std::span(codes).subspan(static_cast<std::size_t>(i * length), static_cast<std::size_t>(length));
  }
};

/// The parameters window, d1, d2 and weights.
std::vector<ParameterSpec> window_parameters();

class WindowNode : public ObjectNode<WindowRows> {
 public:
  WindowNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children,
             const Alphabet& alphabet);

  Definiteness definiteness() const override { return Definiteness::positive(); }

 protected:
  /// Strings of different lengths are a DataError, also where training and new strings differ.
  WindowRows encode(const Samples& samples, const WindowRows* reference, const Run& run) const override;
  double value(const WindowRows& x, Index i, const WindowRows& y, Index j) const final;

  /// What a kernel adds to the encoded strings. Default: nothing.
  virtual void finish(const Samples& samples, const WindowRows* reference, WindowRows& rows) const;
  /// windows[p] = win_p, given zeros.
  virtual void fill_windows(const WindowRows& x, Index i, const WindowRows& y, Index j,
                            std::span<double> windows) const = 0;

  /// v_{−l} … v_l.
  std::span<const double> weights() const { return weights_; }
  Index half_width() const { return static_cast<Index>(weights_.size()) / 2; }

 private:
  Alphabet alphabet_;
  std::vector<double> weights_;
  int inner_power_;
  int outer_power_;
};

/// windows[p] += Σ_k weights[k] matches[p + first + k], where that place exists. O(places · weights), vectorised.
void add_windows(std::span<const double> matches, Index first, std::span<const double> weights,
                 std::span<double> windows);

/// out[p] = [s_{p + left} = t_{p + right}] for strings of one length; 0 where one of the places does not exist, or its
/// symbol is unknown. left, right >= 0.
void mark_matches(std::span<const std::int16_t> s, Index left, std::span<const std::int16_t> t, Index right,
                  std::span<double> out);

}  // namespace mercer
