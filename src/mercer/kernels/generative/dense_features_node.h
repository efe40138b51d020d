// DenseFeaturesNode: kernels k(x, y) = ⟨Φ(x), Φ(y)⟩ of a few dense features that a probability model gives: scores, densities
// of components. Features are computed once per sample set and kept; tiles are matrix products.
//
// A node may ask for a rotation R, Φ ← ΦR, such as the inverse root of an information matrix, made from the features of
// the training samples or from the model alone.
#pragma once

#include <memory>

#include "mercer/kernels/algebra/composite_node.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

class DenseFeaturesNode : public TemplatedTile<DenseFeaturesNode> {
 public:
  using TemplatedTile::TemplatedTile;

  Definiteness definiteness() const override { return Definiteness::positive(); }
  void request(Preparation& /*preparation*/) const override {}
  void complete(Preparation& preparation) const override;
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override;
  void contract(TileContext<double>& /*context*/, ConstMatrixView<double> /*q*/,
                std::span<double> /*gradient*/) const override {}
  void contract_diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<const double> /*q*/,
                         std::span<double> /*gradient*/) const override {}
  bool has_input_derivatives() const override { return false; }

 protected:
  /// Φ, a row per sample; checks the samples. Called once per sample set.
  virtual Matrix<double> features(const Samples& samples, const Run& run) const = 0;
  /// R, given the features of the training samples; null: none. Its rows are as many as there are features.
  virtual std::shared_ptr<const Matrix<double>> rotation(ConstMatrixView<double> reference, const Run& run) const;

 private:
  friend TemplatedTile;
  struct Slot {
    std::shared_ptr<const Matrix<double>> rotation;
    Matrix<float> single;
    Matrix<double> full;
    std::vector<double> squared_lengths;

    template <class T>
    const Matrix<T>& of() const;
  };
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const;
};

}  // namespace mercer
