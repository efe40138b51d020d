// KernelNode: what the author of a kernel writes. One node of the expression tree: a name, parameters, children, what
// is known of its definiteness, and how to fill a tile. Radial, dot-product and coordinate-wise kernels derive from the
// bases in radial/, dot/ and coordinate/ and write little more than a profile and its derivatives.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mercer/base/run.h"
#include "mercer/data/weighted_samples.h"
#include "mercer/kernels/kernel.h"
#include "mercer/kernels/spectrum.h"
#include "mercer/linalg/view.h"

namespace mercer {

struct KernelEntry;
class KernelPreparation;
class Prepared;
template <class T>
class TileContext;
struct PairDerivatives;

/// How tightly a printed spec binds; a child that binds less is put in parentheses.
enum class Binding { sum, product, power, primary };

class KernelNode {
 public:
  KernelNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children = {});
  virtual ~KernelNode() = default;
  KernelNode(const KernelNode&) = delete;
  KernelNode& operator=(const KernelNode&) = delete;
  KernelNode(KernelNode&&) = delete;
  KernelNode& operator=(KernelNode&&) = delete;

  const KernelEntry& entry() const { return *entry_; }
  const ParameterList& parameters() const { return parameters_; }
  std::span<const Kernel> children() const { return children_; }
  const KernelNode& child(std::size_t i) const { return children_[i].node(); }
  /// Continuous parameters of this subtree = length of its gradient.
  Index scale_count() const { return scale_count_; }

  /// A node of the same kind with other parameters and children.
  virtual std::shared_ptr<const KernelNode> rebuilt(ParameterList parameters, std::vector<Kernel> children) const;
  /// Text as in a spec; composite nodes override it to print infix, and then say how tightly that binds.
  virtual std::string spec() const;
  virtual Binding binding() const { return Binding::primary; }

  virtual Definiteness definiteness() const = 0;
  /// The same node with every symbolic width in its subtree replaced by a number from `all`, the samples of its
  /// scope.
  virtual std::shared_ptr<const KernelNode> resolved(const WeightedSamples& all, const Run& run) const;

  /// Whether values depend on the reference samples as a set (center), not only on the pair: then no reference sample
  /// may be dropped. Default: whether a child does.
  virtual bool depends_on_reference() const;

  /// Whether values depend on which samples the rows are (white noise, rows of a given matrix, nodes of a graph), so that
  /// rows with equal values may differ. Default: whether a child's do.
  virtual bool depends_on_identity() const;

  /// Whether one pair may take long (alignments, walks, matchings): Gram matrices are then cut into smaller tiles, so that
  /// all threads have work and a stop is noticed. Default: whether a child's does.
  virtual bool has_costly_pairs() const;

  /// Whether tiles of doubles can be had from samples prepared for single precision, because values are computed in
  /// double anyhow (strings, graphs, sets): normalize() then divides before it rounds, and neither overflows nor
  /// underflows. Default: whether there are children and all can.
  virtual bool computes_in_double() const;

  // ---- KernelPreparation: once per sample set ---------------------------------------------------------------------
  /// Says which views of the samples the tiles will need (geometries, scopes) and checks the domain. The default asks
  /// the children.
  virtual void request(KernelPreparation& preparation) const;
  /// Called when all views stand: computes what needs kernel values (row means, norms). Default: the children.
  virtual void complete(KernelPreparation& preparation) const;

  // ---- Evaluation -------------------------------------------------------------------------------------------
  /// Writes k(x_i, y_j) for the context's rows and columns.
  virtual void tile(TileContext<float>& context, MatrixView<float> k) const = 0;
  virtual void tile(TileContext<double>& context, MatrixView<double> k) const = 0;
  /// Writes k(x_i, x_i) for i in `range`, in double.
  virtual void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const = 0;

  // ---- Derivatives (double only) ----------------------------------------------------------------------------
  /// gradient[p] += Σ_ij q_ij ∂k(x_i, y_j)/∂θ_p for the scale_count() parameters of this subtree.
  virtual void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const = 0;
  /// gradient[p] += Σ_i q_i ∂k(x_i, x_i)/∂θ_p.
  virtual void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                                 std::span<double> gradient) const = 0;
  /// Whether the kernel can be differentiated by its inputs (everywhere but on a null set).
  virtual bool has_input_derivatives() const = 0;
  /// dx(i, :) += Σ_j q_ij ∂k(x_i, y_j)/∂x_i over the columns of the samples in this scope. Throws InvalidArgument
  /// where there are no input derivatives. x and y are taken as different points, also on the diagonal.
  virtual void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const;
  /// Value, first derivatives by both inputs and the mixed second derivative for one pair (row 0, column 0 of a 1×1
  /// context). The default throws.
  virtual void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const;

  // ---- Random features --------------------------------------------------------------------------------------
  /// Draws from the normalised spectral density in `dimension` dimensions, where the kernel has one.
  virtual std::optional<SpectralSampler> spectral_sampler(Index dimension) const;

 private:
  const KernelEntry* entry_;
  ParameterList parameters_;
  std::vector<Kernel> children_;
  Index scale_count_ = 0;
};

/// k(x, y), ∂k/∂x, ∂k/∂y (length d) and ∂²k/∂x∂y (d × d, row-major, entry (a, b) = ∂²k/∂x_a ∂y_b).
struct PairDerivatives {
  explicit PairDerivatives(Index dimension);
  Index dimension;
  double value = 0;
  std::vector<double> dx;
  std::vector<double> dy;
  std::vector<double> mixed;
};

/// Reports that a kernel has no derivative by its inputs, naming it.
[[noreturn]] void no_input_derivatives(const KernelNode& node);

}  // namespace mercer
