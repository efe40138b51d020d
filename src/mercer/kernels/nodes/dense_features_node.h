// DenseFeaturesNode: kernels k(x, y) = ⟨Φ(x), Φ(y)⟩ of dense features: monomials, scores of a probability model, densities of
// its components. Features are computed once per sample set and kept (samples × features numbers); tiles are matrix
// products. Spec C10.
//
// Single precision keeps the features in single precision: NumericalError where ⟨Φ(x), Φ(x)⟩ is beyond it. Nodes of few
// features over many orders of magnitude override computes_in_double(): then features and products stay in double.
//
// A node may ask for a rotation R, Φ ← ΦR, such as the inverse root of an information matrix, made from the features of
// the training samples or from the model alone.
#pragma once

#include <memory>

#include "mercer/kernels/nodes/composite_node.h"
#include "mercer/linalg/matrix.h"

namespace mercer {

class DenseFeaturesNode : public TemplatedTile<DenseFeaturesNode> {
 public:
  using TemplatedTile::TemplatedTile;

  Definiteness definiteness() const override { return Definiteness::positive(); }
  void request(KernelPreparation& /*preparation*/) const override {}
  void complete(KernelPreparation& preparation) const override;
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override;
  void contract(TileContext<double>& /*context*/, ConstMatrixView<double> /*q*/,
                std::span<double> /*gradient*/) const override {}
  void contract_diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<const double> /*q*/,
                         std::span<double> /*gradient*/) const override {}
  bool has_input_derivatives() const override { return false; }

 protected:
  /// Φ of the target, a row per sample; checks the samples. Called once per sample set.
  virtual Matrix<double> features(const KernelPreparation& preparation) const = 0;
  /// R, given the features of the training samples; null: none. Its rows are as many as there are features.
  virtual std::shared_ptr<const Matrix<double>> rotation(ConstMatrixView<double> reference, const Run& run) const;

  /// What features() gave, after the rotation. For samples prepared in double precision.
  ConstMatrixView<double> kept_features(const Prepared& x) const;
  /// The training side, x itself where x is that; for nodes with depends_on_reference().
  const Prepared& reference_of(const Prepared& x) const;

 private:
  friend TemplatedTile;
  struct Slot {
    std::shared_ptr<const Prepared> reference;  // null unless the node depends on it and is not the training side
    Index feature_count = 0;
    std::shared_ptr<const Matrix<double>> rotation;
    Matrix<float> single;
    Matrix<double> full;
    std::vector<double> squared_lengths;

    template <class T>
    const Matrix<T>& of() const;
  };
  // Features of no columns become zeros, others must be as many as those of the training samples: DataError.
  void fit_columns(const Slot& reference, Matrix<double>& rows) const;
  template <class T>
  static void multiply(const Slot& x, IndexRange rows, const Slot& y, IndexRange columns, MatrixView<T> k);
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const;
};

}  // namespace mercer
