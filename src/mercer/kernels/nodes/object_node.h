// ObjectNode: kernels that are computed pair by pair on samples that are no vectors (alignments, subsequences, trees,
// random walks). The author writes how one sample set is encoded once, and k for one pair of encoded samples.
#pragma once

#include <memory>
#include <vector>

#include "mercer/base/error.h"
#include "mercer/base/run.h"
#include "mercer/kernels/narrowed.h"
#include "mercer/kernels/nodes/composite_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

/// `Encoded` is a whole sample set in the form that value() wants.
template <class Encoded>
class ObjectNode : public TemplatedTile<ObjectNode<Encoded>> {
  using Base = TemplatedTile<ObjectNode<Encoded>>;

 public:
  using Base::Base;

  void request(KernelPreparation& /*preparation*/) const override {}
  void complete(KernelPreparation& preparation) const override {
    const Encoded* reference =
        preparation.reference() ? &preparation.reference()->template slot<Kept>(*this).samples : nullptr;
    preparation.keep(
        *this, std::make_shared<const Kept>(Kept{encode(preparation.target().samples(), reference, preparation.run()),
                                                 preparation.run().stop_only()}));
  }
  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    const Kept& kept = x.slot<Kept>(*this);
    for (Index i = 0; i < range.size(); ++i) {
      kept.stop.check_stop();
      k[i] = self_value(kept.samples, range.begin + i);
    }
  }
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    if (this->scale_count() == 0) {
      return;
    }
    const auto& [x, stop] = context.x().template slot<Kept>(*this);
    const Encoded& y = context.y().template slot<Kept>(*this).samples;
    for (Index i = 0; i < q.rows(); ++i) {
      for (Index j = 0; j < q.columns(); ++j) {
        stop.check_stop();
        add_slopes(x, context.rows().begin + i, y, context.columns().begin + j, q(i, j), gradient);
      }
    }
  }
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override {
    if (this->scale_count() == 0) {
      return;
    }
    const auto& [samples, stop] = x.slot<Kept>(*this);
    for (Index i = 0; i < range.size(); ++i) {
      stop.check_stop();
      add_slopes(samples, range.begin + i, samples, range.begin + i, q[i], gradient);
    }
  }
  bool has_input_derivatives() const override { return false; }
  bool has_costly_pairs() const override { return true; }
  bool computes_in_double() const override { return true; }

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
  // One sample set, and whether to go on: pairs may take long.
  struct Kept {
    Encoded samples;
    Run stop;
  };
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    const auto& [x, stop] = context.x().template slot<Kept>(*this);
    const Encoded& y = context.y().template slot<Kept>(*this).samples;
    // A tile on the diagonal of a Gram matrix needs only one of each two pairs.
    const bool symmetric =
        &x == &y && context.rows().begin == context.columns().begin && context.row_count() == context.column_count();
    for (Index i = 0; i < context.row_count(); ++i) {
      for (Index j = symmetric ? i : 0; j < context.column_count(); ++j) {
        stop.check_stop();
        const Index row = context.rows().begin + i;
        const Index column = context.columns().begin + j;
        k(i, j) = narrowed<T>(value(x, row, y, column), *this, row, column);
        if (symmetric) {
          k(j, i) = k(i, j);
        }
      }
    }
  }
};

}  // namespace mercer
