// Random Fourier features of a kernel with a spectral density: with frequencies ω_c drawn from it and a = k(x, x),
//
//   pairs     z(x) = √(2a/q) (cos ω_1·x, …, cos ω_{q/2}·x, sin ω_1·x, …)          k(x, x) is exact
//   phases    z(x) = √(2a/q) (cos(ω_1·x + b_1), …, cos(ω_q·x + b_q)),   b uniform on [0, 2π)
//
// z(x)·z(x') is k(x, x') on average, with an error that falls as 1/√q; pairs err less for Gaussian-like kernels (Sutherland
// & Schneider 2015). Frequencies are drawn independently, with orthogonal directions, or from a sequence that fills space
// evenly. Reference: Rahimi & Recht (2007).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "mercer/base/words.h"
#include "mercer/features/feature_map.h"
#include "mercer/features/frequency_law.h"
#include "mercer/features/linear_projection.h"

namespace mercer {

enum class FourierForm { pairs, phases };
constexpr auto words_of(FourierForm) {
  return std::array{Word{FourierForm::pairs, "pairs"}, Word{FourierForm::phases, "phases"}};
}

/// `best`: orthogonal where the kernel's law allows it, independent elsewhere.
enum class FrequencyDraws { best, independent, orthogonal, halton };
constexpr auto words_of(FrequencyDraws) {
  return std::array{Word{FrequencyDraws::best, "best"}, Word{FrequencyDraws::independent, "independent"},
                    Word{FrequencyDraws::orthogonal, "orthogonal"}, Word{FrequencyDraws::halton, "halton"}};
}

/// One frequency per column (columns of the samples × count), from the law. InvalidArgument for draws that the law
/// does not allow.
Matrix<double> draw_frequencies(const FrequencyLaw& law, Index columns, Index count, FrequencyDraws draws,
                                std::uint64_t seed);
/// Uniform on [0, 2π).
std::vector<double> draw_phases(Index count, std::uint64_t seed);
/// The law of the kernel; InvalidArgument that says what to try where there is none.
FrequencyLaw require_frequency_law(const Kernel& kernel, const Samples& samples, const char* map);

class FourierMap final : public FeatureMap {
 public:
  /// `frequencies` columns × count; `phases` count of them, or none for pairs.
  FourierMap(Matrix<double> frequencies, std::vector<double> phases, double amplitude);
  static std::shared_ptr<const FourierMap> from_parts(const MapParts& parts);

  std::string_view name() const override { return "fourier"; }
  Index columns() const override { return projection_.outputs() * (phases_.empty() ? 2 : 1); }
  void transform(const Samples& samples, MatrixView<double> out, const Run& run) const override;
  void transform(const Samples& samples, MatrixView<float> out, const Run& run) const override;
  MapParts parts() const override;

  FourierForm form() const { return phases_.empty() ? FourierForm::pairs : FourierForm::phases; }
  const Matrix<double>& frequencies() const { return projection_.weights(); }

 private:
  template <class T>
  void fill(const Samples& samples, MatrixView<T> out, const Run& run) const;

  LinearProjection projection_;
  std::vector<double> phases_;
  double amplitude_;
};

struct FourierOptions {
  Index size = 100;  ///< features; pairs round it up to an even number
  FourierForm form = FourierForm::pairs;
  FrequencyDraws draws = FrequencyDraws::best;
};

/// The samples say which columns there are; their values are not looked at. Widths of the kernel must be numbers.
/// InvalidArgument where the kernel has no spectral density.
std::shared_ptr<const FourierMap> fourier_map(const Kernel& kernel, const Samples& samples,
                                              const FourierOptions& options, std::uint64_t seed);

}  // namespace mercer
