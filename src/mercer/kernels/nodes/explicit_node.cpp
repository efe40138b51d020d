#include "mercer/kernels/nodes/explicit_node.h"

#include "mercer/kernels/narrowed.h"

namespace mercer {

void ExplicitNode::request(KernelPreparation& /*preparation*/) const {}

void ExplicitNode::complete(KernelPreparation& preparation) const {
  const Samples& samples = preparation.target().samples();
  check(samples);
  auto features = std::make_shared<Features>();
  if (learns()) {
    features->learned = preparation.reference() ? preparation.reference()->slot<Features>(*this).learned
                                                : learn(samples, preparation.run());
  }
  features->rows = KeyedRows(
      samples.size(), [&](Index i, FeatureList& out) { append_features(samples, i, features->learned.get(), out); },
      preparation.run());
  preparation.keep(*this, features);
}

std::shared_ptr<const void> ExplicitNode::learn(const Samples& /*reference*/, const Run& /*run*/) const {
  return nullptr;
}

std::string ExplicitNode::feature_name(const Samples& /*samples*/, Index /*i*/, std::uint64_t key) const {
  constexpr char digits[] = "0123456789abcdef";
  std::string name;
  for (int shift = 60; shift >= 0; shift -= 4) {
    name += digits[(key >> shift) & 15U];
  }
  return name;
}

template <class T>
void ExplicitNode::fill(TileContext<T>& context, MatrixView<T> k) const {
  const KeyedRows& x = context.x().template slot<Features>(*this).rows;
  const KeyedRows& y = context.y().template slot<Features>(*this).rows;
  if constexpr (std::is_same_v<T, double>) {
    KeyedRows::inner_products(x, context.rows(), y, context.columns(), k);
  } else {
    ScratchMatrix<double> block(context.workspace(), k.rows(), k.columns());
    const MatrixView<double> sums = block.view();
    KeyedRows::inner_products(x, context.rows(), y, context.columns(), sums);
    for (Index i = 0; i < k.rows(); ++i) {
      for (Index j = 0; j < k.columns(); ++j) {
        k(i, j) = narrowed<T>(sums(i, j), *this, context.rows().begin + i, context.columns().begin + j);
      }
    }
  }
}

template void ExplicitNode::fill<float>(TileContext<float>& context, MatrixView<float> k) const;
template void ExplicitNode::fill<double>(TileContext<double>& context, MatrixView<double> k) const;

void ExplicitNode::diagonal(const Prepared& x, IndexRange range, std::span<double> k) const {
  const KeyedRows& rows = x.slot<Features>(*this).rows;
  for (Index i = 0; i < range.size(); ++i) {
    k[i] = rows.squared_length(range.begin + i);
  }
}

// Parameters of these kernels are counts, orders and fixed weights: none has a gradient.
void ExplicitNode::contract(TileContext<double>& /*context*/, ConstMatrixView<double> /*q*/,
                            std::span<double> /*gradient*/) const {}
void ExplicitNode::contract_diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<const double> /*q*/,
                                     std::span<double> /*gradient*/) const {}

}  // namespace mercer
