#include "mercer/kernels/set/parts_node.h"

#include <optional>

#include "mercer/data/columns.h"
#include "mercer/kernels/registry.h"

namespace mercer {

Kernel point_kernel(const std::vector<Kernel>& children) { return children.empty() ? make_kernel("rbf") : children[0]; }

PartsNode::PartsNode(const KernelEntry& entry, ParameterList parameters, Kernel inner, std::string scope)
    : TemplatedTile(entry, std::move(parameters), {std::move(inner)}), scope_(std::move(scope)) {}

Index PartsNode::Owners::owner(Index part) const {
  // A sample without parts shares its offset with the next one: the last that begins here or before owns the part.
  return std::upper_bound(offsets.begin(), offsets.end(), part) - offsets.begin() - 1;
}

std::shared_ptr<const KernelNode> PartsNode::resolved(const WeightedSamples& all, const Run& run) const {
  const SplitSamples parts = split(default_columns(all.samples));
  const std::vector<double> weights = repeated_weights(all.weights, parts.offsets);
  return rebuilt(parameters(), {Kernel(child(0).resolved({parts.parts, weights}, run))});
}

void PartsNode::request(KernelPreparation& preparation) const {
  std::optional<SplitSamples> done;
  KernelPreparation inner = preparation.enter(scope_, [&](const Samples& all) {
    done = split(default_columns(all));
    // No parts at all: then of the kind and dimension of the training parts.
    const bool nothing = done->parts.size() == 0 && preparation.reference();
    return nothing ? preparation.reference()->scope(scope_).all().slice({0, 0}) : done->parts;
  });
  if (!done) {
    done = split(preparation.target().samples());
  }
  auto owners = std::make_shared<Owners>();
  owners->parts = &inner.target();
  owners->offsets = std::move(done->offsets);
  owners->coefficients = std::move(done->coefficients);
  owners->run = preparation.run().stop_only();
  preparation.keep(*this, owners);
  child(0).request(inner);
}

void PartsNode::complete(KernelPreparation& preparation) const {
  // The scope stands since request().
  KernelPreparation inner = preparation.enter(scope_, [](const Samples& all) { return all; });
  child(0).complete(inner);
}

template <class T>
void PartsNode::fill(TileContext<T>& context, MatrixView<T> k) const {
  ScratchMatrix<double> block(context.workspace(), k.rows(), k.columns());
  const MatrixView<double> out = block.view();
  values(context.x().template slot<Owners>(*this), context.rows(), context.y().template slot<Owners>(*this),
         context.columns(), context.workspace(), precision_of<T>, out);
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.columns(); ++j) {
      k(i, j) = static_cast<T>(out(i, j));
    }
  }
}

template void PartsNode::fill<float>(TileContext<float>& context, MatrixView<float> k) const;
template void PartsNode::fill<double>(TileContext<double>& context, MatrixView<double> k) const;

void PartsNode::diagonal(const Prepared& x, IndexRange range, std::span<double> k) const {
  const Owners& owners = x.slot<Owners>(*this);
  Workspace workspace;
  for (Index i = 0; i < range.size(); ++i) {
    const IndexRange one{range.begin + i, range.begin + i + 1};
    values(owners, one, owners, one, workspace, x.precision(), MatrixView<double>(&k[i], 1, 1));
  }
}

void PartsNode::contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const {
  if (scale_count() > 0) {
    add_gradient(context.x().slot<Owners>(*this), context.rows(), context.y().slot<Owners>(*this), context.columns(), q,
                 context.workspace(), gradient);
  }
}

void PartsNode::contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                                  std::span<double> gradient) const {
  if (scale_count() == 0) {
    return;
  }
  const Owners& owners = x.slot<Owners>(*this);
  Workspace workspace;
  for (Index i = 0; i < range.size(); ++i) {
    const IndexRange one{range.begin + i, range.begin + i + 1};
    add_gradient(owners, one, owners, one, ConstMatrixView<double>(&q[i], 1, 1), workspace, gradient);
  }
}

}  // namespace mercer
