#include "mercer/kernels/algebra/sum.h"

#include "mercer/kernels/nodes/composite_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

class SumNode final : public TemplatedTile<SumNode> {
 public:
  using TemplatedTile::TemplatedTile;

  std::string spec() const override {
    std::string text;
    for (std::size_t c = 0; c < children().size(); ++c) {
      text += (c == 0 ? "" : " + ") + print_child(child(c), Binding::product);
    }
    return text;
  }

  Binding binding() const override { return Binding::sum; }

  Definiteness definiteness() const override {
    Definiteness total = child(0).definiteness();
    for (std::size_t c = 1; c < children().size(); ++c) {
      total = definiteness_of_sum(total, child(c).definiteness());
    }
    return total;
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    child(0).diagonal(x, range, k);
    std::vector<double> term(k.size());
    for (std::size_t c = 1; c < children().size(); ++c) {
      child(c).diagonal(x, range, term);
      for (std::size_t i = 0; i < k.size(); ++i) {
        k[i] += term[i];
      }
    }
  }
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    for (std::size_t c = 0; c < children().size(); ++c) {
      child(c).contract(context, q, child_gradient(*this, c, gradient));
    }
  }
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override {
    for (std::size_t c = 0; c < children().size(); ++c) {
      child(c).contract_diagonal(x, range, q, child_gradient(*this, c, gradient));
    }
  }

  bool has_input_derivatives() const override { return children_have_input_derivatives(*this); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override {
    for (const Kernel& term : children()) {
      term.node().contract_inputs(context, q, dx);
    }
  }
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    for (const Kernel& term : children()) {
      PairDerivatives part(out.dimension);
      term.node().pair_derivatives(context, part);
      out.value += part.value;
      for (std::size_t a = 0; a < out.dx.size(); ++a) {
        out.dx[a] += part.dx[a];
        out.dy[a] += part.dy[a];
      }
      for (std::size_t a = 0; a < out.mixed.size(); ++a) {
        out.mixed[a] += part.mixed[a];
      }
    }
  }

 private:
  friend TemplatedTile;

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    child(0).tile(context, k);
    ScratchMatrix<T> block = context.scratch();
    const MatrixView<T> term = block.view();
    for (std::size_t c = 1; c < children().size(); ++c) {
      child(c).tile(context, term);
      for (Index i = 0; i < k.rows(); ++i) {
        for (Index j = 0; j < k.columns(); ++j) {
          k(i, j) += term(i, j);
        }
      }
    }
  }
};

}  // namespace

const KernelEntry& sum_entry() {
  static const KernelEntry entry{
      .name = "sum",
      .formula = "k1(x,y) + k2(x,y) + ...",
      .summary = "sum of kernels, written k1 + k2",
      .definiteness = "positive if all are; conditional orders by their maximum",
      .input = KernelInput::any,
      .fewest_children = 1,
      .most_children = 1000,
      .make = make_node<SumNode>,
      .examples = {"rbf(gamma=0.5) + linear()",
                   "rbf(gamma=0.5) + 2*poly(degree=2, gamma=0.5) + matern(nu=1.5, lengthscale=1.5)"}};
  return entry;
}

}  // namespace mercer
