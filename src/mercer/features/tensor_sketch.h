// Tensor sketch: random features of the polynomial kernel (γ x·x' + c)^p without its d^p monomials. Every factor hashes
// the columns (and a constant √c) into q buckets with random signs; the sketch of the product of all p factors is the
// circular convolution of theirs, done by Fourier transforms. z(x)·z(x') is k(x, x') on average, with a variance of order
// (3^p − 1) k(x, x) k(x', x') / q. Cost per row: p (nonzeros + q log q). Reference: Pham & Pagh (2013), Fast and scalable polynomial
// kernels via explicit feature maps.
#pragma once

#include <optional>
#include <vector>

#include "mercer/features/feature_map.h"
#include "mercer/kernels/kernel.h"

namespace mercer {

/// amplitude · (γ x·x' + c)^degree.
struct PolynomialForm {
  Index degree = 2;
  double gamma = 1;
  double coef0 = 1;
  double amplitude = 1;
};
/// Where the kernel is a multiple of poly() on all columns, with c ≥ 0.
std::optional<PolynomialForm> polynomial_form(const Kernel& kernel);

class TensorSketch final : public FeatureMap {
 public:
  /// buckets and signs: degree × (columns + 1), the last column for the constant.
  TensorSketch(PolynomialForm form, Matrix<double> buckets, Matrix<double> signs, Index size);
  static std::shared_ptr<const TensorSketch> from_parts(const MapParts& parts);

  std::string_view name() const override { return "sketch"; }
  Index columns() const override { return size_; }
  void transform(const Samples& samples, MatrixView<double> out, const Run& run) const override;
  void transform(const Samples& samples, MatrixView<float> out, const Run& run) const override;
  MapParts parts() const override;

 private:
  template <class T>
  void fill(const Samples& samples, MatrixView<T> out, const Run& run) const;

  PolynomialForm form_;
  Matrix<double> buckets_;
  Matrix<double> signs_;
  Index size_;
};

/// InvalidArgument where the kernel is not polynomial.
std::shared_ptr<const TensorSketch> tensor_sketch(const Kernel& kernel, const Samples& samples, Index size,
                                                  std::uint64_t seed);

}  // namespace mercer
