// Operators of the kernel language as nodes: sum, product, scale, power, column subscript. Each fills a tile from its
// children's tiles and passes contractions down by the chain rule, tile by tile; nothing of size n × n × parameters
// ever exists.
#pragma once

#include "mercer/data/columns.h"
#include "mercer/kernels/kernel_node.h"
#include "mercer/kernels/tile.h"

namespace mercer {

/// The child's spec, in parentheses where it binds less than `needed`.
std::string print_child(const KernelNode& child, Binding needed);

/// Turns the two tile() overloads into one template member fill<T>.
template <class Derived>
class TemplatedTile : public KernelNode {
 public:
  using KernelNode::KernelNode;
  void tile(TileContext<float>& context, MatrixView<float> k) const override { self().fill(context, k); }
  void tile(TileContext<double>& context, MatrixView<double> k) const override { self().fill(context, k); }

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

/// f_1(x, y), … of the children in the order of gradients: the part of `gradient` that belongs to child c.
std::span<double> child_gradient(const KernelNode& node, std::size_t c, std::span<double> gradient);

bool children_have_input_derivatives(const KernelNode& node);

}  // namespace mercer
