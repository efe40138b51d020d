#include "mercer/kernels/coordinate/constant.h"

#include "mercer/kernels/nodes/column_parameter.h"
#include "mercer/kernels/nodes/composite_node.h"
#include "mercer/kernels/registry.h"

namespace mercer {

namespace {

// Derivatives by the inputs are 0.
template <class Derived>
class InputFreeNode : public TemplatedTile<Derived> {
 public:
  InputFreeNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children,
                std::string_view parameter)
      : TemplatedTile<Derived>(entry, std::move(parameters), std::move(children)),
        height_(number_or(this->parameters(), parameter, 1)) {}

  void request(KernelPreparation& /*preparation*/) const override {}
  void complete(KernelPreparation& /*preparation*/) const override {}
  void diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<double> k) const override {
    std::fill(k.begin(), k.end(), height_);
  }
  void contract_diagonal(const Prepared& /*x*/, IndexRange /*range*/, std::span<const double> q,
                         std::span<double> gradient) const override {
    for (const double weight : q) {
      gradient[0] += weight;
    }
  }
  bool has_input_derivatives() const override { return true; }
  void contract_inputs(TileContext<double>& /*context*/, ConstMatrixView<double> /*q*/,
                       MatrixView<double> /*dx*/) const override {}
  void pair_derivatives(TileContext<double>& context, PairDerivatives& out) const override {
    double value[1];
    this->tile(context, MatrixView<double>(value, 1, 1));
    out.value = value[0];
  }

 protected:
  double height() const { return height_; }

 private:
  double height_;
};

class ConstantNode final : public InputFreeNode<ConstantNode> {
 public:
  ConstantNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : InputFreeNode(entry, std::move(parameters), std::move(children), "value") {}

  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    result.constant = true;
    return result;
  }
  void contract(TileContext<double>& /*context*/, ConstMatrixView<double> q,
                std::span<double> gradient) const override {
    for (Index i = 0; i < q.rows(); ++i) {
      for (Index j = 0; j < q.columns(); ++j) {
        gradient[0] += q(i, j);
      }
    }
  }
  // All of the spectrum is at frequency 0.
  std::optional<SpectralSampler> spectral_sampler(Index /*dimension*/) const override {
    return SpectralSampler{height(), [](RandomStream& /*random*/, std::span<double> frequency) {
                             std::fill(frequency.begin(), frequency.end(), 0.0);
                           }};
  }

 private:
  friend TemplatedTile;
  template <class T>
  void fill(TileContext<T>& /*context*/, MatrixView<T> k) const {
    for (Index i = 0; i < k.rows(); ++i) {
      std::fill_n(k.row_data(i), k.columns(), static_cast<T>(height()));
    }
  }
};

class WhiteNode final : public InputFreeNode<WhiteNode> {
 public:
  WhiteNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : InputFreeNode(entry, std::move(parameters), std::move(children), "variance") {}

  Definiteness definiteness() const override {
    Definiteness result;
    result.infinitely_divisible = true;
    return result;
  }
  bool depends_on_identity() const override { return true; }
  void contract(TileContext<double>& context, ConstMatrixView<double> q, std::span<double> gradient) const override {
    context.for_same_samples([&](Index i, Index j) { gradient[0] += q(i, j); });
  }

 private:
  friend TemplatedTile;
  template <class T>
  void fill(TileContext<T>& context, MatrixView<T> k) const {
    for (Index i = 0; i < k.rows(); ++i) {
      std::fill_n(k.row_data(i), k.columns(), T(0));
    }
    context.for_same_samples([&](Index i, Index j) { k(i, j) = static_cast<T>(height()); });
  }
};

}  // namespace

const KernelEntry& constant_entry() {
  static const KernelEntry entry{.name = "constant",
                                 .aliases = {"bias"},
                                 .formula = "value",
                                 .summary = "the same number for every pair: an offset",
                                 .definiteness = "positive definite",
                                 .input = KernelInput::any,
                                 .parameters = {{.name = "value",
                                                 .aliases = {"constant_value"},
                                                 .constraint = Constraint::nonnegative,
                                                 .default_text = "1",
                                                 .meaning = "the number"}},
                                 .make = make_node<ConstantNode>,
                                 .examples = {"constant(value=0.7)", "constant() + linear()"}};
  return entry;
}

const KernelEntry& white_entry() {
  static const KernelEntry entry{.name = "white",
                                 .aliases = {"noise"},
                                 .formula = "variance for the same sample, else 0",
                                 .summary = "independent noise; 0 between training and test samples",
                                 .definiteness = "positive definite",
                                 .input = KernelInput::any,
                                 .parameters = {{.name = "variance",
                                                 .aliases = {"noise_level", "noise"},
                                                 .constraint = Constraint::nonnegative,
                                                 .default_text = "1",
                                                 .meaning = "variance of the noise"}},
                                 .make = make_node<WhiteNode>,
                                 .examples = {"white(variance=0.3)", "rbf(gamma=0.5) + white(variance=0.1)"}};
  return entry;
}

bool looks_at_no_column(const Kernel& kernel) {
  const KernelEntry* const entry = &kernel.node().entry();
  return entry == &constant_entry() || entry == &white_entry();
}

}  // namespace mercer
