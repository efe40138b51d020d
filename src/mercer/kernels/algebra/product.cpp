#include "mercer/kernels/algebra/product.h"

#include "mercer/kernels/nodes/composite_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

template <class T>
void multiply_into(ConstMatrixView<T> factor, MatrixView<T> k) {
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.columns(); ++j) {
      k(i, j) *= factor(i, j);
    }
  }
}

class ProductNode final : public TemplatedTile<ProductNode> {
 public:
  using TemplatedTile::TemplatedTile;

  std::string spec() const override {
    std::string text;
    for (std::size_t c = 0; c < children().size(); ++c) {
      text += (c == 0 ? "" : " * ") + print_child(child(c), Binding::power);
    }
    return text;
  }

  Binding binding() const override { return Binding::product; }

  Definiteness definiteness() const override {
    Definiteness total = child(0).definiteness();
    for (std::size_t c = 1; c < children().size(); ++c) {
      total = definiteness_of_product(total, child(c).definiteness());
    }
    return total;
  }

  void diagonal(const Prepared& x, IndexRange range, std::span<double> k) const override {
    child(0).diagonal(x, range, k);
    std::vector<double> factor(k.size());
    for (std::size_t c = 1; c < children().size(); ++c) {
      child(c).diagonal(x, range, factor);
      for (std::size_t i = 0; i < k.size(); ++i) {
        k[i] *= factor[i];
      }
    }
  }
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    ScratchMatrix<double> rest = context.scratch();
    for (std::size_t c = 0; c < children().size(); ++c) {
      if (child(c).scale_count() > 0) {
        others(context, c, q, rest.view());
        child(c).contract(context, rest.view(), child_gradient(*this, c, gradient));
      }
    }
  }
  void contract_diagonal(const Prepared& x, IndexRange range, std::span<const double> q,
                         std::span<double> gradient) const override {
    std::vector<double> factor(q.size());
    for (std::size_t c = 0; c < children().size(); ++c) {
      std::vector<double> rest(q.begin(), q.end());
      for (std::size_t e = 0; e < children().size(); ++e) {
        if (e == c) {
          continue;
        }
        child(e).diagonal(x, range, factor);
        for (std::size_t i = 0; i < rest.size(); ++i) {
          rest[i] *= factor[i];
        }
      }
      child(c).contract_diagonal(x, range, rest, child_gradient(*this, c, gradient));
    }
  }

  bool has_input_derivatives() const override { return children_have_input_derivatives(*this); }
  void contract_inputs(TileContext<double>& context, ConstMatrixView<double> q, MatrixView<double> dx) const override {
    ScratchMatrix<double> rest = context.scratch();
    for (std::size_t c = 0; c < children().size(); ++c) {
      others(context, c, q, rest.view());
      child(c).contract_inputs(context, rest.view(), dx);
    }
  }
  // (fg)_xy = f g_xy + f_x g_yᵀ + g_x f_yᵀ + g f_xy, factor by factor.
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    out.value = 1;
    const std::size_t d = out.dx.size();
    for (const Kernel& factor : children()) {
      PairDerivatives g(out.dimension);
      factor.node().pair_derivatives(context, g);
      for (std::size_t a = 0; a < d; ++a) {
        for (std::size_t b = 0; b < d; ++b) {
          double& mixed = out.mixed[a * d + b];
          mixed = out.value * g.mixed[a * d + b] + out.dx[a] * g.dy[b] + g.dx[a] * out.dy[b] + g.value * mixed;
        }
      }
      for (std::size_t a = 0; a < d; ++a) {
        out.dx[a] = out.value * g.dx[a] + g.value * out.dx[a];
        out.dy[a] = out.value * g.dy[a] + g.value * out.dy[a];
      }
      out.value *= g.value;
    }
  }

 private:
  friend TemplatedTile;

  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    child(0).tile(context, k);
    ScratchMatrix<T> block = context.scratch();
    for (std::size_t c = 1; c < children().size(); ++c) {
      child(c).tile(context, block.view());
      multiply_into<T>(block.view(), k);
    }
  }

  // rest = q ∘ Π_{e≠c} k_e
  void others(TileContext<double>& context, std::size_t c, ConstMatrixView<double> q, MatrixView<double> rest) const {
    for (Index i = 0; i < q.rows(); ++i) {
      std::copy_n(q.row_data(i), q.columns(), rest.row_data(i));
    }
    ScratchMatrix<double> block = context.scratch();
    for (std::size_t e = 0; e < children().size(); ++e) {
      if (e != c) {
        child(e).tile(context, block.view());
        multiply_into<double>(block.view(), rest);
      }
    }
  }
};

}  // namespace

const KernelEntry& product_entry() {
  static const KernelEntry entry{.name = "product",
                                 .formula = "k1(x,y) * k2(x,y) * ...",
                                 .summary = "product of kernels, written k1 * k2",
                                 .definiteness = "positive if all are, otherwise unknown",
                                 .input = KernelInput::any,
                                 .fewest_children = 1,
                                 .most_children = 1000,
                                 .make = make_node<ProductNode>,
                                 .examples = {"rbf(gamma=0.5) * poly(degree=2, gamma=0.5)",
                                              "linear() * rbf(lengthscale=2) * (0.5*linear() + constant(value=2))"}};
  return entry;
}

}  // namespace mercer
