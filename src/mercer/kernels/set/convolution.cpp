#include "mercer/kernels/set/convolution.h"

#include <algorithm>
#include <cstdint>

#include "mercer/base/error.h"
#include "mercer/kernels/algebra.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/set/pair_sum_node.h"

namespace mercer {

namespace {

std::string part_name(std::size_t d) { return "part" + std::to_string(d); }

// Shared by a kernel and those made of it by other parameters.
struct ConvolutionRule {
  KernelEntry entry;
  Decomposer decompose;
  std::size_t parts = 0;
};

class ConvolutionNode final : public PairSumNode {
 public:
  ConvolutionNode(std::shared_ptr<const ConvolutionRule> rule, Kernel inner)
      : PairSumNode(
            rule->entry, {}, std::move(inner),
            "parts of " + rule->entry.name + " " + std::to_string(reinterpret_cast<std::uintptr_t>(rule.get()))),
        rule_(std::move(rule)) {}

  std::shared_ptr<const KernelNode> rebuilt(ParameterList /*parameters*/, std::vector<Kernel> children) const override {
    return std::make_shared<const ConvolutionNode>(rule_, children[0]);
  }
  Definiteness definiteness() const override {
    return child(0).definiteness().is_positive() ? Definiteness::positive() : Definiteness::indefinite();
  }

 protected:
  // The parts are columns of a table, so that the product of the k_d, each on its column, is a kernel like any other.
  SplitSamples split(const Samples& samples) const override {
    Decompositions found = rule_->decompose(samples);
    const Index ways = found.parts.empty() ? 0 : found.parts[0].size();
    if (found.parts.size() != rule_->parts) {
      refuse("have " + std::to_string(found.parts.size()) + " parts where the kernel compares " +
             std::to_string(rule_->parts));
    }
    if (static_cast<Index>(found.offsets.size()) != samples.size() + 1 || found.offsets.front() != 0 ||
        found.offsets.back() != ways || !std::is_sorted(found.offsets.begin(), found.offsets.end())) {
      refuse("need " + std::to_string(samples.size() + 1) + " offsets that ascend from 0 to their number, " +
             std::to_string(ways));
    }
    std::vector<Table::Column> columns;
    for (std::size_t d = 0; d < found.parts.size(); ++d) {
      columns.push_back({part_name(d), std::move(found.parts[d])});
    }
    Table table(Samples(DenseRows<double>{nullptr, ways, 0, 0, 1}), {}, std::move(columns));
    return {make_table(std::move(table)), std::move(found.offsets), std::vector<double>(ways, 1.0)};
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw InvalidArgument("convolution '" + entry().name + "': the decompositions " + message);
  }

  std::shared_ptr<const ConvolutionRule> rule_;
};

std::shared_ptr<const KernelNode> refuse_convolution_call(const KernelEntry& entry, ParameterList /*parameters*/,
                                                          std::vector<Kernel> /*children*/) {
  throw InvalidArgument("the kernel " + entry.name + " is a function of user code: it cannot be made from its name");
}

}  // namespace

Kernel convolution(const std::string& name, Decomposer decompose, const std::vector<Kernel>& part_kernels) {
  if (name.empty() || !decompose || part_kernels.empty()) {
    throw InvalidArgument("convolution: a name, a function and at least one kernel are needed");
  }
  std::vector<Kernel> factors;
  for (std::size_t d = 0; d < part_kernels.size(); ++d) {
    factors.push_back(on_columns(part_kernels[d], {{ColumnName{part_name(d)}}}));
  }
  const auto rule = std::make_shared<const ConvolutionRule>(
      ConvolutionRule{KernelEntry{.name = name,
                                  .formula = "sum over the decompositions of x and y of the products of part kernels",
                                  .summary = "a convolution by a relation of user code",
                                  .definiteness = "positive if the kernels on the parts are",
                                  .input = KernelInput::any,
                                  .fewest_children = 1,
                                  .most_children = 1,
                                  .make = refuse_convolution_call},
                      std::move(decompose), part_kernels.size()});
  return Kernel(std::make_shared<const ConvolutionNode>(rule, factors.size() == 1 ? factors[0] : product(factors)));
}

}  // namespace mercer
