// Random kitchen sinks: features φ(w_c·x + b_c) with random w and b that are never learnt, for any function φ,
//
//   cos     √(2/q) cos(w·x + b), b uniform on [0, 2π): random Fourier features with phases
//   step    √(1/q) sign(w·x + b)          relu    √(2/q) max(0, w·x + b)          tanh    √(1/q) tanh(w·x + b)
//
// with normal b (of deviation `bias`) beyond cos. The law of w is the spectral density of a kernel: normal for rbf, Cauchy
// for laplacian, and so on. The linear model on top does the learning. Reference: Rahimi & Recht (2009), Weighted sums of
// random kitchen sinks; Cho & Saul (2009) for the kernels of step and relu.
#pragma once

#include <array>
#include <string_view>

#include "mercer/base/words.h"
#include "mercer/features/random_fourier.h"

namespace mercer {

enum class SinkFamily { cos, step, relu, tanh };
constexpr auto words_of(SinkFamily) {
  return std::array{Word{SinkFamily::cos, "cos"}, Word{SinkFamily::step, "step"}, Word{SinkFamily::relu, "relu"},
                    Word{SinkFamily::tanh, "tanh"}};
}

class KitchenSinks final : public FeatureMap {
 public:
  KitchenSinks(Matrix<double> weights, std::vector<double> biases, SinkFamily family);
  static std::shared_ptr<const KitchenSinks> from_parts(const MapParts& parts);

  std::string_view name() const override { return "sinks"; }
  Index columns() const override { return projection_.outputs(); }
  void transform(const Samples& samples, MatrixView<double> out, const Run& run) const override;
  void transform(const Samples& samples, MatrixView<float> out, const Run& run) const override;
  MapParts parts() const override;

  SinkFamily family() const { return family_; }

 private:
  template <class T>
  void fill(const Samples& samples, MatrixView<T> out, const Run& run) const;

  LinearProjection projection_;
  std::vector<double> biases_;
  SinkFamily family_;
};

struct SinkOptions {
  Index size = 100;
  SinkFamily family = SinkFamily::cos;
  FrequencyDraws draws = FrequencyDraws::best;
  double bias = 1;  ///< standard deviation of b beyond cos
};

/// As fourier_map.
std::shared_ptr<const KitchenSinks> kitchen_sinks(const Kernel& kernel, const Samples& samples,
                                                  const SinkOptions& options, std::uint64_t seed);

}  // namespace mercer
