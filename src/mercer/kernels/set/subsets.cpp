#include "mercer/kernels/set/subsets.h"

#include <cmath>
#include <limits>
#include <string>

#include "mercer/base/error.h"
#include "mercer/kernels/registry.h"
#include "mercer/kernels/set/overlap_node.h"

namespace mercer {

namespace {

class SubsetsNode final : public OverlapNode {
 public:
  SubsetsNode(const KernelEntry& entry, ParameterList parameters, std::vector<Kernel> children)
      : OverlapNode(entry, std::move(parameters), std::move(children)),
        base_(this->parameters().number_or("base", 2)),
        normalized_(this->parameters().word("form") == "normalized") {
    if (base_ < 1) {
      throw InvalidArgument("subsets: base = " + to_string(ParameterValue::number(base_)) +
                            ": must be at least 1, or the kernel is not positive");
    }
  }

  Definiteness definiteness() const override {
    Definiteness definiteness = Definiteness::positive();
    definiteness.infinitely_divisible = true;
    return definiteness;
  }

 protected:
  bool takes_vectors() const override { return false; }
  void profile(std::span<double> s, double a, const double* b) const override {
    for (std::size_t j = 0; j < s.size(); ++j) {
      s[j] = std::pow(base_, normalized_ ? s[j] - (a + b[j]) / 2 : s[j]);
    }
  }
  void check_sizes(double largest, Precision precision) const override {
    const double most = precision == Precision::single_precision ? std::numeric_limits<float>::max()
                                                                 : std::numeric_limits<double>::max();
    if (!normalized_ && !(std::pow(base_, largest) <= most)) {
      throw DataError("subsets: a set of " + std::to_string(static_cast<Index>(largest)) +
                      " members has more subsets than a number of this precision can count; take "
                      "subsets(form=normalized), which is k(A,B)/sqrt(k(A,A) k(B,B)) for sets of any size, or a base "
                      "nearer to 1");
    }
  }

 private:
  double base_;
  bool normalized_;
};

}  // namespace

const KernelEntry& subsets_entry() {
  static const KernelEntry entry{
      .name = "subsets",
      .aliases = {"set_power"},
      .formula = "base^|A n B|; form=normalized: base^(-|A xor B| / 2)",
      .summary = "how many subsets two sets have in common",
      .definiteness = "positive definite",
      .input = KernelInput::sets,
      .parameters = {{.name = "base",
                      .role = ParameterRole::number,
                      .default_text = "2",
                      .meaning = "at least 1; a common subset U counts (base-1)^|U|"},
                     {.name = "form",
                      .role = ParameterRole::word,
                      .default_text = "plain",
                      .meaning = "normalized: divided by sqrt(k(A,A) k(B,B)), for sets of any size",
                      .words = {"plain", "normalized"}}},
      .make = make_node<SubsetsNode>,
      .examples = {"subsets()", "subsets(base=1.3)", "normalize(subsets())", "subsets(form=normalized)"}};
  return entry;
}

}  // namespace mercer
