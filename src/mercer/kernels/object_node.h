// ObjectNode: kernels that are computed pair by pair on samples that are no vectors (alignments, subsequences, trees,
// random walks). The author writes how one sample set is encoded once, and k for one pair of encoded samples.
#pragma once

#include <memory>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/kernels/algebra/composite_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

/// `Encoded` is a whole sample set in the form that value() wants.
template <class Encoded>
class ObjectNode : public TemplatedTile<ObjectNode<Encoded>> {
  using Base = TemplatedTile<ObjectNode<Encoded>>;

 public:
  using Base::Base;

  void request(Preparation& /*preparation*/) const override {}
  void complete(Preparation& preparation) const override {
    const Encoded* reference =
        preparation.reference() ? &preparation.reference()->template slot<Encoded>(*this) : nullptr;
    preparation.keep(
        *this, std::make_shared<const Encoded>(encode(preparation.target().samples(), reference, preparation.run())));
  }
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    const Encoded& samples = x.slot<Encoded>(*this);
    for (Index i = 0; i < range.size(); ++i) {
      k[static_cast<std::size_t>(i)] = self_value(samples, range.begin + i);
    }
  }
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    if (this->scale_count() == 0) {
      return;
    }
    const Encoded& x = context.x().template slot<Encoded>(*this);
    const Encoded& y = context.y().template slot<Encoded>(*this);
    for (Index i = 0; i < q.rows(); ++i) {
      for (Index j = 0; j < q.columns(); ++j) {
        add_slopes(x, context.rows().begin + i, y, context.columns().begin + j, q(i, j), gradient);
      }
    }
  }
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override {
    if (this->scale_count() == 0) {
      return;
    }
    const Encoded& samples = x.slot<Encoded>(*this);
    for (Index i = 0; i < range.size(); ++i) {
      add_slopes(samples, range.begin + i, samples, range.begin + i, q[static_cast<std::size_t>(i)], gradient);
    }
  }
  bool has_input_derivatives() const override { return false; }
  bool has_costly_pairs() const override { return true; }

 protected:
  /// Checks the samples (InvalidArgument, DataError) and brings them into the form that value() wants. `reference` is
  /// the encoded training side, null while that is made.
  virtual Encoded encode(const Samples& samples, const Encoded* reference, const Run& run) const = 0;
  /// k(x_i, y_j); called from several threads at once.
  virtual double value(const Encoded& x, Index i, const Encoded& y, Index j) const = 0;
  virtual double self_value(const Encoded& x, Index i) const { return value(x, i, x, i); }
  /// gradient[p] += q ∂k(x_i, y_j)/∂θ_p for parameters of role `scale`.
  virtual void add_slopes(const Encoded& /*x*/, Index /*i*/, const Encoded& /*y*/, Index /*j*/, double /*q*/,
                          std::span<double> /*gradient*/) const {
    throw NumericalError("kernel " + this->entry().name + " does not differentiate its parameters");
  }

 private:
  friend Base;
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    const Encoded& x = context.x().template slot<Encoded>(*this);
    const Encoded& y = context.y().template slot<Encoded>(*this);
    // A tile on the diagonal of a Gram matrix needs only one of each two pairs.
    const bool symmetric =
        &x == &y && context.rows().begin == context.columns().begin && context.row_count() == context.column_count();
    for (Index i = 0; i < context.row_count(); ++i) {
      for (Index j = symmetric ? i : 0; j < context.column_count(); ++j) {
        k(i, j) = static_cast<T>(value(x, context.rows().begin + i, y, context.columns().begin + j));
        if (symmetric) {
          k(j, i) = k(i, j);
        }
      }
    }
  }
};

}  // namespace mercer
