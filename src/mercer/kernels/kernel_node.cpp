#include "mercer/kernels/kernel_node.h"

#include <algorithm>
#include <cmath>

#include "mercer/base/error.h"
#include "mercer/data/columns.h"
#include "mercer/kernels/prepared.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/widths.h"

namespace mercer {

KernelNode::KernelNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
    : entry_(&entry), parameters_(std::move(parameters)), children_(std::move(children)) {
  scale_count_ = parameters_.scale_count();
  for (const Kernel& child : children_) {
    scale_count_ += child.node().scale_count();
  }
}

std::shared_ptr<const KernelNode> KernelNode::rebuilt(ParameterList parameters, std::vector<Kernel> children) const {
  return entry_->make(*entry_, std::move(parameters), std::move(children));
}

std::string KernelNode::spec() const {
  std::string text = entry_->name + "(";
  std::string separator;
  for (const Kernel& child : children_) {
    text += separator + child.spec();
    separator = ", ";
  }
  for (const Parameter& parameter : parameters_.all()) {
    text += separator + parameter.spec->name + "=" + to_string(parameter.value);
    separator = ", ";
  }
  return text + ")";
}

std::shared_ptr<const KernelNode> KernelNode::resolved(const WeightedSamples& all, const Run& run) const {
  ParameterList parameters = parameters_;
  for (const Parameter& parameter : parameters_.all()) {
    if (parameter.value.width == WidthRule::none) {
      continue;
    }
    ParameterValue number = parameter.value;
    number.width = WidthRule::none;
    if (parameter.value.width == WidthRule::per_column) {
      number.numbers = column_lengthscales(all.with(default_columns(all.samples)), run);
      number.is_list = true;
    } else {
      const double gamma = width_gamma(parameter.value.width, all.with(default_columns(all.samples)), run);
      number.numbers = {parameter.spec->name == "lengthscale" ? 1 / std::sqrt(2 * gamma) : gamma};
    }
    for (double& width : number.numbers) {
      width = number.bounds ? std::clamp(width, number.bounds->lower, number.bounds->upper) : width;
    }
    parameters = parameters.with(parameter.spec->name, number);
  }
  std::vector<Kernel> children;
  for (const Kernel& child : children_) {
    children.emplace_back(child.node().resolved(all, run));
  }
  return rebuilt(std::move(parameters), std::move(children));
}

bool KernelNode::has_costly_pairs() const {
  return std::any_of(children_.begin(), children_.end(),
                     [](const Kernel& child) { return child.node().has_costly_pairs(); });
}

bool KernelNode::computes_in_double() const {
  return !children_.empty() && std::all_of(children_.begin(), children_.end(),
                                           [](const Kernel& child) { return child.node().computes_in_double(); });
}

bool KernelNode::depends_on_identity() const {
  return std::any_of(children_.begin(), children_.end(),
                     [](const Kernel& child) { return child.node().depends_on_identity(); });
}

bool KernelNode::depends_on_reference() const {
  return std::any_of(children_.begin(), children_.end(),
                     [](const Kernel& child) { return child.node().depends_on_reference(); });
}

void KernelNode::request(KernelPreparation& preparation) const {
  for (const Kernel& child : children_) {
    child.node().request(preparation);
  }
}

void KernelNode::complete(KernelPreparation& preparation) const {
  for (const Kernel& child : children_) {
    child.node().complete(preparation);
  }
}

void KernelNode::contract_inputs(TileContext<double>& /*context*/, ConstMatrixView<double> /*q*/,
                                 MatrixView<double> /*dx*/) const {
  no_input_derivatives(*this);
}

void KernelNode::pair_derivatives(TileContext<double>& /*context*/, PairDerivatives& /*out*/) const {
  no_input_derivatives(*this);
}

std::optional<SpectralSampler> KernelNode::spectral_sampler(Index /*dimension*/) const { return std::nullopt; }

PairDerivatives::PairDerivatives(Index size)
    : dimension(size),
      dx(static_cast<std::size_t>(size)),
      dy(static_cast<std::size_t>(size)),
      mixed(static_cast<std::size_t>(size * size)) {}

void no_input_derivatives(const KernelNode& node) {
  throw InvalidArgument("the kernel " + node.spec() + " has no derivative with respect to its inputs");
}

}  // namespace mercer
